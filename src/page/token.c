#include "page/token.h"
#include "page/scan.h"

#define CDATA "<![CDATA["

void tokenizer_init(struct tokenizer *tokenizer)
{
    *tokenizer = (struct tokenizer){0};
    buf_init(&tokenizer->values, 0);
    buf_init(&tokenizer->held, 0);
}

void tokenizer_release(struct tokenizer *tokenizer)
{
    buf_release(&tokenizer->values);
    buf_release(&tokenizer->held);
}

void tokenizer_start(struct tokenizer *tokenizer, struct str utf8)
{
    tokenizer->s = utf8;
    tokenizer->pos = 0;
    tokenizer->foreign = false;
}

struct str token_attribute(const struct token_attributes *attributes, struct str name)
{
    for (unsigned i = 0; i < attributes->count; i++)
        if (str_eq_nocase(attributes->items[i].name, name))
            return attributes->items[i].value;
    return STR("");
}

/* The elements whose attributes are looked at; those of the others are skipped. */
static bool wants_attributes(enum page_tag tag)
{
    switch (tag) {
    case PAGE_TAG_A:
    case PAGE_TAG_AREA:
    case PAGE_TAG_BASE:
    case PAGE_TAG_DIV:
    case PAGE_TAG_FRAME:
    case PAGE_TAG_HTML:
    case PAGE_TAG_IFRAME:
    case PAGE_TAG_IMG:
    case PAGE_TAG_LINK:
    case PAGE_TAG_META:
    case PAGE_TAG_P:
    case PAGE_TAG_SECTION:
    case PAGE_TAG_TABLE:
    case PAGE_TAG_TD:
    case PAGE_TAG_UL:
        return true;
    default:
        return false;
    }
}

/* After this `text`, from `pos` on; the end where there is none. */
static size_t find_after(struct str s, size_t pos, struct str text)
{
    const char *at = pos < s.len ? memmem(s.p + pos, s.len - pos, text.p, text.len) : NULL;

    return at ? (size_t)(at - s.p) + text.len : s.len;
}

static inline size_t find_byte(struct str s, size_t pos, char c)
{
    const char *at = pos < s.len ? memchr(s.p + pos, c, s.len - pos) : NULL;

    return at ? (size_t)(at - s.p) : s.len;
}

/* `pos` is after "<!--"; returns the place after the comment (13.2.5.43 to .51). */
static size_t skip_comment(struct str s, size_t pos)
{
    if (pos < s.len && s.p[pos] == '>')
        return pos + 1;
    if (str_starts(str_sub(s, pos, s.len), STR("->")))
        return pos + 2;
    while ((pos = find_after(s, pos, STR("--"))) < s.len) {
        if (s.p[pos] == '>')
            return pos + 1;
        if (s.p[pos] == '!' && pos + 1 < s.len && s.p[pos + 1] == '>')
            return pos + 2;
        pos--; /* "--->": the second dash may begin the end */
    }
    return s.len;
}

/* "<!", "<?" or "</" and no name: a comment, a doctype, or what is treated as a comment. */
static size_t skip_declaration(struct str s, size_t pos)
{
    if (str_starts(str_sub(s, pos, s.len), STR("<!--")))
        return skip_comment(s, pos + 4);
    return find_after(s, pos, STR(">"));
}

/* What a byte is inside a tag. */
enum { SPACE = 1, SLASH = 2, END = 4, EQUALS = 8 };

static const unsigned char kinds[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, ['\f'] = SPACE,
    ['/'] = SLASH, ['>'] = END,    ['='] = EQUALS,
};

static inline unsigned char lower(char c) /* ASCII, without a branch */
{
    return (unsigned char)(c + (((unsigned char)(c - 'A') < 26) << 5));
}

static inline bool is(char c, unsigned of)
{
    return (kinds[(unsigned char)c] & of) != 0;
}

static inline size_t skip(struct str s, size_t pos, unsigned of)
{
    while (pos < s.len && is(s.p[pos], of))
        pos++;
    return pos;
}

static inline size_t skip_until(struct str s, size_t pos, unsigned of)
{
    while (pos < s.len && !is(s.p[pos], of))
        pos++;
    return pos;
}

/* The value after "="; *pos is moved behind it. */
static struct str read_value(struct str s, size_t *pos)
{
    size_t start = skip(s, *pos, SPACE), end;
    char quote = start < s.len ? s.p[start] : 0;

    if (quote == '"' || quote == '\'') {
        end = scan_find(s, ++start, quote);
        *pos = end < s.len ? end + 1 : end;
        return str_sub(s, start, end);
    }
    *pos = end = skip_until(s, start, SPACE | END);
    return str_sub(s, start, end);
}

static void keep_attribute(struct tokenizer *tokenizer, struct str name, struct str value)
{
    if (tokenizer->count < TOKEN_ATTRIBUTES_MAX)
        tokenizer->attributes[tokenizer->count++] = (struct token_attribute){name, value};
}

/* From after the tag's name to after its ">"; false when the input ends before. */
static bool read_attributes(struct tokenizer *tokenizer, bool keep, bool *closes_itself)
{
    struct str s = tokenizer->s;
    size_t pos = tokenizer->pos;

    tokenizer->count = 0;
    for (;;) {
        struct str name, value = {"", 0};
        size_t before = pos, start;

        pos = skip(s, pos, SPACE | SLASH);
        if (pos >= s.len || s.p[pos] == '>') {
            *closes_itself = pos > before && s.p[pos - 1] == '/';
            break;
        }
        start = pos;
        pos = skip_until(s, pos + 1, SPACE | SLASH | END | EQUALS); /* the first may be "=" */
        name = str_sub(s, start, pos);
        pos = skip(s, pos, SPACE);
        if (pos < s.len && s.p[pos] == '=') {
            pos++;
            value = read_value(s, &pos);
        }
        if (keep)
            keep_attribute(tokenizer, name, value);
    }
    tokenizer->pos = pos < s.len ? pos + 1 : pos;
    return pos < s.len;
}

/* In XML a value has quotes: without them it is empty. */
static void drop_unquoted(struct tokenizer *tokenizer)
{
    for (unsigned i = 0; i < tokenizer->count; i++) {
        struct str *value = &tokenizer->attributes[i].value;

        if (value->len && value->p[-1] != '"' && value->p[-1] != '\'')
            *value = STR("");
    }
}

/* Decoding comes last, when it is known how much there is: the values must not move. */
static void decode_values(struct tokenizer *tokenizer)
{
    size_t need = 0;

    if (tokenizer->xml)
        drop_unquoted(tokenizer);
    for (unsigned i = 0; i < tokenizer->count; i++)
        need += 2 * tokenizer->attributes[i].value.len;
    buf_clear(&tokenizer->values);
    if (!buf_reserve(&tokenizer->values, need))
        return;
    for (unsigned i = 0; i < tokenizer->count; i++) {
        struct str *value = &tokenizer->attributes[i].value;
        char *to = tokenizer->values.p + tokenizer->values.len;

        if (find_byte(*value, 0, '&') == value->len)
            continue;
        value->len = charref_decode(*value, tokenizer->xml ? CHARREF_XML : CHARREF_ATTRIBUTE, to);
        value->p = to;
        tokenizer->values.len += value->len;
    }
}

/* A page has few different tags: those met lately are found at once. */
static enum page_tag find_tag(struct tokenizer *tokenizer, struct str name, uint64_t hash)
{
    size_t i = hash * 0x9E3779B97F4A7C15u >> (64 - TOKEN_RECENT_BITS);

    if (tokenizer->recent[i].name != hash || name.len > 8) {
        tokenizer->recent[i].tag = page_tag_find(name);
        tokenizer->recent[i].name = hash;
    }
    return tokenizer->recent[i].tag;
}

/* The name from `pos` on: its hash, and where it ends. */
static size_t read_name(struct str s, size_t pos, uint64_t *hash)
{
    size_t start = pos, packed = s.len - start < 8 ? s.len : start + 8;
    uint64_t h = 0;

    for (; pos < packed && !is(s.p[pos], SPACE | SLASH | END); pos++)
        h = h << 8 | lower(s.p[pos]);
    if (pos == start + 8)
        for (; pos < s.len && !is(s.p[pos], SPACE | SLASH | END); pos++)
            h = page_tag_hash_add(h, lower(s.p[pos]), pos - start);
    *hash = h;
    return pos;
}

/* The tag at tokenizer->pos; false when the input ends inside. */
static bool read_tag(struct tokenizer *tokenizer, enum token_kind kind, struct token *out)
{
    struct str s = tokenizer->s;
    size_t start = tokenizer->pos + (kind == TOKEN_START ? 1 : 2), end = read_name(s, start, &out->name);
    bool wants;

    out->kind = kind;
    out->written = str_sub(s, start, end);
    out->tag = find_tag(tokenizer, out->written, out->name);
    out->closes_itself = false;
    out->attributes = (struct token_attributes){tokenizer->attributes, 0};
    if (end < s.len && s.p[end] == '>') {
        tokenizer->pos = end + 1;
        return true;
    }
    tokenizer->pos = end;
    wants = kind == TOKEN_START && (tokenizer->all_attributes || wants_attributes(out->tag));
    if (!read_attributes(tokenizer, wants, &out->closes_itself))
        return false;
    if (wants)
        decode_values(tokenizer);
    out->attributes.count = tokenizer->count;
    return true;
}

/* Is the "<" at `pos` more than a character? */
static inline bool is_markup(struct str s, size_t pos)
{
    char next = pos + 1 < s.len ? s.p[pos + 1] : ' ';

    return ascii_is_alpha(next) || next == '!' || next == '?' || (next == '/' && pos + 2 < s.len);
}

static size_t find_markup(struct str s, size_t pos)
{
    while ((pos = find_byte(s, pos, '<')) < s.len && !is_markup(s, pos))
        pos++;
    return pos;
}

static void take_text(struct tokenizer *tokenizer, size_t start, size_t end, struct token *out)
{
    out->kind = TOKEN_TEXT;
    out->text = str_sub(tokenizer->s, start, end);
    out->is_cdata = false;
    tokenizer->pos = end;
}

static void take_cdata(struct tokenizer *tokenizer, struct token *out)
{
    size_t start = tokenizer->pos + sizeof CDATA - 1, after = find_after(tokenizer->s, start, STR("]]>"));
    bool ends = after - start >= 3 && memcmp(tokenizer->s.p + after - 3, "]]>", 3) == 0;

    take_text(tokenizer, start, ends ? after - 3 : after, out);
    out->is_cdata = true;
    tokenizer->pos = after;
}

bool token_next(struct tokenizer *tokenizer, struct token *out)
{
    struct str s = tokenizer->s;

    while (tokenizer->pos < s.len) {
        size_t pos = tokenizer->pos;

        if (s.p[pos] != '<' || !is_markup(s, pos)) {
            take_text(tokenizer, pos, find_markup(s, pos), out);
            return true;
        }
        if (ascii_is_alpha(s.p[pos + 1]))
            return read_tag(tokenizer, TOKEN_START, out);
        if (s.p[pos + 1] == '/' && ascii_is_alpha(s.p[pos + 2]))
            return read_tag(tokenizer, TOKEN_END, out);
        if (tokenizer->foreign && str_starts(str_sub(s, pos, s.len), STR(CDATA))) {
            take_cdata(tokenizer, out);
            return true;
        }
        tokenizer->pos = skip_declaration(s, pos);
    }
    return false;
}

/* Is there "<" or "</" (as `start` says) and this name at `pos`, and does the name end there? */
static bool is_tag_at(struct str s, size_t pos, struct str start, struct str name)
{
    size_t after = pos + start.len + name.len;

    return after < s.len && str_starts(str_sub(s, pos, s.len), start) && is(s.p[after], SPACE | SLASH | END) &&
           str_starts_nocase(str_sub(s, pos + start.len, s.len), name);
}

/* Where the script ends whose text begins at `pos`. Inside a comment, the end tag of a script that began inside it is
 * none of ours (13.2.5.15 to .31: "escaped" is in a comment, "double escaped" in a script in it). */
static size_t find_script_end(struct str s, size_t pos)
{
    const struct str name = STR("script");
    bool escaped = false, twice = false;

    for (; pos < s.len; pos++) {
        if (s.p[pos] == '<') {
            if (!twice && is_tag_at(s, pos, STR("</"), name))
                return pos;
            if (!escaped && str_starts(str_sub(s, pos, s.len), STR("<!--"))) {
                escaped = true;
                pos++; /* its dashes may be those of "-->" */
            } else if (escaped && is_tag_at(s, pos, twice ? STR("</") : STR("<"), name)) {
                twice = !twice;
            }
        } else if (escaped && s.p[pos] == '-' && str_starts(str_sub(s, pos, s.len), STR("-->"))) {
            escaped = twice = false;
        } else if (!escaped) {
            pos = find_byte(s, pos, '<') - 1;
        }
    }
    return s.len;
}

static size_t find_end_tag(struct str s, size_t pos, struct str name)
{
    while ((pos = find_byte(s, pos, '<')) < s.len && !is_tag_at(s, pos, STR("</"), name))
        pos++;
    return pos;
}

struct str token_raw_text(struct tokenizer *tokenizer, enum page_tag tag)
{
    struct str s = tokenizer->s;
    size_t start = tokenizer->pos;

    tokenizer->pos = tag == PAGE_TAG_SCRIPT ? find_script_end(s, start)
                                            : find_end_tag(s, start, str_of(page_tag_name(tag)));
    return str_sub(s, start, tokenizer->pos);
}

struct str token_rest(struct tokenizer *tokenizer)
{
    struct str rest = str_sub(tokenizer->s, tokenizer->pos, tokenizer->s.len);

    tokenizer->pos = tokenizer->s.len;
    return rest;
}

/* ---- XML ---- */

void tokenizer_start_xml(struct tokenizer *tokenizer)
{
    tokenizer_start(tokenizer, STR(""));
    tokenizer->all_attributes = tokenizer->xml = true;
    tokenizer->inside = TOKENIZER_OUTSIDE;
    tokenizer->is_last = tokenizer->too_long = false;
}

/* Keeps the token that the piece leaves unfinished: the piece itself may be gone when the next one comes. */
static void hold_rest(struct tokenizer *tokenizer)
{
    struct str rest = str_sub(tokenizer->s, tokenizer->pos, tokenizer->s.len);
    struct buf *held = &tokenizer->held;

    if (rest.len && held->p && rest.p >= held->p && rest.p < held->p + held->room) {
        memmove(held->p, rest.p, rest.len);
        held->len = rest.len;
    } else {
        buf_clear(held);
        buf_add(held, rest);
    }
    tokenizer->s = buf_str(held);
    tokenizer->pos = 0;
}

scent_status tokenizer_feed(struct tokenizer *tokenizer, struct str piece, bool is_last)
{
    struct buf *held = &tokenizer->held;

    tokenizer->is_last = is_last;
    if (tokenizer->s.len - tokenizer->pos > TOKEN_HELD_MAX)
        tokenizer->too_long = true;
    if (tokenizer->pos == tokenizer->s.len || tokenizer->too_long) {
        tokenizer->pos = 0;
        tokenizer->s = piece;
        return SCENT_OK;
    }
    hold_rest(tokenizer);
    buf_add(held, piece);
    tokenizer->s = buf_str(held);
    return held->failed ? SCENT_E_NOMEM : SCENT_OK;
}

struct str token_local_name(struct str written, struct str *prefix)
{
    size_t colon = str_find(written, ':');
    bool has_prefix = colon < written.len;

    if (prefix)
        *prefix = str_sub(written, 0, has_prefix ? colon : 0);
    return has_prefix ? str_sub(written, colon + 1, written.len) : written;
}

static bool starts_name(char c)
{
    return ascii_is_alpha(c) || c == '_' || c == ':' || (unsigned char)c >= 0x80;
}

static bool is_xml_markup(char after_less_than)
{
    return starts_name(after_less_than) || after_less_than == '/' || after_less_than == '!' || after_less_than == '?';
}

/* After the document type whose "<!" is at `pos`, with all that it declares; 0 where it does not end. */
static size_t find_doctype_end(struct str s, size_t pos)
{
    bool in_subset = false;

    for (pos += 2; pos < s.len; pos++) {
        struct str rest = str_sub(s, pos, s.len);
        char c = s.p[pos];

        if (c == '"' || c == '\'')
            pos = find_byte(s, pos + 1, c);
        else if (str_starts(rest, STR("<!--")))
            pos = find_after(s, pos + 4, STR("-->")) - 1;
        else if (str_starts(rest, STR("<?")))
            pos = find_after(s, pos + 2, STR("?>")) - 1;
        else if (c == '[')
            in_subset = true;
        else if (c == ']')
            in_subset = false;
        else if (c == '>' && !in_subset)
            return pos + 1;
    }
    return 0;
}

static void give_text(struct tokenizer *tokenizer, struct str text, bool is_cdata, struct token *out)
{
    struct buf *values = &tokenizer->values;

    out->kind = TOKEN_TEXT;
    out->text = text;
    out->is_cdata = is_cdata;
    buf_clear(values);
    if (is_cdata || find_byte(text, 0, '&') == text.len || !buf_reserve(values, text.len))
        return;
    out->text = (struct str){values->p, charref_decode(text, CHARREF_XML, values->p)};
}

/* Up to the next tag; a reference that the end of the piece may cut waits for the next one. */
static bool take_xml_text(struct tokenizer *tokenizer, struct token *out)
{
    struct str s = tokenizer->s;
    size_t start = tokenizer->pos, end = start;

    do
        end = find_byte(s, end + (end == start), '<');
    while (end + 1 < s.len && !is_xml_markup(s.p[end + 1]) && ++end);
    if (end >= s.len && !tokenizer->is_last) {
        size_t from = end - start > CHARREF_XML_MAX ? end - CHARREF_XML_MAX : start;
        const char *at = memrchr(s.p + from, '&', end - from);

        if (at && !memchr(at, ';', (size_t)(s.p + end - at)))
            end = (size_t)(at - s.p);
    }
    if (end == start)
        return false;
    tokenizer->pos = end;
    give_text(tokenizer, str_sub(s, start, end), false, out);
    return true;
}

/* CDATA or a comment, which come as far as they are there; true: `out` is a token. */
static bool go_on_inside(struct tokenizer *tokenizer, struct token *out)
{
    bool is_cdata = tokenizer->inside == TOKENIZER_IN_CDATA;
    struct str rest = str_sub(tokenizer->s, tokenizer->pos, tokenizer->s.len), text = rest;
    const char *at = memmem(rest.p, rest.len, is_cdata ? "]]>" : "-->", 3);

    if (at) {
        text.len = (size_t)(at - rest.p);
        tokenizer->pos += text.len + 3;
        tokenizer->inside = TOKENIZER_OUTSIDE;
    } else {
        if (!tokenizer->is_last)
            text.len = rest.len > 2 ? rest.len - 2 : 0;
        tokenizer->pos += text.len;
    }
    if (is_cdata && text.len)
        give_text(tokenizer, text, true, out);
    return is_cdata && text.len;
}

/* "<!" or "<?": false when its end has not come yet. *given: it is a token. */
static bool read_xml_declaration(struct tokenizer *tokenizer, struct token *out, bool *given)
{
    struct str s = tokenizer->s, rest = str_sub(s, tokenizer->pos, s.len);
    size_t end;

    *given = false;
    if (rest.len < sizeof CDATA - 1 && !tokenizer->is_last)
        return false;
    if (str_starts(rest, STR("<!--"))) {
        tokenizer->inside = TOKENIZER_IN_COMMENT;
        tokenizer->pos += 4;
        return true;
    }
    if (str_starts(rest, STR(CDATA))) {
        tokenizer->inside = TOKENIZER_IN_CDATA;
        tokenizer->pos += sizeof CDATA - 1;
        return true;
    }
    if (rest.p[1] == '!') {
        end = find_doctype_end(s, tokenizer->pos);
        tokenizer->pos = end ? end : tokenizer->is_last ? s.len : tokenizer->pos;
        return end || tokenizer->is_last;
    }
    const char *at = memmem(rest.p + 2, rest.len - 2, "?>", 2);

    if (!at) {
        tokenizer->pos = tokenizer->is_last ? s.len : tokenizer->pos;
        return tokenizer->is_last;
    }
    rest = str_sub(rest, 2, (size_t)(at - rest.p));
    end = skip_until(rest, 0, SPACE);
    *out = (struct token){.kind = TOKEN_INSTRUCTION, .written = str_sub(rest, 0, end),
                          .text = str_trim(str_sub(rest, end, rest.len))};
    tokenizer->pos += rest.len + 4;
    return *given = true;
}

/* In XML a tag has no "<": one ends it, so that a quote that was forgotten does not swallow the tags behind it. */
static bool read_xml_tag(struct tokenizer *tokenizer, enum token_kind kind, struct token *out)
{
    struct str s = tokenizer->s;
    size_t next = find_byte(s, tokenizer->pos + 1, '<');
    bool ends;

    tokenizer->s.len = next;
    ends = read_tag(tokenizer, kind, out);
    tokenizer->s = s;
    if (ends || next == s.len)
        return ends;
    if (kind == TOKEN_START)
        decode_values(tokenizer);
    out->attributes.count = tokenizer->count;
    return true;
}

static bool next_xml(struct tokenizer *tokenizer, struct token *out)
{
    struct str s = tokenizer->s;
    bool given;

    while (tokenizer->pos < s.len && !tokenizer->too_long) {
        size_t pos = tokenizer->pos;
        char next = pos + 1 < s.len ? s.p[pos + 1] : ' ';

        if (tokenizer->inside != TOKENIZER_OUTSIDE) {
            if (go_on_inside(tokenizer, out))
                return true;
            if (tokenizer->inside != TOKENIZER_OUTSIDE)
                return false;
        } else if (s.p[pos] == '<' && pos + 1 == s.len && !tokenizer->is_last) {
            return false;
        } else if (s.p[pos] != '<' || !is_xml_markup(next)) {
            return take_xml_text(tokenizer, out);
        } else if (next == '!' || next == '?') {
            if (!read_xml_declaration(tokenizer, out, &given))
                return false;
            if (given)
                return true;
        } else {
            if (read_xml_tag(tokenizer, next == '/' ? TOKEN_END : TOKEN_START, out))
                return true;
            tokenizer->pos = tokenizer->is_last ? s.len : pos;
            return false;
        }
    }
    return false;
}

bool token_next_xml(struct tokenizer *tokenizer, struct token *out)
{
    if (next_xml(tokenizer, out))
        return true;
    hold_rest(tokenizer);
    return false;
}
