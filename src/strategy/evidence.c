#include "strategy/evidence.h"

#include "base/hash.h"
#include "strategy/array.h"
#include "strategy/counts.h"

#include <stdlib.h>

void evidence_release(struct evidence *evidence)
{
    free(evidence->facts);
    free(evidence->old);
    free(evidence->at);
    free(evidence->marks);
    free(evidence->slots);
}

static uint32_t *find_slot(const struct evidence *evidence, uint64_t key)
{
    size_t i = hash_mix(key, 0) & (evidence->nslots - 1);

    while (evidence->slots[i] && evidence->facts[evidence->slots[i] - 1].key != key)
        i = (i + 1) & (evidence->nslots - 1);
    return &evidence->slots[i];
}

/* No key is there twice: any free slot of its own will do. A damaged file may say otherwise, and is_sound() then finds out. */
static void reindex(struct evidence *evidence, size_t nslots)
{
    free(evidence->slots);
    evidence->slots = calloc(nslots, sizeof *evidence->slots);
    SCENT_BUG_IF(!evidence->slots);
    evidence->nslots = nslots;
    for (size_t i = 0; i < evidence->count; i++) {
        size_t slot = hash_mix(evidence->facts[i].key, 0) & (nslots - 1);

        while (evidence->slots[slot])
            slot = (slot + 1) & (nslots - 1);
        evidence->slots[slot] = (uint32_t)i + 1;
    }
}

static void make_room(struct evidence *evidence)
{
    size_t room = evidence->room;

    evidence->facts = array_grow(evidence->facts, &evidence->room, evidence->count + 1, sizeof *evidence->facts);
    evidence->marks = array_grow(evidence->marks, &(size_t){room}, evidence->count + 1, sizeof *evidence->marks);
    evidence->at = array_grow(evidence->at, &(size_t){room}, evidence->count + 1, sizeof *evidence->at);
}

uint32_t evidence_find(const struct evidence *evidence, uint64_t key)
{
    return evidence->nslots ? *find_slot(evidence, key) - 1 : EVIDENCE_NONE; /* 0 - 1 is EVIDENCE_NONE */
}

uint32_t evidence_number(struct evidence *evidence, uint64_t key)
{
    uint32_t number = (uint32_t)evidence->count, *slot;

    if ((evidence->count + 1) * 2 > evidence->nslots)
        reindex(evidence, evidence->nslots ? evidence->nslots * 2 : 64);
    slot = find_slot(evidence, key);
    if (*slot)
        return *slot - 1;
    if (evidence->count == evidence->room)
        make_room(evidence);
    evidence->facts[number] = (struct evidence_fact){.key = key};
    evidence->marks[number] = (struct evidence_mark){.value = 0};
    evidence->at[number] = 0;
    evidence->count++;
    *slot = number + 1;
    return number;
}

/* ---- what they say ---- */

void evidence_renew(struct evidence *evidence)
{
    evidence->moment += 2;
    if (evidence->moment)
        return;
    if (evidence->count)
        memset(evidence->at, 0, evidence->count * sizeof *evidence->at);
    evidence->moment = 2;
}

/* True: it says something. */
static bool look_up(struct evidence *evidence, const struct interest_now *now, size_t fact)
{
    struct evidence_old sum = evidence_sum(evidence, (uint32_t)fact);
    double value = interest_now_if_telling(now, sum.pages, sum.relevant);

    evidence->marks[fact].value = value;
    evidence->at[fact] = evidence->moment + (value != 0);
    return value != 0;
}

double evidence_value(struct evidence *evidence, const struct interest_now *now, uint32_t fact)
{
    if ((evidence->at[fact] & ~1U) != evidence->moment)
        (void)look_up(evidence, now, fact);
    return evidence->marks[fact].value;
}

/* Most tokens are on one URL only, which is too few to be believed: they are not worth looking up. */
static inline bool is_telling(struct evidence *evidence, const struct interest_now *now, size_t fact)
{
    return (evidence->facts[fact].pages >= INTEREST_MIN_PAGES || fact < evidence->nold) && look_up(evidence, now, fact);
}

double evidence_say(struct evidence *evidence, const struct interest_now *now, const uint32_t *facts, size_t count)
{
    const uint32_t silent = evidence->moment, *at = evidence->at;
    double sum = 0;

    for (const uint32_t *fact = facts; fact < facts + count; fact++)
        if (at[*fact] != silent && (at[*fact] == silent + 1 || is_telling(evidence, now, *fact)))
            sum += evidence->marks[*fact].value;
    return sum;
}

struct reading {
    const uint32_t *at;
    struct evidence_mark *marks;
    uint32_t silent, round;
};

/* The way of most words is one comparison. */
static inline void add(struct evidence *evidence, const struct interest_now *now, struct reading in, size_t fact,
                       struct evidence_totals *totals)
{
    struct evidence_mark *mark;

    if (in.at[fact] == in.silent)
        return;
    if (in.at[fact] != in.silent + 1 && !is_telling(evidence, now, fact))
        return;
    mark = &in.marks[fact];
    totals->all += mark->value;
    if (mark->round == in.round)
        return;
    mark->round = in.round;
    totals->distinct += mark->value;
}

/* Four at a time: these loops are most of what a page costs. */
struct evidence_totals evidence_total(struct evidence *evidence, const struct interest_now *now,
                                      const struct evidence_list *lists, size_t nlists)
{
    struct evidence_totals sums = {0};
    struct reading in;

    evidence_begin(evidence);
    in = (struct reading){evidence->at, evidence->marks, evidence->moment, evidence->round};
    for (const struct evidence_list *list = lists; list < lists + nlists; list++) {
        const uint32_t *fact = list->facts, *end = fact + list->count;

        for (; end - fact >= 4; fact += 4) {
            add(evidence, now, in, fact[0], &sums);
            add(evidence, now, in, fact[1], &sums);
            add(evidence, now, in, fact[2], &sums);
            add(evidence, now, in, fact[3], &sums);
        }
        for (; fact < end; fact++)
            add(evidence, now, in, *fact, &sums);
    }
    return sums;
}

void evidence_begin(struct evidence *evidence)
{
    if (++evidence->round)
        return;
    for (size_t i = 0; i < evidence->count; i++)
        evidence->marks[i].round = 0;
    evidence->round = 1;
}

bool evidence_first(struct evidence *evidence, uint32_t fact)
{
    bool first = evidence->marks[fact].round != evidence->round;

    evidence->marks[fact].round = evidence->round;
    return first;
}

/* ---- for other crawls ---- */

static bool is_counted(const struct evidence *evidence, size_t fact)
{
    return evidence_sum(evidence, (uint32_t)fact).pages > 0;
}

/* How many facts; of each its key and counts. Facts that were met and never counted are none. */
void evidence_learned(const struct evidence *evidence, struct buf *out)
{
    uint64_t counted = 0;

    for (size_t i = 0; i < evidence->count; i++)
        counted += is_counted(evidence, i);
    bytes_put_varint(out, counted);
    for (size_t i = 0; i < evidence->count; i++) {
        struct evidence_old sum = evidence_sum(evidence, (uint32_t)i);

        if (!is_counted(evidence, i))
            continue;
        bytes_put(out, evidence->facts[i].key, 8);
        counts_put(out, sum.pages);
        counts_put(out, sum.relevant);
    }
}

static struct evidence_old *old_of(struct evidence *evidence, uint64_t key)
{
    uint32_t fact = evidence_number(evidence, key);

    evidence->old = array_grow(evidence->old, &evidence->old_room, (size_t)fact + 1, sizeof *evidence->old);
    if (evidence->nold <= fact) {
        memset(evidence->old + evidence->nold, 0, (fact + 1 - evidence->nold) * sizeof *evidence->old);
        evidence->nold = (size_t)fact + 1;
    }
    return &evidence->old[fact];
}

void evidence_recall(struct evidence *evidence, struct bytes *in, double weight)
{
    enum { LEAST = 10 }; /* bytes of a fact */
    uint64_t count = bytes_get_varint(in);

    bytes_has(in, count, LEAST);
    bytes_check(in, count < EVIDENCE_NONE - evidence->count, "it has too many facts");
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        uint64_t key = bytes_get(in, 8);
        double pages = counts_get(in), relevant = counts_get(in);

        if (!bytes_check(in, relevant <= pages, "a fact holds for more relevant pages than pages") || !(weight > 0))
            continue;
        old_of(evidence, key)->pages += weight * pages;
        old_of(evidence, key)->relevant += weight * relevant;
    }
}

/* ---- keeping ---- */

void evidence_save(const struct evidence *evidence, struct buf *out)
{
    const uint64_t counts[] = {evidence->count, evidence->nold};

    array_put(out, counts, sizeof counts);
    array_put(out, evidence->facts, evidence->count * sizeof *evidence->facts);
    array_put(out, evidence->old, evidence->nold * sizeof *evidence->old);
}

/* Each fact stands there once, and with counts that can be. */
static bool is_sound(const struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->nold; i++)
        if (!(evidence->old[i].relevant >= 0 && evidence->old[i].relevant <= evidence->old[i].pages &&
              evidence->old[i].pages <= COUNTS_MAX))
            return false;
    for (size_t i = 0; i < evidence->count; i++)
        if (evidence->facts[i].relevant > evidence->facts[i].pages ||
            evidence_find(evidence, evidence->facts[i].key) != i)
            return false;
    return true;
}

bool evidence_load(struct evidence *evidence, struct str *rest)
{
    uint64_t counts[2], count, nold;
    size_t nslots = 64;

    if (!array_get(rest, counts, sizeof counts))
        return false;
    count = counts[0];
    nold = counts[1];
    if (count >= EVIDENCE_NONE || nold > count ||
        count * sizeof *evidence->facts + nold * sizeof *evidence->old > rest->len)
        return false;
    evidence_release(evidence);
    *evidence = (struct evidence){.count = count, .room = count, .nold = nold, .old_room = nold};
    evidence->facts = array_take(rest, count, sizeof *evidence->facts);
    evidence->old = nold ? array_take(rest, nold, sizeof *evidence->old) : NULL;
    evidence->marks = calloc(count + 1, sizeof *evidence->marks);
    evidence->at = calloc(count + 1, sizeof *evidence->at);
    SCENT_BUG_IF(!evidence->marks || !evidence->at);
    while (nslots < count * 2)
        nslots *= 2;
    reindex(evidence, nslots);
    return is_sound(evidence);
}
