/* fold - what a character is to a word, and its case-folded form. */
#ifndef SCENT_TEXT_FOLD_H
#define SCENT_TEXT_FOLD_H

#include "base/str.h"

enum fold_kind {
    FOLD_SEPARATOR,
    FOLD_LETTER, /* letters and digits */
    FOLD_MARK,   /* combining: goes on with a word, begins none */
    FOLD_CJK     /* written without spaces: bigrams */
};

enum { FOLD_MAX = 3 }; /* characters that one can fold to: U+0390 */

struct folded {
    enum fold_kind kind;
    unsigned count;
    uint32_t c[FOLD_MAX];
};

void fold_char(uint32_t c, struct folded *out);
/* Decodes one character of UTF-8; 0 bytes where it is invalid. */
size_t fold_decode(const char *p, size_t len, uint32_t *c);
size_t fold_encode(uint32_t c, char out[4]);

#endif
