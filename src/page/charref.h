/* charref - character references (&eacute; &#233; &#xE9;) as the HTML standard reads them, or as XML does. */
#ifndef SCENT_PAGE_CHARREF_H
#define SCENT_PAGE_CHARREF_H

#include "base/str.h"

enum {
    CHARREF_MAX = 8,     /* bytes of UTF-8 that one can stand for */
    CHARREF_XML_MAX = 32 /* bytes of one in XML: a number with more zeros is text, however the text comes */
};

enum charref_rule {
    CHARREF_TEXT,
    CHARREF_ATTRIBUTE, /* a name without semicolon before a letter, digit or "=" is text: values are URLs mostly */
    CHARREF_XML        /* &lt; &gt; &amp; &quot; &apos; and numbers, all with a semicolon; others are text */
};

/* Reads the reference at the start of `s` (at its '&'): how many bytes it takes, 0 when it is not one and stands for
 * itself. */
size_t charref_read(struct str s, enum charref_rule rule, char out[CHARREF_MAX], size_t *len);
/* Decodes all references of `s` to `out`, which has room for twice its length (in XML: for its length); returns the
 * length. */
size_t charref_decode(struct str s, enum charref_rule rule, char *out);

#endif
