/* The counts of words by class, transposed so that asking about a page walks through the cells of its words alone. */
#include "learn/model_parts.h"

#include <math.h>
#include <stdlib.h>

/* Rows in the order of their classes, so that the counts of a feature come out grouped by class. */
static uint32_t *rows_by_class(const struct dataset *data)
{
    uint32_t *order = malloc(data->nrows * sizeof *order);
    uint32_t *at = malloc(data->nclasses * sizeof *at);
    uint32_t sum = 0;

    if (!order || !at) {
        free(order);
        free(at);
        return NULL;
    }
    for (uint32_t c = 0; c < data->nclasses; c++) {
        at[c] = sum;
        sum += data->sizes[c];
    }
    for (uint32_t i = 0; i < data->nrows; i++)
        order[at[data->class[i]]++] = i;
    free(at);
    return order;
}

/* The frequencies of all examples, grouped by feature and in it by class. */
static void transpose(struct model *model, const struct dataset *data, const uint32_t *order)
{
    uint32_t *end = model->first + 1; /* grows into the starts of the next */

    for (size_t k = 0; k < data->start[data->nrows]; k++)
        model->first[data->cells[k].feature + 1]++;
    for (uint32_t f = 0, sum = 0; f < data->nfeatures; f++) {
        uint32_t count = end[f];

        end[f] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < data->nrows; i++) {
        uint32_t row = order[i];
        float weight = (float)dataset_copies(data, row) / (float)data->copies;

        for (size_t k = data->start[row]; k < data->start[row + 1]; k++)
            model->cells[end[data->cells[k].feature]++] =
                (struct bayes_cell){data->class[row], data->cells[k].tf * weight};
    }
}

/* Adds up the cells of one feature and class; `delta` is still the count. */
static void merge_cells(struct model *model)
{
    uint32_t kept = 0, begin = 0;

    for (uint32_t f = 0; f < model->nfeatures; f++) {
        uint32_t end = model->first[f + 1];

        model->first[f] = kept;
        for (uint32_t k = begin; k < end; k++) {
            if (kept > model->first[f] && model->cells[kept - 1].class == model->cells[k].class)
                model->cells[kept - 1].delta += model->cells[k].delta;
            else
                model->cells[kept++] = model->cells[k];
        }
        begin = end;
    }
    model->first[model->nfeatures] = kept;
}

static void smooth_counts(struct model *model, const struct dataset *data, double alpha)
{
    double rows = 0;

    for (uint32_t row = 0; row < data->nrows; row++) {
        model->prior[data->class[row]] += dataset_copies(data, row);
        rows += dataset_copies(data, row);
    }
    for (uint32_t c = 0; c < model->nclasses; c++)
        model->prior[c] = log(model->prior[c] / rows);
    for (uint32_t k = 0; k < model->first[model->nfeatures]; k++) {
        model->floor[model->cells[k].class] += model->cells[k].delta;
        model->cells[k].delta = (float)log1p(model->cells[k].delta / alpha);
    }
    for (uint32_t c = 0; c < model->nclasses; c++)
        model->floor[c] = log(alpha / (model->floor[c] + alpha * model->nfeatures));
}

scent_status bayes_train(struct model *model, const struct dataset *data, double alpha)
{
    size_t ncells = data->start[data->nrows];
    bool failed = ncells >= UINT32_MAX;
    uint32_t *order;

    model->prior = model_array(model, model->nclasses, sizeof *model->prior, &failed);
    model->floor = model_array(model, model->nclasses, sizeof *model->floor, &failed);
    model->first = model_array(model, model->nfeatures + (size_t)1, sizeof *model->first, &failed);
    model->cells = model_array(model, ncells, sizeof *model->cells, &failed);
    if (failed || !(order = rows_by_class(data)))
        return SCENT_E_NOMEM;
    transpose(model, data, order);
    free(order);
    merge_cells(model);
    smooth_counts(model, data, alpha);
    return SCENT_OK;
}

/* Adds what the known words of a chunk say beyond the floor; returns their number. */
static double add_chunk(const struct model *model, const struct text_weight *items, size_t n, double *scores)
{
    uint32_t features[MODEL_CHUNK];
    double length = 0;

    model_features(model, items, n, features);
    for (size_t k = 0; k < n; k++)
        if (features[k] != VOCABULARY_NONE)
            __builtin_prefetch(model->cells + model->first[features[k]]);
    for (size_t k = 0; k < n; k++) {
        uint32_t feature = features[k];

        if (feature == VOCABULARY_NONE)
            continue;
        length += items[k].weight;
        for (uint32_t cell = model->first[feature]; cell < model->first[feature + 1]; cell++)
            scores[model->cells[cell].class] += items[k].weight * (double)model->cells[cell].delta;
    }
    return length;
}

/* Fills scores with the log likelihoods; returns the length in words that the model knows. */
static double likelihood(const struct model *model, const struct text_vector *tf, double *scores)
{
    double length = 0;

    for (uint32_t c = 0; c < model->nclasses; c++)
        scores[c] = 0;
    for (size_t i = 0; i < tf->count; i += MODEL_CHUNK)
        length += add_chunk(model, tf->items + i, tf->count - i < MODEL_CHUNK ? tf->count - i : MODEL_CHUNK, scores);
    for (uint32_t c = 0; c < model->nclasses; c++)
        scores[c] += length * model->floor[c];
    return length;
}

void bayes_decide(const struct model *model, const struct text_vector *tf, double *scores)
{
    likelihood(model, tf, scores);
    for (uint32_t c = 0; c < model->nclasses; c++)
        scores[c] += model->prior[c];
}

void bayes_predict(const struct model *model, const struct text_vector *tf, double *p)
{
    double length = likelihood(model, tf, p);
    /* A text shorter than `flatten` is left as it is: flattening must not sharpen. */
    double divisor = model->flatten > 0 ? fmax(1, length / model->flatten) : 1;
    double max = -INFINITY, sum = 0;

    for (uint32_t c = 0; c < model->nclasses; c++) {
        p[c] = model->prior[c] + p[c] / divisor;
        max = fmax(max, p[c]);
    }
    for (uint32_t c = 0; c < model->nclasses; c++)
        sum += p[c] = exp(p[c] - max);
    for (uint32_t c = 0; c < model->nclasses; c++)
        p[c] /= sum;
}

double bayes_weight(const struct model *model, uint32_t feature, uint32_t class)
{
    double own = model->floor[class], others = 0;

    for (uint32_t c = 0; c < model->nclasses; c++)
        others += c == class ? 0 : model->floor[c];
    for (uint32_t k = model->first[feature]; k < model->first[feature + 1]; k++) {
        if (model->cells[k].class == class)
            own += model->cells[k].delta;
        else
            others += model->cells[k].delta;
    }
    return own - others / (model->nclasses - 1);
}
