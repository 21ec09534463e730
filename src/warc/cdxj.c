/* SURT keys, dates and JSON fields of CDXJ lines, and their order. */
#include "warc/cdxj.h"

#include "url/url.h"

#include <stdlib.h>

enum { KEY_ARENA = 64 * 1024 };

/* ---- a line ---- */

/* Other bytes than printable ASCII: so the line is valid UTF-8, and one line, whatever the record holds. */
static void add_percent(struct buf *out, char c)
{
    buf_printf(out, "%%%02X", (unsigned char)c);
}

/* A URL that is not http (urn:, file:, metadata:) stands for itself; a key has no space. */
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

/* ---- all lines ---- */

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
