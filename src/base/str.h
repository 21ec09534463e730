/* str - a string is a pointer and a length; it does not own its bytes and has no terminator. */
#ifndef SCENT_BASE_STR_H
#define SCENT_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t len;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_NONE ((struct str){NULL, 0})
/* For printf: printf("%.*s", STR_ARG(s)) */
#define STR_ARG(s) (int)(s).len, (s).p ? (s).p : ""

static inline struct str str_of(const char *z)
{
    return (struct str){z, z ? strlen(z) : 0};
}

static inline struct str str_sub(struct str s, size_t from, size_t to)
{
    return (struct str){s.p ? s.p + from : NULL, to - from}; /* NULL + 0 is undefined in C */
}

/* At most the first `n` bytes. */
static inline struct str str_first(struct str s, size_t n)
{
    return (struct str){s.p, s.len < n ? s.len : n};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool str_starts(struct str s, struct str prefix)
{
    return s.len >= prefix.len && (prefix.len == 0 || memcmp(s.p, prefix.p, prefix.len) == 0);
}

static inline bool str_ends(struct str s, struct str suffix)
{
    return s.len >= suffix.len &&
           (suffix.len == 0 || memcmp(s.p + s.len - suffix.len, suffix.p, suffix.len) == 0);
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline bool ascii_is_space(char c) /* HTML's white space */
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The value of a hexadecimal digit, or -1. */
static inline int ascii_hex(char c)
{
    char lower = ascii_lower(c);

    return ascii_is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static inline bool ascii_is_alpha(char c)
{
    return ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z';
}

bool str_eq_nocase(struct str a, struct str b); /* ASCII case */
bool str_starts_nocase(struct str s, struct str prefix);
struct str str_trim(struct str s);
/* The offset of the first `c`, or s.len. */
size_t str_find(struct str s, char c);
/* Takes the part before the first `sep` off the front of *rest; false when *rest is used up. */
bool str_split(struct str *rest, char sep, struct str *part);
bool str_parse_u64(struct str s, uint64_t *out); /* decimal digits only, no overflow */
int str_cmp(struct str a, struct str b);         /* bytewise */
/* Steps from one name to the other: insert, drop, change a letter, swap two neighbours; case is ignored. What is longer
 * than this is cut. */
enum { STR_DISTANCE_MAX = 80 };
size_t str_distance(struct str a, struct str b);
char *str_dup(struct str s);                     /* with a terminator, to be freed; NULL: no memory */

/* `*` matches any run of bytes, `?` one byte; ASCII case is ignored. Linear in the worst case that
 * matters: at most one backtrack point is kept. */
bool str_glob(struct str pattern, struct str s);

/* ---- UTF-8: well-formed sequences, for those who repair what the network sends ---- */

#define UTF8_REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

/* The length (1 to 4) of the well-formed sequence at the start of `s`; 0 when there is none. */
size_t utf8_sequence(struct str s);
/* How many bytes one U+FFFD stands for when utf8_sequence() says 0: the longest start of a sequence that
 * could have been well formed, at least one byte (Unicode 15, section 3.9, "maximal subpart"). */
size_t utf8_bad_prefix(struct str s);
/* Writes the sequence of `c` (at most 0x10FFFF) to `out`; its length. */
size_t utf8_encode(uint32_t c, char out[4]);

#endif
