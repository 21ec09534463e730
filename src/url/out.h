/* url_out - the href while it is written: bytes with a fixed room, percent-encoding as the standard's sets say.
 *
 * What does not fit is dropped and remembered in `full`, so that it is checked once at the end. */
#ifndef SCENT_URL_OUT_H
#define SCENT_URL_OUT_H

#include "url/url.h"

/* What a byte means where; one table for the whole parser (url_class). */
enum url_class_bits {
    URL_ENCODE_FRAGMENT = 1,
    URL_ENCODE_QUERY = 2, /* the special-query set */
    URL_ENCODE_PATH = 4,
    URL_ENCODE_USER = 8,
    URL_HOST_SPECIAL = 16, /* no part of a plain host name: forbidden, escaped or not ASCII */
    URL_PATH_STOP = 32,    /* ends a path segment: / \ ? # */
    URL_SCHEME = 64        /* may be part of a scheme */
};
extern const uint8_t url_class[256];

struct url_out {
    char p[SCENT_URL_MAX + 1];
    size_t len;
    bool full;
};

static inline void url_out_byte(struct url_out *out, char c)
{
    if (out->len < SCENT_URL_MAX)
        out->p[out->len++] = c;
    else
        out->full = true;
}

static inline void url_out_str(struct url_out *out, struct str s)
{
    if (s.len <= SCENT_URL_MAX - out->len) {
        memcpy(out->p + out->len, s.p, s.len);
        out->len += s.len;
    } else
        out->full = true;
}

/* The number of bytes at the start of `s` that have none of `bits`. */
static inline size_t url_span(struct str s, unsigned bits)
{
    size_t i = 0;

    while (i < s.len && !(url_class[(unsigned char)s.p[i]] & bits))
        i++;
    return i;
}

/* Appends `s` with the bytes of `set` percent-encoded; what is no UTF-8 becomes an encoded U+FFFD. */
void url_out_encoded(struct url_out *out, struct str s, unsigned set);

/* Whether s[at] begins "%" and two hex digits. */
bool url_is_escape(struct str s, size_t at);
/* The byte that the escape at s[at] stands for. */
unsigned char url_escaped_byte(struct str s, size_t at);

#endif
