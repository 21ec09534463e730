/* The words behind a model and behind a verdict. */
#include "learn/bayes.h"
#include "learn/linear.h"
#include "learn/mlp.h"
#include "learn/project.h"

#include <math.h>

/* Keeps out[0 .. *count) sorted by `rank`, largest first, and the best `room` of all that were offered. */
static void offer(struct model_term *out, size_t room, size_t *count, struct model_term term, bool by_size)
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
            offer(out, room, &count, term_of(model, f, weight), false);
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
        uint32_t f = parts_feature(model, &tf->items[i]);

        if (f != VOCABULARY_NONE) {
            double x = scale * project_weight(model, f, tf->items[i].weight, max_tf);
            double weight = x * weight_of(model, f, class, active);

            offer(out, room, &count, term_of(model, f, weight), true);
        }
    }
    return count;
}
