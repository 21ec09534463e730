/* Records of a crawl, copied member by member: into a WARC file, and for wacz.c. What is not gzip is packed again:
 * replay tools know no other compression. */
#include "export/export_parts.h"

#include "base/rng.h"
#include "crawldir/crawldir.h"
#include "http/http.h"

#include <inttypes.h>

enum { GZIP_LEVEL = 6 };

/* ---- members ---- */

/* The member of the record that was found last, and those of its request and metadata, into copy->members. What
 * `record` points to is gone afterwards. */
static scent_status copy_members(struct record_copy *copy, const struct warc_record *record, struct errmsg *err)
{
    static const struct warc_form gzip = {WARC_GZIP, NULL};
    struct str id = http_header(record->headers, STR("WARC-Record-ID"));
    struct warc_reader *reader = copy->reader.reader;
    struct warc_record next;
    char kept[128];

    if (record->length == 0)
        return errmsg_fail(err, SCENT_E_UNSUPPORTED, "it shares a compressed member with other records");
    snprintf(kept, sizeof kept, "%.*s", STR_ARG(id));
    SCENT_TRY(warc_reader_copy(reader, record, gzip, copy->packer, &copy->members, err));
    copy->length = copy->members.len;
    while (id.len && id.len < sizeof kept && warc_reader_next(reader, &next, err) == SCENT_OK) {
        if ((next.type != WARC_REQUEST && next.type != WARC_METADATA) || next.length == 0 || next.damaged ||
            !str_eq(http_header(next.headers, STR("WARC-Concurrent-To")), str_of(kept)))
            break;
        SCENT_TRY(warc_reader_copy(reader, &next, gzip, copy->packer, &copy->members, err));
    }
    return SCENT_OK;
}

/* ---- rows ---- */

/* Members of the row into copy->members; *found tells whether there are any. */
static scent_status copy_row(struct record_copy *copy, const struct store_page *page, const struct store_url *url,
                             bool *found)
{
    struct export *export = copy->export;
    struct errmsg why = {{0}};
    struct warc_record record;
    scent_status status;

    *found = false;
    buf_clear(&copy->members);
    if (page->warc_length == 0) {
        export->report->absent += selection_has_page(export->part->selection, page->number);
        return SCENT_OK;
    }
    status = record_reader_find(&copy->reader, page, url->url, &record, &why);
    if (status == SCENT_OK && copy->look)
        SCENT_TRY(copy->look(copy, page, url, &record));
    if (status == SCENT_OK)
        status = copy_members(copy, &record, &why);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(export->err, status, "%s", why.text);
    if (status != SCENT_OK) {
        log_line(export->options->log, LOG_WARN, "%.*s: its record cannot be read: %s", STR_ARG(url->url), why.text);
        export->report->damaged++;
        return SCENT_OK;
    }
    export->report->written++;
    *found = true;
    return SCENT_OK;
}

static scent_status on_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct record_copy *copy = ctx;
    bool found;

    if (!selection_has_record(copy->export->part->selection, page->number))
        return SCENT_OK;
    SCENT_TRY(copy_row(copy, page, url, &found));
    return found ? copy->put(copy, page, url) : SCENT_OK;
}

scent_status record_copy_all(struct record_copy *copy)
{
    struct export *export = copy->export;
    scent_status status = SCENT_OK;

    copy->packer = http_packer_new(HTTP_GZIP, GZIP_LEVEL);
    buf_init(&copy->members, 0);
    while (status == SCENT_OK && export_next_part(export)) {
        copy->reader = (struct record_reader){.dir = export->part->dir};
        status = store_each_page(export->part->store, 0, on_row, copy, export->err);
        record_reader_close(&copy->reader);
    }
    http_packer_free(copy->packer);
    buf_release(&copy->members);
    return status;
}

/* ---- the head of a file ---- */

scent_status record_build_info(struct export *export, const char *name, struct buf *out)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, GZIP_LEVEL);
    struct rng rng;
    struct buf lines;
    scent_status status;

    rng_seed(&rng, rng_entropy());
    buf_init(&lines, 0);
    buf_addz(&lines, "software: scent/" SCENT_VERSION "\r\n" WARC_INFO_FORMAT);
    status = crawldir_load_info(export->parts->store, &lines, export->err); /* workers have one topic */
    if (status == SCENT_OK)
        buf_addz(&lines, selection_is_all(export->parts->selection)
                             ? "scope: all records of a crawl, copied by scent export\r\n"
                             : "scope: a selection of the records of a crawl, copied by scent export\r\n");
    if (status == SCENT_OK)
        status = warc_build_info(str_of(name), buf_str(&lines), clock_wall(&clock_system), &rng, packer, out);
    buf_release(&lines);
    http_packer_free(packer);
    return status;
}

/* ---- one WARC file ---- */

static scent_status put_members(struct record_copy *copy, const struct store_page *page, const struct store_url *url)
{
    (void)page;
    (void)url;
    return export_put(copy->export, buf_str(&copy->members));
}

scent_status export_warc(struct export *export)
{
    struct record_copy copy = {.export = export, .put = put_members};
    const char *name = export->options->output ? strrchr(export->options->output, '/') : NULL;
    struct buf info;
    scent_status status;

    buf_init(&info, 0);
    name = name ? name + 1 : export->options->output ? export->options->output : "";
    status = record_build_info(export, name, &info);
    if (status == SCENT_OK)
        status = export_put(export, buf_str(&info));
    if (status == SCENT_OK)
        status = record_copy_all(&copy);
    buf_release(&info);
    return status;
}
