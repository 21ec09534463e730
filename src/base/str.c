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
