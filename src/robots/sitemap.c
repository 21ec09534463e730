#include "robots/sitemap.h"
#include "http/http.h"
#include "robots/sitemap_parts.h"
#include "url/url.h"

#include <stdarg.h>
#include <stdio.h>

enum { PIECE = 64 * 1024 };

enum form { FORM_UNKNOWN, FORM_XML, FORM_TEXT };

struct reader {
    struct sitemap_sink sink;
    enum form form;
    size_t total;
    bool over; /* the cap was reached */
    struct listing *listing; /* FORM_XML */
    struct buf line;         /* FORM_TEXT: a line whose end has not come yet; `failed` when it is too long */
    scent_status status;
};

void sitemap_because(struct sitemap_sink *sink, const char *fmt, ...)
{
    va_list args;

    if (sink->report->reason[0])
        return;
    va_start(args, fmt);
    vsnprintf(sink->report->reason, sizeof sink->report->reason, fmt, args);
    va_end(args);
}

static void cut(struct sitemap_sink *sink, const char *why)
{
    sink->report->cut = true;
    sitemap_because(sink, "%s", why);
}

void sitemap_emit(struct sitemap_sink *sink, const struct sitemap_entry *entry)
{
    struct sitemap_report *report = sink->report;

    if (sink->stopped)
        return;
    if (!entry->url.len || entry->url.len > SCENT_URL_MAX) {
        report->refused++;
    } else if (report->entries == SITEMAP_MAX_ENTRIES) {
        report->refused++;
        cut(sink, "it has more than 50,000 entries");
    } else {
        report->entries++;
        sink->stopped = !sink->fn(sink->ctx, entry);
    }
}

static bool is_done(const struct reader *reader)
{
    return reader->sink.stopped || reader->over || reader->status != SCENT_OK ||
           (reader->form == FORM_XML && listing_is_done(reader->listing)) ||
           (reader->form == FORM_TEXT && reader->sink.report->kind == SITEMAP_NONE && reader->sink.report->reason[0]);
}

/* The first line tells whether this is a list at all. */
static void end_line(struct reader *reader)
{
    struct str line = str_trim(buf_str(&reader->line));
    bool overlong = reader->line.failed;

    if (!line.len && !overlong)
        return;
    if (reader->sink.report->kind == SITEMAP_NONE && !url_is_absolute(line))
        sitemap_because(&reader->sink, "neither XML nor a list of URLs");
    else
        reader->sink.report->kind = SITEMAP_TEXT;
    if (!overlong && url_is_absolute(line))
        sitemap_emit(&reader->sink, &(struct sitemap_entry){.url = line, .priority = -1});
    else
        reader->sink.report->refused += reader->sink.report->kind == SITEMAP_TEXT;
    buf_clear(&reader->line);
}

static void feed_text(struct reader *reader, struct str piece)
{
    while (piece.len && !is_done(reader)) {
        size_t end = 0;

        while (end < piece.len && piece.p[end] != '\n' && piece.p[end] != '\r')
            end++;
        if (!reader->line.failed)
            buf_add(&reader->line, str_sub(piece, 0, end));
        if (end < piece.len)
            end_line(reader);
        piece = str_sub(piece, end + (end < piece.len), piece.len);
    }
}

static struct str skip_blanks(struct str s)
{
    while (s.len && ascii_is_space(s.p[0]))
        s = str_sub(s, 1, s.len);
    return s;
}

/* Leading blanks, which XML forbids and many generators write, are passed over. */
static struct str recognise(struct reader *reader, struct str piece)
{
    if (str_starts(piece, STR("\xEF\xBB\xBF")))
        piece = str_sub(piece, 3, piece.len);
    piece = skip_blanks(piece);
    if (!piece.len)
        return piece;
    reader->form = piece.p[0] == '<' || (unsigned char)piece.p[0] >= 0xFE ? FORM_XML : FORM_TEXT; /* FE FF: UTF-16 */
    if (reader->form == FORM_XML)
        reader->listing = listing_new(&reader->sink);
    return piece;
}

static void feed_known(struct reader *reader, struct str piece)
{
    if (reader->form == FORM_UNKNOWN)
        piece = recognise(reader, piece);
    if (reader->form == FORM_XML)
        reader->status = listing_feed(reader->listing, piece);
    else if (reader->form == FORM_TEXT)
        feed_text(reader, piece);
}

static void feed(struct reader *reader, struct str piece)
{
    size_t room = SITEMAP_MAX_BYTES - reader->total;
    bool over = piece.len > room;

    if (over)
        piece.len = room;
    reader->total += piece.len;
    feed_known(reader, piece);
    if (over && !is_done(reader))
        cut(&reader->sink, "it is larger than 50 MiB");
    reader->over = over;
}

static bool is_gzip(struct str body)
{
    return str_starts(body, STR("\x1F\x8B"));
}

/* Unpacks piece by piece, so that a bomb costs no memory. False when there is no more to unpack. */
static bool unpack(struct reader *reader, struct http_inflater *inflater, struct str *rest, struct buf *out)
{
    enum http_step step;
    size_t used;

    buf_clear(out);
    reader->status = http_inflater_feed(inflater, *rest, PIECE, out, &used, &step);
    if (reader->status != SCENT_OK)
        return false;
    *rest = str_sub(*rest, used, rest->len);
    feed(reader, buf_str(out));
    if (step == HTTP_STEP_INPUT)
        cut(&reader->sink, "its gzip data ends early");
    if (step == HTTP_STEP_BAD)
        cut(&reader->sink, "its gzip data is damaged");
    if (step == HTTP_STEP_DONE && is_gzip(*rest))
        http_inflater_reset(inflater);
    else
        return step == HTTP_STEP_ROOM;
    return true;
}

static void read_gzip(struct reader *reader, struct str body)
{
    struct http_inflater *inflater = http_inflater_new();
    struct buf out;

    buf_init(&out, PIECE);
    while (!is_done(reader) && unpack(reader, inflater, &body, &out))
        ;
    buf_release(&out);
    http_inflater_free(inflater);
}

static void finish(struct reader *reader)
{
    if (reader->form == FORM_TEXT && !is_done(reader) && !reader->sink.report->cut) /* half a URL is another */
        end_line(reader);
    if (reader->form == FORM_XML && reader->status == SCENT_OK)
        reader->status = listing_finish(reader->listing);
    if (reader->form == FORM_UNKNOWN)
        sitemap_because(&reader->sink, "it is empty");
}

scent_status sitemap_read(struct str body, bool (*fn)(void *ctx, const struct sitemap_entry *entry), void *ctx,
                          struct sitemap_report *report)
{
    struct reader reader = {.sink = {.fn = fn, .ctx = ctx, .report = report}};

    *report = (struct sitemap_report){.kind = SITEMAP_NONE};
    buf_init(&reader.line, SCENT_URL_MAX + 1024);
    if (is_gzip(body))
        read_gzip(&reader, body);
    else
        feed(&reader, body);
    finish(&reader);
    listing_free(reader.listing);
    buf_release(&reader.line);
    return reader.status;
}
