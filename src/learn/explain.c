/* The words behind a model and behind a verdict. */
#include "learn/bayes.h"
#include "learn/parts.h"

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

static double weight_of(const struct model *model, uint32_t feature, uint32_t class)
{
    return bayes_weight(model, feature, class);
}

size_t model_telling(const struct model *model, uint32_t class, struct model_term *out, size_t room)
{
    size_t count = 0;

    for (uint32_t f = 0; f < model->nfeatures; f++) {
        double weight = weight_of(model, f, class);

        if (weight > 0)
            offer(out, room, &count, term_of(model, f, weight), false);
    }
    return count;
}

size_t model_explain(const struct model *model, const struct text_vector *tf, uint32_t class, struct model_term *out,
                     size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < tf->count; i++) {
        double times = tf->items[i].weight;
        uint32_t feature = vocabulary_find(&model->vocabulary, tf->items[i].stem);

        if (times > 0 && times < INFINITY && feature != VOCABULARY_NONE)
            offer(out, room, &count, term_of(model, feature, times * weight_of(model, feature, class)), true);
    }
    return count;
}
