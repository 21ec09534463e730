/* judge - is a page relevant, and how much?
 *
 * A struct judge is an immutable snapshot of everything that a verdict depends on; the engine makes a new one
 * when what it knows changes (so far: the centroid of the seeds, for similar()). The analyse pool judges with
 * the snapshot that was current when the page was dispatched, so that a run with a fixed window is
 * reproducible, and the verdict records the snapshot's version.
 * Snapshots are reference counted; any thread. */
#ifndef SCENT_TOPIC_JUDGE_H
#define SCENT_TOPIC_JUDGE_H

#include "base/buf.h"
#include "base/status.h"
#include "page/page.h"
#include "text/text.h"
#include "topic/topic.h"

struct judgement {
    bool relevant;
    double score;     /* [0, 1]: `similar` so far; a classifier's probability where there is one */
    double similar;   /* cosine to the centroid of the seeds; always filled in: best-first ranks by it */
    uint32_t version; /* of the snapshot */
};

struct judge;
/* `centroid` (copied) may be empty; `topic` must outlive the judge. */
struct judge *judge_new(const struct topic *topic, const struct text_vector *centroid,
                        uint32_t version); /* never NULL */
struct judge *judge_ref(struct judge *judge);
void judge_unref(struct judge *judge);

struct judge_input {
    const struct page *page;
    uint64_t bytes; /* of the body */
    uint32_t depth;
    bool seed; /* a seed is an example of the topic: similar() is 1 */
};
void judge_page(const struct judge *judge, const struct judge_input *input, struct judgement *out);
/* The reasons, as text for people: each part of the predicate with its value. */
SCENT_NODISCARD scent_status judge_explain(const struct judge *judge, const struct judge_input *input, struct buf *out);

#endif
