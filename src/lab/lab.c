#include "lab/lab.h"

#include "lab/arm.h"
#include "lab/committee.h"
#include "lab/lab_prepare.h"
#include "lab/pool.h"
#include "lab/school.h"

#include <pthread.h>
#include <stdlib.h>

struct running {
    struct lab *lab;
    const struct lab_options *options;
    pthread_mutex_t lock; /* of all below */
    size_t done;
    scent_status status;  /* the first failure */
    struct errmsg err;
};

const struct lab_trial *lab_trial(const struct lab *lab, size_t topic, uint32_t repeat)
{
    return &lab->trials[topic * lab->experiment->repeats + repeat];
}

const bool *lab_relevant(const struct lab *lab, const struct lab_trial *place)
{
    return lab->experiment->relevance == RELEVANT_BY_COMMITTEE ? place->committee : place->trial->relevant;
}

/* ---- all crawls ---- */

static bool must_stop(struct running *running)
{
    bool stop = running->options->stop && atomic_load(running->options->stop);

    pthread_mutex_lock(&running->lock);
    stop = stop || running->status != SCENT_OK;
    pthread_mutex_unlock(&running->lock);
    return stop;
}

static void note_end(struct running *running, const struct trial *trial, const char *what, size_t all,
                     scent_status status, const struct errmsg *err)
{
    pthread_mutex_lock(&running->lock);
    running->done += status == SCENT_OK;
    if (status != SCENT_OK && running->status == SCENT_OK) {
        running->status = status;
        errmsg_fail(&running->err, status, "topic %.*s: %s", STR_ARG(trial->name), err->text);
    }
    if (status == SCENT_OK && running->options->progress)
        running->options->progress(running->options->progress_ctx, what, running->done, all);
    pthread_mutex_unlock(&running->lock);
}

static void ask_committee(void *ctx, uint32_t thread, size_t topic)
{
    struct running *running = ctx;
    struct lab *lab = running->lab;
    const struct lab_trial *first = lab_trial(lab, topic, 0);
    struct lab_verdicts *verdicts = &lab->verdicts[topic];
    size_t npages = collection_count(lab->collection);
    struct errmsg err = {0};
    scent_status status;

    (void)thread;
    if (must_stop(running))
        return;
    verdicts->relevant = calloc(npages, sizeof *verdicts->relevant);
    verdicts->probability = calloc(npages, sizeof *verdicts->probability);
    if (!verdicts->relevant || !verdicts->probability)
        status = errmsg_fail(&err, SCENT_E_NOMEM, "no memory for the committee's verdicts");
    else
        status = committee_judge(lab->collection, &lab->labels, first->trial, lab->experiment->seed,
                                 verdicts->relevant, verdicts->probability, &err);
    note_end(running, first->trial, "topics seen by the committee", lab->ntopics, status, &err);
}

static void run_trial(void *ctx, uint32_t thread, size_t i)
{
    struct running *running = ctx;
    const struct experiment *experiment = running->lab->experiment;
    struct lab_trial *place = &running->lab->trials[i];
    size_t all = running->lab->ntopics * experiment->repeats * experiment->nstrategies;
    struct arm_desk desk = {.lab = running->lab, .dir = running->options->dir};

    (void)thread;
    for (size_t k = 0; k < experiment->nstrategies && !must_stop(running); k++) {
        struct errmsg err = {0};
        scent_status status = arm_run(&desk, place, k, &err);

        note_end(running, place->trial, "crawls", all, status, &err);
    }
    arm_desk_release(&desk);
}

/* ---- the interface ---- */

struct collecting {
    const struct lab_options *options;
};

static void tell_collecting(void *ctx, size_t done, size_t all)
{
    const struct lab_options *options = ((struct collecting *)ctx)->options;

    if (options->progress)
        options->progress(options->progress_ctx, "pages analysed", done, all);
}

static scent_status open_collection(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct collecting collecting = {options};
    struct collection_options collection = {
        .path = lab->experiment->collection.p,
        .cache = options->cache,
        .max_pages = lab->experiment->max_pages,
        .exclude = lab->experiment->exclude,
        .nexclude = lab->experiment->nexclude,
        .threads = options->threads,
        .log = options->log,
        .stop = options->stop,
        .progress = tell_collecting,
        .progress_ctx = &collecting,
    };

    return collection_open(&collection, &lab->collection, err);
}

static scent_status run_all(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct running running = {.lab = lab, .options = options};
    uint32_t repeats = lab->experiment->repeats;

    pthread_mutex_init(&running.lock, NULL);
    if (lab->verdicts)
        pool_run(options->threads, lab->ntopics, ask_committee, &running);
    for (size_t i = 0; lab->verdicts && i < lab->ntopics * repeats; i++) {
        lab->trials[i].committee = lab->verdicts[i / repeats].relevant;
        lab->trials[i].probability = lab->verdicts[i / repeats].probability;
    }
    running.done = 0;
    pool_run(options->threads, lab->ntopics * repeats, run_trial, &running);
    pthread_mutex_destroy(&running.lock);
    if (running.status != SCENT_OK) {
        *err = running.err;
        return running.status;
    }
    if (options->stop && atomic_load(options->stop))
        return errmsg_fail(err, SCENT_E_END, "interrupted; run it again to go on");
    return SCENT_OK;
}

scent_status lab_run(const struct experiment *experiment, const struct lab_options *options, struct lab **out,
                     struct errmsg *err)
{
    struct lab *lab = calloc(1, sizeof *lab);
    scent_status status;

    SCENT_BUG_IF(!lab);
    lab->experiment = experiment;
    arena_init(&lab->arena, SIZE_MAX);
    status = lab_make_folder(options, err);
    if (status == SCENT_OK)
        status = open_collection(lab, options, err);
    if (status == SCENT_OK)
        status = lab_prepare(lab, options, err);
    if (status == SCENT_OK)
        status = run_all(lab, options, err);
    if (status == SCENT_OK)
        *out = lab;
    else
        lab_free(lab);
    return status;
}

static void free_trial(const struct lab *lab, struct lab_trial *place)
{
    for (size_t i = 0; place->runs && i < lab->experiment->nstrategies; i++)
        free(place->runs[i].visits);
    for (uint32_t i = 0; i < lab->ndraws; i++)
        trial_free(place->draws[i]);
    trial_free(place->earlier);
}

void lab_free(struct lab *lab)
{
    if (!lab)
        return;
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++)
        free_trial(lab, &lab->trials[i]);
    for (size_t i = 0; lab->verdicts && i < lab->ntopics; i++) {
        free(lab->verdicts[i].relevant);
        free(lab->verdicts[i].probability);
    }
    school_free(lab->school);
    labels_release(&lab->labels);
    backlinks_free(lab->backlinks);
    lab_traces_free(lab->traces);
    similarity_free(lab->similarity);
    collection_close(lab->collection);
    arena_release(&lab->arena);
    free(lab);
}
