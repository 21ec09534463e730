/* Ranges of bytes: comparison, search, numbers. */
#include "base/str.h"

#include <stdlib.h>

bool str_eq_nocase(struct str a, struct str b)
{
    return a.len == b.len && str_starts_nocase(a, b);
}

bool str_starts_nocase(struct str s, struct str prefix)
{
    if (s.len < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++)
        if (ascii_lower(s.p[i]) != ascii_lower(prefix.p[i]))
            return false;
    return true;
}

struct str str_trim(struct str s)
{
    while (s.len && ascii_is_space(s.p[0]))
        s = str_sub(s, 1, s.len);
    while (s.len && ascii_is_space(s.p[s.len - 1]))
        s.len--;
    return s;
}

size_t str_find(struct str s, char c)
{
    const char *at = s.len ? memchr(s.p, c, s.len) : NULL;

    return at ? (size_t)(at - s.p) : s.len;
}

bool str_split(struct str *rest, char sep, struct str *part)
{
    size_t end;

    if (!rest->p)
        return false;
    end = str_find(*rest, sep);
    *part = str_sub(*rest, 0, end);
    *rest = end == rest->len ? STR_NONE : str_sub(*rest, end + 1, rest->len);
    return true;
}

bool str_parse_u64(struct str s, uint64_t *out)
{
    uint64_t value = 0;

    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!ascii_is_digit(s.p[i]) || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.p[i] - '0'), &value))
            return false;
    }
    *out = value;
    return true;
}

int str_cmp(struct str a, struct str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.p, b.p, shorter) : 0;

    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool str_glob(struct str pattern, struct str s)
{
    size_t p = 0, i = 0, star = SIZE_MAX, resume = 0;

    while (i < s.len) {
        if (p < pattern.len && pattern.p[p] == '*') {
            star = p++;
            resume = i;
        } else if (p < pattern.len &&
                   (pattern.p[p] == '?' || ascii_lower(pattern.p[p]) == ascii_lower(s.p[i]))) {
            p++;
            i++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            i = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.p[p] == '*')
        p++;
    return p == pattern.len;
}

/* Not strndup(): that looks for a terminator, which a range of a longer text does not have. */
char *str_dup(struct str s)
{
    char *copy = malloc(s.len + 1);

    if (!copy)
        return NULL;
    if (s.len)
        memcpy(copy, s.p, s.len);
    copy[s.len] = '\0';
    return copy;
}

/* ---- UTF-8: well-formed sequences by table 3-7 of the Unicode standard ---- */

/* The bytes that may follow `lead` at once: it is there that overlong forms, surrogates and what lies beyond
 * U+10FFFF are told from good ones. Returns the length of the sequence, 0 for a byte that begins none. */
static size_t sequence_of(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* How many bytes at the start of `s` belong together; *need is what the sequence asks for. */
static size_t good_bytes(struct str s, size_t *need)
{
    unsigned char low, high;
    size_t i = 1;

    *need = sequence_of((unsigned char)s.p[0], &low, &high);
    while (i < *need && i < s.len && (unsigned char)s.p[i] >= low && (unsigned char)s.p[i] <= high) {
        low = 0x80;
        high = 0xBF;
        i++;
    }
    return i;
}

size_t utf8_sequence(struct str s)
{
    size_t need, good;

    if (!s.len)
        return 0;
    good = good_bytes(s, &need);
    return good == need ? good : 0;
}

size_t utf8_bad_prefix(struct str s)
{
    size_t need;

    return good_bytes(s, &need);
}

size_t utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t str_distance(struct str a, struct str b)
{
    size_t rows[3][STR_DISTANCE_MAX + 1]; /* a swap looks two rows back */

    a.len = a.len < STR_DISTANCE_MAX ? a.len : STR_DISTANCE_MAX;
    b.len = b.len < STR_DISTANCE_MAX ? b.len : STR_DISTANCE_MAX;
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = above[j - 1] + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1]));

            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && ascii_lower(a.p[i - 1]) == ascii_lower(b.p[j - 2]) &&
                ascii_lower(a.p[i - 2]) == ascii_lower(b.p[j - 1]) && above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}
