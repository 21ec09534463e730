/* steer - frontier and strategy together: where does the crawl go?
 *
 * No threads, no network, no files: examined pages come in, the next URL goes out. So the lab can drive it
 * without an engine. What it learns of URLs is written to `rows` (for the store) where the caller gives them.
 * Every rule that keeps a URL out of the queue is in admit.c, with the word that the store keeps for it.
 * Thread: one. */
#ifndef SCENT_ENGINE_STEER_H
#define SCENT_ENGINE_STEER_H

#include "engine/hosts.h"
#include "engine/politeness.h"
#include "engine/rows.h"
#include "engine/shares.h"
#include "frontier/frontier.h"
#include "strategy/strategy.h"
#include "topic/topic.h"

enum { STEER_MAX_REDIRECTS = 10 };

struct steer_options {
    const struct topic *topic;
    const struct knowledge *knowledge; /* NULL: nothing was learned */
    const struct strategy_ops *strategy; /* NULL: what the topic names */
    uint64_t key;        /* of fingerprints */
    uint64_t seed;       /* of randomness */
    bool loopback_only;
    unsigned year;       /* now: calendars that lead far away from it are traps; 0: nothing is taken for a trap */
    size_t text_bytes;   /* for texts of queued URLs that the store has too; 0: all stay in memory, nobody loads them */
    const struct shares *shares; /* where several workers crawl together; NULL: this one crawls alone */
    bool polite;         /* false: no delay, any number of visits to a host at once (archives) */
};

struct steer;
SCENT_NODISCARD scent_status steer_new(const struct steer_options *options, struct steer **out, struct errmsg *err);
void steer_free(struct steer *steer);
struct frontier *steer_frontier(struct steer *steer);
struct strategy *steer_strategy(struct steer *steer);
/* The strategy has learned nothing: pages are shown to it from the first one on. steer_settle() scores all candidates
 * with it, where it can do so without their pages. */
SCENT_NODISCARD scent_status steer_begin_anew(struct steer *steer, struct errmsg *err);

/* A URL that was visited, as steer_take gave it out, and the page that came. */
struct steer_visit {
    uint32_t id, host;
    struct candidate candidate;
    uint64_t row;    /* number of its page row in the store, for its links */
    uint64_t number; /* counts examined pages */
    const struct page *page;
    const struct judgement *judgement;
    struct str parts; /* steer_explain() */
};

/* Seeds go first, in their order. Known ones are left alone. *refused (may be NULL) is the reason why it was not
 * queued. */
SCENT_NODISCARD scent_status steer_seed(struct steer *steer, const struct url *url, struct rows *rows,
                                        const char **refused);

/* The next URL to visit: as frontier_take; URLs whose host or domain is used up are dropped on the way. What is below
 * the strategy's threshold stays: its floor in the frontier. Seeds, and pages that are visited again, are above all of
 * them, what only sitemaps list is below. */
SCENT_NODISCARD scent_status steer_take(struct steer *steer, int64_t now, struct rows *rows, struct frontier_taken *out,
                                        int64_t *wait_us);
/* What the priority of a candidate that was taken is made of, for its row, by a strategy whose scores drift; the names
 * of parts go into `rows`. Empty: what its row has is still true. */
struct str steer_explain(struct steer *steer, const struct frontier_taken *taken, struct rows *rows);
/* No page of this host, or of hosts below it, is visited any more: new links to it are refused, and what is queued is
 * to be refused when it was taken (steer_is_blocked()). The name is a normal one, without a port. A name that is
 * blocked already is fine. steer_unblock() is for links that come after it. */
#define STEER_BLOCKED "the host is blocked"
enum { STEER_BLOCKED_MAX = 1000 };
SCENT_NODISCARD scent_status steer_block(struct steer *steer, struct str name); /* SCENT_E_LIMIT, SCENT_E_NOMEM */
bool steer_unblock(struct steer *steer, struct str name);                     /* false: it is not blocked */
bool steer_is_blocked(const struct steer *steer, uint32_t host);
const char *steer_blocked(const struct steer *steer, size_t i); /* the i-th name; NULL: there are no more */
/* What was taken is not visited, for this reason: IN_FLIGHT -> DONE. */
void steer_refuse(struct steer *steer, const struct frontier_taken *taken, enum store_url_state state, struct str why,
                  struct rows *rows);

/* Queues `url`, the robots.txt of an origin (or where it redirects to, on whatever host), before everything else of its
 * host. `visitor` is the candidate that needs it: sitemaps count their depth from there. *queued: it is, or is being
 * fetched; false for a redirect to itself. */
SCENT_NODISCARD scent_status steer_ask_robots(struct steer *steer, const struct url *url,
                                              struct politeness_origin origin, const struct candidate *visitor,
                                              uint8_t redirects, struct rows *rows, bool *queued);
/* The origin that a robots.txt speaks for. */
struct politeness_origin steer_robots_origin(const struct candidate *candidate);

/* Sitemaps, and what they list, come after everything else: nobody knows what the URLs are about. A sitemap stands
 * where the page stood that led to its host, and what it lists one link further. */
struct steer_sitemap {
    uint32_t host;     /* whose robots.txt names it */
    uint32_t found_on; /* URL */
    uint16_t depth;
    uint8_t off_domain, redirects;
    uint8_t level;     /* the caller's */
};
enum { STEER_SITEMAPS_PER_HOST = 100, STEER_LISTED_PER_HOST = 50000 };
/* Queues it, unless it is known as one, or the host has enough of them. The rows keep url->href. */
SCENT_NODISCARD scent_status steer_ask_sitemap(struct steer *steer, const struct url *url,
                                               const struct steer_sitemap *sitemap, struct rows *rows);
/* What was said when a sitemap was asked for; found_on is itself. */
struct steer_sitemap steer_sitemap_of(const struct steer_visit *visit);
/* A URL that the sitemap `visit` lists: queued if it is new and the rules for links admit it. */
SCENT_NODISCARD scent_status steer_list(struct steer *steer, const struct steer_visit *visit, const struct url *url,
                                        struct rows *rows);

/* A file that a document needs: queued unless it is known as one, or its host may not be visited. */
struct steer_requisite {
    uint32_t found_on; /* URL */
    uint8_t level;     /* 1: a page names it; 2: a stylesheet of the page; … */
    uint8_t redirects;
    uint8_t kind;      /* the caller's */
    bool first;        /* before all pages but those that are visited again; else it waits until it is raised */
};
SCENT_NODISCARD scent_status steer_ask_requisite(struct steer *steer, const struct url *url,
                                                 const struct steer_requisite *requisite, struct rows *rows,
                                                 uint32_t *id, bool *is_new, bool *queued);
/* What was said when it was asked for; found_on is itself. */
struct steer_requisite steer_requisite_of(const struct steer_visit *visit);
/* All that wait come before pages from now on. */
void steer_raise_requisites(struct steer *steer);

/* Learns from an examined page (unless it taught what it can before: a changed one, a copy), and queues its links. */
SCENT_NODISCARD scent_status steer_examine(struct steer *steer, const struct steer_visit *visit, bool learn,
                                           struct rows *rows, struct errmsg *err);
/* Only learns: from pages that were examined before a restart. */
SCENT_NODISCARD scent_status steer_relearn(struct steer *steer, const struct steer_visit *visit);
/* Nothing can be taken and nothing is on its way: what else does the strategy know? *any: it had something, and may
 * have more if nothing of it can be taken. */
SCENT_NODISCARD scent_status steer_propose(struct steer *steer, struct rows *rows, bool *any);

/* Links of pages that were examined before are scored again (rescoring.h), from begin to end: the first score that a
 * queued URL is given replaces what it had, be it here or by a new link. *changed counts those that have
 * another priority. To begin again begins anew. */
SCENT_NODISCARD scent_status steer_begin_again(struct steer *steer);
SCENT_NODISCARD scent_status steer_score_again(struct steer *steer, const struct steer_visit *visit, struct rows *rows,
                                               uint64_t *changed);
void steer_end_again(struct steer *steer);

/* After a resume: candidates get the scores that the strategy would give them now, unless they were restored. */
void steer_settle(struct steer *steer, bool restored);
/* The scores of candidates that drift, 8 bytes each and what the strategy keeps with them, and back; false: they are of
 * another strategy or version, or damaged. */
void steer_save_scores(struct steer *steer, struct buf *out);
bool steer_restore_scores(struct steer *steer, struct str saved);

/* The visit led to another URL. *refused as in steer_seed. */
SCENT_NODISCARD scent_status steer_redirect(struct steer *steer, const struct steer_visit *visit,
                                            const struct url *target, struct rows *rows, const char **refused);

/* A link of a page that another worker of the crawl examined: `candidate` as it was there, but with the off_domain of
 * the page. A new one is put through the rules for links, a queued one is reinforced. *refused as in steer_seed. */
SCENT_NODISCARD scent_status steer_arrive(struct steer *steer, const struct url *url, struct candidate candidate,
                                          struct rows *rows, const char **refused);

/* ---- partitions that come and go (steer_shares.c), where several workers crawl together ---- */

uint32_t steer_part(const struct steer *steer, uint32_t host);
struct steer_place {
    uint64_t fingerprint;
    uint32_t host, part;
};
struct steer_place steer_place_of(const struct steer *steer, uint32_t id);
/* Hosts of partitions that are ours and not live are held, all others are not. After `mine` or `live` has changed. */
void steer_hold_shares(struct steer *steer);
/* The visit of this URL, which is done now, was another worker's business. */
void steer_give_up(struct steer *steer, uint32_t id);
/* As steer_give_up(), for a partition that was lost and has come back meanwhile: what its log said of the URL may have
 * been read during the visit, so the log is told of it again. */
void steer_send_back(struct steer *steer, const struct steer_visit *visit, const struct url *url, struct rows *rows);
/* The log speaks of a URL that was done only because it was sent. */
void steer_take_back(struct steer *steer, uint32_t id);
/* URLs of partitions that have become ours were done only because they were another worker's. */
void steer_reclaim(struct steer *steer);
/* What is queued in this partition is another worker's from now on; `lose` is told of pages that would have been
 * visited again. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status steer_leave(struct steer *steer, uint32_t part, struct rows *rows,
                                         void (*lose)(void *ctx, uint32_t id), void *ctx);
/* A URL of a partition that is not live yet, as its former owner has left it. What cannot be is left out. */
#define STEER_VISITED "another worker has visited it"
SCENT_NODISCARD scent_status steer_import(struct steer *steer, const struct batch_url *url, struct rows *rows);
/* Makes a host known by its name. */
SCENT_NODISCARD scent_status steer_import_host(struct steer *steer, struct str name, struct rows *rows, uint32_t *host);

/* DONE -> QUEUED, with CANDIDATE_AGAIN: before all new pages, the more relevant (0 to 1) first. False: it may not be
 * visited any more (the scope has changed), or is not DONE. */
SCENT_NODISCARD scent_status steer_again(struct steer *steer, const struct store_url *row, double relevance,
                                         bool *queued);
/* Is it on the registered domain of a seed? */
bool steer_on_seed_domain(const struct steer *steer, uint32_t host);
/* Pages that this host gave. */
uint32_t steer_host_pages(const struct steer *steer, uint32_t host);

/* For resume: a row of the store becomes what it was. */
SCENT_NODISCARD scent_status steer_restore_host(struct steer *steer, const struct store_host *row);
SCENT_NODISCARD scent_status steer_restore_url(struct steer *steer, const struct store_url *url, struct errmsg *err);
/* The priority as the store and people see it: +Inf for a seed, -Inf for a sitemap and for what only sitemaps list. */
float steer_shown_priority(const struct candidate *candidate);

/* What the frontier keeps of a URL, as its row has it. */
struct candidate steer_candidate_of_row(const struct store_url *row);
void steer_count_page(struct steer *steer, uint32_t host); /* a page was fetched from it */

/* How often a URL that was done was queued again: a robots.txt that is out of date. */
uint64_t steer_reopened(const struct steer *steer);
/* The spread of what is queued: frontier_spread(), with what strategies have scored between the bounds. */
void steer_spread(const struct steer *steer, struct frontier_spread *out);

/* Links whose targets did not become known, since their domain has too many URLs: the number of earlier runs is told,
 * and a new one is written where it has changed (the value CRAWLDIR_LEFT_OUT of the store). */
void steer_restore_left_out(struct steer *steer, uint64_t count);
uint64_t steer_left_out(const struct steer *steer);
void steer_note_left_out(struct steer *steer, struct rows *rows);
/* The names of what priorities are made of: the value CRAWLDIR_PARTS of the store. */
void steer_restore_parts(struct steer *steer, struct str names);

#endif
