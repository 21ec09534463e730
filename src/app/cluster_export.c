#include "app/cluster_export.h"

#include "app/cluster_report.h"
#include "app/output.h"
#include "export/outfile.h"
#include "warc/cdxj.h"

struct pages_out {
    const struct cluster_export *options;
    struct outfile file;
    struct buf text;  /* of one page; of an index all lines */
    struct errmsg *err;
};

static void add_json(struct buf *out, const struct overseer_page *one)
{
    const struct batch_page *page = &one->page;
    struct json_writer w;
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "url", page->url);
    json_put_str(&w, "time", str_of(when));
    json_put_int(&w, "status", page->status);
    json_put_bool(&w, "relevant", page->relevant);
    json_put_double(&w, "score", (double)page->score);
    json_put_str(&w, "mime", page->mime);
    json_put_int(&w, "bytes", (int64_t)page->bytes);
    json_put_str(&w, "digest", page->digest);
    json_put_str(&w, "worker", one->worker);
    json_put_int(&w, "n", (int64_t)page->number);
    json_put_str(&w, "warc", page->warc_file);
    json_put_int(&w, "offset", (int64_t)page->warc_offset);
    json_put_int(&w, "length", (int64_t)page->warc_length);
    json_object_end(&w);
    buf_addc(out, '\n');
}

/* Files of several workers may have one name. */
static scent_status add_index(struct buf *out, const struct overseer_page *one)
{
    const struct batch_page *page = &one->page;
    char date[32], digest[BATCH_ERROR_MAX + 8], file[1024];

    if (!page->warc_length)
        return SCENT_OK;
    clock_format_iso(page->wall, date, sizeof date);
    snprintf(digest, sizeof digest, "sha1:%.*s", STR_ARG(page->digest));
    snprintf(file, sizeof file, "%.*s/%.*s", STR_ARG(one->worker), STR_ARG(page->warc_file));
    return cdxj_add(&(struct cdxj_entry){.url = page->url,
                                         .date = str_of(date),
                                         .mime = page->mime,
                                         .status = (int)page->status,
                                         .digest = str_of(digest),
                                         .offset = page->warc_offset,
                                         .length = page->warc_length,
                                         .file = str_of(file)},
                    out);
}

static scent_status put_text(struct pages_out *out)
{
    size_t len = out->text.len;
    bool failed = out->text.failed || (len && fwrite(out->text.p, 1, len, out->file.file) != len);

    buf_clear(&out->text);
    return failed ? errmsg_fail(out->err, SCENT_E_IO, "cannot write the pages") : SCENT_OK;
}

static scent_status put_page(void *ctx, const struct overseer_page *one)
{
    struct pages_out *out = ctx;
    const struct cluster_export *options = out->options;
    scent_status status;

    if (!one->page.counted || (options->relevant && !one->page.relevant) ||
        (double)one->page.score < options->min_score)
        return SCENT_OK;
    if (options->form == EXPORT_CDXJ) {
        status = add_index(&out->text, one);
        return status == SCENT_OK ? SCENT_OK : errmsg_fail(out->err, status, "no memory for the index");
    }
    if (options->form == EXPORT_URLS)
        buf_printf(&out->text, "%.*s\n", STR_ARG(one->page.url));
    else
        add_json(&out->text, one);
    return put_text(out);
}

static scent_status write_pages(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct cluster_export *options = ctx;
    struct pages_out out = {.options = options, .err = err};
    scent_status status;

    SCENT_TRY(outfile_open(options->output, &out.file, err));
    buf_init(&out.text, 0);
    status = overseer_pages(overseer, options->crawl, put_page, &out, err);
    if (status == SCENT_OK && cdxj_sort(&out.text) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory to sort the index");
    if (status == SCENT_OK)
        status = put_text(&out);
    buf_release(&out.text);
    return outfile_close(&out.file, status, err);
}

int cluster_export(const struct cluster_export *options)
{
    return cluster_oversee(options->uri, false, write_pages, options);
}
