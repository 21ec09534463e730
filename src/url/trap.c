#include "url/trap.h"

#include "base/hash.h"
#include "url/fardate.h"
#include "url/out.h"

enum {
    SEGMENTS_MAX = 20,
    PATH_MAX_CHARS = 1024,
    QUERY_MAX_CHARS = 2048,
    RUN_MAX = 6,         /* segments in a run that repeats */
    RUN_TIMES = 3,
    WEAK_RUN_TIMES = 5,  /* of numbers and single letters: /tiles/0/0/0.png is no trap */
    SEGMENT_TIMES = 5,   /* anywhere; /foo/foo/blob/main/foo/foo/ is a real repository */
    WANDER_MIN = 8,      /* from so many segments on, half of them must be different ones */
    PARAMS_MAX = 32,
    NAME_TIMES = 12,
    PAIR_TIMES = 3,
    NESTED_MAX = 2
};

static size_t characters(struct str s)
{
    size_t count = s.len;

    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] == '%' && url_is_escape(s, i))
            count -= 2;
    return count;
}

/* ---- the path ---- */

/* The segments, without the empty one after a last slash; SEGMENTS_MAX + 1 when there are more. */
static size_t split_path(struct str path, struct str segments[SEGMENTS_MAX])
{
    struct str rest = str_sub(path, 1, path.len), segment;
    size_t count = 0;

    while (str_split(&rest, '/', &segment)) {
        if (segment.len == 0 && !rest.p)
            break;
        if (count == SEGMENTS_MAX)
            return SEGMENTS_MAX + 1;
        segments[count++] = segment;
    }
    return count;
}

static bool is_weak(struct str segment)
{
    uint64_t n;

    return segment.len <= 1 || str_parse_u64(segment, &n);
}

static bool same_run(const struct str *a, const struct str *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!str_eq(a[i], b[i]))
            return false;
    return true;
}

static bool all_weak(const struct str *segments, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_weak(segments[i]))
            return false;
    return true;
}

static bool run_repeats(const struct str *segments, size_t count, size_t len)
{
    for (size_t from = 0; from + RUN_TIMES * len <= count; from++) {
        size_t times = 1;

        while (from + (times + 1) * len <= count && same_run(segments + from, segments + from + times * len, len))
            times++;
        if (times >= WEAK_RUN_TIMES || (times >= RUN_TIMES && !all_weak(segments + from, len)))
            return true;
    }
    return false;
}

static bool segment_repeats(const struct str *segments, size_t count)
{
    for (size_t i = 0; i + SEGMENT_TIMES <= count; i++) {
        size_t times = 1;

        if (is_weak(segments[i]))
            continue;
        for (size_t k = i + 1; k < count; k++)
            times += str_eq(segments[i], segments[k]);
        if (times >= SEGMENT_TIMES)
            return true;
    }
    return false;
}

/* A path that wanders through the same few folders: /archive/news/old/2026/old/news/2026/news/. */
static bool wanders(const struct str *segments, size_t count)
{
    size_t distinct = 0;

    if (count < WANDER_MIN)
        return false;
    for (size_t i = 0, k; i < count; i++) {
        for (k = 0; k < i && !str_eq(segments[i], segments[k]); k++)
            ;
        distinct += k == i;
    }
    return 2 * distinct <= count;
}

static bool path_repeats(const struct str *segments, size_t count)
{
    for (size_t len = 1; len <= RUN_MAX && RUN_TIMES * len <= count; len++)
        if (run_repeats(segments, count, len))
            return true;
    return segment_repeats(segments, count) || wanders(segments, count);
}

/* ---- the query ---- */

static size_t count_of(const uint64_t *hashes, size_t count, uint64_t hash)
{
    size_t times = 0;

    for (size_t i = 0; i < count; i++)
        times += hashes[i] == hash;
    return times;
}

static bool params_repeat(struct str query)
{
    uint64_t names[PARAMS_MAX], pairs[PARAMS_MAX];
    struct str part;
    size_t count = 0;

    while (str_split(&query, '&', &part)) {
        if (part.len == 0)
            continue;
        if (count == PARAMS_MAX)
            return true;
        names[count] = hash_str(str_sub(part, 0, str_find(part, '=')), 0);
        pairs[count] = hash_str(part, 0);
        count++;
        if (count_of(names, count, names[count - 1]) > NAME_TIMES || count_of(pairs, count, pairs[count - 1]) >= PAIR_TIMES)
            return true;
    }
    return false;
}

/* Takes `code` off the front, a "%" that may be escaped any number of times itself before it. */
static bool take_escaped(struct str *s, struct str code)
{
    struct str rest = *s;

    if (!str_starts(rest, STR("%")))
        return false;
    rest = str_sub(rest, 1, rest.len);
    while (str_starts(rest, STR("25")))
        rest = str_sub(rest, 2, rest.len);
    if (!str_starts_nocase(rest, code))
        return false;
    *s = str_sub(rest, code.len, rest.len);
    return true;
}

static bool is_scheme_end(struct str s)
{
    if (take_escaped(&s, STR("3a")))
        return str_starts(s, STR("//")) || (take_escaped(&s, STR("2f")) && take_escaped(&s, STR("2f")));
    return str_starts(s, STR("://")) || str_starts_nocase(s, STR(":%2f%2f"));
}

static bool nests(struct str query)
{
    size_t urls = 0;

    for (size_t i = 0; i < query.len; i++) {
        struct str rest = str_sub(query, i, query.len);

        if (query.p[i] != ':' && query.p[i] != '%')
            continue;
        if (str_starts(rest, STR("%2525")))
            return true;
        urls += is_scheme_end(rest);
    }
    return urls > NESTED_MAX;
}

/* ---- all of it ---- */

enum url_trap url_trap(const struct url *url, unsigned year)
{
    struct str segments[SEGMENTS_MAX], path = url_path(url), query = url_query(url);
    size_t count = split_path(path, segments);

    if (count > SEGMENTS_MAX)
        return URL_TRAP_SEGMENTS;
    if ((path.len > PATH_MAX_CHARS && characters(path) > PATH_MAX_CHARS) ||
        (query.len > QUERY_MAX_CHARS && characters(query) > QUERY_MAX_CHARS))
        return URL_TRAP_LENGTH;
    if (path_repeats(segments, count))
        return URL_TRAP_REPEATS;
    if (params_repeat(query))
        return URL_TRAP_PARAMS;
    if (nests(query))
        return URL_TRAP_NESTED;
    return fardate_in(segments, count, path, query, year) ? URL_TRAP_CALENDAR : URL_TRAP_NONE;
}

const char *url_trap_text(enum url_trap trap)
{
    static const char *const texts[] = {
        [URL_TRAP_SEGMENTS] = "too many path segments",
        [URL_TRAP_LENGTH] = "overlong path or query",
        [URL_TRAP_REPEATS] = "repeated path segments",
        [URL_TRAP_PARAMS] = "too many or repeated parameters",
        [URL_TRAP_NESTED] = "URLs inside URLs",
        [URL_TRAP_CALENDAR] = "a month far from now",
    };

    return texts[trap];
}
