#include "learn/model.h"

#include "learn/bayes.h"
#include "learn/linear.h"
#include "learn/mlp.h"
#include "learn/parts.h"

#include <math.h>
#include <stdlib.h>

static const char *const kind_names[] = {"bayes", "svm", "logistic", "mlp"};

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
    model->words = parts_array(model, model->nfeatures, sizeof *model->words, &failed);
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
static scent_status begin(struct model *model, const struct learn_set *set, const struct dataset *data)
{
    bool failed = false;

    model->nclasses = data->nclasses;
    model->nfeatures = data->nfeatures;
    model->ndocs = data->nrows;
    model->classes = parts_array(model, model->nclasses, sizeof *model->classes, &failed);
    model->stems = parts_array(model, model->nfeatures, sizeof *model->stems, &failed);
    model->df = parts_array(model, model->nfeatures, sizeof *model->df, &failed);
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
    return parts_finish(model);
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
static scent_status weigh(struct dataset *data, const struct model_options *options, struct errmsg *err)
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

static scent_status learn(struct model *model, struct dataset *data, const struct model_options *options,
                          struct errmsg *err)
{
    scent_status status = check_size(data, options, err);

    if (status != SCENT_OK)
        return status;
    if (options->kind == MODEL_BAYES)
        return bayes_train(model, data, options->alpha > 0 ? options->alpha : default_alpha(data->nclasses));
    status = weigh(data, options, err);
    if (status != SCENT_OK)
        return status;
    return options->kind == MODEL_MLP ? mlp_train(model, data, options) : linear_train(model, data, options);
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
    model = parts_new();
    model->kind = options->kind;
    model->weighting = options->kind == MODEL_BAYES ? TEXT_TF : options->weighting;
    model->flatten = options->kind == MODEL_BAYES ? options->flatten : 0;
    status = begin(model, set, &data);
    if (status == SCENT_OK)
        status = learn(model, &data, options, err);
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
