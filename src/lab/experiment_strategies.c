#include "base/hash.h"
#include "lab/experiment_read.h"
#include "strategy/strategy.h"

enum { MAX_STRATEGIES = 64, MAX_FUSIONS = 64 };

/* ---- models ---- */

static scent_status read_kind(const struct conf_node *node, struct model_options *out, struct errmsg *err)
{
    struct str text = STR_NONE;
    enum model_kind kind;
    scent_status status = conf_str(node, &text, err);

    if (status != SCENT_OK)
        return status;
    if (!model_kind_parse(text, &kind))
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, got '%s'", conf_show(text).text);
    *out = model_options_default(kind);
    return SCENT_OK;
}

static scent_status read_train(const struct conf_node *node, struct experiment_model *model, struct errmsg *err)
{
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (!node || status != SCENT_OK)
        return status;
    model->backlinks = str_eq(text, STR("backlinks"));
    model->taxonomy = str_eq(text, STR("taxonomy"));
    return model->backlinks || model->taxonomy || str_eq(text, STR("pages"))
               ? SCENT_OK
               : conf_fail(node, err, "expected pages (the examples themselves), backlinks (the words around links to "
                                      "them) or taxonomy (all categories of the labels), got '%s'", conf_show(text).text);
}

static scent_status read_weighting(const struct conf_node *node, enum text_weighting *out, struct errmsg *err)
{
    struct str text = *out == TEXT_ATN ? STR("atn") : STR("ltc");
    scent_status status = conf_str(node, &text, err);

    if (status != SCENT_OK)
        return status;
    if (!str_eq(text, STR("ltc")) && !str_eq(text, STR("atn")))
        return conf_fail(node, err, "expected ltc or atn, got '%s'", conf_show(text).text);
    *out = str_eq(text, STR("atn")) ? TEXT_ATN : TEXT_LTC;
    return SCENT_OK;
}

/* "logistic", or {kind: logistic, C: 10, train: backlinks}. */
static scent_status read_model(const struct conf_node *node, struct experiment_model *model, struct errmsg *err)
{
    static const char *const known[] = {"kind", "C", "alpha", "flatten", "hidden", "train", "weighting", NULL};
    struct model_options *out = &model->options;
    scent_status status;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_MAP)
        return read_kind(node, out, err);
    status = conf_expect_map(node, known, err);
    if (status == SCENT_OK && conf_get(node, "kind"))
        status = read_kind(conf_get(node, "kind"), out, err);
    if (status == SCENT_OK)
        status = read_train(conf_get(node, "train"), model, err);
    if (status == SCENT_OK && model->taxonomy && !conf_get(node, "kind"))
        *out = model_options_default(MODEL_BAYES); /* the kind that learns a taxonomy in a topic file, too */
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "flatten"), 0, 1e6, &out->flatten, err);
    if (status == SCENT_OK && conf_get(node, "weighting"))
        status = read_weighting(conf_get(node, "weighting"), &out->weighting, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "C"), 1e-6, 1e6, &out->C, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "alpha"), 1e-9, 1e3, &out->alpha, err);
    return status == SCENT_OK ? experiment_read_u32(conf_get(node, "hidden"), 1, MODEL_HIDDEN_MAX, &out->hidden, err)
                              : status;
}

bool experiment_trains_on(const struct experiment *experiment, struct str url)
{
    /* The upper 32 bits as a number in [0, 1). */
    return (double)(hash_str(url, experiment->seed) >> 32) / 4294967296. < experiment->taxonomy.share;
}

bool experiment_same_model(const struct experiment_model *a, const struct experiment_model *b)
{
    const struct model_options *x = &a->options, *y = &b->options;

    return a->backlinks == b->backlinks && a->taxonomy == b->taxonomy && x->kind == y->kind &&
           x->weighting == y->weighting && x->C == y->C && x->alpha == y->alpha && x->hidden == y->hidden &&
           x->flatten == y->flatten;
}

/* ---- strategies ---- */

/* Rules are counted where the categories are learned. */
static scent_status check_categories(struct experiment *experiment, const struct conf_node *node,
                                    const struct experiment_strategy *strategy, struct errmsg *err)
{
    experiment->trains_on_labels |= strategy->model.taxonomy;
    if (str_eq(strategy->name, STR("rules")) && !strategy->model.taxonomy)
        return conf_fail(node, err, "rules needs a model of all categories; write 'model: {train: taxonomy}'");
    return SCENT_OK;
}

/* Models of browsing are learned from sessions. */
static scent_status check_browsing(const struct experiment *experiment, const struct conf_node *node,
                                   const struct experiment_strategy *strategy, struct errmsg *err)
{
    bool wanted = str_eq(strategy->name, STR("hmm"));

    for (size_t i = 0; i < strategy->noptions; i++)
        wanted |= str_eq(strategy->name, STR("best-first")) && str_eq(strategy->options[i].key, STR("by")) &&
                  str_eq(strategy->options[i].value, STR("browsing"));
    if (wanted && !experiment->sessions.kind)
        return conf_fail(node, err,
                         "it follows somebody's browsing, and there is none: write 'sessions: {walks: 40}' for a "
                         "simulated person, or 'sessions: {traces: access.log}' for the users of a log");
    return SCENT_OK;
}

static bool is_reserved(struct str key)
{
    static const char *const words[] = {"name", "as", "model", "traces", "best_of", "reuse", NULL};

    for (size_t i = 0; words[i]; i++)
        if (str_eq(key, str_of(words[i])))
            return true;
    return false;
}

static scent_status read_options(struct experiment *experiment, const struct conf_node *map,
                                 struct experiment_strategy *strategy, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    strategy->options = arena_array(&experiment->arena, conf_count(map) + 1, sizeof *strategy->options);
    if (!strategy->options)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(map) && status == SCENT_OK; i++) {
        struct topic_option *option = &strategy->options[strategy->noptions];

        if (is_reserved(conf_key(map, i)))
            continue;
        option->key = arena_str(&experiment->arena, conf_key(map, i));
        if (!option->key.p)
            return experiment_no_memory(err);
        status = experiment_read_str(experiment, conf_item(map, i), &option->value, err);
        strategy->noptions++;
    }
    return status;
}

/* The names of all strategies, for messages. */
static const char *list_strategies(struct buf *out)
{
    for (size_t i = 0; strategy_at(i); i++)
        buf_printf(out, "%s%s", i ? ", " : "", strategy_at(i)->name);
    return buf_z(out);
}

static scent_status check_name(const struct conf_node *node, struct str name, struct errmsg *err)
{
    struct buf list;
    scent_status status;

    if (strategy_find(name))
        return SCENT_OK;
    buf_init(&list, 0);
    status = conf_fail(node, err, "there is no strategy '%s'; there are %s", conf_show(name).text,
                       list_strategies(&list));
    buf_release(&list);
    return status;
}

static scent_status read_strategy(struct experiment *experiment, const struct conf_node *node,
                                  struct experiment_strategy *out, struct errmsg *err)
{
    bool is_map = conf_kind(node) == CONF_MAP;
    const struct conf_node *name = is_map ? conf_get(node, "name") : node;
    scent_status status;

    out->line = conf_line(node);
    if (!name)
        return conf_fail(node, err, "the key 'name' is missing; write for example {name: full-page, model: svm}");
    status = experiment_read_str(experiment, name, &out->name, err);
    if (status == SCENT_OK)
        status = check_name(name, out->name, err);
    out->label = out->name;
    if (status != SCENT_OK || !is_map)
        return status;
    status = experiment_read_str(experiment, conf_get(node, "as"), &out->label, err);
    if (status == SCENT_OK)
        status = read_model(conf_get(node, "model"), &out->model, err);
    if (status == SCENT_OK)
        status = experiment_read_arm(experiment, node, out, err);
    return status == SCENT_OK ? read_options(experiment, node, out, err) : status;
}

static bool find_strategy(const struct experiment *experiment, struct str label, size_t *out)
{
    for (size_t i = 0; i < experiment->nstrategies; i++)
        if (str_eq(experiment->strategies[i].label, label)) {
            *out = i;
            return true;
        }
    return false;
}

static scent_status read_list(struct experiment *experiment, const struct conf_node *root,
                              const struct experiment_model *model, struct errmsg *err)
{
    const struct conf_node *list = conf_get(root, "strategies");

    if (!list || conf_kind(list) != CONF_LIST || conf_count(list) == 0 || conf_count(list) > MAX_STRATEGIES)
        return list ? conf_fail(list, err, "expected a list of 1 to %d strategies", MAX_STRATEGIES)
                    : conf_fail(root, err, "the key 'strategies' is missing: list the strategies to compare");
    experiment->strategies = arena_zalloc(&experiment->arena, conf_count(list) * sizeof *experiment->strategies);
    if (!experiment->strategies)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(list); i++) {
        struct experiment_strategy *strategy = &experiment->strategies[i];
        scent_status status;
        size_t other;

        strategy->model = *model;
        strategy->traces = experiment->traces;
        strategy->best_of = 1;
        status = read_strategy(experiment, conf_item(list, i), strategy, err);
        if (status == SCENT_OK)
            status = check_categories(experiment, conf_item(list, i), strategy, err);
        if (status == SCENT_OK)
            status = check_browsing(experiment, conf_item(list, i), strategy, err);
        if (status != SCENT_OK)
            return status;
        if (find_strategy(experiment, strategy->label, &other))
            return conf_fail(conf_item(list, i), err, "'%s' stands here twice; tell them apart with 'as: another name'",
                             conf_show(strategy->label).text);
        experiment->nstrategies++;
    }
    return SCENT_OK;
}

/* ---- comparisons ---- */

static scent_status read_label(struct experiment *experiment, const struct conf_node *node, size_t *out,
                               struct errmsg *err)
{
    struct str label = STR_NONE;
    scent_status status = conf_str(node, &label, err);

    if (status != SCENT_OK)
        return status;
    return find_strategy(experiment, label, out)
               ? SCENT_OK
               : conf_fail(node, err, "'%s' is none of the strategies above", conf_show(label).text);
}

static scent_status read_fusion(struct experiment *experiment, const struct conf_node *node,
                                struct experiment_fusion *out, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (conf_kind(node) != CONF_LIST || conf_count(node) < 2)
        return conf_fail(node, err, "expected a list of two or more strategies");
    out->members = arena_array(&experiment->arena, conf_count(node), sizeof *out->members);
    if (!out->members)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(node) && status == SCENT_OK; i++) {
        size_t *member = &out->members[out->count++];

        status = read_label(experiment, conf_item(node, i), member, err);
        if (status == SCENT_OK && experiment->strategies[*member].best_of > 1)
            status = conf_fail(conf_item(node, i), err, "the best of several crawls cannot be fused: they begin at "
                                                        "different seeds");
    }
    return status;
}

static scent_status read_fusions(struct experiment *experiment, const struct conf_node *node, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_LIST || conf_count(node) > MAX_FUSIONS)
        return conf_fail(node, err, "expected a list of lists of strategies, such as [[a, b], [a, c]]");
    experiment->fusions = arena_zalloc(&experiment->arena, (conf_count(node) + 1) * sizeof *experiment->fusions);
    if (!experiment->fusions)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(node) && status == SCENT_OK; i++)
        status = read_fusion(experiment, conf_item(node, i), &experiment->fusions[experiment->nfusions++], err);
    return status;
}

scent_status experiment_read_strategies(struct experiment *experiment, const struct conf_node *root,
                                        struct errmsg *err)
{
    struct experiment_model model = {.options = model_options_default(MODEL_SVM)};
    scent_status status = read_model(conf_get(root, "model"), &model, err);

    if (status == SCENT_OK)
        status = read_list(experiment, root, &model, err);
    if (status == SCENT_OK && conf_get(root, "baseline"))
        status = read_label(experiment, conf_get(root, "baseline"), &experiment->baseline, err);
    return status == SCENT_OK ? read_fusions(experiment, conf_get(root, "fusions"), err) : status;
}
