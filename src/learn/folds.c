#include "learn/folds.h"

#include "base/rng.h"

#include <stdlib.h>

static void shuffle(uint32_t *items, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = rng_below(rng, i);
        uint32_t item = items[i - 1];

        items[i - 1] = items[j];
        items[j] = item;
    }
}

scent_status folds_split(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t nfolds, uint64_t seed,
                         uint32_t *fold)
{
    uint32_t *rows = malloc((n + 1) * sizeof *rows);
    uint32_t next = 0;
    struct rng rng;

    if (!rows)
        return SCENT_E_NOMEM;
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < n; i++)
        rows[i] = i;
    shuffle(rows, n, &rng);
    for (uint32_t c = 0; c < nclasses; c++)
        for (size_t i = 0; i < n; i++)
            if (class[rows[i]] == c)
                fold[rows[i]] = next++ % nfolds;
    free(rows);
    return SCENT_OK;
}
