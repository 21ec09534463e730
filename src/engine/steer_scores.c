/* Scores that drift as a strategy learns. They are not written to the rows of the store, but with checkpoints. */
#include "engine/steer_parts.h"

#include "base/bytes.h"

struct rescore_pass {
    const struct strategy *strategy;
    bool idle; /* only the strategy gets to know the candidates */
};

static void rescore_candidate(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    const struct rescore_pass *pass = ctx;
    const struct strategy *strategy = pass->strategy;
    struct strategy_score score;

    if (candidate->flags || steer_is_listed(candidate))
        return;
    steer_score_of(candidate, &score);
    *changed = strategy->ops->rescore(strategy->state, id, &score) && !pass->idle;
    if (*changed)
        steer_set_score(candidate, &score);
}

void steer_rescore(struct steer *steer, bool idle)
{
    struct rescore_pass pass = {.strategy = &steer->strategy, .idle = idle};
    uint32_t ids[256];
    size_t count;

    if (!steer->strategy.ops->stale)
        return;
    do {
        count = steer->strategy.ops->stale(steer->strategy.state, ids, 256);
        if (count == STRATEGY_ALL) {
            frontier_each(steer->frontier, rescore_candidate, &pass);
            return;
        }
        for (size_t i = 0; i < count; i++) {
            struct candidate candidate;
            bool changed = false;

            if ((i && ids[i] == ids[i - 1]) || !frontier_get(steer->frontier, ids[i], &candidate))
                continue; /* a list that had to be filled up ends with the same id again and again */
            rescore_candidate(&pass, ids[i], &candidate, &changed);
            if (changed)
                frontier_update(steer->frontier, ids[i], &candidate);
        }
    } while (count == 256);
}

scent_status steer_begin_anew(struct steer *steer, struct errmsg *err)
{
    const struct strategy_ops *ops = steer->strategy.ops;

    strategy_close(&steer->strategy);
    steer->anew = true;
    return strategy_open_ops(ops, &steer->context, &steer->strategy, err);
}

void steer_settle(struct steer *steer, bool restored)
{
    struct rescore_pass pass = {.strategy = &steer->strategy};

    steer_rescore(steer, restored);
    if (steer->anew && steer->strategy.ops->rescore)
        frontier_each(steer->frontier, rescore_candidate, &pass);
    steer->anew = false;
}

/* ---- scores that survive a restart ---- */

enum { SCORES_VERSION = 1 };

struct scores {
    const struct strategy_ops *ops;
    struct buf *out;
};

static void save_score(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    const struct scores *scores = ctx;

    *changed = false;
    if (candidate->flags || steer_is_listed(candidate))
        return;
    bytes_put(scores->out, id, 4);
    bytes_put_float(scores->out, candidate->priority);
    buf_add(scores->out, (struct str){(const char *)candidate->own, scores->ops->own_bytes});
}

void steer_save_scores(struct steer *steer, struct buf *out)
{
    struct scores scores = {steer->strategy.ops, out};

    if (!scores.ops->stale)
        return;
    bytes_put(out, SCORES_VERSION, 1);
    bytes_put_str(out, str_of(scores.ops->name), 1);
    frontier_each(steer->frontier, save_score, &scores);
}

bool steer_restore_scores(struct steer *steer, struct str saved)
{
    const struct strategy_ops *ops = steer->strategy.ops;
    struct bytes in = bytes_of(saved);
    bool known = bytes_get(&in, 1) == SCORES_VERSION && str_eq(bytes_get_str(&in, 1, 255), str_of(ops->name)) &&
                 ops->stale && bytes_left(&in) % (8u + ops->own_bytes) == 0;

    while (known && !in.wrong && bytes_left(&in)) {
        uint32_t id = (uint32_t)bytes_get(&in, 4);
        float priority = bytes_get_float(&in);
        struct candidate candidate;

        if (!in.wrong && frontier_get(steer->frontier, id, &candidate) && !candidate.flags) {
            candidate.priority = priority;
            memcpy(candidate.own, in.p, ops->own_bytes);
            frontier_update(steer->frontier, id, &candidate);
        }
        in.p += ops->own_bytes;
    }
    return known && !in.wrong;
}
