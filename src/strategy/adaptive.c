/* adaptive - learns while it crawls which evidence to trust. One Bayesian logistic regression over the features of a
 * URL (evidence.h): what the words around the links to it say, how relevant its parents are, and how often links like
 * these have led to relevant pages. The prior of its weights was fitted to other topics on other webs (prior.h), so
 * that the first pages are ordered already; every page that is judged moves it.
 *
 * What a page counts: where verdicts are exact (a predicate over words, labels, a person), its verdict. Where they are
 * learned from a few examples, an estimate: the judge's probability, corrected by what the words of the page have
 * stood for in this crawl, which is a judge that goes on to learn, and by what the other links of its parents led to:
 * lists and articles link to pages of one kind. A classifier of ten examples is right in the order of pages more often
 * than in their verdicts. Where it agrees with the words of the seeds (agreement.h) both are believed instead of the
 * siblings, and the prior is one that was fitted where they do.
 *
 * The priority is the probability that the URL is relevant.
 *
 * Every page changes the counts, and so what many candidates are worth. Scored again after a page are those that share
 * a parent with it (`rescore` of them), the best that were met, and some of all others in turn: bounded work, spent
 * where an error would matter.
 * docs/decisions/0040-adaptive.md has what was measured, and what was left out. State, with its bounds: evidence.h; and
 * 28 KB. */
#include "strategy/adaptive.h"

#include "strategy/agreement.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/shortlist.h"
#include "strategy/strategies.h"
#include "topic/predicate.h"

#include <math.h>
#include <stdlib.h>

enum { VERSION = 4, LEARNED_VERSION = 3, SIBLINGS_MAX = 1024 };
/* URLs up to which all candidates are scored again when the counts of other crawls come or go; beyond, the best. */
enum { AT_ONCE = 16384 };
/* Of the best that were met so many are scored again after a page. */
enum { BEST = SHORTLIST / 2 };
/* And so many of all others, in turn, looking at a few more URLs. */
enum { IN_TURN = 32, LOOKS = 128 };
enum { MODE_AUTO, MODE_EXACT, MODE_LEARNED };

/* What a page counts where verdicts are learned: log odds, where the judge and the words of the seeds do not agree, and
 * where they do. Without agreement a page that its anchor promised is less of a confirmation: one model was asked. */
#define AT_FIRST -2.3
static const struct belief {
    double judge; /* a third of its own log odds */
    double place; /* evidence_place_judged() of it */
    double verdict;
    double words; /* evidence_words() */
    double siblings, anchor;
    double seeds; /* likeness to their words */
} apart = {.judge = 1.5, .words = .3, .siblings = 1.5, .anchor = -.25}, agreed = {.judge = 4, .anchor = .5, .seeds = 2},
  told = {.place = 1, .verdict = 1.5, .words = .3, .siblings = .5};

struct adaptive {
    struct evidence evidence;
    struct posterior relevance;
    float weights[EVIDENCE_FEATURES]; /* its means, for scoring */
    double apart[EVIDENCE_FEATURES], agreed[EVIDENCE_FEATURES]; /* means of its prior without trust, and with it */
    struct agreement agreement;
    double trust;
    unsigned mode, without;
    bool plain;
    uint32_t rescore;
    struct shortlist best;
    bool all; /* everything is stale */
    bool told; /* counts of other crawls have come or gone, and nothing was scored since */
    uint32_t examined; /* the page whose links were added last */
    uint32_t next; /* in turn */
    uint32_t stale[SIBLINGS_MAX + SHORTLIST + IN_TURN];
    size_t nstale, handed; /* of the stale ones, given out */
};

/* Features that say one thing together. Best and mean of one kind often have weights of opposite signs, and singly they
 * mislead. */
static const struct family {
    enum evidence_feature first, end;
    const char *name;
} families[] = { /* in the order of the words of option `without` */
    {EVIDENCE_CONTEXTS, EVIDENCE_PARENT_BEST, "words around the links to it"},
    {EVIDENCE_PARENT_BEST, EVIDENCE_SIBLINGS_BEST, "relevance of the pages that link to it"},
    {EVIDENCE_SIBLINGS_BEST, EVIDENCE_PLACE_BEST, "other links of these pages"},
    {EVIDENCE_PLACE_BEST, EVIDENCE_ANCHOR, "links in the same place of a page"},
    {EVIDENCE_ANCHOR, EVIDENCE_ANCHOR_WORDS, "its anchor, host, directory and form of URL"},
    {EVIDENCE_ANCHOR_WORDS, EVIDENCE_RULES, "words that led to pages before"},
    {EVIDENCE_RULES, EVIDENCE_FEATURES, "rules, browsing and accesses from before the crawl"},
};

enum { WITHOUT_NOTHING, WITHOUT_FAMILY, WITHOUT_LEARNING = WITHOUT_FAMILY + sizeof families / sizeof *families,
       WITHOUT_AGREEMENT };

static const struct strategy_option options[] = {
    {"mode", "auto", "verdicts are exact, or learned from examples, which is less to be believed; auto: by the topic",
     OPTION_CHOICE(struct adaptive, mode, "auto", "exact", "learned")},
    {"prior", "fitted", "what it believes before the first page: fitted to other webs, or plain, a few weights by hand",
     OPTION_EITHER(struct adaptive, plain, "fitted", "plain")},
    {"rescore", "32", "candidates that share a parent with a page and are scored again after it; 0: none is",
     OPTION_WHOLE(struct adaptive, rescore, 0, SIBLINGS_MAX)},
    {"without", "nothing", "for experiments: features that count nothing, weights that no page moves, or no agreement",
     OPTION_CHOICE(struct adaptive, without, "nothing", "contexts", "parents", "siblings", "places", "names", "words",
                   "advice", "learning", "agreement")},
    {0},
};

/* ---- opening ---- */

/* A predicate over words and URLs is right by definition; one that asks a measure is as right as that. */
static bool is_exact(const struct topic *topic)
{
    for (int measure = VALUE_SIMILAR; measure <= VALUE_CATEGORY; measure++)
        if (!topic->predicate || predicate_asks(topic->predicate, (enum predicate_value)measure))
            return false;
    return true;
}

static enum prior_mode mode_of(const struct adaptive *adaptive)
{
    return adaptive->mode == MODE_EXACT ? PRIOR_EXACT : PRIOR_LEARNED;
}

/* A weight of 0, or one that no page moves. */
static void leave_out(const struct adaptive *adaptive, struct posterior_weight weights[EVIDENCE_FEATURES])
{
    struct family all = {EVIDENCE_BIAS, EVIDENCE_FEATURES, ""}, what = {0};

    if (adaptive->without == WITHOUT_LEARNING)
        what = all;
    else if (adaptive->without && adaptive->without < WITHOUT_LEARNING)
        what = families[adaptive->without - WITHOUT_FAMILY];
    for (int i = (int)what.first; i < (int)what.end; i++) {
        weights[i].mean *= adaptive->without == WITHOUT_LEARNING;
        weights[i].variance = 1e-9;
    }
}

static void renew_weights(struct adaptive *adaptive)
{
    for (int i = 0; i < EVIDENCE_FEATURES; i++)
        adaptive->weights[i] = (float)adaptive->relevance.mean[i];
}

/* The variances are those of the first: all have the same. */
static void begin_posterior(struct adaptive *adaptive, bool has_model)
{
    struct prior first = prior_built_in(adaptive->plain ? PRIOR_PLAIN : has_model ? PRIOR_FITTED : PRIOR_TOLD);
    struct prior other = prior_built_in(adaptive->plain ? PRIOR_PLAIN : PRIOR_AGREED);
    struct posterior_weight *weights = first.weights[mode_of(adaptive)];

    leave_out(adaptive, weights);
    leave_out(adaptive, other.weights[mode_of(adaptive)]);
    for (int i = 0; i < EVIDENCE_FEATURES; i++) {
        adaptive->apart[i] = weights[i].mean;
        adaptive->agreed[i] = other.weights[mode_of(adaptive)][i].mean;
    }
    posterior_init(&adaptive->relevance, weights);
    renew_weights(adaptive);
}

static void close_state(void *state)
{
    struct adaptive *adaptive = state;

    evidence_release(&adaptive->evidence);
    free(adaptive);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct adaptive *adaptive;
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof *adaptive, state, err));
    adaptive = *state;
    if (adaptive->mode == MODE_AUTO)
        adaptive->mode = is_exact(context->topic) ? MODE_EXACT : MODE_LEARNED;
    begin_posterior(adaptive, context->knowledge->model);
    adaptive->examined = STRATEGY_UNKNOWN;
    status = evidence_init(&adaptive->evidence, context, err);
    if (status != SCENT_OK)
        close_state(adaptive);
    return status;
}

/* ---- scoring ---- */

/* The log odds that it is relevant. */
static float appraise(const struct adaptive *adaptive, const float x[EVIDENCE_FEATURES])
{
    float sums[4] = {0}; /* one sum would wait for each product */

    for (int i = 0; i < EVIDENCE_FEATURES / 4 * 4; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += adaptive->weights[i + k] * x[i + k];
    for (int i = EVIDENCE_FEATURES / 4 * 4; i < EVIDENCE_FEATURES; i++)
        sums[i % 4] += adaptive->weights[i] * x[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static float probability_of(float odds)
{
    return 1 / (1 + expf(-odds));
}

static float rank(const struct adaptive *adaptive, struct evidence_url *url)
{
    float x[EVIDENCE_FEATURES];

    evidence_weigh(&adaptive->evidence, url, x);
    return url->priority = probability_of(appraise(adaptive, x));
}

/* ---- learning ---- */

/* By how much two numbers are mixed that hold without trust and with it. */
static double mix(const struct adaptive *adaptive, double without, double with)
{
    return without + adaptive->trust * (with - without);
}

static void set_trust(struct adaptive *adaptive, double trust)
{
    double means[EVIDENCE_FEATURES];

    if (adaptive->trust == trust)
        return;
    adaptive->trust = trust;
    for (int i = 0; i < EVIDENCE_FEATURES; i++)
        means[i] = mix(adaptive, adaptive->apart[i], adaptive->agreed[i]);
    posterior_move(&adaptive->relevance, means);
}

/* Where a topic has no classifier, the words of the seeds or the query are its judge, and agree with themselves. A seed
 * is like the seeds. Returns the likeness of the page. */
static double compare_judges(struct adaptive *adaptive, const struct strategy_visit *visit)
{
    struct link_odds *odds = &adaptive->evidence.odds;
    double likeness;

    if (!odds->guided.model || visit->seed || adaptive->without == WITHOUT_AGREEMENT)
        return 0;
    likeness = aim_page(&odds->aim, visit);
    agreement_add(&adaptive->agreement, (double)link_odds_page(odds, visit), likeness);
    set_trust(adaptive, agreement_trust(&adaptive->agreement));
    return likeness;
}

/* What the page counts, from 0 to 1; x: what was known of it before. */
static float count_page(struct adaptive *adaptive, const struct strategy_visit *visit,
                        const float x[EVIDENCE_FEATURES], double likeness)
{
    struct evidence *evidence = &adaptive->evidence;
    const struct belief *first = evidence->odds.guided.model ? &apart : &told;
    float page = link_odds_page(&evidence->odds, visit);
    double odds = AT_FIRST;

    if (visit->seed)
        return 1;
    if (adaptive->mode == MODE_EXACT)
        return visit->judgement->relevant;
    odds += mix(adaptive, first->judge, agreed.judge) * (double)page;
    odds += mix(adaptive, first->place, agreed.place) * (double)evidence_place_judged(evidence, page);
    odds += mix(adaptive, first->verdict, agreed.verdict) * visit->judgement->relevant;
    odds += mix(adaptive, first->words, agreed.words) * (double)evidence_words(evidence, visit);
    odds += mix(adaptive, first->siblings, agreed.siblings) * (double)x[EVIDENCE_CHILDREN_MEAN];
    odds += mix(adaptive, first->anchor, agreed.anchor) * (double)x[EVIDENCE_ANCHOR_BEST];
    odds += mix(adaptive, first->seeds, agreed.seeds) * agreement_place(&adaptive->agreement, likeness);
    return probability_of((float)odds);
}

/* Scores the links of the page at hand. */
static void rank_links(struct adaptive *adaptive)
{
    struct evidence *evidence = &adaptive->evidence;

    for (size_t i = 0; i < evidence->nlinks; i++) {
        struct evidence_url *url = &evidence->urls[evidence->links[i].target];

        if (!url->page)
            shortlist_meet(&adaptive->best, rank(adaptive, url), evidence->links[i].target);
    }
}

/* Of the stale ones, where neither the links of this page nor the stale ones before it were the same: many share two
 * parents, and the best are often siblings. */
static float rank_stale(struct adaptive *adaptive, size_t at)
{
    const struct evidence *evidence = &adaptive->evidence;
    uint32_t id = adaptive->stale[at];
    struct evidence_url *url = &evidence->urls[id];
    size_t before = url->mark - evidence->nlinks; /* very large for a link */

    if (evidence_is_link(evidence, id) || (before < at && adaptive->stale[before] == id))
        return url->priority;
    url->mark = (uint32_t)(evidence->nlinks + at);
    return rank(adaptive, url);
}

/* Others that wait have scores of long ago. */
static void rank_in_turn(struct adaptive *adaptive)
{
    const struct evidence *evidence = &adaptive->evidence;
    size_t end = adaptive->nstale + IN_TURN;

    for (int looks = 0; looks < LOOKS && adaptive->nstale < end && evidence->nurls; looks++) {
        adaptive->next = (adaptive->next + 1) % (uint32_t)evidence->nurls;
        if (!evidence_is_candidate(&evidence->urls[adaptive->next]))
            continue;
        adaptive->stale[adaptive->nstale] = adaptive->next;
        shortlist_meet(&adaptive->best, rank_stale(adaptive, adaptive->nstale++), adaptive->next);
    }
}

static void rank_again(struct adaptive *adaptive)
{
    struct evidence *evidence = &adaptive->evidence;
    struct shortlist old = adaptive->best;

    adaptive->handed = 0;
    adaptive->nstale = evidence_siblings(evidence, adaptive->stale, adaptive->rescore);
    for (size_t i = 0; i < adaptive->nstale; i++)
        shortlist_meet(&old, rank_stale(adaptive, i), adaptive->stale[i]);
    shortlist_clear(&adaptive->best);
    for (size_t i = 0, ranked = 0; i < old.count && ranked < BEST; i++) {
        uint32_t id = old.items[i].id;

        if (!evidence_is_candidate(&evidence->urls[id]))
            continue;
        ranked++;
        adaptive->stale[adaptive->nstale] = id;
        shortlist_keep(&adaptive->best, rank_stale(adaptive, adaptive->nstale++), id);
    }
    rank_in_turn(adaptive);
}

/* Settles what was recalled. The evidence is asked after this only. */
static void hear(struct adaptive *adaptive)
{
    struct evidence *evidence = &adaptive->evidence;

    if (!adaptive->told)
        return;
    adaptive->told = false;
    evidence_settle(evidence);
    adaptive->nstale = adaptive->handed = 0;
    for (size_t id = 0; id < evidence->nurls && evidence->nurls <= AT_ONCE; id++)
        if (evidence_is_candidate(&evidence->urls[id]))
            shortlist_meet(&adaptive->best, rank(adaptive, &evidence->urls[id]), (uint32_t)id);
    adaptive->all |= evidence->nurls > 0 && evidence->nurls <= AT_ONCE;
    for (size_t i = 0; i < adaptive->best.count && !adaptive->all; i++) {
        struct evidence_url *url = &evidence->urls[adaptive->best.items[i].id];

        if (evidence_is_candidate(url)) {
            (void)rank(adaptive, url);
            adaptive->stale[adaptive->nstale++] = adaptive->best.items[i].id;
        }
    }
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct adaptive *adaptive = state;
    struct evidence *evidence = &adaptive->evidence;
    struct evidence_url *url = evidence_url(evidence, visit->id);
    bool found = url && !visit->seed; /* a seed was chosen, and is no example of what links say */
    float x[EVIDENCE_FEATURES] = {0}, counts;

    hear(adaptive);
    if (url && url->page)
        return;
    if (found)
        evidence_weigh(evidence, url, x);
    counts = count_page(adaptive, visit, x, compare_judges(adaptive, visit));
    if (found)
        posterior_learn_probability(&adaptive->relevance, x, (double)counts);
    if (adaptive->mode == MODE_LEARNED)
        evidence_count_words(evidence, visit, counts);
    evidence_add(evidence, visit, counts);
    renew_weights(adaptive);
    adaptive->examined = visit->id;
    rank_links(adaptive);
    adaptive->nstale = adaptive->handed = 0;
    if (adaptive->rescore)
        rank_again(adaptive);
}

static struct strategy_part part_of(float probability)
{
    return (struct strategy_part){
        .name = "probability of a relevant page", .value = (double)probability, .weight = 1};
}

/* The links of the page that was observed last are ranked. Those of a copy, which is not observed, are no evidence, and
 * neither are those beyond the bounds. */
static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct adaptive *adaptive = state;
    struct evidence_url *url = evidence_url(&adaptive->evidence, visit->targets[link]);
    float x[EVIDENCE_FEATURES], priority;

    hear(adaptive);
    if (visit->id != adaptive->examined && evidence_read_again(&adaptive->evidence, visit, link))
        shortlist_meet(&adaptive->best, rank(adaptive, url), visit->targets[link]);
    if (url && url->linking) {
        priority = visit->id == adaptive->examined && !url->page ? url->priority : rank(adaptive, url);
    } else {
        evidence_weigh_link(&adaptive->evidence, visit, link, x);
        priority = probability_of(appraise(adaptive, x));
    }
    out->priority = priority;
    out->drop = false;
    memset(out->own, 0, sizeof out->own);
    out->nparts = 1;
    out->parts[0] = part_of(priority);
}

/* The new score is made from all that is known. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score_)
{
    (void)state, (void)id, (void)kept, (void)score_;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct adaptive *adaptive = state;

    hear(adaptive);
    return shortlist_hand_out(adaptive->stale, adaptive->nstale, &adaptive->handed, &adaptive->all, ids, room);
}

/* Pages keep what they counted, as the verdicts of other strategies do. */
static bool adopt(void *state, const struct knowledge *knowledge)
{
    struct adaptive *adaptive = state;

    evidence_adopt(&adaptive->evidence, knowledge);
    adaptive->examined = STRATEGY_UNKNOWN; /* its links may come again */
    return true;
}

/* What is stale was ranked already. */
static bool rescore(void *state, uint32_t id, struct strategy_score *kept)
{
    const struct adaptive *adaptive = state;
    const struct evidence_url *url = evidence_url(&adaptive->evidence, id);
    float before = kept->priority;

    if (!url || !evidence_is_candidate(url))
        return false;
    kept->priority = url->priority;
    return kept->priority != before;
}

/* ---- explaining ---- */

/* Visited links of its parents, and how many of them were relevant. */
static void count_siblings(const struct evidence *evidence, const struct evidence_url *url, struct strategy_part *part)
{
    float visited = 0, counts = 0;
    uint32_t in_link;

    for (uint32_t i = 0; (in_link = evidence_in_link(url, i)) != EVIDENCE_NONE; i++) {
        const struct evidence_page *page = &evidence->pages[evidence->places[in_link].page];

        visited += page->visited + page->known;
        counts += page->visited_counts + page->known_counts;
    }
    part->counted = "of their visited links led to relevant pages";
    part->count = (uint32_t)lroundf(counts);
    part->of = (uint32_t)visited;
}

static bool explain(void *state, uint32_t id, struct strategy_score *kept)
{
    struct adaptive *adaptive = state;
    struct evidence_url *url = evidence_url(&adaptive->evidence, id);
    float x[EVIDENCE_FEATURES];

    if (!url || !url->linking)
        return false;
    hear(adaptive);
    evidence_weigh(&adaptive->evidence, url, x);
    kept->priority = url->priority = probability_of(appraise(adaptive, x));
    kept->parts[0] = part_of(kept->priority);
    kept->nparts = 1;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        struct strategy_part *part = &kept->parts[kept->nparts];
        double sum = 0;

        if (families[i].first == EVIDENCE_RULES && !advice_is_given(&adaptive->evidence.advice))
            continue;
        kept->nparts++;
        for (int k = (int)families[i].first; k < (int)families[i].end; k++)
            sum += (double)(adaptive->weights[k] * x[k]);
        *part = (struct strategy_part){.name = families[i].name, .value = sum, .is_log = true};
        if (families[i].first == EVIDENCE_PARENT_BEST) {
            part->counted = "of the pages that link to it are relevant";
            part->count = (uint32_t)lroundf(url->relevant);
            part->of = url->linking;
        }
        if (families[i].first == EVIDENCE_SIBLINGS_BEST)
            count_siblings(&adaptive->evidence, url, part);
    }
    return true;
}

/* ---- keeping ---- */

static scent_status save(void *state, struct buf *out)
{
    struct adaptive *adaptive = state;

    hear(adaptive);
    buf_addc(out, VERSION);
    bytes_put(out, adaptive->mode, 1);
    agreement_save(&adaptive->agreement, out);
    posterior_save(&adaptive->relevance, out);
    shortlist_save(&adaptive->best, out);
    bytes_put(out, adaptive->next, 4);
    evidence_save(&adaptive->evidence, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct adaptive *adaptive = state;
    struct bytes in;

    SCENT_TRY(saved_open("adaptive", VERSION, blob, &in, err));
    bytes_check(&in, bytes_get(&in, 1) == adaptive->mode, "its verdicts were of another kind (option mode)");
    agreement_load(&adaptive->agreement, &in);
    if (!in.wrong)
        set_trust(adaptive, agreement_trust(&adaptive->agreement));
    posterior_load(&adaptive->relevance, &in);
    shortlist_load(&adaptive->best, &in);
    adaptive->next = (uint32_t)bytes_get(&in, 4);
    SCENT_TRY(evidence_load(&adaptive->evidence, &in, err));
    for (size_t i = 0; i < adaptive->best.count; i++)
        bytes_check(&in, adaptive->best.items[i].id < adaptive->evidence.nurls, "a candidate is unknown");
    renew_weights(adaptive);
    adaptive->all = true; /* scores that drifted are not kept with the candidates */
    return saved_end("adaptive", &in, err);
}

/* ---- for other crawls ---- */

static const char *meaning(const struct adaptive *adaptive)
{
    static const char *const texts[PRIOR_MODES][2] = {
        [PRIOR_EXACT] = {"exact verdicts and fitted priors", "exact verdicts and plain priors"},
        [PRIOR_LEARNED] = {"learned verdicts and fitted priors", "learned verdicts and plain priors"}};

    return texts[mode_of(adaptive)][adaptive->plain];
}

static scent_status learned(void *state, struct buf *out)
{
    const struct adaptive *adaptive = state;

    saved_begin_learned(out, LEARNED_VERSION, meaning(adaptive));
    posterior_learned(&adaptive->relevance, out);
    evidence_learned(&adaptive->evidence, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall_with(struct adaptive *adaptive, struct str blob, double weight, struct errmsg *err)
{
    struct bytes in = bytes_of(blob);

    SCENT_TRY(saved_open_learned("adaptive", LEARNED_VERSION, meaning(adaptive), &in, err));
    posterior_recall(&adaptive->relevance, &in, weight);
    evidence_recall(&adaptive->evidence, &in, weight);
    return saved_end_learned("adaptive", &in, err);
}

/* Looks at all of it before anything is added. */
static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct adaptive *adaptive = state;

    SCENT_TRY(recall_with(adaptive, blob, 0, err));
    if (weight != 0)
        SCENT_TRY(recall_with(adaptive, blob, weight, err));
    adaptive->told |= weight != 0;
    renew_weights(adaptive);
    return SCENT_OK;
}

/* ---- for who fits priors ---- */

enum prior_mode adaptive_mode(const struct strategy *strategy)
{
    return mode_of(strategy->state);
}

bool adaptive_weigh(const struct strategy *strategy, uint32_t id, float x[EVIDENCE_FEATURES])
{
    const struct adaptive *adaptive = strategy->state;
    const struct evidence_url *url = evidence_url(&adaptive->evidence, id);

    if (!url || !evidence_is_candidate(url))
        return false;
    evidence_weigh(&adaptive->evidence, url, x);
    return true;
}

const struct strategy_ops strategy_adaptive = {
    .name = "adaptive",
    .summary = "learns which evidence to trust: words around links, linking pages, siblings, places, URLs, words",
    .paper = "none: Bayesian logistic regression over what the other strategies go by",
    .options = options,
    .wants = JUDGE_CLASSES | JUDGE_QUERY | JUDGE_BROWSING,
    .trace = STRATEGY_WELCOMES,
    .rules = STRATEGY_WELCOMES,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .adopt = adopt,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
