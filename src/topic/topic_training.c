/* The keys of a topic file that say what a model learns from, and what kind of model: examples, taxonomy, model. */
#include "topic/topic_parts.h"

#include <inttypes.h>

enum { MAX_PATHS = 1000, MAX_LEVELS = 32, MAX_PER_CLASS = 1000000 };

/* ---- examples and taxonomy ---- */

static scent_status check_examples(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                   struct errmsg *err)
{
    const struct topic_examples *examples = members;

    (void)reader;
    if (examples->nnegative && conf_get(node, "ratio"))
        return conf_fail(conf_get(node, "ratio"), err,
                         "it counts the negatives that are drawn, and these are given; remove it");
    return SCENT_OK;
}

#define EXAMPLES(name, member, number)                                                                                \
    name, FIELD_PATHS, CONF_MEMBERS(struct topic_examples, member, number), .min = 1, .max = MAX_PATHS,               \
        .expected = "paths of files or folders"

static const struct conf_field examples_fields[] = {
    {EXAMPLES("positive", positive, npositive), .missing = ": the examples of what you are looking for"},
    {EXAMPLES("negative", negative, nnegative)},
    {EXAMPLES("background", background, nbackground)},
    {"ratio", FIELD_NUMBER, CONF_MEMBER(struct topic_examples, ratio), .min = 0.1, .max = 1000, .fallback = 2},
    {0},
};
const struct conf_table topic_examples_table = {
    .fields = examples_fields,
    .expected = "a map such as {positive: examples/hockey, negative: examples/other}",
    .check = check_examples};

static scent_status check_taxonomy(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                   struct errmsg *err)
{
    const struct topic_taxonomy *taxonomy = members;

    (void)reader;
    for (size_t i = 0; i < taxonomy->ntargets; i++)
        if (str_trim(taxonomy->targets[i]).len == 0)
            return conf_fail(conf_get(node, "target"), err, "expected the name of a category, such as Sports.Hockey");
    if (taxonomy->min_leaf > taxonomy->per_class)
        return conf_fail(conf_get(node, "min_leaf"), err,
                         "%" PRIu32 " is more than per_class keeps of a category (%" PRIu32 "); lower it",
                         taxonomy->min_leaf, taxonomy->per_class);
    return SCENT_OK;
}

static const struct conf_field taxonomy_fields[] = {
    {"file", FIELD_PATH, CONF_MEMBER(struct topic_taxonomy, file),
     .missing = ": a category<TAB>url list, a folder tree or an ODP dump"},
    {"collection", FIELD_PATH, CONF_MEMBER(struct topic_taxonomy, collection)},
    {"target", FIELD_TEXTS, CONF_MEMBERS(struct topic_taxonomy, targets, ntargets)},
    {"min_leaf", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, min_leaf), .max = MAX_PER_CLASS},
    {"levels", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, levels), .max = MAX_LEVELS},
    {"per_class", FIELD_COUNT, CONF_MEMBER(struct topic_taxonomy, per_class), .min = 1, .max = MAX_PER_CLASS,
     .fallback = 500},
    {0},
};
const struct conf_table topic_taxonomy_table = {
    .fields = taxonomy_fields,
    .brief = "file",
    .expected = "a path, or a map such as {file: taxonomy.tsv, target: Sports.Hockey}",
    .check = check_taxonomy};

/* ---- model ---- */

/* An option that the kind does not know would be a silent wish. */
static scent_status check_model(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    enum { BAYES = 1 << MODEL_BAYES, SVM = 1 << MODEL_SVM, LOGISTIC = 1 << MODEL_LOGISTIC, MLP = 1 << MODEL_MLP };
    static const struct {
        const char *key;
        int kinds;
        const char *names;
    } owners[] = {
        {"C", SVM | LOGISTIC, "svm and logistic"}, {"weighting", SVM | LOGISTIC | MLP, "svm, logistic and mlp"},
        {"alpha", BAYES, "bayes"},                 {"flatten", BAYES, "bayes"},
        {"folds", SVM, "svm"},                     {"loss", SVM, "svm"},
        {"hidden", MLP, "mlp"},                    {"epochs", MLP, "mlp"},
        {"l2", MLP, "mlp"},
    };
    const struct model_options *options = members;

    (void)reader;
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        const struct conf_node *option = conf_get(node, owners[i].key);

        if (option && !(owners[i].kinds & 1 << options->kind))
            return conf_fail(option, err, "an option of %s; a model of kind %s has no use for it, remove it",
                             owners[i].names, model_kind_name(options->kind));
    }
    return SCENT_OK;
}

/* The examples of a topic are few: with ltc the words that all of them have would weigh nothing, and with C = 1 a
 * logistic model is sure of nothing. How many there are of each class says nothing of the web: of the pages that a
 * focused crawl meets, a fifth is relevant (docs/decisions/0012-models.md). */
static struct model_options model_for_few(enum model_kind kind)
{
    struct model_options options = model_options_default(kind);

    if (kind == MODEL_SVM || kind == MODEL_LOGISTIC)
        options.weighting = TEXT_LSC;
    if (kind == MODEL_LOGISTIC)
        options.C = 10;
    options.prior = .2;
    return options;
}

/* Each kind has defaults of its own; it is read first. */
static scent_status read_kind(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct topic *topic = reader->object;
    struct str name = STR_NONE;
    enum model_kind kind;

    (void)member;
    SCENT_TRY(conf_str(node, &name, err));
    if (!model_kind_parse(name, &kind))
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, got '%s'", conf_show(name).text);
    topic->model = model_for_few(kind);
    return SCENT_OK;
}

static scent_status read_train(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct topic *topic = reader->object;
    struct str text = STR_NONE;

    (void)member;
    SCENT_TRY(conf_str(node, &text, err));
    topic->learns_backlinks = str_eq(text, STR("backlinks"));
    if (!topic->learns_backlinks && !str_eq(text, STR("pages")))
        return conf_fail(node, err, "expected pages (the examples) or backlinks (the words around links to them), got "
                                    "'%s'", conf_show(text).text);
    return topic->learns_backlinks && !topic->graph.len
               ? conf_fail(node, err, "where are the links? Name pages that are known, an earlier crawl or archives: "
                                      "'graph: OTHER.crawl'")
               : SCENT_OK;
}

#define OPTION(name, field, member, least, most)                                                                      \
    {name, field, CONF_MEMBER(struct model_options, member), .min = least, .max = most}

static const struct conf_field model_fields[] = {
    {"kind", FIELD_OWN, .read = read_kind},
    {"train", FIELD_OWN, .read = read_train},
    {"weighting", FIELD_CHOICE, CONF_MEMBER(struct model_options, weighting), .words = text_weighting_names},
    {"loss", FIELD_CHOICE, CONF_MEMBER(struct model_options, loss), .words = model_loss_names},
    OPTION("C", FIELD_NUMBER, C, 1e-6, 1e6),
    OPTION("prior", FIELD_NUMBER, prior, 0, .999),
    OPTION("alpha", FIELD_NUMBER, alpha, 1e-9, 1000),
    OPTION("flatten", FIELD_NUMBER, flatten, 0, 1e6),
    OPTION("folds", FIELD_COUNT, folds, 2, 20),
    OPTION("hidden", FIELD_COUNT, hidden, 1, MODEL_HIDDEN_MAX),
    OPTION("epochs", FIELD_COUNT, epochs, 1, 100000),
    OPTION("l2", FIELD_NUMBER, l2, 0, 1000),
    OPTION("max_features", FIELD_COUNT, max_features, 0, 100000000),
    {0},
};
static const struct conf_table model_table = {
    .fields = model_fields,
    .brief = "kind",
    .expected = "svm, logistic, bayes or mlp, or a map such as {kind: svm, C: 1}",
    .check = check_model};

struct model_options topic_default_model(const struct topic *topic)
{
    bool by_taxonomy = topic->taxonomy.file.len && !topic->examples.npositive;
    struct model_options options = model_for_few(by_taxonomy ? MODEL_BAYES : MODEL_SVM);

    options.seed = topic->seed ? topic->seed : 1; /* the same examples give the same model */
    return options;
}

scent_status topic_read_model(struct topic *topic, const struct conf_reader *reader, const struct conf_node *node,
                              struct errmsg *err)
{
    topic->model = topic_default_model(topic);
    SCENT_TRY(conf_table_read(&model_table, reader, node, &topic->model, err));
    topic->model.seed = topic->seed ? topic->seed : 1; /* its kind may have replaced the options */
    topic->model_given = node != NULL;
    if (node && topic_classes(topic) == TOPIC_NO_MODEL)
        return conf_fail(node, err, "there is nothing to train it with; add 'examples' or 'taxonomy'");
    return SCENT_OK;
}
