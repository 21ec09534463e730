/* judge - is a page relevant, and how much?
 *
 * A struct judge is an immutable snapshot of everything that a verdict depends on: the predicate, the query with the
 * statistics of its terms, the trained model, the browsing model, the centroid of the seeds. The engine makes a new one
 * when what it knows changes. The analysts judge with the snapshot that was current when the page was dispatched, so
 * that a run with a fixed window is reproducible, and the verdict records the snapshot's version.
 * Some microseconds a page (a browsing model of 200 pages: 25, and in proportion); only what the predicate, the score
 * and the strategy need is computed.
 * Snapshots are reference counted; any thread. */
#ifndef SCENT_TOPIC_JUDGE_H
#define SCENT_TOPIC_JUDGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"
#include "page/page.h"
#include "text/text.h"
#include "topic/query.h"
#include "topic/knowledge.h"
#include "topic/centroid.h"
#include "topic/signature.h"

/* What a strategy needs of a judgement beyond the verdict and the score. */
enum judge_wants { JUDGE_COSINE = 1, JUDGE_QUERY = 2, JUDGE_CLASSES = 4, JUDGE_BROWSING = 8 };

#define JUDGE_UNASKED (-1.)
struct judgement {
    bool relevant;
    /* [0, 1]: what the user's program says; else the classifier's probability; else the largest of the predicate's
     * categories; else the belief in the query; else `browsing`; else `similar`: the first that the topic has */
    double score;
    double similar;    /* likeness to the seeds (signature.h), of a seed itself 1; these six are JUDGE_UNASKED … */
    double cosine;     /* to the centroid of the seeds (centroid.h), as the papers have it; of a seed 1 */
    double query;      /* belief in the query, */
    double browsing;   /* largest cosine to a useful page of the browsing model, */
    double external;   /* what the program of the user says: judge(), */
    double classifier; /* probability of the wanted class or classes, … where nobody asked */
    uint32_t cluster;  /* of the browsing model, and whether the page is unlike all that it has seen; … */
    float familiar;    /* of its words, as a share of what is not strange; 1 at most; as above */
    bool strange;      /* … where `browsing` was asked for */
    const double *classes; /* one probability a class of the model, in the input's arena; NULL: nobody asked */
    const struct query_stats *stats; /* the snapshot's; NULL without a query */
    uint32_t version;                /* of the snapshot */
    bool is_unanswered;              /* the user's program was asked and gave no answer: its score counts as 0 */
};

struct judge;
struct judge_basis {
    const struct topic *topic;         /* outlives the judge, with its query */
    const struct knowledge *knowledge; /* its parts outlive the judge; NULL: nothing was learned */
    const struct centroid *seeds;      /* of their pages, copied; NULL: there are no seeds yet */
    const struct query_counts *term_counts;       /* copied; NULL: nothing was counted */
    unsigned wants;                    /* enum judge_wants */
    uint32_t version;
    uint64_t digest;                   /* knowledge_digest() of the first two, for who asks judge_digest() */
};
struct judge *judge_new(const struct judge_basis *basis); /* never NULL */
struct judge *judge_ref(struct judge *judge);
void judge_unref(struct judge *judge);
/* Of all that its verdicts depend on, but for the blocks that repeat on a host, which its input lacks. Two judges with
 * the same digest give the same verdict to every page (scores to nine digits: the order of seeds moves the last). */
uint64_t judge_digest(const struct judge *judge);
bool judge_uses_seeds(const struct judge *judge); /* does a verdict depend on them? */

struct judge_input {
    const struct page *page;
    uint64_t bytes; /* of the body */
    uint32_t depth;
    bool seed; /* a seed is an example of the topic: similar() is 1 */
    const struct external_answer *external; /* where the user's program was asked before; NULL: it is asked now */
    struct str counted; /* query_counted_write() of the page; .p NULL: the words of the query are counted here */
    struct arena *arena; /* for `classes`, and 16 bytes a distinct word; NULL: `classes` is not given */
};
/* Waits for the user's program, where the topic has one. Where memory is short the classifier's probabilities are 0. */
void judge_page(const struct judge *judge, const struct judge_input *input, struct judgement *out);
/* Of a topic with a query: for query_counted_write(). */
uint64_t judge_counted_key(const struct topic *topic);
/* The same by input->counted alone: input->page is not looked at. False: the judge asks for more than the query, or
 * these are the counts of another one. */
bool judge_counted(const struct judge *judge, const struct judge_input *input, struct judgement *out);
/* The reasons, as text for people: each part of the predicate with its value, the parts of the query, the words that
 * moved the classifier. */
SCENT_NODISCARD scent_status judge_explain(const struct judge *judge, const struct judge_input *input, struct buf *out);

#endif
