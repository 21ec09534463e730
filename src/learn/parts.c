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
