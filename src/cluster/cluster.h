/* cluster - one crawl of many workers: what they tell each other through a PostgreSQL server.
 *
 * A crawl has partitions: the hosts whose registered domain has this hash. A worker (a process with a crawl directory)
 * owns some of them, and it alone visits their hosts. The server keeps, in tables of the schema `scent`
 * (docs/internals/formats.md):
 *
 *   crawl    what is crawled, and whether it runs
 *   worker   who takes part, until when its lease lasts, what it has sent, whether it has anything to do
 *   part     who owns a partition, since which epoch, how many rows with links its owner has applied
 *   log      rows that are only ever appended: links that anybody found into a partition, and the state of the
 *            partition as its owner writes it
 *
 * Every change of a worker's partitions, by itself or by somebody else, happens in a transaction that holds the lock of
 * its row in `worker`; each of its own turns does too. So what a worker writes in a turn is of the epochs that it sees
 * in it, and nobody else owns these then.
 * A reader's place in a partition is (xid, id) of the last row that it has applied. Rows whose transaction is younger
 * than the oldest that still runs are not given out: none that is committed late is skipped.
 *
 * Thread: one at a time. A call that fails with SCENT_E_IO may or may not have been done: cluster_recover() tells. */
#ifndef SCENT_CLUSTER_CLUSTER_H
#define SCENT_CLUSTER_CLUSTER_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "base/str.h"

enum {
    CLUSTER_FORMAT = 3,           /* of the tables */
    CLUSTER_SERVER_MIN = 130000,  /* PostgreSQL 13 has 64-bit transaction ids */
    CLUSTER_PARTS_MAX = 8192,
    CLUSTER_BODY_MAX = 16 << 20,  /* of a row of the log, unpacked */
    CLUSTER_LEASE_STRETCH = 10,   /* a lease is at most so many times as long as the crawl has it */
};
#define CLUSTER_CLOCK_MAX_US (300 * INT64_C(1000000)) /* that a clock may differ from the server's */

/* Rows of the log. */
enum cluster_kind { CLUSTER_LINKS = 1, CLUSTER_STATE, CLUSTER_VERDICTS }; /* these of pages that the writer has */

struct cluster;
/* Connects and looks whether the server can be used: its version, its clock, the format of the tables, which are made
 * where there are none. SCENT_E_IO: it cannot be reached; SCENT_E_VERSION, SCENT_E_INVALID. */
SCENT_NODISCARD scent_status cluster_open(const char *uri, const struct clock *clock, const struct log *log,
                                          struct cluster **out, struct errmsg *err);
void cluster_close(struct cluster *cluster); /* NULL is fine */

/* What is crawled. */
struct cluster_crawl {
    struct str name, topic; /* the text of the topic file */
    uint64_t digest;        /* of all that workers must have in common */
    uint64_t key, seed;     /* of fingerprints, of chance */
    uint32_t parts;
    uint32_t workers;       /* so many are there before anybody owns a partition */
    int64_t lease_us;
    uint64_t page_limit;    /* of all workers together; 0: none */
    int64_t time_us;        /* from its start, or from where it continues; 0: no limit */
};
/* The crawl of this name, which is made if there is none: *crawl comes in as it would be made and goes out with the
 * numbers that it has; its limits are those of who has joined last. SCENT_E_INVALID: it is there, but of another
 * topic. */
SCENT_NODISCARD scent_status cluster_make(struct cluster *cluster, struct cluster_crawl *crawl, struct errmsg *err);

struct cluster_worker {
    uint64_t id;      /* random, of its directory; less than 2^63 */
    struct str name;  /* for people */
    uint64_t mark;    /* out: the last of its outgoing rows that stands in the log */
};
/* This worker takes part in the crawl of cluster_make(): a new one, or one that comes back. Another process with the
 * same directory is shut out from now on. Who comes back loads what it knows before its first turn, and has the longest
 * lease for that. */
SCENT_NODISCARD scent_status cluster_join(struct cluster *cluster, struct cluster_worker *worker, struct errmsg *err);

/* ---- turns ---- */

struct cluster_row {
    uint32_t part;
    enum cluster_kind kind;
    uint64_t epoch;  /* of state: the one in which it was written */
    struct str body; /* packed */
};
/* What a worker tells in a turn. */
struct cluster_turn {
    const struct cluster_row *rows;
    size_t nrows;
    uint64_t mark; /* the last outgoing row that is in them, or was before */
    const struct cluster_applied {
        uint32_t part;
        uint64_t applied;
    } *applied;    /* of partitions where that has changed */
    size_t napplied;
    const uint32_t *left; /* partitions that it gives away: to who wants them, or to whoever comes first */
    size_t nleft;
    bool retiring; /* it takes nothing, and its lease ends */
    bool last;     /* it takes nothing, since it ends */
    int64_t lease_us; /* from now on */
    bool idle;     /* with what was sent, applied and granted so far, it has nothing to do */
    bool hungry;   /* it would have, if it were granted more pages */
    uint64_t keep; /* of the pages that it was granted it needs so many, all told; UINT64_MAX: all of them */
    uint64_t wanted; /* so many more, at most */
    uint64_t logged; /* pages that count, in the state of this turn */
    uint64_t pages, relevant, failed, queued, known; /* for people */
};

enum cluster_state { CLUSTER_RUNNING, CLUSTER_STOPPING, CLUSTER_ENDED };

/* What it is told. */
struct cluster_part {
    uint32_t part;
    uint64_t epoch;
    bool wanted; /* by another worker */
};
struct cluster_news {
    enum cluster_state state;
    const struct cluster_part *parts; /* that it owns, in their order; valid until the next turn */
    size_t nparts;
    uint32_t workers;                 /* that live */
    uint64_t page_limit;              /* 0: none; then nobody needs a grant */
    uint64_t granted;                 /* pages that it may have, all told; only where the turn was made */
    int64_t left_us;                  /* until the crawl's time is over; INT64_MAX: there is no limit */
    bool full;                        /* the page limit is reached: all pages are in the log */
    uint64_t horizon; /* all rows that former owners wrote to these partitions have a smaller xid */
    int64_t renewed;  /* clock_boot() when the lease was asked for */
};
/* One transaction: all of it or nothing. Takes partitions that nobody owns, or whose owner is dead, up to this worker's
 * share, and asks the worker with the most for some where it has fewer. The page limit is given out in grants: their
 * sum is never larger than the limit, and no worker has more pages than it was granted. What a dead worker was granted
 * and did not use comes back when the last of its partitions is taken: pages that it has not told are not its own then.
 * SCENT_E_NOTFOUND: there is state of a partition that is not this worker's in that epoch any more; nothing was done,
 * and *out says what is its own. SCENT_E_IO; SCENT_E_LOCKED: another process is this worker now. */
SCENT_NODISCARD scent_status cluster_turn(struct cluster *cluster, const struct cluster_turn *turn,
                                          struct cluster_news *out, struct errmsg *err);
/* After SCENT_E_IO: connects again. *mark as in struct cluster_worker. SCENT_E_IO: not yet; SCENT_E_LOCKED. */
SCENT_NODISCARD scent_status cluster_recover(struct cluster *cluster, uint64_t *mark, struct errmsg *err);

/* ---- reading ---- */

struct cluster_place {
    uint32_t part;
    uint64_t xid, row;
    bool live; /* rows with state are its owner's own: they come without a body */
};
struct cluster_read {
    uint32_t part;
    uint64_t xid, row, epoch;
    uint64_t writer;
    enum cluster_kind kind;
    struct str body; /* valid during the call */
};
typedef scent_status cluster_read_fn(void *ctx, const struct cluster_read *read);
/* Rows behind the places, a thousand or a megabyte of them: partition by partition in the order of the places, and in
 * that of the log in each. A callback that returns other than SCENT_OK ends it with that status. *more: there may be
 * more. *reached: where there is no more, all rows of these partitions with a smaller xid have been given out. */
SCENT_NODISCARD scent_status cluster_read(struct cluster *cluster, const struct cluster_place *places, size_t nplaces,
                                          cluster_read_fn *fn, void *ctx, bool *more, uint64_t *reached,
                                          struct errmsg *err);

#endif
