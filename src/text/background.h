/* background - how common a stem is in texts about everything.
 *
 * Document frequencies that are part of the program (data/background/, made by scripts/background from Debian's
 * documentation and an encyclopedia), for topics that have too few pages of their own to count in: a few seeds, a few
 * examples.
 * Frequencies are shares scaled to background_documents(); stems of one site alone and with digits are not in it, and
 * what is not in it is rarer than all that is.
 * The first use of a language reads its text (some milliseconds, 40 bytes a stem, kept for the life of the process); a
 * look-up is one probe. Thread: any. */
#ifndef SCENT_TEXT_BACKGROUND_H
#define SCENT_TEXT_BACKGROUND_H

#include "base/str.h"

struct background_term {
    uint64_t stem;    /* its hash, text_word_hash() */
    struct str text;
    uint32_t df;      /* documents that have it */
    float tf;         /* how often it stands in one that has it, on the average: 1 or more */
};

struct background;
/* Of a language ("en"); NULL: there is none. */
const struct background *background_for(struct str lang);

uint32_t background_documents(const struct background *background);
uint32_t background_frequency(const struct background *background, uint64_t stem); /* df; 0: it is not in it */
/* ln(documents/df), where a stem that is not in it counts half of the rarest. */
double background_idf(const struct background *background, uint64_t stem);
/* All of them, the most frequent first: a document in which each stands with probability df/documents is one about
 * nothing in particular. */
const struct background_term *background_terms(const struct background *background, size_t *count);

#endif
