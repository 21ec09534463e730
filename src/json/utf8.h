/* json_utf8 - is this a well-formed sequence? What both directions of json need to know, no more. */
#ifndef SCENT_JSON_UTF8_H
#define SCENT_JSON_UTF8_H

#include "base/str.h"

#define JSON_UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* The length (1 to 4) of the well-formed sequence at the start of `s`; 0 when there is none. */
size_t json_utf8_len(struct str s);
/* How many bytes one U+FFFD stands for when json_utf8_len() says 0: the longest start of a sequence that
 * could have been well formed, at least one byte (Unicode 15, section 3.9, "maximal subpart"). */
size_t json_utf8_bad_prefix(struct str s);

#endif
