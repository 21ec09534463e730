/* A bit of the result is the majority of that bit in all hashes. The 64 votes are counted side by side: plane p holds
 * bit p of every count, and eight hashes are added by carry-save adders (Harley and Seal's way to count bits). */
#include "page/simhash.h"

enum { PLANES = 24, BLOCK = 8, RUN = 3, RUN_WEIGHT = 2, STEMS = 512 };

struct tally {
    uint64_t planes[PLANES];
    int64_t count;
};

static void add_at(struct tally *tally, unsigned plane, uint64_t carry)
{
    for (; carry && plane < PLANES; plane++) {
        uint64_t next = tally->planes[plane] & carry;

        tally->planes[plane] ^= carry;
        carry = next;
    }
}

/* Adds a and b to *sum; the carries. */
static inline uint64_t save_carry(uint64_t *sum, uint64_t a, uint64_t b)
{
    uint64_t either = *sum ^ a, carry = (*sum & a) | (either & b);

    *sum = either ^ b;
    return carry;
}

static void add_block(struct tally *tally, const uint64_t *b)
{
    uint64_t *ones = &tally->planes[0], *twos = &tally->planes[1], *fours = &tally->planes[2];
    uint64_t two_a = save_carry(ones, b[0], b[1]), two_b = save_carry(ones, b[2], b[3]);
    uint64_t four_a = save_carry(twos, two_a, two_b);
    uint64_t two_c = save_carry(ones, b[4], b[5]), two_d = save_carry(ones, b[6], b[7]);
    uint64_t four_b = save_carry(twos, two_c, two_d);

    add_at(tally, 3, save_carry(fours, four_a, four_b));
}

static void tally_add(struct tally *tally, const uint64_t *hashes, size_t count)
{
    size_t i = 0;

    for (; i + BLOCK <= count; i += BLOCK)
        add_block(tally, hashes + i);
    for (; i < count; i++)
        add_at(tally, 0, hashes[i]);
    tally->count += (int64_t)count;
}

/* How many more hashes have this bit than have it not. */
static int64_t tally_margin(const struct tally *tally, unsigned bit)
{
    int64_t ones = 0;

    for (unsigned p = 0; tally->count >> p; p++)
        ones += (int64_t)(tally->planes[p] >> bit & 1) << p;
    return 2 * ones - tally->count;
}

/* ---- a page ---- */

struct sketch {
    struct tally words, runs;
    uint64_t stems[STEMS]; /* not yet counted; the first `kept` are, and wait for the words after them */
    size_t nstems, kept;
};

static void sketch_init(struct sketch *sketch)
{
    sketch->words = sketch->runs = (struct tally){0};
    sketch->nstems = sketch->kept = 0;
}

static inline uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* The stems are hashes already: one multiplication makes their order count. */
static inline uint64_t run_hash(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = (a ^ rotate(b, 21) ^ rotate(c, 42)) * 0x9E3779B97F4A7C15u;

    return x ^ x >> 32;
}

static void count_stems(struct sketch *sketch)
{
    uint64_t runs[STEMS];
    size_t nruns = sketch->nstems >= RUN ? sketch->nstems - RUN + 1 : 0;

    for (size_t i = 0; i < nruns; i++)
        runs[i] = run_hash(sketch->stems[i], sketch->stems[i + 1], sketch->stems[i + 2]);
    tally_add(&sketch->words, sketch->stems + sketch->kept, sketch->nstems - sketch->kept);
    tally_add(&sketch->runs, runs, nruns);
    sketch->kept = sketch->nstems < RUN - 1 ? sketch->nstems : RUN - 1;
    memmove(sketch->stems, sketch->stems + sketch->nstems - sketch->kept, sketch->kept * sizeof *sketch->stems);
    sketch->nstems = sketch->kept;
}

/* Without a branch on the stop words, which nobody can predict. */
static void add_words(struct sketch *sketch, const struct page *page, uint32_t left_out)
{
    for (uint32_t i = 0; i < page->nwords; i++) {
        sketch->stems[sketch->nstems] = page->words[i].stem;
        sketch->nstems += !(page->words[i].flags & left_out);
        if (sketch->nstems == STEMS)
            count_stems(sketch);
    }
    count_stems(sketch);
}

uint64_t page_simhash(const struct page *page)
{
    struct sketch sketch;
    uint64_t simhash = 0;

    sketch_init(&sketch);
    add_words(&sketch, page, PAGE_WORD_STOP | PAGE_WORD_BOILERPLATE);
    if (sketch.words.count < SIMHASH_MIN_WORDS) {
        sketch_init(&sketch);
        add_words(&sketch, page, PAGE_WORD_STOP);
    }
    if (sketch.words.count < SIMHASH_MIN_WORDS)
        return SIMHASH_NONE;
    for (unsigned bit = 0; bit < 64; bit++)
        if (tally_margin(&sketch.words, bit) + RUN_WEIGHT * tally_margin(&sketch.runs, bit) > 0)
            simhash |= (uint64_t)1 << bit;
    return simhash ? simhash : 1;
}
