/* simhash - 64 bits that are nearly the same for nearly the same text (Charikar 2002; Manku, Jain, Das Sarma 2007).
 *
 * Made of the stems of a page, stop words left out: each word votes once, each run of three words twice, so that
 * order counts more than vocabulary. Boilerplate is left out, unless little else is there: pages of one site share it.
 * Two pages with the same words have distance 0; unrelated ones about 32.
 * Cost: about 4 ns a word. Pure; any thread. */
#ifndef SCENT_PAGE_SIMHASH_H
#define SCENT_PAGE_SIMHASH_H

#include "page/page.h"

enum {
    SIMHASH_NONE = 0,      /* too little text to tell pages apart by it */
    SIMHASH_MIN_WORDS = 64, /* stop words not counted: shorter pages of one template are near without being copies */
    SIMHASH_NEAR = 3       /* bits: the default threshold (Manku et al., section 4) */
};

uint64_t page_simhash(const struct page *page);

static inline unsigned simhash_distance(uint64_t a, uint64_t b)
{
    return (unsigned)__builtin_popcountll(a ^ b);
}

#endif
