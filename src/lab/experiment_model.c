/* The key `model` of an experiment and of its strategies: the kind of model that guides a crawl, and what it learns
 * from. */
#include "base/hash.h"
#include "conf/conf_fields.h"
#include "lab/experiment.h"

/* Read first: the kind that learns a taxonomy in a topic file is the default here, too. */
static scent_status read_train(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct experiment_model *model = member;
    struct str text = STR_NONE;

    (void)reader;
    SCENT_TRY(conf_str(node, &text, err));
    model->backlinks = str_eq(text, STR("backlinks"));
    model->taxonomy = str_eq(text, STR("taxonomy"));
    if (model->taxonomy)
        model->options = model_options_default(MODEL_BAYES);
    return model->backlinks || model->taxonomy || str_eq(text, STR("pages"))
               ? SCENT_OK
               : conf_fail(node, err,
                           "expected pages (the examples themselves), backlinks (the words around links to them) or "
                           "taxonomy (all categories of the labels), got '%s'",
                           conf_show(text).text);
}

/* Each kind has defaults of its own. */
static scent_status read_kind(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct str text = STR_NONE;
    enum model_kind kind;

    (void)reader;
    SCENT_TRY(conf_str(node, &text, err));
    if (!model_kind_parse(text, &kind))
        return conf_fail(node, err, "expected svm, logistic, bayes or mlp, got '%s'", conf_show(text).text);
    *(struct model_options *)member = model_options_default(kind);
    return SCENT_OK;
}

#define WORDS(name, kind_of_words)                                                                                    \
    {name, FIELD_NUMBER, CONF_MEMBER(struct browse_features, kind_of_words), .max = BROWSE_WEIGHT_MAX}

static const struct conf_field browsing_fields[] = {WORDS("title", title), WORDS("anchors", anchors), {0}};
static const struct conf_table browsing_table = {.fields = browsing_fields};

#define OPTION(name, kind, member, least, most)                                                                       \
    {name, kind, CONF_MEMBER(struct experiment_model, options.member), .min = least, .max = most}

static const struct conf_field model_fields[] = {
    {"train", FIELD_OWN, .read = read_train},
    {"kind", FIELD_OWN, CONF_MEMBER(struct experiment_model, options), .read = read_kind},
    {"weighting", FIELD_CHOICE, CONF_MEMBER(struct experiment_model, options.weighting), .words = text_weighting_names},
    {"loss", FIELD_CHOICE, CONF_MEMBER(struct experiment_model, options.loss), .words = model_loss_names},
    {"walks", FIELD_COUNT, CONF_MEMBER(struct experiment_model, walks), .min = 1, .max = 1000000},
    OPTION("flatten", FIELD_NUMBER, flatten, 0, 1e6),
    OPTION("C", FIELD_NUMBER, C, 1e-6, 1e6),
    OPTION("alpha", FIELD_NUMBER, alpha, 1e-9, 1e3),
    OPTION("hidden", FIELD_COUNT, hidden, 1, MODEL_HIDDEN_MAX),
    OPTION("prior", FIELD_NUMBER, prior, 0, .999),
    OPTION("weak", FIELD_NUMBER, weak, 1e-3, 1e3),
    {"background", FIELD_COUNT, CONF_MEMBER(struct experiment_model, background), .max = 100000},
    {"browsing", FIELD_MAP, CONF_MEMBER(struct experiment_model, browsing), .table = &browsing_table},
    {"general", FIELD_COUNT, CONF_MEMBER(struct experiment_model, general), .max = 100000},
    {"positive_only", FIELD_BOOL, CONF_MEMBER(struct experiment_model, positive_only)},
    {0},
};
const struct conf_table experiment_model_table = {.fields = model_fields, .brief = "kind"};

bool experiment_trains_on(const struct experiment *experiment, struct str url)
{
    /* The upper 32 bits as a number in [0, 1). */
    return (double)(hash_str(url, experiment->seed) >> 32) / 4294967296. < experiment->taxonomy.share;
}

bool experiment_same_model(const struct experiment_model *a, const struct experiment_model *b)
{
    const struct model_options *x = &a->options, *y = &b->options;

    return a->backlinks == b->backlinks && a->taxonomy == b->taxonomy && a->walks == b->walks && x->kind == y->kind &&
           x->weighting == y->weighting && x->C == y->C && x->alpha == y->alpha && x->hidden == y->hidden &&
           x->flatten == y->flatten && x->loss == y->loss && x->prior == y->prior && a->background == b->background &&
           a->general == b->general && (x->weak == y->weak || !(a->background + a->general)) &&
           a->positive_only == b->positive_only &&
           a->browsing.title == b->browsing.title && a->browsing.anchors == b->browsing.anchors;
}
