#include "topic/syntax_error.h"

#include <stdio.h>

enum { SHOWN_BEFORE = 50, SHOWN_AFTER = 26, SHOWN_GOT = 40 };

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The start of the character `n` characters away from `at`, within [low, high]. */
static size_t back(struct str s, size_t at, size_t low, size_t n)
{
    while (at > low && n) {
        at--;
        n -= !is_continuation(s.p[at]);
    }
    return at;
}

static size_t forth(struct str s, size_t at, size_t high, size_t n)
{
    while (at < high && (n || is_continuation(s.p[at]))) {
        at++;
        n -= at < high && n && !is_continuation(s.p[at]);
    }
    return at;
}

static size_t characters(struct str s, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        n += !is_continuation(s.p[i]);
    return n;
}

static void copy_printable(char *out, size_t room, struct str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len && n + 1 < room; i++)
        out[n++] = (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f ? ' ' : s.p[i];
    out[n] = 0;
}

void syntax_error_at(struct str source, size_t at, const char *what, struct errmsg *err)
{
    size_t line = 1, begin = 0, end, from, to;
    char excerpt[(SHOWN_BEFORE + SHOWN_AFTER) * 4 + 1];

    for (size_t i = 0; i < at; i++) {
        if (source.p[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    for (end = begin; end < source.len && source.p[end] != '\n';)
        end++;
    from = back(source, at, begin, SHOWN_BEFORE);
    to = forth(source, at, end, SHOWN_AFTER);
    copy_printable(excerpt, sizeof excerpt, str_sub(source, from, to));
    errmsg_fail(err, SCENT_E_INVALID, "%zu:%zu: %s\n    %s\n    %*s^", line, characters(source, begin, at) + 1, what,
                excerpt, (int)characters(source, from, at), "");
}

void syntax_error_expected(struct str source, size_t at, const char *expected, struct str got, struct errmsg *err)
{
    char what[256];

    if (got.len == 0)
        got = STR("the end");
    else if (got.len > SHOWN_GOT)
        got.len = SHOWN_GOT;
    snprintf(what, sizeof what, "expected %s, got %.*s", expected, STR_ARG(got));
    for (char *c = what; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    syntax_error_at(source, at, what, err);
}
