#include "page/rewrite.h"

#include "page/css.h"
#include "page/markup.h"
#include "page/outline.h"
#include "page/token.h"

enum { TAG_MAX = 16 << 20, URL_ARENA = 256 * 1024 };

struct rewriter {
    const struct rewrite_options *options;
    struct tokenizer tokenizer;
    struct arena arena, base_arena;
    struct url base;
    bool has_base;       /* the document named one */
    unsigned foreign;    /* open svg and math elements */
    bool is_srcdoc;
    struct buf tag, value;
    struct buf *out;
};

static scent_status read_html(const struct rewrite_options *options, struct str utf8, bool is_srcdoc, struct buf *out);

/* ---- URLs ---- */

/* False: the reference is left out. */
static bool add_url(struct rewriter *rewriter, struct str value, enum rewrite_use use, struct buf *out)
{
    struct str text = str_trim(value), prefix;
    struct url url;

    if (str_starts(text, STR("#")) && !rewriter->has_base)
        return buf_add(out, text);
    if ((use == REWRITE_FILE || use == REWRITE_STYLE) && str_starts_nocase(text, STR("data:")))
        return buf_add(out, text);
    arena_reset(&rewriter->arena);
    if (url_parse(&rewriter->arena, text, &rewriter->base, &url) != SCENT_OK || (!text.len && use != REWRITE_LINK))
        return false;
    if (rewriter->options->found) {
        if (use != REWRITE_LINK)
            rewriter->options->found(rewriter->options->ctx, url.href, use);
        return true;
    }
    prefix = use == REWRITE_LINK ? rewriter->options->links : rewriter->options->resources;
    return buf_add(out, prefix) && buf_add(out, url.href);
}

/* " 2x", " 640w": others mean nothing, and could be read as another URL. */
static bool is_descriptor(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_alpha(s.p[i]) && !ascii_is_digit(s.p[i]) && !ascii_is_space(s.p[i]) && s.p[i] != '.')
            return false;
    return true;
}

/* The candidates of a srcset (HTML, "parse a srcset attribute"). */
static void add_srcset(struct rewriter *rewriter, struct str s, struct buf *out)
{
    size_t pos = 0;

    while (!out->failed) {
        size_t start, end, depth = 0, before = out->len;

        while (pos < s.len && (ascii_is_space(s.p[pos]) || s.p[pos] == ','))
            pos++;
        if (pos >= s.len)
            return;
        for (start = pos; pos < s.len && !ascii_is_space(s.p[pos]); pos++)
            ;
        for (end = pos; end > start && s.p[end - 1] == ','; end--)
            ;
        if (before)
            buf_addz(out, ", ");
        /* A comma that control characters hid at the end of the URL would end the candidate before its descriptor. */
        bool kept = add_url(rewriter, str_sub(s, start, end), REWRITE_FILE, out) && !str_ends(buf_str(out), STR(","));
        if (end == pos) {
            for (start = pos; pos < s.len && (depth || s.p[pos] != ','); pos++)
                depth += s.p[pos] == '(' ? 1 : s.p[pos] == ')' && depth ? (size_t)-1 : 0;
            kept = kept && is_descriptor(str_sub(s, start, pos)) && buf_add(out, str_sub(s, start, pos));
        }
        if (!kept)
            out->len = before;
    }
}

/* "5; url='next.html'" (HTML, "shared declarative refresh steps"). */
static bool add_refresh(struct rewriter *rewriter, struct str content, struct buf *out)
{
    size_t pos = 0, digits;

    while (pos < content.len && ascii_is_space(content.p[pos]))
        pos++;
    for (digits = pos; pos < content.len && (ascii_is_digit(content.p[pos]) || content.p[pos] == '.'); pos++)
        ;
    if (pos == digits)
        return false;
    buf_add(out, str_sub(content, digits, pos));
    while (pos < content.len && (ascii_is_space(content.p[pos]) || content.p[pos] == ';' || content.p[pos] == ','))
        pos++;
    if (pos == content.len)
        return true;
    content = str_sub(content, pos, content.len);
    if (str_starts_nocase(content, STR("url"))) {
        struct str rest = str_trim(str_sub(content, 3, content.len));

        if (str_starts(rest, STR("=")))
            content = str_trim(str_sub(rest, 1, rest.len));
    }
    if (content.len && (content.p[0] == '"' || content.p[0] == '\'')) {
        char quote = content.p[0];

        content = str_sub(content, 1, content.len);
        content = str_sub(content, 0, str_find(content, quote));
    }
    return buf_addz(out, "; url=") && add_url(rewriter, content, REWRITE_LINK, out);
}

/* ---- stylesheets ---- */

/* Inside of a style element, "<" and "&" of strings and comments are escaped, so that the sheet is the same whether a
 * parser takes it for text (as in HTML) or for markup (as in SVG). */
static void add_escaped(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        bool has_backslash = s.p[i] == '\\' && i + 1 < s.len;
        char c = has_backslash ? s.p[i + 1] : s.p[i];

        if (c == '<' || c == '&')
            buf_addz(out, c == '<' ? "\\3c " : "\\26 ");
        else
            buf_add(out, str_sub(s, i, i + 1 + has_backslash));
        i += has_backslash;
    }
}

/* The same outside of them, where an escape would begin a name: a blank keeps "<" from beginning a tag, but not that of
 * "<=" in a media query, and "&" from beginning a character reference; "<!--" means nothing to a stylesheet. Two
 * blanks, because an escape before it takes one: "u\72<!--l(z)" must not become "url(z)". */
static void add_token(struct buf *out, struct str token, char next, bool is_markup)
{
    bool begins_name = ascii_is_alpha(next);

    if (token.len > 1)
        buf_addz(out, "  ");
    else if (token.p[0] == '&')
        buf_addz(out, is_markup && (begins_name || ascii_is_digit(next) || next == '#') ? "& " : "&");
    else
        buf_addz(out, begins_name || next == '/' || next == '!' || next == '?' ? "< " : "<");
}

static void add_reference(struct rewriter *rewriter, const struct css_reference *reference, bool in_brackets,
                          struct buf *url, struct buf *out)
{
    struct str value = reference->value;

    buf_clear(url);
    if (str_starts(value, STR("#")))
        buf_add(url, value); /* of the page that uses the stylesheet */
    else if (!add_url(rewriter, value, reference->kind == CSS_IMPORT ? REWRITE_STYLE : REWRITE_FILE, url))
        buf_clear(url);
    if (in_brackets)
        buf_addz(out, "url(");
    css_add_string(out, buf_str(url));
    if (in_brackets)
        buf_addc(out, ')');
}

enum sheet { SHEET_ALONE, SHEET_IN_HTML, SHEET_IN_SVG };

static void add_css(struct rewriter *rewriter, struct str css, enum sheet sheet, struct buf *out)
{
    struct css_reference reference = {0};
    struct css_reader reader;
    size_t done = 0;
    struct buf url;

    buf_init(&url, CSS_VALUE_MAX);
    css_reader_init(&reader, css);
    reader.markup = sheet != SHEET_ALONE;
    for (;;) {
        bool found = css_next(&reader, &reference);
        struct str before = str_sub(css, done, found ? reference.start : css.len);

        if (sheet == SHEET_ALONE)
            buf_add(out, before);
        else
            add_escaped(out, before);
        if (!found || out->failed)
            break;
        if (reference.kind == CSS_MARKUP)
            add_token(out, str_sub(css, reference.start, reference.end),
                      reference.end < css.len ? css.p[reference.end] : ' ', sheet == SHEET_IN_SVG);
        else
            add_reference(rewriter, &reference, !memchr("\"'", css.p[reference.start], 2), &url, out);
        done = reference.end;
    }
    css_reader_release(&reader);
    buf_release(&url);
}

/* ---- attributes ---- */

enum attribute { ATTR_KEEP, ATTR_DROP, ATTR_LINK, ATTR_RESOURCE, ATTR_SRCSET, ATTR_STYLE, ATTR_VALUE, ATTR_TARGET };

static const struct {
    const char *name;
    enum attribute kind;
} attributes[] = {
    {"href", ATTR_RESOURCE}, {"src", ATTR_RESOURCE}, {"xlink:href", ATTR_RESOURCE}, {"poster", ATTR_RESOURCE},
    {"background", ATTR_RESOURCE}, {"lowsrc", ATTR_RESOURCE}, {"dynsrc", ATTR_RESOURCE}, {"icon", ATTR_RESOURCE},
    {"data", ATTR_RESOURCE}, {"action", ATTR_LINK}, {"formaction", ATTR_LINK}, {"cite", ATTR_LINK},
    {"longdesc", ATTR_LINK}, {"srcset", ATTR_SRCSET}, {"imagesrcset", ATTR_SRCSET}, {"style", ATTR_STYLE},
    {"target", ATTR_TARGET}, {"formtarget", ATTR_TARGET},
    /* of SVG, with url(#…) or url(file.svg#…) */
    {"fill", ATTR_VALUE}, {"stroke", ATTR_VALUE}, {"filter", ATTR_VALUE}, {"clip-path", ATTR_VALUE},
    {"mask", ATTR_VALUE}, {"cursor", ATTR_VALUE}, {"marker", ATTR_VALUE}, {"marker-start", ATTR_VALUE},
    {"marker-mid", ATTR_VALUE}, {"marker-end", ATTR_VALUE},
    /* documents inside of attributes; hashes and modes of requests that are not what they were; other requests */
    {"srcdoc", ATTR_DROP}, {"integrity", ATTR_DROP}, {"crossorigin", ATTR_DROP}, {"nonce", ATTR_DROP},
    {"ping", ATTR_DROP}, {"attributionsrc", ATTR_DROP}, {"manifest", ATTR_DROP}, {"codebase", ATTR_DROP},
    {"archive", ATTR_DROP}, {"classid", ATTR_DROP}, {"profile", ATTR_DROP}, {"csp", ATTR_DROP}, {"allow", ATTR_DROP},
    {"download", ATTR_DROP}, {"referrerpolicy", ATTR_DROP}, {"xml:base", ATTR_DROP}, {"http-equiv", ATTR_DROP},
    {"charset", ATTR_DROP},
};

static enum attribute find_attribute(struct str name)
{
    if (str_starts_nocase(name, STR("on")))
        return ATTR_DROP;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (str_eq_nocase(name, str_of(attributes[i].name)))
            return attributes[i].kind;
    return ATTR_KEEP;
}

/* A name that every parser ends at the same place. */
static bool is_plain_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.p[i] <= ' ' || name.p[i] == 0x7F || strchr("\"'<>=/`&", name.p[i]))
            return false;
    return name.len > 0;
}

static enum rewrite_use use_of(enum page_tag tag, enum attribute kind)
{
    if (kind == ATTR_LINK || tag == PAGE_TAG_A || tag == PAGE_TAG_AREA)
        return REWRITE_LINK;
    return tag == PAGE_TAG_IFRAME || tag == PAGE_TAG_FRAME || tag == PAGE_TAG_OBJECT || tag == PAGE_TAG_EMBED
               ? REWRITE_FRAME
               : REWRITE_FILE;
}

/* "href" or "xlink:href": the animation would give a link another target. */
static bool animates_link(struct str name)
{
    name = str_trim(name);
    return name.len >= 4 && str_eq_nocase(str_sub(name, name.len - 4, name.len), STR("href"));
}

/* The new value of an attribute, which is appended to `out`; false: it is left out. */
static bool add_value(struct rewriter *rewriter, enum page_tag tag, const struct token_attribute *attribute,
                      struct buf *out)
{
    enum attribute kind = find_attribute(attribute->name);
    struct str value = attribute->value;

    switch (kind) {
    case ATTR_KEEP:
        if (str_eq_nocase(attribute->name, STR("attributename")) && animates_link(value))
            return false;
        return buf_add(out, value);
    case ATTR_LINK:
    case ATTR_RESOURCE:
        return add_url(rewriter, value, use_of(tag, kind), out);
    case ATTR_SRCSET:
        add_srcset(rewriter, value, out);
        return out->len > 0;
    case ATTR_STYLE:
    case ATTR_VALUE:
        add_css(rewriter, value, SHEET_ALONE, out);
        return true;
    case ATTR_TARGET: /* there are no other windows here */
        return rewriter->options->keep_targets && !str_starts(value, STR("_")) && buf_add(out, value);
    default:
        return false;
    }
}

static void add_attribute(struct rewriter *rewriter, struct str name, struct str value)
{
    buf_addc(&rewriter->tag, ' ');
    buf_add(&rewriter->tag, name);
    buf_addz(&rewriter->tag, "=\"");
    escape_markup(&rewriter->tag, value);
    buf_addc(&rewriter->tag, '"');
}

/* ---- tags ---- */

static struct str written_name(const struct token *token)
{
    return token->tag == PAGE_TAG_XMP || token->tag == PAGE_TAG_PLAINTEXT ? STR("pre") : token->written;
}

/* What begins in `tag` is appended as a whole, or not at all. */
static void flush_tag(struct rewriter *rewriter)
{
    if (!rewriter->tag.failed)
        buf_add(rewriter->out, buf_str(&rewriter->tag));
}

static void add_start(struct rewriter *rewriter, const struct token *token, bool is_empty)
{
    struct str name = written_name(token);
    /* An empty sheet is written so that no parser takes what follows for its text. */
    bool has_slash = token->closes_itself && rewriter->foreign && token->tag != PAGE_TAG_STYLE;

    if (!is_plain_name(name))
        return;
    buf_clear(&rewriter->tag);
    buf_addc(&rewriter->tag, '<');
    buf_add(&rewriter->tag, name);
    for (unsigned i = 0; i < token->attributes.count; i++) {
        const struct token_attribute *attribute = &token->attributes.items[i];

        buf_clear(&rewriter->value);
        if (is_plain_name(attribute->name) && add_value(rewriter, token->tag, attribute, &rewriter->value) &&
            !rewriter->value.failed)
            add_attribute(rewriter, attribute->name, buf_str(&rewriter->value));
    }
    if (has_slash)
        buf_addz(&rewriter->tag, " /");
    buf_addc(&rewriter->tag, '>');
    if (is_empty && !has_slash)
        buf_printf(&rewriter->tag, "</%.*s>", STR_ARG(name));
    flush_tag(rewriter);
}

static void add_end(struct rewriter *rewriter, const struct token *token)
{
    struct str name = written_name(token);

    if (!is_plain_name(name))
        return;
    buf_clear(&rewriter->tag);
    buf_addz(&rewriter->tag, "</");
    buf_add(&rewriter->tag, name);
    buf_addc(&rewriter->tag, '>');
    flush_tag(rewriter);
}

/* References stay as they are. */
static void add_text(struct rewriter *rewriter, struct str text)
{
    while (text.len && !rewriter->out->failed) {
        size_t plain = str_find(text, '<');

        buf_add(rewriter->out, str_sub(text, 0, plain));
        if (plain < text.len)
            buf_addz(rewriter->out, "&lt;");
        text = str_sub(text, plain < text.len ? plain + 1 : plain, text.len);
    }
}

static void add_style(struct rewriter *rewriter, struct str text)
{
    bool is_markup = rewriter->foreign || rewriter->options->xml;
    struct buf decoded;

    buf_init(&decoded, 0);
    buf_clear(&rewriter->value);
    if (is_markup) {
        struct str trimmed = str_trim(text);

        if (str_starts(trimmed, STR("<![CDATA["))) {
            size_t end = str_ends(trimmed, STR("]]>")) ? trimmed.len - 3 : trimmed.len;

            text = str_sub(trimmed, 9, end < 9 ? 9 : end);
        } else if (buf_reserve(&decoded, 2 * text.len)) {
            decoded.len = charref_decode(text, CHARREF_TEXT, decoded.p);
            text = buf_str(&decoded);
        }
    }
    add_css(rewriter, text, rewriter->foreign ? SHEET_IN_SVG : SHEET_IN_HTML, &rewriter->value);
    if (!rewriter->value.failed)
        buf_add(rewriter->out, buf_str(&rewriter->value));
    buf_release(&decoded);
}

/* The first one counts. */
static void take_base(struct rewriter *rewriter, const struct token *token)
{
    struct str href = token_attribute(&token->attributes, STR("href"));
    struct url base;

    if (rewriter->has_base || !href.len)
        return;
    if (url_parse(&rewriter->base_arena, href, rewriter->options->url, &base) != SCENT_OK)
        return;
    rewriter->base = base;
    rewriter->has_base = true;
}

/* Of http-equiv only a refresh is kept; the policies and the encoding of the document are the server's to say. */
static void add_meta(struct rewriter *rewriter, const struct token *token)
{
    struct str equiv = token_attribute(&token->attributes, STR("http-equiv"));

    if (!equiv.len) {
        if (!token_attribute(&token->attributes, STR("charset")).len &&
            !str_eq_nocase(token_attribute(&token->attributes, STR("name")), STR("referrer")))
            add_start(rewriter, token, false);
        return;
    }
    buf_clear(&rewriter->value);
    if (str_eq_nocase(equiv, STR("refresh")) &&
        add_refresh(rewriter, token_attribute(&token->attributes, STR("content")), &rewriter->value)) {
        buf_clear(&rewriter->tag);
        buf_addz(&rewriter->tag, "<meta http-equiv=\"refresh\"");
        add_attribute(rewriter, STR("content"), buf_str(&rewriter->value));
        buf_addc(&rewriter->tag, '>');
        flush_tag(rewriter);
    }
}

/* Links that a browser follows without being asked, for speed. */
static bool reaches_out(const struct token *token)
{
    static const char *const rels[] = {"preconnect", "dns-prefetch", "preload", "modulepreload", "prefetch",
                                       "prerender", "manifest", "import"};
    struct str rel = token_attribute(&token->attributes, STR("rel"));

    for (size_t i = 0; i < sizeof rels / sizeof *rels; i++)
        if (head_has_token(rel, str_of(rels[i])))
            return true;
    return false;
}

/* ---- what a rewritten document lacks, but the document loads ---- */

static bool has_rel(struct str rel, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (head_has_token(rel, str_of(words[i])))
            return true;
    return false;
}

static void find_link(struct rewriter *rewriter, const struct token *token)
{
    static const char *const icons[] = {"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon",
                                        "apple-touch-startup-image", "fluid-icon"};
    static const char *const preloads[] = {"preload", "modulepreload"};
    struct str rel = token_attribute(&token->attributes, STR("rel")), as;
    bool is_style = head_has_token(rel, STR("stylesheet"));

    if (has_rel(rel, preloads, sizeof preloads / sizeof *preloads)) {
        as = token_attribute(&token->attributes, STR("as"));
        is_style = is_style || str_eq_nocase(as, STR("style"));
        add_srcset(rewriter, token_attribute(&token->attributes, STR("imagesrcset")), &rewriter->value);
    } else if (!is_style && !has_rel(rel, icons, sizeof icons / sizeof *icons)) {
        return;
    }
    add_url(rewriter, token_attribute(&token->attributes, STR("href")), is_style ? REWRITE_STYLE : REWRITE_FILE,
            &rewriter->value);
}

static void find_script(struct rewriter *rewriter, const struct token *token)
{
    static const char *const names[] = {"src", "href", "xlink:href"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_url(rewriter, token_attribute(&token->attributes, str_of(names[i])), REWRITE_FILE, &rewriter->value);
}

/* A document inside of an attribute. One inside of that has no such documents any more. */
static void find_srcdoc(struct rewriter *rewriter, const struct token *token)
{
    struct str text = token_attribute(&token->attributes, STR("srcdoc"));
    struct rewrite_options options = *rewriter->options;
    struct buf copy, out;

    if (!text.len || rewriter->is_srcdoc)
        return;
    buf_init(&copy, TAG_MAX);
    buf_init(&out, TAG_MAX);
    options.url = &rewriter->base;
    options.xml = false;
    if (buf_add(&copy, text))
        (void)!read_html(&options, buf_str(&copy), true, &out);
    buf_release(&copy);
    buf_release(&out);
}

/* True: there is nothing more to find in the tag. */
static bool find_start(struct rewriter *rewriter, const struct token *token)
{
    buf_clear(&rewriter->value);
    buf_clear(rewriter->out);
    if (token->tag == PAGE_TAG_SCRIPT)
        find_script(rewriter, token);
    if (token->tag == PAGE_TAG_LINK)
        find_link(rewriter, token);
    if (token->tag == PAGE_TAG_IFRAME)
        find_srcdoc(rewriter, token);
    return token->tag == PAGE_TAG_LINK || token->tag == PAGE_TAG_META;
}

static void on_start(struct rewriter *rewriter, const struct token *token)
{
    struct tokenizer *tokenizer = &rewriter->tokenizer;
    bool is_empty = token->closes_itself && (rewriter->foreign || rewriter->options->xml);

    if (rewriter->options->found && find_start(rewriter, token))
        return;
    switch (token->tag) {
    case PAGE_TAG_SCRIPT:
        if (!is_empty)
            token_raw_text(tokenizer, PAGE_TAG_SCRIPT);
        return;
    case PAGE_TAG_NOFRAMES:
    case PAGE_TAG_NOEMBED:
        if (!is_empty)
            token_raw_text(tokenizer, token->tag);
        return;
    case PAGE_TAG_NOSCRIPT: /* its content is: whether scripts run decides how a parser reads it */
        return;
    case PAGE_TAG_BASE:
        take_base(rewriter, token);
        return;
    case PAGE_TAG_META:
        add_meta(rewriter, token);
        return;
    case PAGE_TAG_LINK:
        if (!reaches_out(token))
            add_start(rewriter, token, false);
        return;
    default:
        break;
    }
    add_start(rewriter, token, is_empty && !markup_is_void(token->tag));
    if (is_empty)
        return;
    switch (token->tag) {
    case PAGE_TAG_SVG:
    case PAGE_TAG_MATH:
        rewriter->foreign++;
        break;
    case PAGE_TAG_STYLE:
        add_style(rewriter, token_raw_text(tokenizer, PAGE_TAG_STYLE));
        break;
    case PAGE_TAG_IFRAME:
        token_raw_text(tokenizer, PAGE_TAG_IFRAME);
        break;
    case PAGE_TAG_TITLE:
    case PAGE_TAG_TEXTAREA:
        add_text(rewriter, token_raw_text(tokenizer, token->tag));
        break;
    case PAGE_TAG_XMP:
        escape_markup(rewriter->out, token_raw_text(tokenizer, PAGE_TAG_XMP));
        break;
    case PAGE_TAG_PLAINTEXT:
        escape_markup(rewriter->out, token_rest(tokenizer));
        break;
    default:
        break;
    }
}

static void on_end(struct rewriter *rewriter, const struct token *token)
{
    switch (token->tag) {
    case PAGE_TAG_SCRIPT:
    case PAGE_TAG_NOSCRIPT:
    case PAGE_TAG_NOFRAMES:
    case PAGE_TAG_NOEMBED:
    case PAGE_TAG_BASE:
        return;
    case PAGE_TAG_SVG:
    case PAGE_TAG_MATH:
        rewriter->foreign -= rewriter->foreign > 0;
        break;
    default:
        break;
    }
    add_end(rewriter, token);
}

/* It decides about the layout ("quirks"), and a tokenizer skips it. */
static void add_doctype(struct rewriter *rewriter, struct str s)
{
    for (;;) {
        s = str_trim(s);
        if (!str_starts(s, STR("<!--")) && !str_starts(s, STR("<?")))
            break;
        const char *end = memmem(s.p, s.len, s.p[1] == '?' ? ">" : "-->", s.p[1] == '?' ? 1 : 3);
        if (!end)
            return;
        s = str_sub(s, (size_t)(end - s.p) + (s.p[1] == '?' ? 1 : 3), s.len);
    }
    if (rewriter->options->xml)
        buf_addz(rewriter->out, "<!DOCTYPE html>");
    else if (str_starts_nocase(s, STR("<!doctype")) && str_find(s, '>') < 1024 &&
             !memchr(s.p + 1, '<', str_find(s, '>')))
        buf_add(rewriter->out, str_sub(s, 0, str_find(s, '>') + 1));
}

static void init(struct rewriter *rewriter, const struct rewrite_options *options, struct buf *out)
{
    *rewriter = (struct rewriter){.options = options, .base = *options->url, .out = out};
    tokenizer_init(&rewriter->tokenizer);
    rewriter->tokenizer.all_attributes = true;
    arena_init(&rewriter->arena, URL_ARENA);
    arena_init(&rewriter->base_arena, URL_ARENA);
    buf_init(&rewriter->tag, TAG_MAX);
    buf_init(&rewriter->value, TAG_MAX);
}

static scent_status release(struct rewriter *rewriter)
{
    tokenizer_release(&rewriter->tokenizer);
    arena_release(&rewriter->arena);
    arena_release(&rewriter->base_arena);
    buf_release(&rewriter->tag);
    buf_release(&rewriter->value);
    return rewriter->out->failed ? SCENT_E_LIMIT : SCENT_OK;
}

static scent_status read_html(const struct rewrite_options *options, struct str utf8, bool is_srcdoc, struct buf *out)
{
    struct rewriter rewriter;
    struct token token;

    init(&rewriter, options, out);
    rewriter.is_srcdoc = is_srcdoc;
    add_doctype(&rewriter, utf8);
    tokenizer_start(&rewriter.tokenizer, utf8);
    while (!out->failed && token_next(&rewriter.tokenizer, &token)) {
        if (token.kind == TOKEN_START)
            on_start(&rewriter, &token);
        else if (token.kind == TOKEN_END)
            on_end(&rewriter, &token);
        else if (token.is_cdata)
            escape_markup(out, token.text);
        else
            add_text(&rewriter, token.text);
        rewriter.tokenizer.foreign = rewriter.foreign || options->xml;
    }
    return release(&rewriter);
}

scent_status rewrite_html(const struct rewrite_options *options, struct str utf8, struct buf *out)
{
    return read_html(options, utf8, false, out);
}

scent_status rewrite_css(const struct rewrite_options *options, struct str utf8, struct buf *out)
{
    struct rewriter rewriter;

    init(&rewriter, options, out);
    add_css(&rewriter, utf8, SHEET_ALONE, out);
    return release(&rewriter);
}
