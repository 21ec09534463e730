#include "lab/lab_prepare.h"

#include "base/file.h"
#include "base/hash.h"
#include "lab/guide.h"
#include "lab/hubs.h"
#include "lab/school.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- trials ---- */

/* All repeats of a topic, or none. */
static scent_status make_repeats(struct lab *lab, const struct experiment_topic *topic, struct errmsg *err)
{
    struct lab_trial *first = &lab->trials[lab->ntopics * lab->experiment->repeats];
    uint32_t made = 0;
    scent_status status = SCENT_OK;

    while (made < lab->experiment->repeats && status == SCENT_OK) {
        status = trial_make(lab->experiment, lab->collection, &lab->labels, topic, made, &first[made].trial, err);
        made += status == SCENT_OK;
    }
    if (status == SCENT_OK)
        lab->ntopics++;
    else
        while (made > 0)
            trial_free(first[--made].trial);
    return status;
}

static scent_status make_trials(struct lab *lab, const struct lab_options *options, struct errmsg *err)
{
    struct experiment_topic *topics;
    size_t count;
    scent_status status = trial_topics(lab->experiment, &lab->labels, &lab->arena, &topics, &count, err);

    if (status != SCENT_OK)
        return status;
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
    if (lab->experiment->committee && !(lab->verdicts = arena_zalloc(&lab->arena, lab->ntopics * sizeof *lab->verdicts)))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the committee");
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

/* What the crawls in the folder depend on, in one line: program, experiment, pages, labels. */
static void describe(const struct lab *lab, char *out, size_t room)
{
    uint64_t labels = 0;

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
                             "%s holds the crawls of another experiment, collection, labels or version of scent: choose "
                             "another folder with -o, or remove this one", options->dir);
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
    if (status == SCENT_OK && experiment->similarity && (status = similarity_new(lab->collection, &lab->similarity)) != SCENT_OK)
        errmsg_fail(err, status, "the pages' similarity cannot be measured: %s", scent_status_text(status));
    if (status == SCENT_OK)
        status = check_strategies(lab, err);
    return status == SCENT_OK ? claim_folder(lab, options, err) : status;
}
