#include "export/export_parts.h"

#include "crawldir/crawldir.h"
#include "crawldir/several.h"
#include "warc/cdxj.h"

#include <errno.h>
#include <stdlib.h>

scent_status export_put(struct export *export, struct str bytes)
{
    if (fwrite(bytes.p, 1, bytes.len, export->out.file) == bytes.len)
        return SCENT_OK;
    return errmsg_fail(export->err, scent_status_of_errno(errno), "cannot write to %s: %s",
                       export->out.path ? export->out.part : "standard output", strerror(errno));
}

/* ---- cdxj ---- */

struct indexing {
    const struct export *export;
    struct buf lines;
};

static scent_status add_line(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct indexing *indexing = ctx;

    /* The index of all files, as index.cdxj has it, or that of what was chosen. */
    if (!selection_is_all(indexing->export->part->selection) &&
        !selection_has_record(indexing->export->part->selection, page->number))
        return SCENT_OK;
    indexing->export->report->written += page->warc_length > 0;
    return crawldir_add_index_line(page, url, &indexing->lines);
}

static scent_status export_cdxj(struct export *export)
{
    struct indexing indexing = {.export = export};
    scent_status status;

    buf_init(&indexing.lines, 0);
    status = SCENT_OK;
    while (status == SCENT_OK && export_next_part(export))
        status = store_each_page(export->part->store, 0, add_line, &indexing, export->err);
    if (status == SCENT_OK)
        status = cdxj_sort(&indexing.lines);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(export->err, status, "no memory for the index");
    if (status == SCENT_OK)
        status = export_put(export, buf_str(&indexing.lines));
    buf_release(&indexing.lines);
    return status;
}

/* ---- all forms ---- */

const char *const export_form_names[EXPORT_FORMS + 1] = {
    [EXPORT_JSONL] = "jsonl", [EXPORT_CSV] = "csv",           [EXPORT_URLS] = "urls", [EXPORT_GRAPHML] = "graphml",
    [EXPORT_TEXT] = "text",   [EXPORT_MARKDOWN] = "markdown", [EXPORT_CDXJ] = "cdxj", [EXPORT_WARC] = "warc",
    [EXPORT_WACZ] = "wacz",
};

static scent_status (*const writers[EXPORT_FORMS])(struct export *export) = {
    [EXPORT_JSONL] = export_jsonl,       [EXPORT_CSV] = export_csv,   [EXPORT_URLS] = export_urls,
    [EXPORT_GRAPHML] = export_graphml,   [EXPORT_TEXT] = export_text, [EXPORT_MARKDOWN] = export_markdown,
    [EXPORT_CDXJ] = export_cdxj,         [EXPORT_WARC] = export_warc, [EXPORT_WACZ] = export_wacz,
};

static scent_status open_output(struct export *export)
{
    const struct export_options *options = export->options;
    bool is_folder = options->form == EXPORT_MARKDOWN && options->output &&
                     !str_ends(str_of(options->output), STR(".jsonl"));

    return is_folder ? outfile_open_folder(options->output, &export->out, export->err)
                     : outfile_open(options->output, &export->out, export->err);
}

static scent_status write_output(struct export *export)
{
    scent_status status;

    SCENT_TRY(open_output(export));
    if (export->options->form == EXPORT_WACZ && export->out.is_stream)
        status = errmsg_fail(export->err, SCENT_E_INVALID,
                             "a WACZ cannot be written to a pipe or a device: name a file with -o");
    else
        status = writers[export->options->form](export);
    return outfile_close(&export->out, status, export->err);
}

static scent_status open_parts(struct export *export)
{
    const struct export_options *options = export->options;
    struct selection_shared shared;
    scent_status status = SCENT_OK;

    selection_shared_init(&shared, &options->selection);
    for (size_t i = 0; i < options->ndirs && status == SCENT_OK; i++) {
        struct export_part *part = &export->parts[i];

        part->dir = options->dirs[i];
        status = store_open(part->dir, STORE_READ, &part->store, export->err);
        if (status == SCENT_OK && options->ndirs > 1)
            status = several_look(shared.several, i + 1, part->store, export->err);
    }
    for (size_t i = 0; i < options->ndirs && status == SCENT_OK; i++) {
        struct export_part *part = &export->parts[i];

        status = selection_make(part->store, &options->selection, &shared, &part->selection, export->err);
        if (status == SCENT_OK)
            export->report->copies += selection_copies(part->selection);
    }
    export->report->equal = shared.equal;
    selection_shared_release(&shared);
    return status;
}

scent_status export_run(const struct export_options *options, struct export_report *out, struct errmsg *err)
{
    struct export export = {.options = options, .report = out, .err = err};
    scent_status status;

    *out = (struct export_report){0};
    export.parts = calloc(options->ndirs + 1, sizeof *export.parts);
    SCENT_BUG_IF(!export.parts);
    status = open_parts(&export);
    if (status == SCENT_OK)
        status = write_output(&export);
    for (size_t i = 0; i < options->ndirs; i++) {
        selection_free(export.parts[i].selection);
        if (export.parts[i].store)
            store_close(export.parts[i].store);
    }
    free(export.parts);
    return status;
}
