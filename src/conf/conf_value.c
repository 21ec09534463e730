/* Values: sizes and durations with their units, typed getters, unknown keys. */
#include "base/buf.h"
#include "conf/conf_node.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- units ---- */

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

/* The largest unit that divides the value. */
static struct conf_shown show_units(uint64_t value, const struct unit *units, size_t count)
{
    const struct unit *best = NULL;
    struct conf_shown shown;

    for (size_t i = 0; i < count; i++)
        if (value && value % units[i].factor == 0 && (!best || units[i].factor > best->factor))
            best = &units[i];
    snprintf(shown.text, sizeof shown.text, "%" PRIu64 "%s", best ? value / best->factor : value,
             best && best->factor > 1 ? best->name.p : "");
    return shown;
}

struct conf_shown conf_show_bytes(uint64_t bytes)
{
    return show_units(bytes, sizes, sizeof sizes / sizeof *sizes);
}

struct conf_shown conf_show_duration(int64_t usec)
{
    return show_units((uint64_t)usec, times, sizeof times / sizeof *times);
}

/* ---- getters ---- */

/* `seeds: null`, `seeds: ~` or nothing after the colon. */
static bool is_null(const struct conf_node *node)
{
    return node->kind == CONF_SCALAR && node->plain &&
           (node->text.len == 0 || str_eq(node->text, STR("~")) || str_eq_nocase(node->text, STR("null")));
}

static scent_status fail_kind(const struct conf_node *node, const char *expected, struct errmsg *err)
{
    if (node->kind != CONF_SCALAR)
        return conf_fail(node, err, "expected %s, got a %s", expected, node->kind == CONF_LIST ? "list" : "map");
    if (is_null(node))
        return conf_fail(node, err, "expected %s, got nothing; give a value or remove the key", expected);
    return conf_fail(node, err, "expected %s, got '%s'", expected, conf_show(node->text).text);
}

/* The text of a scalar that is there. */
static bool scalar_text(const struct conf_node *node, struct str *text)
{
    if (node->kind != CONF_SCALAR || is_null(node))
        return false;
    *text = node->text;
    return true;
}

scent_status conf_str(const struct conf_node *node, struct str *out, struct errmsg *err)
{
    if (!node)
        return SCENT_OK;
    return scalar_text(node, out) ? SCENT_OK : fail_kind(node, "a text", err);
}

static bool parse_bool(struct str s, bool *out)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (str_eq_nocase(s, str_of(words[i]))) {
            *out = i % 2;
            return true;
        }
    }
    return false;
}

scent_status conf_bool(const struct conf_node *node, bool *out, struct errmsg *err)
{
    struct str text;

    if (!node)
        return SCENT_OK;
    if (!scalar_text(node, &text) || !parse_bool(text, out))
        return fail_kind(node, "true or false", err);
    return SCENT_OK;
}

scent_status conf_u64(const struct conf_node *node, uint64_t min, uint64_t max, uint64_t *out, struct errmsg *err)
{
    struct str text;
    uint64_t value;

    if (!node)
        return SCENT_OK;
    if (!scalar_text(node, &text) || !str_parse_u64(text, &value))
        return fail_kind(node, "a whole number", err);
    if (value < min)
        return conf_fail(node, err, "must be at least %" PRIu64 ", got %" PRIu64, min, value);
    if (value > max)
        return conf_fail(node, err, "must be at most %" PRIu64 ", got %" PRIu64, max, value);
    *out = value;
    return SCENT_OK;
}

/* strtod alone would take "inf", "nan" and hexadecimal. */
static bool parse_double(struct str s, double *out)
{
    char *end;

    if (s.len == 0 || s.len > 64)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.p[i]) && !strchr("+-.eE", s.p[i] ? s.p[i] : 'x'))
            return false;
    *out = strtod(s.p, &end);
    return end == s.p + s.len && isfinite(*out);
}

scent_status conf_double(const struct conf_node *node, double min, double max, double *out, struct errmsg *err)
{
    struct str text;
    double value;

    if (!node)
        return SCENT_OK;
    if (!scalar_text(node, &text) || !parse_double(text, &value))
        return fail_kind(node, "a number", err);
    if (value < min)
        return conf_fail(node, err, "must be at least %g, got %g", min, value);
    if (value > max)
        return conf_fail(node, err, "must be at most %g, got %g", max, value);
    *out = value;
    return SCENT_OK;
}

scent_status conf_bytes(const struct conf_node *node, uint64_t *out, struct errmsg *err)
{
    struct str text;

    if (!node)
        return SCENT_OK;
    if (!scalar_text(node, &text) || !conf_parse_bytes(text, out))
        return fail_kind(node, "a size such as 2MiB, 10kB or 512", err);
    return SCENT_OK;
}

scent_status conf_duration(const struct conf_node *node, int64_t *usec, struct errmsg *err)
{
    struct str text;

    if (!node)
        return SCENT_OK;
    if (!scalar_text(node, &text) || !conf_parse_duration(text, usec))
        return fail_kind(node, "a duration such as 250ms, 30s, 2h or 1h30m", err);
    return SCENT_OK;
}

/* ---- keys ---- */

enum { LONGEST_KEY = 32 };

const char *conf_nearest(struct str key, const char *const *known)
{
    const char *best = NULL;
    size_t least = key.len / 3 + 1;

    if (key.len > LONGEST_KEY)
        return NULL;
    for (size_t i = 0; known[i]; i++) {
        struct str candidate = str_of(known[i]);
        size_t distance = candidate.len <= LONGEST_KEY ? str_distance(key, candidate) : SIZE_MAX;

        if (distance < candidate.len && distance <= least) {
            if (!best || distance < least)
                best = known[i];
            least = distance;
        }
    }
    return best;
}

static scent_status fail_unknown(const struct conf_node *node, const char *const *known, struct errmsg *err)
{
    const char *meant = conf_nearest(node->key, known);
    struct buf list;

    if (meant)
        return conf_fail(node, err, "unknown key; did you mean '%s'?", meant);
    buf_init(&list, 600);
    for (size_t i = 0; known[i]; i++)
        buf_printf(&list, "%s%s", i ? ", " : "", known[i]);
    conf_fail(node, err, "unknown key; the keys here are %s", buf_z(&list));
    buf_release(&list);
    return SCENT_E_INVALID;
}

static bool is_known(struct str key, const char *const *known)
{
    for (size_t i = 0; known[i]; i++)
        if (str_eq(key, str_of(known[i])))
            return true;
    return false;
}

scent_status conf_expect_map(const struct conf_node *node, const char *const *known, struct errmsg *err)
{
    if (!node)
        return SCENT_OK;
    if (node->kind != CONF_MAP)
        return fail_kind(node, "a map (key: value)", err);
    for (size_t i = 0; i < node->count; i++)
        if (!is_known(node->items[i]->key, known))
            return fail_unknown(node->items[i], known, err);
    return SCENT_OK;
}
