#include "conf/conf.h"

struct unit {
    struct str name;
    uint64_t factor;
};

#define UNIT(literal, factor)                                                                                          \
    {                                                                                                                  \
        {literal, sizeof(literal) - 1}, factor                                                                         \
    }

/* 1kB is 1000 bytes and 1KiB is 1024, as the standards have it; a bare "k" or "M" could be either and is refused. */
static const struct unit sizes[] = {
    UNIT("B", 1),
    UNIT("kB", 1000),
    UNIT("MB", 1000000),
    UNIT("GB", 1000000000),
    UNIT("TB", 1000000000000),
    UNIT("KiB", 1ull << 10),
    UNIT("MiB", 1ull << 20),
    UNIT("GiB", 1ull << 30),
    UNIT("TiB", 1ull << 40),
};

/* Largest first: a duration names its parts in this order. */
static const struct unit times[] = {
    UNIT("w", 604800000000), UNIT("d", 86400000000), UNIT("h", 3600000000), UNIT("m", 60000000),
    UNIT("s", 1000000),      UNIT("ms", 1000),       UNIT("us", 1),
};

enum { FRACTION_DIGITS = 6 };

/* A decimal number off the front of *s: `whole` and `fraction` millionths. */
static bool take_number(struct str *s, uint64_t *whole, uint64_t *fraction)
{
    size_t n = 0, digits = 0;

    while (n < s->len && ascii_is_digit(s->p[n]))
        n++;
    if (!str_parse_u64(str_sub(*s, 0, n), whole))
        return false;
    *s = str_sub(*s, n, s->len);
    *fraction = 0;
    if (s->len == 0 || s->p[0] != '.')
        return true;
    for (n = 1; n < s->len && ascii_is_digit(s->p[n]); n++)
        if (digits++ < FRACTION_DIGITS)
            *fraction = *fraction * 10 + (uint64_t)(s->p[n] - '0');
    *s = str_sub(*s, n, s->len);
    if (digits == 0 || digits > FRACTION_DIGITS)
        return false;
    while (digits++ < FRACTION_DIGITS)
        *fraction *= 10;
    return true;
}

/* whole.fraction * factor; false on overflow, and where the fraction is not a whole number of the smallest unit. */
static bool scale(uint64_t whole, uint64_t fraction, uint64_t factor, uint64_t *out)
{
    uint64_t part;

    if (factor == 1 && fraction)
        return false;
    if (__builtin_mul_overflow(fraction, factor, &part) || __builtin_mul_overflow(whole, factor, out))
        return false;
    return !__builtin_add_overflow(*out, part / 1000000, out);
}

static struct str take_letters(struct str *s)
{
    size_t n = 0;
    struct str letters;

    *s = str_trim(*s);
    while (n < s->len && ascii_is_alpha(s->p[n]))
        n++;
    letters = str_sub(*s, 0, n);
    *s = str_trim(str_sub(*s, n, s->len));
    return letters;
}

bool conf_parse_bytes(struct str s, uint64_t *out)
{
    uint64_t whole, fraction, value;
    struct str unit;

    s = str_trim(s);
    if (!take_number(&s, &whole, &fraction))
        return false;
    unit = take_letters(&s);
    if (s.len)
        return false;
    if (unit.len == 0)
        unit = STR("B");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (str_eq_nocase(unit, sizes[i].name)) {
            if (!scale(whole, fraction, sizes[i].factor, &value))
                return false;
            *out = value;
            return true;
        }
    }
    return false;
}

/* One part such as "30m", whose unit must be smaller than that of the part before (`*next` is the first allowed). */
static bool take_part(struct str *s, size_t *next, uint64_t *total)
{
    uint64_t whole, fraction, value;
    struct str unit;

    if (!take_number(s, &whole, &fraction))
        return false;
    unit = take_letters(s);
    for (size_t i = *next; i < sizeof times / sizeof *times; i++) {
        if (str_eq(unit, times[i].name)) {
            *next = i + 1;
            return scale(whole, fraction, times[i].factor, &value) && !__builtin_add_overflow(*total, value, total);
        }
    }
    return false;
}

bool conf_parse_duration(struct str s, int64_t *usec)
{
    uint64_t total = 0;
    size_t next = 0;

    s = str_trim(s);
    if (str_eq(s, STR("0"))) {
        *usec = 0;
        return true;
    }
    do {
        if (!take_part(&s, &next, &total))
            return false;
    } while (s.len);
    if (total > INT64_MAX)
        return false;
    *usec = (int64_t)total;
    return true;
}
