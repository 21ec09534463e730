#include "engine/freshness.h"

#include "base/date.h"
#include "http/http.h"
#include "page/page.h"

#include <math.h>

enum { DATE_MAX = 64 };

static int64_t clamp(const struct topic_recrawl *recrawl, double interval)
{
    if (!(interval > (double)recrawl->min_us))
        return recrawl->min_us;
    return interval < (double)recrawl->max_us ? (int64_t)interval : recrawl->max_us;
}

/* INFINITY: it has never changed. */
static double estimate(const struct freshness *seen)
{
    double looks = seen->visits - 1, changes = seen->changes < looks ? seen->changes : looks;
    double per_look = -log((looks - changes + 0.5) / (looks + 0.5));

    return per_look > 0 ? (double)(seen->last - seen->first) / looks / per_look : (double)INFINITY;
}

int64_t freshness_interval(const struct topic_recrawl *recrawl, const struct freshness *seen)
{
    double interval;

    if (recrawl->policy == TOPIC_RECRAWL_FIXED || seen->visits < 2 || seen->last <= seen->first)
        return recrawl->interval_us;
    interval = estimate(seen);
    if (seen->gap > 0 && interval > 2 * (double)seen->gap)
        interval = 2 * (double)seen->gap;
    return clamp(recrawl, interval);
}

int64_t freshness_patience(const struct topic_recrawl *recrawl, const struct freshness *seen)
{
    if (recrawl->policy == TOPIC_RECRAWL_FIXED || seen->gap <= 0)
        return recrawl->interval_us;
    return clamp(recrawl, 2 * (double)seen->gap);
}

/* ---- validators ---- */

/* RFC 9110, 8.8.3: entity-tag = [ "W/" ] DQUOTE *( %x21 / %x23-7E / obs-text ) DQUOTE */
static bool is_etag(struct str value)
{
    struct str quoted = str_starts(value, STR("W/")) ? str_sub(value, 2, value.len) : value;

    if (value.len > FRESHNESS_ETAG_MAX || quoted.len < 2 || quoted.p[0] != '"' || quoted.p[quoted.len - 1] != '"')
        return false;
    for (size_t i = 1; i + 1 < quoted.len; i++) {
        unsigned char c = (unsigned char)quoted.p[i];

        if (c <= ' ' || c == '"' || c == 0x7f)
            return false;
    }
    return true;
}

struct str freshness_etag(struct str response_head, struct arena *arena)
{
    struct str value = str_trim(http_header(response_head, STR("etag")));

    return is_etag(value) ? arena_str(arena, value) : STR_NONE;
}

struct str freshness_last_modified(struct str response_head, struct arena *arena)
{
    struct str value = str_trim(http_header(response_head, STR("last-modified")));

    for (size_t i = 0; i < value.len; i++)
        if (value.p[i] < ' ' || value.p[i] > '~')
            return STR_NONE;
    return value.len <= DATE_MAX && date_parse(value) ? arena_str(arena, value) : STR_NONE;
}
