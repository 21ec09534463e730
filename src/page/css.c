#include "page/css.h"

enum { NAME_MAX_BYTES = 32 }; /* no name that means something here is longer */
enum function { NO_FUNCTION, URL_FUNCTION, IMAGE_FUNCTION };
enum rule { NO_RULE, IMPORT_RULE, NAMESPACE_RULE };

void css_reader_init(struct css_reader *reader, struct str utf8)
{
    *reader = (struct css_reader){.s = utf8};
    buf_init(&reader->value, CSS_VALUE_MAX);
    buf_init(&reader->name, NAME_MAX_BYTES);
}

void css_reader_release(struct css_reader *reader)
{
    buf_release(&reader->value);
    buf_release(&reader->name);
}

/* ---- characters ---- */

static char at(const struct css_reader *reader, size_t pos)
{
    return pos < reader->s.len ? reader->s.p[pos] : 0;
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

static bool is_name_start(char c)
{
    return ascii_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_name(char c)
{
    return is_name_start(c) || ascii_is_digit(c) || c == '-';
}

/* 4.3.8: a backslash before anything but a newline. At the end of the input it stands for U+FFFD. */
static bool is_escape(const struct css_reader *reader, size_t pos)
{
    return at(reader, pos) == '\\' && !is_newline(at(reader, pos + 1));
}

/* 4.3.9 */
static bool starts_name(const struct css_reader *reader, size_t pos)
{
    char c = at(reader, pos), next = at(reader, pos + 1);

    if (c == '-')
        return is_name_start(next) || next == '-' || is_escape(reader, pos + 1);
    return is_name_start(c) || is_escape(reader, pos);
}

static void skip_space(struct css_reader *reader)
{
    while (reader->pos < reader->s.len && ascii_is_space(reader->s.p[reader->pos]))
        reader->pos++;
}

/* 4.3.7: behind the backslash. */
static void take_escape(struct css_reader *reader, struct buf *out)
{
    uint32_t c = 0;
    unsigned digits = 0;
    char bytes[4];
    int hex;

    if (reader->pos >= reader->s.len) {
        buf_addz(out, UTF8_REPLACEMENT);
        return;
    }
    while (digits < 6 && (hex = ascii_hex(at(reader, reader->pos))) >= 0) {
        c = c * 16 + (uint32_t)hex;
        reader->pos++;
        digits++;
    }
    if (!digits) { /* the rest of a longer sequence follows as it is */
        buf_addc(out, reader->s.p[reader->pos++]);
        return;
    }
    if (at(reader, reader->pos) == '\r' && at(reader, reader->pos + 1) == '\n')
        reader->pos++;
    if (ascii_is_space(at(reader, reader->pos)))
        reader->pos++;
    if (c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        buf_addz(out, UTF8_REPLACEMENT);
    else
        buf_add(out, (struct str){bytes, utf8_encode(c, bytes)});
}

/* ---- tokens ---- */

/* 4.3.11. Names that are too long for the buffer mean nothing here. */
static struct str take_name(struct css_reader *reader)
{
    struct buf *name = &reader->name;

    buf_clear(name);
    for (;;) {
        size_t pos = reader->pos;

        if (is_name(at(reader, pos))) {
            buf_addc(name, reader->s.p[reader->pos++]);
        } else if (is_escape(reader, pos) && pos < reader->s.len) {
            reader->pos++;
            take_escape(reader, name);
        } else {
            break;
        }
    }
    return name->failed ? STR("") : buf_str(name);
}

/* 4.3.5: at its quote; false for one that a newline ends, which is no string. */
static bool take_string(struct css_reader *reader)
{
    char quote = reader->s.p[reader->pos++];

    buf_clear(&reader->value);
    while (reader->pos < reader->s.len) {
        char c = reader->s.p[reader->pos];

        if (is_newline(c))
            return false;
        reader->pos++;
        if (c == quote)
            return true;
        if (c != '\\') {
            buf_addc(&reader->value, c);
        } else if (!is_newline(at(reader, reader->pos))) {
            if (reader->pos < reader->s.len)
                take_escape(reader, &reader->value);
        } else {
            reader->pos += at(reader, reader->pos) == '\r' && at(reader, reader->pos + 1) == '\n' ? 2 : 1;
        }
    }
    return true;
}

/* 4.3.14 */
static void skip_bad_url(struct css_reader *reader)
{
    while (reader->pos < reader->s.len && reader->s.p[reader->pos] != ')')
        reader->pos += reader->s.p[reader->pos] == '\\' && reader->pos + 1 < reader->s.len ? 2 : 1;
    if (reader->pos < reader->s.len)
        reader->pos++;
}

/* 4.3.6: behind "url(" and blanks; false for what is none. */
static bool take_url(struct css_reader *reader)
{
    buf_clear(&reader->value);
    while (reader->pos < reader->s.len) {
        char c = reader->s.p[reader->pos];

        if (c == ')') {
            reader->pos++;
            return true;
        }
        if (ascii_is_space(c)) {
            skip_space(reader);
            if (reader->pos >= reader->s.len || reader->s.p[reader->pos] == ')')
                continue;
            skip_bad_url(reader);
            return false;
        }
        if (c == '"' || c == '\'' || c == '(' || (c >= 0 && c < ' ') || c == 0x7F ||
            (c == '\\' && !is_escape(reader, reader->pos))) {
            skip_bad_url(reader);
            return false;
        }
        reader->pos++;
        if (c == '\\')
            take_escape(reader, &reader->value);
        else
            buf_addc(&reader->value, c);
    }
    return true;
}

static void skip_comment(struct css_reader *reader)
{
    const char *end = memmem(reader->s.p + reader->pos + 2, reader->s.len - reader->pos - 2, "*/", 2);

    reader->pos = end ? (size_t)(end - reader->s.p) + 2 : reader->s.len;
}

/* 4.3.3: a number, and the unit that follows it at once: "1url" is not the name of a function. */
static bool skip_number(struct css_reader *reader)
{
    size_t pos = reader->pos;

    pos += at(reader, pos) == '+' || at(reader, pos) == '-';
    pos += at(reader, pos) == '.';
    if (!ascii_is_digit(at(reader, pos)))
        return false;
    while (ascii_is_digit(at(reader, pos)) || (at(reader, pos) == '.' && ascii_is_digit(at(reader, pos + 1))))
        pos++;
    reader->pos = pos;
    if (starts_name(reader, pos) && pos < reader->s.len)
        take_name(reader);
    return true;
}

/* ---- what encloses a token ---- */

static void open_bracket(struct css_reader *reader, enum function function)
{
    if (reader->depth < CSS_DEPTH_MAX)
        reader->inside[reader->depth] = (uint8_t)function;
    reader->depth++;
}

static void close_bracket(struct css_reader *reader)
{
    if (reader->depth)
        reader->depth--;
}

static enum function innermost(const struct css_reader *reader)
{
    return reader->depth && reader->depth <= CSS_DEPTH_MAX ? reader->inside[reader->depth - 1] : NO_FUNCTION;
}

static enum function find_function(struct str name)
{
    static const struct {
        const char *name;
        enum function function;
    } known[] = {
        {"url", URL_FUNCTION},
        {"src", URL_FUNCTION},
        {"image-set", IMAGE_FUNCTION},
        {"-webkit-image-set", IMAGE_FUNCTION},
        {"image", IMAGE_FUNCTION},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(name, str_of(known[i].name)))
            return known[i].function;
    return NO_FUNCTION;
}

static bool is_reference(const struct css_reader *reader)
{
    if (reader->rule == NAMESPACE_RULE)
        return false;
    return innermost(reader) != NO_FUNCTION || (reader->rule == IMPORT_RULE && reader->depth == 0);
}

/* An identifier, or a function with its bracket; true: a url(…) without quotes, whose value was read. */
static bool take_name_or_url(struct css_reader *reader)
{
    struct str name = take_name(reader);
    bool is_url = str_eq_nocase(name, STR("url"));
    char next;

    if (at(reader, reader->pos) != '(')
        return false;
    reader->pos++;
    if (is_url) {
        skip_space(reader);
        next = at(reader, reader->pos);
        if (next != '"' && next != '\'')
            return take_url(reader) && reader->rule != NAMESPACE_RULE;
    }
    open_bracket(reader, find_function(name));
    return false;
}

static void take_rule(struct css_reader *reader)
{
    struct str name;

    if (!starts_name(reader, ++reader->pos))
        return;
    name = take_name(reader);
    reader->rule = str_eq_nocase(name, STR("import"))      ? IMPORT_RULE
                   : str_eq_nocase(name, STR("namespace")) ? NAMESPACE_RULE
                                                           : NO_RULE;
}

/* One character that is a token of its own. */
static void take_delimiter(struct css_reader *reader)
{
    switch (reader->s.p[reader->pos++]) {
    case '(':
    case '[':
        open_bracket(reader, NO_FUNCTION);
        break;
    case ')':
    case ']':
        close_bracket(reader);
        break;
    case ';':
    case '{':
    case '}': /* of a rule or a declaration: a bracket that was left open does not reach beyond */
        reader->rule = NO_RULE;
        reader->depth = 0;
        break;
    case '#': /* a hash: "#url(" is not a function */
        while (is_name(at(reader, reader->pos)))
            reader->pos++;
        break;
    default:
        break;
    }
}

/* A character that stands for itself; true: it is one that the caller wants to know of. */
static bool take_markup(struct css_reader *reader)
{
    char c = reader->s.p[reader->pos];
    bool is_open = str_starts(str_sub(reader->s, reader->pos, reader->s.len), STR("<!--"));

    if (c != '<' && c != '&') {
        take_delimiter(reader);
        return false;
    }
    reader->pos += is_open ? 4 : 1;
    return reader->markup;
}

bool css_next(struct css_reader *reader, struct css_reference *out)
{
    while (reader->pos < reader->s.len) {
        size_t start = reader->pos;
        bool is_import = reader->rule == IMPORT_RULE && reader->depth == 0, found = false, is_markup = false;
        char c = reader->s.p[start];

        if (c == '/' && at(reader, start + 1) == '*')
            skip_comment(reader);
        else if (c == '"' || c == '\'')
            found = take_string(reader) && is_reference(reader);
        else if (c == '@')
            take_rule(reader);
        else if (c == '-' && str_starts(str_sub(reader->s, start, reader->s.len), STR("-->")))
            reader->pos += 3;
        else if (starts_name(reader, start))
            found = take_name_or_url(reader);
        else if (!skip_number(reader))
            is_markup = take_markup(reader);
        if (!found && !is_markup)
            continue;
        /* url("…") of an import stands in a bracket */
        is_import |= reader->rule == IMPORT_RULE && reader->depth == 1 && innermost(reader) == URL_FUNCTION;
        *out = (struct css_reference){is_markup ? CSS_MARKUP : is_import ? CSS_IMPORT : CSS_FILE, start, reader->pos,
                                      is_markup ? STR("") : buf_str(&reader->value)};
        return true;
    }
    return false;
}

/* ---- writing ---- */

void css_add_string(struct buf *out, struct str value)
{
    buf_addc(out, '"');
    for (size_t i = 0; i < value.len; i++) {
        unsigned char c = (unsigned char)value.p[i];

        if (c < ' ' || c == 0x7F || c == '"' || c == '\\' || c == '<')
            buf_printf(out, "\\%x ", c);
        else
            buf_addc(out, (char)c);
    }
    buf_addc(out, '"');
}
