/* vocabulary - from a stem's hash to the number of a feature; for this folder.
 *
 * Features are numbered in the order of their hashes. A hash is uniform, so its first bits say where in that order it
 * must lie: a probe reads one entry of `first` and about one stem. The stems of a page come sorted too, so that the
 * probes of a page walk through memory in one direction. 12 to 16 bytes a feature. Immutable; any thread. */
#ifndef SCENT_LEARN_VOCABULARY_H
#define SCENT_LEARN_VOCABULARY_H

#include "base/arena.h"

enum { VOCABULARY_NONE = UINT32_MAX, VOCABULARY_MAX = 1 << 26 };

struct vocabulary {
    const uint64_t *stems; /* sorted, distinct */
    uint32_t *first;       /* of the stems that begin with these bits: where they start; one more at the end */
    uint32_t count, shift;
};

/* `stems` stays the caller's and must outlive it; `first` is made in `arena`. */
SCENT_NODISCARD scent_status vocabulary_init(struct vocabulary *vocabulary, const uint64_t *stems, uint32_t count,
                                             struct arena *arena);

static inline uint32_t vocabulary_find(const struct vocabulary *vocabulary, uint64_t stem)
{
    const uint32_t *first = vocabulary->first + (stem >> vocabulary->shift);

    for (uint32_t i = first[0]; i < first[1]; i++)
        if (vocabulary->stems[i] == stem)
            return i;
    return VOCABULARY_NONE;
}

#endif
