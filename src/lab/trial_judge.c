#include "lab/trial_judge.h"

#include "lab/trial_model.h"
#include "topic/census.h"
#include "topic/vector.h"

#include <stdlib.h>

struct trial_judge {
    const struct trial_judge_basis *basis;
    const struct trial *trial;
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

/* The judge's predicate: the experiment's, or what a trained topic has by default; and the keyword, where there is
 * one. */
static void write_relevant(const struct experiment *experiment, const struct trial *trial, struct buf *out)
{
    struct str own = experiment->relevant.len ? experiment->relevant : STR("classifier() > 0.5");
    struct buf text;

    if (!trial->keyword.len && !experiment->relevant.len)
        return;
    buf_init(&text, 0);
    if (trial->keyword.len) {
        buf_printf(&text, "(%.*s) and ", STR_ARG(own));
        trial_keyword_write(trial->keyword, &text);
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
static scent_status attach_categories(struct trial_judge *judge, struct errmsg *err)
{
    const struct category_model *learned = category_models_find(judge->basis->categories, &judge->model);
    bool *wanted;
    scent_status status;

    SCENT_BUG_IF(!learned);
    status = topic_lend_model(judge->topic, learned->model, err);
    if (status == SCENT_OK)
        status = topic_attach_rules(judge->topic, learned->rules, err);
    if (status != SCENT_OK)
        return status;
    wanted = calloc(model_nclasses(learned->model), sizeof *wanted);
    SCENT_BUG_IF(!wanted);
    if (!topic_wanted_classes(judge->topic, wanted))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "too few training pages have the category '%.*s', and they went into its parent: lower "
                             "taxonomy.min_leaf, or name other topics", STR_ARG(judge->trial->category));
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

static scent_status make_judge(struct trial_judge *judge, struct errmsg *err)
{
    struct text_vector centroid;
    struct judge_basis basis = {
        .topic = judge->topic,
        .centroid = &centroid,
        .wants = JUDGE_SIMILAR | JUDGE_QUERY | JUDGE_CLASSES | JUDGE_BROWSING,
        .version = VERSION,
    };
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = find_centroid(judge->basis->collection, judge->trial, &arena, &centroid);
    if (status == SCENT_OK)
        judge->judge = judge_new(&basis);
    else
        errmsg_fail(err, status, "the seeds cannot be read: %s", scent_status_text(status));
    arena_release(&arena);
    return status;
}

/* What the background sample of a crawl would say, from the whole collection: the same for all strategies. */
static scent_status attach_census(struct trial_judge *judge, struct errmsg *err)
{
    struct census *census = census_new(judge->topic->query);
    scent_status status = census_read(census, buf_str(&judge->trial->census), "census", err);

    if (status == SCENT_OK)
        topic_attach_sample(judge->topic, census);
    else
        census_free(census);
    return status;
}

static scent_status train(const struct trial_judge *judge, struct model **out, struct errmsg *err)
{
    const struct trial_judge_basis *basis = judge->basis;
    const struct model_options *options = &judge->model.options;

    if (judge->model.backlinks)
        return trial_model_train_backlinks(basis->collection, basis->backlinks, judge->trial, basis->experiment->seed,
                                           options, out, err);
    return trial_model_train(basis->collection, judge->trial, options, out, err);
}

static scent_status prepare(struct trial_judge *judge, struct errmsg *err)
{
    struct model *model;

    SCENT_TRY(make_topic(judge->basis->experiment, judge->trial, &judge->model, &judge->topic, err));
    judge->topic->browsing = judge->trial->browse;
    if (judge->trial->query.len)
        SCENT_TRY(attach_census(judge, err));
    if (judge->model.taxonomy) {
        SCENT_TRY(attach_categories(judge, err));
    } else {
        SCENT_TRY(train(judge, &model, err));
        SCENT_TRY(topic_attach_model(judge->topic, model, err));
    }
    return make_judge(judge, err);
}

scent_status trial_judge_new(const struct trial_judge_basis *basis, const struct trial *trial,
                             const struct experiment_model *model, struct trial_judge **out, struct errmsg *err)
{
    struct trial_judge *judge = calloc(1, sizeof *judge);
    scent_status status;

    SCENT_BUG_IF(!judge);
    judge->basis = basis;
    judge->trial = trial;
    judge->model = *model;
    arena_init(&judge->arena, SIZE_MAX);
    judge->verdicts = calloc(collection_count(basis->collection), sizeof *judge->verdicts);
    SCENT_BUG_IF(!judge->verdicts);
    status = prepare(judge, err);
    if (status == SCENT_OK)
        *out = judge;
    else
        trial_judge_free(judge);
    return status;
}

void trial_judge_free(struct trial_judge *judge)
{
    if (!judge)
        return;
    judge_unref(judge->judge);
    if (judge->topic) {
        judge->topic->trace = NULL; /* they would be freed with their topic */
        judge->topic->browsing = NULL;
    }
    topic_free(judge->topic);
    arena_release(&judge->arena);
    free(judge->verdicts);
    free(judge);
}

/* ---- asking ---- */

bool trial_judge_fits(const struct trial_judge *judge, const struct trial *trial, const struct experiment_model *model)
{
    return judge->trial == trial && experiment_same_model(&judge->model, model);
}

const struct topic *trial_judge_topic(struct trial_judge *judge, const struct experiment_strategy *strategy,
                                      const struct trace *trace)
{
    judge->topic->trace = trace;
    judge->topic->strategy = strategy->name;
    judge->topic->options = strategy->options;
    judge->topic->noptions = strategy->noptions;
    return judge->topic;
}

const struct judgement *trial_judge_page(void *ctx, uint32_t number, const struct page *page, bool seed)
{
    struct trial_judge *judge = ctx;
    struct judgement *verdict = &judge->verdicts[number];
    struct judge_input input = {.page = page, .seed = seed, .arena = &judge->arena};

    if (verdict->version)
        return verdict;
    judge_page(judge->judge, &input, verdict);
    if (judge->basis->experiment->judge == JUDGED_BY_LABEL) {
        verdict->relevant = judge->trial->relevant[number];
        verdict->score = verdict->relevant;
    }
    return verdict;
}
