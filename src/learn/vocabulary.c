#include "learn/vocabulary.h"

scent_status vocabulary_init(struct vocabulary *vocabulary, const uint64_t *stems, uint32_t count, struct arena *arena)
{
    uint32_t bits = 1, bucket = 0;

    while (bits < 26 && (1u << bits) < count)
        bits++;
    *vocabulary = (struct vocabulary){.stems = stems, .count = count, .shift = 64 - bits};
    vocabulary->first = arena_array(arena, (1u << bits) + (size_t)1, sizeof *vocabulary->first);
    if (!vocabulary->first)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        while (bucket <= stems[i] >> vocabulary->shift)
            vocabulary->first[bucket++] = i;
    while (bucket <= 1u << bits)
        vocabulary->first[bucket++] = count;
    return SCENT_OK;
}
