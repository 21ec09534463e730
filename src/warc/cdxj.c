#include "warc/cdxj.h"

#include "base/file.h"
#include "url/url.h"
#include "warc/digest.h"
#include "warc/folder.h"

#include <stdlib.h>

enum { KEY_ARENA = 64 * 1024 };

/* ---- a line ---- */

/* Other bytes than printable ASCII: so the line is valid UTF-8, and one line, whatever the record holds. */
static void add_percent(struct buf *out, char c)
{
    buf_printf(out, "%%%02X", (unsigned char)c);
}

/* What is no http URL (urn:, file:, metadata:) stands for itself; a key holds no space. */
static void add_plain_key(struct buf *out, struct str url)
{
    for (size_t i = 0; i < url.len; i++) {
        if ((unsigned char)url.p[i] <= ' ' || (unsigned char)url.p[i] >= 0x7f)
            add_percent(out, url.p[i]);
        else
            buf_addc(out, ascii_lower(url.p[i]));
    }
}

static void add_key(struct buf *out, struct str text)
{
    struct arena arena;
    struct url url;
    struct str key;

    arena_init(&arena, KEY_ARENA);
    if (url_parse(&arena, text, NULL, &url) == SCENT_OK && url_surt(&arena, &url, &key) == SCENT_OK)
        buf_add(out, key);
    else
        add_plain_key(out, text);
    arena_release(&arena);
}

static void add_date(struct buf *out, struct str date)
{
    enum { DIGITS = 14 };
    int digits = 0;

    for (size_t i = 0; i < date.len && digits < DIGITS; i++) {
        if (ascii_is_digit(date.p[i])) {
            buf_addc(out, date.p[i]);
            digits++;
        }
    }
    for (; digits < DIGITS; digits++)
        buf_addc(out, '0');
}

static void add_text(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, "\"%s\": \"", name);
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.p[i];

        if (c == '"' || c == '\\')
            buf_addc(out, '\\');
        if (c < ' ' || c >= 0x7f)
            add_percent(out, value.p[i]);
        else
            buf_addc(out, value.p[i]);
    }
    buf_addc(out, '"');
}

static void add_number(struct buf *out, const char *name, uint64_t value)
{
    buf_printf(out, ", \"%s\": \"%llu\"", name, (unsigned long long)value);
}

scent_status cdxj_add(const struct cdxj_entry *entry, struct buf *out)
{
    size_t before = out->len;

    add_key(out, entry->url);
    buf_addc(out, ' ');
    add_date(out, entry->date);
    buf_add(out, STR(" {"));
    add_text(out, "url", entry->url);
    buf_add(out, STR(", "));
    add_text(out, "mime", entry->mime.len ? entry->mime : STR("unk"));
    if (entry->status)
        add_number(out, "status", (uint64_t)entry->status);
    buf_add(out, STR(", "));
    add_text(out, "digest", entry->digest);
    add_number(out, "length", entry->length);
    add_number(out, "offset", entry->offset);
    buf_add(out, STR(", "));
    add_text(out, "filename", entry->file);
    buf_add(out, STR("}\n"));
    if (!out->failed)
        return SCENT_OK;
    out->len = before;
    return out->cap - before < SCENT_URL_MAX ? SCENT_E_LIMIT : SCENT_E_NOMEM;
}

/* ---- of a record ---- */

static bool is_indexed(const struct warc_record *record)
{
    bool wanted = record->type == WARC_RESPONSE || record->type == WARC_REVISIT || record->type == WARC_RESOURCE ||
                  record->type == WARC_CONVERSION;

    return wanted && record->length && !record->inner && record->url.len;
}

static struct str mime_of(const struct warc_record *record)
{
    struct str value = record->http_head.len ? warc_http_header(record->http_head, STR("Content-Type"))
                                             : warc_record_header(record, STR("Content-Type"));

    if (record->type == WARC_REVISIT)
        return STR("warc/revisit");
    if (value.len == 0)
        return STR_NONE;
    return str_trim(str_sub(value, 0, str_find(value, ';')));
}

scent_status cdxj_add_record(const struct warc_record *record, struct str file, struct buf *out)
{
    char digest[sizeof "sha1:" + DIGEST_BASE32] = "sha1:";
    struct str stated = warc_record_header(record, STR("WARC-Payload-Digest"));

    if (!is_indexed(record))
        return SCENT_OK;
    if (stated.len == 0)
        digest_sha1(record->payload, STR_NONE, digest + sizeof "sha1:" - 1);
    return cdxj_add(
        &(struct cdxj_entry){
            .url = record->url,
            .date = record->date,
            .mime = mime_of(record),
            .status = record->http_status,
            .digest = stated.len ? stated : str_of(digest),
            .offset = record->offset,
            .length = record->length,
            .file = file,
        },
        out);
}

/* ---- of a folder ---- */

static struct str base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return str_of(slash ? slash + 1 : path);
}

static scent_status add_file(const char *path, struct buf *lines, const struct log *log, struct errmsg *err)
{
    struct warc_reader *reader;
    struct warc_record record;
    size_t shared = 0;
    scent_status status = warc_reader_open(path, &reader, err);

    if (status != SCENT_OK)
        return status;
    while ((status = warc_reader_next(reader, &record, err)) == SCENT_OK) {
        if (record.damaged)
            log_line(log, LOG_WARN, "%s: damaged at byte %llu: %s", path, (unsigned long long)record.offset,
                     record.damage);
        shared += record.type == WARC_RESPONSE && record.length == 0;
        if (cdxj_add_record(&record, base_name(path), lines) != SCENT_OK) {
            status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for the index of %s", path);
            break;
        }
    }
    warc_reader_close(reader);
    if (shared)
        log_line(log, LOG_WARN,
                 "%s: %zu responses share a gzip member and cannot be indexed; repack it a record a member", path,
                 shared);
    return status == SCENT_E_END ? SCENT_OK : status;
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

scent_status cdxj_sort(struct buf *text)
{
    struct str rest = buf_str(text), line, *lines;
    struct buf sorted;
    size_t n = 0, count = 0;

    for (size_t i = 0; i < text->len; i++)
        n += text->p[i] == '\n';
    lines = calloc(n ? n : 1, sizeof *lines);
    if (!lines)
        return SCENT_E_NOMEM;
    while (count < n && str_split(&rest, '\n', &line))
        lines[count++] = (struct str){line.p, line.len + 1}; /* its newline comes along */
    qsort(lines, count, sizeof *lines, by_bytes);
    buf_init(&sorted, text->cap);
    if (buf_reserve(&sorted, text->len))
        for (size_t i = 0; i < count; i++)
            buf_add(&sorted, lines[i]);
    free(lines);
    if (sorted.failed) {
        buf_release(&sorted);
        return SCENT_E_NOMEM;
    }
    buf_release(text);
    *text = sorted;
    return SCENT_OK;
}

scent_status cdxj_write(const char *path, const char *index, const struct log *log, struct errmsg *err)
{
    struct file_list files;
    struct buf text;
    scent_status status = folder_archives(path, &files, err);

    if (status != SCENT_OK)
        return status;
    buf_init(&text, 0);
    for (size_t i = 0; i < files.count && status == SCENT_OK; i++) {
        status = add_file(files.names[i], &text, log, err);
        if (status == SCENT_E_FORMAT) {
            log_line(log, LOG_WARN, "%s is left out: %s", files.names[i], err->text);
            status = SCENT_OK;
        }
    }
    if (status == SCENT_OK && cdxj_sort(&text) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory to sort the index of %s", path);
    if (status == SCENT_OK)
        status = file_replace(index, buf_str(&text), err);
    buf_release(&text);
    file_list_release(&files);
    return status;
}
