#include "json/json.h"

#include "base/utf8.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void json_writer_init(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){.out = out};
}

static bool in_object(const struct json_writer *w)
{
    return w->depth > 0 && (w->objects >> (w->depth - 1) & 1);
}

static void separate(struct json_writer *w)
{
    if (w->need_comma)
        buf_addc(w->out, w->depth ? ',' : '\n');
    w->need_comma = false;
}

static void before_value(struct json_writer *w)
{
    SCENT_BUG_IF(in_object(w) != w->have_key);
    if (!w->have_key)
        separate(w);
    w->have_key = false;
}

static void begin(struct json_writer *w, char bracket, bool object)
{
    before_value(w);
    SCENT_BUG_IF(w->depth == SCENT_JSON_WRITE_DEPTH);
    w->objects &= ~((uint64_t)1 << w->depth);
    w->objects |= (uint64_t)object << w->depth;
    w->depth++;
    buf_addc(w->out, bracket);
    w->need_comma = false;
}

static void end(struct json_writer *w, char bracket, bool object)
{
    SCENT_BUG_IF(w->depth == 0 || w->have_key || in_object(w) != object);
    w->depth--;
    buf_addc(w->out, bracket);
    w->need_comma = true;
}

void json_object_begin(struct json_writer *w)
{
    begin(w, '{', true);
}

void json_object_end(struct json_writer *w)
{
    end(w, '}', true);
}

void json_array_begin(struct json_writer *w)
{
    begin(w, '[', false);
}

void json_array_end(struct json_writer *w)
{
    end(w, ']', false);
}

static void add_escaped(struct buf *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    const char *with = NULL;

    switch (c) {
    case '"': with = "\\\""; break;
    case '\\': with = "\\\\"; break;
    case '\b': with = "\\b"; break;
    case '\f': with = "\\f"; break;
    case '\n': with = "\\n"; break;
    case '\r': with = "\\r"; break;
    case '\t': with = "\\t"; break;
    default: break;
    }
    buf_add(out, with ? str_of(with) : (struct str){text, sizeof text});
}

static bool is_plain(unsigned char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void add_quoted(struct buf *out, struct str s)
{
    size_t i = 0, from = 0;

    buf_addc(out, '"');
    while (i < s.len) {
        unsigned char c = (unsigned char)s.p[i];
        size_t n = is_plain(c) ? 1 : utf8_sequence(str_sub(s, i, s.len));

        if (is_plain(c) || n > 1) {
            i += n;
            continue;
        }
        buf_add(out, str_sub(s, from, i));
        if (n == 1)
            add_escaped(out, c);
        else
            buf_add(out, STR(UTF8_REPLACEMENT));
        i += n ? n : utf8_bad_prefix(str_sub(s, i, s.len));
        from = i;
    }
    if (s.len)
        buf_add(out, str_sub(s, from, i));
    buf_addc(out, '"');
}

void json_key(struct json_writer *w, const char *key)
{
    SCENT_BUG_IF(!in_object(w) || w->have_key);
    separate(w);
    add_quoted(w->out, str_of(key));
    buf_addc(w->out, ':');
    w->have_key = true;
}

static void add_value(struct json_writer *w, struct str text)
{
    before_value(w);
    buf_add(w->out, text);
    w->need_comma = true;
}

void json_str(struct json_writer *w, struct str s)
{
    before_value(w);
    add_quoted(w->out, s);
    w->need_comma = true;
}

void json_int(struct json_writer *w, int64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)n);
    add_value(w, str_of(text));
}

/* A normal double that comes from at most 15 digits prints as these with %.15g, so nothing shorter than the
 * first hit below reads back; a subnormal holds fewer digits. */
static void format_double(char *text, size_t room, double x)
{
    int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG;

    do {
        snprintf(text, room, "%.*g", digits, x);
    } while (strtod(text, NULL) != x && ++digits <= DBL_DECIMAL_DIG);
}

void json_double(struct json_writer *w, double x)
{
    char text[40];

    if (!isfinite(x)) {
        json_none(w);
        return;
    }
    format_double(text, sizeof text, x);
    add_value(w, str_of(text));
}

void json_bool(struct json_writer *w, bool b)
{
    add_value(w, b ? STR("true") : STR("false"));
}

void json_none(struct json_writer *w)
{
    add_value(w, STR("null"));
}

void json_put_str(struct json_writer *w, const char *key, struct str s)
{
    json_key(w, key);
    json_str(w, s);
}

void json_put_int(struct json_writer *w, const char *key, int64_t n)
{
    json_key(w, key);
    json_int(w, n);
}

void json_put_double(struct json_writer *w, const char *key, double x)
{
    json_key(w, key);
    json_double(w, x);
}

void json_put_bool(struct json_writer *w, const char *key, bool b)
{
    json_key(w, key);
    json_bool(w, b);
}
