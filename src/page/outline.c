/* Events to nodes, words and text; what attributes say; white space folded eight bytes at a time. */
#include "page/outline.h"
#include "page/content.h"
#include "page/scan.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

enum {
    DEFAULT_WORDS = 1000000,
    DEFAULT_NODES = 500000,
    DEFAULT_LINKS = 20000,
    TITLE_MAX = 4096,
    KEPT_MAX = 8 * 1024 * 1024 /* bytes that a buffer may keep for the next page */
};

void outline_init(struct outline *outline, const struct page_options *options)
{
    *outline = (struct outline){
        .max_words = options->max_words ? options->max_words : DEFAULT_WORDS,
        .max_nodes = options->max_nodes ? options->max_nodes : DEFAULT_NODES,
        .max_links = options->max_links ? options->max_links : DEFAULT_LINKS,
        .agent = options->agent.len ? options->agent : STR("scent"),
    };
    glossary_init(&outline->glossary);
    buf_init(&outline->text, 0);
    buf_init(&outline->title, 0);
    buf_init(&outline->raw, UINT32_MAX);
}

void outline_release(struct outline *outline)
{
    glossary_release(&outline->glossary);
    free(outline->words);
    free(outline->nodes);
    free(outline->links);
    free(outline->blocks);
    buf_release(&outline->text);
    buf_release(&outline->title);
    buf_release(&outline->raw);
}

void outline_clear(struct outline *outline)
{
    struct page_options options = {
        .max_words = outline->max_words,
        .max_nodes = outline->max_nodes,
        .max_links = outline->max_links,
        .agent = outline->agent,
    };

    if (outline->words_room * sizeof *outline->words > KEPT_MAX || outline->text.room > KEPT_MAX ||
        outline->nodes_room * sizeof *outline->nodes > KEPT_MAX || outline->raw.room > KEPT_MAX ||
        outline->blocks_room * sizeof *outline->blocks > KEPT_MAX) {
        outline_release(outline);
        outline_init(outline, &options);
    }
    glossary_clear(&outline->glossary);
    buf_clear(&outline->text);
    buf_clear(&outline->title);
    buf_clear(&outline->raw);
    outline->nwords = outline->nnodes = outline->nlinks = outline->nblocks = 0;
    outline->nleaves = outline->links_open = 0;
    outline->block = (struct page_block){0};
    outline->base = outline->canonical = (struct outline_range){0};
    memset(outline->lang, 0, sizeof outline->lang);
    outline->robots = outline->truncated = 0;
    outline->unavailable_after = 0;
    outline->failed = outline->in_title = outline->in_other_title = outline->has_title = false;
    outline->depth = outline->unread = outline->templates = outline->anchors = outline->drawings = 0;
    outline->separator = 0;
    outline->leaf_start = 0;
}

static void add_word(struct outline *outline, const char *word, size_t len)
{
    uint32_t number = glossary_add(&outline->glossary, (struct str){word, len});

    if (number == PAGE_NONE ||
        !vec_reserve(&outline->words, &outline->words_room, outline->nwords + 1, sizeof *outline->words)) {
        outline->failed = true;
        return;
    }
    outline->words[outline->nwords++] = (struct page_word){
        .word = outline->glossary.words[number].word, .stem = number, .leaf = outline->nleaves};
}

/* `utf8` is the next leaf. */
static void add_leaf(struct outline *outline, struct str utf8)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len, before = outline->nwords;

    text_cursor_init(&cursor, utf8);
    while (text_next_word(&cursor, word, &len)) {
        if (outline->nwords == outline->max_words) {
            outline->truncated |= PAGE_CUT_WORDS;
            break;
        }
        add_word(outline, word, len);
        if (outline->failed)
            break;
    }
    if (outline->links_open)
        outline->block.link_words += (uint32_t)(outline->nwords - before);
    outline->nleaves++;
}

/* The words of `utf8` as a leaf of their own that is not part of the text. */
static void add_words(struct outline *outline, struct str utf8)
{
    if (!outline->unread && str_trim(utf8).len)
        add_leaf(outline, utf8);
}

/* The text since the last element's start or end becomes a leaf. */
static inline void end_leaf(struct outline *outline)
{
    size_t end = outline->text.len;

    if (end > outline->leaf_start)
        add_leaf(outline, str_sub(buf_str(&outline->text), outline->leaf_start, end));
    outline->leaf_start = end;
}

/* White space and the few control characters that references can make; text has no others. */
static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

/* Copies from a visible byte up to where white space has to be folded (at the last blank at the latest), eight bytes
 * at a time; `to` has room for seven more. Returns how many bytes. */
static size_t copy_folded(char *to, const char *from, size_t len)
{
    size_t i = 0;

    for (; i + SCAN_BYTES <= len; i += SCAN_BYTES) {
        const uint64_t last = (uint64_t)0x80 << 56;
        uint64_t x = scan_load(from + i), blank = ~scan_above(x, ' ') & scan_all(0x80);
        uint64_t stop = (blank & ~scan_equal(x, ' ')) | (blank & blank << 8) | (blank & last);

        memcpy(to + i, &x, sizeof x);
        if (stop) {
            i += scan_first(stop);
            return i && is_blank(from[i - 1]) ? i - 1 : i;
        }
    }
    for (; i < len && !is_blank(from[i]); i++)
        to[i] = from[i];
    return i;
}

/* Copies with white space folded; what separates is written only once something visible follows. */
static void fold_into(struct buf *to, char *separator, struct str s)
{
    char *p;
    size_t i = 0, n;

    if (to->room - to->len < s.len + SCAN_BYTES + 1 && !buf_reserve(to, s.len + SCAN_BYTES))
        return;
    p = to->p + to->len;
    while (i < s.len) {
        if (is_blank(s.p[i])) {
            *separator = *separator ? *separator : ' ';
            i++;
            continue;
        }
        if (*separator && p != to->p)
            *p++ = *separator;
        *separator = 0;
        n = copy_folded(p, s.p + i, s.len - i);
        p += n;
        i += n;
    }
    to->len = (size_t)(p - to->p);
}

/* The text since the last block becomes one, of the element that is open. */
static void end_block(struct outline *outline)
{
    struct page_block *block = &outline->block;
    const struct outline_open *open = outline->depth ? &outline->open[outline->depth - 1] : NULL;

    if (outline->nwords == block->first_word && outline->text.len == block->start)
        return;
    if (outline->nblocks < outline->max_nodes) {
        if (!vec_reserve(&outline->blocks, &outline->blocks_room, outline->nblocks + 1, sizeof *outline->blocks)) {
            outline->failed = true;
            return;
        }
        if (open) {
            block->node = open->node;
            block->kind = open->kind;
            block->level = open->level;
            block->zones = open->zones;
        }
        outline->blocks[outline->nblocks++] = *block;
    } else {
        outline->blocks[outline->nblocks - 1].link_words += block->link_words;
    }
    outline->blocks[outline->nblocks - 1].end_word = block->first_word = (uint32_t)outline->nwords;
    outline->blocks[outline->nblocks - 1].end = block->start = (uint32_t)outline->text.len;
    block->link_words = 0;
}

static void set_off(struct outline *outline, enum page_tag tag)
{
    unsigned flags = page_tag_flags(tag);

    if (flags & PAGE_TAG_BLOCK) {
        outline->separator = '\n';
        if (tag != PAGE_TAG_BR)
            end_block(outline);
    } else if ((flags & PAGE_TAG_CELL) && !outline->separator)
        outline->separator = ' ';
}

static uint32_t open_node(const struct outline *outline)
{
    return outline->depth ? outline->open[outline->depth - 1].node : PAGE_NONE;
}

/* The node of a new element, or the nearest recorded one when there are too many. */
static uint32_t add_node(struct outline *outline, enum page_tag tag)
{
    uint32_t parent = open_node(outline);

    if (outline->nnodes == outline->max_nodes) {
        outline->truncated |= PAGE_CUT_NODES;
        return parent;
    }
    if (!vec_reserve(&outline->nodes, &outline->nodes_room, outline->nnodes + 1, sizeof *outline->nodes)) {
        outline->failed = true;
        return parent;
    }
    outline->nodes[outline->nnodes] = (struct page_node){
        .tag = (uint16_t)tag,
        .depth = (uint16_t)(parent == PAGE_NONE ? 0 : outline->nodes[parent].depth + 1),
        .parent = parent,
        .first_word = (uint32_t)outline->nwords,
        .first_leaf = outline->nleaves,
    };
    return (uint32_t)outline->nnodes++;
}

static void count_open(struct outline *outline, enum page_tag tag, int by)
{
    if (page_tag_flags(tag) & PAGE_TAG_UNREAD)
        outline->unread += (unsigned)by;
    if (tag == PAGE_TAG_TEMPLATE)
        outline->templates += (unsigned)by;
    else if (tag == PAGE_TAG_A)
        outline->anchors += (unsigned)by;
    else if (tag == PAGE_TAG_SVG)
        outline->drawings += (unsigned)by;
}

/* What a block is whose innermost element this is; inside of a list an item stays one. */
static void set_kind(struct outline_open *open)
{
    switch (open->tag) {
    case PAGE_TAG_H1:
    case PAGE_TAG_H2:
    case PAGE_TAG_H3:
    case PAGE_TAG_H4:
    case PAGE_TAG_H5:
    case PAGE_TAG_H6:
        open->kind = PAGE_BLOCK_HEADING;
        open->level = (uint8_t)(open->tag - PAGE_TAG_H1 + 1);
        break;
    case PAGE_TAG_UL:
    case PAGE_TAG_OL:
    case PAGE_TAG_DL:
    case PAGE_TAG_MENU:
    case PAGE_TAG_DIR:
        open->level = open->kind == PAGE_BLOCK_ITEM && open->level < UINT8_MAX ? open->level + 1 : 1;
        open->kind = PAGE_BLOCK_ITEM;
        break;
    case PAGE_TAG_TABLE:
        open->kind = PAGE_BLOCK_ROW;
        open->level = 0;
        break;
    case PAGE_TAG_PRE:
    case PAGE_TAG_LISTING:
    case PAGE_TAG_XMP:
    case PAGE_TAG_PLAINTEXT:
        open->kind = PAGE_BLOCK_CODE;
        open->level = 0;
        break;
    default:
        break;
    }
}

static void open_element(struct outline *outline, enum page_tag tag, uint32_t node, uint32_t link)
{
    struct outline_open *open = &outline->open[outline->depth];

    SCENT_BUG_IF(outline->depth == sizeof outline->open / sizeof *outline->open);
    *open = outline->depth ? open[-1] : (struct outline_open){0};
    outline->depth++;
    open->node = node;
    open->link = link;
    open->tag = (uint8_t)tag;
    if (page_tag_flags(tag) & PAGE_TAG_BLOCK) {
        set_kind(open);
        open->zones |= (uint8_t)content_tag_zone(tag, open->zones);
    }
    outline->links_open += tag == PAGE_TAG_SELECT || tag == PAGE_TAG_BUTTON;
    if (page_tag_flags(tag) & (PAGE_TAG_UNREAD | PAGE_TAG_COUNTED))
        count_open(outline, tag, 1);
}

static void close_element(struct outline *outline)
{
    struct outline_open *open = &outline->open[--outline->depth];

    if (open->node != PAGE_NONE) {
        outline->nodes[open->node].end_word = (uint32_t)outline->nwords;
        outline->nodes[open->node].end_leaf = outline->nleaves;
    }
    if (open->link != PAGE_NONE) {
        outline->links[open->link].end_word = (uint32_t)outline->nwords;
        outline->links[open->link].end = (uint32_t)outline->text.len;
        outline->links_open--;
    }
    outline->links_open -= open->tag == PAGE_TAG_SELECT || open->tag == PAGE_TAG_BUTTON;
    if (page_tag_flags(open->tag) & (PAGE_TAG_UNREAD | PAGE_TAG_COUNTED))
        count_open(outline, open->tag, -1);
}

/* The document's title is the first that is not a drawing's; further ones are not shown. */
static void begin_title(struct outline *outline)
{
    if (outline->drawings || outline->unread)
        return;
    end_block(outline); /* the title is not in one */
    outline->in_other_title = outline->has_title;
    outline->in_title = !outline->has_title;
    outline->has_title = true;
    outline->separator = 0;
}

static void end_title(struct outline *outline)
{
    outline->in_title = false;
    outline->separator = '\n';
    add_words(outline, buf_str(&outline->title));
    outline->block.first_word = (uint32_t)outline->nwords;
    outline->block.link_words = 0;
}

/* ---- what attributes say ---- */

static struct outline_range keep_raw(struct outline *outline, struct str s)
{
    struct outline_range range = {(uint32_t)outline->raw.len, (uint32_t)s.len};

    return buf_add(&outline->raw, s) ? range : (struct outline_range){0};
}

/* The innermost that has not ended, or PAGE_NONE. */
static uint32_t open_link(const struct outline *outline)
{
    for (unsigned i = outline->depth; i-- > 0;)
        if (outline->open[i].link != PAGE_NONE)
            return outline->open[i].link;
    return PAGE_NONE;
}

/* What an image says for its link, or in it. */
static void add_alt(struct outline *outline, uint32_t link, struct str alt)
{
    add_words(outline, alt);
    if (link != PAGE_NONE && !outline->links[link].alt.len && !outline->unread)
        outline->links[link].alt = keep_raw(outline, str_trim(alt));
}

/* Its number, or PAGE_NONE. */
static uint32_t add_link(struct outline *outline, struct str href, unsigned rel, unsigned kind)
{
    href = str_trim(href);
    if (!href.len)
        return PAGE_NONE;
    if (outline->nlinks == outline->max_links) {
        outline->truncated |= PAGE_CUT_LINKS;
        return PAGE_NONE;
    }
    if (!vec_reserve(&outline->links, &outline->links_room, outline->nlinks + 1, sizeof *outline->links)) {
        outline->failed = true;
        return PAGE_NONE;
    }
    outline->links[outline->nlinks] = (struct outline_link){
        .href = keep_raw(outline, href),
        .first_word = (uint32_t)outline->nwords,
        .end_word = (uint32_t)outline->nwords,
        .node = open_node(outline),
        .start = (uint32_t)outline->text.len,
        .end = (uint32_t)outline->text.len,
        .rel = (uint8_t)rel,
        .kind = (uint8_t)kind,
    };
    return (uint32_t)outline->nlinks++;
}

static uint32_t on_meta(struct outline *outline, const struct token_attributes *attributes)
{
    struct str name = token_attribute(attributes, STR("name"));
    struct str equiv = token_attribute(attributes, STR("http-equiv"));
    struct str content = token_attribute(attributes, STR("content"));
    char code[4];

    if (str_eq_nocase(name, STR("robots")) || str_eq_nocase(name, outline->agent))
        outline->robots |= (uint8_t)head_robots(content, outline->agent, &outline->unavailable_after);
    if (str_eq_nocase(equiv, STR("content-language")) && !outline->lang[0] && text_lang_code(content, code))
        memcpy(outline->lang, code, sizeof code);
    /* Inside noscript it is meant for browsers without scripts, and usually leads to a page that says so. */
    if (str_eq_nocase(equiv, STR("refresh")) && !outline->unread)
        return add_link(outline, head_refresh_target(content), 0, PAGE_LINK_REFRESH);
    return PAGE_NONE;
}

static void on_link(struct outline *outline, const struct token_attributes *attributes)
{
    if (!outline->canonical.len && head_has_token(token_attribute(attributes, STR("rel")), STR("canonical")))
        outline->canonical = keep_raw(outline, str_trim(token_attribute(attributes, STR("href"))));
}

/* An image inside an anchor speaks for it. */
static void on_image(struct outline *outline, const struct token_attributes *attributes)
{
    struct str alt = token_attribute(attributes, STR("alt")), title = token_attribute(attributes, STR("title"));
    uint32_t link;

    if (!outline->anchors)
        return;
    link = open_link(outline);
    add_alt(outline, link, alt);
    if (!str_eq(alt, title))
        add_alt(outline, link, title);
}

static uint32_t on_anchor(struct outline *outline, const struct token_attributes *attributes)
{
    return add_link(outline, token_attribute(attributes, STR("href")),
                            head_rel(token_attribute(attributes, STR("rel"))), PAGE_LINK_ANCHOR);
}

static uint32_t on_area(struct outline *outline, const struct token_attributes *attributes)
{
    uint32_t link = on_anchor(outline, attributes);

    if (link != PAGE_NONE)
        add_alt(outline, link, token_attribute(attributes, STR("alt")));
    return link;
}

static unsigned class_zone(struct outline *outline, struct str names)
{
    uint64_t hash = hash_str(names, 0);
    size_t i = hash % OUTLINE_CLASSES;

    if (outline->classes[i].names != hash) {
        outline->classes[i].zones = (uint8_t)content_class_zone(names);
        outline->classes[i].names = hash;
    }
    return outline->classes[i].zones;
}

static void on_container(struct outline *outline, const struct token_attributes *attributes)
{
    struct outline_open *open = &outline->open[outline->depth - 1];

    for (unsigned i = 0; i < attributes->count; i++) {
        struct str name = attributes->items[i].name, value = attributes->items[i].value;

        if (str_eq_nocase(name, STR("class")) || str_eq_nocase(name, STR("id")))
            open->zones |= (uint8_t)class_zone(outline, value);
        else if (str_eq_nocase(name, STR("role")))
            open->zones |= (uint8_t)content_role_zone(value, open->zones);
    }
}

/* An element with attributes has just been opened: the number of the link that it is, PAGE_NONE when it is none. */
static uint32_t on_attributes(struct outline *outline, enum page_tag tag, const struct token_attributes *attributes)
{
    char code[4];

    if (outline->templates)
        return PAGE_NONE;
    switch (tag) {
    case PAGE_TAG_A:
        return on_anchor(outline, attributes);
    case PAGE_TAG_AREA:
        return on_area(outline, attributes);
    case PAGE_TAG_IFRAME:
    case PAGE_TAG_FRAME:
        return add_link(outline, token_attribute(attributes, STR("src")), 0, PAGE_LINK_FRAME);
    case PAGE_TAG_META:
        return on_meta(outline, attributes);
    case PAGE_TAG_LINK:
        on_link(outline, attributes);
        break;
    case PAGE_TAG_BASE:
        if (!outline->base.len)
            outline->base = keep_raw(outline, str_trim(token_attribute(attributes, STR("href"))));
        break;
    case PAGE_TAG_HTML:
        if (text_lang_code(token_attribute(attributes, STR("lang")), code) ||
            text_lang_code(token_attribute(attributes, STR("xml:lang")), code))
            memcpy(outline->lang, code, sizeof code);
        break;
    case PAGE_TAG_IMG:
        on_image(outline, attributes);
        break;
    default:
        on_container(outline, attributes);
        break;
    }
    return PAGE_NONE;
}

/* ---- events ---- */

static void on_start(void *ctx, enum page_tag tag, const struct token_attributes *attributes)
{
    struct outline *outline = ctx;
    uint32_t node;

    if (outline->failed)
        return;
    end_leaf(outline);
    set_off(outline, tag);
    node = add_node(outline, tag);
    if (tag == PAGE_TAG_TITLE)
        begin_title(outline);
    open_element(outline, tag, node, PAGE_NONE);
    if (attributes->count) {
        uint32_t link = on_attributes(outline, tag, attributes);

        outline->open[outline->depth - 1].link = link;
        outline->links_open += link != PAGE_NONE;
    }
}

static void on_end(void *ctx)
{
    struct outline *outline = ctx;
    enum page_tag tag;

    if (outline->failed)
        return;
    tag = outline->open[outline->depth - 1].tag;
    end_leaf(outline);
    set_off(outline, tag);
    if (tag == PAGE_TAG_TITLE && outline->in_title)
        end_title(outline);
    if (tag == PAGE_TAG_TITLE)
        outline->in_other_title = false;
    close_element(outline);
}

/* Cut at a character where it gets too long. */
static void add_to_title(struct outline *outline, struct str text)
{
    size_t room = TITLE_MAX - outline->title.len; /* never 0: one byte stays for what separates */

    if (text.len + 1 >= room)
        for (text.len = room > 2 ? room - 2 : 0; text.len && ((unsigned char)text.p[text.len] & 0xC0) == 0x80;)
            text.len--;
    fold_into(&outline->title, &outline->separator, text);
}

static void on_text(void *ctx, struct str text)
{
    struct outline *outline = ctx;

    if (outline->in_title)
        add_to_title(outline, text);
    else if (!outline->unread && !outline->in_other_title)
        fold_into(&outline->text, &outline->separator, text);
}

struct markup_sink outline_sink(struct outline *outline)
{
    return (struct markup_sink){on_start, on_end, on_text, outline};
}

void outline_plain_text(struct outline *outline, struct str utf8)
{
    struct str line;

    open_element(outline, PAGE_TAG_HTML, add_node(outline, PAGE_TAG_HTML), PAGE_NONE);
    while (str_split(&utf8, '\n', &line)) {
        fold_into(&outline->text, &outline->separator, line);
        outline->separator = '\n';
    }
}

void outline_finish(struct outline *outline)
{
    if (!outline->failed)
        end_leaf(outline);
    if (!outline->failed)
        end_block(outline);
    while (outline->depth)
        close_element(outline);
    outline->failed = outline->failed || outline->text.failed || outline->raw.failed;
}
