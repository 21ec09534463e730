#include "page/markup.h"
#include "page/charref.h"

void markup_init(struct markup *markup)
{
    *markup = (struct markup){0};
    tokenizer_init(&markup->tokenizer);
}

void markup_release(struct markup *markup)
{
    tokenizer_release(&markup->tokenizer);
}

static void pop(struct markup *markup)
{
    nesting_pop(&markup->nesting);
    markup->sink->end(markup->sink->ctx);
}

static void keep_open(struct markup *markup, unsigned depth)
{
    while (markup->nesting.depth > depth)
        pop(markup);
}

/* A document has one root, whether it says so or not. */
static void open_root(struct markup *markup)
{
    static const struct token_attributes none = {NULL, 0};

    if (markup->nesting.depth)
        return;
    markup->sink->start(markup->sink->ctx, PAGE_TAG_HTML, &none);
    nesting_push(&markup->nesting, PAGE_TAG_HTML, page_tag_hash(STR("html")));
}

static bool is_blank(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_space(s.p[i]))
            return false;
    return true;
}

static void decode_text(const struct markup_sink *sink, struct str text)
{
    while (text.len) {
        size_t plain = str_find(text, '&'), used, len;
        char decoded[CHARREF_MAX];

        if (plain)
            sink->text(sink->ctx, str_sub(text, 0, plain));
        text = str_sub(text, plain, text.len);
        if (!text.len)
            break;
        used = charref_read(text, false, decoded, &len);
        sink->text(sink->ctx, used ? (struct str){decoded, len} : STR("&"));
        text = str_sub(text, used ? used : 1, text.len);
    }
}

/* References decoded, unless the text `is_cdata`. */
static void on_text(struct markup *markup, struct str text, bool is_cdata)
{
    const struct markup_sink *sink = markup->sink;

    if (markup->nesting.depth == 0 || markup->nesting.open[markup->nesting.depth - 1].tag == PAGE_TAG_HEAD) {
        if (is_blank(text))
            return;
        open_root(markup);
        keep_open(markup, 1);
    }
    if (is_cdata || !memchr(text.p, '&', text.len))
        sink->text(sink->ctx, text);
    else
        decode_text(sink, text);
}

/* Elements that hold text, not markup; with noscript and noframes we are the browser that they are written for. */
static bool holds_text(enum page_tag tag)
{
    switch (tag) {
    case PAGE_TAG_IFRAME:
    case PAGE_TAG_NOEMBED:
    case PAGE_TAG_PLAINTEXT:
    case PAGE_TAG_SCRIPT:
    case PAGE_TAG_STYLE:
    case PAGE_TAG_TEXTAREA:
    case PAGE_TAG_TITLE:
    case PAGE_TAG_XMP:
        return true;
    default:
        return false;
    }
}

static void read_content(struct markup *markup, enum page_tag tag)
{
    struct str text = tag == PAGE_TAG_PLAINTEXT ? token_rest(&markup->tokenizer)
                                                : token_raw_text(&markup->tokenizer, tag);

    if (page_tag_flags(tag) & PAGE_TAG_UNREAD)
        return;
    if (tag == PAGE_TAG_TITLE || tag == PAGE_TAG_TEXTAREA)
        on_text(markup, text, false);
    else
        markup->sink->text(markup->sink->ctx, text);
}

/* Inside a drawing or a formula names mean something else, and <x/> ends where it starts; but a drawing's texts are
 * HTML again. */
static bool is_inside_foreign(const struct nesting *nesting)
{
    for (unsigned i = nesting->depth; i-- > 0;) {
        unsigned tag = nesting->open[i].tag;

        if (tag == PAGE_TAG_SVG || tag == PAGE_TAG_MATH)
            return true;
        if (tag == PAGE_TAG_FOREIGNOBJECT || tag == PAGE_TAG_DESC || tag == PAGE_TAG_TITLE)
            return false;
    }
    return false;
}

static inline bool is_foreign(const struct nesting *nesting)
{
    return (nesting->count[PAGE_TAG_SVG] || nesting->count[PAGE_TAG_MATH]) && is_inside_foreign(nesting);
}

static bool is_repeated(const struct nesting *nesting, enum page_tag tag)
{
    if (tag == PAGE_TAG_HEAD)
        return nesting->depth > 1;
    return (tag == PAGE_TAG_HTML || tag == PAGE_TAG_BODY) && nesting->count[tag];
}

static void on_start(struct markup *markup, const struct token *token)
{
    struct nesting *nesting = &markup->nesting;
    bool foreign = is_foreign(nesting);
    bool is_root = token->tag == PAGE_TAG_HTML; /* and stays open to the end */

    if (is_repeated(nesting, token->tag))
        return;
    if (!is_root)
        open_root(markup);
    keep_open(markup, nesting_before(nesting, token->tag));
    markup->sink->start(markup->sink->ctx, token->tag, &token->attributes);
    if (nesting->depth == MARKUP_DEPTH_MAX)
        markup->too_deep = true;
    if (nesting->depth == MARKUP_DEPTH_MAX || nesting_is_void(token->tag) ||
        (token->closes_itself && (markup->xml || foreign) && !is_root)) {
        markup->sink->end(markup->sink->ctx);
        return;
    }
    nesting_push(nesting, token->tag, token->name);
    if (holds_text(token->tag) && !foreign)
        read_content(markup, token->tag);
}

void markup_parse(struct markup *markup, struct str utf8, bool xml, const struct markup_sink *sink, bool *too_deep)
{
    struct token token;

    markup->sink = sink;
    markup->xml = xml;
    markup->too_deep = false;
    nesting_clear(&markup->nesting);
    tokenizer_start(&markup->tokenizer, utf8);
    while (token_next(&markup->tokenizer, &token)) {
        if (token.kind == TOKEN_TEXT)
            on_text(markup, token.text, token.is_cdata);
        else if (token.kind == TOKEN_START)
            on_start(markup, &token);
        else
            keep_open(markup, nesting_after(&markup->nesting, token.tag, token.name));
        markup->tokenizer.foreign = is_foreign(&markup->nesting);
    }
    keep_open(markup, 0);
    *too_deep = markup->too_deep;
}
