/* language - what the words of a language look like: its stop words, and the syllables that new words are made of. */
#ifndef SCENT_WEB_LANGUAGE_H
#define SCENT_WEB_LANGUAGE_H

#include "base/str.h"

/* Lists are separated by spaces. A syllable is onset + nucleus + coda; in `codas` "-" stands for none. */
struct language {
    const char *code;
    const char *stop_words; /* most frequent first */
    const char *onsets, *nuclei, *codas;
    const char *ascii_onsets, *ascii_nuclei, *ascii_codas; /* the same in URL letters; NULL: the same */
    int min_syllables, max_syllables;
    bool spaced;
    const char *charset; /* the old 8-bit one */
};

const struct language *language_find(struct str code); /* NULL: unknown */
const char *language_list(void);

#endif
