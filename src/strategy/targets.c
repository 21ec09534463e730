#include "strategy/targets.h"

#include "strategy/array.h"

#include <stdlib.h>

void targets_collect(struct targets *targets, const struct strategy_visit *visit,
                     bool (*takes)(const struct page *page, const struct page_link *link))
{
    const struct page *page = visit->page;

    targets->ids = array_grow(targets->ids, &targets->room, page->nlinks, sizeof *targets->ids);
    targets->count = 0;
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (visit->targets[i] != STRATEGY_UNKNOWN && (!takes || takes(page, &page->links[i])))
            targets->ids[targets->count++] = visit->targets[i];
}

void targets_release(struct targets *targets)
{
    free(targets->ids);
}
