/* escape - text inside of text: a CSV field, markup, hexadecimal digits. (JSON is json/json.h, URLs are url/url.h.) */
#ifndef SCENT_BASE_ESCAPE_H
#define SCENT_BASE_ESCAPE_H

#include "base/buf.h"

/* A quoted field of RFC 4180; what a spreadsheet would take for a formula gets an apostrophe before it. */
void escape_csv(struct buf *out, struct str s);
/* Text or a quoted attribute of HTML and XML. Bad UTF-8 becomes U+FFFD; characters that XML does not have (section 2.2)
 * are left out. */
void escape_markup(struct buf *out, struct str s);
/* Two lower-case digits a byte; `out` has room for 2 * len, and no terminator is written. */
void escape_hex(const unsigned char *p, size_t len, char *out);

#endif
