#include "topic/judge.h"
#include "topic/predicate.h"
#include "topic/vector.h"

#include <stdatomic.h>
#include <stdlib.h>

struct judge {
    atomic_uint refs;
    uint32_t version;
    const struct topic *topic;
    double norm;                 /* of the centroid */
    struct text_vector centroid; /* its items follow this struct */
    struct text_weight items[];
};

struct judge *judge_new(const struct topic *topic, const struct text_vector *centroid, uint32_t version)
{
    size_t count = centroid ? centroid->count : 0;
    struct judge *judge = malloc(sizeof *judge + count * sizeof *judge->items);

    SCENT_BUG_IF(!judge);
    atomic_init(&judge->refs, 1);
    judge->version = version;
    judge->topic = topic;
    judge->centroid = (struct text_vector){judge->items, count};
    if (count)
        memcpy(judge->items, centroid->items, count * sizeof *judge->items);
    judge->norm = text_norm(&judge->centroid);
    return judge;
}

struct judge *judge_ref(struct judge *judge)
{
    atomic_fetch_add_explicit(&judge->refs, 1, memory_order_relaxed);
    return judge;
}

void judge_unref(struct judge *judge)
{
    if (judge && atomic_fetch_sub_explicit(&judge->refs, 1, memory_order_acq_rel) == 1)
        free(judge);
}

static struct predicate_input as_seen_by(const struct judge *judge, const struct judge_input *input)
{
    return (struct predicate_input){
        .page = input->page,
        .bytes = input->bytes,
        .depth = input->depth,
        .similar = input->seed ? 1 : topic_page_cosine(input->page, &judge->centroid, judge->norm),
    };
}

void judge_page(const struct judge *judge, const struct judge_input *input, struct judgement *out)
{
    struct predicate_input seen = as_seen_by(judge, input);

    *out = (struct judgement){
        .relevant = predicate_eval(judge->topic->predicate, &seen),
        .score = seen.similar,
        .similar = seen.similar,
        .version = judge->version,
    };
}

scent_status judge_explain(const struct judge *judge, const struct judge_input *input, struct buf *out)
{
    struct predicate_input seen = as_seen_by(judge, input);

    buf_printf(out, "%s, similarity to the seeds %.4f%s\n",
               predicate_eval(judge->topic->predicate, &seen) ? "relevant" : "not relevant", seen.similar,
               input->seed ? " (it is a seed)" : "");
    return predicate_explain(judge->topic->predicate, &seen, out);
}
