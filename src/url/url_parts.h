/* url_parts - what the files of this folder share: the href while it is written, hosts, addresses, punycode. */
#ifndef SCENT_URL_URL_PARTS_H
#define SCENT_URL_URL_PARTS_H

#include "url/url.h"

/* ---- writing: bytes with a fixed room, percent-encoding as the standard's sets say. What does not fit is dropped and
 * remembered in `full`, so that it is checked once at the end. ---- */

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

/* Whether s[at] begins "%" and two hex digits. */
bool url_is_escape(struct str s, size_t at);
/* The byte that the escape at s[at] stands for. */
unsigned char url_escaped_byte(struct str s, size_t at);

/* ---- hosts: the host parser of the standard (section 3.5) for the special schemes ---- */

/* Appends the serialised host that `text` stands for: a name in lower case and punycode, or an address. */
SCENT_NODISCARD scent_status url_host_parse(struct url_out *out, struct str text);

bool url_host_is_address(struct str host); /* IPv4 or [IPv6] */
struct str url_host_without_dot(struct str host); /* "example.org." is "example.org" */

/* ---- names that are not all ASCII: "domain to ASCII" of the standard (section 3.3), RFC 3492 ---- */

/* Appends the punycode form of `name` (bytes, perhaps not UTF-8). SCENT_E_INVALID: no such name can be. */
SCENT_NODISCARD scent_status url_idna_put(struct url_out *out, struct str name);

/* Without the "xn--". Quadratic at worst: callers cap the length of a label. Both are false for what has no such form
 * or does not fit `room`; *len is then undefined. */
bool url_punycode_encode(const uint32_t *points, size_t count, char *out, size_t room, size_t *len);
bool url_punycode_decode(struct str text, uint32_t *out, size_t room, size_t *len);

#endif
