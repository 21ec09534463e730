/* refine - when is what a crawl has counted worth counting with?
 *
 * Strategies that refine what they were taught put their counts to use when these have grown by a tenth, and then score
 * all candidates again: at any time all are ranked alike, and the work a page stays constant on average. */
#ifndef SCENT_STRATEGY_REFINE_H
#define SCENT_STRATEGY_REFINE_H

#include <stdbool.h>

enum { REFINE_LEAST = 50 };

/* `counted` so far, of which `used` are in use. */
static inline bool refine_is_due(double counted, double used)
{
    return counted - used >= REFINE_LEAST && (counted - used) * 10 >= used;
}

#endif
