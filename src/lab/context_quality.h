/* context_quality - how well do link contexts describe the pages that they lead to?
 *
 * The two measures of Pant and Srinivasan (section 10.1): the mean cosine of a context to a description of its target,
 * and the share of contexts that have nothing in common with it (cosine 0). The description is given (of the pages that
 * have one), or the target's first words. A page that is linked to has one back-link drawn, as in the paper, or
 * several. Cosines are of the frequencies of stems, stop words left out. The same seed gives the same numbers. */
#ifndef SCENT_LAB_CONTEXT_QUALITY_H
#define SCENT_LAB_CONTEXT_QUALITY_H

#include "base/buf.h"
#include "lab/collection.h"

enum { CONTEXT_SHORT = 10 };

enum context_way {
    CONTEXT_WAY_ANCHOR,
    CONTEXT_WAY_WINDOW_10,
    CONTEXT_WAY_WINDOW_20,
    CONTEXT_WAY_WINDOW_40,
    CONTEXT_WAY_TAG_TREE,
    CONTEXT_WAY_LEAVES,
    CONTEXT_WAY_PATH,
    CONTEXT_WAY_PAGE,
    CONTEXT_WAYS
};

struct labels;

struct context_quality_options {
    uint32_t backlinks;   /* of a page, at most */
    uint32_t description; /* words */
    uint64_t seed;
    const bool *targets;  /* the pages whose contexts are looked at; NULL: all */
    const struct labels *descriptions; /* given ones, a text a page, instead of first words; NULL: none */
};

struct context_quality {
    size_t targets;  /* pages that are linked to and have words */
    size_t contexts; /* of each way */
    struct context_quality_row {
        double similarity, error; /* mean cosine, its standard error */
        double zero;              /* share of contexts with cosine 0 */
        double words;             /* mean length, stop words included */
        double shorts;            /* share of contexts of at most CONTEXT_SHORT words */
    } rows[CONTEXT_WAYS];
};

SCENT_NODISCARD scent_status context_quality_measure(const struct collection *collection,
                                             const struct context_quality_options *options, struct context_quality *out,
                                             struct errmsg *err);
/* A table for people; the same as JSON. out->failed: no memory. */
void context_quality_print(const struct context_quality *quality, struct buf *out);
void context_quality_write_json(const struct context_quality *quality, const struct context_quality_options *options,
                                struct buf *out);

#endif
