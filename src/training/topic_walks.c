#include "training/topic_walks.h"

#include <stdlib.h>

enum { TOLD_EVERY = 64 };

uint64_t topic_walks_count(const struct topic_walks *walks, struct rulebook *rules)
{
    uint64_t counted = 0;
    struct rng rng;

    rng_seed(&rng, walks->seed);
    for (uint32_t walk = 0; walk < walks->walks && walks->nstarts; walk++) {
        uint32_t at = walks->starts[rng_below(&rng, walks->nstarts)];

        for (int step = 0; step < TOPIC_WALKS_STEPS; step++) {
            size_t count;
            const uint32_t *links = walks->links(walks->ctx, at, &count);
            uint32_t known = 0, to = at;

            for (size_t i = 0; i < count; i++) /* each of them with the same probability */
                if (walks->class[links[i]] != RULEBOOK_NONE && links[i] != at && rng_below(&rng, ++known) == 0)
                    to = links[i];
            if (to == at || walks->class[at] == RULEBOOK_NONE)
                break;
            rulebook_add(rules, walks->class[at], walks->class[to], 1);
            counted++;
            at = to;
        }
    }
    return counted;
}

static uint32_t class_of(const struct page *page, const struct model *model, struct arena *scratch, double *scores)
{
    struct text_vector tf;

    arena_reset(scratch);
    if (!page || page->nbag == 0 || page_frequencies(page, scratch, &tf) != SCENT_OK)
        return RULEBOOK_NONE;
    model_decision(model, &tf, scores);
    return model_best(scores, model_nclasses(model));
}

void topic_walks_classify(const struct page_graph *graph, const struct model *model,
                          void (*on_read)(void *ctx, size_t done, size_t all), void *ctx, uint32_t *class)
{
    double *scores = calloc(model_nclasses(model), sizeof *scores);
    uint32_t npages = page_graph_count(graph);
    struct arena scratch;

    SCENT_BUG_IF(!scores);
    arena_init(&scratch, SIZE_MAX);
    for (uint32_t i = 0; i < npages; i++) {
        const uint32_t *targets;

        class[i] = class_of(page_graph_page(graph, i, &targets), model, &scratch, scores);
        if (on_read && (i % TOLD_EVERY == 0 || i + 1 == npages))
            on_read(ctx, i + (size_t)1, npages);
    }
    arena_release(&scratch);
    free(scores);
}
