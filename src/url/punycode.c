#include "url/punycode.h"

/* Section 5 of the RFC names these. */
enum { BASE = 36, TMIN = 1, TMAX = 26, SKEW = 38, DAMP = 700, INITIAL_BIAS = 72, INITIAL_N = 0x80 };
enum { LAST_POINT = 0x10FFFF };

static uint32_t adapt(uint32_t delta, uint32_t points, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / points;
    for (; delta > (BASE - TMIN) * TMAX / 2; k += BASE)
        delta /= BASE - TMIN;
    return k + (BASE - TMIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
    return k <= bias ? TMIN : k >= bias + TMAX ? TMAX : k - bias;
}

static char digit_of(uint32_t value)
{
    return (char)(value < 26 ? 'a' + value : '0' + value - 26);
}

static uint32_t value_of(char c)
{
    c = ascii_lower(c);
    return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') : ascii_is_digit(c) ? (uint32_t)(c - '0') + 26 : BASE;
}

struct encoder {
    char *out;
    size_t room, len;
    uint32_t n, delta, bias;
};

static bool put(struct encoder *e, char c)
{
    if (e->len == e->room)
        return false;
    e->out[e->len++] = c;
    return true;
}

static bool put_delta(struct encoder *e)
{
    uint32_t q = e->delta;

    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = threshold(k, e->bias);

        if (q < t)
            return put(e, digit_of(q));
        if (!put(e, digit_of(t + (q - t) % (BASE - t))))
            return false;
        q = (q - t) / (BASE - t);
    }
}

static uint32_t next_point(const uint32_t *points, size_t count, uint32_t n)
{
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < count; i++)
        if (points[i] >= n && points[i] < least)
            least = points[i];
    return least;
}

/* Writes the deltas of every point that equals e->n; `done` points are written already. */
static bool put_points(struct encoder *e, const uint32_t *points, size_t count, size_t *done, size_t basic)
{
    for (size_t i = 0; i < count; i++) {
        if (points[i] < e->n && ++e->delta == 0)
            return false;
        if (points[i] != e->n)
            continue;
        if (!put_delta(e))
            return false;
        e->bias = adapt(e->delta, (uint32_t)*done + 1, *done == basic);
        e->delta = 0;
        ++*done;
    }
    return true;
}

bool url_punycode_encode(const uint32_t *points, size_t count, char *out, size_t room, size_t *len)
{
    struct encoder e = {.out = out, .room = room, .n = INITIAL_N, .bias = INITIAL_BIAS};
    size_t basic, done;

    for (size_t i = 0; i < count; i++)
        if (points[i] < 0x80 && !put(&e, (char)points[i]))
            return false;
    basic = done = e.len;
    if (basic && !put(&e, '-'))
        return false;
    while (done < count) {
        uint32_t next = next_point(points, count, e.n), step;

        if (__builtin_mul_overflow(next - e.n, (uint32_t)done + 1, &step) ||
            __builtin_add_overflow(e.delta, step, &e.delta))
            return false;
        e.n = next;
        if (!put_points(&e, points, count, &done, basic))
            return false;
        e.delta++;
        e.n++;
    }
    *len = e.len;
    return true;
}

/* Takes a delta off the front of *text and adds it to *i. */
static bool take_delta(struct str *text, uint32_t bias, uint32_t *i)
{
    uint32_t weight = 1, part;

    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = threshold(k, bias), value = text->len ? value_of(text->p[0]) : BASE;

        if (value == BASE || __builtin_mul_overflow(value, weight, &part) || __builtin_add_overflow(*i, part, i))
            return false;
        *text = str_sub(*text, 1, text->len);
        if (value < t)
            return true;
        if (__builtin_mul_overflow(weight, BASE - t, &weight))
            return false;
    }
}

bool url_punycode_decode(struct str text, uint32_t *out, size_t room, size_t *len)
{
    uint32_t n = INITIAL_N, i = 0, bias = INITIAL_BIAS;
    const char *hyphen = text.len ? memrchr(text.p, '-', text.len) : NULL;
    size_t basic = hyphen ? (size_t)(hyphen - text.p) : 0, count = 0;

    if (basic > room)
        return false;
    for (; count < basic; count++)
        out[count] = (unsigned char)text.p[count];
    text = str_sub(text, hyphen ? basic + 1 : 0, text.len);
    while (text.len) {
        uint32_t old = i, points = (uint32_t)count + 1;

        if (count == room || !take_delta(&text, bias, &i))
            return false;
        bias = adapt(i - old, points, old == 0);
        if (i / points > LAST_POINT - n)
            return false;
        n += i / points;
        i %= points;
        memmove(out + i + 1, out + i, (count - i) * sizeof *out);
        out[i++] = n;
        count++;
    }
    *len = count;
    return true;
}
