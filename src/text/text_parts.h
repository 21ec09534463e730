/* text_parts - stop words, for the guess of a language. */
#ifndef SCENT_TEXT_TEXT_PARTS_H
#define SCENT_TEXT_TEXT_PARTS_H

#include "text/text.h"

enum { STOP_WORDS_LANGS = 18 };

struct stop_words {
    const char *lang; /* ISO 639-1 */
    const char *words;
};
extern const struct stop_words stop_words[STOP_WORDS_LANGS];

/* Which languages count a word among their stop words: bit i for the i-th of stop_words[]. */
uint32_t stop_langs(uint64_t word_hash);

#endif
