/* fusion - several strategies in one crawl, over one frontier (Pirkola and Talvensaari fuse the results of several).
 *
 * By turns: the strategies choose in turn, each the candidate that is best by its own scores. What comes next is given
 * priorities above 1, in the order of the turns; all other candidates have the mean of their ranks, so that a crawl which
 * may not visit the chosen hosts now goes on with what all find good. By ranks: that mean alone. A rank is the share of a
 * strategy's scores so far that lie below, from a sample of 1,024.
 * Own bytes: the score of each part and the mean rank when it was scored (4 each). State: lanes.h, and the parts'. */
#include "base/hash.h"
#include "base/rng.h"
#include "strategy/array.h"
#include "strategy/counts.h"
#include "strategy/fused.h"
#include "strategy/lanes.h"
#include "strategy/option.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED_VERSION = 1, AHEAD = 16, SAMPLE = 1024 };

struct part {
    struct topic topic; /* a copy that names the part's strategy and options */
    struct strategy strategy;
    float sample[SAMPLE]; /* of its scores, sorted */
    uint32_t nsample;
    uint64_t seen;
};

struct fusion {
    struct part *parts;
    size_t nparts;
    bool by_ranks;
    struct lanes lanes;
    struct rng rng;
    struct arena arena;
    size_t turn;
    uint32_t chosen[AHEAD], former[AHEAD]; /* what comes next, and what was to come before */
    size_t nchosen, nformer, asked, told;
    bool confirmed[AHEAD]; /* a chosen one was asked for: it is still in the queue */
    bool renew;            /* a page was examined: the choice is made anew */
    bool restored;         /* all candidates must be seen once */
};

static const struct strategy_option options[] = {
    {"of", "query-context + query-context-weighted", "two or three strategies, such as 'full-page + text-window:words=10'"},
    {"by", "turns", "turns: each chooses in turn; ranks: the mean of the ranks that they give"},
    {0},
};

/* ---- parts ---- */

static scent_status read_spec(struct fusion *fusion, struct part *part, struct str spec, struct errmsg *err)
{
    struct str rest = str_trim(spec), name, item;
    size_t n = 0;

    if (!str_split(&rest, ':', &name))
        return errmsg_fail(err, SCENT_E_INVALID, "fusion: of must name strategies, such as 'full-page + text-window'");
    part->topic.strategy = str_trim(name);
    part->topic.options = arena_array(&fusion->arena, rest.len + 1, sizeof *part->topic.options);
    SCENT_BUG_IF(!part->topic.options);
    while (str_split(&rest, ',', &item)) {
        size_t equal = str_find(item, '=');

        if (equal == item.len)
            return errmsg_fail(err, SCENT_E_INVALID, "fusion: expected key=value in '%.*s'", STR_ARG(spec));
        part->topic.options[n++] = (struct topic_option){
            str_trim(str_sub(item, 0, equal)), str_trim(str_sub(item, equal + 1, item.len))};
    }
    part->topic.noptions = n;
    return SCENT_OK;
}

static scent_status open_part(struct fusion *fusion, const struct strategy_context *context, struct str spec,
                              struct errmsg *err)
{
    struct part *part = &fusion->parts[fusion->nparts];
    struct strategy_context inner = {.topic = &part->topic, .seed = hash_mix(context->seed, fusion->nparts)};
    const struct strategy_ops *ops;
    scent_status status;

    part->topic = *context->topic;
    status = read_spec(fusion, part, spec, err);
    if (status != SCENT_OK)
        return status;
    ops = strategy_find(part->topic.strategy);
    if (ops && (ops->own_bytes || ops == &strategy_fusion))
        return errmsg_fail(err, SCENT_E_INVALID, "fusion: %s keeps more than a score with its candidates and cannot be fused",
                           ops->name);
    status = strategy_open(&inner, &part->strategy, err);
    fusion->nparts += status == SCENT_OK;
    if (status == SCENT_OK && part->strategy.threshold > -INFINITY)
        return errmsg_fail(err, SCENT_E_INVALID, "fusion: a threshold is one of the whole, not of %s: write it beside 'of'",
                           part->strategy.ops->name);
    return status;
}

static scent_status open_parts(struct fusion *fusion, const struct strategy_context *context, struct errmsg *err)
{
    struct str rest = strategy_option_value(&strategy_fusion, context->topic, "of"), spec;
    scent_status status = SCENT_OK;

    fusion->parts = calloc(LANES_MAX, sizeof *fusion->parts);
    SCENT_BUG_IF(!fusion->parts);
    while (status == SCENT_OK && str_split(&rest, '+', &spec))
        status = fusion->nparts < LANES_MAX
                     ? open_part(fusion, context, spec, err)
                     : errmsg_fail(err, SCENT_E_INVALID, "fusion: at most %d strategies", LANES_MAX);
    if (status == SCENT_OK && fusion->nparts < 2)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "fusion: name two or three strategies, such as of: 'full-page + text-window'");
    return status;
}

static void close_state(void *state)
{
    struct fusion *fusion = state;

    for (size_t i = 0; i < fusion->nparts; i++)
        strategy_close(&fusion->parts[i].strategy);
    free(fusion->parts);
    lanes_release(&fusion->lanes);
    arena_release(&fusion->arena);
    free(fusion);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    static const char *const ways[] = {"turns", "ranks", NULL};
    struct fusion *fusion = calloc(1, sizeof *fusion);
    unsigned way = 0;
    scent_status status;

    SCENT_BUG_IF(!fusion);
    arena_init(&fusion->arena, SIZE_MAX);
    rng_seed(&fusion->rng, context->seed);
    status = option_choice(&strategy_fusion, context->topic, "by", ways, &way, err);
    fusion->by_ranks = way == 1;
    if (status == SCENT_OK)
        status = open_parts(fusion, context, err);
    lanes_init(&fusion->lanes, fusion->nparts);
    if (status == SCENT_OK)
        *state = fusion;
    else
        close_state(fusion);
    return status;
}

/* ---- ranks ---- */

/* The place of the first that is not below. */
static uint32_t place(const struct part *part, float score)
{
    uint32_t low = 0, high = part->nsample;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (part->sample[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A uniform sample of all scores so far: when it is full a new one takes the place of a random old one. */
static void learn_rank(struct fusion *fusion, struct part *part, float score)
{
    uint32_t at;

    if (part->nsample == SAMPLE) {
        uint32_t out = (uint32_t)rng_below(&fusion->rng, SAMPLE);

        if (rng_below(&fusion->rng, ++part->seen) >= SAMPLE)
            return;
        memmove(&part->sample[out], &part->sample[out + 1], (SAMPLE - out - 1) * sizeof *part->sample);
        part->nsample--;
    } else {
        part->seen++;
    }
    at = place(part, score);
    memmove(&part->sample[at + 1], &part->sample[at], (part->nsample - at) * sizeof *part->sample);
    part->sample[at] = score;
    part->nsample++;
}

static float mean_rank(const struct fusion *fusion, const float *scores)
{
    float sum = 0;

    for (size_t i = 0; i < fusion->nparts; i++) {
        const struct part *part = &fusion->parts[i];

        if (part->nsample)
            sum += (float)place(part, scores[i]) / (float)part->nsample;
    }
    return sum / (float)fusion->nparts;
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

    *out = (struct strategy_score){.nparts = (uint8_t)fusion->nparts};
    for (size_t i = 0; i < fusion->nparts; i++) {
        struct part *part = &fusion->parts[i];
        struct strategy_score own = {0};

        part->strategy.ops->score(part->strategy.state, visit, link, &own);
        kept.scores[i] = own.drop ? -INFINITY : own.priority;
        dropped += own.drop;
        if (!own.drop) {
            learn_rank(fusion, part, own.priority);
            if (visit->targets[link] != STRATEGY_UNKNOWN)
                lanes_put(&fusion->lanes, i, visit->targets[link], own.priority);
        }
        out->parts[i] = (struct strategy_part){.name = part->strategy.ops->name, .value = (double)kept.scores[i]};
    }
    out->drop = dropped == fusion->nparts;
    kept.rank = mean_rank(fusion, kept.scores);
    write_kept(kept, out);
}

static void merge(void *state, uint32_t id, const struct strategy_score *before, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept old = read_kept(before), kept = read_kept(score);
    float boost = before->priority;

    for (size_t i = 0; i < fusion->nparts; i++) {
        struct strategy_score was = {.priority = old.scores[i]};
        struct strategy_score now = {.priority = kept.scores[i], .drop = isinf(kept.scores[i])};

        if (!isinf(old.scores[i]) || now.drop)
            strategy_merge(&fusion->parts[i].strategy, id, &was, &now);
        kept.scores[i] = now.priority;
    }
    kept.rank = fmaxf(old.rank, mean_rank(fusion, kept.scores));
    write_kept(kept, score);
    if (boost > 1)
        score->priority = boost; /* it is one of the next */
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct fusion *fusion = state;

    lanes_remove(&fusion->lanes, visit->id);
    for (size_t i = 0; i < fusion->nparts; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;

        if (part->ops->observe)
            part->ops->observe(part->state, visit);
    }
    fusion->turn += !visit->seed;
    fusion->renew = true;
    fusion->asked = 0;
}

/* ---- turns ---- */

static bool find_chosen(const struct fusion *fusion, uint32_t id, size_t *at)
{
    for (size_t i = 0; i < fusion->nchosen; i++)
        if (fusion->chosen[i] == id) {
            *at = i;
            return true;
        }
    return false;
}

/* Who was chosen and not asked for was not in the queue any more: it is fetched already, or was refused. */
static void forget_lost(struct fusion *fusion)
{
    for (size_t i = 0; i < fusion->nchosen; i++)
        if (!fusion->confirmed[i])
            lanes_remove(&fusion->lanes, fusion->chosen[i]);
}

static void choose(struct fusion *fusion)
{
    memcpy(fusion->former, fusion->chosen, sizeof fusion->former);
    fusion->nformer = fusion->nchosen;
    fusion->nchosen = lanes_next(&fusion->lanes, fusion->turn, fusion->chosen, AHEAD);
    memset(fusion->confirmed, 0, sizeof fusion->confirmed);
}

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
    while (fusion->asked < fusion->nparts) {
        const struct strategy *part = &fusion->parts[fusion->asked].strategy;
        size_t n = part->ops->stale ? part->ops->stale(part->state, ids, room) : 0;

        fusion->asked += n != room;
        if (n == STRATEGY_ALL || n == room)
            return n;
        if (n)
            return pad(ids, n, room);
    }
    return 0;
}

/* What was chosen sinks back, what is chosen rises: first those, then these. */
static size_t tell_choice(struct fusion *fusion, uint32_t *ids, size_t room)
{
    size_t n = 0;

    for (; n < room && fusion->told < fusion->nformer + fusion->nchosen; fusion->told++)
        ids[n++] = fusion->told < fusion->nformer ? fusion->former[fusion->told]
                                                  : fusion->chosen[fusion->told - fusion->nformer];
    return n;
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
    if (fusion->renew) {
        fusion->renew = false;
        fusion->told = 0;
        forget_lost(fusion);
        choose(fusion);
    }
    return tell_choice(fusion, ids, room);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept kept = read_kept(score);
    float before = score->priority;
    bool changed = false;
    size_t at;

    for (size_t i = 0; i < fusion->nparts; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;
        struct strategy_score own = {.priority = kept.scores[i]};

        if (part->ops->rescore && part->ops->rescore(part->state, id, &own)) {
            kept.scores[i] = own.priority;
            changed = true;
        }
        lanes_put(&fusion->lanes, i, id, kept.scores[i]);
    }
    if (changed)
        kept.rank = mean_rank(fusion, kept.scores);
    write_kept(kept, score);
    if (find_chosen(fusion, id, &at)) {
        fusion->confirmed[at] = true;
        score->priority = (float)(2 + AHEAD - at);
    }
    return changed || score->priority != before;
}

static bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    struct fusion *fusion = state;

    for (size_t i = 0; i < fusion->nparts; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;
        struct kept kept;

        if (!part->ops->propose || !part->ops->propose(part->state, nothing_left, out))
            continue;
        for (size_t k = 0; k < LANES_MAX; k++)
            kept.scores[k] = k == i ? out->score.priority : -INFINITY;
        kept.rank = mean_rank(fusion, kept.scores);
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
    uint32_t chosen[AHEAD];
    bool confirmed[AHEAD];
};

static void save_part(const struct part *part, struct buf *out)
{
    size_t at;
    uint64_t length = 0;

    array_put(out, &part->nsample, sizeof part->nsample);
    array_put(out, &part->seen, sizeof part->seen);
    array_put(out, part->sample, part->nsample * sizeof *part->sample);
    at = out->len;
    array_put(out, &length, sizeof length);
    if (part->strategy.ops->save && part->strategy.ops->save(part->strategy.state, out) != SCENT_OK)
        out->failed = true;
    if (out->failed)
        return;
    length = out->len - at - sizeof length;
    memcpy(out->p + at, &length, sizeof length);
}

static scent_status save(void *state, struct buf *out)
{
    struct fusion *fusion = state;
    struct saved saved;

    memset(&saved, 0, sizeof saved);
    saved.turn = fusion->turn;
    saved.nchosen = fusion->nchosen;
    saved.gone = fusion->lanes.ids / 8;
    saved.rng = fusion->rng;
    memcpy(saved.chosen, fusion->chosen, sizeof saved.chosen);
    memcpy(saved.confirmed, fusion->confirmed, sizeof saved.confirmed);
    buf_addc(out, VERSION);
    array_put(out, &saved, sizeof saved);
    array_put(out, fusion->lanes.gone, saved.gone);
    for (size_t i = 0; i < fusion->nparts; i++)
        save_part(&fusion->parts[i], out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status fail_load(struct errmsg *err)
{
    return saved_fail("fusion", "or of other strategies", err);
}

static scent_status load_part(struct part *part, struct str *rest, struct errmsg *err)
{
    const struct strategy *strategy = &part->strategy;
    struct str blob;
    uint64_t length;

    if (!array_get(rest, &part->nsample, sizeof part->nsample) || part->nsample > SAMPLE ||
        !array_get(rest, &part->seen, sizeof part->seen) ||
        !array_get(rest, part->sample, part->nsample * sizeof *part->sample) ||
        !array_get(rest, &length, sizeof length) ||
        length > rest->len || (length && !strategy->ops->load))
        return fail_load(err);
    blob = str_sub(*rest, 0, length);
    *rest = str_sub(*rest, length, rest->len);
    return length ? strategy->ops->load(strategy->state, blob, err) : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct fusion *fusion = state;
    struct saved saved;
    scent_status status = saved_open("fusion", VERSION, &blob, err);

    if (status != SCENT_OK)
        return status;
    if (!array_get(&blob, &saved, sizeof saved) || saved.nchosen > AHEAD || saved.gone > blob.len)
        return fail_load(err);
    for (size_t i = 0; i < saved.gone * 8; i++)
        if ((uint8_t)blob.p[i / 8] >> (i % 8) & 1)
            lanes_remove(&fusion->lanes, (uint32_t)i);
    blob = str_sub(blob, saved.gone, blob.len);
    fusion->turn = saved.turn;
    fusion->rng = saved.rng;
    fusion->nchosen = saved.nchosen;
    memcpy(fusion->chosen, saved.chosen, sizeof saved.chosen);
    memcpy(fusion->confirmed, saved.confirmed, sizeof saved.confirmed);
    for (size_t i = 0; i < fusion->nparts && status == SCENT_OK; i++)
        status = load_part(&fusion->parts[i], &blob, err);
    fusion->restored = true;
    return status == SCENT_OK && blob.len ? fail_load(err) : status;
}

/* ---- for other crawls: what each part learned ---- */

struct meaning {
    char text[200];
};

static struct meaning meaning(const struct fusion *fusion)
{
    struct meaning out = {"of"};
    size_t len = 2;

    for (size_t i = 0; i < fusion->nparts; i++)
        len += (size_t)snprintf(out.text + len, sizeof out.text - len, " %s", fusion->parts[i].strategy.ops->name);
    return out;
}

static scent_status learned(void *state, struct buf *out)
{
    const struct fusion *fusion = state;
    scent_status status = SCENT_OK;
    struct buf blob;

    buf_init(&blob, 0);
    counts_put_head(out, LEARNED_VERSION, meaning(fusion).text);
    for (size_t i = 0; i < fusion->nparts && status == SCENT_OK; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;

        buf_clear(&blob);
        if (part->ops->learned)
            status = part->ops->learned(part->state, &blob);
        bytes_put_str(out, buf_str(&blob), 8);
    }
    buf_release(&blob);
    return out->failed ? SCENT_E_NOMEM : status;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct fusion *fusion = state;
    struct bytes in = bytes_of(blob);
    struct str parts[LANES_MAX];
    scent_status status = counts_get_head(&in, "fusion", LEARNED_VERSION, meaning(fusion).text, err);

    if (status != SCENT_OK)
        return status;
    for (size_t i = 0; i < fusion->nparts; i++) {
        parts[i] = bytes_get_str(&in, 8, SIZE_MAX);
        bytes_check(&in, parts[i].len == 0 || fusion->parts[i].strategy.ops->recall, "a part learns nothing");
    }
    status = counts_end(&in, "fusion", err);
    for (size_t i = 0; i < 2 * fusion->nparts && status == SCENT_OK; i++) { /* looks at all of them first */
        const struct strategy *part = &fusion->parts[i % fusion->nparts].strategy;

        if (parts[i % fusion->nparts].len)
            status = part->ops->recall(part->state, parts[i % fusion->nparts], i < fusion->nparts ? 0 : weight, err);
    }
    return status;
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
