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

/* at[c] becomes the number of rows of the classes before c: where the dealing of class c begins. */
static void count_before(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t *at)
{
    uint32_t before = 0;

    for (size_t i = 0; i < n; i++)
        at[class[i]]++;
    for (uint32_t c = 0; c < nclasses; c++) {
        uint32_t count = at[c];

        at[c] = before;
        before += count;
    }
}

scent_status folds_split(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t nfolds, uint64_t seed,
                         uint32_t *fold)
{
    uint32_t *rows = malloc((n + 1) * sizeof *rows), *at = calloc(nclasses + (size_t)1, sizeof *at);
    scent_status status = rows && at ? SCENT_OK : SCENT_E_NOMEM;
    struct rng rng;

    if (status == SCENT_OK) {
        rng_seed(&rng, seed);
        for (uint32_t i = 0; i < n; i++)
            rows[i] = i;
        shuffle(rows, n, &rng);
        count_before(class, n, nclasses, at);
        for (size_t i = 0; i < n; i++)
            fold[rows[i]] = at[class[rows[i]]]++ % nfolds;
    }
    free(rows);
    free(at);
    return status;
}
