#include "base/buf.h"
#include "conf/node.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static scent_status fail_kind(const struct conf_node *node, const char *expected, struct errmsg *err)
{
    if (node->kind != CONF_SCALAR)
        return conf_fail(node, err, "expected %s, got a %s", expected, node->kind == CONF_LIST ? "list" : "map");
    if (conf_is_null(node))
        return conf_fail(node, err, "expected %s, got nothing; give a value or remove the key", expected);
    return conf_fail(node, err, "expected %s, got '%s'", expected, conf_show(node->text).text);
}

/* The text of a scalar that is there. */
static bool scalar_text(const struct conf_node *node, struct str *text)
{
    if (node->kind != CONF_SCALAR || conf_is_null(node))
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

enum { LONGEST_KEY = 32 };

/* Steps from one word to the other: insert, drop, change a letter, swap two neighbours. Three rows suffice. */
static size_t edit_distance(struct str a, struct str b)
{
    size_t rows[3][LONGEST_KEY + 1];

    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t best = above[j - 1] + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1]));

            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1] && above2[j - 2] + 1 < best)
                best = above2[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[a.len % 3][b.len];
}

const char *conf_nearest(struct str key, const char *const *known)
{
    const char *best = NULL;
    size_t least = key.len / 3 + 1;

    if (key.len > LONGEST_KEY)
        return NULL;
    for (size_t i = 0; known[i]; i++) {
        struct str candidate = str_of(known[i]);
        size_t distance = candidate.len <= LONGEST_KEY ? edit_distance(key, candidate) : SIZE_MAX;

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
