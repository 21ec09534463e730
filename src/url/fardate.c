#include "url/fardate.h"

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

    if (s.len < 7 || s.p[4] != '-' || !digits(str_sub(s, 0, 4), 4, 4, year) || !digits(str_sub(s, 5, 7), 2, 2, &month) ||
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

bool fardate_in(const struct str *segments, size_t count, struct str path, struct str query, unsigned now)
{
    struct fardate f = {.now = now};

    if (!has_year(path) && !has_year(query))
        return false;
    f.calendar = has_calendar(segments, count, query);
    return far_in_path(&f, segments, count) || far_in_query(&f, query);
}
