#include "strategy/guided.h"

#include "learn/model.h"
#include "strategy/array.h"

#include <stdlib.h>

scent_status guided_init(struct guided *guided, const char *strategy, const struct topic *topic, struct errmsg *err)
{
    uint32_t nclasses;

    *guided = (struct guided){.model = topic->trained};
    if (!topic->trained)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %s is guided by a classifier, and the topic has none: give it examples "
                           "(examples: {positive: …}) and train it with 'scent train'", strategy);
    nclasses = model_nclasses(topic->trained);
    guided->wanted = calloc(nclasses, sizeof *guided->wanted);
    guided->p = calloc(nclasses, sizeof *guided->p);
    SCENT_BUG_IF(!guided->wanted || !guided->p);
    topic_wanted_classes(topic, guided->wanted);
    return SCENT_OK;
}

void guided_release(struct guided *guided)
{
    free(guided->wanted);
    free(guided->p);
    free(guided->items);
}

double guided_page(const struct strategy_visit *visit)
{
    return visit->judgement->classifier;
}

struct text_vector guided_bag(struct guided *guided, const struct page *page)
{
    guided->items = array_grow(guided->items, &guided->room, page->nbag, sizeof *guided->items);
    for (uint32_t i = 0; i < page->nbag; i++)
        guided->items[i] = (struct text_weight){page->bag[i].stem, page->bag[i].tf};
    return (struct text_vector){guided->items, page->nbag};
}

double guided_context(struct guided *guided, const struct page *page, struct context context, const float *weights)
{
    struct text_vector bag;
    double sum = 0;

    guided->items = array_grow(guided->items, &guided->room, context.end - context.first, sizeof *guided->items);
    bag = context_bag(page, context, weights, guided->items);
    model_predict(guided->model, &bag, guided->p);
    for (uint32_t i = 0; i < model_nclasses(guided->model); i++)
        sum += guided->wanted[i] ? guided->p[i] : 0;
    return sum;
}
