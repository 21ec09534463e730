/* lab - runs an experiment: topics x repeats x strategies on one collection.
 *
 * Trials are spread over threads, and what a trial gives does not depend on the others, so the results are the same
 * whatever the number of threads. Every finished crawl is a file; a run that was interrupted resumes after them. */
#ifndef SCENT_LAB_LAB_H
#define SCENT_LAB_LAB_H

#include "lab/collection.h"
#include "lab/experiment.h"
#include "lab/measure.h"
#include "lab/replay.h"
#include "lab/trial_judge.h"
#include "trace/trace.h"

#include <stdatomic.h>

struct lab_traces; /* of an experiment, by the pages of its collection: lab_traces.c */
/* SCENT_E_INVALID: a file is not a log, or a part of a log has no access of a page of the collection. */
SCENT_NODISCARD scent_status lab_traces_new(const struct experiment *experiment, const struct collection *collection,
                                            const struct labels *labels, const struct log *log,
                                            struct lab_traces **out, struct errmsg *err);
void lab_traces_free(struct lab_traces *traces); /* NULL is fine */
/* NULL where `wanted` names no files and no readers. It is of a strategy of the experiment. */
const struct trace *lab_traces_find(const struct lab_traces *traces, const struct experiment_traces *wanted);
/* Of all accesses, to tell whether crawls belong to them; 0: there are none. */
uint64_t lab_traces_digest(const struct lab_traces *traces);

/* Fills lab->external and lab->scores, where a program of the user's judges: lab_program.c. */
struct lab;
struct lab_options;
SCENT_NODISCARD scent_status lab_ask_program(struct lab *lab, const struct lab_options *options, struct errmsg *err);

/* What a strategy fetched in a trial. */
struct lab_crawl {
    struct replay_visit *visits;
    size_t count;
    int64_t cpu_ns; /* of the crawl, judge included; 0: it was read from its file */
    uint32_t draw; /* of the trial in lab_trial's draws that it crawled */
};

struct lab_trial {
    struct trial *trial;
    struct trial **draws;      /* the trial itself, and then others with other seeds, for the best of several */
    struct trial *earlier;     /* other seeds again, for crawls before the crawl; NULL: no strategy needs it */
    const bool *evaluated;     /* the verdict of the evaluation classifiers on every page; NULL: there are none */
    const double *probability; /* their mean probability; NULL */
    struct lab_crawl *crawls;  /* one a strategy */
};

struct lab {
    const struct experiment *experiment;
    struct collection *collection;
    struct page_graph *backlinks;        /* NULL: nothing needs them */
    struct lab_traces *traces;
    struct labels labels;
    struct category_models *categories; /* NULL: no model learns from the labels */
    struct external *external;          /* NULL: no program judges; … */
    double *scores;                     /* … those that it gave */
    struct trial_judge_basis judging;   /* the above, for judges */
    struct arena arena;
    size_t ntopics;                     /* that could be run */
    struct lab_trial *trials;           /* topic by topic; `repeats` of each */
    uint32_t ndraws;                    /* of each trial: as many as the strategy with the most needs */
    struct lab_evaluation {
        bool *relevant;
        double *probability;
    } *evaluations;                     /* of each topic, for all of its repeats; NULL: not asked for */
    struct similarity *similarity;      /* NULL: not asked for */
    uint32_t room;                      /* pages that a crawl can have: the budget, or all there are */
    size_t skipped;                     /* topics that could not be run: they were named in the log */
};

struct lab_options {
    const char *dir;   /* NULL: nothing is written */
    const char *cache; /* as in struct collection_options */
    uint32_t threads;
    const struct log *log;
    const atomic_int *stop; /* above 0: it ends after the crawls that run; SCENT_E_END. May be NULL */
    void (*progress)(void *ctx, const char *what, size_t done, size_t all); /* one call at a time; may be NULL */
    void *progress_ctx;
};

/* Everything before the crawls: the collection, and the trials with their examples. */
SCENT_NODISCARD scent_status lab_open(const struct experiment *experiment, const struct lab_options *options,
                                      struct lab **out, struct errmsg *err);
/* The same, and the crawls. */
SCENT_NODISCARD scent_status lab_run(const struct experiment *experiment, const struct lab_options *options,
                                     struct lab **out, struct errmsg *err);
void lab_free(struct lab *lab); /* NULL is fine */
/* The trial of a topic and repeat. */
const struct lab_trial *lab_trial(const struct lab *lab, size_t topic, uint32_t repeat);
/* What the measures count as relevant in it, of every page. */
const bool *lab_relevant(const struct lab *lab, const struct lab_trial *place);

#endif
