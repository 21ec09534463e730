#include "strategy/context_words.h"

#include "strategy/array.h"

#include <stdlib.h>

void context_words_release(struct context_words *words)
{
    free(words->leaf_nodes);
    free(words->weights);
}

void context_words_begin(struct context_words *words, const struct page *page)
{
    if (!words->by_path)
        return;
    words->leaf_nodes = array_grow(words->leaf_nodes, &words->leaves_room, page->nleaves, sizeof *words->leaf_nodes);
    context_leaf_nodes(page, words->leaf_nodes);
}

struct context context_words_near(struct context_words *words, const struct page *page, uint32_t link,
                                  const float **weights)
{
    struct context range = words->by_path ? context_path(page, link, words->distance)
                                          : context_leaves(page, link, words->distance);

    words->weights = array_grow(words->weights, &words->words_room, range.end - range.first, sizeof *words->weights);
    if (words->by_path)
        context_path_weights(page, link, words->distance, words->leaf_nodes, range, words->weights);
    else
        context_leaf_weights(page, link, words->distance, range, words->weights);
    *weights = words->weights;
    return range;
}

const float *context_words_flatten(struct context_words *words, struct context range)
{
    for (uint32_t i = 0; i < range.end - range.first; i++)
        words->weights[i] = words->weights[i] > 0 ? 1 : 0;
    return words->weights;
}
