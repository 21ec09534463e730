/* charref - character references (&eacute; &#233; &#xE9;) as the HTML standard reads them. */
#ifndef SCENT_PAGE_CHARREF_H
#define SCENT_PAGE_CHARREF_H

#include "base/str.h"

enum { CHARREF_MAX = 8 }; /* bytes of UTF-8 that one can stand for */

/* Reads the reference at the start of `s` (at its '&'): how many bytes it takes, 0 when it is none and stands for
 * itself. In attributes a name without semicolon before a letter, digit or "=" is none: they are URLs mostly. */
size_t charref_read(struct str s, bool in_attribute, char out[CHARREF_MAX], size_t *len);
/* Decodes all references of `s` to `out`, which has room for twice its length; returns the length. */
size_t charref_decode(struct str s, bool in_attribute, char *out);
/* The same by the rules of XML: &lt; &gt; &amp; &quot; &apos; and the numbers of characters, all with a semicolon;
 * others stay as they are written. `out` has room for its length. */
size_t charref_decode_xml(struct str s, char *out);

#endif
