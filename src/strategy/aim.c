#include "strategy/aim.h"

#include "strategy/array.h"

#include <stdlib.h>

void aim_init(struct aim *aim, const struct topic *topic)
{
    *aim = (struct aim){.query = topic->query};
    centroid_init(&aim->seeds);
    likeness_init(&aim->likeness, &(struct text_vector){0});
    aim->scratch = topic->query ? malloc(sizeof *aim->scratch) : NULL;
    SCENT_BUG_IF(topic->query && !aim->scratch);
}

void aim_release(struct aim *aim)
{
    centroid_release(&aim->seeds);
    likeness_release(&aim->likeness);
    free(aim->scratch);
    free(aim->items);
}

/* ---- seeds ---- */

static scent_status renew(struct aim *aim)
{
    struct text_vector vector;
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = centroid_vector(&aim->seeds, &arena, &vector);
    if (status == SCENT_OK) {
        likeness_release(&aim->likeness);
        likeness_init(&aim->likeness, &vector);
    }
    arena_release(&arena);
    return status;
}

void aim_observe(struct aim *aim, const struct strategy_visit *visit)
{
    struct text_vector vector;
    struct arena arena;

    if (!visit->seed || aim->query)
        return;
    arena_init(&arena, SIZE_MAX);
    if (topic_page_vector(visit->page, &arena, &vector) == SCENT_OK && centroid_add(&aim->seeds, &vector) == SCENT_OK)
        (void)renew(aim); /* without memory it keeps aiming at the seeds that it had */
    arena_release(&arena);
}

/* ---- texts ---- */

static double of_belief(double belief)
{
    double share = (belief - .4) / .6;

    return share > 0 ? share : 0;
}

double aim_page(struct aim *aim, const struct strategy_visit *visit)
{
    if (aim->query)
        return of_belief(visit->judgement->query);
    return likeness_of(&aim->likeness, visit->page);
}

double aim_context(struct aim *aim, const struct strategy_visit *visit, struct context context)
{
    struct text_vector bag;

    if (aim->query) {
        struct query_text text = query_text_range(visit->page, context.first, context.end);

        return of_belief(query_belief(aim->query, visit->judgement->stats, &text, aim->scratch));
    }
    aim->items = array_grow(aim->items, &aim->room, context.end - context.first, sizeof *aim->items);
    bag = context_bag(visit->page, context, NULL, aim->items);
    return likeness_of_bag(&aim->likeness, &bag);
}

/* ---- keeping ---- */

scent_status aim_save(const struct aim *aim, struct buf *out)
{
    for (size_t i = 0; i < aim->seeds.nslots; i++)
        if (aim->seeds.slots[i].weight != 0)
            buf_add(out, (struct str){(const char *)&aim->seeds.slots[i], sizeof aim->seeds.slots[i]});
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status aim_load(struct aim *aim, struct str blob, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (blob.len % sizeof(struct text_weight))
        return errmsg_fail(err, SCENT_E_FORMAT, "the words of the seeds are damaged");
    for (size_t i = 0; i < blob.len && status == SCENT_OK; i += sizeof(struct text_weight)) {
        struct text_weight item;

        memcpy(&item, blob.p + i, sizeof item);
        if (!(item.weight > 0 && item.weight < 1e12))
            return errmsg_fail(err, SCENT_E_FORMAT, "the words of the seeds are damaged");
        status = centroid_add(&aim->seeds, &(struct text_vector){&item, 1});
    }
    if (status == SCENT_OK)
        status = renew(aim);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for the words of the seeds");
}
