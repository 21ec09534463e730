/* utf8 - well-formed sequences: for those who repair what the network sends. */
#ifndef SCENT_BASE_UTF8_H
#define SCENT_BASE_UTF8_H

#include "base/str.h"

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* The length (1 to 4) of the well-formed sequence at the start of `s`; 0 when there is none. */
size_t utf8_sequence(struct str s);
/* How many bytes one U+FFFD stands for when utf8_sequence() says 0: the longest start of a sequence that
 * could have been well formed, at least one byte (Unicode 15, section 3.9, "maximal subpart"). */
size_t utf8_bad_prefix(struct str s);
/* Writes the sequence of `c` (at most 0x10FFFF) to `out`; its length. */
size_t utf8_encode(uint32_t c, char out[4]);

#endif
