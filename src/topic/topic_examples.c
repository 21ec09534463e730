#include "topic/topic_read.h"

#include <inttypes.h>

enum { MAX_PATHS = 1000, MAX_PER_CLASS = 1000000, MAX_LEVELS = 32 };

enum topic_lesson topic_lesson(const struct topic *topic)
{
    if (topic->examples.npositive)
        return TOPIC_TWO_CLASSES;
    if (!topic->taxonomy.file.len)
        return TOPIC_NO_MODEL;
    /* Naive Bayes lives on all the categories; the others learn one thing against the rest (STRATEGIES: Chakrabarti,
     * Pant). */
    return topic->taxonomy.ntargets && topic->model.kind != MODEL_BAYES ? TOPIC_TWO_CLASSES : TOPIC_CATEGORIES;
}

/* ---- paths ---- */

/* A URL stays what it is. */
static scent_status resolve(struct topic *topic, const struct conf_node *node, const char *name, struct str *path,
                            struct errmsg *err)
{
    return url_is_absolute(*path) ? SCENT_OK
                         : topic_find_path(topic, node, name, "expected the path of a file or folder", path, err);
}

static scent_status read_path(struct topic *topic, const struct conf_node *node, const char *name, struct str *out,
                              struct errmsg *err)
{
    scent_status status = topic_read_str(topic, node, out, err);

    return node && status == SCENT_OK ? resolve(topic, node, name, out, err) : status;
}

static scent_status read_paths(struct topic *topic, const struct conf_node *node, const char *name,
                               const struct str **out, size_t *count, struct errmsg *err)
{
    bool is_list = node && conf_kind(node) == CONF_LIST;
    scent_status status = topic_read_strs(topic, node, out, count, err);

    if (status == SCENT_OK && node && (*count == 0 || *count > MAX_PATHS))
        return conf_fail(node, err, "expected 1 to %d paths of files or folders", MAX_PATHS);
    for (size_t i = 0; status == SCENT_OK && i < *count; i++)
        status = resolve(topic, is_list ? conf_item(node, i) : node, name, (struct str *)&(*out)[i], err);
    return status;
}

/* ---- examples ---- */

static scent_status read_examples(struct topic *topic, const struct conf_node *node, const char *name,
                                  struct errmsg *err)
{
    static const char *const known[] = {"positive", "negative", "background", "ratio", NULL};
    struct topic_examples *examples = &topic->examples;
    scent_status status;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_MAP)
        return conf_fail(node, err, "expected a map such as {positive: examples/hockey, negative: examples/other}");
    status = conf_expect_map(node, known, err);
    if (status == SCENT_OK && !conf_get(node, "positive"))
        return conf_fail(node, err, "the key 'positive' is missing: the examples of what you are looking for");
    if (status == SCENT_OK)
        status = read_paths(topic, conf_get(node, "positive"), name, &examples->positive, &examples->npositive, err);
    if (status == SCENT_OK)
        status = read_paths(topic, conf_get(node, "negative"), name, &examples->negative, &examples->nnegative, err);
    if (status == SCENT_OK)
        status = read_paths(topic, conf_get(node, "background"), name, &examples->background, &examples->nbackground,
                            err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "ratio"), 0.1, 1000, &examples->ratio, err);
    if (status == SCENT_OK && examples->nnegative && examples->nbackground)
        return conf_fail(conf_get(node, "background"), err,
                         "negatives are drawn from here only where none are given; remove it, or move it to 'negative'");
    if (status == SCENT_OK && examples->nnegative && conf_get(node, "ratio"))
        return conf_fail(conf_get(node, "ratio"), err,
                         "it counts the negatives that are drawn, and these are given; remove it");
    return status;
}

/* ---- taxonomy ---- */

static scent_status read_u32(const struct conf_node *node, uint32_t min, uint32_t max, uint32_t *out,
                             struct errmsg *err)
{
    uint64_t value = *out;
    scent_status status = conf_u64(node, min, max, &value, err);

    *out = (uint32_t)value;
    return status;
}

static scent_status check_targets(const struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    for (size_t i = 0; i < topic->taxonomy.ntargets; i++)
        if (str_trim(topic->taxonomy.targets[i]).len == 0)
            return conf_fail(node, err, "expected the name of a category, such as Sports.Hockey");
    return SCENT_OK;
}

static scent_status read_taxonomy_map(struct topic *topic, const struct conf_node *node, const char *name,
                                      struct errmsg *err)
{
    static const char *const known[] = {"file", "collection", "target", "min_leaf", "levels", "per_class", NULL};
    struct topic_taxonomy *taxonomy = &topic->taxonomy;
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK && !conf_get(node, "file"))
        return conf_fail(node, err, "the key 'file' is missing: a category<TAB>url list, a folder tree or an ODP dump");
    if (status == SCENT_OK)
        status = read_path(topic, conf_get(node, "file"), name, &taxonomy->file, err);
    if (status == SCENT_OK)
        status = read_path(topic, conf_get(node, "collection"), name, &taxonomy->collection, err);
    if (status == SCENT_OK)
        status = topic_read_strs(topic, conf_get(node, "target"), &taxonomy->targets, &taxonomy->ntargets, err);
    if (status == SCENT_OK)
        status = check_targets(topic, conf_get(node, "target"), err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "min_leaf"), 0, MAX_PER_CLASS, &taxonomy->min_leaf, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "levels"), 0, MAX_LEVELS, &taxonomy->levels, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "per_class"), 1, MAX_PER_CLASS, &taxonomy->per_class, err);
    if (status == SCENT_OK && taxonomy->min_leaf > taxonomy->per_class)
        return conf_fail(conf_get(node, "min_leaf"), err,
                         "%" PRIu32 " is more than per_class keeps of a category (%" PRIu32 "); lower it", 
                         taxonomy->min_leaf, taxonomy->per_class);
    return status;
}

static scent_status read_taxonomy(struct topic *topic, const struct conf_node *node, const char *name,
                                  struct errmsg *err)
{
    if (!node)
        return SCENT_OK;
    if (conf_kind(node) == CONF_LIST)
        return conf_fail(node, err, "expected a path, or a map such as {file: taxonomy.tsv, target: Sports.Hockey}");
    if (conf_kind(node) == CONF_MAP)
        return read_taxonomy_map(topic, node, name, err);
    return read_path(topic, node, name, &topic->taxonomy.file, err);
}

/* ---- model ---- */

/* An option that the kind does not know would be a silent wish. */
static scent_status check_options(const struct conf_node *node, enum model_kind kind, struct errmsg *err)
{
    enum { BAYES = 1 << MODEL_BAYES, SVM = 1 << MODEL_SVM, LOGISTIC = 1 << MODEL_LOGISTIC, MLP = 1 << MODEL_MLP };
    static const struct {
        const char *key;
        int kinds;
        const char *names;
    } owners[] = {
        {"C", SVM | LOGISTIC, "svm and logistic"}, {"weighting", SVM | LOGISTIC | MLP, "svm, logistic and mlp"},
        {"alpha", BAYES, "bayes"},                 {"flatten", BAYES, "bayes"},
        {"folds", SVM, "svm"},                     {"hidden", MLP, "mlp"},
        {"epochs", MLP, "mlp"},                    {"l2", MLP, "mlp"},
    };

    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const struct conf_node *option = conf_get(node, owners[i].key);

        if (option && !(owners[i].kinds & 1 << kind))
            return conf_fail(option, err, "an option of %s; a model of kind %s has no use for it, remove it",
                             owners[i].names, model_kind_name(kind));
    }
    return SCENT_OK;
}

static scent_status read_weighting(const struct conf_node *node, enum text_weighting *out, struct errmsg *err)
{
    struct str name = STR_NONE;
    scent_status status = conf_str(node, &name, err);

    if (!node || status != SCENT_OK)
        return status;
    if (str_eq(name, STR("ltc")))
        *out = TEXT_LTC;
    else if (str_eq(name, STR("atn")))
        *out = TEXT_ATN;
    else
        return conf_fail(node, err, "expected ltc or atn, got '%s'", conf_show(name).text);
    return SCENT_OK;
}

static scent_status read_options(struct model_options *options, const struct conf_node *node, struct errmsg *err)
{
    scent_status status = check_options(node, options->kind, err);

    if (status == SCENT_OK)
        status = read_weighting(conf_get(node, "weighting"), &options->weighting, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "C"), 1e-6, 1e6, &options->C, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "alpha"), 1e-9, 1000, &options->alpha, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "flatten"), 0, 1e6, &options->flatten, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "folds"), 2, 20, &options->folds, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "hidden"), 1, MODEL_HIDDEN_MAX, &options->hidden, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "epochs"), 1, 100000, &options->epochs, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "l2"), 0, 1000, &options->l2, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "max_features"), 0, 100000000, &options->max_features, err);
    return status;
}

static scent_status read_kind(const struct conf_node *node, struct model_options *options, struct errmsg *err)
{
    struct str name = STR_NONE;
    scent_status status = conf_str(node, &name, err);

    if (!node || status != SCENT_OK)
        return status;
    if (!model_kind_parse(name, &options->kind))
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, got '%s'", conf_show(name).text);
    *options = model_options_default(options->kind);
    return SCENT_OK;
}

static scent_status read_model(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    static const char *const known[] = {"kind",   "weighting", "C",  "alpha",        "flatten", "folds",
                                        "hidden", "epochs",    "l2", "max_features", NULL};
    bool by_taxonomy = topic->taxonomy.file.len && !topic->examples.npositive;
    bool is_map = node && conf_kind(node) == CONF_MAP;
    scent_status status = is_map ? conf_expect_map(node, known, err) : SCENT_OK;

    topic->model = model_options_default(by_taxonomy ? MODEL_BAYES : MODEL_SVM);
    if (status == SCENT_OK && node && conf_kind(node) == CONF_LIST)
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, or a map such as {kind: svm, C: 1}");
    if (status == SCENT_OK)
        status = read_kind(is_map ? conf_get(node, "kind") : node, &topic->model, err);
    if (status == SCENT_OK && is_map)
        status = read_options(&topic->model, node, err);
    topic->model.seed = topic->seed ? topic->seed : 1; /* the same examples give the same model */
    return status;
}

/* ---- rules ---- */

static scent_status read_rules(struct topic *topic, const struct conf_node *node, const char *name, struct errmsg *err)
{
    scent_status status = read_path(topic, node, name, &topic->rules_file, err);

    if (status == SCENT_OK && node && topic_lesson(topic) != TOPIC_CATEGORIES)
        return conf_fail(node, err, "interclass rules are about the categories of a taxonomy; add 'taxonomy', with "
                                    "'model: bayes'");
    return status;
}

scent_status topic_read_examples(struct topic *topic, const struct conf_node *root, const char *name,
                                 struct errmsg *err)
{
    const struct conf_node *examples = conf_get(root, "examples"), *taxonomy = conf_get(root, "taxonomy");
    const struct conf_node *model = conf_get(root, "model");
    scent_status status;

    topic->examples.ratio = 2;
    topic->taxonomy.per_class = 500;
    status = read_examples(topic, examples, name, err);
    if (status == SCENT_OK)
        status = read_taxonomy(topic, taxonomy, name, err);
    if (status == SCENT_OK)
        status = read_model(topic, model, err);
    if (status == SCENT_OK && model && topic_lesson(topic) == TOPIC_NO_MODEL)
        return conf_fail(model, err, "there is nothing to train it with; add 'examples' or 'taxonomy'");
    return status == SCENT_OK ? read_rules(topic, conf_get(root, "rules"), name, err) : status;
}
