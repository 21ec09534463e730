/* A date is taken apart from its front; each take_ function takes what it names off *s, or returns false. */
#include "base/date.h"

static const int64_t SECOND = 1000000, YEAR_2100 = 4102444800;

struct moment {
    int year, month, day, hour, minute, second;
    int64_t micros;
    int offset; /* east of Greenwich, in minutes */
};

static bool take_char(struct str *s, char c)
{
    if (!s->len || ascii_lower(s->p[0]) != c)
        return false;
    *s = str_sub(*s, 1, s->len);
    return true;
}

static void skip_blanks(struct str *s)
{
    while (s->len && ascii_is_space(s->p[0]))
        *s = str_sub(*s, 1, s->len);
}

/* A number of `min` to `max` digits that no further digit follows. */
static bool take_number(struct str *s, size_t min, size_t max, int *out)
{
    size_t n = 0;

    *out = 0;
    while (n < s->len && n <= max && ascii_is_digit(s->p[n]))
        *out = *out * 10 + (s->p[n++] - '0');
    *s = str_sub(*s, n, s->len);
    return n >= min && n <= max;
}

static struct str take_word(struct str *s)
{
    size_t n = 0;

    while (n < s->len && ascii_is_alpha(s->p[n]))
        n++;
    struct str word = str_sub(*s, 0, n);
    *s = str_sub(*s, n, s->len);
    return word;
}

/* The digits behind the point; those beyond microseconds are dropped. */
static bool take_fraction(struct str *s, int64_t *micros)
{
    int64_t unit = SECOND;
    bool any = false;

    for (; s->len && ascii_is_digit(s->p[0]); *s = str_sub(*s, 1, s->len), any = true)
        *micros += (unit /= 10) * (s->p[0] - '0');
    return any;
}

static bool take_time(struct str *s, struct moment *m)
{
    if (!take_number(s, 1, 2, &m->hour) || !take_char(s, ':') || !take_number(s, 2, 2, &m->minute))
        return false;
    if (!take_char(s, ':'))
        return true;
    if (!take_number(s, 2, 2, &m->second))
        return false;
    return !take_char(s, '.') || take_fraction(s, &m->micros);
}

/* Names that nobody defined are Greenwich: RFC 5322 4.3. */
static int zone_hours(struct str name)
{
    static const struct {
        const char *name;
        int hours;
    } zones[] = {{"EST", -5}, {"EDT", -4}, {"CST", -6}, {"CDT", -5},
                 {"MST", -7}, {"MDT", -6}, {"PST", -8}, {"PDT", -7}};

    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (str_eq_nocase(name, str_of(zones[i].name)))
            return zones[i].hours;
    return 0;
}

/* "Z", "+01:00", "-0500", "EST", or nothing. */
static bool take_zone(struct str *s, struct moment *m)
{
    bool west;
    int hours, minutes = 0;

    skip_blanks(s);
    if (!s->len)
        return true;
    if (ascii_is_alpha(s->p[0])) {
        m->offset = 60 * zone_hours(take_word(s));
        return true;
    }
    west = take_char(s, '-');
    if (!west && !take_char(s, '+'))
        return false;
    if (s->len == 4) { /* hhmm: no sign tells where the hours end */
        if (!take_number(s, 4, 4, &hours))
            return false;
        minutes = hours % 100;
        hours /= 100;
    } else if (!take_number(s, 2, 2, &hours) || (take_char(s, ':') && !take_number(s, 2, 2, &minutes))) {
        return false;
    }
    m->offset = (west ? -1 : 1) * (60 * hours + minutes);
    return hours < 24 && minutes < 60;
}

static bool read_iso(struct str s, struct moment *m)
{
    if (!take_number(&s, 4, 4, &m->year))
        return false;
    if (take_char(&s, '-') && !take_number(&s, 2, 2, &m->month))
        return false;
    if (s.len && (!take_char(&s, '-') || !take_number(&s, 2, 2, &m->day)))
        return false;
    if (s.len && ((!take_char(&s, 't') && !take_char(&s, ' ')) || !take_time(&s, m) || !take_zone(&s, m)))
        return false;
    return !s.len;
}

static int month_of(struct str name)
{
    static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                         "jul", "aug", "sep", "oct", "nov", "dec"};

    for (int i = 0; i < 12; i++)
        if (str_starts_nocase(name, str_of(months[i])))
            return i + 1;
    return 0;
}

static void skip_separators(struct str *s)
{
    while (s->len && (ascii_is_space(s->p[0]) || s->p[0] == '-' || s->p[0] == ','))
        *s = str_sub(*s, 1, s->len);
}

/* RFC 5322 4.3: two digits mean 1950 to 2049. */
static int full_year(int year)
{
    if (year < 50)
        return 2000 + year;
    return year < 1000 ? 1900 + year : year;
}

/* "Nov  6 08:49:37 1994", behind the day of the week. */
static bool read_asctime(struct str s, struct moment *m)
{
    m->month = month_of(take_word(&s));
    skip_blanks(&s);
    if (!take_number(&s, 1, 2, &m->day))
        return false;
    skip_blanks(&s);
    if (!take_time(&s, m))
        return false;
    skip_blanks(&s);
    return take_number(&s, 4, 4, &m->year) && !s.len;
}

/* "Sat, 13 Dec 2003 18:30:02 GMT", with the separators of RFC 850 too. */
static bool read_rfc822(struct str s, struct moment *m)
{
    bool has_weekday = take_word(&s).len > 0;

    skip_separators(&s);
    if (has_weekday && s.len && ascii_is_alpha(s.p[0]))
        return read_asctime(s, m);
    if (!take_number(&s, 1, 2, &m->day))
        return false;
    skip_separators(&s);
    m->month = month_of(take_word(&s));
    skip_separators(&s);
    if (!take_number(&s, 2, 4, &m->year))
        return false;
    m->year = full_year(m->year);
    skip_blanks(&s);
    if (s.len && (!take_time(&s, m) || !take_zone(&s, m)))
        return false;
    return !str_trim(s).len;
}

static bool read_log(struct str s, struct moment *m)
{
    if (!take_number(&s, 2, 2, &m->day) || !take_char(&s, '/'))
        return false;
    m->month = month_of(take_word(&s));
    return take_char(&s, '/') && take_number(&s, 4, 4, &m->year) && take_char(&s, ':') && take_time(&s, m) &&
           take_zone(&s, m) && !s.len;
}

static bool is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static bool is_real(const struct moment *m)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return m->year >= 1970 && m->month >= 1 && m->month <= 12 && m->day >= 1 &&
           m->day <= days[m->month - 1] + (m->month == 2 && is_leap(m->year)) && m->hour < 24 && m->minute < 60 &&
           m->second <= 60;
}

/* Of the Gregorian calendar; years begin in March, so that a leap day is the last day of its year. */
static int64_t days_since_1970(const struct moment *m)
{
    int64_t y = m->month > 2 ? m->year : m->year - 1, month = (m->month + 9) % 12;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * month + 2) / 5 + m->day - 1 - 719468;
}

static int64_t seconds_of(const struct moment *m)
{
    return days_since_1970(m) * 86400 + m->hour * 3600 + m->minute * 60 + m->second - m->offset * 60;
}

int64_t date_parse(struct str s)
{
    struct moment m = {.month = 1, .day = 1};
    int64_t seconds;
    bool year_first;

    s = str_trim(s);
    year_first = s.len >= 4 && ascii_is_digit(s.p[2]) && ascii_is_digit(s.p[3]);
    if (!(year_first ? read_iso(s, &m) : read_rfc822(s, &m)) || !is_real(&m))
        return 0;
    seconds = seconds_of(&m);
    return seconds > 0 ? seconds * SECOND + m.micros : 0;
}

static bool finish(const struct moment *m, int64_t *out)
{
    int64_t seconds;

    if (!is_real(m) || (seconds = seconds_of(m)) < 0 || seconds >= YEAR_2100)
        return false;
    *out = seconds * SECOND + m->micros;
    return true;
}

/* Without a day it is not a date but a number, or part of a name. */
bool date_parse_iso(struct str s, int64_t *out)
{
    struct moment m = {0};

    return read_iso(s, &m) && finish(&m, out);
}

bool date_parse_log(struct str s, int64_t *out)
{
    struct moment m = {0};

    return read_log(s, &m) && finish(&m, out);
}

bool date_parse_epoch(struct str s, int64_t *out)
{
    size_t point = str_find(s, '.');
    uint64_t seconds;
    int64_t micros = 0;

    if (!str_parse_u64(str_sub(s, 0, point), &seconds) || seconds >= (uint64_t)YEAR_2100)
        return false;
    s = str_sub(s, point, s.len);
    if (take_char(&s, '.') && !take_fraction(&s, &micros))
        return false;
    *out = (int64_t)seconds * SECOND + micros;
    return !s.len;
}
