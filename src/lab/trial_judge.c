#include "lab/trial_judge.h"

#include "base/hash.h"
#include "lab/trial_model.h"
#include "lab/trial_session.h"
#include "strategy/strategy.h"
#include "topic/external.h"

#include <math.h>
#include <stdlib.h>

struct trial_judge {
    const struct trial_judge_basis *basis;
    const struct trial *trial;
    struct experiment_model model;
    struct topic *topic;
    struct topic variant;         /* the same topic with the strategy that is opened next */
    struct trained of_trial;      /* none: the model is that of the labels, which all trials share */
    struct rulebook *rules;
    struct knowledge knowledge; /* of these, and of what the trial and the lab own */
    struct buf studied;         /* what the strategy learned before the crawl */
    struct judge *judge;
    struct arena arena;         /* of the verdicts */
    struct judgement *verdicts; /* of every page; version 0: not judged yet */
};

enum { VERSION = 1 };

/* ---- making ---- */

/* The judge's predicate: the trial's, or what a trained topic has by default; and the keyword, where there is one. */
static void write_relevant(const struct experiment *experiment, const struct trial *trial, struct buf *out)
{
    struct str own = trial->predicate.len ? trial->predicate : STR("classifier() > 0.5");

    if (!trial->keyword.len) {
        buf_add(out, trial->predicate);
        return;
    }
    if (trial->predicate.len || experiment->examples)
        buf_printf(out, "(%.*s) and ", STR_ARG(own));
    trial_keyword_write(trial->keyword, out);
}

/* Nothing but the strategy decides here: no limits, and every page that is linked is wanted. */
static scent_status make_topic(const struct experiment *experiment, const struct trial *trial,
                               const struct experiment_model *model, struct topic **out, struct errmsg *err)
{
    static const struct str examples[] = {{"seeds", 5}, {"negatives", 9}};
    struct topic *topic = topic_new(STR("lab"));
    struct buf relevant;
    struct str *targets;
    scent_status status;

    *out = topic;
    topic->politeness.ignore_page_robots = topic->politeness.ignore_rel_nofollow = true;
    topic->limits.depth = 4095;
    topic->limits.per_pattern = 0;
    topic->limits.urls_per_domain = 0;
    if (model->taxonomy) {
        targets = arena_array(&topic->arena, trial->nalso + 1, sizeof *targets);
        if (!targets)
            return errmsg_no_memory(err);
        targets[0] = trial->category;
        for (size_t i = 0; i < trial->nalso; i++)
            targets[i + 1] = trial->also[i];
        topic->taxonomy.file = STR("labels");
        topic->taxonomy.targets = targets;
        topic->taxonomy.ntargets = trial->nalso + 1;
    } else if (experiment->examples) {
        topic->examples.positive = &examples[0];
        topic->examples.negative = &examples[1];
        topic->examples.npositive = topic->examples.nnegative = 1;
    }
    if (experiment->judge == JUDGED_BY_PROGRAM)
        topic->judge = experiment->program;
    if (trial->browsing)
        topic->browsing_file = STR("sessions");
    buf_init(&relevant, 0);
    write_relevant(experiment, trial, &relevant);
    status = topic_complete(topic, trial->query, buf_str(&relevant), err);
    buf_release(&relevant);
    return status;
}

/* The model of the labels, which all trials share, and its rules. */
static scent_status take_categories(struct trial_judge *judge, struct errmsg *err)
{
    const struct category_model *learned = category_models_find(judge->basis->categories, &judge->model);
    bool *wanted;
    uint32_t count;

    SCENT_BUG_IF(!learned);
    SCENT_TRY(knowledge_arrange_rules(learned->model, learned->rules, &judge->rules, err));
    judge->knowledge.model = learned->model;
    judge->knowledge.rules = judge->rules;
    wanted = calloc(model_nclasses(learned->model), sizeof *wanted);
    SCENT_BUG_IF(!wanted);
    count = knowledge_wanted_classes(judge->topic, learned->model, wanted);
    free(wanted);
    return count ? SCENT_OK
                 : errmsg_fail(err, SCENT_E_INVALID,
                               "too few training pages have the category '%.*s', and they went into its parent: lower "
                               "taxonomy.min_leaf, or name other topics", STR_ARG(judge->trial->category));
}

static scent_status make_judge(struct trial_judge *judge, struct errmsg *err)
{
    const struct trial *trial = judge->trial;
    struct centroid seeds;
    scent_status status = SCENT_OK;

    centroid_init(&seeds);
    for (size_t i = 0; i < trial->nseeds && status == SCENT_OK; i++) {
        const struct page *page = collection_page(judge->basis->collection, trial->seeds[i], NULL);

        status = page ? centroid_add_page(&seeds, page) : SCENT_E_FORMAT;
    }
    if (status == SCENT_OK)
        judge->judge = judge_new(&(struct judge_basis){
            .topic = judge->topic,
            .knowledge = &judge->knowledge,
            .seeds = &seeds,
            .wants = JUDGE_COSINE | JUDGE_QUERY | JUDGE_CLASSES | JUDGE_BROWSING,
            .version = VERSION,
        });
    else
        errmsg_fail(err, status, "the seeds cannot be read: %s", scent_status_text(status));
    centroid_release(&seeds);
    return status;
}

static scent_status train(struct trial_judge *judge, struct errmsg *err)
{
    const struct trial_judge_basis *basis = judge->basis;

    SCENT_TRY(trial_model_train(basis->collection, basis->backlinks, judge->trial, basis->experiment->seed,
                                &judge->model, &judge->of_trial, err));
    judge->knowledge.model = judge->of_trial.judge;
    judge->knowledge.guide = judge->of_trial.guide;
    return SCENT_OK;
}

static scent_status prepare(struct trial_judge *judge, struct errmsg *err)
{
    SCENT_TRY(make_topic(judge->basis->experiment, judge->trial, &judge->model, &judge->topic, err));
    judge->knowledge.external = judge->basis->external;
    judge->knowledge.browsing = trial_session_model(judge->trial, &judge->model.browsing);
    /* What the background sample of a crawl would say, from the whole collection: the same for all strategies. */
    judge->knowledge.sample = judge->trial->term_counts;
    if (judge->model.taxonomy)
        SCENT_TRY(take_categories(judge, err));
    else if (judge->basis->experiment->examples)
        SCENT_TRY(train(judge, err));
    if (judge->knowledge.model)
        SCENT_TRY(knowledge_check_model(judge->topic, judge->knowledge.model, err));
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
    buf_init(&judge->studied, 0);
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
    topic_free(judge->topic);
    trained_release(&judge->of_trial);
    rulebook_free(judge->rules);
    arena_release(&judge->arena);
    buf_release(&judge->studied);
    free(judge->verdicts);
    free(judge);
}

/* ---- asking ---- */

bool trial_judge_fits(const struct trial_judge *judge, const struct trial *trial, const struct experiment_model *model)
{
    return judge->trial == trial && experiment_same_model(&judge->model, model);
}

static scent_status study(struct trial_judge *judge, struct errmsg *err)
{
    const struct trial *trial = judge->trial;
    struct strategy_known known = {judge->basis->backlinks, trial->seeds, trial->nseeds};
    struct strategy_context context = {
        .topic = &judge->variant,
        .knowledge = &judge->knowledge,
        .seed = hash_mix(hash_str(trial->name, judge->basis->experiment->seed),
                         (uint64_t)trial->draw << 32 | trial->repeat),
    };

    SCENT_TRY(strategy_study(&context, &known, &judge->studied, err));
    judge->knowledge.studied = buf_str(&judge->studied);
    return SCENT_OK;
}

scent_status trial_judge_prepare(struct trial_judge *judge, const struct experiment_strategy *strategy,
                                 const struct trace *trace, struct errmsg *err)
{
    const struct strategy_ops *ops = strategy_find(strategy->name);

    buf_clear(&judge->studied);
    judge->knowledge.studied = STR_NONE;
    judge->knowledge.trace = trace;
    judge->variant = *judge->topic; /* with the strategy that a crawl would choose */
    if (ops) {
        judge->variant.strategy = strategy->name;
        judge->variant.options = strategy->options;
        judge->variant.noptions = strategy->noptions;
    }
    return ops && ops->study ? study(judge, err) : SCENT_OK;
}

const struct topic *trial_judge_topic(const struct trial_judge *judge)
{
    return &judge->variant;
}

const struct knowledge *trial_judge_knowledge(const struct trial_judge *judge)
{
    return &judge->knowledge;
}

const struct judgement *trial_judge_page(void *ctx, uint32_t number, const struct page *page, bool seed)
{
    struct trial_judge *judge = ctx;
    struct judgement *verdict = &judge->verdicts[number];
    struct judge_input input = {.page = page, .seed = seed, .arena = &judge->arena};

    struct external_answer answer = {0};

    if (verdict->version)
        return verdict;
    if (judge->basis->scores) {
        answer.is_given = !isnan(judge->basis->scores[number]);
        answer.score = answer.is_given ? judge->basis->scores[number] : 0;
        input.external = &answer;
    }
    judge_page(judge->judge, &input, verdict);
    if (judge->basis->experiment->judge == JUDGED_BY_LABEL) {
        verdict->relevant = judge->trial->relevant[number];
        verdict->score = verdict->relevant;
    }
    return verdict;
}
