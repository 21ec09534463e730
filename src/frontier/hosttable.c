#include "frontier/hosttable.h"

#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"

#include <stdlib.h>

enum { BLOCK_HOSTS = 4096, NAMES_BITS = 16, NAMES_BYTES = 1 << NAMES_BITS };

void hosttable_init(struct hosttable *table)
{
    /* Ids do not depend on the seed, so a run stays reproducible. */
    *table = (struct hosttable){.seed = rng_entropy()};
    seen_init(&table->ids);
}

void hosttable_release(struct hosttable *table)
{
    for (uint32_t i = 0, n = hosttable_count(table); i < n; i++)
        free(hosttable_at(table, i)->queue);
    for (size_t i = 0; i < table->nblocks; i++)
        free(table->blocks[i]);
    seen_release(&table->ids);
    for (size_t i = 0; i < table->nnames; i++)
        free(table->names[i]);
    free(table->blocks);
    free(table->names);
    *table = (struct hosttable){0};
}

/* Room for one more host and its name. */
static scent_status reserve(struct hosttable *table, size_t name_len)
{
    if (hosttable_count(table) == (uint64_t)table->nblocks * BLOCK_HOSTS) {
        if (!vec_reserve(&table->blocks, &table->blocks_room, table->nblocks + 1, sizeof *table->blocks))
            return SCENT_E_NOMEM;
        table->blocks[table->nblocks] = malloc(BLOCK_HOSTS * sizeof **table->blocks);
        if (!table->blocks[table->nblocks])
            return SCENT_E_NOMEM;
        table->nblocks++;
    }
    if (table->nnames && NAMES_BYTES - table->names_used >= name_len)
        return SCENT_OK;
    if (table->nnames == 1u << (32 - NAMES_BITS))
        return SCENT_E_LIMIT;
    if (!vec_reserve(&table->names, &table->names_room, table->nnames + 1, sizeof *table->names))
        return SCENT_E_NOMEM;
    table->names[table->nnames] = malloc(NAMES_BYTES);
    if (!table->names[table->nnames])
        return SCENT_E_NOMEM;
    table->nnames++;
    table->names_used = 0;
    return SCENT_OK;
}

static void fill(struct hosttable *table, uint32_t id, struct str name)
{
    uint32_t at = (uint32_t)(table->nnames - 1) << NAMES_BITS | table->names_used;

    memcpy(table->names[table->nnames - 1] + table->names_used, name.p, name.len);
    table->names_used += (uint32_t)name.len;
    *hosttable_at(table, id) = (struct hosttable_host){
        .next_us = INT64_MIN,
        .gates = {HOSTTABLE_NO_GATE, HOSTTABLE_NO_GATE},
        .delay_us = HOSTTABLE_DEFAULT,
        .name = at,
        .name_len = (uint16_t)name.len & 0x7FF,
    };
}

scent_status hosttable_add(struct hosttable *table, struct str name, uint32_t *id, bool *is_new)
{
    if (name.len > HOSTTABLE_NAME_MAX)
        return SCENT_E_LIMIT;
    SCENT_TRY(reserve(table, name.len));
    /* Two names with one fingerprint: the later one takes its next fingerprint. */
    for (uint64_t seed = table->seed;; seed++) {
        SCENT_TRY(seen_add(&table->ids, hash_str(name, seed), id, is_new));
        if (*is_new)
            fill(table, *id, name);
        if (str_eq(hosttable_name(table, *id), name))
            return SCENT_OK;
    }
}

bool hosttable_find(const struct hosttable *table, struct str name, uint32_t *id)
{
    for (uint64_t seed = table->seed; seen_find(&table->ids, hash_str(name, seed), id); seed++)
        if (str_eq(hosttable_name(table, *id), name))
            return true;
    return false;
}

uint32_t hosttable_count(const struct hosttable *table)
{
    return table->ids.count;
}

struct hosttable_host *hosttable_at(const struct hosttable *table, uint32_t id)
{
    SCENT_BUG_IF(id >= table->ids.count);
    return &table->blocks[id / BLOCK_HOSTS][id % BLOCK_HOSTS];
}

struct str hosttable_name(const struct hosttable *table, uint32_t id)
{
    const struct hosttable_host *host = hosttable_at(table, id);
    const char *block = table->names[host->name >> NAMES_BITS];

    return (struct str){block + (host->name & (NAMES_BYTES - 1)), host->name_len};
}
