/* writer - one thread that makes jobs durable: WARC first, then the store, many jobs in one commit.
 *
 * The order of writes is DESIGN's: append to the WARC, fsync it, then commit the rows together with the end of the
 * WARC. A crash between the two leaves bytes behind the recorded end; they are cut off on resume.
 * After a failure the writer goes on taking jobs but writes nothing more, so that nobody waits for it. */
#ifndef SCENT_ENGINE_WRITER_H
#define SCENT_ENGINE_WRITER_H

#include "base/clock.h"
#include "base/queue.h"
#include "engine/hooks.h"
#include "engine/job.h"
#include "engine/listener.h"
#include "store/store.h"
#include "warc/warc.h"

struct writer_options {
    const char *dir;        /* the crawl directory */
    enum warc_packing packing;
    struct store *store;    /* used by this thread alone until writer_finish */
    const struct clock *clock;
    uint64_t min_free_disk; /* bytes; less: SCENT_E_FULL */
    uint64_t seed;          /* of WARC record ids */
    bool whole;             /* only what a checkpoint knows is committed: a crawl that is killed resumes from there */
    struct queue *answers;  /* where jobs go that ask which pages are due; NULL: none does */
    struct hooks *hooks;       /* who is told of pages; NULL: nobody */
    struct listener *listener; /* who waits for the commit of requests; NULL: nobody */
};

/* CPU nanoseconds. */
struct writer_cpu {
    int64_t warc, store;
};

struct writer;
SCENT_NODISCARD scent_status writer_start(const struct writer_options *options, struct writer **out,
                                          struct errmsg *err);
/* Takes the job; waits while too much is unwritten. */
void writer_put(struct writer *writer, struct job *job);
/* The rows of all URLs whose id is smaller are in the store, for every transaction that begins from now on; 0 before
 * the first commit with a new URL. Cheap; any thread. */
uint32_t writer_committed(const struct writer *writer);
/* Where several workers crawl together: the number of the last job whose rows are committed; and outgoing rows up to
 * this one need not be kept any longer. Any thread. */
uint64_t writer_committed_job(const struct writer *writer);
void writer_forget_outgoing(struct writer *writer, uint64_t id);
/* What records should be packed for. Those that were packed for an earlier form are packed again. Valid until
 * writer_finish(); cheap; any thread. */
struct warc_form writer_form(const struct writer *writer);
/* Reads the pages that are due; the strings are in `arena`. The thread alone sees those that are not committed yet. */
SCENT_NODISCARD scent_status writer_read_due(struct job_due *due, struct arena *arena, struct store *store,
                                             struct errmsg *err);
/* Has it failed? Cheap; any thread. */
scent_status writer_status(const struct writer *writer);
/* Writes what is left, closes the WARC, joins, frees. The first failure of all, with its message. */
SCENT_NODISCARD scent_status writer_finish(struct writer *writer, struct writer_cpu *cpu, struct errmsg *err);

#endif
