#include "trace/browsing_event.h"

#include "base/clock.h"
#include "base/date.h"
#include "base/utf8.h"

#include <stdio.h>

enum { SHOWN = 200 }; /* of a URL in a message */

static const char *const kinds[] = {
    [BROWSING_VISIT] = "visit", [BROWSING_USEFUL] = "useful", [BROWSING_NOT_USEFUL] = "not_useful",
    [BROWSING_FORMAT] = "browsing",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static scent_status find_kind(const struct json *value, struct browsing_event *out, struct errmsg *err)
{
    int found = 0;

    for (int i = 0; i < KINDS; i++)
        if (json_get(value, kinds[i])) {
            out->kind = (enum browsing_kind)i;
            found++;
        }
    if (found == 1)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "%s; each line is an object with \"visit\", \"useful\" or \"not_useful\" "
                       "and a URL", found ? "several events at once" : "neither a visit nor a mark");
}

static scent_status check_version(const struct json *value, struct errmsg *err)
{
    int64_t version = json_as_int(json_get(value, kinds[BROWSING_FORMAT]));

    if (version == BROWSING_VERSION)
        return SCENT_OK;
    return errmsg_fail(err, version > BROWSING_VERSION ? SCENT_E_VERSION : SCENT_E_INVALID,
                       "version %lld of the browsing format; this scent reads version %d", (long long)version,
                       BROWSING_VERSION);
}

static struct str shown(struct str url)
{
    return str_sub(url, 0, url.len < SHOWN ? url.len : SHOWN);
}

static scent_status read_url(struct arena *arena, const struct json *value, struct browsing_event *out,
                             struct errmsg *err)
{
    struct str text = json_as_str(json_get(value, kinds[out->kind]));
    scent_status status = browsing_href(arena, text, &out->url);

    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "there is no memory for a URL");
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, SCENT_E_INVALID, "the URL '%.*s…' is too long", STR_ARG(shown(text)));
    if (status != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is no URL of http or https", STR_ARG(shown(text)));
    return status;
}

static scent_status read_time(const struct json *value, struct browsing_event *out, struct errmsg *err)
{
    const struct json *time = json_get(value, "time");

    if (json_is_none(time) || date_parse_iso(json_as_str(time), &out->time))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "\"time\" is no date such as \"2026-11-15T08:58:00.250Z\"");
}

/* Whole characters that fit. */
static struct str cut_title(struct str title)
{
    size_t end = 0, n;

    while (end < title.len && (n = utf8_sequence(str_sub(title, end, title.len))) > 0 && end + n <= BROWSING_TITLE_MAX)
        end += n;
    return str_sub(title, 0, end);
}

scent_status browsing_event_read(struct arena *arena, const struct json *value, struct browsing_event *out,
                                 struct errmsg *err)
{
    const struct json *from = json_get(value, "from"), *title = json_get(value, "title");
    scent_status status;

    *out = (struct browsing_event){0};
    status = find_kind(value, out, err);
    if (status == SCENT_OK && out->kind == BROWSING_FORMAT)
        return check_version(value, err);
    if (status == SCENT_OK)
        status = read_url(arena, value, out, err);
    if (status == SCENT_OK)
        status = read_time(value, out, err);
    if (status != SCENT_OK)
        return status;
    if ((!json_is_none(from) && !json_is_str(from)) || (!json_is_none(title) && !json_is_str(title)))
        return errmsg_fail(err, SCENT_E_INVALID, "\"from\" and \"title\" are strings");
    out->title = cut_title(json_as_str(title));
    if (browsing_href(arena, json_as_str(from), &out->from) == SCENT_E_NOMEM)
        return errmsg_fail(err, SCENT_E_NOMEM, "there is no memory for a URL");
    return SCENT_OK;
}

static void write_time(struct json_writer *w, int64_t time)
{
    char date[32], text[40];

    clock_format_iso(time, date, sizeof date);
    snprintf(text, sizeof text, "%.19s.%03dZ", date, (int)(time / 1000 % 1000));
    json_put_str(w, "time", str_of(text));
}

void browsing_event_write(const struct browsing_event *event, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_key(&w, kinds[event->kind]);
    if (event->kind == BROWSING_FORMAT)
        json_int(&w, BROWSING_VERSION);
    else
        json_str(&w, event->url);
    if (event->time)
        write_time(&w, event->time);
    if (event->from.len)
        json_put_str(&w, "from", event->from);
    if (event->title.len)
        json_put_str(&w, "title", event->title);
    json_object_end(&w);
    buf_addc(out, '\n');
}

static uint32_t find_from(const struct browsing *browsing, struct str url)
{
    uint32_t page;

    return url.len && browsing_find_page(browsing, url, &page) ? browsing_last_visit(browsing, page) : BROWSING_NONE;
}

scent_status browsing_add_event(struct browsing *browsing, const struct browsing_event *event)
{
    uint32_t visit;

    switch (event->kind) {
    case BROWSING_VISIT:
        return browsing_add_visit(browsing, event->url, event->time, find_from(browsing, event->from), &visit);
    case BROWSING_USEFUL:
    case BROWSING_NOT_USEFUL:
        return browsing_add_mark(browsing, event->url, event->time, event->kind == BROWSING_USEFUL);
    default:
        return SCENT_OK;
    }
}
