/* freshness - when has a page probably changed, and how does one ask for it only if it has?
 *
 * Pure functions; times are wall-clock microseconds. */
#ifndef SCENT_ENGINE_FRESHNESS_H
#define SCENT_ENGINE_FRESHNESS_H

#include "base/arena.h"
#include "topic/topic.h"

/* What the visits to a page have shown. */
struct freshness {
    uint32_t visits, changes; /* the first visit included, which cannot show a change */
    int64_t first, last;      /* of these visits */
    int64_t gap;              /* between the last two of them; 0: there was one only */
};

/* How long after the last visit the next one is due. Cho and Garcia-Molina, "Estimating frequency of change" (2003),
 * for n looks at a page, every T/n, that found it changed x times:
 *
 *     rate = -ln((n - x + 0.5) / (n + 0.5)) / (T/n)        interval = 1 / rate
 *
 * What says "changed every time" or "never" is no estimate yet but a lack of looks: hence the halves, and an interval
 * grows to twice the last gap at most. Within min and max. */
int64_t freshness_interval(const struct topic_recrawl *recrawl, const struct freshness *seen);
/* The same after a visit that said nothing (an error, a redirect): twice the last gap, within the same bounds. */
int64_t freshness_patience(const struct topic_recrawl *recrawl, const struct freshness *seen);

/* What a response offers for conditional requests, fit to be sent back as it is; empty: nothing. An entity tag as
 * RFC 9110 spells it, of at most FRESHNESS_ETAG_MAX bytes; a date that can be read. In the arena, with a zero after
 * the end (no memory: empty). */
enum { FRESHNESS_ETAG_MAX = 256 };
struct str freshness_etag(struct str response_head, struct arena *arena);
struct str freshness_last_modified(struct str response_head, struct arena *arena);

#endif
