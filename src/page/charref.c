#include "page/charref.h"

#include <pthread.h>

enum { NAMES_MAX = 2200, NAME_MAX_LEN = 32, SHORT_MAX = 6 }; /* no name that may lack its semicolon is longer */

static uint32_t starts[NAMES_MAX]; /* of the names, in order; built once */
static size_t count;
static pthread_once_t built = PTHREAD_ONCE_INIT;

static void build(void)
{
    for (const char *p = charref_names; *p; p = strchr(p, '\n') + 1)
        if (*p != '\n') /* else the second half of &NewLine; */
            starts[count++] = (uint32_t)(p - charref_names);
}

/* Compares a name with that of an entry. */
static int compare(struct str name, const char *entry)
{
    size_t len = strcspn(entry, "* ");
    int order = memcmp(name.p, entry, name.len < len ? name.len : len);

    return order ? order : (name.len > len) - (name.len < len);
}

/* What `name` stands for; `bare`: it has no semicolon. */
static bool find_name(struct str name, bool bare, char out[CHARREF_MAX], size_t *len)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *entry = charref_names + starts[middle], *value = strchr(entry, ' ');
        int order = compare(name, entry);

        if (order == 0) {
            if (bare && value[-1] != '*')
                return false;
            *len = strcspn(value + 1, "\n");
            *len = *len ? *len : 1; /* &NewLine; */
            memcpy(out, value + 1, *len);
            return true;
        }
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

static size_t encode(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

/* The numbers of Windows' characters, which many pages mean (13.2.5.84 of the standard); 0: as it is. */
static const uint16_t windows[32] = {
    0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178,
};

static int digit_of(char c, bool hex)
{
    if (ascii_is_digit(c))
        return c - '0';
    c = ascii_lower(c);
    return hex && c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t read_number(struct str s, char out[CHARREF_MAX], size_t *len)
{
    bool hex = s.len > 2 && ascii_lower(s.p[2]) == 'x';
    size_t start = hex ? 3 : 2, i = start;
    uint32_t c = 0;

    for (int digit; i < s.len && (digit = digit_of(s.p[i], hex)) >= 0; i++)
        if (c < 0x110000)
            c = c * (hex ? 16 : 10) + (uint32_t)digit;
    if (i == start)
        return 0;
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        c = 0xFFFD;
    else if (c >= 0x80 && c < 0xA0 && windows[c - 0x80])
        c = windows[c - 0x80];
    *len = encode(c, out);
    return i + (i < s.len && s.p[i] == ';');
}

static bool is_alnum(char c)
{
    return ascii_is_alpha(c) || ascii_is_digit(c);
}

/* Nearly all references of nearly all pages; they need no search. */
static const struct {
    struct str reference, value;
} common[] = {
#define COMMON(reference, value) {{reference, sizeof reference - 1}, {value, sizeof value - 1}}
    COMMON("&lt;", "<"), COMMON("&gt;", ">"), COMMON("&amp;", "&"), COMMON("&quot;", "\""),
    COMMON("&nbsp;", "\302\240"),
#undef COMMON
};

static size_t read_common(struct str s, char out[CHARREF_MAX], size_t *len)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (s.p[1] == common[i].reference.p[1] && str_starts(s, common[i].reference)) {
            *len = common[i].value.len;
            memcpy(out, common[i].value.p, *len);
            return common[i].reference.len;
        }
    return 0;
}

size_t charref_read(struct str s, bool in_attribute, char out[CHARREF_MAX], size_t *len)
{
    size_t end = 1, used;

    if (s.len < 3)
        return 0;
    if (s.p[1] == '#')
        return read_number(s, out, len);
    if ((used = read_common(s, out, len)) > 0)
        return used;
    while (end < s.len && end <= NAME_MAX_LEN && is_alnum(s.p[end]))
        end++;
    if (end == 1)
        return 0;
    pthread_once(&built, build);
    if (end < s.len && s.p[end] == ';' && find_name(str_sub(s, 1, end), false, out, len))
        return end + 1;
    if (in_attribute && end < s.len && s.p[end] == '=')
        return 0;
    for (size_t n = end - 1 < SHORT_MAX ? end - 1 : SHORT_MAX; n >= 2; n--)
        if (find_name(str_sub(s, 1, 1 + n), true, out, len))
            return in_attribute && 1 + n < end ? 0 : 1 + n;
    return 0;
}

size_t charref_decode(struct str s, bool in_attribute, char *out)
{
    size_t n = 0;

    while (s.len) {
        size_t plain = str_find(s, '&'), used, len;

        memcpy(out + n, s.p, plain);
        n += plain;
        s = str_sub(s, plain, s.len);
        if (!s.len)
            break;
        used = charref_read(s, in_attribute, out + n, &len);
        if (!used) {
            out[n] = '&';
            used = len = 1;
        }
        n += len;
        s = str_sub(s, used, s.len);
    }
    return n;
}

/* The length of the reference at the start of `s`, 0 when it is none. */
static size_t read_xml(struct str s, char out[CHARREF_MAX], size_t *len)
{
    size_t used;

    if (s.len > 3 && s.p[1] == '#') {
        used = read_number(s, out, len);
        return used && s.p[used - 1] == ';' && !str_eq((struct str){out, *len}, STR("\xEF\xBF\xBD")) ? used : 0;
    }
    if (str_starts(s, STR("&apos;"))) {
        *out = '\'';
        *len = 1;
        return 6;
    }
    return str_starts(s, STR("&nbsp;")) || s.len < 3 ? 0 : read_common(s, out, len);
}

size_t charref_decode_xml(struct str s, char *out)
{
    size_t n = 0;

    while (s.len) {
        size_t plain = str_find(s, '&'), used, len = 1;
        char decoded[CHARREF_MAX] = "&";

        memcpy(out + n, s.p, plain);
        n += plain;
        s = str_sub(s, plain, s.len);
        if (!s.len)
            break;
        used = read_xml(s, decoded, &len);
        if (!used) {
            decoded[0] = '&';
            used = len = 1;
        }
        memcpy(out + n, decoded, len);
        n += len;
        s = str_sub(s, used, s.len);
    }
    return n;
}
