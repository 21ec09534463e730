/* world - the plan of a generated web: which hosts and pages there are, and what each of them is.
 *
 * Every property of a host or page is a hash of the seed, its number and the property's salt, so it costs
 * nanoseconds and no memory. Hosts are numbered; the hosts of a topic are neighbours, so that a host of a given topic
 * is found by arithmetic; the last ones of each topic are hidden behind tunnels. Page 0 of a host is its home page.
 *
 * Names: host 12 is "<word>12.test" (a registered domain of its own), page 7 is "/<section>/<word>-<word>-7.html".
 * The words carry evidence of the topic as the specification asks; the number makes parsing cheap, and a name
 * that is not spelled exactly like this does not exist.
 * Thread: immutable after world_new. */
#ifndef SCENT_WEB_WORLD_H
#define SCENT_WEB_WORLD_H

#include "base/status.h"
#include "base/str.h"
#include "web/lexicon.h"
#include "web/webspec.h"

enum world_host_kind {
    HOST_FINE,
    HOST_REFUSES, HOST_DROPS, HOST_HANGS, HOST_HAS_NO_ADDRESS, /* dead */
    HOST_CALENDAR, HOST_SESSIONS, HOST_DEEP                    /* traps */
};
enum world_page_kind {
    PAGE_PLAIN, PAGE_HUB, PAGE_ERROR, PAGE_LOOP, PAGE_REDIRECT, PAGE_COPY, PAGE_NEAR_COPY, PAGE_PDF, PAGE_PNG
};
enum { WORLD_MINORS = 3, WORLD_SECTIONS = 8, WORLD_NAME_MAX = 160, WORLD_PATH_MAX = 160 };

/* Shares as odds (lexicon.h). */
struct world_odds {
    uint64_t site_focus, locality, hub_locality, cohesion, affinity, external, hubs, entrance, lead, along;
    uint64_t kinds[6]; /* cumulated: error, loop, redirect, copy, near copy, other types */
    uint64_t nofollow, tracking, topic_words, overlap, context, anchor_noise, url_evidence, large;
    uint64_t slow, dead, trap, robots, sitemap, gzip, charset;
};

struct world {
    struct webspec spec;
    struct lexicon *lexicon;
    struct world_odds odds;
    uint64_t *topic_start;  /* the first host of each topic; one more at the end */
    uint64_t *topic_hidden; /* the first hidden one */
    uint64_t language_end[WEBSPEC_LANGUAGES_MAX]; /* cumulated odds */
};

struct world_host {
    uint64_t index, key, pages;
    uint32_t topic;
};

struct world_page {
    struct world_host host;
    uint64_t number, key;
    uint32_t topic;
    enum world_page_kind kind;
    /* A page of a tunnel: step 1 to length, leading to the hidden host whose index is `number`. 0: an ordinary page. */
    uint32_t step;
};

SCENT_NODISCARD scent_status world_new(const struct webspec *spec, struct world **out);
void world_free(struct world *world);

void world_host(const struct world *world, uint64_t index, struct world_host *out);
void world_page(const struct world *world, const struct world_host *host, uint64_t number, struct world_page *out);
uint32_t world_page_topic(const struct world *world, const struct world_host *host, uint64_t number);
uint32_t world_minor_topic(const struct world *world, const struct world_host *host, uint64_t k); /* k < WORLD_MINORS */
/* The topics that are no ways (tunnels.ways): the first ones. */
uint64_t world_goals(const struct world *world);
/* A host in proportion: the topic that a page drawn from all hosts has. */
uint32_t world_topic_of(const struct world *world, uint64_t host);
/* The page of the tunnel to `hidden`, counted from 1. */
void world_tunnel(const struct world *world, uint64_t hidden, uint32_t step, struct world_page *out);

enum world_host_kind world_host_kind(const struct world *world, const struct world_host *host);
bool world_host_is_slow(const struct world *world, const struct world_host *host);
bool world_host_is_hidden(const struct world *world, const struct world_host *host);
bool world_host_has_robots(const struct world *world, const struct world_host *host);
bool world_host_has_sitemap(const struct world *world, const struct world_host *host);
const struct lexicon_tongue *world_host_tongue(const struct world *world, const struct world_host *host);
/* Pages of this kind write absolute URLs, so that a copy on another host is still right. */
bool world_page_is_absolute(const struct world_page *page);
bool world_page_is_html(const struct world_page *page); /* served as 200 text/html */

/* ---- names: written without a terminator, the length is returned ---- */

size_t world_write_host(const struct world *world, const struct world_host *host, char out[WORLD_NAME_MAX]);
size_t world_write_path(const struct world *world, const struct world_page *page, char out[WORLD_PATH_MAX]);
/* "/word/": the section that robots.txt closes on hosts that have one. */
size_t world_write_closed(const struct world *world, const struct world_host *host, char out[WORLD_PATH_MAX]);
bool world_page_is_closed(const struct world *world, const struct world_page *page);

bool world_find_host(const struct world *world, struct str name, struct world_host *out);
bool world_find_page(const struct world *world, const struct world_host *host, struct str path, struct world_page *out);

#endif
