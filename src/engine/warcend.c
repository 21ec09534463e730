#include "engine/warcend.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>

scent_status warcend_load(struct store *store, struct warc_position *out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = (struct warc_position){0};
    buf_init(&text, 256);
    status = store_get(store, "warc_end", &text, err);
    if (status == SCENT_OK && sscanf(buf_z(&text), "%63s %" SCNu64, out->file, &out->end) != 2)
        status = errmsg_fail(err, SCENT_E_FORMAT, "crawl.db: the value warc_end is damaged");
    buf_release(&text);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status warcend_save(struct store *store, const struct warc_position *end, struct errmsg *err)
{
    char text[128];
    int len = snprintf(text, sizeof text, "%s %" PRIu64, end->file, end->end);

    return store_set(store, "warc_end", (struct str){text, (size_t)len}, err);
}

scent_status warcend_open_writer(struct store *store, const char *dir, struct str info, struct rng *rng,
                                 struct warc_writer **out, struct errmsg *err)
{
    struct warc_position last;
    char path[4096];
    struct warc_writer_options options = {
        .dir = path,
        .prefix = WARCEND_PREFIX,
        .software = "scent/" SCENT_VERSION,
        .info = info,
    };
    scent_status status = warcend_load(store, &last, err);

    if (status != SCENT_OK)
        return status;
    snprintf(path, sizeof path, "%s/warc", dir);
    status = file_make_dir(path, err);
    if (status != SCENT_OK)
        return status;
    return warc_writer_open(&options, last.file[0] ? &last : NULL, rng, out, err);
}
