#include "crawldir/cdxindex.h"

#include "base/clock.h"
#include "crawldir/crawldir.h"
#include "warc/cdxj.h"

#include <stdio.h>

scent_status cdxindex_add(const struct store_page *page, const struct store_url *url, struct buf *out)
{
    char date[32], digest[64];
    struct cdxj_entry entry = {
        .url = url->url,
        .mime = store_page_is_revisit(page) ? STR("warc/revisit") : page->mime,
        .status = page->status,
        .offset = page->warc_offset,
        .length = page->warc_length,
        .file = page->warc_file,
    };

    if (page->warc_length == 0)
        return SCENT_OK;
    clock_format_iso(page->wall, date, sizeof date);
    snprintf(digest, sizeof digest, "sha1:%.*s", STR_ARG(page->digest));
    entry.date = str_of(date);
    entry.digest = str_of(digest);
    return cdxj_add(&entry, out);
}

static scent_status add_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    return cdxindex_add(page, url, ctx);
}

scent_status cdxindex_build(struct store *store, struct buf *out, struct errmsg *err)
{
    scent_status status = store_each_page(store, 0, add_row, out, err);

    if (status == SCENT_OK)
        status = cdxj_sort(out);
    return status == SCENT_E_NOMEM ? errmsg_fail(err, status, "no memory for the index") : status;
}

scent_status cdxindex_write(struct store *store, const char *dir, struct errmsg *err)
{
    struct buf index;
    scent_status status;

    buf_init(&index, 0);
    status = cdxindex_build(store, &index, err);
    if (status == SCENT_OK)
        status = crawldir_replace(dir, CDXINDEX_FILE, buf_str(&index), err);
    buf_release(&index);
    return status;
}
