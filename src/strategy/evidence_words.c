/* The words of pages as evidence of what a page counts: what pages that had them counted before. */
#include "base/hash.h"
#include "strategy/evidence.h"

#include <math.h>

/* No other kind of keys has this number (evidence.c). */
enum { BY_PAGE_WORD = 9 };
/* What the words of a page say at most: those of a crawl that believed them alone would call everything relevant. */
#define WORDS_MOST 7

/* The keys of its words: they are asked for, and then counted. */
static void read_words(struct evidence *evidence, const struct strategy_visit *visit)
{
    const struct page *page = visit->page;

    if (evidence->read_page == page && evidence->read_number == visit->number)
        return;
    evidence->read_page = page;
    evidence->read_number = visit->number;
    evidence->npage_words = page->nbag < EVIDENCE_PAGE_WORDS ? page->nbag : EVIDENCE_PAGE_WORDS;
    for (uint32_t i = 0; i < evidence->npage_words; i++)
        evidence->page_words[i] = tally_key(hash_mix(page->bag[i].stem, BY_PAGE_WORD));
}

float evidence_words(struct evidence *evidence, const struct strategy_visit *visit)
{
    float sum = 0, known = 0;

    read_words(evidence, visit);
    for (uint32_t i = 0; i < evidence->npage_words; i++) {
        const struct tally_slot *slot = tally_find(&evidence->tally, evidence->page_words[i]);

        if (slot && slot->pages >= 2) {
            sum += slot->odds;
            known++;
        }
    }
    return fminf(sum / sqrtf(known + 10), WORDS_MOST);
}

void evidence_count_words(struct evidence *evidence, const struct strategy_visit *visit, float counts)
{
    struct tally_base base = evidence->base;

    base.pull = EVIDENCE_WORD_PULL;
    read_words(evidence, visit);
    tally_count_all(&evidence->tally, evidence->page_words, evidence->npage_words, counts, &base);
}
