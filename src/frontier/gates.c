#include "frontier/gates.h"

#include "frontier/hostpile.h"

#include <stdlib.h>

enum { BLOCK_GATES = 4096 };

void gates_init(struct gates *gates, uint32_t limit, int64_t delay_us)
{
    *gates = (struct gates){.limit = limit < UINT16_MAX ? limit : UINT16_MAX};
    if (gates->limit)
        gates->gap_us = delay_us / gates->limit + (delay_us % gates->limit != 0);
}

void gates_release(struct gates *gates)
{
    for (uint32_t i = 0; i < gates->nblocks; i++)
        free(gates->blocks[i]);
    free(gates->blocks);
    *gates = (struct gates){0};
}

static struct gates_gate *new_block(void)
{
    struct gates_gate *block = malloc(BLOCK_GATES * sizeof *block);

    for (uint32_t i = 0; block && i < BLOCK_GATES; i++)
        block[i] = (struct gates_gate){.next_us = INT64_MIN, .pile = HOSTPILE_NONE, .first = HOSTPILE_NONE};
    return block;
}

scent_status gates_reach(struct gates *gates, uint32_t gate)
{
    uint32_t block = gate / BLOCK_GATES;

    if (block >= gates->nblocks) {
        struct gates_gate **blocks = realloc(gates->blocks, (block + 1) * sizeof *blocks);

        if (!blocks)
            return SCENT_E_NOMEM;
        gates->blocks = blocks;
        while (gates->nblocks <= block)
            blocks[gates->nblocks++] = NULL;
    }
    if (!gates->blocks[block])
        gates->blocks[block] = new_block();
    return gates->blocks[block] ? SCENT_OK : SCENT_E_NOMEM;
}

struct gates_gate *gates_at(const struct gates *gates, uint32_t gate)
{
    return &gates->blocks[gate / BLOCK_GATES][gate % BLOCK_GATES];
}

void gates_clear(struct gates *gates)
{
    for (uint32_t i = 0; i < gates->nblocks; i++)
        for (uint32_t j = 0; gates->blocks[i] && j < BLOCK_GATES; j++) {
            struct gates_gate *gate = &gates->blocks[i][j];

            gate->pile = gate->first = HOSTPILE_NONE;
            gate->starved = gate->sent = 0;
        }
}
