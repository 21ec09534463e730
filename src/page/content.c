#include "page/content.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

/* ---- what elements, roles and classes say ---- */

unsigned content_tag_zone(enum page_tag tag, unsigned zones)
{
    switch (tag) {
    case PAGE_TAG_NAV:
    case PAGE_TAG_SEARCH:
    case PAGE_TAG_DIALOG:
        return CONTENT_NAV;
    case PAGE_TAG_ASIDE:
        return CONTENT_ASIDE;
    case PAGE_TAG_FOOTER:
        return CONTENT_FOOTER;
    case PAGE_TAG_HEADER: /* that of an article is its headline */
        return zones & (CONTENT_MAIN | CONTENT_ARTICLE) ? 0 : CONTENT_HEADER;
    case PAGE_TAG_MAIN:
        return CONTENT_MAIN;
    case PAGE_TAG_ARTICLE:
        return CONTENT_ARTICLE;
    default:
        return 0;
    }
}

unsigned content_role_zone(struct str role, unsigned zones)
{
    static const struct {
        struct str name;
        enum page_tag like;
    } roles[] = {
        {STR("navigation"), PAGE_TAG_NAV},       {STR("main"), PAGE_TAG_MAIN},     {STR("banner"), PAGE_TAG_HEADER},
        {STR("complementary"), PAGE_TAG_ASIDE},  {STR("search"), PAGE_TAG_SEARCH}, {STR("article"), PAGE_TAG_ARTICLE},
        {STR("contentinfo"), PAGE_TAG_FOOTER},   {STR("dialog"), PAGE_TAG_DIALOG}, {STR("menu"), PAGE_TAG_NAV},
    };

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (str_eq_nocase(role, roles[i].name))
            return content_tag_zone(roles[i].like, zones);
    return 0;
}

enum fit { ANYWHERE, WORD, START, END }; /* of a name; a word ends at "-", "_" or at a capital */

struct sign {
    const char *part;
    size_t len;
    enum fit fit;
    unsigned zone;
};

/* By the first letter: names are many, and most of their letters begin no sign. */
#define OFF(part, fit) {part, sizeof part - 1, fit, CONTENT_UNLIKELY}
#define ON(part, fit) {part, sizeof part - 1, fit, CONTENT_LIKELY}
#define LETTER(c, ...) [c - 'a'] = (const struct sign[]){__VA_ARGS__, {0}}
static const struct sign *const signs[26] = {
    LETTER('a', OFF("advert", START), OFF("ads", WORD), OFF("ad", WORD), ON("article", WORD)),
    LETTER('b', OFF("breadcrumb", ANYWHERE), OFF("banner", WORD), ON("body", END)),
    LETTER('c', OFF("copyright", WORD), OFF("cookie", START), ON("content", END)),
    LETTER('d', ON("document", WORD)),
    LETTER('e', ON("entry", WORD)),
    LETTER('f', OFF("footer", ANYWHERE)),
    LETTER('l', OFF("login", WORD)),
    LETTER('m', OFF("menu", ANYWHERE), OFF("masthead", WORD), ON("main", WORD)),
    LETTER('n', OFF("nav", START), OFF("nav", END), OFF("newsletter", WORD)),
    LETTER('p', OFF("page-header", WORD), OFF("pager", WORD), OFF("pagination", WORD), OFF("promo", WORD),
           ON("post", WORD)),
    LETTER('r', OFF("related", WORD)),
    LETTER('s', OFF("sidebar", ANYWHERE), OFF("site-header", WORD), OFF("share", WORD), OFF("social", WORD),
           OFF("search", WORD), ON("story", WORD)),
    LETTER('t', OFF("toolbar", WORD), OFF("topbar", WORD)),
};
#undef LETTER
#undef ON
#undef OFF

static bool is_word_start(struct str name, size_t i)
{
    return i == 0 || i == name.len || !ascii_is_alpha(name.p[i]) || !ascii_is_alpha(name.p[i - 1]) ||
           (name.p[i] <= 'Z' && name.p[i - 1] >= 'a');
}

static bool fits(struct str name, size_t start, const struct sign *sign)
{
    size_t end = start + sign->len;

    return end <= name.len &&
           str_eq_nocase(str_sub(name, start, end), (struct str){sign->part, sign->len}) &&
           (sign->fit == ANYWHERE || sign->fit == END || is_word_start(name, start)) &&
           (sign->fit == ANYWHERE || sign->fit == START || is_word_start(name, end));
}

/* A name that has signs of both is boilerplate: "content-footer". */
static unsigned name_zone(struct str name)
{
    unsigned zones = 0;

    for (size_t i = 0; i < name.len; i++) {
        const struct sign *sign = ascii_is_alpha(name.p[i]) ? signs[(name.p[i] | 0x20) - 'a'] : NULL;

        for (; sign && sign->zone; sign++)
            if ((name.p[i + 1 < name.len ? i + 1 : i] | 0x20) == sign->part[1] && fits(name, i, sign))
                zones |= sign->zone;
    }
    return zones & CONTENT_UNLIKELY ? CONTENT_UNLIKELY : zones;
}

unsigned content_class_zone(struct str names)
{
    unsigned zones = 0;
    size_t i = 0;

    for (names.len = names.len < 256 ? names.len : 256; i < names.len; i++) {
        size_t start = i;

        while (i < names.len && !ascii_is_space(names.p[i]))
            i++;
        zones |= name_zone(str_sub(names, start, i));
    }
    /* "content with-sidebar" holds both */
    return zones == (CONTENT_LIKELY | CONTENT_UNLIKELY) ? 0 : zones;
}

/* ---- which blocks ---- */

struct extent { /* of blocks that are not boilerplate */
    uint64_t words, plain; /* plain: not links */
};

static uint32_t words_of(const struct page_block *block)
{
    return block->end_word - block->first_word;
}

/* In code the names are often links to where they are defined. */
static uint32_t plain_words(const struct page_block *block)
{
    return block->kind == PAGE_BLOCK_CODE ? words_of(block) : words_of(block) - block->link_words;
}

static void add_extent(struct extent *extent, const struct page_block *block)
{
    extent->words += words_of(block);
    extent->plain += plain_words(block);
}

/* Blocks that are not boilerplate, and stand in one of `inside` (0: anywhere) and in none of `outside`. */
static struct extent measure(const struct page_block *blocks, size_t count, unsigned inside, unsigned outside)
{
    struct extent extent = {0};

    for (size_t i = 0; i < count; i++)
        if (!blocks[i].is_boilerplate && (!inside || blocks[i].zones & inside) && !(blocks[i].zones & outside))
            add_extent(&extent, &blocks[i]);
    return extent;
}

enum { PLENTY = 100 }; /* words that are enough, however little of a page they are */

/* A quarter of the text. */
static bool is_enough(struct extent left, struct extent before)
{
    return left.plain >= PLENTY || (left.plain > 0 && left.plain * 4 >= before.plain && left.words * 4 >= before.words);
}

/* The headline of a page may stand beside its content. */
static bool is_headline(const struct page_block *block)
{
    return block->kind == PAGE_BLOCK_HEADING && block->level == 1 && !(block->zones & CONTENT_NAV) &&
           block->link_words < words_of(block);
}

static void drop(struct page_block *blocks, size_t count, unsigned inside, unsigned outside)
{
    for (size_t i = 0; i < count; i++)
        if ((!inside || blocks[i].zones & inside) && !(blocks[i].zones & outside) && !is_headline(&blocks[i]))
            blocks[i].is_boilerplate = true;
}

static void drop_zones(struct page_block *blocks, size_t count, unsigned zones, struct extent *left)
{
    struct extent without = measure(blocks, count, 0, zones);

    if (without.words < left->words && is_enough(without, *left)) {
        drop(blocks, count, zones, 0);
        *left = without;
    }
}

/* Do the blocks of this zone have a share of 1 / `part` of the text? Then it is all of the content. */
static bool keep_zone(struct page_block *blocks, size_t count, unsigned zone, unsigned part, struct extent *left)
{
    struct extent within = measure(blocks, count, zone, 0);

    if (!within.words || within.plain * part < left->plain ||
        (within.plain < PLENTY && within.words * part < left->words))
        return false;
    drop(blocks, count, 0, zone);
    *left = within;
    return true;
}

/* Twice the words that are not links, less those that are: navigation has next to no others. */
static int64_t worth(const struct page_block *block)
{
    return 2 * (int64_t)plain_words(block) - (int64_t)(words_of(block) - plain_words(block));
}

/* The run of blocks that is worth most. */
static void keep_best_run(struct page_block *blocks, size_t count, struct extent left)
{
    int64_t sum = 0, best = 0;
    size_t start = 0, first = 0, end = 0;
    struct extent extent = {0};

    for (size_t i = 0; i < count; i++) {
        if (blocks[i].is_boilerplate)
            continue;
        if (sum <= 0) {
            sum = 0;
            start = i;
        }
        sum += worth(&blocks[i]);
        if (sum > best) {
            best = sum;
            first = start;
            end = i + 1;
        }
    }
    for (size_t i = first; i < end; i++)
        if (!blocks[i].is_boilerplate)
            add_extent(&extent, &blocks[i]);
    if (!is_enough(extent, left))
        return;
    for (size_t i = 0; i < count; i++)
        if ((i < first || i >= end) && !is_headline(&blocks[i]))
            blocks[i].is_boilerplate = true;
}

void content_choose(struct page_block *blocks, size_t count)
{
    struct extent left;
    bool known;

    for (size_t i = 0; i < count; i++)
        blocks[i].is_boilerplate = false;
    left = measure(blocks, count, 0, 0);
    drop_zones(blocks, count, CONTENT_NAV | CONTENT_ASIDE | CONTENT_FOOTER | CONTENT_HEADER, &left);
    known = keep_zone(blocks, count, CONTENT_MAIN, 10, &left) || keep_zone(blocks, count, CONTENT_ARTICLE, 2, &left);
    drop_zones(blocks, count, CONTENT_UNLIKELY, &left);
    if (known)
        return;
    (void)keep_zone(blocks, count, CONTENT_LIKELY, 2, &left);
    keep_best_run(blocks, count, left);
}

/* ---- blocks that repeat ---- */

enum { TELLING_WORDS = 6 }; /* fewer words without a link ("Changed in version 3.8:") say nothing of the place */

uint64_t content_fingerprint(const struct page *page, const struct page_block *block)
{
    uint64_t hash = words_of(block);

    if (block->kind == PAGE_BLOCK_HEADING || words_of(block) == 0 ||
        (words_of(block) < TELLING_WORDS && block->link_words == 0))
        return 0;
    for (uint32_t i = block->first_word; i < block->end_word; i++)
        hash = hash_mix(hash, page->words[i].word);
    hash &= ~(uint64_t)3; /* repeats_record() has a use for them */
    return hash ? hash : 4;
}

static void drop_block(struct page *page, struct page_block *block)
{
    block->is_boilerplate = true;
    for (uint32_t i = block->first_word; i < block->end_word; i++) {
        page->words[i].flags |= PAGE_WORD_BOILERPLATE;
        if (!(page->words[i].flags & PAGE_WORD_STOP) && page->nbag)
            page_find_term(page, page->words[i].stem)->tf--; /* every such word is in the bag, unless there is none */
    }
    page->ncontent -= words_of(block);
}

void content_mark_links(struct page *page)
{
    uint32_t block = 0;

    for (uint32_t i = 0; i < page->nlinks; i++) {
        while (block < page->nblocks && page->blocks[block].end_word <= page->links[i].first_word)
            block++;
        page->links[i].is_boilerplate = block < page->nblocks && page->blocks[block].is_boilerplate &&
                                        page->blocks[block].first_word <= page->links[i].first_word;
    }
}

void content_drop_repeated(struct page *page, const uint64_t *repeated, size_t count)
{
    struct extent before = {0}, left = {0};
    uint32_t kept = 0;

    if (!count)
        return;
    for (uint32_t i = 0; i < page->nblocks; i++) {
        struct page_block *block = &page->blocks[i];

        block->repeats = count && block->fingerprint &&
                         bsearch(&block->fingerprint, repeated, count, sizeof *repeated, order_u64);
        if (!block->is_boilerplate)
            add_extent(&before, block);
        if (!block->is_boilerplate && !block->repeats)
            add_extent(&left, block);
    }
    if (left.words == before.words || !is_enough(left, before))
        return;
    for (uint32_t i = 0; i < page->nblocks; i++)
        if (page->blocks[i].repeats)
            drop_block(page, &page->blocks[i]);
    for (uint32_t i = 0; i < page->nbag; i++) {
        page->bag[kept] = page->bag[i];
        kept += page->bag[i].tf > 0;
    }
    page->nbag = kept;
    content_mark_links(page);
}
