#include "learn/parts.h"

#include <stdlib.h>

struct model *parts_new(void)
{
    struct model *model = calloc(1, sizeof *model);

    SCENT_BUG_IF(!model);
    arena_init(&model->arena, SIZE_MAX);
    return model;
}

void *parts_array(struct model *model, size_t count, size_t size, bool *failed)
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

void parts_features(const struct model *model, const struct text_weight *items, size_t n, uint32_t *features)
{
    const struct vocabulary *vocabulary = &model->vocabulary;

    for (size_t k = 0; k < n; k++)
        __builtin_prefetch(vocabulary->first + (items[k].stem >> vocabulary->shift));
    for (size_t k = 0; k < n; k++)
        __builtin_prefetch(vocabulary->stems + vocabulary->first[items[k].stem >> vocabulary->shift]);
    for (size_t k = 0; k < n; k++) {
        features[k] = parts_feature(model, &items[k]);
        if (features[k] != VOCABULARY_NONE)
            fetch_ahead(model, features[k]);
    }
}

scent_status parts_finish(struct model *model)
{
    bool failed = false;

    model->idf = parts_array(model, model->nfeatures, sizeof *model->idf, &failed);
    if (failed)
        return SCENT_E_NOMEM;
    for (uint32_t f = 0; f < model->nfeatures; f++)
        model->idf[f] = (float)text_idf(model->ndocs, model->df[f]);
    for (int tf = 1; tf < PARTS_LOGS; tf++)
        model->log_tf[tf] = (float)text_weigh_tf(TEXT_LTC, tf, 0);
    return vocabulary_init(&model->vocabulary, model->stems, model->nfeatures, &model->arena);
}
