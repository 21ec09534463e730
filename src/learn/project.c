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
static double project_one(const struct model *model, const struct text_vector *tf, double max_tf, double *squares)
{
    double sum = 0, square_sum = 0;

    for (size_t i = 0; i < tf->count; i++) {
        uint32_t feature = parts_feature(model, &tf->items[i]);

        if (feature != VOCABULARY_NONE) {
            double weight = project_weight(model, feature, tf->items[i].weight, max_tf);

            sum += weight * model->rows[feature];
            square_sum += weight * weight;
        }
    }
    *squares = square_sum;
    return sum;
}

static void project_many(const struct model *model, const struct text_vector *tf, double max_tf, double *sums,
                         double *squares)
{
    for (size_t i = 0; i < tf->count; i++) {
        uint32_t feature = parts_feature(model, &tf->items[i]);

        if (feature != VOCABULARY_NONE) {
            double weight = project_weight(model, feature, tf->items[i].weight, max_tf);
            const float *row = model->rows + (size_t)feature * model->nrow;

            *squares += weight * weight;
            for (uint32_t k = 0; k < model->nrow; k++)
                sums[k] += weight * (double)row[k];
        }
    }
}

void project(const struct model *model, const struct text_vector *tf, double *sums)
{
    double max_tf = project_max_tf(model, tf), squares = 0;

    for (uint32_t k = 0; k < model->nrow; k++)
        sums[k] = 0;
    if (model->nrow == 1)
        sums[0] = project_one(model, tf, max_tf, &squares);
    else
        project_many(model, tf, max_tf, sums, &squares);
    if (model->weighting == TEXT_LTC && squares > 0)
        for (uint32_t k = 0; k < model->nrow; k++)
            sums[k] /= sqrt(squares);
}
