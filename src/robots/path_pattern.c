/* Percent-encoding in one spelling, and patterns with "*" and "$". */
#include "robots/robots.h"

enum kind {
    UNRESERVED, /* RFC 3986: an escape of it means the same */
    RESERVED,   /* the same for us: RFC 9309 compares reserved characters and their escapes as one */
    DELIMITER,  /* parts of a URL's structure: an escape of it is something else */
    SPECIAL,    /* of a pattern: an escape of it is the plain character */
    FOREIGN     /* never plain in a URL: the escape is the spelling */
};

static enum kind kind_of(unsigned char c)
{
    if (ascii_is_alpha((char)c) || ascii_is_digit((char)c))
        return UNRESERVED;
    switch (c) {
    case '-': case '.': case '_': case '~':
        return UNRESERVED;
    case ':': case '@': case '!': case '\'': case '(': case ')': case ',': case ';': case '[': case ']': case '+':
        return RESERVED;
    case '/': case '?': case '&': case '=': case '#': case '%':
        return DELIMITER;
    case '*': case '$':
        return SPECIAL;
    default:
        return FOREIGN;
    }
}

/* The byte that the escape at `i` stands for; -1: there is none. */
static int escape_at(struct str s, size_t i)
{
    if (s.p[i] != '%' || s.len - i < 3 || ascii_hex(s.p[i + 1]) < 0 || ascii_hex(s.p[i + 2]) < 0)
        return -1;
    return ascii_hex(s.p[i + 1]) * 16 + ascii_hex(s.p[i + 2]);
}

static void add(struct buf *out, unsigned char c, bool escaped)
{
    static const char digits[] = "0123456789ABCDEF";
    char escape[3] = {'%', digits[c >> 4], digits[c & 15]};

    if (escaped)
        buf_add(out, (struct str){escape, 3});
    else
        buf_addc(out, (char)c);
}

static bool stays_escaped(unsigned char c, enum path_pattern_reading reading, bool in_query)
{
    switch (kind_of(c)) {
    case UNRESERVED:
        return reading == PATH_AS_WRITTEN;
    case RESERVED:
        return false;
    case DELIMITER:
        return !in_query || (c != '/' && c != '?'); /* RFC 9309's table: a URL as a query's value */
    default:
        return true;
    }
}

struct speller {
    struct str in;
    enum path_pattern_reading reading;
    bool is_target;
};

static bool becomes_escaped(const struct speller *speller, size_t i)
{
    unsigned char c = (unsigned char)speller->in.p[i];

    if (kind_of(c) == SPECIAL)
        return speller->is_target || (c == '$' && i + 1 < speller->in.len);
    if (kind_of(c) != FOREIGN)
        return false;
    return c < 0x80 || !speller->is_target || speller->reading == PATH_RFC;
}

static void spell(const struct speller *speller, struct buf *out)
{
    struct str in = speller->in;
    bool in_query = false;

    for (size_t i = 0; i < in.len; i++) {
        int escape = escape_at(in, i);

        if (escape >= 0) {
            add(out, (unsigned char)escape, stays_escaped((unsigned char)escape, speller->reading, in_query));
            i += 2;
            continue;
        }
        in_query |= in.p[i] == '?';
        add(out, (unsigned char)in.p[i], becomes_escaped(speller, i));
    }
}

void path_pattern_spell(struct str pattern, enum path_pattern_reading reading, struct buf *out)
{
    spell(&(struct speller){pattern, reading, false}, out);
}

void path_pattern_spell_target(struct str target, enum path_pattern_reading reading, struct buf *out)
{
    spell(&(struct speller){target, reading, true}, out);
}

bool path_pattern_is_spelled(struct str target)
{
    for (size_t i = 0; i < target.len; i++) {
        enum kind kind = kind_of((unsigned char)target.p[i]);

        if (kind == SPECIAL || kind == FOREIGN || target.p[i] == '%')
            return false;
    }
    return true;
}

/* The rest of a pattern, after a "*". The leftmost place for each part leaves the most for those after it, so that
 * nothing has ever to be tried again. */
static bool matches_after_star(struct str pattern, struct str target, bool anchored)
{
    for (;;) {
        struct str part = str_sub(pattern, 0, str_find(pattern, '*'));
        const char *found;

        if (part.len == pattern.len && anchored)
            return str_ends(target, part);
        found = part.len ? memmem(target.p, target.len, part.p, part.len) : target.p;
        if (part.len && !found)
            return false;
        if (part.len == pattern.len)
            return true;
        target = str_sub(target, (size_t)(found - target.p) + part.len, target.len);
        pattern = str_sub(pattern, part.len + 1, pattern.len);
    }
}

bool path_pattern_matches(struct str pattern, struct str target)
{
    bool anchored = pattern.len > 0 && pattern.p[pattern.len - 1] == '$';
    size_t i = 0;

    pattern.len -= anchored;
    for (; i < pattern.len && pattern.p[i] != '*'; i++)
        if (i == target.len || pattern.p[i] != target.p[i])
            return false;
    if (i == pattern.len)
        return !anchored || target.len == i;
    return matches_after_star(str_sub(pattern, i + 1, pattern.len), str_sub(target, i, target.len), anchored);
}
