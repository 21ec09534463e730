/* The content of pages as plain text and as Markdown. */
#include "export/export_parts.h"

#include "base/clock.h"
#include "json/json.h"
#include "url/url.h"

#include <inttypes.h>

struct texting {
    struct export *export;
    struct record_reader records;
    struct text_reader *reader;
    struct buf line;
    struct arena arena;
    const char *key; /* what the member with the content is called */
};

static void add_facts(struct json_writer *w, const struct store_page *page, const struct store_url *url,
                      struct str host)
{
    char when[32];

    clock_format_iso(page->wall, when, sizeof when);
    json_put_str(w, "url", url->url);
    json_put_str(w, "title", page->title);
    json_put_str(w, "language", page->lang);
    json_put_str(w, "date", str_of(when));
    json_put_double(w, "score", page->score);
    json_put_bool(w, "relevant", page->relevant);
    json_put_str(w, "host", host);
}

static scent_status put_line(struct texting *texting, const struct store_page *page, const struct store_url *url,
                             struct str host, struct str text)
{
    struct json_writer w;

    buf_clear(&texting->line);
    json_writer_init(&w, &texting->line);
    json_object_begin(&w);
    add_facts(&w, page, url, host);
    json_put_str(&w, texting->key, text);
    json_object_end(&w);
    buf_addc(&texting->line, '\n');
    return texting->line.failed ? SCENT_E_NOMEM : export_put(texting->export, buf_str(&texting->line));
}

/* Letters, digits and single hyphens of `from`, at most `most` bytes, and a terminator: a name on any file system. */
static void make_name(struct str from, const char *keep, size_t most, char *out)
{
    size_t n = 0;

    for (size_t i = 0; i < from.len && n < most; i++) {
        char c = ascii_lower(from.p[i]);

        if (ascii_is_alpha(c) || ascii_is_digit(c) || (n && strchr(keep, c)))
            out[n++] = c;
        else if (n && out[n - 1] != '-')
            out[n++] = '-';
    }
    while (n && (out[n - 1] == '-' || out[n - 1] == '.'))
        n--;
    out[n] = 0;
}

/* HOST/NUMBER-path.md: what is known of the page as YAML between two lines, then its content. */
static scent_status put_file(struct texting *texting, const struct store_page *page, const struct url *url,
                             const struct store_url *row, struct str text)
{
    char folder[104], slug[64], name[128], when[32], worker[24] = "";
    struct json_writer w;
    struct buf *out = &texting->line;

    make_name(url_host(url), ".", 96, folder);
    make_name(str_sub(url->href, url->path_start, url->query_end), "", 48, slug);
    if (export_part_number(texting->export)) /* each directory has numbers of its own */
        snprintf(worker, sizeof worker, "%zu-", export_part_number(texting->export) + 1);
    snprintf(name, sizeof name, "%s%08" PRIu64 "%s%s.md", worker, page->number, slug[0] ? "-" : "", slug);
    clock_format_iso(page->wall, when, sizeof when);
    buf_clear(out);
    buf_addz(out, "---\n");
    /* JSON strings are YAML strings */
    for (size_t i = 0; i < 4; i++) {
        static const char *const keys[] = {"url", "title", "language", "date"};
        const struct str values[] = {row->url, page->title, page->lang, str_of(when)};

        buf_printf(out, "%s: ", keys[i]);
        json_writer_init(&w, out);
        json_str(&w, values[i]);
        buf_addc(out, '\n');
    }
    buf_printf(out, "score: %.6g\nrelevant: %s\n---\n\n", page->score, page->relevant ? "true" : "false");
    buf_add(out, text);
    if (out->failed)
        return SCENT_E_NOMEM;
    return outfile_add(&texting->export->out, folder[0] ? folder : "host", name, buf_str(out), texting->export->err);
}

static scent_status on_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct texting *texting = ctx;
    struct export *export = texting->export;
    struct errmsg why = {{0}};
    struct warc_record record;
    struct str text;
    struct url parsed;
    scent_status status;

    if (!selection_has_page(export->part->selection, page->number))
        return SCENT_OK;
    if (page->warc_length == 0) {
        export->report->absent++;
        return SCENT_OK;
    }
    status = record_reader_find(&texting->records, page, url->url, &record, &why);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(export->err, status, "%s", why.text);
    arena_reset(&texting->arena);
    if (status != SCENT_OK || url_parse(&texting->arena, url->url, NULL, &parsed) != SCENT_OK) {
        log_line(export->options->log, LOG_WARN, "%.*s: its record cannot be read: %s", STR_ARG(url->url),
                 why.text[0] ? why.text : "its URL is none");
        export->report->damaged++;
        return SCENT_OK;
    }
    SCENT_TRY(text_reader_read(texting->reader, &record, SIZE_MAX, &text));
    if (text.len == 0) {
        export->report->empty++;
        return SCENT_OK;
    }
    export->report->written++;
    return export->out.is_folder ? put_file(texting, page, &parsed, url, text)
                                 : put_line(texting, page, url, url_host(&parsed), text);
}

static scent_status export_texts(struct export *export, enum page_form form)
{
    struct texting texting = {.export = export, .key = form == PAGE_FORM_TEXT ? "text" : "markdown"};
    scent_status status = SCENT_OK;

    buf_init(&texting.line, 0);
    arena_init(&texting.arena, 1 << 20);
    while (status == SCENT_OK && export_next_part(export)) {
        texting.records = (struct record_reader){.dir = export->part->dir};
        texting.reader = NULL;
        status = text_reader_new(export->part->store, form, &texting.reader, export->err);
        if (status == SCENT_OK)
            status = store_each_page(export->part->store, 0, on_page, &texting, export->err);
        text_reader_free(texting.reader);
        record_reader_close(&texting.records);
    }
    if (status == SCENT_E_NOMEM)
        errmsg_fail(export->err, status, "no memory for a page");
    arena_release(&texting.arena);
    buf_release(&texting.line);
    return status;
}

scent_status export_text(struct export *export)
{
    return export_texts(export, PAGE_FORM_TEXT);
}

scent_status export_markdown(struct export *export)
{
    return export_texts(export, PAGE_FORM_MARKDOWN);
}
