/* fusion - several strategies in one crawl, over one frontier (Pirkola and Talvensaari fuse the results of several).
 *
 * By turns: the strategies choose in turn, each the candidate that is best by its own scores. What comes next is given
 * priorities above 1, in the order of the turns; all other candidates have the mean of their ranks, so that a crawl
 * which may not visit the chosen hosts now continues with what all find good. Whose turn it is: turns.h.
 * The other methods give a candidate one number, when it is scored:
 *
 *   ranks      the mean of its ranks; a rank is the share of a strategy's scores so far that lie below
 *   combsum    the sum of its scores, each scaled from the least (0) to the largest (1) that its strategy gave so far
 *              (Fox and Shaw); 1 where all were the same, 0 where the strategy drops it
 *   combmnz    the same, times the number of strategies that give it more than 0
 *   condorcet  the share of other candidates that it beats: more strategies prefer it than prefer the other; a draw
 *              counts half (the Copeland score)
 *   fisher     the sum of -ln p, where p is the share of a strategy's scores so far that are as large (Fisher's method
 *              for independent tests). Ranks say only that a score is above most; here one of a thousand counts more
 *              than one of ten, and a strategy to which all candidates are the same says nothing
 *
 * Ranks and fisher go by a uniform sample of 1,024 scores a strategy, condorcet by one of 128 candidates [R].
 * Own bytes: the score of each part and the number (4 each). State: 15 KB; by turns that of turns.h; and the parts'. */
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"
#include "strategy/turns.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION = 1, LEARNED_VERSION = 1, SAMPLE = 1024, RIVALS = 128 };
enum { BY_TURNS, BY_RANKS, BY_COMBSUM, BY_COMBMNZ, BY_CONDORCET, BY_FISHER };

struct fusion {
    struct fusion_part {
        struct topic topic; /* a copy that names the part's strategy and options */
        struct strategy strategy;
        struct ranks {
            float sample[SAMPLE]; /* of its scores, sorted */
            uint32_t count;
            uint64_t seen;
        } ranks;
        float least, most; /* of its scores so far; most < least: there was none */
    } parts[TURNS_MAX];
    struct rivals {
        float scores[RIVALS][TURNS_MAX]; /* of a sample of candidates, one a part; -INFINITY: it drops it */
        uint32_t count;
        uint64_t seen;
    } rivals;
    size_t count; /* 2 to TURNS_MAX */
    struct arena arena;
    struct turns turns;
    unsigned by;
    struct rng rng;
    size_t asked;  /* parts that were, for what is stale */
    bool restored; /* all candidates must be seen once */
};

static const struct strategy_option options[] = {
    {"of", "query-context + query-context-weighted",
     "two or three strategies, such as 'full-page + text-window:words=10'", OPTION_TEXT},
    {"by", "turns",
     "turns (each chooses in turn), ranks (the mean of the ranks that they give), combsum (the sum of their scores, "
     "each from 0 to 1), combmnz (that, times the number of strategies that like it), condorcet (how many others it "
     "beats by the majority of strategies) or fisher (how rare scores as large are, for all strategies together)",
     OPTION_CHOICE(struct fusion, by, "turns", "ranks", "combsum", "combmnz", "condorcet", "fisher")},
    {0},
};

/* ---- the parts ---- */

static scent_status read_spec(struct fusion *fusion, struct fusion_part *part, struct str spec, struct errmsg *err)
{
    struct str rest = str_trim(spec), name, item;
    struct topic_option *given = arena_array(&fusion->arena, rest.len + 1, sizeof *given);
    size_t n = 0;

    SCENT_BUG_IF(!given);
    if (!str_split(&rest, ':', &name))
        return errmsg_fail(err, SCENT_E_INVALID, "fusion: of must name strategies, such as 'full-page + text-window'");
    part->topic.strategy = str_trim(name);
    part->topic.options = given;
    while (str_split(&rest, ',', &item)) {
        size_t equal = str_find(item, '=');

        if (equal == item.len)
            return errmsg_fail(err, SCENT_E_INVALID, "fusion: expected key=value in '%.*s'", STR_ARG(spec));
        given[n++] = (struct topic_option){str_trim(str_sub(item, 0, equal)),
                                           str_trim(str_sub(item, equal + 1, item.len))};
    }
    part->topic.noptions = n;
    return SCENT_OK;
}

static scent_status open_part(struct fusion *fusion, const struct strategy_context *context, struct str spec,
                              struct errmsg *err)
{
    struct fusion_part *part = &fusion->parts[fusion->count];
    struct strategy_context inner = {.topic = &part->topic,
                                      .knowledge = context->knowledge,
                                      .seed = hash_mix(context->seed, fusion->count)};
    const struct strategy_ops *ops;

    part->topic = *context->topic;
    part->least = INFINITY;
    part->most = -INFINITY;
    SCENT_TRY(read_spec(fusion, part, spec, err));
    ops = strategy_find(part->topic.strategy);
    if (ops && (ops->own_bytes || ops == &strategy_fusion))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "fusion: %s keeps more than a score with its candidates and cannot be fused", ops->name);
    SCENT_TRY(strategy_open(&inner, &part->strategy, err));
    fusion->count++;
    if (option_is_given(&part->topic, "threshold"))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "fusion: a threshold is one of the whole, not of %s: write it beside 'of'",
                           part->strategy.ops->name);
    return SCENT_OK;
}

static scent_status open_parts(struct fusion *fusion, const struct strategy_context *context, struct errmsg *err)
{
    struct str of = option_text(options, context->topic, "of"), spec;

    while (str_split(&of, '+', &spec)) {
        if (fusion->count == TURNS_MAX)
            return errmsg_fail(err, SCENT_E_INVALID, "fusion: at most %d strategies", TURNS_MAX);
        SCENT_TRY(open_part(fusion, context, spec, err));
    }
    if (fusion->count < 2)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "fusion: name two or three strategies, such as of: 'full-page + text-window'");
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct fusion *fusion = state;

    for (size_t i = 0; i < fusion->count; i++)
        strategy_close(&fusion->parts[i].strategy);
    arena_release(&fusion->arena);
    turns_release(&fusion->turns);
    free(fusion);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct fusion *fusion;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *fusion, state, err));
    fusion = *state;
    arena_init(&fusion->arena, SIZE_MAX);
    rng_seed(&fusion->rng, 1); /* whom a sample takes is no choice: without a seed a crawl goes the same way, too */
    status = open_parts(fusion, context, err);
    turns_init(&fusion->turns, fusion->count);
    if (status != SCENT_OK)
        close_state(fusion);
    return status;
}

/* ---- ranks: how high a score is among those that a strategy gave so far ---- */

/* The place of the first that is not below. */
static uint32_t place_of(const struct ranks *ranks, float score)
{
    uint32_t low = 0, high = ranks->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranks->sample[middle] < score)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* When the sample is full a new one takes the place of a random old one. */
static void learn_rank(struct ranks *ranks, float score, struct rng *rng)
{
    uint32_t at;

    if (ranks->count == SAMPLE) {
        uint32_t out = (uint32_t)rng_below(rng, SAMPLE);

        if (rng_below(rng, ++ranks->seen) >= SAMPLE)
            return;
        memmove(&ranks->sample[out], &ranks->sample[out + 1], (SAMPLE - out - 1) * sizeof *ranks->sample);
        ranks->count--;
    } else {
        ranks->seen++;
    }
    at = place_of(ranks, score);
    memmove(&ranks->sample[at + 1], &ranks->sample[at], (ranks->count - at) * sizeof *ranks->sample);
    ranks->sample[at] = score;
    ranks->count++;
}

static float rank_of(const struct ranks *ranks, float score)
{
    return ranks->count ? (float)place_of(ranks, score) / (float)ranks->count : 0;
}

/* The mean of the ranks of one score a part. */
static float mean_rank(const struct fusion *fusion, const float *scores)
{
    float sum = 0;

    for (size_t i = 0; i < fusion->count; i++)
        sum += rank_of(&fusion->parts[i].ranks, scores[i]);
    return sum / (float)fusion->count;
}

static float fisher(const struct fusion *fusion, const float *scores)
{
    float sum = 0;

    for (size_t i = 0; i < fusion->count; i++) {
        const struct ranks *ranks = &fusion->parts[i].ranks;

        if (!isinf(scores[i]))
            sum -= logf((float)(1 + ranks->count - place_of(ranks, scores[i])) / (float)(1 + ranks->count));
    }
    return sum;
}

/* ---- the other methods ---- */

static float comb(const struct fusion *fusion, const float *scores)
{
    float sum = 0, like = 0;

    for (size_t i = 0; i < fusion->count; i++) {
        const struct fusion_part *part = &fusion->parts[i];
        float share = isinf(scores[i]) ? 0 : 1;

        if (share > 0 && part->most > part->least)
            share = fminf(fmaxf((scores[i] - part->least) / (part->most - part->least), 0), 1);
        sum += share;
        like += share > 0;
    }
    return fusion->by == BY_COMBMNZ ? sum * like : sum;
}

/* How many parts prefer a to b, less those that prefer b to a. */
static int majority(const float *a, const float *b, size_t parts)
{
    int votes = 0;

    for (size_t i = 0; i < parts; i++)
        votes += (a[i] > b[i]) - (a[i] < b[i]);
    return votes;
}

static float condorcet(const struct fusion *fusion, const float *scores)
{
    const struct rivals *rivals = &fusion->rivals;
    float won = 0;

    for (uint32_t i = 0; i < rivals->count; i++) {
        int votes = majority(scores, rivals->scores[i], fusion->count);

        won += votes > 0 ? 1 : votes == 0 ? .5f : 0;
    }
    return rivals->count ? won / (float)rivals->count : .5f;
}

static void learn_rival(struct rivals *rivals, const float *scores, struct rng *rng)
{
    uint64_t at = rivals->seen++;

    if (at >= RIVALS)
        at = rng_below(rng, rivals->seen);
    if (at >= RIVALS)
        return;
    memcpy(rivals->scores[at], scores, sizeof rivals->scores[at]);
    rivals->count += at == rivals->count;
}

/* The number of a candidate with these scores, one a part. */
static float worth(const struct fusion *fusion, const float *scores)
{
    switch (fusion->by) {
    case BY_COMBSUM:
    case BY_COMBMNZ:
        return comb(fusion, scores);
    case BY_CONDORCET:
        return condorcet(fusion, scores);
    case BY_FISHER:
        return fisher(fusion, scores);
    default:
        return mean_rank(fusion, scores);
    }
}

/* What the method must know of a new score. */
static void learn_score(struct fusion *fusion, struct fusion_part *part, float score)
{
    part->least = fminf(part->least, score);
    part->most = fmaxf(part->most, score);
    if (fusion->by == BY_TURNS || fusion->by == BY_RANKS || fusion->by == BY_FISHER)
        learn_rank(&part->ranks, score, &fusion->rng);
}

/* ---- scores ---- */

/* What is kept with a candidate. */
struct kept {
    float scores[TURNS_MAX];
    float worth; /* when the scores were given: ranks drift, and a restart must not change them */
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
    out->priority = kept.worth;
}

/* What a candidate's number is made of: of which ranks and fisher go by the counts. */
static void fill_parts(const struct fusion *fusion, const float *scores, struct strategy_score *out)
{
    out->nparts = (uint8_t)fusion->count;
    for (size_t i = 0; i < fusion->count; i++) {
        const struct ranks *ranks = &fusion->parts[i].ranks;

        out->parts[i] = (struct strategy_part){.name = fusion->parts[i].strategy.ops->name,
                                               .value = (double)scores[i],
                                               .counted = "of its scores are as large",
                                               .count = ranks->count - place_of(ranks, scores[i]),
                                               .of = ranks->count};
    }
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct fusion *fusion = state;
    struct kept kept = {0};
    size_t dropped = 0;

    *out = (struct strategy_score){0};
    for (size_t i = 0; i < fusion->count; i++) {
        struct fusion_part *part = &fusion->parts[i];
        struct strategy_score own = {0};

        part->strategy.ops->score(part->strategy.state, visit, link, &own);
        kept.scores[i] = own.drop ? -INFINITY : own.priority;
        dropped += own.drop;
        if (!own.drop) {
            learn_score(fusion, part, own.priority);
            if (fusion->by == BY_TURNS && visit->targets[link] != STRATEGY_UNKNOWN)
                turns_put(&fusion->turns, i, visit->targets[link], own.priority);
        }
    }
    out->drop = dropped == fusion->count;
    kept.worth = worth(fusion, kept.scores);
    fill_parts(fusion, kept.scores, out);
    if (fusion->by == BY_CONDORCET && !out->drop)
        learn_rival(&fusion->rivals, kept.scores, &fusion->rng);
    write_kept(kept, out);
}

static void merge(void *state, uint32_t id, const struct strategy_score *before, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept old = read_kept(before), kept = read_kept(score);
    float boost = before->priority, found;

    for (size_t i = 0; i < fusion->count; i++) {
        struct strategy_score was = {.priority = old.scores[i]};
        struct strategy_score now = {.priority = kept.scores[i], .drop = isinf(kept.scores[i])};

        if (!isinf(old.scores[i]) || now.drop)
            strategy_merge(&fusion->parts[i].strategy, id, &was, &now);
        kept.scores[i] = now.priority;
    }
    found = worth(fusion, kept.scores);
    kept.worth = fmaxf(old.worth, found);
    fill_parts(fusion, kept.scores, score);
    if (old.worth >= found)
        score->nparts = 0; /* what it was made of before still stands */
    write_kept(kept, score);
    if (fusion->by == BY_TURNS && boost > 1)
        score->priority = boost; /* it is one of the next */
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct fusion *fusion = state;

    turns_visited(&fusion->turns, visit->id, visit->seed);
    for (size_t i = 0; i < fusion->count; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;

        if (part->ops->observe)
            part->ops->observe(part->state, visit);
    }
    fusion->asked = 0;
}

/* A part that counts what it is asked is asked no more often than links come. */
static bool adopt(void *state, const struct knowledge *knowledge)
{
    struct fusion *fusion = state;
    bool all = fusion->by != BY_TURNS;
    const struct strategy *part;

    for (size_t i = 0; i < fusion->count && (part = &fusion->parts[i].strategy); i++)
        all &= part->ops->adopt && part->ops->adopt(part->state, knowledge);
    return all;
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
    while (fusion->asked < fusion->count) {
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

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct fusion *fusion = state;
    size_t n;

    if (fusion->restored) {
        fusion->restored = false;
        while (stale_of_parts(fusion, ids, room)) /* with all of them, those of the parts are done too */
            ;
        return STRATEGY_ALL;
    }
    n = stale_of_parts(fusion, ids, room);
    if (n || fusion->by != BY_TURNS)
        return n;
    return turns_stale(&fusion->turns, ids, room);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    struct fusion *fusion = state;
    struct kept kept = read_kept(score);
    float before = score->priority;
    bool changed = false;

    for (size_t i = 0; i < fusion->count; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;
        struct strategy_score own = {.priority = kept.scores[i]};

        if (part->ops->rescore && part->ops->rescore(part->state, id, &own)) {
            kept.scores[i] = own.priority;
            changed = true;
        }
        if (fusion->by == BY_TURNS)
            turns_put(&fusion->turns, i, id, kept.scores[i]);
    }
    if (changed)
        kept.worth = worth(fusion, kept.scores);
    write_kept(kept, score);
    if (fusion->by == BY_TURNS)
        (void)turns_find(&fusion->turns, id, &score->priority);
    return changed || score->priority != before;
}

/* The number that is in force, as it was when its scores were given; the counts are those of now. */
static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    const struct fusion *fusion = state;
    struct kept kept = read_kept(score);
    bool scored = kept.worth != 0; /* else no link led to it */

    (void)id;
    for (size_t i = 0; i < fusion->count; i++)
        scored |= kept.scores[i] != 0;
    if (score->priority != kept.worth && !(fusion->by == BY_TURNS && score->priority > 1 && scored))
        return false;
    fill_parts(fusion, kept.scores, score);
    return true;
}

static bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    struct fusion *fusion = state;

    for (size_t i = 0; i < fusion->count; i++) {
        const struct strategy *part = &fusion->parts[i].strategy;
        struct kept kept;

        if (!part->ops->propose || !part->ops->propose(part->state, nothing_left, out))
            continue;
        for (size_t k = 0; k < TURNS_MAX; k++)
            kept.scores[k] = k == i ? out->score.priority : -INFINITY;
        kept.worth = worth(fusion, kept.scores);
        write_kept(kept, &out->score);
        return true;
    }
    return false;
}

/* ---- keeping ---- */

/* What combsum, combmnz and condorcet go by; the other methods do not need it. */
static void save_numbers(const struct fusion *fusion, struct buf *out)
{
    const struct rivals *rivals = &fusion->rivals;

    for (size_t i = 0; i < fusion->count && (fusion->by == BY_COMBSUM || fusion->by == BY_COMBMNZ); i++) {
        saved_put_array(out, &fusion->parts[i].least, 1, sizeof(float));
        saved_put_array(out, &fusion->parts[i].most, 1, sizeof(float));
    }
    if (fusion->by != BY_CONDORCET)
        return;
    bytes_put(out, rivals->count, 4);
    bytes_put(out, rivals->seen, 8);
    saved_put_array(out, rivals->scores, (size_t)rivals->count * TURNS_MAX, sizeof(float));
}

static void load_numbers(struct fusion *fusion, struct bytes *in)
{
    struct rivals *rivals = &fusion->rivals;

    for (size_t i = 0; i < fusion->count && (fusion->by == BY_COMBSUM || fusion->by == BY_COMBMNZ); i++) {
        saved_get_array(in, &fusion->parts[i].least, 1, sizeof(float));
        saved_get_array(in, &fusion->parts[i].most, 1, sizeof(float));
        bytes_check(in, !isnan(fusion->parts[i].least) && !isnan(fusion->parts[i].most), "a score is not a number");
    }
    if (fusion->by != BY_CONDORCET)
        return;
    rivals->count = (uint32_t)bytes_get(in, 4);
    rivals->seen = bytes_get(in, 8);
    if (bytes_check(in, rivals->count <= RIVALS && rivals->seen >= rivals->count, "a sample is too large"))
        saved_get_array(in, rivals->scores, (size_t)rivals->count * TURNS_MAX, sizeof(float));
}

static scent_status save(void *state, struct buf *out)
{
    const struct fusion *fusion = state;
    const struct turns *turns = &fusion->turns;

    buf_addc(out, VERSION);
    bytes_put(out, turns->turn, 8);
    bytes_put(out, turns->nchosen, 8);
    bytes_put(out, turns->ids / 8, 8);
    saved_put_array(out, fusion->rng.s, sizeof fusion->rng.s / sizeof *fusion->rng.s, sizeof *fusion->rng.s);
    turns_save_choice(turns, out);
    for (const struct fusion_part *part = fusion->parts; part < fusion->parts + fusion->count; part++) {
        bytes_put(out, part->ranks.count, 4);
        bytes_put(out, part->ranks.seen, 8);
        saved_put_array(out, part->ranks.sample, part->ranks.count, sizeof *part->ranks.sample);
        SCENT_TRY(saved_put_part(part->strategy.ops->save, part->strategy.state, out));
    }
    save_numbers(fusion, out);
    if (fusion->by == BY_TURNS)
        turns_save_queues(turns, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct fusion *fusion = state;
    struct turns *turns = &fusion->turns;
    struct bytes in;
    uint64_t gone;

    SCENT_TRY(saved_open("fusion", VERSION, blob, &in, err));
    turns->turn = bytes_get(&in, 8);
    turns->nchosen = bytes_get(&in, 8);
    gone = bytes_get(&in, 8);
    saved_get_array(&in, fusion->rng.s, sizeof fusion->rng.s / sizeof *fusion->rng.s, sizeof *fusion->rng.s);
    turns_load_choice(turns, gone, &in);
    for (struct fusion_part *part = fusion->parts; part < fusion->parts + fusion->count; part++) {
        part->ranks.count = (uint32_t)bytes_get(&in, 4);
        part->ranks.seen = bytes_get(&in, 8);
        if (bytes_check(&in, part->ranks.count <= SAMPLE, "a sample is too large"))
            saved_get_array(&in, part->ranks.sample, part->ranks.count, sizeof *part->ranks.sample);
        blob = saved_get_part(&in);
        if (bytes_check(&in, blob.len == 0 || part->strategy.ops->load, "it is of other strategies") && blob.len)
            SCENT_TRY(part->strategy.ops->load(part->strategy.state, blob, err));
    }
    load_numbers(fusion, &in);
    if (fusion->by == BY_TURNS)
        turns_load_queues(turns, gone * 8, &in);
    fusion->restored = true;
    return saved_end("fusion", &in, err);
}

/* ---- for other crawls: what each part learned ---- */

struct meaning {
    char text[200];
};

static struct meaning meaning(const struct fusion *fusion)
{
    struct meaning out = {"of"};
    size_t len = 2;

    for (size_t i = 0; i < fusion->count; i++)
        len += (size_t)snprintf(out.text + len, sizeof out.text - len, " %s", fusion->parts[i].strategy.ops->name);
    return out;
}

static scent_status learned(void *state, struct buf *out)
{
    const struct fusion *fusion = state;

    saved_begin_learned(out, LEARNED_VERSION, meaning(fusion).text);
    for (size_t i = 0; i < fusion->count; i++)
        SCENT_TRY(saved_put_part(fusion->parts[i].strategy.ops->learned, fusion->parts[i].strategy.state, out));
    return SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct fusion *fusion = state;
    struct bytes in = bytes_of(blob);
    struct str parts[TURNS_MAX];

    SCENT_TRY(saved_open_learned("fusion", LEARNED_VERSION, meaning(fusion).text, &in, err));
    for (size_t i = 0; i < fusion->count; i++) {
        parts[i] = saved_get_part(&in);
        bytes_check(&in, parts[i].len == 0 || fusion->parts[i].strategy.ops->recall, "a part learns nothing");
    }
    SCENT_TRY(saved_end_learned("fusion", &in, err));
    for (size_t i = 0; i < 2 * fusion->count; i++) { /* looks at all of them first */
        const struct strategy *part = &fusion->parts[i % fusion->count].strategy;

        if (parts[i % fusion->count].len)
            SCENT_TRY(part->ops->recall(part->state, parts[i % fusion->count], i < fusion->count ? 0 : weight, err));
    }
    return SCENT_OK;
}

static const char *undivided(void *state)
{
    const struct fusion *fusion = state;
    const char *why = NULL;

    for (size_t i = 0; i < fusion->count && !why; i++)
        why = strategy_undivided(&fusion->parts[i].strategy);
    return why;
}

const struct strategy_ops strategy_fusion = {
    .name = "fusion",
    .summary = "several strategies in one crawl, choosing in turn or by their scores together",
    .paper = "after Pirkola and Talvensaari, who fuse the results of several crawls",
    .idle_threshold = "in turns the next candidates are above all others (by: ranks has one)",
    .options = options,
    .wants = JUDGE_COSINE | JUDGE_QUERY | JUDGE_CLASSES,
    .own_bytes = STRATEGY_OWN_BYTES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .adopt = adopt,
    .propose = propose,
    .undivided = undivided,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
