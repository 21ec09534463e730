/* requisites - the files that pages need to look as they did: stylesheets, images, scripts, fonts, frames
 * (docs/decisions/0045-requisites.md).
 *
 * A requisite is a URL of the frontier and of the store with a flag of its own (CANDIDATE_REQUISITE), so that the
 * gates, delays, robots.txt rules and retries that hold for pages hold for it, and it survives a restart as pages do.
 * It is not a page: nothing that judges, learns, counts or orders pages sees it. It waits below a floor of the frontier
 * that no page is below, until its turn comes: when no page can be visited any more, and after every REQUISITES_TURN
 * pages that have requisites (not with a window: there the order of pages would depend on it). Then those that wait are
 * raised: they come before the pages of their hosts.
 *
 * Memory: 16 bytes a requisite in the seen map, as for any URL, and 16 for the digest of one that was fetched. */
#ifndef SCENT_ENGINE_REQUISITES_H
#define SCENT_ENGINE_REQUISITES_H

#include "engine/job.h"
#include "frontier/frontier.h"
#include "store/store.h"

struct crawl;

enum { REQUISITES_TURN = 1000, REQUISITES_LEVELS = 5 }; /* pages; documents between a page and what it loads */

struct requisites {
    struct duplicates *duplicates; /* NULL: the topic asks for none */
    uint64_t known;                /* URLs */
    uint64_t waiting;              /* queued, below the floor */
    uint64_t raised;               /* queued before pages, or in flight */
    uint64_t in_flight;
    uint64_t bytes;                /* of all that were fetched */
    uint32_t pages;                /* with requisites, since those that waited were raised */
    bool last;                     /* no page comes any more: new ones need not wait */
};

void requisites_open(struct crawl *crawl);
void requisites_release(struct crawl *crawl);

/* ---- in an analyst ---- */

/* May it have requisites that the topic asks for? Of a page that was analysed and judged. */
bool requisites_are_wanted(const struct topic *topic, const struct visit *visit);
/* Looks for what the answer to the visit loads, a page or a requisite. False: no memory. */
bool requisites_look(const struct topic *topic, struct references *references, struct job *job);

/* ---- in the engine ---- */

/* A page that was looked through gets its row: queues what it loads. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status requisites_queue(struct crawl *crawl, struct job *job);
/* A requisite came, or did not. */
SCENT_NODISCARD scent_status requisites_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* It was taken, but will not be visited. */
void requisites_refuse(struct crawl *crawl, const struct frontier_taken *taken, enum store_url_state state,
                       struct str why, struct rows *rows);
/* Why it is not visited; NULL: it may be. */
const char *requisites_used_up(const struct crawl *crawl);
/* A queued URL is gone without a visit. */
void requisites_lose(struct crawl *crawl, const struct candidate *candidate);

/* No page can be visited any more. False: no requisite is left either. */
bool requisites_go_on(struct crawl *crawl);
/* Can one be visited, though no page may? */
static inline bool requisites_any_raised(const struct requisites *requisites)
{
    return requisites->raised > requisites->in_flight;
}

/* ---- restart ---- */

/* A row of a requisite. False: the topic asks for none, so it is not queued. */
bool requisites_restore_url(struct crawl *crawl, const struct store_url *row);
SCENT_NODISCARD scent_status requisites_restore_page(struct crawl *crawl, const struct store_page *row);
/* Pages whose requisites nobody has looked for: they became relevant later, or the topic asks for requisites since.
 * Read back from the WARC files. *any: there was one. While no thread of the crawl runs. */
SCENT_NODISCARD scent_status requisites_catch_up(struct crawl *crawl, bool *any, struct errmsg *err);

#endif
