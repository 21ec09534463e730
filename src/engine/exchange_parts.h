/* exchange_parts - what the files of exchange share: exchange.c is what the engine calls, exchange_turns.c the thread,
 * exchange_reading.c its reading of the log, exchange_counts.c the sums of what was learned, exchange_verdicts.c the
 * last judging, exchange_addresses.c addresses that several workers visit. */
#ifndef SCENT_ENGINE_EXCHANGE_PARTS_H
#define SCENT_ENGINE_EXCHANGE_PARTS_H

#include "cluster/counts.h"
#include "engine/crawl.h"

#include <pthread.h>

enum { EXCHANGE_TURNS_A_LEASE = 4 }; /* at least, or it is longer than the topic has it */

/* What the engine tells the thread. */
struct exchange_told {
    bool idle, hungry;
    uint64_t granted; /* pages that it might have by then; with more of them it may have something to do */
    uint64_t left;   /* of these may still begin */
    uint64_t number; /* of jobs that went to the writer by then */
    struct engine_progress progress;
};

struct exchange {
    struct cluster *cluster;
    struct cluster_crawl crawl;
    struct shares shares;
    uint64_t worker;
    int64_t turn_us;
    struct store_place *places; /* by partition, as the engine has applied them; epoch 0: it is not ours */
    uint32_t *visits;           /* by partition: under way */
    bool *leaving;              /* by partition: ours until its last visit has ended */
    uint64_t *over;             /* by partition: the last epoch in which it was ours; news of it may arrive later */
    uint64_t next_id;           /* of outgoing rows */
    struct exchange_unsent {
        uint64_t id; /* of an outgoing row; the state of the URL is in it, or in one before it */
        uint32_t part, url;
    } *unsent;                  /* URLs that are done, and the server may not know it yet; the oldest first */
    size_t nunsent, unsent_room;
    bool retired;               /* all partitions were given away */

    /* the thread's, while it runs */
    pthread_t thread;
    bool running;
    struct store *store;     /* reads what the writer has committed */
    struct writer *writer;
    struct queue *inbox;
    const struct log *log;
    struct http_packer *packer;
    uint64_t mark;
    struct cluster_place *read; /* by partition: up to where rows were given to the engine */
    uint32_t next_part;         /* the next reading begins with it */
    uint64_t *epochs, *applied; /* by partition: 0 while it is not ours; as the server knows it */
    bool *again;                /* by partition: its log is read from the beginning, our own state too */
    bool *restored;             /* by partition: an earlier run has not sent all of its state; until the first news */
    uint64_t *horizons;         /* by partition: it is live when all rows before this were given; 0: it is */
    bool unreachable, late;  /* … and turns take too long for the lease */
    bool behind;             /* there are rows that the engine had no room for */
    int64_t lease_us;        /* that the next turn asks for */
    int64_t renewed;         /* clock_boot() of the last one */
    uint64_t last_pages;     /* at the last turn */

    /* shared */
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool stopping;
    struct exchange_told told;
    struct exchange_left {
        uint32_t part;
        uint64_t epoch;
        uint64_t job; /* none after it has state of the partition */
    } *left; /* partitions that the engine has left, and the server does not know it yet */
    size_t nleft, left_room;
    bool retiring;
    uint64_t keep;                 /* struct cluster_turn's: the engine gives back the rest of its grant */
    struct errmsg err;
    atomic_int status;             /* scent_status */
    _Atomic uint64_t number;       /* of jobs that went to the writer */
    _Atomic uint64_t sent;         /* outgoing rows up to this one stand on the server */
    atomic_uint jobs, records;     /* on their way to the engine */
    atomic_bool ended, stopped;
    atomic_uint workers;           /* that live */
    atomic_bool limited, full;     /* there is a page limit of all workers; it is reached */
    _Atomic uint64_t allowed;      /* pages that this worker may have, without those that are disowned */
    _Atomic uint64_t disowned;     /* pages of this run that do not count any more: others fetch them again */
    _Atomic int64_t deadline;      /* CLOCK_BOOTTIME */
    struct exchange_ready {
        _Atomic uint64_t epoch, number; /* in which it is live, and since which job: its state may be sent */
    } *ready;                      /* by partition */
    _Atomic int64_t lease_end;     /* clock_boot(): a machine that slept has lost it */
    struct exchange_counts *counts; /* what workers learn, summed: exchange_counts.c */
    struct exchange_addresses *addresses; /* NULL: there is no network */
};

/* After a turn, in the thread: gives rows behind the places to the engine until there are no more, or another turn is
 * due (`behind`). */
SCENT_NODISCARD scent_status exchange_read_log(struct exchange *exchange, struct errmsg *err);
/* In the thread. Waits until the engine has room, unless it ends: it does not wait for jobs then. */
void exchange_give_job(struct exchange *exchange, struct job *job);

SCENT_NODISCARD scent_status exchange_counts_open(struct crawl *crawl, struct exchange *exchange, struct errmsg *err);
void exchange_counts_free(struct exchange_counts *counts); /* NULL is fine */
/* After a turn, in the thread: a job for the engine; NULL: it is not yet time. */
SCENT_NODISCARD scent_status exchange_counts_ask(struct exchange *exchange, struct job **out, struct errmsg *err);
/* Such a job, in the engine. */
SCENT_NODISCARD scent_status exchange_counts_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
/* The judge knows what the others counted from now on, and nothing else of them. What is damaged is left out. */
void exchange_counts_judge(struct crawl *crawl, const struct counts *counts, size_t count);
/* The values JUDGED_OTHERS (nothing without a query) and JUDGED_OTHER_SEEDS. */
SCENT_NODISCARD scent_status exchange_counts_write_others(const struct judging *judging, struct buf *census,
                                                          struct buf *seeds);

void exchange_addresses_open(const struct crawl *crawl, struct exchange *exchange);
void exchange_addresses_free(struct exchange_addresses *addresses); /* NULL is fine */
/* As the counts. */
SCENT_NODISCARD scent_status exchange_addresses_ask(struct exchange *exchange, struct job **out, struct errmsg *err);
void exchange_addresses_apply(struct crawl *crawl, const struct job *job);
/* Makes the filter of this worker where the thread wants it. */
void exchange_addresses_note(struct crawl *crawl);

/* A directory that resumes may have some. */
SCENT_NODISCARD scent_status exchange_restore_unsent(struct crawl *crawl, struct errmsg *err);
/* The server will not hear what became of URLs of this partition after `mark`: who has it next decides. So do the rows
 * say, for the next run. */
void exchange_forget_unsent(struct crawl *crawl, uint32_t part, uint64_t mark, struct rows *rows);
/* Pages that this worker may have, as far as it was granted them; UINT64_MAX: there is no limit. */
uint64_t exchange_granted(const struct exchange *exchange);
/* What a turn asks for; and what it was told. */
uint64_t exchange_wanted_pages(struct exchange *exchange, const struct exchange_told *told);
void exchange_note_grant(struct exchange *exchange, uint64_t keep, const struct cluster_news *news);
/* Gives back what was granted and is not needed; the lock is held. */
void exchange_return_grant(struct crawl *crawl);

/* Outgoing rows that no turn has sent, when the thread is gone; what may not be sent yet waits for the next run. */
SCENT_NODISCARD scent_status exchange_send_rest(struct crawl *crawl, struct errmsg *err);

void *exchange_array(size_t count, size_t size); /* zeros; never NULL */

#endif
