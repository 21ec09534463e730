/* render - the content of a page for people and programs that read text: plain, or as Markdown.
 *
 * Beside the outline it receives the events of a document and keeps pieces: runs of text in one block, with the
 * heading, list, quotation, table or code that they stand in. Once the blocks that are content are known,
 * render_write() puts the pieces of these together.
 *
 * Markdown is CommonMark with GitHub's tables: headings, lists, quotations, tables, code and links to http and https
 * are kept; characters that would mean something are escaped, so that no page can bring in HTML or links of its own
 * making. Plain text has the same lines without marks; cells are separated by tabs.
 *
 * Caps: lists and quotations nest so far, RENDER_BYTES of a page are kept. Kept from page to page. Thread: one. */
#ifndef SCENT_PAGE_RENDER_H
#define SCENT_PAGE_RENDER_H

#include "page/outline.h"

enum {
    RENDER_BYTES = 32 << 20, /* of the pieces of a page; what comes behind is left out */
    RENDER_LISTS = 8,        /* lists that are nested deeper count as the innermost of these */
    RENDER_QUOTES = 4,
    RENDER_COLUMNS = 64, /* a wider table, or one with a longer cell, is written as paragraphs */
    RENDER_CELL = 2000
};

struct render;
struct render *render_new(enum page_form form); /* never NULL */
void render_free(struct render *render);

/* A document begins, of this URL; `outline` receives each of its events before the functions below do. */
void render_begin(struct render *render, const struct outline *outline, const struct url *url);
void render_start(struct render *render, enum page_tag tag, const struct token_attributes *attributes);
void render_end(struct render *render);
void render_text(struct render *render, struct str text);
void render_plain_text(struct render *render, struct str utf8); /* a document without markup */

/* Appends the pieces whose blocks are content. What does not fit out->cap is left out, and out->failed says so. */
void render_write(const struct render *render, const struct page_block *blocks, size_t nblocks, struct buf *out);

#endif
