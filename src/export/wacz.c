/* A collection in one file that replay tools load: Web Archive Collection Zipped 1.1.1. Records, pages and the index
 * are made in one pass over the rows; pages wait in files without a name until the records are written. */
#include "export/export_parts.h"

#include "base/clock.h"
#include "base/file.h"
#include "crawldir/crawldir.h"
#include "export/zip.h"
#include "http/http.h"
#include "json/json.h"
#include "warc/cdxj.h"

#include <errno.h>
#include <unistd.h>

enum {
    PAGE_TEXT_MAX = 64 << 10, /* of a page, for search: all of them are loaded into a browser */
    INDEX_BLOCK = 3000,       /* lines of a gzip member of the index */
    RUNS_MAX = 16 << 20
};
static const uint64_t file_bytes = 1ull << 30; /* of a WARC file; then the next one begins */

struct wacz {
    struct export *export;
    struct zip zip;
    struct text_reader *texts;
    const struct export_part *texts_of;
    FILE *pages, *others; /* others: pages that are not relevant, where both come */
    uint64_t npages, nothers;
    struct buf index, line;
    char stamp[32], file[128]; /* of the WARC file that is being written */
    unsigned nfiles;
    struct buf main_url;
    char main_date[32];
};

/* ---- pages ---- */

static scent_status open_spool(const struct export *export, const char *name, FILE **out)
{
    char path[sizeof export->out.part + 16];

    snprintf(path, sizeof path, "%s.%s", export->out.part, name);
    unlink(path);
    *out = fopen(path, "w+xe");
    if (!*out)
        return errmsg_fail(export->err, scent_status_of_errno(errno), "cannot create %s: %s", path, strerror(errno));
    unlink(path);
    return SCENT_OK;
}

static void begin_pages(FILE *file, const char *id, const char *title)
{
    fprintf(file, "{\"format\": \"json-pages-1.0\", \"id\": \"%s\", \"title\": \"%s\", \"hasText\": true}\n", id,
            title);
}

static void note_main_page(struct wacz *wacz, const struct store_page *page, const struct store_url *url)
{
    if (wacz->main_url.len)
        return;
    buf_add(&wacz->main_url, url->url);
    clock_format_iso(page->wall, wacz->main_date, sizeof wacz->main_date);
}

/* While the record is there its text can be read. */
static scent_status add_page(struct record_copy *copy, const struct store_page *page, const struct store_url *url,
                             const struct warc_record *record)
{
    struct wacz *wacz = copy->ctx;
    bool is_main = page->relevant || wacz->export->options->selection.relevant;
    char when[32], id[64];
    struct json_writer w;
    struct str text;

    if (!selection_has_page(wacz->export->part->selection, page->number))
        return SCENT_OK;
    if (wacz->texts_of != wacz->export->part) {
        text_reader_free(wacz->texts);
        wacz->texts = NULL;
        wacz->texts_of = wacz->export->part;
        SCENT_TRY(text_reader_new(wacz->export->part->store, PAGE_FORM_TEXT, &wacz->texts, wacz->export->err));
    }
    SCENT_TRY(text_reader_read(wacz->texts, record, PAGE_TEXT_MAX, &text));
    clock_format_iso(page->wall, when, sizeof when);
    if (export_part_number(wacz->export)) /* each directory has numbers of its own */
        snprintf(id, sizeof id, "page%zu-%llu", export_part_number(wacz->export) + 1, (unsigned long long)page->number);
    else
        snprintf(id, sizeof id, "page%llu", (unsigned long long)page->number);
    buf_clear(&wacz->line);
    json_writer_init(&w, &wacz->line);
    json_object_begin(&w);
    json_put_str(&w, "id", str_of(id));
    json_put_str(&w, "url", url->url);
    json_put_str(&w, "ts", str_of(when));
    json_put_str(&w, "title", page->title.len ? page->title : url->url);
    json_put_int(&w, "size", (int64_t)page->bytes);
    json_put_double(&w, "score", page->score);
    json_put_bool(&w, "relevant", page->relevant);
    json_put_str(&w, "text", text);
    json_object_end(&w);
    buf_addc(&wacz->line, '\n');
    if (wacz->line.failed)
        return SCENT_E_NOMEM;
    if (is_main)
        note_main_page(wacz, page, url);
    fwrite(wacz->line.p, 1, wacz->line.len, is_main ? wacz->pages : wacz->others);
    wacz->npages += is_main;
    wacz->nothers += !is_main;
    return SCENT_OK;
}

static scent_status put_spool(struct wacz *wacz, FILE *file, const char *name)
{
    char piece[4096];
    size_t got;
    off_t size = ftello(file);

    rewind(file);
    zip_begin(&wacz->zip, name, size < 0 ? UINT64_MAX : (uint64_t)size);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        zip_add(&wacz->zip, (struct str){piece, got});
    zip_end(&wacz->zip);
    return ferror(file) ? errmsg_fail(wacz->export->err, SCENT_E_IO, "cannot write the list of pages") : SCENT_OK;
}

/* ---- records ---- */

static scent_status begin_file(struct wacz *wacz)
{
    char path[160];
    struct buf info;
    scent_status status;

    snprintf(wacz->file, sizeof wacz->file, "export-%s-%05u.warc.gz", wacz->stamp, wacz->nfiles++);
    snprintf(path, sizeof path, "archive/%s", wacz->file);
    zip_begin(&wacz->zip, path, file_bytes);
    buf_init(&info, 0);
    status = record_build_info(wacz->export, wacz->file, &info);
    if (status == SCENT_OK)
        zip_add(&wacz->zip, buf_str(&info));
    buf_release(&info);
    return status;
}

static scent_status put_records(struct record_copy *copy, const struct store_page *page, const struct store_url *url)
{
    struct wacz *wacz = copy->ctx;
    struct store_page moved = *page;
    uint64_t at = wacz->zip.members[wacz->zip.count - 1].size;

    if (at + copy->members.len > file_bytes) {
        zip_end(&wacz->zip);
        SCENT_TRY(begin_file(wacz));
        at = wacz->zip.members[wacz->zip.count - 1].size;
    }
    zip_add(&wacz->zip, buf_str(&copy->members));
    moved.warc_file = str_of(wacz->file);
    moved.warc_offset = at;
    moved.warc_length = copy->length;
    SCENT_TRY(crawldir_add_index_line(&moved, url, &wacz->index));
    return wacz->zip.failed ? SCENT_E_IO : SCENT_OK;
}

/* ---- the index: blocks of lines, each a gzip member, and a line on where each block begins ---- */

static scent_status put_index(struct wacz *wacz)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 6);
    struct buf summary, member;
    struct str rest;
    uint64_t offset = 0;
    scent_status status = cdxj_sort(&wacz->index);

    buf_init(&summary, 0);
    buf_init(&member, 0);
    buf_addz(&summary, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n");
    rest = buf_str(&wacz->index);
    zip_begin(&wacz->zip, "indexes/index.cdx.gz", wacz->index.len);
    while (status == SCENT_OK && rest.len) {
        size_t end = 0, brace = str_find(rest, '{');

        for (int lines = 0; lines < INDEX_BLOCK && end < rest.len; lines++)
            end += str_find(str_sub(rest, end, rest.len), '\n') + 1;
        buf_clear(&member);
        status = http_pack(packer, str_sub(rest, 0, end), &member);
        zip_add(&wacz->zip, buf_str(&member));
        buf_add(&summary, str_sub(rest, 0, brace)); /* key and time of its first line, and a space */
        buf_printf(&summary, "{\"offset\": %llu, \"length\": %zu}\n", (unsigned long long)offset, member.len);
        offset += member.len;
        rest = str_sub(rest, end, rest.len);
    }
    zip_end(&wacz->zip);
    if (summary.failed)
        status = SCENT_E_NOMEM;
    zip_put(&wacz->zip, "indexes/index.idx", buf_str(&summary));
    buf_release(&summary);
    buf_release(&member);
    http_packer_free(packer);
    return status;
}

/* ---- what is in it ---- */

static void describe(struct wacz *wacz, struct str info, struct json_writer *w)
{
    const struct export_options *options = wacz->export->options;
    struct str topic = http_header(info, STR("isPartOf")), text = http_header(info, STR("description"));
    const char *dir = options->dirs[0], *slash = strrchr(dir, '/');
    char when[32];

    clock_format_iso(clock_wall(&clock_system), when, sizeof when);
    json_put_str(w, "title", topic.len ? topic : str_of(slash && slash[1] ? slash + 1 : dir));
    if (text.len)
        json_put_str(w, "description", text);
    json_put_str(w, "created", str_of(when));
    json_put_str(w, "software", STR("scent/" SCENT_VERSION));
    if (!wacz->main_url.len)
        return;
    json_put_str(w, "mainPageUrl", buf_str(&wacz->main_url));
    json_put_str(w, "mainPageDate", str_of(wacz->main_date));
}

static scent_status put_package(struct wacz *wacz)
{
    struct json_writer w;
    struct buf info, *out = &wacz->line;
    char digest[256];
    scent_status status;

    buf_init(&info, 0);
    status = crawldir_load_info(wacz->export->parts->store, &info, wacz->export->err);
    buf_clear(out);
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_put_str(&w, "profile", STR("data-package"));
    json_put_str(&w, "wacz_version", STR("1.1.1"));
    describe(wacz, buf_str(&info), &w);
    json_key(&w, "resources");
    json_array_begin(&w);
    for (size_t i = 0; i < wacz->zip.count; i++) {
        const struct zip_member *member = &wacz->zip.members[i];

        json_object_begin(&w);
        json_put_str(&w, "name", str_of(strrchr(member->name, '/') + 1));
        json_put_str(&w, "path", str_of(member->name));
        json_put_str(&w, "hash", str_of(member->hash));
        json_put_int(&w, "bytes", (int64_t)member->size);
        json_object_end(&w);
    }
    json_array_end(&w);
    json_object_end(&w);
    buf_release(&info);
    zip_put(&wacz->zip, "datapackage.json", buf_str(out));
    snprintf(digest, sizeof digest, "{\"path\": \"datapackage.json\", \"hash\": \"%s\"}",
             wacz->zip.members[wacz->zip.count - 1].hash);
    zip_put(&wacz->zip, "datapackage-digest.json", str_of(digest));
    return out->failed ? SCENT_E_NOMEM : status;
}

/* How the crawl was run; by each worker. */
static scent_status put_logs(struct wacz *wacz)
{
    struct export *export = wacz->export;
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && export_next_part(export)) {
        char name[64] = "logs/run.json";
        struct buf runs;

        if (export_part_number(export))
            snprintf(name, sizeof name, "logs/run-%zu.json", export_part_number(export) + 1);
        buf_init(&runs, RUNS_MAX);
        status = crawldir_load_runs(export->part->dir, &runs, export->err);
        if (status == SCENT_OK)
            zip_put(&wacz->zip, name, buf_str(&runs));
        buf_release(&runs);
        status = status == SCENT_E_NOTFOUND ? SCENT_OK : status;
    }
    return status;
}

static scent_status write_all(struct wacz *wacz)
{
    struct record_copy copy = {.export = wacz->export, .look = add_page, .put = put_records, .ctx = wacz};

    SCENT_TRY(open_spool(wacz->export, "pages", &wacz->pages));
    SCENT_TRY(open_spool(wacz->export, "others", &wacz->others));
    begin_pages(wacz->pages, "pages", wacz->export->options->selection.relevant ? "All Pages" : "Relevant Pages");
    begin_pages(wacz->others, "extraPages", "Other Pages");
    SCENT_TRY(begin_file(wacz));
    SCENT_TRY(record_copy_all(&copy));
    zip_end(&wacz->zip);
    SCENT_TRY(put_index(wacz));
    SCENT_TRY(put_spool(wacz, wacz->pages, "pages/pages.jsonl"));
    if (wacz->nothers)
        SCENT_TRY(put_spool(wacz, wacz->others, "pages/extraPages.jsonl"));
    SCENT_TRY(put_logs(wacz));
    SCENT_TRY(put_package(wacz));
    zip_finish(&wacz->zip);
    return wacz->zip.failed ? SCENT_E_IO : SCENT_OK;
}

scent_status export_wacz(struct export *export)
{
    struct wacz wacz = {.export = export};
    int64_t now = clock_wall(&clock_system);
    scent_status status;

    zip_init(&wacz.zip, export->out.file, now);
    buf_init(&wacz.index, 0);
    buf_init(&wacz.line, 0);
    buf_init(&wacz.main_url, 0);
    clock_format_stamp(now, wacz.stamp, sizeof wacz.stamp);
    status = write_all(&wacz);
    if (status == SCENT_E_IO && !export->err->text[0])
        errmsg_fail(export->err, status, "cannot write to %s", export->out.part);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(export->err, status, "no memory for the index");
    if (wacz.pages)
        fclose(wacz.pages);
    if (wacz.others)
        fclose(wacz.others);
    text_reader_free(wacz.texts);
    zip_release(&wacz.zip);
    buf_release(&wacz.index);
    buf_release(&wacz.line);
    buf_release(&wacz.main_url);
    return status;
}
