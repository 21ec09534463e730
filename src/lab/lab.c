#include "lab/lab.h"

#include "base/hash.h"
#include "lab/committee.h"
#include "lab/guide.h"
#include "lab/lab_prepare.h"
#include "lab/pool.h"
#include "lab/runfile.h"
#include "lab/school.h"

#include <pthread.h>
#include <stdlib.h>

enum { GUIDES = 16 };

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

/* ---- one crawl ---- */

struct guides {
    struct guide *items[GUIDES];
    size_t count;
};

static scent_status find_guide(struct running *running, const struct trial *trial, struct guides *guides,
                               const struct experiment_model *model, struct guide **out, struct errmsg *err)
{
    scent_status status;

    for (size_t i = 0; i < guides->count; i++)
        if (guide_fits(guides->items[i], model)) {
            *out = guides->items[i];
            return SCENT_OK;
        }
    if (guides->count == GUIDES)
        return errmsg_fail(err, SCENT_E_LIMIT, "more than %d kinds of models in one experiment", GUIDES);
    status = guide_new(running->lab->experiment, running->lab->collection, running->lab->backlinks, trial, model, out,
                       err);
    if (status == SCENT_OK)
        guides->items[guides->count++] = *out;
    return status;
}

static scent_status crawl(struct running *running, const struct trial *trial, struct guides *guides,
                          const struct experiment_strategy *strategy, struct lab_run *run, struct errmsg *err)
{
    const struct experiment *experiment = running->lab->experiment;
    struct replay_options replay = {
        .collection = running->lab->collection,
        .seeds = trial->starts,
        .nseeds = trial->nstarts,
        .budget = running->lab->room,
        .seed = hash_mix(hash_str(trial->name, experiment->seed), hash_str(strategy->label, trial->repeat)),
        .judge = guide_judge,
    };
    struct guide *guide;
    scent_status status = find_guide(running, trial, guides, &strategy->model, &guide, err);

    if (status != SCENT_OK)
        return status;
    replay.topic = guide_topic(guide, strategy);
    replay.judge_ctx = guide;
    return replay_run(&replay, run->visits, &run->count, err);
}

static scent_status run_strategy(struct running *running, const struct lab_trial *place, struct guides *guides,
                                 size_t number, struct errmsg *err)
{
    const struct experiment *experiment = running->lab->experiment;
    const struct experiment_strategy *strategy = &experiment->strategies[number];
    struct runfile file = {running->lab->collection, place->trial, place->committee};
    struct lab_run *run = &place->runs[number];
    char path[4096];
    scent_status status = SCENT_E_NOTFOUND;

    run->visits = malloc((running->lab->room + 1) * sizeof *run->visits);
    if (!run->visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", running->lab->room);
    if (running->options->dir) {
        runfile_path(running->options->dir, place->trial->name, strategy->label, place->trial->repeat, path,
                     sizeof path);
        status = runfile_read(&file, path, run->visits, running->lab->room, &run->count, err);
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    status = crawl(running, place->trial, guides, strategy, run, err);
    if (status == SCENT_OK && running->options->dir)
        status = runfile_write(&file, path, run->visits, run->count, err);
    return status;
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
    struct guides guides = {.count = 0};

    (void)thread;
    for (size_t k = 0; k < experiment->nstrategies && !must_stop(running); k++) {
        struct errmsg err = {0};
        scent_status status = run_strategy(running, place, &guides, k, &err);

        note_end(running, place->trial, "crawls", all, status, &err);
    }
    for (size_t k = 0; k < guides.count; k++)
        guide_free(guides.items[k]);
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

static void free_trial(struct lab_trial *place, size_t nstrategies)
{
    for (size_t i = 0; place->runs && i < nstrategies; i++)
        free(place->runs[i].visits);
    trial_free(place->trial);
}

void lab_free(struct lab *lab)
{
    if (!lab)
        return;
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++)
        free_trial(&lab->trials[i], lab->experiment->nstrategies);
    for (size_t i = 0; lab->verdicts && i < lab->ntopics; i++) {
        free(lab->verdicts[i].relevant);
        free(lab->verdicts[i].probability);
    }
    school_free(lab->school);
    labels_release(&lab->labels);
    backlinks_free(lab->backlinks);
    similarity_free(lab->similarity);
    collection_close(lab->collection);
    arena_release(&lab->arena);
    free(lab);
}
