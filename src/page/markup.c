/* Which elements a tag closes (HTML standard, section 13.2.6), and the events that come of it. */
#include "page/markup.h"
#include "page/token.h"

/* ---- nesting ---- */

/* What a tag is to the rules below. */
enum group {
    SCOPE = 1 << 0,       /* what an inner end tag, or an implied end, does not reach beyond */
    TABLE_SCOPE = 1 << 1, /* the same for parts of tables, */
    ROW_SCOPE = 1 << 2,   /* for cells, */
    LIST_SCOPE = 1 << 3,  /* for li, */
    DL_SCOPE = 1 << 4,    /* for dt and dd */
    CELL = 1 << 5,        /* ends where a cell starts */
    ROW = 1 << 6,         /* ends where a row starts */
    BODY = 1 << 7,        /* ends where a table's body, head or foot starts */
    TERM = 1 << 8,
    HEADING = 1 << 9,
    IN_HEAD = 1 << 10, /* does not end the head */
    VOID = 1 << 11,
    PART = 1 << 12 /* of a table: its end tag goes as far as the table */
};

#define T(x) [PAGE_TAG_##x]
static const uint16_t groups[PAGE_TAG_COUNT] = {
    T(TABLE) = SCOPE | TABLE_SCOPE | ROW_SCOPE | LIST_SCOPE | DL_SCOPE,
    T(TEMPLATE) = SCOPE | TABLE_SCOPE | ROW_SCOPE | LIST_SCOPE | DL_SCOPE | IN_HEAD,
    T(OBJECT) = SCOPE,
    T(APPLET) = SCOPE,
    T(MARQUEE) = SCOPE,
    T(TD) = SCOPE | CELL | ROW | BODY | PART,
    T(TH) = SCOPE | CELL | ROW | BODY | PART,
    T(CAPTION) = SCOPE | CELL | ROW | BODY,
    T(TR) = ROW_SCOPE | ROW | BODY | PART,
    T(COLGROUP) = ROW | BODY,
    T(TBODY) = BODY | PART,
    T(THEAD) = BODY | PART,
    T(TFOOT) = BODY | PART,
    T(UL) = LIST_SCOPE,
    T(OL) = LIST_SCOPE,
    T(MENU) = LIST_SCOPE,
    T(DIR) = LIST_SCOPE,
    T(DL) = DL_SCOPE,
    T(DT) = TERM,
    T(DD) = TERM,
    T(H1) = HEADING, T(H2) = HEADING, T(H3) = HEADING, T(H4) = HEADING, T(H5) = HEADING, T(H6) = HEADING,
    T(TITLE) = IN_HEAD, T(STYLE) = IN_HEAD, T(SCRIPT) = IN_HEAD, T(NOSCRIPT) = IN_HEAD,
    T(BASE) = IN_HEAD | VOID, T(BASEFONT) = IN_HEAD | VOID, T(LINK) = IN_HEAD | VOID, T(META) = IN_HEAD | VOID,
    T(BGSOUND) = IN_HEAD | VOID, T(KEYGEN) = VOID, T(AREA) = VOID, T(BR) = VOID, T(COL) = VOID, T(EMBED) = VOID,
    T(FRAME) = VOID, T(HR) = VOID, T(IMG) = VOID,
    T(INPUT) = VOID, T(PARAM) = VOID, T(SOURCE) = VOID, T(TRACK) = VOID, T(WBR) = VOID,
};
#undef T

static bool is(unsigned tag, unsigned group)
{
    return (groups[tag] & group) != 0;
}

static inline void nesting_push(struct nesting *nesting, enum page_tag tag, uint64_t name)
{
    nesting->open[nesting->depth].tag = (uint8_t)tag;
    nesting->open[nesting->depth++].name = name;
    nesting->count[tag]++;
}

static inline void nesting_pop(struct nesting *nesting)
{
    nesting->count[nesting->open[--nesting->depth].tag]--;
}

static void nesting_clear(struct nesting *nesting)
{
    nesting->depth = 0;
    memset(nesting->count, 0, sizeof nesting->count);
}

bool markup_is_void(enum page_tag tag)
{
    return is(tag, VOID);
}

/* Closes all of `group` above the nearest element of `limit`. (The root stays: walks end above it.) */
static unsigned close_all(const struct nesting *nesting, enum group group, enum group limit)
{
    unsigned keep = nesting->depth;

    for (unsigned i = nesting->depth; i-- > 1 && !is(nesting->open[i].tag, limit);)
        if (is(nesting->open[i].tag, group))
            keep = i;
    return keep;
}

/* Closes the innermost `tag` above the nearest element of `limit`. */
static unsigned close_one(const struct nesting *nesting, enum page_tag tag, enum group limit)
{
    if (nesting->count[tag])
        for (unsigned i = nesting->depth; i-- > 1 && !is(nesting->open[i].tag, limit);)
            if (nesting->open[i].tag == tag)
                return i;
    return nesting->depth;
}

static unsigned close_options(const struct nesting *nesting, bool groups_too)
{
    unsigned keep = nesting->depth;

    keep -= keep > 1 && nesting->open[keep - 1].tag == PAGE_TAG_OPTION;
    keep -= groups_too && keep > 1 && nesting->open[keep - 1].tag == PAGE_TAG_OPTGROUP;
    return keep;
}

/* A paragraph ends where a block starts; a heading does too, where another starts right in it. */
static unsigned before_block(const struct nesting *nesting, enum page_tag tag)
{
    unsigned keep = close_one(nesting, PAGE_TAG_P, SCOPE);

    if (keep == nesting->depth && is(tag, HEADING) && keep > 1 && is(nesting->open[keep - 1].tag, HEADING))
        keep--;
    return keep;
}

/* How many elements stay open when `tag` starts: the others are to be popped. */
static unsigned nesting_before(const struct nesting *nesting, enum page_tag tag)
{
    if (nesting->count[PAGE_TAG_HEAD] && !is(tag, IN_HEAD))
        return close_one(nesting, PAGE_TAG_HEAD, TABLE_SCOPE);
    switch (tag) {
    case PAGE_TAG_A:
    case PAGE_TAG_BUTTON:
        return close_one(nesting, tag, SCOPE);
    case PAGE_TAG_LI:
        return close_one(nesting, PAGE_TAG_LI, LIST_SCOPE);
    case PAGE_TAG_DT:
    case PAGE_TAG_DD:
        return close_all(nesting, TERM, DL_SCOPE);
    case PAGE_TAG_OPTION:
        return close_options(nesting, false);
    case PAGE_TAG_OPTGROUP:
        return close_options(nesting, true);
    case PAGE_TAG_TD:
    case PAGE_TAG_TH:
        return close_all(nesting, CELL, ROW_SCOPE);
    case PAGE_TAG_TR:
        return close_all(nesting, ROW, TABLE_SCOPE);
    case PAGE_TAG_TBODY:
    case PAGE_TAG_THEAD:
    case PAGE_TAG_TFOOT:
    case PAGE_TAG_CAPTION:
    case PAGE_TAG_COLGROUP:
        return close_all(nesting, BODY, TABLE_SCOPE);
    case PAGE_TAG_BR:
        return nesting->depth;
    default:
        return page_tag_flags(tag) & PAGE_TAG_BLOCK ? before_block(nesting, tag) : nesting->depth;
    }
}

static bool is_special(unsigned tag)
{
    return (page_tag_flags(tag) & (PAGE_TAG_BLOCK | PAGE_TAG_CELL | PAGE_TAG_UNREAD)) != 0;
}

/* An inline end tag does not close the blocks inside its element, or half a page would lose its structure to one
 * </b>. Anchors are the exception: their text must end where the author ended it. */
static bool stops(enum page_tag tag, unsigned inner)
{
    if (is(tag, PART))
        return is(inner, TABLE_SCOPE);
    if (tag == PAGE_TAG_TABLE || tag == PAGE_TAG_TEMPLATE)
        return inner == PAGE_TAG_TEMPLATE;
    if (tag == PAGE_TAG_A || is_special(tag))
        return is(inner, SCOPE);
    return is_special(inner);
}

/* <h1>…</h2> is one heading. */
static unsigned close_heading(const struct nesting *nesting)
{
    for (unsigned i = nesting->depth; i-- > 1 && !is(nesting->open[i].tag, SCOPE);)
        if (is(nesting->open[i].tag, HEADING))
            return i;
    return nesting->depth;
}

/* The same when it ends. */
static unsigned nesting_after(const struct nesting *nesting, enum page_tag tag, uint64_t name)
{
    if (is(tag, HEADING))
        return close_heading(nesting);
    if (!nesting->count[tag] || tag == PAGE_TAG_HTML || tag == PAGE_TAG_BODY) /* what follows </body> is still in it */
        return nesting->depth;
    for (unsigned i = nesting->depth; i-- > 1;) {
        if (nesting->open[i].tag == tag && nesting->open[i].name == name)
            return i;
        if (stops(tag, nesting->open[i].tag))
            break;
    }
    return nesting->depth;
}

/* ---- events ---- */

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
        used = charref_read(text, CHARREF_TEXT, decoded, &len);
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
    if (nesting->depth == MARKUP_DEPTH_MAX || markup_is_void(token->tag) ||
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
