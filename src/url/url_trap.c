/* Each sign is a pass over the segments of the path or the parameters; thresholds say which real sites they spare. */
#include "url/url_trap.h"

#include "base/hash.h"
#include "url/url_parts.h"

/* ---- months far from now: a calendar links to the next month for ever ----
 *
 * A month later than two years from now is taken for such a page wherever it is plainly a month: /2093/04/, /2093-04/,
 * ?year=2093&month=4, ?date=2093-04-01. The past is different: newspapers put their archives online back to the 17th
 * century, so a month before 1980 counts only where the URL speaks of a calendar, and otherwise only in parameters and
 * before 1600. */

enum {
    AHEAD = 2,            /* years from now that people make plans for */
    CALENDAR_FLOOR = 1980,
    ARCHIVE_FLOOR = 1600,
    PATH_CEILING = 2199,  /* a larger number in a path without a calendar is some number */
    YEAR_DIGITS = 7,
    NAME_MAX_BYTES = 24   /* longer is a sentence */
};

struct fardate {
    unsigned now;
    bool calendar; /* the URL speaks of one */
};

static bool contains(struct str s, const char *const *words, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        struct str word = str_of(words[w]);

        for (size_t i = 0; i + word.len <= s.len; i++)
            if (ascii_lower(s.p[i]) == word.p[0] && str_starts_nocase(str_sub(s, i, s.len), word))
                return true;
    }
    return false;
}
#define CONTAINS(s, words) contains(s, words, sizeof words / sizeof *words)

/* A name such as "calendar", "tribe-events" or "eventkalender"; not a title in which the word stands
 * ("schedule-of-the-flights", "seventies"). */
static bool speaks_of_calendar(struct str name)
{
    static const char *const words[] = {"calend", "kalend", "agenda", "event", "schedule", "veranstalt", "termine"};
    size_t joints = 0;
    bool found = false;

    for (size_t i = 0; i < name.len && name.len <= NAME_MAX_BYTES; i++) {
        bool starts = i == 0 || !ascii_is_alpha(name.p[i - 1]);

        joints += name.p[i] == '-' || name.p[i] == '_';
        for (size_t w = 0; w < sizeof words / sizeof *words && !found; w++)
            found = (starts || w < 2) && str_starts_nocase(str_sub(name, i, name.len), str_of(words[w]));
    }
    return found && joints <= 1;
}

static bool has_calendar(const struct str *segments, size_t count, struct str query)
{
    struct str part, word;

    for (size_t i = 0; i < count; i++)
        if (speaks_of_calendar(segments[i]))
            return true;
    while (str_split(&query, '&', &part))
        while (str_split(&part, '=', &word))
            if (speaks_of_calendar(word))
                return true;
    return false;
}

/* ---- numbers ---- */

static bool digits(struct str s, size_t min, size_t max, unsigned *out)
{
    uint64_t n;

    if (s.len < min || s.len > max || !str_parse_u64(s, &n))
        return false;
    *out = (unsigned)n;
    return true;
}

static bool is_between(unsigned n, unsigned low, unsigned high)
{
    return n >= low && n <= high;
}

static bool is_far(const struct fardate *f, unsigned year)
{
    return year > f->now + AHEAD || year < (f->calendar ? CALENDAR_FLOOR : ARCHIVE_FLOOR);
}

static bool is_far_in_path(const struct fardate *f, unsigned year)
{
    return f->calendar ? is_far(f, year) : is_between(year, f->now + AHEAD + 1, PATH_CEILING);
}

/* "2093-04" or "2093-04-01", and no digit or dash after it. */
static bool iso_month(struct str s, unsigned *year)
{
    unsigned month, day;

    if (s.len < 7 || s.p[4] != '-' || !digits(str_sub(s, 0, 4), 4, 4, year) ||
        !digits(str_sub(s, 5, 7), 2, 2, &month) ||
        !is_between(month, 1, 12))
        return false;
    s = str_sub(s, 7, s.len);
    if (s.len >= 3 && s.p[0] == '-' && digits(str_sub(s, 1, 3), 2, 2, &day) && is_between(day, 1, 31))
        s = str_sub(s, 3, s.len);
    return s.len == 0 || !(ascii_is_digit(s.p[0]) || s.p[0] == '-');
}

/* "20930401" */
static bool packed_day(struct str s, unsigned *year)
{
    unsigned n;

    if (!digits(s, 8, 8, &n) || !is_between(n / 100 % 100, 1, 12) || !is_between(n % 100, 1, 31))
        return false;
    *year = n / 10000;
    return true;
}

/* ---- the path ---- */

/* "04" for "04.html" */
static struct str without_extension(struct str segment)
{
    return str_sub(segment, 0, str_find(segment, '.'));
}

static bool far_in_path(const struct fardate *f, const struct str *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str segment = without_extension(segments[i]);
        unsigned year, month;

        if (segment.len < 4 || !ascii_is_digit(segment.p[0]))
            continue;
        if (segment.len <= 10 && iso_month(segment, &year) && is_far_in_path(f, year))
            return true;
        if (i + 1 < count && digits(segment, 4, f->calendar ? YEAR_DIGITS : 4, &year) &&
            digits(without_extension(segments[i + 1]), f->calendar ? 1 : 2, 2, &month) && is_between(month, 1, 12) &&
            is_far_in_path(f, year))
            return true;
    }
    return false;
}

/* ---- the query ---- */

struct parts {
    bool has_year, has_month;
    unsigned year;
};

static bool name_is(struct str name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(name, str_of(words[i])))
            return true;
    return false;
}
#define NAME_IS(name, words) name_is(name, words, sizeof words / sizeof *words)

static bool names_year(const struct fardate *f, struct str name)
{
    static const char *const others[] = {"yr", "jahr", "annee", "ano", "anio", "anno", "yyyy"};
    static const char *const years[] = {"year"};

    return CONTAINS(name, years) || NAME_IS(name, others) || (f->calendar && str_eq_nocase(name, STR("y")));
}

static bool names_month(const struct fardate *f, struct str name)
{
    static const char *const others[] = {"mo", "mon", "monat", "mois", "mes", "mese", "mm"};
    static const char *const months[] = {"month"};

    return CONTAINS(name, months) || NAME_IS(name, others) || (f->calendar && str_eq_nocase(name, STR("m")));
}

/* What bounds a period ("enddate=2099-12-31": for ever) is not what is shown. */
static bool names_day(struct str name)
{
    static const char *const days[] = {"date", "day", "month", "week", "cal", "datum", "fecha"};
    static const char *const ends[] = {"end", "to", "until", "max", "exp", "before", "valid"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (str_starts_nocase(name, str_of(ends[i])) && !str_starts_nocase(name, STR("today")))
            return false;
    return CONTAINS(name, days);
}

static bool far_day(const struct fardate *f, struct str name, struct str value)
{
    unsigned year;

    return (iso_month(value, &year) || packed_day(value, &year)) && is_far(f, year) && names_day(name);
}

static bool far_in_query(const struct fardate *f, struct str query)
{
    struct parts parts = {0};
    struct str part;

    while (str_split(&query, '&', &part)) {
        size_t equals = str_find(part, '=');
        struct str name = str_sub(part, 0, equals);
        struct str value = str_sub(part, equals < part.len ? equals + 1 : equals, part.len);
        unsigned n;

        if (value.len == 0 || !ascii_is_digit(value.p[0]))
            continue;
        if (far_day(f, name, value))
            return true;
        if (digits(value, 4, YEAR_DIGITS, &n) && names_year(f, name)) {
            parts.year = n;
            parts.has_year = true;
        } else if (digits(value, 1, 2, &n) && is_between(n, 1, 12) && names_month(f, name)) {
            parts.has_month = true;
        }
    }
    return parts.has_year && (parts.has_month || f->calendar) && is_far(f, parts.year);
}

/* Nearly all URLs have none, and need no closer look. */
static bool has_year(struct str s)
{
    size_t run = 0;

    for (size_t i = 0; i < s.len && run < 4; i++)
        run = ascii_is_digit(s.p[i]) ? run + 1 : 0;
    return run >= 4;
}

static bool names_far_month(const struct str *segments, size_t count, struct str path, struct str query, unsigned now)
{
    struct fardate f = {.now = now};

    if (!has_year(path) && !has_year(query))
        return false;
    f.calendar = has_calendar(segments, count, query);
    return far_in_path(&f, segments, count) || far_in_query(&f, query);
}

/* ---- traps ---- */

enum {
    SEGMENTS_MAX = 20,
    PATH_MAX_CHARS = 1024,
    QUERY_MAX_CHARS = 2048,
    RUN_MAX = 6,         /* segments in a run that repeats */
    RUN_TIMES = 3,
    WEAK_RUN_TIMES = 5,  /* of numbers and single letters: /tiles/0/0/0.png is not a trap */
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
        if (count_of(names, count, names[count - 1]) > NAME_TIMES ||
            count_of(pairs, count, pairs[count - 1]) >= PAIR_TIMES)
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
    return names_far_month(segments, count, path, query, year) ? URL_TRAP_CALENDAR : URL_TRAP_NONE;
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

/* ---- patterns: runs of digits and ids become one byte each before the hash sees them ---- */

enum {
    HEX_MIN = 8,      /* hex digits of both kinds in a row are an id from here on */
    MIXED_MIN = 16,   /* letters and digits of any kind */
    UUID_LEN = 36,
    NAMES_MAX = 64,   /* of parameters; more are not looked at */
    NUMBER = '0',
    ID = '#'          /* cannot occur in a path or query */
};

static bool is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

static bool is_uuid(struct str s)
{
    if (s.len < UUID_LEN || (s.len > UUID_LEN && is_alnum(s.p[UUID_LEN])))
        return false;
    for (size_t i = 0; i < UUID_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? s.p[i] != '-' : ascii_hex(s.p[i]) < 0)
            return false;
    }
    return true;
}

/* A run of letters and digits. */
struct run {
    size_t len, digits, hex;
};

static struct run run_at(struct str s)
{
    struct run run = {0};

    for (; run.len < s.len && is_alnum(s.p[run.len]); run.len++) {
        run.digits += ascii_is_digit(s.p[run.len]);
        run.hex += ascii_hex(s.p[run.len]) >= 0;
    }
    return run;
}

static bool is_id(const struct run *run)
{
    size_t letters = run->len - run->digits;

    return letters > 0 && ((run->len >= HEX_MIN && run->hex == run->len && run->digits >= 2) ||
                           (run->len >= MIXED_MIN && run->digits >= 2 && letters >= 2));
}

/* The run itself, each number in it as one digit. */
static size_t put_run(struct str run, char *out)
{
    size_t len = 0;

    for (size_t i = 0; i < run.len; i++)
        if (!ascii_is_digit(run.p[i]))
            out[len++] = run.p[i];
        else if (i == 0 || !ascii_is_digit(run.p[i - 1]))
            out[len++] = NUMBER;
    return len;
}

/* Writes the shape of `s`, which is never longer; its length. */
static size_t put_shape(struct str s, char *out)
{
    size_t len = 0;

    while (s.len) {
        struct run run = run_at(s);
        size_t taken = run.len;

        if (taken == 0) {
            out[len++] = s.p[0];
            taken = 1;
        } else if (run.hex >= HEX_MIN && is_uuid(s)) {
            out[len++] = ID;
            taken = UUID_LEN;
        } else if (is_id(&run)) {
            out[len++] = ID;
        } else if (run.digits) {
            len += put_run(str_sub(s, 0, taken), out + len);
        } else {
            memcpy(out + len, s.p, taken);
            len += taken;
        }
        s = str_sub(s, taken, s.len);
    }
    return len;
}

/* Where there is no digit the shape is the text. */
static uint64_t hash_shape(struct str s, char *scratch, uint64_t seed)
{
    bool digit = false;

    for (size_t i = 0; i < s.len; i++)
        digit |= ascii_is_digit(s.p[i]);
    return digit ? hash_bytes(scratch, put_shape(s, scratch), seed) : hash_str(s, seed);
}

static bool is_known(const uint64_t *names, size_t count, uint64_t name)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] == name)
            return true;
    return false;
}

/* A sum of hashes, since the order does not count. */
static uint64_t hash_names(struct str query, char *scratch)
{
    uint64_t names[NAMES_MAX], sum = 0;
    struct str part;
    size_t count = 0;

    while (count < NAMES_MAX && str_split(&query, '&', &part)) {
        uint64_t name = hash_shape(str_sub(part, 0, str_find(part, '=')), scratch, 1);

        if (is_known(names, count, name))
            continue;
        names[count++] = name;
        sum += name;
    }
    return sum;
}

uint64_t url_pattern(const struct url *url, uint64_t key)
{
    char shape[SCENT_URL_MAX];
    struct str server = str_sub(url->href, url->host_start, url->path_start);
    uint64_t pattern = hash_str(server, key);

    pattern = hash_shape(url_path(url), shape, pattern);
    if (url->query_end > url->path_end)
        pattern = hash_mix(pattern, hash_names(url_query(url), shape));
    return pattern ? pattern : 1;
}
