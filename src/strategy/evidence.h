/* evidence - for how many crawled pages did a fact hold, and how many of them were relevant? Facts are 64-bit hashes of
 * words or tokens; each gets a number. 28 to 40 bytes a fact. Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_EVIDENCE_H
#define SCENT_STRATEGY_EVIDENCE_H

#include "base/buf.h"
#include "base/status.h"

#define EVIDENCE_NONE UINT32_MAX

struct evidence {
    struct evidence_fact {
        uint64_t key;
        uint32_t pages, relevant;
    } *facts;
    uint32_t *round; /* of each fact: the last round in which it was met */
    size_t count, facts_room, round_room;
    uint32_t *slots; /* number + 1 of a fact; 0: free */
    size_t nslots;   /* a power of two */
    uint32_t now;
};

void evidence_release(struct evidence *evidence);
uint32_t evidence_find(const struct evidence *evidence, uint64_t key); /* EVIDENCE_NONE: never met */
uint32_t evidence_number(struct evidence *evidence, uint64_t key);     /* met for the first time: it is added */

/* A set of facts at a time: after evidence_begin() evidence_first() is true once for each. */
void evidence_begin(struct evidence *evidence);
bool evidence_first(struct evidence *evidence, uint32_t fact);

void evidence_save(const struct evidence *evidence, struct buf *out);
/* Takes it off the front of *rest; false: damaged. */
SCENT_NODISCARD bool evidence_load(struct evidence *evidence, struct str *rest);

#endif
