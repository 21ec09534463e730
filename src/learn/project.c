#include "learn/project.h"

#include <math.h>

double project_weight(const struct model *model, uint32_t feature, double tf, double max_tf)
{
    if (model->weighting == TEXT_TF)
        return tf;
    if (model->weighting == TEXT_LTC && tf >= 1 && tf < PARTS_LOGS && tf == (int)tf)
        return (double)model->log_tf[(int)tf] * model->idf[feature];
    return text_weigh_tf(model->weighting, tf, max_tf) * model->idf[feature];
}

double project_max_tf(const struct model *model, const struct text_vector *tf)
{
    double max = 0;

    if (model->weighting == TEXT_ATN)
        for (size_t i = 0; i < tf->count; i++)
            if (tf->items[i].weight > max && tf->items[i].weight <= DATASET_TF_MAX)
                max = tf->items[i].weight;
    return max;
}

double project_scale(const struct model *model, const struct text_vector *tf)
{
    double squares = 0;

    if (model->weighting != TEXT_LTC)
        return 1;
    for (size_t i = 0; i < tf->count; i++) {
        uint32_t feature = parts_feature(model, &tf->items[i]);

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
    uint32_t features[PARTS_CHUNK];

    for (uint32_t j = 0; j < model->nrow; j++)
        sums[j] = 0;
    for (size_t i = 0; i < tf->count; i += PARTS_CHUNK) {
        size_t n = tf->count - i < PARTS_CHUNK ? tf->count - i : PARTS_CHUNK;

        parts_features(model, tf->items + i, n, features);
        if (model->nrow == 1)
            sums[0] += project_one(model, tf->items + i, features, n, max_tf, &squares);
        else
            project_many(model, tf->items + i, features, n, max_tf, sums, &squares);
    }
    if (model->weighting == TEXT_LTC && squares > 0)
        for (uint32_t j = 0; j < model->nrow; j++)
            sums[j] /= sqrt(squares);
}
