/* outline - gathers a document's events into nodes, leaves, words, text, raw links and what its head says.
 *
 * The first half of analysis: everything that needs no language and no base URL. Kept from page to page;
 * outline_clear() between them. Thread: one. */
#ifndef SCENT_PAGE_OUTLINE_H
#define SCENT_PAGE_OUTLINE_H

#include "base/arena.h"
#include "base/buf.h"
#include "page/markup.h"
#include "page/page.h"
#include "text/text.h"

/* ---- words ---- */

/* The distinct words of a page: each is stemmed once and looked up among the stop words once.
 *
 * Words enter in document order and get numbers 0, 1, …; once the language is known glossary_stem() fills in stems
 * and stop flags, and glossary_bag() adds up equal stems. Kept from page to page; glossary_clear() between them.
 * Thread: one. */

struct glossary_word {
    uint64_t word, stem;
    uint32_t text, len; /* in glossary.text */
    uint32_t count;
    uint32_t boilerplate; /* of them not in the content */
    uint32_t flags; /* enum page_word_flags */
};

struct glossary {
    struct glossary_word *words;
    char *text;      /* the folded words, one after the other */
    uint32_t *slots; /* number of a word (or term) + 1, by hash; nslots is a power of two */
    struct page_term *terms;
    size_t count, room, text_len, text_room, nslots, slots_room, terms_room;
};

void glossary_init(struct glossary *glossary);
void glossary_release(struct glossary *glossary);
void glossary_clear(struct glossary *glossary);

/* The number of a folded word, counted once more; PAGE_NONE when memory is short. */
uint32_t glossary_add(struct glossary *glossary, struct str folded);
void glossary_stem(struct glossary *glossary, struct text_stemmer *stemmer, struct str lang);
struct str glossary_language(const struct glossary *glossary); /* by votes; empty when undecided */
/* The terms, sorted, in `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status glossary_bag(struct glossary *glossary, struct arena *arena, struct page *out);

enum { OUTLINE_CLASSES = 64 };

struct outline_range { /* of outline.raw; len 0: none */
    uint32_t start, len;
};

struct outline_link {
    struct outline_range href;
    struct outline_range alt; /* of the first image that has one */
    uint32_t first_word, end_word, node;
    uint32_t start, end; /* in outline.text */
    uint8_t rel, kind;
};

struct outline_open { /* an element that has not ended */
    uint32_t node; /* the nearest one that is recorded */
    uint32_t link; /* PAGE_NONE: none */
    uint8_t tag;
    uint8_t kind, level, zones; /* of a block that ends here, as in struct page_block */
};

struct outline {
    uint32_t max_words, max_nodes, max_links;
    struct str agent; /* our name in <meta name=…> */
    struct glossary glossary;
    struct page_word *words; /* .stem holds the word's number in the glossary */
    struct page_node *nodes;
    struct outline_link *links;
    struct page_block *blocks;
    struct buf text, title, raw;
    size_t nwords, nnodes, nlinks, nblocks, words_room, nodes_room, links_room, blocks_room;
    uint32_t nleaves;

    struct outline_range base, canonical;
    char lang[4]; /* "" for none */
    uint8_t robots, truncated;
    int64_t unavailable_after;
    bool failed; /* memory is short */

    /* while events come */
    struct outline_open open[MARKUP_DEPTH_MAX + 2];
    unsigned depth;
    unsigned unread, templates, anchors, drawings; /* open elements of these kinds */
    unsigned links_open; /* of links, buttons and choices */
    struct page_block block; /* the one that has not ended: where it starts, and its words that are links */
    struct { /* classes met lately, by hash: a page has few different ones */
        uint64_t names;
        uint8_t zones;
    } classes[OUTLINE_CLASSES];
    bool in_title, in_other_title, has_title;
    char separator;    /* goes before the next visible character: 0, ' ' or '\n' */
    size_t leaf_start; /* in text */
};

void outline_init(struct outline *outline, const struct page_options *options);
void outline_release(struct outline *outline);
void outline_clear(struct outline *outline);

struct markup_sink outline_sink(struct outline *outline);
void outline_plain_text(struct outline *outline, struct str utf8);
void outline_finish(struct outline *outline); /* after the last event */

/* ---- attributes ---- */

/* What pages say to crawlers in attributes: robots directives, rel, refresh. Pure. */

/* The directives of one meta robots or X-Robots-Tag value, as enum page_robots; "scent: …" (where `agent` is scent) and
 * what stands for every crawler count, what stands for others does not. *until: the date of unavailable_after where
 * that is earlier, or was 0. */
unsigned head_robots(struct str value, struct str agent, int64_t *until);
unsigned head_rel(struct str rel); /* enum page_rel */
/* Does `list` (separated by white space or commas) have `word`? */
bool head_has_token(struct str list, struct str word);
/* "5; url='next.html'": what WHATWG's shared declarative refresh steps find; empty when there is no URL. */
struct str head_refresh_target(struct str content);

#endif
