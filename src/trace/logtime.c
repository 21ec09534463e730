#include "trace/logtime.h"

static const int64_t SECOND = 1000000, LATEST = 4102444800; /* 2100-01-01 */

/* Exactly `digits` of them off the front. */
static bool take_number(struct str *s, size_t digits, int *out)
{
    *out = 0;
    if (s->len < digits)
        return false;
    for (size_t i = 0; i < digits; i++) {
        if (!ascii_is_digit(s->p[i]))
            return false;
        *out = *out * 10 + (s->p[i] - '0');
    }
    *s = str_sub(*s, digits, s->len);
    return true;
}

static bool take_char(struct str *s, char c)
{
    if (!s->len || s->p[0] != c)
        return false;
    *s = str_sub(*s, 1, s->len);
    return true;
}

/* ".123" as microseconds; 0 where there is none. Further digits are dropped. */
static bool take_fraction(struct str *s, int64_t *out)
{
    int64_t unit = SECOND;

    *out = 0;
    if (!take_char(s, '.'))
        return true;
    for (; s->len && ascii_is_digit(s->p[0]); *s = str_sub(*s, 1, s->len))
        *out += (unit /= 10) * (s->p[0] - '0');
    return unit < SECOND;
}

bool logtime_epoch(struct str s, int64_t *out)
{
    size_t n = 0;
    uint64_t seconds;
    int64_t fraction;

    while (n < s.len && ascii_is_digit(s.p[n]))
        n++;
    if (!str_parse_u64(str_sub(s, 0, n), &seconds) || seconds >= (uint64_t)LATEST)
        return false;
    s = str_sub(s, n, s.len);
    if (!take_fraction(&s, &fraction) || s.len)
        return false;
    *out = (int64_t)seconds * SECOND + fraction;
    return true;
}

struct moment {
    int year, month, day, hour, minute, second;
    int64_t fraction; /* microseconds */
    int offset;       /* east of Greenwich, in minutes */
};

/* Of the proleptic Gregorian calendar; years begin in March, so that a leap day is the last day of its year. */
static int64_t days_since_1970(int year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;

    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static bool seal(const struct moment *m, int64_t *out)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (m->year % 4 == 0 && m->year % 100 != 0) || m->year % 400 == 0;
    int64_t seconds;

    if (m->month < 1 || m->month > 12 || m->day < 1 || m->day > days[m->month - 1] + (leap && m->month == 2) ||
        m->hour > 23 || m->minute > 59 || m->second > 60 || m->offset < -24 * 60 || m->offset > 24 * 60)
        return false;
    seconds = days_since_1970(m->year, m->month, m->day) * 86400 + m->hour * 3600 + m->minute * 60 + m->second -
              m->offset * 60;
    if (seconds < 0 || seconds >= LATEST)
        return false;
    *out = seconds * SECOND + m->fraction;
    return true;
}

static bool take_clock(struct str *s, struct moment *m)
{
    return take_number(s, 2, &m->hour) && take_char(s, ':') && take_number(s, 2, &m->minute) && take_char(s, ':') &&
           take_number(s, 2, &m->second);
}

/* +0200, +02:00, Z, or nothing: Greenwich. */
static bool take_zone(struct str *s, struct moment *m)
{
    int sign, hours, minutes;

    if (!s->len || take_char(s, 'Z'))
        return true;
    sign = s->p[0] == '-' ? -1 : 1;
    if (!take_char(s, '+') && !take_char(s, '-'))
        return false;
    if (!take_number(s, 2, &hours))
        return false;
    take_char(s, ':');
    if (!take_number(s, 2, &minutes))
        return false;
    m->offset = sign * (hours * 60 + minutes);
    return true;
}

static bool take_month(struct str *s, int *out)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

    for (*out = 1; *out <= 12 && s->len >= 3; ++*out)
        if (str_eq_nocase(str_sub(*s, 0, 3), (struct str){names + (*out - 1) * 3, 3})) {
            *s = str_sub(*s, 3, s->len);
            return true;
        }
    return false;
}

bool logtime_ncsa(struct str s, int64_t *out)
{
    struct moment m = {0};

    if (!take_number(&s, 2, &m.day) || !take_char(&s, '/') || !take_month(&s, &m.month) || !take_char(&s, '/') ||
        !take_number(&s, 4, &m.year) || !take_char(&s, ':') || !take_clock(&s, &m))
        return false;
    take_char(&s, ' ');
    return take_zone(&s, &m) && !s.len && seal(&m, out);
}

bool logtime_iso(struct str s, int64_t *out)
{
    struct moment m = {0};

    if (!take_number(&s, 4, &m.year) || !take_char(&s, '-') || !take_number(&s, 2, &m.month) || !take_char(&s, '-') ||
        !take_number(&s, 2, &m.day))
        return false;
    if (s.len && (!take_char(&s, 'T') || !take_clock(&s, &m) || !take_fraction(&s, &m.fraction)))
        return false;
    return take_zone(&s, &m) && !s.len && seal(&m, out);
}
