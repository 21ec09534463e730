/* crawl - the state of a running crawl. The engine thread's alone.
 *
 * Each part belongs to the file that it is named after. The files of the engine, from the lowest to the highest; a file
 * calls only files that stand before it:
 *
 *   journal, rows, hosts, politeness, duplicates, freshness, counting   what is known, without a crawl around it
 *   admit, steer, retries              frontier and strategy: where does the crawl go?
 *   judging, warnings                  what is relevant, and what looks wrong
 *   job, analysts, listener, writer    visits on their way, and the threads that work on them
 *   exchange                           what other workers are told, and what they tell
 *   outcome                            what became of a visit
 *   requisites, recrawl, sitemaps      files that pages need, known pages, listed pages
 *   access, loader                     hosts, texts of URLs
 *   moves                              partitions that come and go, where several workers crawl together
 *   apply                              a finished visit
 *   dispatch                           the next visit
 *   overview, commands                 the crawl in numbers, and what people ask of it
 *   verdicts                           all pages by one judge
 *   resume, ending                     how a crawl begins again, and ends
 *   engine                             the loop */
#ifndef SCENT_ENGINE_CRAWL_H
#define SCENT_ENGINE_CRAWL_H

#include "base/queue.h"
#include "base/status.h"
#include "conf/conf.h"
#include "engine/access.h"
#include "engine/analysts.h"
#include "engine/commands.h"
#include "engine/duplicates.h"
#include "engine/engine.h"
#include "engine/exchange.h"
#include "engine/job.h"
#include "engine/journal.h"
#include "engine/judging.h"
#include "engine/listener.h"
#include "engine/loader.h"
#include "engine/recrawl.h"
#include "engine/requisites.h"
#include "engine/rescoring.h"
#include "engine/retraining.h"
#include "engine/retries.h"
#include "engine/sitemaps.h"
#include "engine/steer.h"
#include "engine/counting.h"
#include "engine/warnings.h"
#include "engine/ways.h"
#include "engine/writer.h"
#include "pdf/pdf_reader.h"

/* Counters of a crawl. */
struct outcome_counts {
    uint64_t pages, relevant, failed; /* in all runs */
    uint64_t rows;                    /* page rows in the store */
    uint64_t first_page;              /* pages before this run */
};

struct dispatch {
    struct fetch *fetch; /* NULL for a web without a network */
    struct queue *to_analyse, *inbox;
    uint32_t max_in_flight;
    uint64_t sent, applied; /* in this run; in all runs of a crawl that can be repeated */
    uint64_t batch_end;   /* may be sent before all must be applied */
    uint64_t round_end;   /* the same, in a crawl that can be repeated: it comes to rest at visits of fixed numbers */
    struct job **waiting; /* results that came before their turn, by order % window; NULL: no window */
    uint32_t ahead;       /* names that are being looked up for later; they are not counted as sent */
    int64_t quiet_until;  /* nothing is sent before: a restart must not make visits come nearer to each other */
    bool idle;            /* the last time nothing was in flight, and no host will be free by itself */
    int64_t fetch_cpu_ns;
};

/* How the priorities are spread, which is counted seldom. */
struct overview {
    struct frontier_spread spread;
    int64_t next_spread;
};

struct ending {
    int64_t started, stop_by, next_progress;
    bool stopping, aborted;
};

struct crawl {
    struct engine_options own_options; /* a copy, whose log goes into the journal too */
    const struct engine_options *options; /* it */
    struct journal *journal;      /* NULL: the directory is not open yet */
    char seed_trouble[512];       /* of the last seed that failed */
    struct topic own_topic;    /* a copy: limits and delays may be set while the crawl runs */
    const struct topic *topic; /* it */
    struct store *store; /* the writer's while it runs */
    uint64_t key, seed;  /* of fingerprints; of chance */
    bool resumed;
    bool recalled;       /* in this run: what other crawls learned */
    int64_t next_checkpoint, next_checkpoint_line;
    bool is_repeatable; /* a window, and no network: what is committed is a point from which it goes on alike */

    struct steer *steer;
    struct judging judging;
    struct warnings warnings;
    struct retraining *retraining; /* NULL: the judge is not trained again */
    struct rescoring *rescoring;   /* NULL: no queued link was to be scored again */
    struct pdf_reader *pdf;        /* NULL: PDFs cannot be read, for `no_pdf` */
    struct errmsg no_pdf;          /* empty once it was told */
    struct duplicates *duplicates; /* of the counted pages */
    struct recrawl *recrawl;       /* NULL: no page is visited again */
    struct requisites requisites;
    struct ways ways;              /* none for a web without a network */
    struct access access;
    struct dispatch dispatch;
    struct retries retries;
    struct outcome_counts counts;
    struct counting counting;
    struct overview overview;
    struct commands commands;
    struct ending ending;

    struct analysts *analysts;
    struct loader *loader; /* NULL with a window */
    struct writer *writer;
    struct hooks *hooks;       /* NULL: none */
    struct listener *listener; /* NULL: nobody can ask */
    struct exchange *exchange; /* NULL: it crawls alone */
};

/* ---- outcome.c ---- */

/* A page row for this visit. */
void outcome_fill_row(struct crawl *crawl, struct job *job);
/* The new state of its URL row. */
void outcome_note_state(struct job *job, enum store_url_state state, struct str error);
/* Counts its rows, and gives it to the writer. */
void outcome_put(struct crawl *crawl, struct job *job);
/* A seed, or its host, is in trouble: told at once, since nobody else would. */
void outcome_tell_seed(struct crawl *crawl, struct str about, const char *why);
/* To who listens to the crawl. */
void outcome_tell_page(const struct crawl *crawl, const struct job *job);
/* The URL that the page names as its canonical one is queued, like the target of a redirect; but it is no seed: nobody
 * asked for it. */
SCENT_NODISCARD scent_status outcome_queue_canonical(struct crawl *crawl, struct job *job, struct errmsg *err);

/* ---- apply.c ---- */

/* Anything that came to the inbox. Takes the job. */
SCENT_NODISCARD scent_status apply_result(struct crawl *crawl, struct job *job, struct errmsg *err);
/* Attaches what was learned to a job where that is due (or `now`). */
SCENT_NODISCARD scent_status apply_checkpoint(struct crawl *crawl, struct job *job, bool now, struct errmsg *err);

/* Trains the judge again where that is due: retraining_step(). All pages will be judged by the new one at the end.
 * SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status apply_training(struct crawl *crawl, struct job *job, uint64_t pages);

/* ---- dispatch.c ---- */

/* A crawl that can be repeated is at the end of a round: nothing is under way, nor would be had it not been stopped. */
bool dispatch_is_at_rest(const struct crawl *crawl);

/* The queues, with room for all that may be on its way. */
void dispatch_open(struct crawl *crawl, uint32_t threads);
void dispatch_release(struct crawl *crawl);
SCENT_NODISCARD scent_status dispatch_start_fetch(struct crawl *crawl, struct errmsg *err);
/* What is in flight comes back as closed. */
void dispatch_end_fetch(struct crawl *crawl);

static inline uint64_t dispatch_in_flight(const struct dispatch *dispatch)
{
    return dispatch->sent - dispatch->applied;
}

/* Sends out as much as may be out. *wait_us: how long nothing more may be sent. */
SCENT_NODISCARD scent_status dispatch_visits(struct crawl *crawl, int64_t *wait_us, struct errmsg *err);
/* Looks up the names of hosts that will soon be visited. They take no place among the visits. Not with a window: when
 * an answer comes must not change the order. */
void dispatch_look_ahead(struct crawl *crawl);

/* The next result that may be applied, waiting at most `wait_us` for it; NULL: there is none yet. With a window they
 * come in the order in which they were sent, so that a run can be repeated. */
struct job *dispatch_next_result(struct crawl *crawl, int64_t wait_us);

/* Rows that no visit carries go to the writer in a job of their own; an empty one is freed. */
void dispatch_put_rows(struct crawl *crawl, struct job *job);

/* ---- overview.c ---- */

/* *out lies in the arena; NULL: no memory. */
void overview_fill(struct crawl *crawl, struct arena *arena, struct snapshot **out);
/* What the crawl waits for, for a person; "" while it is at work. */
struct overview_wait {
    char text[256];
};
struct overview_wait overview_wait(const struct crawl *crawl);
struct conf_shown overview_time(int64_t us); /* "1.5 s", "3m" */

/* ---- resume.c ---- */

/* Key and seed: as they were, or drawn for a new crawl. */
SCENT_NODISCARD scent_status resume_values(struct crawl *crawl, struct errmsg *err);
/* Hosts, URLs, the bytes and words of pages, and counters as they were. */
SCENT_NODISCARD scent_status resume_rows(struct crawl *crawl, struct errmsg *err);
/* What the seeds' pages and the strategy's checkpoint taught, and the pages after the checkpoint. */
SCENT_NODISCARD scent_status resume_learning(struct crawl *crawl, struct errmsg *err);

/* ---- verdicts.c ---- */

/* What a verdict depends on is compared with the last run: where it has changed all pages are judged again, before
 * anything is learned from them. */
SCENT_NODISCARD scent_status verdicts_begin(struct crawl *crawl, struct errmsg *err);
/* When all threads are gone: every page by the last judge. Not after a stop from outside: the next run does it. */
SCENT_NODISCARD scent_status verdicts_end(struct crawl *crawl, struct engine_report *out, struct errmsg *err);

/* ---- ending.c ---- */

/* By a signal, or by the control socket. */
bool ending_was_asked(const struct crawl *crawl);
/* Notes that it is to stop; breaks off what takes too long after that. */
void ending_check_stop(struct crawl *crawl);
bool ending_is_over(struct crawl *crawl);
enum engine_end ending_kind(const struct crawl *crawl);
void ending_progress(const struct crawl *crawl, struct engine_progress *out);
void ending_tell_progress(struct crawl *crawl);
/* What was learned and a word on the end, as the last thing that is written. */
SCENT_NODISCARD scent_status ending_put_last_words(struct crawl *crawl, struct errmsg *err);
/* When all threads are gone: learned/, run.json and index.cdxj. */
SCENT_NODISCARD scent_status ending_note_run(struct crawl *crawl, const struct engine_report *report,
                                             struct errmsg *err);

#endif
