/* intelligent - learns during the crawl which words of linking pages, which tokens of URLs, which links and which
 * siblings lead to the predicate, whatever it is (Aggarwal).
 *
 * The statistics are brought up to date with each page, before its links are scored; a score is always made from all
 * known parents (learner.h). Scores of other candidates drift with the statistics. `never` is Figure 1 of the paper;
 * `always` scores all of them again, exactly, after each page; `bounded` does so much and no more:
 *   after each page its siblings, with what is known of links and siblings now;
 *   while at most 16,384 URLs are known, all of them when the crawl has grown by an eighth; from there on the next 256
 *   in turn after each page, and the words of the next 32 pages; what the words of several parents say is estimated
 *   (learner_glance);
 *   after each page the 64 best that were met, and of these the first 16 exactly, all of them after a look at everything.
 * Balanced weights are the means over one such pass or turn. docs/decisions/0020-bounded-rescoring.md tells why.
 *
 * State, with its bounds: learner.h; and 27 KB. */
#include "strategy/aggarwal.h"
#include "strategy/array.h"
#include "strategy/experience.h"
#include "strategy/learner.h"
#include "strategy/option.h"
#include "strategy/saved.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 4, FACTORS = LEARNER_FACTORS };
enum { SIBLINGS = KINSHIP_PARENTS * KINSHIP_CHILDREN, BEST = 64, RENEWED = 16,
       AT_ONCE = 16384, PASSES = 8, REFRESHED = 32, LOOKED_AT = 256, SAMPLED = 512, EVERY = 128 };
enum { NEVER, BOUNDED, ALWAYS };
enum { EQUAL, BALANCED, MANUAL };

struct intelligent {
    struct learner learner;
    double weight[FACTORS];
    unsigned rescore, weights;
    uint32_t examined; /* the page whose links were considered last */
    struct turn {
        uint64_t next;        /* id */
        double sums[FACTORS]; /* of the sizes of factors, */
        double candidates;    /* over so many, since the turn began */
    } turn;
    uint64_t passed;         /* pages, when everything was looked at */
    struct best {
        float priority;
        uint32_t id;
    } best[BEST];            /* candidates that were met, with the priorities that they had then */
    uint64_t nbest;
    bool all;                /* everything is stale */
    uint32_t stale[SIBLINGS + LOOKED_AT + BEST];
    size_t nstale, handed;   /* of the stale ones, given out */
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed (n: relevant, siblings: above, weights: equal, rescore: never)"},
    {"significance", "2", "t: standard deviations from which a word or token counts"},
    {"n", "event", "pages that make the deviation: event (those with the word) or relevant (the relevant ones, as printed)"},
    {"tokens", "plain", "URLs are split at . and / (plain) or at all but letters and digits (fine)"},
    {"siblings", "both", "they speak for and against (both) or only for a candidate (above)"},
    {"weights", "balanced", "of the four factors: equal, balanced (by their mean size over the candidates) or manual"},
    {"content", "1", "with weights: manual, of the words of linking pages"},
    {"url", "1", "with weights: manual, of the tokens of the URL"},
    {"links", "1", "with weights: manual, of the relevance of linking pages"},
    {"sibling", "1", "with weights: manual, of the relevance of siblings"},
    {"rescore", "bounded", "candidates are scored again: never, bounded or always (after each page, all of them)"},
    {0},
};

/* ---- options ---- */

static scent_status read_choices(const struct topic *topic, struct intelligent *in, struct errmsg *err)
{
    enum { CHOICES = 6 };
    static const struct option_preset choices[CHOICES] = {
        {"preset", {"ours", "paper"}, 1},
        {"n", {"event", "relevant"}, 1},
        {"tokens", {"plain", "fine"}, 0},
        {"siblings", {"both", "above"}, 1},
        {"weights", {"equal", "balanced", "manual"}, EQUAL},
        {"rescore", {"never", "bounded", "always"}, NEVER},
    };
    unsigned chosen[CHOICES];
    scent_status status = option_choices(&strategy_intelligent, topic, choices, CHOICES, chosen, err);

    if (status != SCENT_OK)
        return status;
    in->learner.known.printed_n = chosen[1];
    in->learner.fine = chosen[2];
    in->learner.known.above_only = chosen[3];
    in->weights = chosen[4];
    in->rescore = chosen[5];
    return SCENT_OK;
}

static scent_status read_options(const struct topic *topic, struct intelligent *in, struct errmsg *err)
{
    static const char *const names[FACTORS] = {"content", "url", "links", "sibling"};
    scent_status status = read_choices(topic, in, err);

    if (status == SCENT_OK)
        status = option_double(&strategy_intelligent, topic, "significance", 0, 100, &in->learner.known.t, err);
    for (int i = 0; i < FACTORS && status == SCENT_OK; i++) {
        status = option_double(&strategy_intelligent, topic, names[i], 0, 1000, &in->weight[i], err);
        if (status == SCENT_OK && in->weights != MANUAL) {
            if (option_is_given(topic, names[i]))
                return errmsg_fail(err, SCENT_E_INVALID, "intelligent: %s is a weight; it needs weights: manual",
                                   names[i]);
            in->weight[i] = 1;
        }
    }
    return status;
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct intelligent *in = calloc(1, sizeof *in);
    scent_status status;

    SCENT_BUG_IF(!in);
    in->examined = STRATEGY_UNKNOWN;
    status = read_options(context->topic, in, err);
    if (status == SCENT_OK)
        *state = in;
    else
        free(in);
    return status;
}

static void close_state(void *state)
{
    struct intelligent *in = state;

    learner_release(&in->learner);
    free(in);
}

/* ---- weights ---- */

/* What is known of it, weighted: the priority that it has from now on. */
static float rank(struct intelligent *in, struct kinship_url *url)
{
    double logs[FACTORS], sum = 0;

    learner_logs(&in->learner, url, logs);
    for (int i = 0; i < FACTORS; i++)
        sum += in->weight[i] * logs[i];
    return url->priority = (float)sum;
}

/* Looks it up exactly, for the means. */
static void sample(struct intelligent *in, struct kinship_url *url)
{
    double logs[FACTORS];

    learner_consider(&in->learner, url);
    learner_logs(&in->learner, url, logs);
    in->turn.candidates++;
    for (int i = 0; i < FACTORS; i++)
        in->turn.sums[i] += fabs(logs[i]);
}

/* Each factor by its mean size over the candidates: a product over hundreds of words must not drown the others. What
 * rounding leaves of a mean of 0 is 0. */
static void end_turn(struct intelligent *in)
{
    for (int i = 0; i < FACTORS && in->weights == BALANCED; i++)
        in->weight[i] = in->turn.sums[i] > 1e-9 * in->turn.candidates ? in->turn.candidates / in->turn.sums[i] : 1;
    in->turn = (struct turn){0};
}

/* ---- candidates whose scores drifted ---- */

static void renew_all(struct intelligent *in)
{
    struct kinship *kin = &in->learner.kin;

    for (size_t id = 0; id < kin->nurls; id++)
        if (learner_is_candidate(&kin->urls[id]))
            sample(in, &kin->urls[id]);
    end_turn(in);
    for (size_t id = 0; id < kin->nurls; id++)
        if (learner_is_candidate(&kin->urls[id]))
            rank(in, &kin->urls[id]);
    in->all = true;
}

/* Best first; of equal ones the first. */
static void keep_best(struct intelligent *in, float priority, uint32_t id)
{
    struct best *best = in->best;
    size_t at = in->nbest;

    if (at == BEST && priority <= best[BEST - 1].priority)
        return;
    while (at && best[at - 1].priority < priority)
        at--;
    in->nbest += in->nbest < BEST;
    memmove(best + at + 1, best + at, (in->nbest - at - 1) * sizeof *best);
    best[at] = (struct best){.priority = priority, .id = id};
}

/* The same of one that may be among them. */
static void meet(struct intelligent *in, float priority, uint32_t id)
{
    if (in->nbest == BEST && priority <= in->best[BEST - 1].priority)
        return;
    for (size_t i = 0; i < in->nbest; i++)
        if (in->best[i].id == id)
            return;
    keep_best(in, priority, id);
}

/* The best are what comes next: after each page all of them are looked at, and those that are in front then exactly. */
static void renew_best(struct intelligent *in, size_t exactly)
{
    const struct kinship *kin = &in->learner.kin;
    struct best old[BEST];
    size_t count = in->nbest;

    memcpy(old, in->best, count * sizeof *old);
    in->nbest = 0;
    for (size_t i = 0; i < count; i++) {
        if (!learner_is_candidate(&kin->urls[old[i].id]))
            continue;
        learner_glance(&in->learner, &kin->urls[old[i].id]);
        keep_best(in, rank(in, &kin->urls[old[i].id]), old[i].id);
        in->stale[in->nstale++] = old[i].id;
    }
    for (size_t i = 0; i < exactly && i < in->nbest; i++) {
        learner_consider(&in->learner, &kin->urls[in->best[i].id]);
        rank(in, &kin->urls[in->best[i].id]);
    }
}

/* All URLs at once. Some are looked up exactly, and the weights are made of these: what is estimated for all of them errs in
 * one direction. */
static void pass(struct intelligent *in)
{
    const struct kinship *kin = &in->learner.kin;
    size_t every = kin->nurls / SAMPLED + 1;

    in->passed = kin->npages;
    in->turn = (struct turn){0};
    learner_refresh(&in->learner, kin->npages);
    for (size_t id = 0; id < kin->nurls; id += every)
        if (learner_is_candidate(&kin->urls[id]))
            sample(in, &kin->urls[id]);
    end_turn(in);
    in->nbest = 0;
    for (size_t id = 0; id < kin->nurls; id++)
        if (learner_is_candidate(&kin->urls[id])) {
            learner_glance(&in->learner, &kin->urls[id]);
            keep_best(in, rank(in, &kin->urls[id]), (uint32_t)id);
        }
    in->all = true;
    in->nstale = 0;
}

/* The URLs from turn.next on. */
static void take_turn(struct intelligent *in)
{
    const struct kinship *kin = &in->learner.kin;
    size_t id = in->turn.next, end = kin->nurls - id < LOOKED_AT ? kin->nurls : id + LOOKED_AT;

    learner_refresh(&in->learner, REFRESHED);
    for (; id < end; id++) {
        if (!learner_is_candidate(&kin->urls[id]))
            continue;
        if (id % EVERY == 0)
            sample(in, &kin->urls[id]);
        learner_glance(&in->learner, &kin->urls[id]);
        meet(in, rank(in, &kin->urls[id]), (uint32_t)id);
        in->stale[in->nstale++] = (uint32_t)id;
    }
    in->turn.next = end;
    if (end == kin->nurls)
        end_turn(in);
}

static void note_drift(struct intelligent *in)
{
    const struct kinship *kin = &in->learner.kin;

    for (size_t i = 0; i < in->nstale; i++) /* the siblings */
        rank(in, &kin->urls[in->stale[i]]);
    if (kin->nurls > AT_ONCE)
        take_turn(in);
    else if (kin->npages * PASSES >= in->passed * (PASSES + 1))
        pass(in);
    renew_best(in, in->all ? BEST : RENEWED);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct intelligent *in = state;
    size_t siblings;

    if (!learner_observe(&in->learner, visit, in->stale, SIBLINGS, &siblings))
        return;
    in->examined = visit->id;
    in->handed = 0;
    in->nstale = in->rescore == BOUNDED ? siblings : 0;
    if (in->rescore == BOUNDED)
        note_drift(in);
    if (in->rescore == ALWAYS)
        renew_all(in);
}

/* ---- scoring ---- */

static void tell(const struct intelligent *in, struct strategy_score *out)
{
    double sum = 0;

    for (int i = 0; i < FACTORS; i++) {
        sum += in->weight[i] * out->parts[i].value;
        out->parts[i].weight = (float)in->weight[i];
    }
    out->nparts = FACTORS;
    out->priority = (float)sum;
}

/* Of a copy's links nothing was considered: it is not observed. */
static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct intelligent *in = state;
    struct kinship_url *url = learner_url(&in->learner, visit->targets[link]);
    double logs[FACTORS] = {0};

    if (url && visit->id != in->examined)
        learner_consider(&in->learner, url);
    if (url)
        learner_logs(&in->learner, url, logs);
    if (!url || !url->ntokens)
        logs[LEARNER_TOKENS] = learner_stranger(&in->learner, &visit->page->links[link].url);
    *out = (struct strategy_score){0};
    learner_parts(url, logs, out->parts);
    tell(in, out);
    if (!url)
        return;
    url->priority = out->priority;
    if (in->rescore == BOUNDED && learner_is_candidate(url))
        meet(in, url->priority, visit->targets[link]);
}

/* The new score is made from all known parents already. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    (void)state, (void)id, (void)kept, (void)score_;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct intelligent *in = state;
    size_t count = in->nstale - in->handed;

    if (in->all) {
        in->all = false;
        return STRATEGY_ALL;
    }
    count = count < room ? count : room;
    if (count)
        memcpy(ids, in->stale + in->handed, count * sizeof *ids);
    in->handed += count;
    return count;
}

/* What is stale was ranked already. With `never` this is asked by others only, for whom nothing was looked at before. */
static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    struct intelligent *in = state;
    struct kinship_url *url = learner_url(&in->learner, id);
    float before = kept->priority;

    if (!url || !learner_is_candidate(url))
        return false;
    if (in->rescore == NEVER) {
        learner_consider(&in->learner, url);
        rank(in, url);
    }
    kept->priority = url->priority;
    return kept->priority != before;
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    struct intelligent *in = state;
    struct kinship_url *url = learner_url(&in->learner, id);

    if (!url || !url->linking)
        return false;
    learner_explain(&in->learner, url, kept->parts);
    tell(in, kept);
    url->priority = kept->priority;
    return true;
}

/* ---- keeping ---- */

struct saved {
    double weight[FACTORS];
    struct turn turn;
    uint64_t passed, nbest;
    struct best best[BEST];
};

static scent_status save(void *state, struct buf *out)
{
    const struct intelligent *in = state;
    struct saved saved = {.turn = in->turn, .passed = in->passed, .nbest = in->nbest};

    memcpy(saved.weight, in->weight, sizeof saved.weight);
    memcpy(saved.best, in->best, in->nbest * sizeof *in->best);
    buf_addc(out, VERSION);
    array_put(out, &saved, sizeof saved);
    learner_save(&in->learner, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static bool is_sound(const struct saved *saved, const struct kinship *kin)
{
    for (int i = 0; i < FACTORS; i++)
        if (!(saved->weight[i] >= 0 && isfinite(saved->weight[i])) || !isfinite(saved->turn.sums[i]))
            return false;
    for (size_t i = 0; i < BEST && i < saved->nbest; i++)
        if (saved->best[i].id >= kin->nurls)
            return false;
    return isfinite(saved->turn.candidates) && saved->turn.candidates >= 0 && saved->turn.next <= kin->nurls &&
           saved->passed <= kin->npages && saved->nbest <= BEST;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct intelligent *in = state;
    struct saved saved;
    scent_status status = saved_open("intelligent", VERSION, &blob, err);

    if (status != SCENT_OK)
        return status;
    if (!array_get(&blob, &saved, sizeof saved) || !learner_load(&in->learner, &blob) || blob.len ||
        !is_sound(&saved, &in->learner.kin))
        return saved_fail("intelligent", NULL, err);
    in->turn = saved.turn;
    in->passed = saved.passed;
    in->nbest = saved.nbest;
    memcpy(in->best, saved.best, sizeof saved.best);
    if (in->weights == BALANCED)
        memcpy(in->weight, saved.weight, sizeof saved.weight);
    in->all = in->rescore != NEVER; /* scores that drifted are not kept with the candidates */
    return SCENT_OK;
}

/* ---- for other crawls ---- */

static struct experience experience_of(struct intelligent *in)
{
    return (struct experience){"intelligent", in->learner.fine ? "tokens: fine" : "tokens: plain",
                               &in->learner.known, &in->learner.words, &in->learner.tokens};
}

static scent_status learned(void *state, struct buf *out)
{
    struct experience experience = experience_of(state);

    return experience_learned(&experience, out);
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct experience experience = experience_of(state);
    scent_status status = experience_recall(&experience, blob, weight, err);

    learner_renew(&((struct intelligent *)state)->learner);
    return status;
}

const struct strategy_ops strategy_intelligent = {
    .name = "intelligent",
    .summary = "learns which words, URL tokens, links and siblings lead to relevant pages",
    .paper = "Aggarwal, On Learning Strategies for Topic Specific Web Crawling",
    .options = options,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
