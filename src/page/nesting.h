/* nesting - which elements are open, and which of them a tag closes (HTML standard, section 13.2.6). */
#ifndef SCENT_PAGE_NESTING_H
#define SCENT_PAGE_NESTING_H

#include "page/tag.h"

enum { MARKUP_DEPTH_MAX = 512 };

struct nesting {
    unsigned depth;
    unsigned count[PAGE_TAG_COUNT]; /* how many of each are open: what is not need not be looked for */
    struct {
        uint8_t tag;
        uint64_t name; /* hash: tells PAGE_TAG_OTHERs apart */
    } open[MARKUP_DEPTH_MAX];
};

void nesting_clear(struct nesting *nesting);

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

/* How many elements stay open when `tag` starts, or ends: the others are to be popped. */
unsigned nesting_before(const struct nesting *nesting, enum page_tag tag);
unsigned nesting_after(const struct nesting *nesting, enum page_tag tag, uint64_t name);

bool nesting_is_void(enum page_tag tag); /* has no content and no end tag */

#endif
