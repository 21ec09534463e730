#include "lab/lab_prepare.h"

#include "base/file.h"
#include "base/hash.h"
#include "lab/guide.h"
#include "lab/hubs.h"
#include "lab/lab_sessions.h"
#include "lab/school.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- trials ---- */

static bool asks_for_earlier(const struct experiment *experiment)
{
    for (size_t i = 0; i < experiment->nstrategies; i++)
        if (experiment->strategies[i].reuse.wanted && !experiment->strategies[i].reuse.same_seeds)
            return true;
    return false;
}

static scent_status make_draws(struct lab *lab, const struct experiment_topic *topic, uint32_t repeat,
                               struct lab_trial *place, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    place->draws = arena_zalloc(&lab->arena, lab->ndraws * sizeof *place->draws);
    if (!place->draws)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the topics");
    for (uint32_t i = 0; i < lab->ndraws && status == SCENT_OK; i++)
        status = trial_make(lab->experiment, lab->collection, &lab->labels, topic, repeat, i, &place->draws[i], err);
    place->trial = place->draws[0];
    if (status == SCENT_OK && asks_for_earlier(lab->experiment))
        status = trial_make(lab->experiment, lab->collection, &lab->labels, topic, repeat, TRIAL_EARLIER,
                            &place->earlier, err);
    return status;
}

/* All repeats of a topic, or none. */
static scent_status make_repeats(struct lab *lab, const struct experiment_topic *topic, struct errmsg *err)
{
    uint32_t repeats = lab->experiment->repeats;
    struct lab_trial *places = &lab->trials[lab->ntopics * repeats];
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < repeats && status == SCENT_OK; i++)
        status = make_draws(lab, topic, i, &places[i], err);
    if (status == SCENT_OK) {
        lab->ntopics++;
        return SCENT_OK;
    }
    for (uint32_t i = 0; i < repeats; i++) {
        for (uint32_t k = 0; places[i].draws && k < lab->ndraws; k++)
            trial_free(places[i].draws[k]);
        trial_free(places[i].earlier);
        places[i] = (struct lab_trial){0};
    }
    return status;
}

static scent_status make_trials(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct experiment_topic *topics;
    size_t count;
    scent_status status = trial_topics(lab->experiment, lab->collection, &lab->labels, &lab->arena, &topics, &count,
                                       err);

    if (status != SCENT_OK)
        return status;
    lab->ndraws = 1;
    for (size_t i = 0; i < lab->experiment->nstrategies; i++)
        if (lab->experiment->strategies[i].best_of > lab->ndraws)
            lab->ndraws = lab->experiment->strategies[i].best_of;
    lab->trials = arena_zalloc(&lab->arena, count * lab->experiment->repeats * sizeof *lab->trials);
    if (!lab->trials)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the topics");
    for (size_t i = 0; i < count; i++) {
        status = make_repeats(lab, &topics[i], err);
        if (status != SCENT_OK && status != SCENT_E_INVALID)
            return status;
        if (status == SCENT_OK)
            continue;
        log_line(options->log, LOG_WARN, "left out: %s", err->text);
        lab->skipped++;
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
    if (lab->experiment->committee &&
        !(lab->verdicts = arena_zalloc(&lab->arena, lab->ntopics * sizeof *lab->verdicts)))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the committee");
    return SCENT_OK;
}

static scent_status join_hubs(struct lab *lab, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    uint32_t npages = collection_count(lab->collection);
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < lab->ntopics * experiment->repeats; i++) {
        struct lab_trial *place = &lab->trials[i];

        for (uint32_t k = 0; k < lab->ndraws && status == SCENT_OK; k++)
            status = hubs_join(place->draws[k], lab->backlinks, npages, experiment->hubs, err);
        if (status == SCENT_OK && place->earlier)
            status = hubs_join(place->earlier, lab->backlinks, npages, experiment->hubs, err);
    }
    return status;
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
    return status == SCENT_OK && experiment->hubs ? join_hubs(lab, err) : status;
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
            context.topic = guide_topic(guide, strategy, lab_traces_find(lab->traces, &strategy->traces));
            status = strategy_open(&context, &opened, &why);
            if (status == SCENT_OK)
                strategy_close(&opened);
            guide_free(guide);
        }
        if (status != SCENT_OK)
            errmsg_fail(err, status, "%.*s:%d: %s", STR_ARG(experiment->file), strategy->line, why.text);
    }
    return status;
}

/* ---- the folder ---- */

scent_status lab_make_folder(const struct lab_options *options, struct errmsg *err)
{
    char path[4096];

    if (!options->dir)
        return SCENT_OK;
    snprintf(path, sizeof path, "%s/runs", options->dir);
    return file_make_dir(path, err);
}

/* What the crawls in the folder depend on, in one line: program, experiment, pages, labels and traces. */
static void describe(const struct lab *lab, char *out, size_t room)
{
    uint64_t labels = lab_traces_digest(lab->traces);

    for (size_t i = 0; i < lab->labels.count; i++)
        labels = hash_mix(labels, hash_str(lab->labels.rows[i].category, lab->labels.rows[i].page));
    snprintf(out, room, "scent " SCENT_VERSION " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 "\n",
             hash_str(lab->experiment->source, 0), collection_digest(lab->collection), labels);
}

/* Crawls that were kept belong to this experiment, or the folder is another's. */
static scent_status claim_folder(const struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    char path[4096], text[128];
    struct buf old;
    scent_status status;

    if (!options->dir)
        return SCENT_OK;
    describe(lab, text, sizeof text);
    snprintf(path, sizeof path, "%s/runs/experiment.id", options->dir);
    buf_init(&old, 0);
    status = file_read(path, &old, err);
    if (status == SCENT_E_NOTFOUND)
        status = file_replace(path, str_of(text), err);
    else if (status == SCENT_OK && !str_eq(buf_str(&old), str_of(text)))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s holds the crawls of another experiment, collection, labels, traces or version of "
                             "scent: "
                             "choose another folder with -o, or remove this one", options->dir);
    buf_release(&old);
    return status;
}

/* ---- labels ---- */

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

scent_status lab_prepare(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    uint32_t npages = collection_count(lab->collection);
    char path[4096];
    const char *labels = find_labels(experiment, path, sizeof path);
    scent_status status = SCENT_OK;

    if (labels || experiment->relevance != RELEVANT_BY_QUERY)
        status = labels_read(lab->collection, labels, options->log, &lab->labels, err);
    if (status == SCENT_OK)
        status = school_new(experiment, lab->collection, &lab->labels, &lab->school, err);
    lab->labels.school = lab->school;
    lab->room = experiment->budget < npages ? experiment->budget : npages;
    if (status == SCENT_OK)
        status = make_trials(lab, options, err);
    if (status == SCENT_OK)
        status = make_runs(lab, err);
    if (status == SCENT_OK)
        status = find_backlinks(lab, err);
    if (status == SCENT_OK && experiment->similarity &&
        (status = similarity_new(lab->collection, &lab->similarity)) != SCENT_OK)
        errmsg_fail(err, status, "the pages' similarity cannot be measured: %s", scent_status_text(status));
    if (status == SCENT_OK)
        status = lab_traces_new(experiment, lab->collection, options->log, &lab->traces, err);
    if (status == SCENT_OK)
        status = lab_sessions(lab, options, err);
    if (status == SCENT_OK)
        status = check_strategies(lab, err);
    return status == SCENT_OK ? claim_folder(lab, options, err) : status;
}
