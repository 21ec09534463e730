/* narrow - UTF-8 rewritten in an old 8-bit charset, for webs that have to test charset detection. */
#ifndef SCENT_WEB_NARROW_H
#define SCENT_WEB_NARROW_H

#include "base/str.h"

/* In place; the new length. windows-1252 or windows-1251; what the charset lacks becomes "?". */
size_t narrow_text(char *p, size_t len, const char *charset);

#endif
