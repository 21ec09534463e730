/* informative - which pages of a crawl a person should be asked about first.
 *
 * The most informative pages are those nearest to the score that divides relevant pages from the others, and of other
 * hosts than those that were shown. First every page is counted, then every page that may be shown is considered; then
 * the order is made step by step. 16 KiB, and 40 bytes a candidate. Thread: the owner's. */
#ifndef SCENT_CRAWLDIR_INFORMATIVE_H
#define SCENT_CRAWLDIR_INFORMATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    INFORMATIVE_CANDIDATES = 2000, /* are looked at closely */
    INFORMATIVE_BINS = 1000
};

struct informative_page {
    uint64_t page;
    double score, distance;
    uint32_t host;
    bool relevant;
};

struct informative {
    uint64_t bins[2][INFORMATIVE_BINS]; /* pages by score: not relevant, relevant */
    double threshold;
    struct informative_page *nearest; /* 2 * INFORMATIVE_CANDIDATES of them */
    size_t count;
    double farthest; /* a page farther away than this cannot stay */
};

struct informative *informative_new(void); /* never NULL */
void informative_free(struct informative *informative); /* NULL is fine */

void informative_count(struct informative *informative, double score, bool relevant);
void informative_divide(struct informative *informative); /* when all are counted */
void informative_consider(struct informative *informative, uint64_t page, double score, bool relevant, uint32_t host);
void informative_settle(struct informative *informative); /* when all are considered */
/* Puts the next page to be shown at `place`, from those behind it; places are chosen in order. */
void informative_choose(struct informative *informative, size_t place);

#endif
