/* sitemap_parts - what the two halves of the reader share: sitemap.c has bytes, lines and caps, listing.c elements. */
#ifndef SCENT_ROBOTS_SITEMAP_PARTS_H
#define SCENT_ROBOTS_SITEMAP_PARTS_H

#include "base/buf.h"
#include "robots/sitemap.h"

struct sitemap_sink {
    bool (*fn)(void *ctx, const struct sitemap_entry *entry);
    void *ctx;
    struct sitemap_report *report;
    bool stopped; /* by fn */
};

/* Reports the entry, or counts it as refused. */
void sitemap_emit(struct sitemap_sink *sink, const struct sitemap_entry *entry);
/* Sets the reason, unless there is one. */
void sitemap_because(struct sitemap_sink *sink, const char *fmt, ...) SCENT_PRINTF(2, 3);

/* listing - the elements of a sitemap, an index or a feed. */
struct listing;
struct listing *listing_new(struct sitemap_sink *sink); /* never NULL */
void listing_free(struct listing *listing);
SCENT_NODISCARD scent_status listing_feed(struct listing *listing, struct str piece);
SCENT_NODISCARD scent_status listing_finish(struct listing *listing);
bool listing_is_done(const struct listing *listing); /* it will report nothing more */

#endif
