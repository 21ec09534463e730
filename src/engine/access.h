/* access - step 1a of the way of a page: may this URL be visited now? And what a visit tells about its host.
 *
 * The name of a host is looked up, its robots.txt is read before anything else, and it is left alone when it is in
 * trouble; all of that survives a restart. The rules and delays are in politeness.h; here they meet the frontier, the
 * store and the answers of the network.
 *
 * A robots.txt is an ordinary URL with the highest priority of its host, so that every gate of the frontier applies to
 * it. Its host is held while a request for it is in flight. While that waits in a queue there is no need: in the queue
 * of the host itself it comes first, and a page that comes before it finds that it must wait (POLITENESS_ASKING). */
#ifndef SCENT_ENGINE_ACCESS_H
#define SCENT_ENGINE_ACCESS_H

#include "engine/hosts.h"
#include "engine/job.h"
#include "engine/politeness.h"
#include "fetch/fetch.h"

struct crawl;

/* A host that does not answer, and will be tried once more. */
struct access_rest {
    uint32_t host;
    int64_t until;
};

struct access {
    struct politeness *politeness; /* NULL for a web without a network: it has no host to be polite to */
    struct numbering ips;
    struct fetch_name *names;      /* known from before; the fetch thread takes them */
    size_t nnames, names_room, next_name;
    struct arena names_arena;
    struct access_rest *resting;   /* each of them is held in the frontier */
    size_t nresting, resting_room;
    int64_t idle_since;            /* nothing else is left to do; 0: there is */
    int64_t last_wall;             /* when the last page before this run was fetched */
};

void access_init(struct crawl *crawl);
void access_release(struct crawl *crawl);
/* Hosts, robots.txt files and names as the store has them. */
SCENT_NODISCARD scent_status access_restore(struct crawl *crawl, struct errmsg *err);
/* A host of a partition that another worker had: its delay and failures, and no visit before its time. */
SCENT_NODISCARD scent_status access_import_host(struct crawl *crawl, const struct store_host *host);
bool access_next_known_name(void *crawl, struct fetch_name *out);

enum access_verdict {
    ACCESS_GO,
    ACCESS_LATER,  /* robots.txt must be read first; what was taken is back in the queue */
    ACCESS_NAME,   /* the name of its host must be looked up; likewise, and the host is held until it is */
    ACCESS_REFUSED /* it will not be visited: `state`, `why` */
};
struct access_answer {
    enum access_verdict verdict;
    enum store_url_state state;
    char why[128];
    bool by_robots; /* its robots.txt says so */
};
SCENT_NODISCARD scent_status access_ask(struct crawl *crawl, const struct frontier_taken *taken, struct rows *rows,
                                        struct access_answer *out);
/* Hosts that do not answer get another chance when they have rested for some minutes, or hours. */
void access_wake_resting(struct crawl *crawl);
/* Is there nothing to do but to wait for them? Then they are given up: a crawl ends when its work is done. */
void access_note_idle(struct crawl *crawl, bool idle);
/* Are names looked up at all? Then there is room for what is known of every host. */
bool access_needs_names(struct crawl *crawl);

/* Another delay of the topic from now on, for all hosts. */
void access_set_delay(struct crawl *crawl, int64_t delay_us);

/* A name was looked up. */
SCENT_NODISCARD scent_status access_apply_name(struct crawl *crawl, struct job *job, struct errmsg *err);
/* A visit ended: how long its host is to be left alone; notes what changed. */
int64_t access_visit_done(struct crawl *crawl, struct job *job);
/* A robots.txt came, or did not: the last of its redirects. */
SCENT_NODISCARD scent_status access_apply_robots(struct crawl *crawl, struct job *job, struct errmsg *err);

#endif
