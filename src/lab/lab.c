#include "lab/lab.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/machine.h"
#include "lab/lab_crawl.h"
#include "lab/trial_model.h"
#include "lab/trial_session.h"
#include "topic/external.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* A part of the experiment that several threads work on. */
struct work {
    struct lab *lab;
    const struct lab_options *options;
    const struct trace *trace; /* of the sessions */
    const char *what;          /* for progress; NULL: none is told */
    size_t all;
    pthread_mutex_t lock;      /* of all below */
    size_t done;
    scent_status status;       /* the first failure */
    struct errmsg err;
};

const struct lab_trial *lab_trial(const struct lab *lab, size_t topic, uint32_t repeat)
{
    return &lab->trials[topic * lab->experiment->repeats + repeat];
}

const bool *lab_relevant(const struct lab *lab, const struct lab_trial *place)
{
    return lab->experiment->relevance == RELEVANT_BY_COMMITTEE ? place->evaluated : place->trial->relevant;
}

/* ---- work on several threads ---- */

static bool must_stop(struct work *work)
{
    bool stop = work->options->stop && atomic_load(work->options->stop);

    pthread_mutex_lock(&work->lock);
    stop = stop || work->status != SCENT_OK;
    pthread_mutex_unlock(&work->lock);
    return stop;
}

static void note_end(struct work *work, scent_status status, const struct errmsg *err)
{
    pthread_mutex_lock(&work->lock);
    work->done += status == SCENT_OK;
    if (status != SCENT_OK && work->status == SCENT_OK) {
        work->status = status;
        work->err = *err;
    }
    if (status == SCENT_OK && work->what && work->options->progress)
        work->options->progress(work->options->progress_ctx, work->what, work->done, work->all);
    pthread_mutex_unlock(&work->lock);
}

static scent_status spread(struct work *work, size_t count, void (*fn)(void *ctx, uint32_t thread, size_t i),
                           struct errmsg *err)
{
    pthread_mutex_init(&work->lock, NULL);
    cores_run(work->options->threads, count, fn, work);
    pthread_mutex_destroy(&work->lock);
    if (work->status != SCENT_OK) {
        *err = work->err;
        return work->status;
    }
    if (work->options->stop && atomic_load(work->options->stop))
        return errmsg_fail(err, SCENT_E_END, "interrupted; run it again to resume");
    return SCENT_OK;
}

/* ---- trials ---- */

static bool needs_earlier(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->nstrategies; i++)
        if (experiment->strategies[i].reuse.wanted && !experiment->strategies[i].reuse.same_seeds)
            return true;
    return false;
}

static scent_status make_draws(struct lab *lab, const struct experiment_topic *topic, uint32_t repeat,
                               struct lab_trial *place, struct errmsg *err)
{
    place->draws = arena_zalloc(&lab->arena, lab->ndraws * sizeof *place->draws);
    place->crawls = arena_zalloc(&lab->arena, lab->experiment->nstrategies * sizeof *place->crawls);
    if (!place->draws || !place->crawls)
        return errmsg_no_memory(err);
    for (uint32_t i = 0; i < lab->ndraws; i++)
        SCENT_TRY(trial_make(lab->experiment, lab->collection, &lab->labels, topic, repeat, i, &place->draws[i], err));
    place->trial = place->draws[0];
    return needs_earlier(lab->experiment)
               ? trial_make(lab->experiment, lab->collection, &lab->labels, topic, repeat, TRIAL_EARLIER,
                            &place->earlier, err)
               : SCENT_OK;
}

static void free_trial(const struct lab *lab, struct lab_trial *place)
{
    for (size_t i = 0; place->crawls && i < lab->experiment->nstrategies; i++)
        free(place->crawls[i].visits);
    for (uint32_t i = 0; place->draws && i < lab->ndraws; i++)
        trial_free(place->draws[i]);
    trial_free(place->earlier);
    *place = (struct lab_trial){0};
}

/* All repeats of a topic, or none. */
static scent_status make_repeats(struct lab *lab, const struct experiment_topic *topic, struct errmsg *err)
{
    uint32_t repeats = lab->experiment->repeats;
    struct lab_trial *places = &lab->trials[lab->ntopics * repeats];
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < repeats && status == SCENT_OK; i++)
        status = make_draws(lab, topic, i, &places[i], err);
    for (uint32_t i = 0; i < repeats && status != SCENT_OK; i++)
        free_trial(lab, &places[i]);
    lab->ntopics += status == SCENT_OK;
    return status;
}

static scent_status make_trials(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct experiment_topic *topics;
    size_t count;

    SCENT_TRY(trial_topics(lab->experiment, lab->collection, &lab->labels, &lab->arena, &topics, &count, err));
    lab->ndraws = 1;
    for (size_t i = 0; i < lab->experiment->nstrategies; i++)
        if (lab->experiment->strategies[i].best_of > lab->ndraws)
            lab->ndraws = lab->experiment->strategies[i].best_of;
    lab->trials = arena_zalloc(&lab->arena, count * lab->experiment->repeats * sizeof *lab->trials);
    if (!lab->trials)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < count; i++) {
        scent_status status = make_repeats(lab, &topics[i], err);

        if (status != SCENT_OK && status != SCENT_E_INVALID)
            return status;
        if (status == SCENT_OK)
            continue;
        log_line(options->log, LOG_WARN, "left out: %s", err->text);
        lab->skipped++;
    }
    return lab->ntopics ? SCENT_OK : errmsg_fail(err, SCENT_E_INVALID, "no topic can be run: %zu were left out", count);
}

/* Negatives from the examples of the other topics, once all of those are known. */
static scent_status draw_negatives(struct lab *lab, struct errmsg *err)
{
    size_t npages = collection_count(lab->collection);
    struct trial **others = arena_array(&lab->arena, lab->ntopics + 1, sizeof *others);

    if (!others)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++) {
        struct lab_trial *place = &lab->trials[i];
        size_t topic = i / lab->experiment->repeats, repeat = i % lab->experiment->repeats, n = 0;

        for (size_t k = 0; k < lab->ntopics; k++)
            if (k != topic)
                others[n++] = lab->trials[k * lab->experiment->repeats + repeat].trial;
        for (uint32_t k = 0; k < lab->ndraws; k++)
            SCENT_TRY(trial_draw_negatives(place->draws[k], lab->experiment, npages, others, n, err));
        if (place->earlier)
            SCENT_TRY(trial_draw_negatives(place->earlier, lab->experiment, npages, others, n, err));
    }
    return SCENT_OK;
}

/* Links are followed backwards where a model or a strategy learns from them, a crawl begins at hubs, or a person
 * walks. */
static scent_status find_backlinks(struct lab *lab, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    bool wanted = experiment->hubs > 0 || experiment->sessions.kind == SESSIONS_OF_WALKS;

    for (size_t i = 0; i < experiment->nstrategies; i++) {
        const struct strategy_ops *ops = strategy_find(experiment->strategies[i].name);

        wanted |= experiment->strategies[i].model.backlinks || (ops && ops->study);
    }
    if (wanted)
        SCENT_TRY(collection_graph(lab->collection, &lab->backlinks, err));
    for (size_t i = 0; experiment->hubs && i < lab->ntopics * experiment->repeats; i++) {
        struct lab_trial *place = &lab->trials[i];

        for (uint32_t k = 0; k < lab->ndraws; k++)
            SCENT_TRY(trial_add_hubs(place->draws[k], lab->backlinks, experiment->hubs, err));
        if (place->earlier)
            SCENT_TRY(trial_add_hubs(place->earlier, lab->backlinks, experiment->hubs, err));
    }
    return SCENT_OK;
}

/* The browsing that a trial learns from: one model for every set of seeds. */
static void make_sessions(void *ctx, uint32_t thread, size_t i)
{
    struct work *work = ctx;
    const struct lab *lab = work->lab;
    const struct lab_trial *place = &lab->trials[i];
    struct errmsg err = {0};
    scent_status status = SCENT_OK;

    (void)thread;
    for (uint32_t k = 0; k <= lab->ndraws && status == SCENT_OK && !must_stop(work); k++) {
        struct trial *trial = k < lab->ndraws ? place->draws[k] : place->earlier;

        if (trial)
            status = trial_session_make(lab->experiment, lab->collection, lab->backlinks, work->trace, trial, &err);
    }
    note_end(work, status, &err);
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
        struct trial_judge *judge;
        struct errmsg why = {0};

        status = trial_judge_new(&lab->judging, lab->trials[0].trial, &strategy->model, &judge, &why);
        if (status == SCENT_OK) {
            status =
                trial_judge_prepare(judge, strategy, lab_traces_find(lab->traces, &strategy->traces), &why);
            context.topic = trial_judge_topic(judge);
            context.knowledge = trial_judge_knowledge(judge);
            if (status == SCENT_OK)
                status = strategy_open(&context, &opened, &why);
            if (status == SCENT_OK)
                strategy_close(&opened);
            trial_judge_free(judge);
        }
        if (status != SCENT_OK)
            errmsg_fail(err, status, "%.*s:%d: %s", STR_ARG(experiment->file), strategy->line, why.text);
    }
    return status;
}

/* ---- the folder ---- */

/* Crawls in the folder belong to this experiment, or the folder is another's: one line tells what they depend on, which
 * is program, experiment, pages, labels and traces. */
static scent_status claim_folder(const struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    uint64_t labels = lab_traces_digest(lab->traces);
    char path[4096], text[128];
    struct buf old;
    scent_status status;

    if (!options->dir)
        return SCENT_OK;
    for (size_t i = 0; i < lab->labels.count; i++)
        labels = hash_mix(labels, hash_str(lab->labels.rows[i].category, lab->labels.rows[i].page));
    if (lab->external)
        labels = hash_mix(labels, external_digest(lab->external));
    snprintf(text, sizeof text, "scent " SCENT_VERSION " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
             hash_str(lab->experiment->source, 0), collection_digest(lab->collection), labels);
    snprintf(path, sizeof path, "%s/runs/experiment.id", options->dir);
    buf_init(&old, 4096);
    status = file_read(path, &old, err);
    if (status == SCENT_E_NOTFOUND)
        status = file_replace(path, str_of(text), err);
    else if (status == SCENT_OK && !str_eq(buf_str(&old), str_of(text)))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s holds the crawls of another experiment, collection, labels, traces or version of "
                             "scent: choose another folder with -o, or remove this one", options->dir);
    buf_release(&old);
    return status;
}

/* ---- before the crawls ---- */

static void tell_analysed(void *ctx, size_t done, size_t all)
{
    const struct lab_options *options = ctx;

    if (options->progress)
        options->progress(options->progress_ctx, "pages analysed", done, all);
}

static scent_status open_collection(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct collection_options collection = {
        .path = lab->experiment->collection.p,
        .cache = options->cache,
        .max_pages = lab->experiment->max_pages,
        .exclude = lab->experiment->exclude,
        .nexclude = lab->experiment->nexclude,
        .page_bytes = lab->experiment->page_bytes,
        .page_links = lab->experiment->page_links,
        .main_content = lab->experiment->content == TOPIC_CONTENT_MAIN,
        .threads = options->threads,
        .log = options->log,
        .stop = options->stop,
        .progress = tell_analysed,
        .progress_ctx = (void *)options,
    };

    return collection_open(&collection, &lab->collection, err);
}

/* Where the experiment names none: labels.tsv or categories.tsv beside the archives. */
static const char *find_labels(const struct experiment *experiment, char *out, size_t room)
{
    static const char *const names[] = {"labels.tsv", "categories.tsv"};

    if (experiment->labels.len)
        return experiment->labels.p;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(out, room, "%s/%s", experiment->collection.p, names[i]);
        if (file_is_dir(experiment->collection.p) && file_exists(out))
            return out;
    }
    return NULL;
}

/* With the collection open: labels, models of categories, trials, traces, sessions; strategies that can be opened. */
static scent_status prepare(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    uint32_t npages = collection_count(lab->collection);
    struct work sessions = {.lab = lab, .options = options};
    char path[4096];
    const char *labels = find_labels(experiment, path, sizeof path);
    scent_status status;

    if (labels || experiment->relevance != RELEVANT_BY_QUERY)
        SCENT_TRY(labels_read(lab->collection, labels, options->log, &lab->labels, err));
    SCENT_TRY(category_models_new(experiment, lab->collection, &lab->labels, &lab->categories, err));
    lab->room = experiment->budget < npages ? experiment->budget : npages;
    SCENT_TRY(make_trials(lab, options, err));
    if (experiment->training.negatives)
        SCENT_TRY(draw_negatives(lab, err));
    SCENT_TRY(find_backlinks(lab, err));
    SCENT_TRY(lab_ask_program(lab, options, err));
    lab->judging = (struct trial_judge_basis){experiment, lab->collection, lab->backlinks, lab->categories,
                                              lab->external, lab->scores};
    if (experiment->similarity && (status = similarity_new(lab->collection, &lab->similarity)) != SCENT_OK)
        return errmsg_fail(err, status, "the pages' similarity cannot be measured: %s", scent_status_text(status));
    SCENT_TRY(lab_traces_new(experiment, lab->collection, &lab->labels, options->log, &lab->traces, err));
    sessions.trace = lab_traces_find(lab->traces, &experiment->sessions.traces);
    if (experiment->sessions.kind != SESSIONS_NONE)
        SCENT_TRY(spread(&sessions, lab->ntopics * experiment->repeats, make_sessions, err));
    SCENT_TRY(check_strategies(lab, err));
    return claim_folder(lab, options, err);
}

/* ---- the crawls ---- */

static void note_trial_end(struct work *work, const struct trial *trial, scent_status status, const struct errmsg *err)
{
    struct errmsg named = {0};

    if (status != SCENT_OK)
        errmsg_fail(&named, status, "topic %.*s: %s", STR_ARG(trial->name), err->text);
    note_end(work, status, &named);
}

static void evaluate_topic(void *ctx, uint32_t thread, size_t topic)
{
    struct work *work = ctx;
    struct lab *lab = work->lab;
    const struct trial *trial = lab_trial(lab, topic, 0)->trial;
    struct lab_evaluation *evaluation = &lab->evaluations[topic];
    size_t npages = collection_count(lab->collection);
    struct errmsg err = {0};
    scent_status status;

    (void)thread;
    if (must_stop(work))
        return;
    evaluation->relevant = calloc(npages, sizeof *evaluation->relevant);
    evaluation->probability = calloc(npages, sizeof *evaluation->probability);
    status = evaluation->relevant && evaluation->probability
                 ? trial_model_evaluate(lab->collection, &lab->labels, trial, lab->experiment->seed,
                                        evaluation->relevant, evaluation->probability, &err)
                 : errmsg_no_memory(&err);
    note_trial_end(work, trial, status, &err);
}

/* Each trial begins with another strategy: the first one finds no page in memory, and its CPU time says so. */
static void crawl_trial(void *ctx, uint32_t thread, size_t i)
{
    struct work *work = ctx;
    size_t n = work->lab->experiment->nstrategies;
    struct lab_trial *place = &work->lab->trials[i];
    struct lab_crawler crawler = {.lab = work->lab, .dir = work->options->dir};

    (void)thread;
    for (size_t k = 0; k < n && !must_stop(work); k++) {
        struct errmsg err = {0};
        scent_status status = lab_crawler_run(&crawler, place, (k + i) % n, &err);

        note_trial_end(work, place->trial, status, &err);
    }
    lab_crawler_release(&crawler);
}

static scent_status run_all(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    uint32_t repeats = lab->experiment->repeats;
    size_t ntrials = lab->ntopics * repeats;
    struct work evaluation = {
        .lab = lab, .options = options, .what = "topics seen by the committee", .all = lab->ntopics};
    struct work crawls = {
        .lab = lab, .options = options, .what = "crawls", .all = ntrials * lab->experiment->nstrategies};

    if (lab->experiment->committee) {
        lab->evaluations = arena_zalloc(&lab->arena, lab->ntopics * sizeof *lab->evaluations);
        if (!lab->evaluations)
            return errmsg_no_memory(err);
        SCENT_TRY(spread(&evaluation, lab->ntopics, evaluate_topic, err));
        for (size_t i = 0; i < ntrials; i++) {
            lab->trials[i].evaluated = lab->evaluations[i / repeats].relevant;
            lab->trials[i].probability = lab->evaluations[i / repeats].probability;
        }
    }
    return spread(&crawls, ntrials, crawl_trial, err);
}

/* ---- the interface ---- */

static scent_status open_experiment(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    char path[4096];

    if (options->dir) { /* before hours are spent on the collection */
        static const char *const none[] = {NULL};

        snprintf(path, sizeof path, "%s/runs", options->dir);
        if (!file_is_dir(path))
            SCENT_TRY(file_expect_only(options->dir, none, "folder of results", err));
        SCENT_TRY(file_make_dir(path, err));
    }
    SCENT_TRY(open_collection(lab, options, err));
    return prepare(lab, options, err);
}

scent_status lab_open(const struct experiment *experiment, const struct lab_options *options, struct lab **out,
                      struct errmsg *err)
{
    struct lab *lab = calloc(1, sizeof *lab);
    scent_status status;

    SCENT_BUG_IF(!lab);
    lab->experiment = experiment;
    arena_init(&lab->arena, SIZE_MAX);
    status = open_experiment(lab, options, err);
    if (status == SCENT_OK)
        *out = lab;
    else
        lab_free(lab);
    return status;
}

scent_status lab_run(const struct experiment *experiment, const struct lab_options *options, struct lab **out,
                     struct errmsg *err)
{
    scent_status status;

    SCENT_TRY(lab_open(experiment, options, out, err));
    status = run_all(*out, options, err);
    if (status != SCENT_OK)
        lab_free(*out);
    return status;
}

void lab_free(struct lab *lab)
{
    if (!lab)
        return;
    for (size_t i = 0; i < lab->ntopics * lab->experiment->repeats; i++)
        free_trial(lab, &lab->trials[i]);
    for (size_t i = 0; lab->evaluations && i < lab->ntopics; i++) {
        free(lab->evaluations[i].relevant);
        free(lab->evaluations[i].probability);
    }
    external_free(lab->external);
    free(lab->scores);
    category_models_free(lab->categories);
    labels_release(&lab->labels);
    page_graph_free(lab->backlinks);
    lab_traces_free(lab->traces);
    similarity_free(lab->similarity);
    collection_close(lab->collection);
    arena_release(&lab->arena);
    free(lab);
}
