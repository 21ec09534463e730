/* Appends to a buffer that doubles up to its cap. */
#include "base/buf.h"

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
