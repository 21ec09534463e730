/* UTS #46 as the URL standard asks for it: non-transitional, without the checks on hyphens and on length.
 *
 * libidn2 (2.3.3) differs from that in three ways, which is why there is more here than a call:
 *  - Its non-transitional mode applies the rules of IDNA2008 as well: symbols, hyphens in odd places and labels
 *    of more than 63 octets are errors. Its transitional mode maps and normalises by UTS #46 alone, but also
 *    folds the four "deviations" (sharp s, final sigma, the joiners). So a label that fails only by a rule that
 *    the standard does not have is mapped in transitional mode, piece by piece around the deviations.
 *  - Its table is older than Unicode 16, which allowed 72 characters that were disallowed before.
 *  - It refuses long names. Ours may be long, but a stretch without ASCII must fit a label of the DNS.
 * What is left: a symbol beside right-to-left letters or joiners is refused, and the bidi rule is not checked
 * across labels. No such names can be registered.
 * A call of libidn2 costs a few microseconds; names of ASCII letters never come here. */
#include "base/str.h"
#include "url/url_parts.h"

#include <idn2.h>

enum {
    NAME_MAX_BYTES = 512, /* generous: the DNS takes 253 */
    LABEL_MAX_POINTS = NAME_MAX_BYTES,
    IDN2_TEXT_MAX = 4 * LABEL_MAX_POINTS + 16
};

struct label {
    uint32_t points[LABEL_MAX_POINTS];
    size_t count;
};

static bool add_point(struct label *label, uint32_t point)
{
    if (label->count == LABEL_MAX_POINTS)
        return false;
    label->points[label->count++] = point;
    return true;
}

/* Characters whose status changed with Unicode 16, as ranges; mapped to 0 means ignored. */
static const struct change {
    uint32_t first, last, to;
} changes[] = {
    {0x04C0, 0x04C0, 0x04CF},    {0x10A0, 0x10C5, 0x2D00},   {0x115F, 0x1160, 0},         {0x17B4, 0x17B5, 0},
    {0x180E, 0x180E, 0},         {0x1E9E, 0x1E9E, 0x00DF},   {0x2061, 0x2063, 0},         {0x206A, 0x206F, 0},
    {0x2132, 0x2132, 0x214E},    {0x2183, 0x2183, 0x2184},   {0x3164, 0x3164, 0},         {0xFFA0, 0xFFA0, 0},
    {0x1D173, 0x1D17A, 0},       {0x2F868, 0x2F868, 0x36FC}, {0x2F874, 0x2F874, 0x5F53},  {0x2F91F, 0x2F91F, 0x243AB},
    {0x2F95F, 0x2F95F, 0x7AEE},  {0x2F9BF, 0x2F9BF, 0x45D7},
};

static bool add_changed(struct label *label, uint32_t point)
{
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const struct change *change = &changes[i];

        if (point >= change->first && point <= change->last)
            return change->to ? add_point(label, change->to + (point - change->first)) : true;
    }
    return add_point(label, point < 0x80 ? (uint32_t)ascii_lower((char)point) : point);
}

static bool is_joiner(uint32_t point)
{
    return point == 0x200C || point == 0x200D;
}

/* What must not pass through libidn2's mapping: the deviations, and U+1806, valid since Unicode 16. None of them
 * composes with a neighbour, so that mapping the stretches between them apart gives the same result. */
static bool is_kept(uint32_t point)
{
    return point == 0xDF || point == 0x3C2 || point == 0x1806 || is_joiner(point);
}

static bool is_dot(uint32_t point)
{
    return point == '.' || point == 0x3002 || point == 0xFF0E || point == 0xFF61;
}

static bool is_ascii(const struct label *label)
{
    for (size_t i = 0; i < label->count; i++)
        if (label->points[i] >= 0x80)
            return false;
    return true;
}

static bool has_prefix(const struct label *label)
{
    static const char prefix[] = "xn--";

    for (size_t i = 0; i < 4; i++)
        if (i >= label->count || label->points[i] != (uint32_t)prefix[i])
            return false;
    return true;
}

static uint32_t decode_point(struct str sequence)
{
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    uint32_t point = (unsigned char)sequence.p[0] & mask[sequence.len];

    for (size_t i = 1; i < sequence.len; i++)
        point = point << 6 | ((unsigned char)sequence.p[i] & 0x3F);
    return point;
}

/* Appends UTF-8 at `to`, which has room for four bytes. */
static char *put_point(char *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (char)point;
        return to;
    }
    if (point < 0x800)
        *to++ = (char)(0xC0 | point >> 6);
    else {
        if (point < 0x10000)
            *to++ = (char)(0xE0 | point >> 12);
        else {
            *to++ = (char)(0xF0 | point >> 18);
            *to++ = (char)(0x80 | (point >> 12 & 0x3F));
        }
        *to++ = (char)(0x80 | (point >> 6 & 0x3F));
    }
    *to++ = (char)(0x80 | (point & 0x3F));
    return to;
}

/* One call of libidn2: `before`, the points, `after`. On IDN2_OK *out is a C string to be freed with idn2_free. */
static int ask_libidn2(const char *before, const uint32_t *points, size_t count, const char *after, int flags,
                       char **out)
{
    char text[IDN2_TEXT_MAX], *to = stpcpy(text, before);

    for (size_t i = 0; i < count; i++)
        to = put_point(to, points[i]);
    strcpy(to, after);
    return idn2_lookup_u8((const uint8_t *)text, (uint8_t **)out, flags | IDN2_NO_ALABEL_ROUNDTRIP);
}

/* Whether libidn2 objects by a rule that the standard does not have. */
static bool is_foreign_rule(int result)
{
    return result == IDN2_DISALLOWED || result == IDN2_2HYPHEN || result == IDN2_HYPHEN_STARTEND ||
           result == IDN2_TOO_BIG_LABEL || result == IDN2_TOO_BIG_DOMAIN || result == IDN2_PUNYCODE_BIG_OUTPUT ||
           result == IDN2_CONTEXTO || result == IDN2_CONTEXTO_NO_RULE || result == IDN2_UNASSIGNED;
}

static bool add_decoded(struct label *to, const char *text, size_t before, size_t after)
{
    struct str s = str_of(text);
    struct label decoded = {.count = 0};

    if (strchr(text, '.'))
        return false; /* a character that stands for a dot and more */
    if (str_starts(s, STR("xn--"))) {
        if (!url_punycode_decode(str_sub(s, 4, s.len), decoded.points, LABEL_MAX_POINTS, &decoded.count))
            return false;
    } else
        for (size_t i = 0; i < s.len; i++)
            decoded.points[decoded.count++] = (unsigned char)s.p[i];
    for (size_t i = before; i + after < decoded.count; i++)
        if (!add_point(to, decoded.points[i]))
            return false;
    return true;
}

/* Maps and normalises one stretch. The guards around it keep the checks on hyphens and on a leading combining
 * mark away; zeros compose with nothing. */
static scent_status map_stretch(const uint32_t *points, size_t count, struct label *to)
{
    static const char before[] = "000", after[] = "0";
    char *text;
    int result = ask_libidn2(before, points, count, after, IDN2_TRANSITIONAL, &text);
    bool good;

    if (result != IDN2_OK)
        return result == IDN2_MALLOC ? SCENT_E_NOMEM : SCENT_E_INVALID;
    good = add_decoded(to, text, sizeof before - 1, sizeof after - 1);
    idn2_free(text);
    return good ? SCENT_OK : SCENT_E_INVALID;
}

/* The end of the stretch that begins at `from`: other characters than ASCII, perhaps after one ASCII character
 * (which may compose with the mark that follows it). `from` itself when there is nothing to map. */
static size_t stretch_end(const struct label *label, size_t from)
{
    size_t i = from + (label->points[from] < 0x80);

    while (i < label->count && label->points[i] >= 0x80 && !is_kept(label->points[i]))
        i++;
    return i > from + (label->points[from] < 0x80) ? i : from;
}

static scent_status map_label(const struct label *label, struct label *to)
{
    size_t i = 0;

    to->count = 0;
    while (i < label->count) {
        size_t end = stretch_end(label, i);
        scent_status status = SCENT_OK;

        if (end > i)
            status = map_stretch(label->points + i, end - i, to);
        else if (!add_point(to, label->points[i]))
            status = SCENT_E_INVALID;
        if (status != SCENT_OK)
            return status;
        i = end > i ? end : i + 1;
    }
    return SCENT_OK;
}

/* The blocks of the right-to-left scripts. */
static bool is_right_to_left(uint32_t point)
{
    return (point >= 0x590 && point <= 0x8FF) || (point >= 0xFB1D && point <= 0xFDFF) ||
           (point >= 0xFE70 && point <= 0xFEFF) || (point >= 0x10800 && point <= 0x10FFF) ||
           (point >= 0x1E800 && point <= 0x1EFFF);
}

/* The checks that the standard does have: the leading mark, the joiners, the bidi rule. libidn2 looks for hyphens
 * first, so these are left out; and for symbols before joiners and direction, so a label with one of these has
 * to do without symbols. */
static scent_status check_label(const struct label *label)
{
    struct label plain;
    bool joiner = false, right_to_left = false;
    char *text;
    int result;

    plain.count = 0;
    for (size_t i = 0; i < label->count; i++) {
        joiner = joiner || is_joiner(label->points[i]);
        right_to_left = right_to_left || is_right_to_left(label->points[i]);
        if (label->points[i] != '-')
            plain.points[plain.count++] = label->points[i];
    }
    if (right_to_left && (label->points[0] == '-' || label->points[label->count - 1] == '-'))
        return SCENT_E_INVALID; /* RFC 5893, rules 1 and 3 */
    result = ask_libidn2("", plain.points, plain.count, "", IDN2_NONTRANSITIONAL, &text);
    if (result == IDN2_OK)
        idn2_free(text);
    if (result == IDN2_MALLOC)
        return SCENT_E_NOMEM;
    return result == IDN2_OK || (is_foreign_rule(result) && !joiner && !right_to_left) ? SCENT_OK : SCENT_E_INVALID;
}

static void put_ascii(struct url_out *out, const struct label *label)
{
    for (size_t i = 0; i < label->count; i++)
        url_out_byte(out, (char)label->points[i]);
}

/* "xn--…": what it stands for must be a valid label already, and need the encoding. */
static scent_status put_encoded(struct url_out *out, const struct label *label)
{
    char text[LABEL_MAX_POINTS];
    struct label decoded, mapped;
    scent_status status;

    for (size_t i = 0; i < label->count; i++)
        text[i] = (char)label->points[i];
    if (!is_ascii(label) || !url_punycode_decode((struct str){text + 4, label->count - 4}, decoded.points,
                                                 LABEL_MAX_POINTS, &decoded.count))
        return SCENT_E_INVALID;
    status = map_label(&decoded, &mapped);
    if (status != SCENT_OK)
        return status;
    if (is_ascii(&decoded) || mapped.count != decoded.count ||
        memcmp(mapped.points, decoded.points, mapped.count * sizeof *mapped.points) != 0)
        return SCENT_E_INVALID;
    put_ascii(out, label);
    return check_label(&decoded);
}

static scent_status put_leniently(struct url_out *out, const struct label *label)
{
    char text[SCENT_URL_MAX];
    struct label mapped;
    size_t len;
    scent_status status = map_label(label, &mapped);

    if (status != SCENT_OK)
        return status;
    if (has_prefix(&mapped))
        return put_encoded(out, &mapped);
    if (is_ascii(&mapped)) {
        put_ascii(out, &mapped);
        return SCENT_OK;
    }
    if (!url_punycode_encode(mapped.points, mapped.count, text, sizeof text, &len))
        return SCENT_E_INVALID;
    url_out_str(out, STR("xn--"));
    url_out_str(out, (struct str){text, len});
    return check_label(&mapped);
}

static scent_status put_label(struct url_out *out, const struct label *label)
{
    char *text;
    int result;

    if (is_ascii(label) && !has_prefix(label)) {
        put_ascii(out, label);
        return SCENT_OK;
    }
    result = ask_libidn2("", label->points, label->count, "", IDN2_NONTRANSITIONAL, &text);
    if (result == IDN2_OK) {
        bool dot = strchr(text, '.');

        url_out_str(out, str_of(text));
        idn2_free(text);
        return dot ? SCENT_E_INVALID : SCENT_OK;
    }
    if (result == IDN2_MALLOC)
        return SCENT_E_NOMEM;
    return is_foreign_rule(result) ? put_leniently(out, label) : SCENT_E_INVALID;
}

/* Takes the next label off *rest; *last tells that no dot follows it. */
static scent_status take_label(struct str *rest, struct label *label, bool *last)
{
    label->count = 0;
    *last = true;
    while (rest->len) {
        size_t n = utf8_sequence(*rest);
        uint32_t point;

        if (!n)
            return SCENT_E_INVALID; /* decodes to U+FFFD, which is disallowed */
        point = decode_point(str_sub(*rest, 0, n));
        *rest = str_sub(*rest, n, rest->len);
        if (is_dot(point)) {
            *last = false;
            return SCENT_OK;
        }
        if (!point || !add_changed(label, point))
            return SCENT_E_INVALID;
    }
    return SCENT_OK;
}

scent_status url_idna_put(struct url_out *out, struct str name)
{
    struct label label;
    bool last = false;

    if (name.len > NAME_MAX_BYTES)
        return SCENT_E_INVALID;
    while (!last) {
        scent_status status = take_label(&name, &label, &last);

        if (status == SCENT_OK)
            status = put_label(out, &label);
        if (status != SCENT_OK)
            return status;
        if (!last)
            url_out_byte(out, '.');
    }
    return SCENT_OK;
}

/* ---- punycode ---- */

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

static bool put_digit(struct encoder *e, char c)
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
            return put_digit(e, digit_of(q));
        if (!put_digit(e, digit_of(t + (q - t) % (BASE - t))))
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
        if (points[i] < 0x80 && !put_digit(&e, (char)points[i]))
            return false;
    basic = done = e.len;
    if (basic && !put_digit(&e, '-'))
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
