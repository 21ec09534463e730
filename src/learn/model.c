/* What the four kinds of models share: features, weights, the choice of the kind, explanations. */
#include "learn/model.h"

#include "learn/model_parts.h"

#include <math.h>
#include <stdlib.h>

/* ---- what all kinds share ---- */

struct model *model_new(void)
{
    struct model *model = calloc(1, sizeof *model);

    SCENT_BUG_IF(!model);
    arena_init(&model->arena, SIZE_MAX);
    return model;
}

void *model_array(struct model *model, size_t count, size_t size, bool *failed)
{
    void *p = arena_array(&model->arena, count ? count : 1, size);

    if (p)
        memset(p, 0, count * size);
    else
        *failed = true;
    return p;
}

static void fetch_ahead(const struct model *model, uint32_t feature)
{
    if (model->kind == MODEL_BAYES) {
        __builtin_prefetch(model->first + feature);
    } else {
        __builtin_prefetch(model->idf + feature);
        __builtin_prefetch(model->rows + (size_t)feature * model->nrow);
    }
}

void model_features(const struct model *model, const struct text_weight *items, size_t n, uint32_t *features)
{
    const struct vocabulary *vocabulary = &model->vocabulary;

    for (size_t k = 0; k < n; k++)
        __builtin_prefetch(vocabulary->first + (items[k].stem >> vocabulary->shift));
    for (size_t k = 0; k < n; k++)
        __builtin_prefetch(vocabulary->stems + vocabulary->first[items[k].stem >> vocabulary->shift]);
    for (size_t k = 0; k < n; k++) {
        features[k] = model_feature(model, &items[k]);
        if (features[k] != VOCABULARY_NONE)
            fetch_ahead(model, features[k]);
    }
}

scent_status model_finish(struct model *model)
{
    bool failed = false;

    model->idf = model_array(model, model->nfeatures, sizeof *model->idf, &failed);
    if (failed)
        return SCENT_E_NOMEM;
    for (uint32_t f = 0; f < model->nfeatures; f++)
        model->idf[f] = (float)text_weigh_df(model->weighting, model->ndocs, model->df[f]);
    for (int tf = 1; tf < MODEL_LOGS; tf++)
        model->log_tf[tf] = (float)text_weigh_tf(TEXT_LTC, tf, 0);
    return vocabulary_init(&model->vocabulary, model->stems, model->nfeatures, &model->arena);
}

/* ---- projection ---- */

/* The weight of `tf` occurrences of a feature, before the cosine norm. */
static inline double project_weight(const struct model *model, uint32_t feature, double tf, double max_tf)
{
    if (model->weighting == TEXT_TF)
        return tf;
    if (text_weighting_is_cosine(model->weighting) && tf >= 1 && tf < MODEL_LOGS && tf == (int)tf)
        return (double)model->log_tf[(int)tf] * model->idf[feature];
    return text_weigh_tf(model->weighting, tf, max_tf) * model->idf[feature];
}

/* 0 where no weight needs it. */
static double project_max_tf(const struct model *model, const struct text_vector *tf)
{
    double max = 0;

    if (model->weighting == TEXT_ATN)
        for (size_t i = 0; i < tf->count; i++)
            if (tf->items[i].weight > max && tf->items[i].weight <= DATASET_TF_MAX)
                max = tf->items[i].weight;
    return max;
}

/* What every weight of this page is multiplied with in the end: 1/norm for ltc. */
static double project_scale(const struct model *model, const struct text_vector *tf)
{
    double squares = 0;

    if (!text_weighting_is_cosine(model->weighting))
        return 1;
    for (size_t i = 0; i < tf->count; i++) {
        uint32_t feature = model_feature(model, &tf->items[i]);

        if (feature != VOCABULARY_NONE) {
            double weight = project_weight(model, feature, tf->items[i].weight, 0);

            squares += weight * weight;
        }
    }
    return squares > 0 ? 1 / sqrt(squares) : 0;
}

/* Most models tell one class from another: one weight a feature, and the sum stays in a register. */
static double project_one(const struct model *model, const struct text_weight *items, const uint32_t *features,
                          size_t n, double max_tf, double *squares)
{
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        if (features[k] != VOCABULARY_NONE) {
            double weight = project_weight(model, features[k], items[k].weight, max_tf);

            sum += weight * (double)model->rows[features[k]];
            *squares += weight * weight;
        }
    return sum;
}

static void project_many(const struct model *model, const struct text_weight *items, const uint32_t *features,
                         size_t n, double max_tf, double *sums, double *squares)
{
    for (size_t k = 0; k < n; k++)
        if (features[k] != VOCABULARY_NONE) {
            double weight = project_weight(model, features[k], items[k].weight, max_tf);
            const float *row = model->rows + (size_t)features[k] * model->nrow;

            *squares += weight * weight;
            for (uint32_t j = 0; j < model->nrow; j++)
                sums[j] += weight * (double)row[j];
        }
}

void project(const struct model *model, const struct text_vector *tf, double *sums)
{
    double max_tf = project_max_tf(model, tf), squares = 0;
    uint32_t features[MODEL_CHUNK];

    for (uint32_t j = 0; j < model->nrow; j++)
        sums[j] = 0;
    for (size_t i = 0; i < tf->count; i += MODEL_CHUNK) {
        size_t n = tf->count - i < MODEL_CHUNK ? tf->count - i : MODEL_CHUNK;

        model_features(model, tf->items + i, n, features);
        if (model->nrow == 1)
            sums[0] += project_one(model, tf->items + i, features, n, max_tf, &squares);
        else
            project_many(model, tf->items + i, features, n, max_tf, sums, &squares);
    }
    if (text_weighting_is_cosine(model->weighting) && squares > 0)
        for (uint32_t j = 0; j < model->nrow; j++)
            sums[j] /= sqrt(squares);
}

/* ---- training and asking ---- */

static const char *const kind_names[] = {"bayes", "svm", "logistic", "mlp"};

const char *const model_loss_names[] = {
    [MODEL_SQUARED_HINGE] = "squared_hinge", [MODEL_HINGE] = "hinge", NULL};

const char *model_kind_name(enum model_kind kind)
{
    return kind_names[kind];
}

bool model_kind_parse(struct str name, enum model_kind *out)
{
    for (enum model_kind kind = MODEL_BAYES; kind <= MODEL_MLP; kind++)
        if (str_eq(name, str_of(kind_names[kind]))) {
            *out = kind;
            return true;
        }
    return false;
}

struct model_options model_options_default(enum model_kind kind)
{
    return (struct model_options){
        .kind = kind,
        .weighting = TEXT_LTC,
        .C = 1,
        .weak = 1,
        .flatten = 30,
        .folds = 3,
        .hidden = 32,
        .epochs = 100,
        .l2 = 1e-4,
        .max_features = kind == MODEL_MLP ? 20000 : 0,
        .seed = 1,
    };
}

static scent_status check_options(const struct model_options *options, struct errmsg *err)
{
    if (!(options->C > 0 && options->C < INFINITY))
        return errmsg_fail(err, SCENT_E_INVALID, "C must be above 0, it is %g", options->C);
    if (!(options->alpha >= 0 && options->alpha < INFINITY))
        return errmsg_fail(err, SCENT_E_INVALID, "alpha must be 0 or more, it is %g", options->alpha);
    if (!(options->flatten >= 0 && options->flatten < INFINITY))
        return errmsg_fail(err, SCENT_E_INVALID, "flatten must be 0 or more, it is %g", options->flatten);
    if (!(options->l2 >= 0 && options->l2 < INFINITY))
        return errmsg_fail(err, SCENT_E_INVALID, "l2 must be 0 or more, it is %g", options->l2);
    if (!(options->prior >= 0 && options->prior < 1))
        return errmsg_fail(err, SCENT_E_INVALID, "prior must be 0 or more and below 1, it is %g", options->prior);
    if (options->folds < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "folds must be at least 2, it is %u", options->folds);
    if (options->hidden < 1 || options->hidden > MODEL_HIDDEN_MAX)
        return errmsg_fail(err, SCENT_E_INVALID, "hidden must be 1 to %d, it is %u", MODEL_HIDDEN_MAX, options->hidden);
    if (options->epochs < 1)
        return errmsg_fail(err, SCENT_E_INVALID, "epochs must be at least 1");
    return SCENT_OK;
}

static scent_status copy_words(struct model *model, const struct learn_set *set)
{
    bool failed = false;
    size_t at = 0;

    if (set->nwords == 0)
        return SCENT_OK;
    model->words = model_array(model, model->nfeatures, sizeof *model->words, &failed);
    for (uint32_t f = 0; f < model->nfeatures && !failed; f++) {
        while (at < set->nwords && set->words[at].stem < model->stems[f])
            at++;
        if (at < set->nwords && set->words[at].stem == model->stems[f]) {
            struct str text = set->words[at].text;

            if (text.len > TEXT_WORD_MAX)
                text.len = TEXT_WORD_MAX;
            model->words[f] = arena_str(&model->arena, text);
            failed = !model->words[f].p;
        }
    }
    return failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* Classes, features and their document frequencies: what all kinds share. */
static scent_status begin_model(struct model *model, const struct learn_set *set, const struct dataset *data)
{
    bool failed = false;

    model->nclasses = data->nclasses;
    model->nfeatures = data->nfeatures;
    model->ndocs = data->nrows;
    model->classes = model_array(model, model->nclasses, sizeof *model->classes, &failed);
    model->stems = model_array(model, model->nfeatures, sizeof *model->stems, &failed);
    model->df = model_array(model, model->nfeatures, sizeof *model->df, &failed);
    if (failed)
        return SCENT_E_NOMEM;
    for (uint32_t c = 0; c < model->nclasses; c++) {
        model->classes[c] = arena_str(&model->arena, set->classes[c]);
        if (!model->classes[c].p)
            return SCENT_E_NOMEM;
    }
    memcpy(model->stems, data->stems, model->nfeatures * sizeof *model->stems);
    memcpy(model->df, data->df, model->nfeatures * sizeof *model->df);
    if (copy_words(model, set) != SCENT_OK)
        return SCENT_E_NOMEM;
    return model_finish(model);
}

/* The weights of a model are at most 512 MiB, so that its file can be read again. */
enum { WEIGHTS_MAX = 1 << 27 };

static scent_status check_size(const struct dataset *data, const struct model_options *options, struct errmsg *err)
{
    uint64_t width = options->kind == MODEL_MLP ? options->hidden : data->nclasses == 2 ? 1 : data->nclasses;

    if (options->kind == MODEL_BAYES || data->nfeatures * width <= WEIGHTS_MAX)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_LIMIT,
                       "%u words times %llu weights each are too many for a model of kind %s; limit "
                       "max_features to %llu, or take kind bayes",
                       data->nfeatures, (unsigned long long)width, model_kind_name(options->kind),
                       (unsigned long long)(WEIGHTS_MAX / width));
}

/* Words that stand in all examples weigh nothing. Where only such are left there is nothing to learn from. */
static scent_status weigh_rows(struct dataset *data, const struct model_options *options, struct errmsg *err)
{
    if (dataset_weigh(data, options->weighting, NULL) != SCENT_OK)
        return SCENT_E_NOMEM;
    for (size_t k = 0; k < data->start[data->nrows]; k++)
        if (data->cells[k].value > 0)
            return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "every word of the examples stands in all %u of them, so that none tells "
                       "the classes apart; give more, and more different, examples", data->nrows);
}

/* With a vocabulary of many classes, Laplace's 1 for every word that a class has not seen outweighs the words that a
 * small class has: .52 instead of .69 of Wikispeedia's pages are put right. With two classes 1 orders pages best. */
static double default_alpha(uint32_t nclasses)
{
    return nclasses == 2 ? 1 : .01;
}

static scent_status train_kind(struct model *model, struct dataset *data, const struct model_options *options,
                          struct errmsg *err)
{
    SCENT_TRY(check_size(data, options, err));
    if (options->kind == MODEL_BAYES)
        return bayes_train(model, data, options->alpha > 0 ? options->alpha : default_alpha(data->nclasses));
    SCENT_TRY(weigh_rows(data, options, err));
    return options->kind == MODEL_MLP ? mlp_train(model, data, options) : linear_train(model, data, options);
}

/* The probabilities of a model have learned how many examples each class has. Bayes' rule moves them to another prior:
 * the log odds shift by a constant, so that the order of pages stays. */
static void move_prior(struct model *model, const struct dataset *data, double prior)
{
    double of_class[2] = {0}, shift;

    if (!(prior > 0) || model->nclasses != 2)
        return;
    for (uint32_t row = 0; row < data->nrows; row++)
        of_class[data->class[row]] += dataset_copies(data, row);
    shift = log(prior / (1 - prior)) - log(of_class[1] / of_class[0]);
    if (model->kind == MODEL_BAYES)
        model->prior[1] += shift;
    else if (model->kind == MODEL_MLP)
        model->out_bias[1] += shift;
    else
        model->sigmoids[0].b -= shift;
}

scent_status model_train(const struct learn_set *set, const struct model_options *options, struct model **out,
                         struct errmsg *err)
{
    scent_status status = check_options(options, err);
    struct dataset data;
    struct model *model;

    *out = NULL;
    if (status != SCENT_OK || (status = dataset_init(&data, set, options, err)) != SCENT_OK)
        return status;
    model = model_new();
    model->kind = options->kind;
    model->weighting = options->kind == MODEL_BAYES ? TEXT_TF : options->weighting;
    model->flatten = options->kind == MODEL_BAYES ? options->flatten : 0;
    status = begin_model(model, set, &data);
    if (status == SCENT_OK)
        status = train_kind(model, &data, options, err);
    if (status == SCENT_OK)
        move_prior(model, &data, options->prior);
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "no memory for a model of %u words and %u classes; limit the number of features",
                    data.nfeatures, data.nclasses);
    dataset_release(&data);
    if (status != SCENT_OK) {
        model_free(model);
        return status;
    }
    *out = model;
    return SCENT_OK;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    arena_release(&model->arena);
    free(model);
}

enum model_kind model_kind_of(const struct model *model)
{
    return model->kind;
}

uint32_t model_nclasses(const struct model *model)
{
    return model->nclasses;
}

struct str model_class(const struct model *model, uint32_t class)
{
    return model->classes[class];
}

uint32_t model_nfeatures(const struct model *model)
{
    return model->nfeatures;
}

void model_predict(const struct model *model, const struct text_vector *tf, double *p)
{
    if (model->kind == MODEL_BAYES)
        bayes_predict(model, tf, p);
    else if (model->kind == MODEL_MLP)
        mlp_predict(model, tf, p);
    else
        linear_predict(model, tf, p);
}

void model_decision(const struct model *model, const struct text_vector *tf, double *scores)
{
    if (model->kind == MODEL_BAYES)
        bayes_decide(model, tf, scores);
    else if (model->kind == MODEL_MLP)
        mlp_decide(model, tf, scores);
    else
        linear_decide(model, tf, scores);
}

/* ---- texts as sums ---- */

bool model_has_sums(const struct model *model)
{
    return model->nclasses == 2 && model->kind != MODEL_MLP;
}

void model_add_word(const struct model *model, uint64_t stem, struct model_sums *sums)
{
    uint32_t feature = vocabulary_find(&model->vocabulary, stem);
    double weight;

    if (feature == VOCABULARY_NONE)
        return;
    sums->words++;
    if (model->kind == MODEL_BAYES) {
        for (uint32_t k = model->first[feature]; k < model->first[feature + 1]; k++)
            sums->gain += model->cells[k].class ? (double)model->cells[k].delta : -(double)model->cells[k].delta;
        return;
    }
    weight = project_weight(model, feature, 1, 1);
    sums->gain += weight * (double)model->rows[feature];
    sums->square += weight * weight;
}

double model_sums_odds(const struct model *model, const struct model_sums *sums)
{
    double value = sums->gain;

    if (model->kind == MODEL_BAYES) {
        value += sums->words * (model->floor[1] - model->floor[0]);
        value /= model->flatten > 0 ? fmax(1, sums->words / model->flatten) : 1;
        return model->prior[1] - model->prior[0] + value;
    }
    if (text_weighting_is_cosine(model->weighting) && sums->square > 0)
        value /= sqrt(sums->square);
    return -(model->sigmoids[0].a * (value + model->bias[0]) + model->sigmoids[0].b);
}

uint32_t model_best(const double *scores, uint32_t nclasses)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < nclasses; c++)
        if (scores[c] > scores[best])
            best = c;
    return best;
}

static bool lies_below(struct str class, struct str category)
{
    return str_starts(class, category) && (class.len == category.len || class.p[category.len] == '.');
}

uint32_t model_class_members(const struct model *model, struct str category, bool *members)
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < model->nclasses; c++)
        count += members[c] = lies_below(model->classes[c], category);
    return count;
}

/* ---- the words behind a model and behind a verdict ---- */

/* Keeps out[0 .. *count) sorted by `rank`, largest first, and the best `room` of all that were offered. */
static void offer_term(struct model_term *out, size_t room, size_t *count, struct model_term term, bool by_size)
{
    double rank = by_size ? fabs(term.weight) : term.weight;
    size_t at = *count;

    while (at > 0 && (by_size ? fabs(out[at - 1].weight) : out[at - 1].weight) < rank)
        at--;
    if (at >= room)
        return;
    if (*count < room)
        ++*count;
    memmove(out + at + 1, out + at, (*count - at - 1) * sizeof *out);
    out[at] = term;
}

static struct model_term term_of(const struct model *model, uint32_t feature, double weight)
{
    return (struct model_term){model->stems[feature], model->words ? model->words[feature] : STR_NONE, weight};
}

/* What one unit of weight of a feature adds to the score of `class`; `active` as in mlp_weight(). */
static double weight_of(const struct model *model, uint32_t feature, uint32_t class, const bool *active)
{
    if (model->kind == MODEL_BAYES)
        return bayes_weight(model, feature, class);
    if (model->kind == MODEL_MLP)
        return mlp_weight(model, feature, class, active);
    return linear_weight(model, feature, class);
}

size_t model_telling(const struct model *model, uint32_t class, struct model_term *out, size_t room)
{
    size_t count = 0;

    for (uint32_t f = 0; f < model->nfeatures; f++) {
        double unit = model->weighting == TEXT_TF ? 1 : (double)model->idf[f];
        double weight = unit * weight_of(model, f, class, NULL);

        if (weight > 0)
            offer_term(out, room, &count, term_of(model, f, weight), false);
    }
    return count;
}

size_t model_explain(const struct model *model, const struct text_vector *tf, uint32_t class, struct model_term *out,
                     size_t room)
{
    double max_tf = project_max_tf(model, tf), scale = project_scale(model, tf);
    bool active[MODEL_HIDDEN_MAX];
    size_t count = 0;

    if (model->kind == MODEL_MLP)
        mlp_active(model, tf, active);
    for (size_t i = 0; i < tf->count; i++) {
        uint32_t f = model_feature(model, &tf->items[i]);

        if (f != VOCABULARY_NONE) {
            double x = scale * project_weight(model, f, tf->items[i].weight, max_tf);
            double weight = x * weight_of(model, f, class, active);

            offer_term(out, room, &count, term_of(model, f, weight), true);
        }
    }
    return count;
}
