#include "lab/lab.h"

#include "base/file.h"
#include "base/hash.h"
#include "lab/committee.h"
#include "lab/guide.h"
#include "lab/hubs.h"
#include "lab/pool.h"
#include "lab/runfile.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
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
        .budget = experiment->budget,
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

    run->visits = malloc(experiment->budget * sizeof *run->visits);
    if (!run->visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", experiment->budget);
    if (running->options->dir) {
        runfile_path(running->options->dir, place->trial->name, strategy->label, place->trial->repeat, path,
                     sizeof path);
        status = runfile_read(&file, path, run->visits, experiment->budget, &run->count, err);
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

static void note_end(struct running *running, const struct trial *trial, scent_status status, const struct errmsg *err)
{
    const struct experiment *experiment = running->lab->experiment;
    size_t all = running->lab->ntopics * experiment->repeats * experiment->nstrategies;

    pthread_mutex_lock(&running->lock);
    running->done += status == SCENT_OK;
    if (status != SCENT_OK && running->status == SCENT_OK) {
        running->status = status;
        errmsg_fail(&running->err, status, "topic %.*s: %s", STR_ARG(trial->name), err->text);
    }
    if (status == SCENT_OK && running->options->progress)
        running->options->progress(running->options->progress_ctx, "crawls", running->done, all);
    pthread_mutex_unlock(&running->lock);
}

static scent_status ask_committee(struct running *running, struct lab_trial *place, struct errmsg *err)
{
    size_t npages = collection_count(running->lab->collection);

    if (!running->lab->experiment->committee)
        return SCENT_OK;
    place->committee = calloc(npages, sizeof *place->committee);
    place->probability = calloc(npages, sizeof *place->probability);
    if (!place->committee || !place->probability)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the committee's verdicts");
    return committee_judge(running->lab->collection, &running->lab->labels, place->trial,
                           running->lab->experiment->seed, place->committee, place->probability, err);
}

static void run_trial(void *ctx, uint32_t thread, size_t i)
{
    struct running *running = ctx;
    struct lab_trial *place = &running->lab->trials[i];
    struct guides guides = {.count = 0};
    struct errmsg err = {0};
    scent_status status = must_stop(running) ? SCENT_E_END : ask_committee(running, place, &err);

    (void)thread;
    for (size_t k = 0; k < running->lab->experiment->nstrategies && status == SCENT_OK; k++) {
        status = must_stop(running) ? SCENT_E_END : run_strategy(running, place, &guides, k, &err);
        if (status == SCENT_OK)
            note_end(running, place->trial, status, &err);
    }
    if (status != SCENT_OK && status != SCENT_E_END)
        note_end(running, place->trial, status, &err);
    for (size_t k = 0; k < guides.count; k++)
        guide_free(guides.items[k]);
}

/* ---- what is to be run ---- */

static scent_status make_trials(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    uint32_t repeats = lab->experiment->repeats;
    struct experiment_topic *topics;
    size_t count;
    scent_status status = trial_topics(lab->experiment, &lab->labels, &lab->arena, &topics, &count, err);

    if (status != SCENT_OK)
        return status;
    lab->trials = arena_zalloc(&lab->arena, count * repeats * sizeof *lab->trials);
    if (!lab->trials)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the topics");
    for (size_t i = 0; i < count; i++) {
        struct lab_trial *first = &lab->trials[lab->ntopics * repeats];

        for (uint32_t r = 0; r < repeats && status == SCENT_OK; r++)
            status = trial_make(lab->experiment, lab->collection, &lab->labels, &topics[i], r, &first[r].trial, err);
        if (status == SCENT_OK) {
            lab->ntopics++;
        } else {
            log_line(options->log, LOG_WARN, "left out: %s", err->text);
            lab->skipped++;
            status = SCENT_OK;
        }
    }
    return lab->ntopics ? SCENT_OK : errmsg_fail(err, SCENT_E_INVALID, "no topic can be run: %zu were left out", count);
}

static scent_status make_runs(struct lab *lab, struct errmsg *err)
{
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++) {
        lab->trials[i].runs = arena_zalloc(&lab->arena, lab->experiment->nstrategies * sizeof(struct lab_run));
        if (!lab->trials[i].runs)
            return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the crawls");
    }
    return SCENT_OK;
}

/* Links are followed backwards where a model learns from them, or a crawl begins at hubs. */
static scent_status find_backlinks(struct lab *lab, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    bool wanted = experiment->hubs > 0;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < experiment->nstrategies; i++)
        wanted |= experiment->strategies[i].model.backlinks;
    if (wanted)
        status = backlinks_new(lab->collection, &lab->backlinks, err);
    for (size_t i = 0; i < lab->ntopics * experiment->repeats && experiment->hubs && status == SCENT_OK; i++)
        status = hubs_join(lab->trials[i].trial, lab->backlinks, collection_count(lab->collection), experiment->hubs,
                           err);
    return status;
}

/* A wrong option is found before hours are spent. */
static scent_status check_strategies(const struct lab *lab, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < experiment->nstrategies && status == SCENT_OK; i++) {
        const struct experiment_strategy *strategy = &experiment->strategies[i];
        struct strategy_context context = {.seed = 1};
        struct strategy opened;
        struct guide *guide;
        struct errmsg why = {0};

        status = guide_new(experiment, lab->collection, lab->backlinks, lab->trials[0].trial, &strategy->model, &guide,
                           &why);
        if (status == SCENT_OK) {
            context.topic = guide_topic(guide, strategy);
            status = strategy_open(&context, &opened, &why);
            if (status == SCENT_OK)
                strategy_close(&opened);
            guide_free(guide);
        }
        if (status != SCENT_OK)
            errmsg_fail(err, status, "line %d of the experiment: %s", strategy->line, why.text);
    }
    return status;
}

/* Crawls that were kept belong to this experiment, or the folder is another's. */
static scent_status claim_folder(const struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    char path[4096], text[64];
    struct buf old;
    scent_status status;

    if (!options->dir)
        return SCENT_OK;
    snprintf(text, sizeof text, "%016" PRIx64 " %016" PRIx64 "\n", hash_str(lab->experiment->source, 0),
             collection_digest(lab->collection));
    snprintf(path, sizeof path, "%s/runs", options->dir);
    status = file_make_dir(path, err);
    if (status != SCENT_OK)
        return status;
    snprintf(path, sizeof path, "%s/runs/experiment.id", options->dir);
    buf_init(&old, 0);
    status = file_read(path, &old, err);
    if (status == SCENT_E_NOTFOUND)
        status = file_replace(path, str_of(text), err);
    else if (status == SCENT_OK && !str_eq(buf_str(&old), str_of(text)))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s holds the crawls of another experiment, or of another collection: choose another "
                             "folder with -o, or remove it", options->dir);
    buf_release(&old);
    return status;
}

static scent_status prepare(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    bool needed = experiment->labels.len || experiment->relevance != RELEVANT_BY_QUERY;
    scent_status status = SCENT_OK;

    if (needed)
        status = labels_read(lab->collection, experiment->labels.len ? experiment->labels.p : NULL, options->log,
                             &lab->labels, err);

    if (status == SCENT_OK)
        status = make_trials(lab, options, err);
    if (status == SCENT_OK)
        status = make_runs(lab, err);
    if (status == SCENT_OK)
        status = find_backlinks(lab, err);
    if (status == SCENT_OK)
        status = check_strategies(lab, err);
    return status == SCENT_OK ? claim_folder(lab, options, err) : status;
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
        .progress = tell_collecting,
        .progress_ctx = &collecting,
    };

    return collection_open(&collection, &lab->collection, err);
}

static scent_status run_all(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct running running = {.lab = lab, .options = options};

    pthread_mutex_init(&running.lock, NULL);
    pool_run(options->threads, lab->ntopics * lab->experiment->repeats, run_trial, &running);
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
    status = open_collection(lab, options, err);
    if (status == SCENT_OK)
        status = prepare(lab, options, err);
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
    free(place->committee);
    free(place->probability);
    trial_free(place->trial);
}

void lab_free(struct lab *lab)
{
    if (!lab)
        return;
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++)
        free_trial(&lab->trials[i], lab->experiment->nstrategies);
    labels_release(&lab->labels);
    backlinks_free(lab->backlinks);
    collection_close(lab->collection);
    arena_release(&lab->arena);
    free(lab);
}
