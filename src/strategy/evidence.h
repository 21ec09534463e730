/* evidence - for how many crawled pages did a fact hold, and how many of them were relevant? Facts are 64-bit hashes of
 * words or tokens; each gets a number. What a fact says now is computed when it is first asked for, and kept until the
 * counts have changed. 44 to 72 bytes a fact, 16 to 24 more where it is recalled from another crawl.
 * Owner: the strategy that keeps it. */
#ifndef SCENT_STRATEGY_EVIDENCE_H
#define SCENT_STRATEGY_EVIDENCE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/status.h"
#include "strategy/interest.h"

#define EVIDENCE_NONE UINT32_MAX

struct evidence {
    struct evidence_fact {
        uint64_t key;
        uint32_t pages, relevant;
    } *facts;
    /* What other crawls taught of the first `nold` facts, beside what this one counts: whole numbers stay exact. */
    struct evidence_old {
        double pages, relevant;
    } *old;
    size_t nold, old_room;
    /* Of each fact: the moment in which its value was last computed, and one more where it says something. Apart from
     * the values, since most facts say nothing most of the time. */
    uint32_t *at;
    struct evidence_mark {
        double value;
        uint32_t round; /* the last one in which the fact was met */
    } *marks;
    size_t count, room;
    uint32_t *slots; /* number + 1 of a fact; 0: free */
    size_t nslots;   /* a power of two */
    uint32_t round, moment; /* moments are even */
};

void evidence_release(struct evidence *evidence);
uint32_t evidence_find(const struct evidence *evidence, uint64_t key); /* EVIDENCE_NONE: never met */
uint32_t evidence_number(struct evidence *evidence, uint64_t key);     /* met for the first time: it is added */

/* What it says of a page (interest_now_if_telling), since the last evidence_renew(): to be called when counts, or what
 * they are compared with, have changed. */
void evidence_renew(struct evidence *evidence);
double evidence_value(struct evidence *evidence, const struct interest_now *now, uint32_t fact);
/* The sum of what facts say, each of which is given once. */
double evidence_say(struct evidence *evidence, const struct interest_now *now, const uint32_t *facts, size_t count);
/* The same of several lists that have some in common. */
struct evidence_list {
    const uint32_t *facts;
    size_t count;
};
struct evidence_totals {
    double all;      /* the sum of what they say, */
    double distinct; /* and with each of them once */
};
struct evidence_totals evidence_total(struct evidence *evidence, const struct interest_now *now,
                                      const struct evidence_list *lists, size_t nlists);

/* A set of facts at a time: after evidence_begin() evidence_first() is true once for each. */
void evidence_begin(struct evidence *evidence);
bool evidence_first(struct evidence *evidence, uint32_t fact);

/* Of this crawl and of those that it recalls. */
static inline struct evidence_old evidence_sum(const struct evidence *evidence, uint32_t fact)
{
    struct evidence_old sum = {evidence->facts[fact].pages, evidence->facts[fact].relevant};

    if (fact < evidence->nold) {
        sum.pages += evidence->old[fact].pages;
        sum.relevant += evidence->old[fact].relevant;
    }
    return sum;
}

/* The sums, for other crawls. */
void evidence_learned(const struct evidence *evidence, struct buf *out);
/* Adds `weight` times what was learned, before any fact is counted; a weight of 0 only looks whether it is sound. */
void evidence_recall(struct evidence *evidence, struct bytes *in, double weight);

void evidence_save(const struct evidence *evidence, struct buf *out);
/* Takes it off the front of *rest; false: damaged. */
SCENT_NODISCARD bool evidence_load(struct evidence *evidence, struct str *rest);

#endif
