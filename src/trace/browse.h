/* browse - a model of a person's browsing: how far is a page from what she marked as useful?
 *
 * Liu, Milios and Janssen, Focused Crawling by Learning HMM from User's Topic-specific Browsing. The pages that were
 * visited become vectors (learn/lsi.h) and fall into clusters (learn/clustering.h). The links between them, and the
 * ways that the person went (through forms and scripts, too), are the web graph; a breadth-first search from the marked
 * pages, against the links, labels every page with its distance T0 to T3. Labels and clusters together are the concept
 * graph, and its counts a hidden Markov model (learn/hmm.h).
 *
 * What is kept: the words with their place in the vectors, and a vector, a cluster and a label a page; no URLs. A model
 * never changes once it is made: any thread may ask it. Asking about a page multiplies (distinct known stems + pages) *
 * k numbers, k at most 50: some 25 microseconds with 200 pages. The same pages, in the same order, give the same
 * model. */
#ifndef SCENT_TRACE_BROWSE_H
#define SCENT_TRACE_BROWSE_H

#include "base/arena.h"
#include "base/buf.h"
#include "learn/clustering.h"
#include "learn/hmm.h"
#include "page/page.h"
#include "text/text.h"
#include "trace/browsing.h"

enum { BROWSE_TELLING = 8 };
_Static_assert(CLUSTER_MAX <= (int)HMM_SYMBOLS, "every cluster is a symbol");

struct browse_page {
    const struct page *page;
    bool useful;
};

/* A further name of a page: what was visited may have been a redirect. */
struct browse_name {
    struct str url; /* normalised */
    uint32_t page;
};

/* Somebody went from one page to another, by a link or by a form or script that no link shows. */
struct browse_way {
    uint32_t from, to;
};

struct browse_input {
    const struct browse_page *pages;
    size_t npages;
    const struct browse_name *names; /* beyond the pages' own URLs; may be NULL */
    size_t nnames;
    const struct browse_way *ways; /* edges of the web graph beside the hyperlinks; may be NULL */
    size_t nways;
};

/* Words of the title and of anchors as features of their own, beside the words of the text (the paper's ongoing work):
 * each counts as so many; 0: they are words of the text and nothing else. */
enum { BROWSE_WEIGHT_MAX = 100 };
struct browse_features {
    double title, anchors;
};

struct browse_options {
    struct browse_features features; /* none, as printed */
    double keep;                    /* of the squared singular values: .8 */
    bool links_only;                /* false: browse_learn() takes the recorded ways too; true: as printed */
    struct clustering_options cluster; /* 5 clusters */
};
struct browse_options browse_options_default(void);

struct browse;
/* SCENT_E_INVALID: one page only, no useful ones, nothing that tells the pages apart; SCENT_E_LIMIT: more than
 * LSI_PAGES_MAX pages. `err` says what is missing. The input is not needed afterwards. */
SCENT_NODISCARD scent_status browse_train(const struct browse_input *input, const struct browse_options *options,
                                          struct browse **out, struct errmsg *err);
void browse_free(struct browse *browse); /* NULL is fine */

/* Where the pages of sessions come from. NULL: this one could not be read. What it gives lives until browse_learn
 * returns. */
struct browse_source {
    const struct page *(*find)(void *ctx, struct str url);
    void *ctx;
};
struct browse_met {
    uint32_t pages, useful;          /* that were learned from; several URLs of one page count once */
    uint32_t unread, useful_unread;  /* that the source did not have */
    struct str first_unread;         /* a URL of `browsing`; empty: there is none */
};
/* Learns from sessions: every page that was visited or marked, and where visits came from. As browse_train(). *met is
 * filled in any case. */
SCENT_NODISCARD scent_status browse_learn(const struct browsing *browsing, const struct browse_source *source,
                                          const struct browse_options *options, struct browse **out,
                                          struct browse_met *met, struct errmsg *err);

/* ---- asking ---- */

struct browse_sense {
    double similar;   /* the largest cosine to a useful page */
    uint32_t cluster; /* by its nearest neighbours, as many as the smallest cluster has pages */
    bool strange;     /* unlike the pages of that cluster: too few of its words are known */
    double familiar;  /* how many of them are, as a share of what would not be strange; 1 at most */
};
/* Of a page and its page_frequencies(), which the caller has anyway. `arena` is for 24 bytes a page of the model, and
 * for the features of the page where the model has more than its text; where it is short, everything is 0. */
void browse_ask(const struct browse *browse, const struct page *page, const struct text_vector *tf, struct arena *arena,
                struct browse_sense *out);
struct browse_features browse_features(const struct browse *browse);
const struct hmm *browse_hmm(const struct browse *browse);

/* ---- telling ---- */

uint32_t browse_nclusters(const struct browse *browse);
uint32_t browse_dims(const struct browse *browse);
/* Words that its pages have more of than others, best first; empty after the last. */
struct str browse_telling(const struct browse *browse, uint32_t cluster, uint32_t i);

/* The concept graph: its nodes are pairs of label and cluster. */
enum { BROWSE_NODES = HMM_STATES * CLUSTER_MAX };
static inline uint32_t browse_node(uint32_t label, uint32_t cluster)
{
    return label * CLUSTER_MAX + cluster;
}
struct browse_concepts {
    uint32_t pages[BROWSE_NODES];
    uint32_t links[BROWSE_NODES][BROWSE_NODES]; /* from one to another */
};
const struct browse_concepts *browse_concepts(const struct browse *browse);

/* ---- keeping ---- */

/* One file with version and checksum (docs/internals/formats.md). */
SCENT_NODISCARD scent_status browse_save(const struct browse *browse, const char *path, struct errmsg *err);
SCENT_NODISCARD scent_status browse_load(const char *path, struct browse **out, struct errmsg *err);
SCENT_NODISCARD scent_status browse_write(const struct browse *browse, struct buf *out);
SCENT_NODISCARD scent_status browse_read(struct str bytes, const char *name, struct browse **out, struct errmsg *err);

#endif
