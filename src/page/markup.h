/* markup - HTML as a sequence of balanced events; the only place that knows how HTML is parsed.
 *
 * A tokenizer (token.h) and the rules by which elements end one another. Not the whole of the standard's tree
 * construction: no element is invented but the root, none is moved or opened again (foster parents, the adoption
 * agency); what is misnested ends where its parent ends. Linear in the input, whatever it is: an end tag that
 * matches nothing costs nothing, and elements nested deeper than MARKUP_DEPTH_MAX end where they start (what they
 * hold goes to their parent), as browsers do.
 * Thread: a struct markup belongs to one thread. */
#ifndef SCENT_PAGE_MARKUP_H
#define SCENT_PAGE_MARKUP_H

#include "base/status.h"
#include "page/token.h"

enum { MARKUP_DEPTH_MAX = 512 };

/* Which elements are open. */
struct nesting {
    unsigned depth;
    unsigned count[PAGE_TAG_COUNT]; /* how many of each are open: what is not need not be looked for */
    struct {
        uint8_t tag;
        uint64_t name; /* hash: tells PAGE_TAG_OTHERs apart */
    } open[MARKUP_DEPTH_MAX];
};

struct markup_sink {
    /* The first element is the root, and the only one without parent. */
    void (*start)(void *ctx, enum page_tag tag, const struct token_attributes *attributes);
    void (*end)(void *ctx); /* of the element that was started last and has not ended */
    void (*text)(void *ctx, struct str text); /* in pieces; what scripts, styles and the like hold does not come */
    void *ctx;
};

struct markup {
    struct tokenizer tokenizer;
    struct nesting nesting;
    const struct markup_sink *sink;
    bool xml, too_deep;
};

bool markup_is_void(enum page_tag tag); /* it has no content and no end tag */

void markup_init(struct markup *markup);
void markup_release(struct markup *markup);

/* `utf8` is well-formed and without 0 bytes. `xml`: <x/> is an element without content. *too_deep: the depth was
 * reached. */
void markup_parse(struct markup *markup, struct str utf8, bool xml, const struct markup_sink *sink, bool *too_deep);

#endif
