#include "page/decode.h"
#include "base/utf8.h"

#include <errno.h>
#include <iconv.h>

enum { CHUNK = 64 };

/* ASCII that goes through as it is: white space (VT too: one range is quicker to test) and what is visible. */
static inline bool is_plain(unsigned char c)
{
    return (c >= 0x20 && c < 0x80) || (c >= '\t' && c <= '\r');
}

/* How many bytes at the start are plain ASCII. Whole chunks without a branch, so that the compiler uses vectors. */
static size_t plain_prefix(struct str s)
{
    size_t i = 0;

    if (s.len && !is_plain((unsigned char)s.p[0])) /* text of another script: one character after the other */
        return 0;
    for (; i + CHUNK <= s.len; i += CHUNK) {
        const unsigned char *p = (const unsigned char *)s.p + i;
        unsigned char bad = 0;

        for (size_t j = 0; j < CHUNK; j++)
            bad |= (unsigned char)(((signed char)p[j] < 0x20) & ((unsigned char)(p[j] - '\t') > '\r' - '\t'));
        if (bad)
            break;
    }
    while (i < s.len && is_plain((unsigned char)s.p[i]))
        i++;
    return i;
}

/* The length of the character at the start if it may stay, 0 if not. */
static size_t clean_sequence(struct str s)
{
    size_t len = utf8_sequence(s);

    if (len == 1 && !is_plain((unsigned char)s.p[0]))
        return 0;
    if (len == 3 && memcmp(s.p, "\xEF\xBF", 2) == 0 && ((unsigned char)s.p[2] & 0xFE) == 0xBE)
        return 0;
    return len;
}

static size_t clean_prefix(struct str s)
{
    size_t i = 0, len;

    do {
        i += plain_prefix(str_sub(s, i, s.len));
        len = i < s.len ? clean_sequence(str_sub(s, i, s.len)) : 0;
        i += len;
    } while (len);
    return i;
}

bool decode_is_utf8(struct str s)
{
    size_t i = 0;

    while (i < s.len) {
        size_t len;

        i += plain_prefix(str_sub(s, i, s.len));
        len = i < s.len ? utf8_sequence(str_sub(s, i, s.len)) : 0;
        if (!len)
            return i == s.len || (s.len - i < 4 && utf8_bad_prefix(str_sub(s, i, s.len)) == s.len - i);
        i += len;
    }
    return true;
}

scent_status decode_utf8(struct str in, struct buf *room, struct str *out)
{
    size_t i = clean_prefix(in);

    if (i == in.len) {
        *out = in;
        return SCENT_OK;
    }
    buf_add(room, str_sub(in, 0, i));
    while (i < in.len) {
        struct str rest = str_sub(in, i, in.len);
        size_t len = utf8_sequence(rest);

        if (len == 1) { /* a control character */
            if (in.p[i])
                buf_addc(room, ' ');
        } else {
            buf_addz(room, UTF8_REPLACEMENT);
            len = len ? len : utf8_bad_prefix(rest);
        }
        i += len;
        rest = str_sub(in, i, in.len);
        rest.len = clean_prefix(rest);
        buf_add(room, rest);
        i += rest.len;
    }
    *out = buf_str(room);
    return room->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* 0x80 to 0x9F; the five that Microsoft left out are control characters, as the standard says. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
    0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
    0x0153, 0x009D, 0x017E, 0x0178,
};

static void add_windows_1252(struct buf *room, unsigned char byte)
{
    unsigned c = byte < 0x80 ? ' ' : byte < 0xA0 ? windows_1252[byte - 0x80] : byte;

    if (c < 0x80) {
        buf_addc(room, (char)c);
    } else if (c < 0x800) {
        buf_addc(room, (char)(0xC0 | c >> 6));
        buf_addc(room, (char)(0x80 | (c & 0x3F)));
    } else {
        buf_addc(room, (char)(0xE0 | c >> 12));
        buf_addc(room, (char)(0x80 | (c >> 6 & 0x3F)));
        buf_addc(room, (char)(0x80 | (c & 0x3F)));
    }
}

scent_status decode_windows_1252(struct str in, struct buf *room, struct str *out)
{
    size_t i = plain_prefix(in);

    if (i == in.len) {
        *out = in;
        return SCENT_OK;
    }
    buf_add(room, str_sub(in, 0, i));
    while (i < in.len) {
        struct str rest;

        if (in.p[i])
            add_windows_1252(room, (unsigned char)in.p[i]);
        i++;
        rest = str_sub(in, i, in.len);
        rest.len = plain_prefix(rest);
        buf_add(room, rest);
        i += rest.len;
    }
    *out = buf_str(room);
    return room->failed ? SCENT_E_NOMEM : SCENT_OK;
}

void decode_release(struct decode *decode)
{
    if (decode->iconv)
        iconv_close(decode->iconv);
    *decode = (struct decode){0};
}

static bool open_iconv(struct decode *decode, const char *name)
{
    iconv_t cd;

    if (decode->iconv && strcmp(decode->name, name) == 0) {
        iconv(decode->iconv, NULL, NULL, NULL, NULL);
        return true;
    }
    decode_release(decode);
    cd = iconv_open("UTF-8", name);
    if (cd == (iconv_t)-1)
        return false;
    *decode = (struct decode){cd, name};
    return true;
}

static bool run_iconv(iconv_t cd, struct str in, struct buf *room)
{
    char *p = (char *)(uintptr_t)in.p; /* iconv does not write there */
    size_t left = in.len;

    while (left) {
        char *to;
        size_t to_left, done;

        if (!buf_reserve(room, left + left / 2 + CHUNK))
            return false;
        to = room->p + room->len;
        to_left = room->room - room->len - 1;
        done = iconv(cd, &p, &left, &to, &to_left);
        room->len = (size_t)(to - room->p);
        if (done == (size_t)-1 && errno != E2BIG) {
            buf_addz(room, UTF8_REPLACEMENT);
            p++;
            left--;
        }
    }
    return !room->failed;
}

/* In place: what iconv leaves is well formed, so that only controls and U+FFFE, U+FFFF remain. */
static void clean_in_place(struct buf *room)
{
    struct str s = buf_str(room);
    size_t i = clean_prefix(s), n = i;

    while (i < s.len) {
        size_t clean, bad = utf8_sequence(str_sub(s, i, s.len)); /* 1 or 3 bytes */

        if (s.p[i]) {
            memcpy(room->p + n, bad == 3 ? UTF8_REPLACEMENT : "   ", bad);
            n += bad;
        }
        i += bad;
        clean = clean_prefix(str_sub(s, i, s.len));
        memmove(room->p + n, s.p + i, clean);
        n += clean;
        i += clean;
    }
    room->len = n;
}

scent_status decode_iconv(struct decode *decode, const char *name, struct str in, struct buf *room, struct str *out)
{
    if (!open_iconv(decode, name)) /* glibc's converters are not installed: ASCII is saved at least */
        return decode_utf8(in, room, out);
    if (!run_iconv(decode->iconv, in, room))
        return SCENT_E_NOMEM;
    clean_in_place(room);
    *out = buf_str(room);
    return SCENT_OK;
}
