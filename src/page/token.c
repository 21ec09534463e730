#include "page/token.h"
#include "page/charref.h"

#define CDATA "<![CDATA["
enum { NAME_MAX_LEN = 64 }; /* of a tag's name, as far as it tells tags apart */

void tokenizer_init(struct tokenizer *tokenizer)
{
    *tokenizer = (struct tokenizer){0};
    buf_init(&tokenizer->values, 0);
}

void tokenizer_release(struct tokenizer *tokenizer)
{
    buf_release(&tokenizer->values);
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
    case PAGE_TAG_FRAME:
    case PAGE_TAG_HTML:
    case PAGE_TAG_IFRAME:
    case PAGE_TAG_IMG:
    case PAGE_TAG_LINK:
    case PAGE_TAG_META:
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

static size_t find_byte(struct str s, size_t pos, char c)
{
    return pos + str_find(str_sub(s, pos, s.len), c);
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

static size_t skip_spaces(struct str s, size_t pos)
{
    while (pos < s.len && ascii_is_space(s.p[pos]))
        pos++;
    return pos;
}

static bool ends_name(char c)
{
    return ascii_is_space(c) || c == '/' || c == '>';
}

/* The value after "="; *pos is moved behind it. */
static struct str read_value(struct str s, size_t *pos)
{
    size_t start = skip_spaces(s, *pos), end;
    char quote = start < s.len ? s.p[start] : 0;

    if (quote == '"' || quote == '\'') {
        end = find_byte(s, ++start, quote);
        *pos = end < s.len ? end + 1 : end;
        return str_sub(s, start, end);
    }
    for (end = start; end < s.len && !ascii_is_space(s.p[end]) && s.p[end] != '>';)
        end++;
    *pos = end;
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

        while (pos < s.len && (ascii_is_space(s.p[pos]) || s.p[pos] == '/'))
            pos++;
        if (pos >= s.len || s.p[pos] == '>') {
            *closes_itself = pos > before && s.p[pos - 1] == '/';
            break;
        }
        start = pos++; /* the first may be "=" */
        while (pos < s.len && !ends_name(s.p[pos]) && s.p[pos] != '=')
            pos++;
        name = str_sub(s, start, pos);
        pos = skip_spaces(s, pos);
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

/* Decoding comes last, when it is known how much there is: the values must not move. */
static void decode_values(struct tokenizer *tokenizer)
{
    size_t need = 0;

    for (unsigned i = 0; i < tokenizer->count; i++)
        need += 2 * tokenizer->attributes[i].value.len;
    buf_clear(&tokenizer->values);
    if (!buf_reserve(&tokenizer->values, need))
        return;
    for (unsigned i = 0; i < tokenizer->count; i++) {
        struct str *value = &tokenizer->attributes[i].value;
        char *to = tokenizer->values.p + tokenizer->values.len;

        if (str_find(*value, '&') == value->len)
            continue;
        value->len = charref_decode(*value, true, to);
        value->p = to;
        tokenizer->values.len += value->len;
    }
}

/* The tag at tokenizer->pos, its name `skip` bytes further on; false when the input ends inside. */
static bool read_tag(struct tokenizer *tokenizer, size_t skip, struct token *out)
{
    struct str s = tokenizer->s;
    size_t pos = tokenizer->pos + skip;
    char name[NAME_MAX_LEN];
    size_t len = 0;
    bool wants;

    for (; pos < s.len && !ends_name(s.p[pos]); pos++)
        if (len < NAME_MAX_LEN)
            name[len++] = ascii_lower(s.p[pos]);
    tokenizer->pos = pos;
    out->kind = skip == 1 ? TOKEN_START : TOKEN_END;
    out->name = page_tag_hash((struct str){name, len});
    out->tag = page_tag_of_hash((struct str){name, len}, out->name);
    wants = out->kind == TOKEN_START && (tokenizer->all_attributes || wants_attributes(out->tag));
    if (!read_attributes(tokenizer, wants, &out->closes_itself))
        return false;
    if (wants)
        decode_values(tokenizer);
    out->attributes = (struct token_attributes){tokenizer->attributes, tokenizer->count};
    return true;
}

static bool begins_name(struct str s, size_t pos)
{
    return pos < s.len && ascii_is_alpha(s.p[pos]);
}

/* Where the next "<" stands that is more than a character. */
static size_t find_markup(struct str s, size_t pos)
{
    while ((pos = find_byte(s, pos, '<')) + 1 < s.len) {
        char next = s.p[pos + 1];

        if (ascii_is_alpha(next) || next == '!' || next == '?' || (next == '/' && pos + 2 < s.len))
            return pos;
        pos++;
    }
    return s.len;
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
        size_t pos = tokenizer->pos, end = find_markup(s, pos);

        if (end > pos) {
            take_text(tokenizer, pos, end, out);
            return true;
        }
        if (begins_name(s, pos + 1))
            return read_tag(tokenizer, 1, out);
        if (s.p[pos + 1] == '/' && begins_name(s, pos + 2))
            return read_tag(tokenizer, 2, out);
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

    return after < s.len && str_starts(str_sub(s, pos, s.len), start) && ends_name(s.p[after]) &&
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
