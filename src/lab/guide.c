#include "lab/guide.h"

#include "lab/backlink_training.h"
#include "lab/keyword.h"
#include "lab/school.h"
#include "topic/census.h"
#include "topic/vector.h"

#include <stdlib.h>

struct guide {
    const struct trial *trial;
    bool by_label;
    struct experiment_model model;
    struct topic *topic;
    struct judge *judge;
    struct arena arena;         /* of the verdicts */
    struct judgement *verdicts; /* of every page; version 0: not judged yet */
};

enum { VERSION = 1 };

/* ---- making ---- */

static void quote(struct buf *out, struct str s)
{
    buf_addc(out, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\'')
            buf_addc(out, '\'');
        buf_addc(out, s.p[i]);
    }
    buf_addz(out, "'\n");
}

/* The judge's predicate: the experiment's, or what a trained topic has by default; and the keyword, where there is one. */
static void write_relevant(const struct experiment *experiment, const struct trial *trial, struct buf *out)
{
    struct str own = experiment->relevant.len ? experiment->relevant : STR("classifier() > 0.5");
    struct buf text;

    if (!trial->keyword.len && !experiment->relevant.len)
        return;
    buf_init(&text, 0);
    if (trial->keyword.len) {
        buf_printf(&text, "(%.*s) and ", STR_ARG(own));
        keyword_write(trial->keyword, &text);
    } else {
        buf_add(&text, own);
    }
    buf_addz(out, "relevant: ");
    quote(out, buf_str(&text));
    buf_release(&text);
}

static void quote_all(struct buf *out, const struct trial *trial)
{
    buf_addc(out, '\n');
    for (size_t i = 0; i <= trial->nalso; i++) {
        buf_addz(out, "    - ");
        quote(out, i ? trial->also[i - 1] : trial->category);
    }
}

/* Nothing but the strategy decides here: no limits, and every page that is linked is wanted. */
static scent_status make_topic(const struct experiment *experiment, const struct trial *trial,
                               const struct experiment_model *model, struct topic **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    buf_addz(&text, "topic: lab\nseeds: [http://lab.test/]\n"
                    "politeness: {page_robots: ignore, rel_nofollow: ignore}\n"
                    "limits: {depth: 4095, per_pattern: 0, per_host: 0, per_domain: 0}\n");
    if (model->taxonomy) {
        buf_addz(&text, "model: bayes\ntaxonomy:\n  file: labels\n  target: ");
        quote_all(&text, trial);
    } else {
        buf_addz(&text, "examples: {positive: seeds, negative: negatives}\n");
    }
    if (trial->query.len) {
        buf_addz(&text, "query: ");
        quote(&text, trial->query);
    }
    write_relevant(experiment, trial, &text);
    status = topic_parse(buf_str(&text), "experiment", out, err);
    buf_release(&text);
    return status;
}

/* The model of the labels, which all trials share, and its rules. */
static scent_status attach_lesson(struct guide *guide, struct errmsg *err)
{
    const struct school_lesson *lesson = school_lesson(guide->trial->school, &guide->model);
    bool *wanted;
    scent_status status;

    SCENT_BUG_IF(!lesson);
    status = topic_lend_model(guide->topic, lesson->model, err);
    if (status == SCENT_OK)
        status = topic_attach_rules(guide->topic, lesson->rules, err);
    if (status != SCENT_OK)
        return status;
    wanted = calloc(model_nclasses(lesson->model), sizeof *wanted);
    SCENT_BUG_IF(!wanted);
    if (!topic_wanted_classes(guide->topic, wanted))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "too few pages of the category '%.*s' are taught, and they went into its parent: lower "
                             "taxonomy.min_leaf, or name other topics", STR_ARG(guide->trial->category));
    free(wanted);
    return status;
}

/* The mean of the seeds' vectors, for similar(). */
static scent_status find_centroid(const struct collection *collection, const struct trial *trial, struct arena *arena,
                                  struct text_vector *out)
{
    struct centroid centroid;
    scent_status status = SCENT_OK;

    centroid_init(&centroid);
    for (size_t i = 0; i < trial->nseeds && status == SCENT_OK; i++) {
        const struct page *page = collection_page(collection, trial->seeds[i], NULL);
        struct text_vector vector;

        status = page ? topic_page_vector(page, arena, &vector) : SCENT_E_FORMAT;
        if (status == SCENT_OK)
            status = centroid_add(&centroid, &vector);
    }
    if (status == SCENT_OK)
        status = centroid_vector(&centroid, arena, out);
    centroid_release(&centroid);
    return status;
}

static scent_status make_judge(struct guide *guide, const struct collection *collection, struct errmsg *err)
{
    struct text_vector centroid;
    struct judge_basis basis = {
        .topic = guide->topic,
        .centroid = &centroid,
        .wants = JUDGE_SIMILAR | JUDGE_QUERY | JUDGE_CLASSES | JUDGE_BROWSING,
        .version = VERSION,
    };
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = find_centroid(collection, guide->trial, &arena, &centroid);
    if (status == SCENT_OK)
        guide->judge = judge_new(&basis);
    else
        errmsg_fail(err, status, "the seeds cannot be read: %s", scent_status_text(status));
    arena_release(&arena);
    return status;
}

/* What the background sample of a crawl would say, from the whole collection: the same for all strategies. */
static scent_status attach_census(struct guide *guide, struct errmsg *err)
{
    struct census *census = census_new(guide->topic->query);
    scent_status status = census_read(census, buf_str(&guide->trial->census), "census", err);

    if (status == SCENT_OK)
        topic_attach_sample(guide->topic, census);
    else
        census_free(census);
    return status;
}

static scent_status train(const struct guide *guide, const struct experiment *experiment,
                          const struct collection *collection, const struct backlinks *backlinks, struct model **out,
                          struct errmsg *err)
{
    const struct trial *trial = guide->trial;
    const struct model_options *options = &guide->model.options;

    if (guide->model.backlinks)
        return backlink_train(collection, backlinks, trial, experiment->seed, options, out, err);
    return trial_train(collection, options, trial->seeds, trial->nseeds, trial->negatives, trial->nnegatives, out, err);
}

static scent_status prepare(struct guide *guide, const struct experiment *experiment,
                            const struct collection *collection, const struct backlinks *backlinks,
                            struct errmsg *err)
{
    struct model *model;
    scent_status status = make_topic(experiment, guide->trial, &guide->model, &guide->topic, err);

    if (status == SCENT_OK)
        guide->topic->browsing = guide->trial->browse;
    if (status == SCENT_OK && guide->trial->query.len)
        status = attach_census(guide, err);
    if (status == SCENT_OK && guide->model.taxonomy) {
        status = attach_lesson(guide, err);
        return status == SCENT_OK ? make_judge(guide, collection, err) : status;
    }
    if (status == SCENT_OK)
        status = train(guide, experiment, collection, backlinks, &model, err);
    if (status == SCENT_OK)
        status = topic_attach_model(guide->topic, model, err);
    return status == SCENT_OK ? make_judge(guide, collection, err) : status;
}

scent_status guide_new(const struct experiment *experiment, const struct collection *collection,
                       const struct backlinks *backlinks, const struct trial *trial,
                       const struct experiment_model *model, struct guide **out, struct errmsg *err)
{
    struct guide *guide = calloc(1, sizeof *guide);
    scent_status status;

    SCENT_BUG_IF(!guide);
    guide->trial = trial;
    guide->by_label = experiment->judge == JUDGED_BY_LABEL;
    guide->model = *model;
    arena_init(&guide->arena, SIZE_MAX);
    guide->verdicts = calloc(collection_count(collection), sizeof *guide->verdicts);
    SCENT_BUG_IF(!guide->verdicts);
    status = prepare(guide, experiment, collection, backlinks, err);
    if (status == SCENT_OK)
        *out = guide;
    else
        guide_free(guide);
    return status;
}

void guide_free(struct guide *guide)
{
    if (!guide)
        return;
    judge_unref(guide->judge);
    if (guide->topic) {
        guide->topic->trace = NULL; /* they would be freed with their topic */
        guide->topic->browsing = NULL;
    }
    topic_free(guide->topic);
    arena_release(&guide->arena);
    free(guide->verdicts);
    free(guide);
}

/* ---- asking ---- */

bool guide_fits(const struct guide *guide, const struct experiment_model *model)
{
    return experiment_same_model(&guide->model, model);
}

const struct trial *guide_trial(const struct guide *guide)
{
    return guide->trial;
}

const struct topic *guide_topic(struct guide *guide, const struct experiment_strategy *strategy,
                                const struct trace *trace)
{
    guide->topic->trace = trace;
    guide->topic->strategy = strategy->name;
    guide->topic->options = strategy->options;
    guide->topic->noptions = strategy->noptions;
    return guide->topic;
}

const struct judgement *guide_judge(void *ctx, uint32_t number, const struct page *page, bool seed)
{
    struct guide *guide = ctx;
    struct judgement *verdict = &guide->verdicts[number];
    struct judge_input input = {.page = page, .seed = seed, .arena = &guide->arena};

    if (verdict->version)
        return verdict;
    judge_page(guide->judge, &input, verdict);
    if (guide->by_label) {
        verdict->relevant = guide->trial->relevant[number];
        verdict->score = verdict->relevant;
    }
    return verdict;
}
