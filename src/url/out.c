#include "url/out.h"

#include "base/utf8.h"

/* Rows of the class table. The sets of the standard (section 1.3) contain each other:
 * fragment, query < path < user; the special-query set adds the apostrophe. */
enum {
    F = URL_ENCODE_FRAGMENT,
    Q = URL_ENCODE_QUERY,
    P = URL_ENCODE_PATH,
    U = URL_ENCODE_USER,
    H = URL_HOST_SPECIAL,
    E = URL_PATH_STOP,
    S = URL_SCHEME,
    ALL = F | Q | P | U | H,
    FQ = F | Q | P | U, /* the quotation mark: encoded everywhere, but a host may hold it */
    PU = P | U
};
#define ROW(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x

const uint8_t url_class[256] = {
    ROW(ALL), ROW(ALL),
    /* sp  !  "   #              $  %  &  '  (  )  *  +  ,  -  .  / */
    ALL, 0, FQ, Q | PU | H | E, 0, H, 0, Q, 0, 0, 0, S, 0, S, S, U | H | E,
    /* 0-9                        :      ;  <    =  >    ? */
    S, S, S, S, S, S, S, S, S, S, U | H, U, ALL, U, ALL, PU | H | E,
    /* @    A-O */
    U | H, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    /* P-Z                           [      \          ]      ^       _ */
    S, S, S, S, S, S, S, S, S, S, S, U | H, U | H | E, U | H, PU | H, 0,
    /* `    a-o */
    F | PU, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    /* p-z                           {   |      }   ~  DEL */
    S, S, S, S, S, S, S, S, S, S, S, PU, U | H, PU, 0, ALL,
    ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL),
};

static void put_escapes(struct url_out *out, struct str bytes)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.p[i];

        url_out_str(out, (struct str){(char[]){'%', hex[c >> 4], hex[c & 15]}, 3});
    }
}

/* Encodes the character at the start of `s` and returns its length. */
static size_t put_escaped_char(struct url_out *out, struct str s)
{
    size_t n = utf8_sequence(s);

    if (n) {
        put_escapes(out, str_sub(s, 0, n));
        return n;
    }
    put_escapes(out, STR(UTF8_REPLACEMENT));
    return utf8_bad_prefix(s);
}

void url_out_encoded(struct url_out *out, struct str s, unsigned set)
{
    size_t at = 0;

    while (at < s.len) {
        struct str rest = str_sub(s, at, s.len);
        size_t clean = url_span(rest, set);

        url_out_str(out, str_sub(rest, 0, clean));
        at += clean;
        if (at < s.len)
            at += put_escaped_char(out, str_sub(s, at, s.len));
    }
}

bool url_is_escape(struct str s, size_t at)
{
    return s.len - at >= 3 && s.p[at] == '%' && ascii_hex(s.p[at + 1]) >= 0 && ascii_hex(s.p[at + 2]) >= 0;
}

unsigned char url_escaped_byte(struct str s, size_t at)
{
    return (unsigned char)(ascii_hex(s.p[at + 1]) << 4 | ascii_hex(s.p[at + 2]));
}
