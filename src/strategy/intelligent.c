/* intelligent - learns during the crawl which words of linking pages, which tokens of URLs, which links and which
 * siblings lead to the predicate, whatever it is (Aggarwal). The priority is the weighted sum of four logarithms of
 * interest ratios (learner.h).
 *
 * BOUNDED RE-SCORING
 *
 * Every page changes the counts, and so the score of every candidate. The paper scores a candidate once, when it is
 * found (Figure 1; `rescore: never`). To score all of them again after each page (`always`) costs 5,000 instructions a
 * candidate and page: impossible beyond some thousand. `bounded`, the default, does a bounded amount of work a page and
 * spends it where an error would matter: on the candidates that come next (docs/papers/aggarwal.md has the figures).
 *
 * Two factors are always up to date, because they are counts that are kept with a candidate: links and siblings. The
 * other two, words and tokens, are sums over features, and there are three ways to know them:
 *   exactly   learner_consider(): the words of all parents, each once, and the tokens; up to 8 * 32 steps
 *   nearly    learner_glance(): what the parents' words say together, corrected by the share that was left when words
 *             that parents have in common were counted once; a few dozen instructions, and an error that grows slowly
 *   as it was when it was last looked at
 *
 * After each page, in this order:
 *   1. its links are considered exactly: they are new, or have a parent more;
 *   2. its siblings get their new sibling count (SIBLINGS of them at most);
 *   3. everything, or the next part of it, is glanced at: while at most AT_ONCE URLs are known, a pass over all of them
 *      whenever the crawl has grown by 1/PASSES; beyond, LOOKED_AT URLs in turn after each page, for which the words
 *      of REFRESHED pages are summed up again;
 *   4. the BEST candidates that were met in any of these steps are glanced at, and of these the first EXACT are
 *      considered exactly; after a pass all BEST of them.
 * What was looked at is listed as stale; rescore() then hands out the priority that it has got here.
 *
 * Balanced weights are 1/mean |log| of each factor over candidates that are looked up exactly for this purpose: glances
 * err in one direction, and the means with them. A pass samples SAMPLED candidates spread over all and changes the
 * weights for all at once; a turn samples every SAMPLE_STEP-th id, and its end changes them.
 *
 * docs/decisions/0020-bounded-rescoring.md has the alternatives that were tried. State, with its bounds: learner.h; and
 * 27 KB. */
#include "strategy/learner.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/shortlist.h"
#include "strategy/strategies.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 6, OLDEST = 4, FACTORS = LEARNER_FACTORS };
enum {
    /* Candidates that share a parent with a page, at most. */
    SIBLINGS = LINKMAP_PARENTS * LINKMAP_CHILDREN,
    /* Candidates that may come next. 16 of them in turn, each every fourth page, cost 3.5 +- 1.8% of the harvest after
     * 100 pages (Wikispeedia, 23 topics, eight sets of seeds). */
    BEST = SHORTLIST,
    /* Of these, looked up exactly after each page. 64 are no better (-0.8 +- 1.0%) and cost 35 of 100 more. */
    EXACT = 16,
    /* URLs up to which all are looked at in one pass: with a turn from the beginning the weights of the first pages,
     * which change most, were mixed in one queue (4 to 7% less harvest on Wikispeedia). A pass over so many takes some
     * milliseconds; how much harvest turns cost in larger crawls was not measured. */
    AT_ONCE = 16384,
    /* A pass when the crawl has grown by an eighth; at a sixth it is worse (-2.8 +- 1.1%). */
    PASSES = 8,
    /* Beyond AT_ONCE: URLs, and pages whose words are summed up again, that take their turn after each page. Chosen for
     * their cost, so that a page stays below 5 times full-page (docs/strategy-interface.md), not by harvest. */
    LOOKED_AT = 256,
    REFRESHED = 32,
    /* Candidates that make the weights in a pass; 1,024 were no better that we could see, and above 5 times full-page
     * in the first 250 pages of an open web. */
    SAMPLED = 512,
    /* One URL of so many makes the weights in a turn: two of LOOKED_AT. */
    SAMPLE_STEP = 128,
};
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
    struct shortlist best;
    bool all;                /* everything is stale */
    bool told;               /* counts were recalled, or forgotten, since the last page */
    uint32_t stale[SIBLINGS + LOOKED_AT + BEST];
    size_t nstale, handed;   /* of the stale ones, given out */
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: as printed (n: relevant, seeds: each, siblings: above, weights: equal, "
     "rescore: never, memory: all, support: 1, clip: 0)", OPTION_PRESET},
    {"significance", "2", "t: standard deviations from which a word or token counts",
     OPTION_NUMBER(struct intelligent, learner.known.t, 0, 100)},
    {"n", "event",
     "pages that make the deviation: event (those with the word) or relevant (the relevant ones, as printed)",
     .printed = "relevant", OPTION_CHOICE(struct intelligent, learner.known.n, "event", "relevant")},
    {"tokens", "plain", "URLs are split at . and / (plain) or at all but letters and digits (fine)",
     OPTION_EITHER(struct intelligent, learner.fine, "plain", "fine")},
    {"seeds", "one", "seeds count together as one page, since they were chosen and not found (one), or as pages (each)",
     .printed = "each", OPTION_EITHER(struct intelligent, learner.each_seed, "one", "each")},
    {"siblings", "significant",
     "their relevant share counts where it differs significantly from the crawl's (significant), always (both), or "
     "where it is larger (above)",
     .printed = "above", OPTION_CHOICE(struct intelligent, learner.known.siblings, "significant", "both", "above")},
    {"weights", "balanced", "of the four factors: equal, balanced (by their mean size over the candidates) or manual",
     .printed = "equal", OPTION_CHOICE(struct intelligent, weights, "equal", "balanced", "manual")},
    {"content", "1", "with weights: manual, of the words of linking pages",
     OPTION_NUMBER(struct intelligent, weight[LEARNER_CONTENT], 0, 1000)},
    {"url", "1", "with weights: manual, of the tokens of the URL",
     OPTION_NUMBER(struct intelligent, weight[LEARNER_TOKENS], 0, 1000)},
    {"links", "1", "with weights: manual, of the relevance of linking pages",
     OPTION_NUMBER(struct intelligent, weight[LEARNER_LINKS], 0, 1000)},
    {"sibling", "1", "with weights: manual, of the relevance of siblings",
     OPTION_NUMBER(struct intelligent, weight[LEARNER_SIBLINGS], 0, 1000)},
    {"support", "3", "pages on which a word or token must have occurred before it counts",
     .printed = "1", OPTION_NUMBER(struct intelligent, learner.known.support, 0, 1000000)},
    {"clip", "3", "the largest logarithm, in either direction, of one word, token or count of siblings; 0: no bound",
     .printed = "0", OPTION_NUMBER(struct intelligent, learner.known.clip, 0, 1000)},
    {"smoothing", "1", "pages that draw each probability to P(C), so that a zero count is not certainty; 0: none",
     OPTION_NUMBER(struct intelligent, learner.known.smoothing, 0, 1000)},
    {"memory", "bounded", "32 words and 256 links of a page and 8 linking pages of a URL (bounded), or all of them",
     .printed = "all", OPTION_EITHER(struct intelligent, learner.map.all, "bounded", "all")},
    {"rescore", "bounded", "candidates are scored again: never, bounded or always (after each page, all of them)",
     .printed = "never", OPTION_CHOICE(struct intelligent, rescore, "never", "bounded", "always")},
    {0},
};

/* ---- opening ---- */

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    static const char *const names[FACTORS] = {"content", "url", "links", "sibling"};
    struct intelligent *in;

    SCENT_TRY(option_new_state(context, sizeof *in, state, err));
    in = *state;
    in->examined = STRATEGY_UNKNOWN;
    for (int i = 0; i < FACTORS && in->weights != MANUAL; i++)
        if (option_is_given(context->topic, names[i])) {
            free(in);
            return errmsg_fail(err, SCENT_E_INVALID, "intelligent: %s is a weight; it needs weights: manual", names[i]);
        }
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct intelligent *in = state;

    learner_release(&in->learner);
    free(in);
}

/* ---- weights ---- */

/* The priority that it has from now on. */
static float rank(struct intelligent *in, struct linkmap_url *url)
{
    return url->priority = (float)learner_rank(&in->learner, url, in->weight);
}

/* Looks it up exactly, for the means. */
static void sample(struct intelligent *in, struct linkmap_url *url)
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
    struct linkmap *map = &in->learner.map;

    for (size_t id = 0; id < map->nurls; id++)
        if (learner_is_candidate(&map->urls[id]))
            sample(in, &map->urls[id]);
    end_turn(in);
    for (size_t id = 0; id < map->nurls; id++)
        if (learner_is_candidate(&map->urls[id]))
            rank(in, &map->urls[id]);
    in->all = true;
}

/* The best are what comes next: after each page all of them are looked at, and those that are in front then exactly. */
static void renew_best(struct intelligent *in, size_t exactly)
{
    const struct linkmap *map = &in->learner.map;
    struct shortlist old = in->best;

    shortlist_clear(&in->best);
    for (size_t i = 0; i < old.count; i++) {
        uint32_t id = old.items[i].id;

        if (!learner_is_candidate(&map->urls[id]))
            continue;
        learner_glance(&in->learner, &map->urls[id]);
        shortlist_keep(&in->best, rank(in, &map->urls[id]), id);
        in->stale[in->nstale++] = id;
    }
    for (size_t i = 0; i < exactly && i < in->best.count; i++) {
        learner_consider(&in->learner, &map->urls[in->best.items[i].id]);
        rank(in, &map->urls[in->best.items[i].id]);
    }
}

/* All URLs at once. Some are looked up exactly, and the weights are made of these: what is estimated for all of them
 * errs in one direction. */
static void pass(struct intelligent *in)
{
    const struct linkmap *map = &in->learner.map;
    size_t every = map->nurls / SAMPLED + 1;

    in->passed = map->npages;
    in->turn = (struct turn){0};
    learner_refresh(&in->learner, map->npages);
    for (size_t id = 0; id < map->nurls; id += every)
        if (learner_is_candidate(&map->urls[id]))
            sample(in, &map->urls[id]);
    end_turn(in);
    shortlist_clear(&in->best);
    for (size_t id = 0; id < map->nurls; id++)
        if (learner_is_candidate(&map->urls[id])) {
            learner_glance(&in->learner, &map->urls[id]);
            shortlist_keep(&in->best, rank(in, &map->urls[id]), (uint32_t)id);
        }
    in->all = true;
    in->nstale = 0;
}

/* The URLs from turn.next on. */
static void take_turn(struct intelligent *in)
{
    const struct linkmap *map = &in->learner.map;
    size_t id = in->turn.next, end = map->nurls - id < LOOKED_AT ? map->nurls : id + LOOKED_AT;

    learner_refresh(&in->learner, REFRESHED);
    for (; id < end; id++) {
        if (!learner_is_candidate(&map->urls[id]))
            continue;
        if (id % SAMPLE_STEP == 0)
            sample(in, &map->urls[id]);
        learner_glance(&in->learner, &map->urls[id]);
        shortlist_meet(&in->best, rank(in, &map->urls[id]), (uint32_t)id);
        in->stale[in->nstale++] = (uint32_t)id;
    }
    in->turn.next = end;
    if (end == map->nurls)
        end_turn(in);
}

static void note_drift(struct intelligent *in)
{
    const struct linkmap *map = &in->learner.map;

    for (size_t i = 0; i < in->nstale; i++) /* the siblings */
        rank(in, &map->urls[in->stale[i]]);
    if (map->nurls > AT_ONCE)
        take_turn(in);
    else if (map->npages * PASSES >= in->passed * (PASSES + 1))
        pass(in);
    renew_best(in, in->all ? BEST : EXACT);
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
    struct linkmap_url *url = learner_url(&in->learner, visit->targets[link]);
    double logs[FACTORS] = {0};

    if (url && visit->id != in->examined)
        learner_consider(&in->learner, url);
    if (url)
        learner_logs(&in->learner, url, logs);
    if (!url || !url->ntokens)
        logs[LEARNER_TOKENS] = learner_tokens_alone(&in->learner, &visit->page->links[link].url);
    *out = (struct strategy_score){0};
    learner_parts(&in->learner, url, logs, out->parts);
    tell(in, out);
    if (!url)
        return;
    url->priority = out->priority;
    if (in->rescore == BOUNDED && learner_is_candidate(url))
        shortlist_meet(&in->best, url->priority, visit->targets[link]);
}

/* The new score is made from all known parents already. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    (void)state, (void)id, (void)kept, (void)score_;
}

/* Of a large crawl the best are looked at now, and the others in their turn. */
static void renew_told(struct intelligent *in)
{
    in->told = false;
    if (in->rescore == NEVER || in->learner.map.npages == 0)
        return;
    in->handed = in->nstale = 0;
    if (in->rescore == ALWAYS) {
        renew_all(in);
        return;
    }
    if (in->learner.map.nurls <= AT_ONCE)
        pass(in);
    renew_best(in, BEST);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct intelligent *in = state;

    if (in->told)
        renew_told(in);
    return shortlist_hand_out(in->stale, in->nstale, &in->handed, &in->all, ids, room);
}

/* What is stale was ranked already. With `never` this is asked by others only, for whom nothing was looked at
 * before. */
static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    struct intelligent *in = state;
    struct linkmap_url *url = learner_url(&in->learner, id);
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
    struct linkmap_url *url = learner_url(&in->learner, id);

    if (!url || !url->linking)
        return false;
    learner_explain(&in->learner, url, kept->parts);
    tell(in, kept);
    url->priority = kept->priority;
    return true;
}

/* ---- keeping ---- */

static scent_status save(void *state, struct buf *out)
{
    const struct intelligent *in = state;

    buf_addc(out, VERSION);
    saved_put_array(out, in->weight, FACTORS, sizeof *in->weight);
    bytes_put(out, in->turn.next, 8);
    saved_put_array(out, in->turn.sums, FACTORS, sizeof *in->turn.sums);
    bytes_put_double(out, in->turn.candidates);
    bytes_put(out, in->passed, 8);
    shortlist_save(&in->best, out);
    learner_save(&in->learner, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct intelligent *in = state;
    const struct linkmap *map = &in->learner.map;
    /* In states of before each seed counted as a page; of version 4, no children beyond those that are listed. */
    bool older = blob.len && blob.p[0] >= OLDEST && blob.p[0] < VERSION;
    double weight[FACTORS];
    struct bytes bytes;

    SCENT_TRY(saved_open("intelligent", older ? (unsigned)blob.p[0] : VERSION, blob, &bytes, err));
    for (int i = 0; i < FACTORS; i++) {
        weight[i] = bytes_get_double(&bytes);
        bytes_check(&bytes, weight[i] >= 0, "a weight is out of range");
    }
    in->turn.next = bytes_get(&bytes, 8);
    for (int i = 0; i < FACTORS; i++)
        in->turn.sums[i] = bytes_get_double(&bytes);
    in->turn.candidates = bytes_get_double(&bytes);
    in->passed = bytes_get(&bytes, 8);
    shortlist_load(&in->best, &bytes);
    learner_load(&in->learner, &bytes, older);
    bytes_check(&bytes, in->turn.candidates >= 0 && in->turn.next <= map->nurls && in->passed <= map->npages,
                "it does not add up");
    for (size_t i = 0; i < in->best.count; i++)
        bytes_check(&bytes, in->best.items[i].id < map->nurls, "a candidate is unknown");
    if (in->weights == BALANCED)
        memcpy(in->weight, weight, sizeof weight);
    in->all = in->rescore != NEVER; /* scores that drifted are not kept with the candidates */
    return saved_end("intelligent", &bytes, err);
}

/* ---- for other crawls ---- */

static scent_status learned(void *state, struct buf *out)
{
    return learner_learned(&((const struct intelligent *)state)->learner, out);
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct intelligent *in = state;

    SCENT_TRY(learner_recall(&in->learner, blob, weight, err));
    in->told |= weight != 0;
    return SCENT_OK;
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
    .adopt = strategy_adopt_judgements,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
