#include "strategy/evidence.h"

#include "base/hash.h"
#include "strategy/array.h"

#include <stdlib.h>

void evidence_release(struct evidence *evidence)
{
    free(evidence->facts);
    free(evidence->round);
    free(evidence->slots);
}

static uint32_t *find_slot(const struct evidence *evidence, uint64_t key)
{
    size_t i = hash_mix(key, 0) & (evidence->nslots - 1);

    while (evidence->slots[i] && evidence->facts[evidence->slots[i] - 1].key != key)
        i = (i + 1) & (evidence->nslots - 1);
    return &evidence->slots[i];
}

static void reindex(struct evidence *evidence, size_t nslots)
{
    free(evidence->slots);
    evidence->slots = calloc(nslots, sizeof *evidence->slots);
    SCENT_BUG_IF(!evidence->slots);
    evidence->nslots = nslots;
    for (size_t i = 0; i < evidence->count; i++)
        *find_slot(evidence, evidence->facts[i].key) = (uint32_t)i + 1;
}

uint32_t evidence_find(const struct evidence *evidence, uint64_t key)
{
    return evidence->nslots ? *find_slot(evidence, key) - 1 : EVIDENCE_NONE; /* 0 - 1 is EVIDENCE_NONE */
}

uint32_t evidence_number(struct evidence *evidence, uint64_t key)
{
    uint32_t number = evidence_find(evidence, key);

    if (number != EVIDENCE_NONE)
        return number;
    number = (uint32_t)evidence->count;
    evidence->facts = array_grow(evidence->facts, &evidence->facts_room, evidence->count + 1, sizeof *evidence->facts);
    evidence->round = array_grow(evidence->round, &evidence->round_room, evidence->count + 1, sizeof *evidence->round);
    evidence->facts[number] = (struct evidence_fact){.key = key};
    evidence->round[number] = 0;
    evidence->count++;
    if (evidence->count * 2 > evidence->nslots)
        reindex(evidence, evidence->nslots ? evidence->nslots * 2 : 64);
    else
        *find_slot(evidence, key) = number + 1;
    return number;
}

void evidence_begin(struct evidence *evidence)
{
    if (++evidence->now)
        return;
    memset(evidence->round, 0, evidence->count * sizeof *evidence->round);
    evidence->now = 1;
}

bool evidence_first(struct evidence *evidence, uint32_t fact)
{
    bool first = evidence->round[fact] != evidence->now;

    evidence->round[fact] = evidence->now;
    return first;
}

/* ---- keeping ---- */

void evidence_save(const struct evidence *evidence, struct buf *out)
{
    const uint64_t count = evidence->count;

    array_put(out, &count, sizeof count);
    array_put(out, evidence->facts, evidence->count * sizeof *evidence->facts);
}

/* Each fact stands there once, and with counts that can be. */
static bool is_sound(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->count; i++)
        if (evidence->facts[i].relevant > evidence->facts[i].pages ||
            evidence_find(evidence, evidence->facts[i].key) != i)
            return false;
    return true;
}

bool evidence_load(struct evidence *evidence, struct str *rest)
{
    uint64_t count;
    size_t nslots = 64;

    if (rest->len < sizeof count)
        return false;
    memcpy(&count, rest->p, sizeof count);
    *rest = str_sub(*rest, sizeof count, rest->len);
    if (count >= EVIDENCE_NONE || count * sizeof *evidence->facts > rest->len)
        return false;
    evidence_release(evidence);
    *evidence = (struct evidence){.count = count, .facts_room = count, .round_room = count};
    evidence->facts = array_take(rest, count, sizeof *evidence->facts);
    evidence->round = calloc(count + 1, sizeof *evidence->round);
    SCENT_BUG_IF(!evidence->round);
    while (nslots < count * 2)
        nslots *= 2;
    reindex(evidence, nslots);
    return is_sound(evidence);
}
