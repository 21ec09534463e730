#include "app/output.h"

#include "base/clock.h"

#include <stdlib.h>

enum { DATE_ROOM = 32 };

/* ---- text of others ---- */

struct plain {
    FILE *out;
    bool after_c2; /* the last byte may begin a control character of two bytes: U+0080 to U+009F */
};

static ssize_t write_plain(void *ctx, const char *bytes, size_t len)
{
    struct plain *plain = ctx;

    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)bytes[i];
        bool control = (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f || (plain->after_c2 && c < 0xa0);

        if (plain->after_c2 && !control)
            putc(0xc2, plain->out);
        plain->after_c2 = c == 0xc2;
        if (!plain->after_c2)
            putc(control ? '?' : c, plain->out);
    }
    return (ssize_t)len;
}

static int close_plain(void *ctx)
{
    free(ctx);
    return 0;
}

FILE *output_plain(FILE *out)
{
    struct plain *plain = calloc(1, sizeof *plain);
    FILE *stream;

    SCENT_BUG_IF(!plain);
    plain->out = out;
    stream = fopencookie(plain, "w", (cookie_io_functions_t){.write = write_plain, .close = close_plain});
    SCENT_BUG_IF(!stream);
    return stream;
}

/* ---- JSON ---- */

struct json_writer *json_output_begin(struct json_output *output)
{
    buf_init(&output->text, 0);
    json_writer_init(&output->json, &output->text);
    return &output->json;
}

void json_output_end(struct json_output *output, FILE *out)
{
    fprintf(out, "%s\n", buf_z(&output->text));
    buf_release(&output->text);
}

void timespan_print(const struct timespan *span, FILE *out)
{
    char first[DATE_ROOM], last[DATE_ROOM];

    if (!span->known)
        return;
    clock_format_iso(span->first, first, sizeof first);
    clock_format_iso(span->last, last, sizeof last);
    fprintf(out, "time      %s to %s\n", first, last);
}

static void write_date(struct json_writer *w, const char *key, int64_t time, bool known)
{
    char date[DATE_ROOM];

    clock_format_iso(time, date, sizeof date);
    json_key(w, key);
    if (known)
        json_str(w, str_of(date));
    else
        json_none(w);
}

void timespan_write(const struct timespan *span, struct json_writer *w)
{
    write_date(w, "first", span->first, span->known);
    write_date(w, "last", span->last, span->known);
}

void output_progress(const char *what, size_t done, size_t all)
{
    fprintf(stderr, "\r\033[K%zu of %zu %s", done, all, what);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}
