/* steer_parts - what the files of steer share, and nobody else.
 *
 * steer.c learns, scores and takes, and turns the rows of the store back into what they were; admit.c has the rules
 * that keep a URL out of the queue; steer_robots.c queues robots.txt files and sitemaps;
 * steer_scores.c has scores that drift; steer_shares.c partitions that come and go. */
#ifndef SCENT_ENGINE_STEER_PARTS_H
#define SCENT_ENGINE_STEER_PARTS_H

#include "engine/steer.h"
#include "frontier/caps.h"
#include "strategy/parts.h"

#include <float.h>
#include <math.h>

_Static_assert((int)STRATEGY_OWN_BYTES == (int)FRONTIER_OWN_BYTES, "a candidate keeps the strategy's bytes");

/* A robots.txt has +Inf; then come pages that are visited again (docs/decisions/0007-recrawl.md), then seeds. People
 * see the priority of a seed as +Inf. */
#define STEER_AGAIN_PRIORITY FLT_MAX
#define STEER_RAISED_PRIORITY (FLT_MAX / 3) /* of requisites whose turn it is */
#define STEER_SEED_PRIORITY (FLT_MAX / 4)
/* After everything that a strategy has scored; people see -Inf. */
#define STEER_SITEMAP_PRIORITY (-FLT_MAX / 2)
#define STEER_LISTED_PRIORITY (-FLT_MAX)
/* Requisites wait below this floor: no page does. */
#define STEER_REQUISITE_PRIORITY (-INFINITY)

struct steer {
    const struct topic *topic;
    struct strategy strategy;
    struct strategy_context context; /* it was opened with */
    bool anew;            /* it learns from the beginning, and has scored nothing that is queued */
    struct frontier *frontier;
    struct hosts *hosts;
    uint64_t key;
    unsigned year;
    bool keeps_texts;     /* those of queued URLs are all in memory */
    struct caps caps;     /* URLs of each pattern */
    const struct shares *shares; /* NULL: it crawls alone */
    struct steer_host {
        uint32_t part;
        bool held; /* since its partition is not live */
    } *shared_hosts; /* by host, where it does not */
    struct steer_url {
        uint64_t fingerprint;
        uint32_t host;
        bool sent; /* it is done here, since it is another worker's, or comes back from the log */
    } *shared_urls; /* by URL, likewise: 16 bytes each */
    size_t shared_hosts_room, shared_urls_room;
    uint64_t left_out, left_out_noted; /* links to URLs that are not even known: their domain has too many */
    struct parts_names names; /* of what priorities are made of */
    char **blocked;       /* names of hosts, see steer_block() */
    size_t nblocked, blocked_room;
    uint8_t *again;       /* a bit for each URL that was known when scoring again began: it has a new score; NULL: it
                             has not begun */
    uint32_t nagain;
    uint64_t reopened;    /* robots.txt files that were asked for again */
    struct arena scratch; /* for one call */
};

/* Nobody but sitemaps knows this URL: a strategy has not seen it. */
static inline bool steer_is_listed(const struct candidate *candidate)
{
    return candidate->priority == STEER_LISTED_PRIORITY;
}

static inline void steer_set_score(struct candidate *candidate, const struct strategy_score *score)
{
    candidate->priority = score->priority;
    memcpy(candidate->own, score->own, sizeof candidate->own);
}

static inline void steer_score_of(const struct candidate *candidate, struct strategy_score *score)
{
    *score = (struct strategy_score){.priority = candidate->priority};
    memcpy(score->own, candidate->own, sizeof score->own);
}

/* ---- steer_scores.c ---- */

/* Candidates whose scores have changed, by the strategy, are scored again. `idle`: they keep what they have, and only
 * the strategy gets to know them. */
void steer_rescore(struct steer *steer, bool idle);

/* ---- steer_robots.c ---- */

/* Counts a row that is a sitemap, or was listed by one; for restarts. */
void steer_recount_sitemaps(struct steer *steer, const struct store_url *row);

/* ---- admit.c ---- */

/* Makes a host known under the number that the frontier gave it. */
SCENT_NODISCARD scent_status admit_add_host(struct steer *steer, uint32_t host, struct str name);
/* Where several workers crawl together: notes what is known of a new URL by its id. */
SCENT_NODISCARD scent_status admit_know(struct steer *steer, uint32_t id, uint64_t fingerprint, uint32_t host);
/* Another worker visits this host. */
bool admit_is_foreign(const struct steer *steer, uint32_t host);
/* The host of a URL; a new one gets a row. */
SCENT_NODISCARD scent_status admit_host(struct steer *steer, const struct url *url, struct rows *rows, uint32_t *host);

/* The id of a URL by its fingerprint; a new one is counted for its domain, and its host is known from now on. With
 * `bounded`, STRATEGY_UNKNOWN where it is new and its domain has too many already. */
SCENT_NODISCARD scent_status admit_intern(struct steer *steer, const struct url *url, uint64_t fingerprint,
                                          bool bounded, struct rows *rows, uint32_t *id, bool *is_new);

/* The row of a candidate: queued, or seen when it was refused. */
struct store_url admit_row(uint32_t id, uint32_t host, struct str href, const struct candidate *candidate,
                           uint32_t parent, const char *refused);
/* What its priority is made of, for its row. */
struct str admit_parts(struct steer *steer, const struct strategy_score *score, struct rows *rows);

/* Writes its row: a new one, or what has changed. Nothing where what was refused stays so; rows may be NULL. */
void admit_note(struct steer *steer, uint32_t id, bool is_new, uint32_t host, const struct url *url, uint32_t parent,
                const struct candidate *candidate, const struct strategy_score *score, const char *refused,
                struct rows *rows);

/* Its owner is told of it, through the log; there is nothing to do for it here. */
void admit_send(struct steer *steer, uint32_t id, uint32_t host, const struct url *url,
                const struct candidate *candidate, struct rows *rows);
/* A URL that is `seen` and not yet queued: queues it unless a rule or the caller (`against`) forbids it. `score` is
 * what the strategy said, for its row; NULL: nothing. */
SCENT_NODISCARD scent_status admit_enter(struct steer *steer, uint32_t id, bool is_new, const struct url *url,
                                         uint32_t parent, const char *against, struct candidate *candidate,
                                         const struct strategy_score *score, struct rows *rows, const char **refused);
/* Likewise one that the log of its partition has. */
SCENT_NODISCARD scent_status admit_arrived(struct steer *steer, uint32_t id, bool is_new, const struct url *url,
                                           struct candidate *candidate, const struct strategy_score *score,
                                           struct rows *rows, const char **refused);

#endif
