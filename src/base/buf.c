/* Appends to a buffer that doubles up to its cap. */
#include "base/buf.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void buf_init(struct buf *buf, size_t cap)
{
    *buf = (struct buf){.cap = cap ? cap : SIZE_MAX / 4};
}

void buf_release(struct buf *buf)
{
    free(buf->p);
    buf_init(buf, buf->cap);
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->failed = false;
}

static bool fail(struct buf *buf)
{
    buf->failed = true;
    return false;
}

bool buf_reserve(struct buf *buf, size_t more)
{
    size_t need, room;
    char *p;

    if (more > buf->cap || buf->len > buf->cap - more)
        return fail(buf);
    need = buf->len + more + 1;
    if (need <= buf->room)
        return true;
    room = buf->room + buf->room / 2;
    if (room < need)
        room = need < 64 ? 64 : need;
    p = realloc(buf->p, room);
    if (!p)
        return fail(buf);
    buf->p = p;
    buf->room = room;
    return true;
}

bool buf_add(struct buf *buf, struct str s)
{
    if (!buf_reserve(buf, s.len))
        return false;
    if (s.len)
        memcpy(buf->p + buf->len, s.p, s.len);
    buf->len += s.len;
    return true;
}

bool buf_addz(struct buf *buf, const char *z)
{
    return buf_add(buf, str_of(z));
}

bool buf_addc(struct buf *buf, char c)
{
    return buf_add(buf, (struct str){&c, 1});
}

bool buf_printf(struct buf *buf, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (len < 0 || !buf_reserve(buf, (size_t)len))
        return fail(buf);
    va_start(args, fmt);
    vsnprintf(buf->p + buf->len, (size_t)len + 1, fmt, args);
    va_end(args);
    buf->len += (size_t)len;
    return true;
}

struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->p, buf->len};
}

const char *buf_z(struct buf *buf)
{
    if (!buf_reserve(buf, 0))
        return "";
    buf->p[buf->len] = 0;
    return buf->p;
}

/* ---- text inside of text ---- */

void escape_csv(struct buf *out, struct str s)
{
    buf_addc(out, '"');
    if (s.len && memchr("=+-@\t\r", s.p[0], 6))
        buf_addc(out, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '"')
            buf_addc(out, '"');
        buf_addc(out, s.p[i]);
    }
    buf_addc(out, '"');
}

/* Control characters, and U+FFFE and U+FFFF: EF BF BE and EF BF BF in UTF-8. */
static bool is_outside_xml(struct str c)
{
    if (c.len == 1)
        return (unsigned char)c.p[0] < 0x20 && c.p[0] != '\t' && c.p[0] != '\n';
    return c.len == 3 && memcmp(c.p, "\xEF\xBF", 2) == 0 && (unsigned char)c.p[2] >= 0xBE;
}

void escape_markup(struct buf *out, struct str s)
{
    while (s.len) {
        size_t len = utf8_sequence(s), bad = len ? 0 : utf8_bad_prefix(s);

        switch (s.p[0]) {
        case '&': buf_addz(out, "&amp;"); break;
        case '<': buf_addz(out, "&lt;"); break;
        case '>': buf_addz(out, "&gt;"); break;
        case '"': buf_addz(out, "&quot;"); break;
        case '\'': buf_addz(out, "&#39;"); break;
        default:
            if (bad)
                buf_addz(out, UTF8_REPLACEMENT);
            else if (!is_outside_xml(str_sub(s, 0, len)))
                buf_add(out, str_sub(s, 0, len));
        }
        s = str_sub(s, len + bad, s.len);
    }
}

void escape_hex(const unsigned char *p, size_t len, char *out)
{
    for (size_t i = 0; i < 2 * len; i++)
        out[i] = "0123456789abcdef"[i % 2 ? p[i / 2] & 15 : p[i / 2] >> 4];
}
