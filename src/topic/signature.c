#include "topic/signature.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

/* Where a word stands on a page about anything it has about so much of it, as a square root: the mean over the English
 * background is sqrt(2.3/880). */
#define ROOT_WHERE_FOUND .052
enum { EXPLAINED = 8 };

/* ---- making ---- */

struct candidate {
    uint32_t at; /* in the centroid */
    double weight;
    uint64_t stem;
};

static int by_weight(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->stem > y->stem) - (x->stem < y->stem);
}

/* Without a background for its language a word is as telling as it is frequent. */
static double tells(const struct centroid_use *use)
{
    if (use->common < 0)
        return 1;
    return use->common > 0 && use->common < 1 ? -log(use->common) : 0;
}

/* Seeds may have been added up in another order, which moves the last digit: as floats equal words stay equal, and the
 * same are chosen. */
static size_t weigh(const struct centroid *seeds, struct candidate *out)
{
    size_t count = 0;

    for (size_t i = 0; i < seeds->count; i++) {
        double weight = seeds->uses[i].share / seeds->pages * tells(&seeds->uses[i]);

        if (weight > 0)
            out[count++] = (struct candidate){(uint32_t)i, (double)(float)weight, seeds->items[i].stem};
    }
    qsort(out, count, sizeof *out, by_weight);
    return count;
}

void signature_init(struct signature *signature, const struct centroid *seeds)
{
    size_t most = SIGNATURE_WORDS;
    struct candidate *candidates;
    double norm = 0;

    *signature = (struct signature){.pages = seeds ? seeds->pages : 0};
    if (!signature->pages)
        return;
    most += SIGNATURE_MORE * (size_t)(signature->pages - 1);
    most = most < SIGNATURE_WORDS_MAX ? most : SIGNATURE_WORDS_MAX;
    candidates = malloc((seeds->count + 1) * sizeof *candidates);
    SCENT_BUG_IF(!candidates); /* the size is ours: CENTROID_STEMS_MAX */
    signature->count = weigh(seeds, candidates);
    signature->count = signature->count < most ? signature->count : most;
    for (size_t i = 0; i < signature->count; i++)
        norm += candidates[i].weight * candidates[i].weight;
    for (size_t i = 0; i < signature->count; i++) {
        const struct centroid_use *use = &seeds->uses[candidates[i].at];
        double weight = candidates[i].weight / sqrt(norm);

        signature->words[i] = (struct text_weight){candidates[i].stem, weight};
        signature->seeds += weight * use->root / signature->pages;
        signature->any += use->common > 0 ? weight * use->common * ROOT_WHERE_FOUND : 0;
    }
    qsort(signature->words, signature->count, sizeof *signature->words, text_order_stems);
    free(candidates);
}

uint64_t signature_digest(const struct signature *signature)
{
    uint64_t digest = hash_mix(signature->count, (uint64_t)llround(signature->any * 1e8));

    digest = hash_mix(digest, (uint64_t)llround(signature->seeds * 1e8));
    for (size_t i = 0; i < signature->count; i++)
        digest = hash_mix(hash_mix(digest, signature->words[i].stem),
                          (uint64_t)llround(signature->words[i].weight * 1e8));
    return digest;
}

/* ---- using ---- */

static double scale(const struct signature *signature, double value)
{
    double range = signature->seeds - signature->any, place = range > 0 ? (value - signature->any) / range : 0;

    return place < 0 ? 0 : place > 1 ? 1 : place;
}

struct found {
    const struct page_term *term;
    double part;
};

/* The words that the page has: both are in the order of stems. */
static size_t find_words(const struct signature *signature, const struct page *page, struct found *found, double *sum)
{
    const struct text_weight *word = signature->words, *end = word + signature->count;
    double length = 0;
    size_t count = 0;

    for (uint32_t i = 0; i < page->nbag; i++) {
        const struct page_term *term = &page->bag[i];

        length += term->tf;
        while (word < end && word->stem < term->stem)
            word++;
        if (word < end && word->stem == term->stem)
            found[count++] = (struct found){term, word->weight};
    }
    *sum = 0;
    for (size_t i = 0; i < count; i++) {
        found[i].part *= sqrt(found[i].term->tf / length);
        *sum += found[i].part;
    }
    return count;
}

double signature_likeness(const struct signature *signature, const struct page *page)
{
    struct found found[SIGNATURE_WORDS_MAX];
    double value;

    (void)find_words(signature, page, found, &value);
    return scale(signature, value);
}

static int by_part(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    return (x->part < y->part) - (x->part > y->part);
}

void signature_explain(const struct signature *signature, const struct page *page, int indent, struct buf *out)
{
    struct found found[SIGNATURE_WORDS_MAX];
    double value;
    size_t count = find_words(signature, page, found, &value);

    if (!signature->count) {
        buf_printf(out, "%*sthere is no page of a seed yet\n", indent, "");
        return;
    }
    buf_printf(out, "%*s%.4f between %.4f, any page by the background (0), and %.4f, %s (1); more than %.4g is "
               "similar\n", indent, "", value, signature->any, signature->seeds,
               signature->pages == 1 ? "the seed" : "the mean of the seeds", SIGNATURE_THRESHOLD);
    qsort(found, count, sizeof *found, by_part);
    buf_printf(out, "%*s", indent, "");
    for (size_t i = 0; i < count && i < EXPLAINED; i++)
        buf_printf(out, "%s%.*s %.3f", i ? ", " : "by ", STR_ARG(found[i].term->text), found[i].part);
    if (count > EXPLAINED)
        buf_printf(out, " and %zu more", count - EXPLAINED);
    buf_addz(out, count ? "\n" : "it has none of the words that set the seeds apart\n");
}
