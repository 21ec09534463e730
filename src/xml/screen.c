#include "xml/screen.h"
#include "xml/xml.h"

enum {
    BLOCK = 4096,
    REFERENCE_MAX = 10, /* "&#1114111;" */
    DECLARATION_MAX = 256
};

void screen_init(struct screen *screen, void (*pass)(void *ctx, struct str block), void *ctx)
{
    *screen = (struct screen){.pass = pass, .ctx = ctx};
    buf_init(&screen->held, 2 * XML_MAX_TAG);
    buf_init(&screen->out, BLOCK + 8 * XML_MAX_TAG); /* a tag of nothing but "&" becomes five times as long */
}

void screen_release(struct screen *screen)
{
    buf_release(&screen->held);
    buf_release(&screen->out);
}

static void flush(struct screen *screen)
{
    if (screen->out.len)
        screen->pass(screen->ctx, buf_str(&screen->out));
    buf_clear(&screen->out);
}

/* Appends to the block what must not be torn. */
static void emit_whole(struct screen *screen, struct str s)
{
    if (!buf_add(&screen->out, s))
        screen->nomem = true;
}

static void flush_if_full(struct screen *screen)
{
    if (screen->out.len >= BLOCK)
        flush(screen);
}

static void emit_run(struct screen *screen, struct str s)
{
    while (s.len && !screen->nomem) {
        size_t n = BLOCK - screen->out.len;

        n = n < s.len ? n : s.len;
        emit_whole(screen, str_sub(s, 0, n));
        s = str_sub(s, n, s.len);
        flush_if_full(screen);
    }
}

static void drop(struct screen *screen, struct str s)
{
    const char *end = s.p + s.len;

    for (const char *p = s.p; s.len && (p = memchr(p, '\n', (size_t)(end - p))); p++)
        emit_run(screen, STR("\n"));
}

static bool is_hex(char c)
{
    return ascii_is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
}

/* The length of the reference at the start of `s` that libxml2 may resolve; 0: there is none. */
static size_t reference(struct str s)
{
    static const struct str names[] = {{"&amp;", 5}, {"&lt;", 4}, {"&gt;", 4}, {"&quot;", 6}, {"&apos;", 6}};
    bool hex = str_starts(s, STR("&#x"));
    size_t first = hex ? 3 : 2, i = first;

    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        if (str_starts(s, names[n]))
            return names[n].len;
    if (!str_starts(s, STR("&#")))
        return 0;
    while (i < s.len && i < REFERENCE_MAX && (hex ? is_hex(s.p[i]) : ascii_is_digit(s.p[i])))
        i++;
    return i > first && i < s.len && i < REFERENCE_MAX && s.p[i] == ';' ? i + 1 : 0;
}

static size_t step_reference(struct screen *screen, struct str rest, bool is_last)
{
    size_t n = reference(rest);

    if (!n && rest.len < REFERENCE_MAX && !is_last)
        return 0;
    emit_whole(screen, n ? str_sub(rest, 0, n) : STR("&amp;"));
    flush_if_full(screen);
    return n ? n : 1;
}

/* The offset behind the tag at the start of `s`, or of the "<" that ends it before its time; 0: it goes on. */
static size_t tag_end(struct str s)
{
    char quote = 0;

    for (size_t i = 1; i < s.len; i++) {
        char c = s.p[i];

        if (c == '<')
            return i;
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '>')
            return i + 1;
        else if (c == '"' || c == '\'')
            quote = c;
    }
    return 0;
}

static void emit_tag(struct screen *screen, struct str tag)
{
    while (tag.len) {
        size_t run = str_find(tag, '&');
        size_t ref = run < tag.len ? reference(str_sub(tag, run, tag.len)) : 0;

        emit_whole(screen, str_sub(tag, 0, run + ref));
        if (run < tag.len && !ref) {
            emit_whole(screen, STR("&amp;"));
            ref = 1;
        }
        tag = str_sub(tag, run + ref, tag.len);
    }
    flush_if_full(screen);
}

static size_t step_tag(struct screen *screen, struct str rest, bool is_last)
{
    size_t n = tag_end(rest);

    if (n > XML_MAX_TAG || (!n && rest.len > XML_MAX_TAG)) {
        screen->fault = "a tag is longer than 64 KiB";
        return 0;
    }
    if (!n && is_last)
        n = rest.len;
    emit_tag(screen, str_sub(rest, 0, n));
    return n;
}

/* <?xml … ?> tells the encoding. Only a whole one is passed: libxml2 takes a damaged one to end early, and would read
 * what is dropped otherwise. */
static size_t step_declaration(struct screen *screen, struct str rest, bool is_last)
{
    size_t n = rest.len ? 1 + str_find(str_sub(rest, 1, rest.len), '>') : 0;

    if (n == rest.len && rest.len < DECLARATION_MAX && !is_last)
        return 0;
    if (n < DECLARATION_MAX && n < rest.len && rest.p[n - 1] == '?' && str_find(str_sub(rest, 1, n), '<') == n - 1)
        emit_whole(screen, str_sub(rest, 0, ++n));
    else
        screen->state = SCREEN_INSTRUCTION, n = 2;
    flush_if_full(screen);
    return n;
}

static size_t step_markup(struct screen *screen, struct str rest, bool is_last)
{
    static const struct {
        struct str mark;
        enum screen_state state;
        bool emit;
    } kinds[] = {
        {{"<!--", 4}, SCREEN_COMMENT, false},   {{"<![CDATA[", 9}, SCREEN_CDATA, true},
        {{"<!", 2}, SCREEN_DOCTYPE, false},     {{"<?", 2}, SCREEN_INSTRUCTION, false},
    };

    if (str_starts(rest, STR("<?xml ")) || (rest.len < 6 && str_starts(STR("<?xml "), rest) && !is_last))
        return step_declaration(screen, rest, is_last);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (rest.len < kinds[i].mark.len && str_starts(kinds[i].mark, rest) && !is_last)
            return 0;
        if (!str_starts(rest, kinds[i].mark))
            continue;
        screen->state = kinds[i].state;
        if (kinds[i].emit)
            emit_whole(screen, kinds[i].mark);
        flush_if_full(screen);
        return kinds[i].mark.len;
    }
    return step_tag(screen, rest, is_last);
}

static size_t step_text(struct screen *screen, struct str rest, bool is_last)
{
    size_t run = 0;

    if (rest.p[0] == '<')
        return step_markup(screen, rest, is_last);
    if (rest.p[0] == '&')
        return step_reference(screen, rest, is_last);
    while (run < rest.len && rest.p[run] != '<' && rest.p[run] != '&')
        run++;
    emit_run(screen, str_sub(rest, 0, run));
    return run;
}

/* Everything up to and with `end`; of what has come so far, all that cannot be a part of `end`. */
static size_t step_until(struct screen *screen, struct str rest, struct str end, bool emit, bool is_last)
{
    const char *found = memmem(rest.p, rest.len, end.p, end.len);
    size_t n = found ? (size_t)(found - rest.p) : rest.len < end.len ? 0 : rest.len - end.len + 1;

    if (!found && is_last)
        n = rest.len;
    if (emit)
        emit_run(screen, str_sub(rest, 0, n));
    else
        drop(screen, str_sub(rest, 0, n));
    if (!found)
        return n;
    if (emit)
        emit_whole(screen, end);
    flush_if_full(screen);
    screen->state = SCREEN_TEXT;
    return n + end.len;
}

/* Declarations are not understood, only passed over: "]" and ">" end them, wherever they stand. */
static size_t step_doctype(struct screen *screen, char c)
{
    if (screen->state == SCREEN_DOCTYPE && c == '[')
        screen->state = SCREEN_SUBSET;
    else if (screen->state != SCREEN_SUBSET && c == '>')
        screen->state = SCREEN_TEXT;
    else if (screen->state != SCREEN_DOCTYPE && c == ']')
        screen->state = SCREEN_SUBSET_END;
    else if (screen->state == SCREEN_SUBSET_END && !ascii_is_space(c))
        screen->state = SCREEN_SUBSET;
    drop(screen, (struct str){&c, 1});
    return 1;
}

static size_t step(struct screen *screen, struct str rest, bool is_last)
{
    switch (screen->state) {
    case SCREEN_TEXT:
        return step_text(screen, rest, is_last);
    case SCREEN_CDATA:
        return step_until(screen, rest, STR("]]>"), true, is_last);
    case SCREEN_COMMENT:
        return step_until(screen, rest, STR("-->"), false, is_last);
    case SCREEN_INSTRUCTION:
        return step_until(screen, rest, STR("?>"), false, is_last);
    default:
        return step_doctype(screen, rest.p[0]);
    }
}

static bool is_over(const struct screen *screen)
{
    return screen->fault || screen->nomem || screen->stopped;
}

/* How much of `in` is done with. */
static size_t run(struct screen *screen, struct str in, bool is_last)
{
    size_t used = 0, n;

    while (used < in.len && !is_over(screen) && (n = step(screen, str_sub(in, used, in.len), is_last)) > 0)
        used += n;
    return used;
}

static void feed_slice(struct screen *screen, struct str slice, bool is_last)
{
    struct buf *held = &screen->held;
    size_t used;

    if (!held->len) {
        used = run(screen, slice, is_last);
        screen->nomem |= !buf_add(held, str_sub(slice, used, slice.len));
        return;
    }
    if (!buf_add(held, slice)) {
        screen->nomem = true;
        return;
    }
    used = run(screen, buf_str(held), is_last);
    memmove(held->p, held->p + used, held->len - used);
    held->len -= used;
}

void screen_feed(struct screen *screen, struct str piece, bool is_last)
{
    size_t nul = str_find(piece, 0);
    bool has_nul = nul < piece.len;

    piece.len = nul;
    while (piece.len && !is_over(screen)) {
        size_t n = piece.len < XML_MAX_TAG / 2 ? piece.len : XML_MAX_TAG / 2;

        feed_slice(screen, str_sub(piece, 0, n), false);
        piece = str_sub(piece, n, piece.len);
    }
    if ((has_nul || is_last) && !is_over(screen))
        feed_slice(screen, STR(""), true);
    if (has_nul && !screen->fault)
        screen->fault = "a NUL byte: this is no text, or UTF-16, which is not read";
    if (screen->fault || is_last)
        flush(screen);
}
