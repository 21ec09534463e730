/* in-degree - what more pages link to comes first.
 *
 * Counts the pages, not the links: a menu that names a target twice says it once. Own bytes: the page that was counted
 * last (4). */
#include "strategy/classics.h"

#include <string.h>

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)link;
    *out = (struct strategy_score){
        .priority = 1,
        .nparts = 1,
        .parts = {{.name = "pages that link to it", .value = 1}},
    };
    memcpy(out->own, &visit->id, sizeof visit->id);
}

static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    bool same = memcmp(kept->own, score->own, sizeof(uint32_t)) == 0;

    (void)state, (void)id;
    score->priority = kept->priority + (same ? 0 : 1);
    score->parts[0].value = (double)score->priority;
}

const struct strategy_ops strategy_in_degree = {
    .name = "in-degree",
    .summary = "what most of the pages seen so far link to",
    .paper = "Cho, Garcia-Molina and Page 1998, Efficient Crawling Through URL Ordering",
    .own_bytes = sizeof(uint32_t),
    .score = score,
    .merge = merge,
};
