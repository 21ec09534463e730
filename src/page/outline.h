/* outline - gathers a document's events into nodes, leaves, words, text, raw links and what its head says.
 *
 * The first half of analysis: everything that needs no language and no base URL. Kept from page to page;
 * outline_clear() between them. Thread: one. */
#ifndef SCENT_PAGE_OUTLINE_H
#define SCENT_PAGE_OUTLINE_H

#include "base/buf.h"
#include "page/glossary.h"
#include "page/markup.h"
#include "page/page.h"

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
};

struct outline {
    uint32_t max_words, max_nodes, max_links;
    struct str agent; /* our name in <meta name=…> */
    struct glossary glossary;
    struct page_word *words; /* .stem holds the word's number in the glossary */
    struct page_node *nodes;
    struct outline_link *links;
    struct buf text, title, raw;
    size_t nwords, nnodes, nlinks, words_room, nodes_room, links_room;
    uint32_t nleaves;

    struct outline_range base, canonical;
    char lang[4]; /* "" for none */
    uint8_t robots, truncated;
    bool failed; /* memory is short */

    /* while events come */
    struct outline_open open[MARKUP_DEPTH_MAX + 2];
    unsigned depth;
    unsigned unread, templates, anchors, drawings; /* open elements of these kinds */
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

#endif
