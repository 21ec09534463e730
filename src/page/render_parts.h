/* render_parts - what render.c keeps of a page and render_lines.c writes; for these two. */
#ifndef SCENT_PAGE_RENDER_PARTS_H
#define SCENT_PAGE_RENDER_PARTS_H

#include "page/render.h"

enum { NO_ITEM = UINT32_MAX };

/* A run of text in one block of the page. */
struct piece {
    uint32_t block;
    uint32_t start, end; /* of render.text; a newline in it is a line break, or of code */
    uint32_t item;       /* the innermost item of a list; NO_ITEM */
    uint32_t table;      /* number + 1, where it stands in a cell; 0: none */
    uint32_t row;
    uint32_t code;       /* which <pre>; 0: none */
    uint8_t column, quotes, heading;
};

struct item {
    uint32_t parent; /* NO_ITEM */
    uint32_t number; /* of an ordered list; 0: a bullet */
    uint8_t depth;   /* 1 for an outermost one */
};

struct table {
    uint32_t outer; /* number + 1 */
    uint32_t rows;
    uint8_t columns, column; /* at most; the current one, 0 outside of cells */
    bool is_layout;
};

struct list {
    uint32_t item, next;
    bool ordered;
};

struct open {
    uint8_t tag;
    bool is_list, is_link, is_code;
};

struct render {
    enum page_form form;
    const struct outline *outline;
    const struct url *url;
    struct arena scratch;

    struct buf text;
    struct piece *pieces;
    struct item *items;
    struct table *tables;
    size_t npieces, nitems, ntables, pieces_room, items_room, tables_room;
    uint32_t ncode;
    bool failed; /* a cap or memory: nothing more is kept */

    /* while events come */
    struct open open[MARKUP_DEPTH_MAX + 2];
    unsigned depth;
    struct list lists[RENDER_LISTS];
    unsigned nlists, quotes, code_depth, codes; /* codes: open elements of inline code */
    uint8_t heading;
    uint32_t table; /* the innermost, number + 1 */
    char separator;
    bool in_piece;
    struct buf target;             /* of the open link; empty: none */
    bool wants_link, has_link;     /* an element is open; its mark is written */
    bool has_code;
    size_t code_start;
};

static inline bool render_is_markdown(const struct render *render)
{
    return render->form == PAGE_FORM_MARKDOWN;
}

static inline size_t render_longest_run(struct str s, char c)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i < s.len; i++) {
        run = s.p[i] == c ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static inline void render_repeat(struct buf *out, char c, size_t count)
{
    while (count--)
        buf_addc(out, c);
}

#endif
