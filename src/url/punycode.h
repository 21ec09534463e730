/* url_punycode - RFC 3492, without the "xn--". Quadratic at worst: callers cap the length of a label. */
#ifndef SCENT_URL_PUNYCODE_H
#define SCENT_URL_PUNYCODE_H

#include "base/str.h"

/* Both are false for what has no such form or does not fit `room`; *len is then undefined. */
bool url_punycode_encode(const uint32_t *points, size_t count, char *out, size_t room, size_t *len);
bool url_punycode_decode(struct str text, uint32_t *out, size_t room, size_t *len);

#endif
