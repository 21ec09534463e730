/* fusion - several strategies in one crawl, over one frontier (Pirkola and Talvensaari fuse the results of several).
 *
 * By turns: the strategies choose in turn, each the candidate that is best by its own scores. What comes next is given
 * priorities above 1, in the order of the turns; all other candidates have the mean of their ranks, so that a crawl which
 * may not visit the chosen hosts now goes on with what all find good. By ranks: that mean alone. A rank is the share of a
 * strategy's scores so far that lie below. The parts are in ensemble.h, their ranks in ranks.h, whose turn it is in turns.h.
 * Own bytes: the score of each part and the mean rank when it was scored (4 each). State: lanes.h, and the parts'. */
#include "base/rng.h"
#include "strategy/array.h"
#include "strategy/ensemble.h"
#include "strategy/fused.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/turns.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 1 };

struct fusion {
    struct ensemble ensemble;
    struct turns turns;
    bool by_ranks;
    struct rng rng;
    size_t asked;  /* parts that were, for what is stale */
    bool restored; /* all candidates must be seen once */
};

static const struct strategy_option options[] = {
    {"of", "query-context + query-context-weighted", "two or three strategies, such as 'full-page + text-window:words=10'"},
    {"by", "turns", "turns: each chooses in turn; ranks: the mean of the ranks that they give"},
    {0},
};

static void close_state(void *state)
{
    struct fusion *fusion = state;

    ensemble_close(&fusion->ensemble);
    turns_release(&fusion->turns);
    free(fusion);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    static const char *const ways[] = {"turns", "ranks", NULL};
    struct str of = strategy_option_value(&strategy_fusion, context->topic, "of");
    struct fusion *fusion;
    unsigned way = 0;
    scent_status status = option_choice(&strategy_fusion, context->topic, "by", ways, &way, err);

    if (status != SCENT_OK)
        return status;
    fusion = calloc(1, sizeof *fusion);
    SCENT_BUG_IF(!fusion);
    fusion->by_ranks = way == 1;
    rng_seed(&fusion->rng, context->seed);
    status = ensemble_open(&fusion->ensemble, of, context, err);
    turns_init(&fusion->turns, fusion->ensemble.count);
    if (status == SCENT_OK)
        *state = fusion;
    else
        close_state(fusion);
    return status;
}

/* ---- scores ---- */

/* What is kept with a candidate. */
struct kept {
    float scores[LANES_MAX];
    float rank; /* the mean, when the scores were given: ranks drift, and a restart must not change them */
};
_Static_assert(sizeof(struct kept) == STRATEGY_OWN_BYTES, "it is kept in a strategy's own bytes");

static struct kept read_kept(const struct strategy_score *score)
{
    struct kept kept;

    memcpy(&kept, score->own, sizeof kept);
    return kept;
}

static void write_kept(struct kept kept, struct strategy_score *out)
{
    memcpy(out->own, &kept, sizeof kept);
    out->priority = kept.rank;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct fusion *fusion = state;
    struct kept kept = {0};
    size_t dropped = 0;

    *out = (struct strategy_score){.nparts = (uint8_t)fusion->ensemble.count};
    for (size_t i = 0; i < fusion->ensemble.count; i++) {
        struct ensemble_part *part = &fusion->ensemble.parts[i];
        struct strategy_score own = {0};

        part->strategy.ops->score(part->strategy.state, visit, link, &own);
        kept.scores[i] = own.drop ? -INFINITY : own.priority;
        dropped += own.drop;
        if (!own.drop) {
            ranks_learn(&part->ranks, own.priority, &fusion->rng);
            if (visit->targets[link] != STRATEGY_UNKNOWN)
                lanes_put(&fusion->turns.lanes, i, visit->targets[link], own.priority);
        }
        out->parts[i] = (struct strategy_part){.name = part->strategy.ops->name, .value = (double)kept.scores[i]};
    }
    out->drop = dropped == fusion->ensemble.count;
    kept.rank = ensemble_rank(&fusion->ensemble, kept.scores);
    write_kept(kept, out);
}

static void merge(void *state, uint32_t id, const struct strategy_score *before, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept old = read_kept(before), kept = read_kept(score);
    float boost = before->priority;

    for (size_t i = 0; i < fusion->ensemble.count; i++) {
        struct strategy_score was = {.priority = old.scores[i]};
        struct strategy_score now = {.priority = kept.scores[i], .drop = isinf(kept.scores[i])};

        if (!isinf(old.scores[i]) || now.drop)
            strategy_merge(&fusion->ensemble.parts[i].strategy, id, &was, &now);
        kept.scores[i] = now.priority;
    }
    kept.rank = fmaxf(old.rank, ensemble_rank(&fusion->ensemble, kept.scores));
    write_kept(kept, score);
    if (boost > 1)
        score->priority = boost; /* it is one of the next */
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct fusion *fusion = state;

    turns_visited(&fusion->turns, visit->id, visit->seed);
    for (size_t i = 0; i < fusion->ensemble.count; i++) {
        const struct strategy *part = &fusion->ensemble.parts[i].strategy;

        if (part->ops->observe)
            part->ops->observe(part->state, visit);
    }
    fusion->asked = 0;
}

/* ---- scores that change ---- */

/* Who asks ends when fewer than `room` come: there may be more, from the next part. */
static size_t pad(uint32_t *ids, size_t n, size_t room)
{
    while (n < room) {
        ids[n] = ids[n - 1];
        n++;
    }
    return n;
}

/* Candidates of parts whose own scores drift. */
static size_t stale_of_parts(struct fusion *fusion, uint32_t *ids, size_t room)
{
    while (fusion->asked < fusion->ensemble.count) {
        const struct strategy *part = &fusion->ensemble.parts[fusion->asked].strategy;
        size_t n = part->ops->stale ? part->ops->stale(part->state, ids, room) : 0;

        fusion->asked += n != room;
        if (n == STRATEGY_ALL || n == room)
            return n;
        if (n)
            return pad(ids, n, room);
    }
    return 0;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct fusion *fusion = state;
    size_t n;

    if (fusion->restored) {
        fusion->restored = false;
        return STRATEGY_ALL;
    }
    n = stale_of_parts(fusion, ids, room);
    if (n || fusion->by_ranks)
        return n;
    return turns_stale(&fusion->turns, ids, room);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept kept = read_kept(score);
    float before = score->priority;
    bool changed = false;

    for (size_t i = 0; i < fusion->ensemble.count; i++) {
        const struct strategy *part = &fusion->ensemble.parts[i].strategy;
        struct strategy_score own = {.priority = kept.scores[i]};

        if (part->ops->rescore && part->ops->rescore(part->state, id, &own)) {
            kept.scores[i] = own.priority;
            changed = true;
        }
        lanes_put(&fusion->turns.lanes, i, id, kept.scores[i]);
    }
    if (changed)
        kept.rank = ensemble_rank(&fusion->ensemble, kept.scores);
    write_kept(kept, score);
    (void)turns_find(&fusion->turns, id, &score->priority);
    return changed || score->priority != before;
}

static bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    struct fusion *fusion = state;

    for (size_t i = 0; i < fusion->ensemble.count; i++) {
        const struct strategy *part = &fusion->ensemble.parts[i].strategy;
        struct kept kept;

        if (!part->ops->propose || !part->ops->propose(part->state, nothing_left, out))
            continue;
        for (size_t k = 0; k < LANES_MAX; k++)
            kept.scores[k] = k == i ? out->score.priority : -INFINITY;
        kept.rank = ensemble_rank(&fusion->ensemble, kept.scores);
        write_kept(kept, &out->score);
        return true;
    }
    return false;
}

/* ---- keeping ---- */

/* All of the state but the lanes, which are filled from the candidates' own bytes. */
struct saved {
    uint64_t turn, nchosen, gone; /* bytes of `gone` that follow */
    struct rng rng;
    uint32_t chosen[TURNS_AHEAD];
    bool confirmed[TURNS_AHEAD];
};

static scent_status save(void *state, struct buf *out)
{
    struct fusion *fusion = state;
    struct saved saved;

    memset(&saved, 0, sizeof saved);
    saved.turn = fusion->turns.turn;
    saved.nchosen = fusion->turns.nchosen;
    saved.gone = fusion->turns.lanes.ids / 8;
    saved.rng = fusion->rng;
    memcpy(saved.chosen, fusion->turns.chosen, sizeof saved.chosen);
    memcpy(saved.confirmed, fusion->turns.confirmed, sizeof saved.confirmed);
    buf_addc(out, VERSION);
    array_put(out, &saved, sizeof saved);
    array_put(out, fusion->turns.lanes.gone, saved.gone);
    ensemble_save(&fusion->ensemble, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct fusion *fusion = state;
    struct saved saved;
    scent_status status = saved_open("fusion", VERSION, &blob, err);

    if (status != SCENT_OK)
        return status;
    if (!array_get(&blob, &saved, sizeof saved) || saved.nchosen > TURNS_AHEAD || saved.gone > blob.len)
        return ensemble_fail(err);
    for (size_t i = 0; i < saved.gone * 8; i++)
        if ((uint8_t)blob.p[i / 8] >> (i % 8) & 1)
            lanes_remove(&fusion->turns.lanes, (uint32_t)i);
    blob = str_sub(blob, saved.gone, blob.len);
    fusion->turns.turn = saved.turn;
    fusion->rng = saved.rng;
    fusion->turns.nchosen = saved.nchosen;
    memcpy(fusion->turns.chosen, saved.chosen, sizeof saved.chosen);
    memcpy(fusion->turns.confirmed, saved.confirmed, sizeof saved.confirmed);
    fusion->restored = true;
    return ensemble_load(&fusion->ensemble, blob, err);
}

/* ---- for other crawls: what each part learned ---- */

static scent_status learned(void *state, struct buf *out)
{
    return ensemble_learned(&((struct fusion *)state)->ensemble, out);
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    return ensemble_recall(&((struct fusion *)state)->ensemble, blob, weight, err);
}

const struct strategy_ops strategy_fusion = {
    .name = "fusion",
    .summary = "several strategies in one crawl, choosing in turn",
    .paper = "after Pirkola and Talvensaari, who fuse the results of several crawls",
    .options = options,
    .wants = JUDGE_SIMILAR | JUDGE_QUERY | JUDGE_CLASSES,
    .own_bytes = STRATEGY_OWN_BYTES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .propose = propose,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
