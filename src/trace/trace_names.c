/* The words for formats and reasons. */
#include "trace/trace.h"

static const char *const formats[TRACE_FORMATS] = {
    [TRACE_GUESS] = "guess",       [TRACE_SQUID] = "squid", [TRACE_COMMON] = "common",
    [TRACE_COMBINED] = "combined", [TRACE_PLAIN] = "plain",
};

static const struct {
    const char *name, *text;
} reasons[TRACE_LEFT_REASONS] = {
    [TRACE_LEFT_BINARY] = {"binary", "binary data"},
    [TRACE_LEFT_LONG] = {"long", "lines longer than 64 KiB"},
    [TRACE_LEFT_COLUMNS] = {"columns", "lines with wrong columns, or cut off"},
    [TRACE_LEFT_TIME] = {"time", "no date, or not between 1970 and 2100"},
    [TRACE_LEFT_URL] = {"url", "no URL of http or https"},
    [TRACE_LEFT_URL_LONG] = {"url_long", "URLs that are too long"},
    [TRACE_LEFT_SITE] = {"site", "paths without their site (give it with --base)"},
    [TRACE_LEFT_METHOD] = {"method", "not GET"},
    [TRACE_LEFT_STATUS] = {"status", "redirects, errors and answers that broke off"},
    [TRACE_LEFT_TYPE] = {"type", "images, styles, scripts and other things that are no pages"},
    [TRACE_LEFT_BOT] = {"bot", "programs: by their user agent, or readers of robots.txt"},
    [TRACE_LEFT_FULL] = {"full", "beyond the memory that was allowed (see --max-accesses)"},
};

bool trace_format_parse(struct str name, enum trace_format *out)
{
    for (int i = 0; i < TRACE_FORMATS; i++)
        if (str_eq(name, str_of(formats[i]))) {
            *out = (enum trace_format)i;
            return true;
        }
    return false;
}

const char *trace_left_name(enum trace_left reason)
{
    return reasons[reason].name;
}

const char *trace_left_text(enum trace_left reason)
{
    return reasons[reason].text;
}
