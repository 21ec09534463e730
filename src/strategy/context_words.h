/* context_words - the words that are at most so many DOM nodes from a link, with weights that fall with the distance. */
#ifndef SCENT_STRATEGY_CONTEXT_WORDS_H
#define SCENT_STRATEGY_CONTEXT_WORDS_H

#include "context/context.h"

struct context_words {
    uint32_t distance;
    bool by_path; /* through the tree; else in text leaves */
    uint32_t *leaf_nodes;
    float *weights;
    size_t leaves_room, words_room;
};

void context_words_release(struct context_words *words);
/* Before the links of a page are asked for. */
void context_words_begin(struct context_words *words, const struct page *page);
/* The range, and the weight of each of its words; they are gone with the next call. */
struct context context_words_near(struct context_words *words, const struct page *page, uint32_t link,
                                  const float **weights);
/* The same words with weight 1, those that are too far with 0. */
const float *context_words_flatten(struct context_words *words, struct context range);

#endif
