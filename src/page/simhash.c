/* A bit of the result is the majority of that bit in all hashes. The 64 votes are counted side by side: plane p holds
 * bit p of every count, and eight hashes are added by carry-save adders (Harley and Seal's way to count bits). */
#include "page/simhash.h"

#include "page/tag.h"

enum { PLANES = 24, BLOCK = 8, RUN_WEIGHT = 2, ANCESTORS_MAX = 64 };

struct tally {
    uint64_t planes[PLANES];
    uint64_t block[BLOCK];
    unsigned fill;
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

static void add_block(struct tally *tally)
{
    uint64_t *ones = &tally->planes[0], *twos = &tally->planes[1], *fours = &tally->planes[2];
    const uint64_t *b = tally->block;
    uint64_t two_a = save_carry(ones, b[0], b[1]), two_b = save_carry(ones, b[2], b[3]);
    uint64_t four_a = save_carry(twos, two_a, two_b);
    uint64_t two_c = save_carry(ones, b[4], b[5]), two_d = save_carry(ones, b[6], b[7]);
    uint64_t four_b = save_carry(twos, two_c, two_d);

    add_at(tally, 3, save_carry(fours, four_a, four_b));
    tally->fill = 0;
}

static inline void tally_add(struct tally *tally, uint64_t hash)
{
    tally->block[tally->fill++] = hash;
    tally->count++;
    if (tally->fill == BLOCK)
        add_block(tally);
}

static void tally_finish(struct tally *tally)
{
    for (unsigned i = 0; i < tally->fill; i++)
        add_at(tally, 0, tally->block[i]);
    tally->fill = 0;
}

/* How many more hashes have this bit than have it not. */
static int64_t tally_margin(const struct tally *tally, unsigned bit)
{
    int64_t ones = 0;

    for (unsigned p = 0; p < PLANES; p++)
        ones += (int64_t)(tally->planes[p] >> bit & 1) << p;
    return 2 * ones - tally->count;
}

/* ---- a page ---- */

struct sketch {
    struct tally words, runs;
    uint64_t before, before_that; /* the stems of the two words before; 0: none */
};

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

static void add_words(struct sketch *sketch, const struct page *page, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        uint64_t stem = page->words[i].stem;

        if (page->words[i].flags & PAGE_WORD_STOP)
            continue;
        tally_add(&sketch->words, stem);
        if (sketch->before_that)
            tally_add(&sketch->runs, run_hash(sketch->before_that, sketch->before, stem));
        sketch->before_that = sketch->before;
        sketch->before = stem;
    }
}

/* The header of an article is its headline. */
static bool is_inside_article(const struct page *page, uint32_t node)
{
    for (int i = 0; i < ANCESTORS_MAX && page->nodes[node].parent != PAGE_NONE; i++) {
        node = page->nodes[node].parent;
        if (page->nodes[node].tag == PAGE_TAG_ARTICLE || page->nodes[node].tag == PAGE_TAG_MAIN ||
            page->nodes[node].tag == PAGE_TAG_SECTION)
            return true;
    }
    return false;
}

static bool is_frame(const struct page *page, uint32_t node)
{
    switch (page->nodes[node].tag) {
    case PAGE_TAG_NAV:
    case PAGE_TAG_ASIDE:
        return true;
    case PAGE_TAG_HEADER:
    case PAGE_TAG_FOOTER:
        return !is_inside_article(page, node);
    default:
        return false;
    }
}

static void add_content(struct sketch *sketch, const struct page *page)
{
    uint32_t pos = 0;

    for (uint32_t i = 0; i < page->nnodes; i++) {
        const struct page_node *node = &page->nodes[i];

        if (node->end_word <= pos || !is_frame(page, i))
            continue;
        if (node->first_word > pos)
            add_words(sketch, page, pos, node->first_word);
        pos = node->end_word;
    }
    add_words(sketch, page, pos, page->nwords);
}

uint64_t page_simhash(const struct page *page)
{
    struct sketch sketch = {0};
    uint64_t simhash = 0;

    add_content(&sketch, page);
    if (sketch.words.count < SIMHASH_MIN_WORDS) {
        sketch = (struct sketch){0};
        add_words(&sketch, page, 0, page->nwords);
    }
    if (sketch.words.count < SIMHASH_MIN_WORDS)
        return SIMHASH_NONE;
    tally_finish(&sketch.words);
    tally_finish(&sketch.runs);
    for (unsigned bit = 0; bit < 64; bit++)
        if (tally_margin(&sketch.words, bit) + RUN_WEIGHT * tally_margin(&sketch.runs, bit) > 0)
            simhash |= (uint64_t)1 << bit;
    return simhash ? simhash : 1;
}
