#include "strategy/aim.h"

#include "base/vec.h"
#include "topic/predicate.h"
#include "topic/query.h"

#include <stdlib.h>

/* A predicate without words, or with more than a query takes, leaves the seeds as the aim. */
static void read_predicate(struct aim *aim, const struct predicate *predicate)
{
    struct errmsg err;
    struct buf text;

    buf_init(&text, QUERY_MAX_BYTES);
    predicate_write_query(predicate, &text);
    if (!text.failed && text.len && query_parse(buf_str(&text), &aim->of_predicate, &err) == SCENT_OK) {
        aim->query = aim->of_predicate;
        aim->stats = query_background_stats(aim->query);
    }
    buf_release(&text);
}

void aim_init(struct aim *aim, const struct topic *topic, bool reads_predicate)
{
    *aim = (struct aim){.query = topic->query};
    centroid_init(&aim->seeds);
    likeness_init(&aim->likeness, NULL);
    if (!aim->query && reads_predicate)
        read_predicate(aim, topic->predicate);
    aim->scratch = aim->query ? malloc(sizeof *aim->scratch) : NULL;
    SCENT_BUG_IF(aim->query && !aim->scratch);
}

void aim_release(struct aim *aim)
{
    centroid_release(&aim->seeds);
    likeness_release(&aim->likeness);
    query_free(aim->of_predicate);
    free(aim->stats);
    free(aim->scratch);
    free(aim->items);
}

static void renew_likeness(struct aim *aim)
{
    likeness_release(&aim->likeness);
    likeness_init(&aim->likeness, &aim->seeds);
}

/* Weights alone: how common its words are, which centroid_add_page() looks up, does not matter here. */
void aim_observe(struct aim *aim, const struct strategy_visit *visit)
{
    struct text_vector v;
    struct arena arena;

    if (!visit->seed || aim->query)
        return;
    arena_init(&arena, SIZE_MAX);
    if (centroid_page_vector(visit->page, &arena, &v) == SCENT_OK && centroid_add(&aim->seeds, &v) == SCENT_OK)
        renew_likeness(aim); /* without memory the seeds so far stay the aim */
    arena_release(&arena);
}

static double likeness_of_belief(double belief)
{
    double share = (belief - .4) / .6;

    return share > 0 ? share : 0;
}

static double believe(struct aim *aim, const struct strategy_visit *visit, struct query_text text)
{
    const struct query_stats *stats = aim->stats ? aim->stats : visit->judgement->stats;

    return likeness_of_belief(query_belief(aim->query, stats, &text, aim->scratch));
}

double aim_page(struct aim *aim, const struct strategy_visit *visit)
{
    if (!aim->query)
        return likeness_of(&aim->likeness, visit->page);
    return aim->stats ? believe(aim, visit, query_text_page(visit->page)) : likeness_of_belief(visit->judgement->query);
}

double aim_context(struct aim *aim, const struct strategy_visit *visit, struct context context)
{
    struct text_vector bag;

    if (aim->query)
        return believe(aim, visit, query_text_range(visit->page, context.first, context.end));
    SCENT_BUG_IF(!vec_reserve(&aim->items, &aim->room, context.end - context.first, sizeof *aim->items));
    bag = context_bag(visit->page, context, NULL, aim->items);
    return likeness_of_bag(&aim->likeness, &bag);
}

/* ---- keeping ---- */

void aim_save(const struct aim *aim, struct buf *out)
{
    for (size_t i = 0; i < aim->seeds.count; i++)
        if (aim->seeds.items[i].weight != 0) {
            bytes_put(out, aim->seeds.items[i].stem, 8);
            bytes_put_double(out, aim->seeds.items[i].weight);
        }
}

scent_status aim_load(struct aim *aim, struct bytes *in, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && bytes_left(in) && !in->wrong) {
        struct text_weight item = {.stem = bytes_get(in, 8)};

        item.weight = bytes_get_double(in);
        if (bytes_check(in, item.weight > 0 && item.weight < 1e12, "a weight is out of range"))
            status = centroid_add(&aim->seeds, &(struct text_vector){&item, 1});
    }
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the words of the seeds");
    renew_likeness(aim);
    return SCENT_OK;
}
