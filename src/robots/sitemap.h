/* sitemap - the URLs that a site lists itself: sitemaps, their indexes, text lists, RSS and Atom feeds.
 *
 * Streamed: each entry is reported as it is read. Any bytes give entries or a reason why there are none. */
#ifndef SCENT_ROBOTS_SITEMAP_H
#define SCENT_ROBOTS_SITEMAP_H

#include "base/status.h"
#include "base/str.h"

enum sitemap_kind { SITEMAP_NONE, SITEMAP_URLS, SITEMAP_INDEX, SITEMAP_TEXT, SITEMAP_RSS, SITEMAP_ATOM };

struct sitemap_entry {
    struct str url;        /* as it stands there, trimmed, entities resolved */
    int64_t modified;      /* lastmod, pubDate or updated: microseconds since 1970; 0: unknown */
    double priority;       /* negative: none */
};

struct sitemap_report {
    enum sitemap_kind kind;
    uint64_t entries, refused; /* refused: no URL, too long, beyond the cap */
    bool cut;              /* damaged or over the caps: what came before was reported */
    char reason[128];      /* why it was cut or is not a sitemap; empty */
};

enum { SITEMAP_MAX_ENTRIES = 50000, SITEMAP_MAX_BYTES = 50 * 1024 * 1024 };

/* `body` is content-decoded by HTTP already; gzip inside (a .gz file) is undone here, with the cap. A relative URL is
 * for the caller to resolve against the sitemap's own. fn returns false to stop. The status is other than SCENT_OK only
 * for lack of memory. */
SCENT_NODISCARD scent_status sitemap_read(struct str body, bool (*fn)(void *ctx, const struct sitemap_entry *entry),
                                          void *ctx, struct sitemap_report *report);

#endif
