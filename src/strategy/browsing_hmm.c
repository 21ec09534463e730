/* hmm - how far is a target behind this link? By the hidden Markov model of somebody's browsing (Liu, Milios and
 * Janssen).
 *
 * Along the way to a page delta(j) is the probability of its likeliest way through the states T0 to T3 that ends in j;
 * the judge has told the page's cluster. A link inherits the delta of the page that gave the priority in force.
 * children: lazy   a link's priority is that of one step ahead, before its page is seen: sum_j P_j / 2^j, where
 *                  P_j = sum_i delta(i) A_ij. One page a decision.
 * children: eager  as printed: all links of the chosen page are downloaded, and each of these pages waits with
 *                  sum_j delta(j) / 2^j of its own (openlist.h).
 * A page that is unlike all that was visited is strange. strange: nearest takes the cluster that it is nearest to, as
 * printed. strange: scaled does too, and scales what its links are worth by the square of how familiar it is
 * (browse.h): a page that falls a little short is nearly a page like others, one of unknown words nearly nothing.
 * strange: last: its links come last, and the pages behind them begin like seeds.
 * literal: the largest P_j or delta(j) instead, whatever j is.
 * refine: A is counted on from the links that the crawl follows (learn/hmm.h). When these have grown by a tenth it is
 * replaced, and all candidates are scored again: at any time all are ranked by one A. The links are counted in any
 * case: they can teach another crawl that goes by the same person.
 * Own bytes: lazy, delta; eager, the page with the link. State: eager, that of openlist.h; lazy, a few numbers. */
#include "trace/browse.h"
#include "strategy/openlist.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include <stdlib.h>

enum { VERSION = 3, LEARNED_VERSION = 1 };
enum { SCALED, LAST, NEAREST };
#define RAISE 2. /* no page is worth so much */

struct hmm_crawl {
    const struct hmm *learned; /* from the person */
    struct hmm hmm;            /* the same, and from `used` */
    bool eager, literal, refine;
    struct hmm_followed followed, recalled, used; /* links; those of other crawls; those that A is counted from */
    double nfollowed, nrecalled, nused;
    bool drifted; /* stale() has not told it yet */
    unsigned strange; /* LAST, NEAREST or SCALED */
    struct openlist open; /* eager */
    /* of the page whose links are scored */
    uint64_t number;
    uint32_t id, cluster;
    double delta[HMM_STATES], chances[HMM_STATES]; /* chances: what its links' priority is made of */
};

static const struct strategy_option options[] = {
    {"preset", "ours", "ours, or paper: children: eager, strange: nearest", OPTION_PRESET},
    {"children", "lazy", "links are ranked from the page they stand on (lazy), or downloaded and then ranked (eager)",
     .printed = "eager", OPTION_EITHER(struct hmm_crawl, eager, "lazy", "eager")},
    {"strange", "scaled",
     "a page unlike all that was visited: its links come last (last), it counts by its nearest cluster (nearest), or "
     "by that as far as it is familiar (scaled)",
     .printed = "nearest", OPTION_CHOICE(struct hmm_crawl, strange, "scaled", "last", "nearest")},
    {"literal", "no", "yes: by the largest probability of a distance, near or far",
     OPTION_EITHER(struct hmm_crawl, literal, "no", "yes")},
    {"refine", "no",
     "yes: the links that the crawl follows are counted beside those of the person; with children: lazy",
     OPTION_EITHER(struct hmm_crawl, refine, "no", "yes")},
    {0},
};

/* ---- opening ---- */

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct hmm_crawl *crawl;

    if (!context->knowledge->browsing)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy hmm follows a model of somebody's browsing, and the topic has none: "
                           "make one with 'scent browse train', and name it with the key 'browsing'");
    SCENT_TRY(option_new_state(context, sizeof *crawl, state, err));
    crawl = *state;
    crawl->learned = browse_hmm(context->knowledge->browsing);
    crawl->hmm = *crawl->learned;
    if (!crawl->eager || !crawl->refine)
        return SCENT_OK;
    free(crawl);
    return errmsg_fail(err, SCENT_E_INVALID,
                       "strategy hmm: refine: yes is for children: lazy: where children are downloaded "
                       "first, what a link leads to is seen; leave one of them out");
}

static void close_state(void *state)
{
    struct hmm_crawl *crawl = state;

    openlist_release(&crawl->open);
    free(crawl);
}

/* ---- the page ---- */

static double worth(const struct hmm_crawl *crawl, const double *chances)
{
    return crawl->literal ? hmm_largest(chances) : hmm_worth(chances);
}

static uint32_t parent_of(const uint8_t *own) /* its id + 1; 0: none */
{
    uint32_t parent;

    memcpy(&parent, own, sizeof parent);
    return parent;
}

/* delta of the page from which this one was reached. False: of none, as with a seed or a URL of a sitemap. */
static bool find_from(const struct hmm_crawl *crawl, const struct strategy_visit *visit, double from[HMM_STATES])
{
    const struct openlist_page *parent;
    float kept[HMM_STATES] = {0};
    double sum = 0;

    if (visit->seed)
        return false;
    if (!crawl->eager)
        memcpy(kept, visit->own, sizeof kept);
    else if (parent_of(visit->own) && (parent = openlist_find(&crawl->open, parent_of(visit->own) - 1)))
        memcpy(kept, parent->delta, sizeof kept);
    for (unsigned j = 0; j < HMM_STATES; j++)
        sum += from[j] = kept[j] > 0 ? (double)kept[j] : 0;
    return sum > 0;
}

static bool is_strange(const struct hmm_crawl *crawl, const struct strategy_visit *visit)
{
    return visit->judgement->strange && crawl->strange == LAST;
}

static void examine(struct hmm_crawl *crawl, const struct strategy_visit *visit)
{
    uint32_t cluster = visit->judgement->cluster < crawl->hmm.nsymbols ? visit->judgement->cluster : 0;
    struct openlist_page page = {.id = visit->id};
    double from[HMM_STATES];

    crawl->number = visit->number;
    crawl->id = visit->id;
    crawl->cluster = cluster;
    if (is_strange(crawl, visit))
        memset(crawl->delta, 0, sizeof crawl->delta);
    else if (find_from(crawl, visit, from))
        hmm_step(&crawl->hmm, from, cluster, crawl->delta);
    else
        hmm_begin(&crawl->hmm, cluster, crawl->delta);
    /* The next step divides by the sum: only its own links are worth less. */
    for (unsigned j = 0; j < HMM_STATES && crawl->strange == SCALED && visit->judgement->strange; j++)
        crawl->delta[j] *= (double)(visit->judgement->familiar * visit->judgement->familiar);
    if (!crawl->eager) {
        for (unsigned j = 0; j < HMM_STATES; j++) /* as its links keep it: they are scored again from that */
            crawl->delta[j] = (double)(float)crawl->delta[j];
        hmm_ahead(&crawl->hmm, crawl->delta, crawl->chances);
        return;
    }
    memcpy(crawl->chances, crawl->delta, sizeof crawl->chances);
    page.worth = (float)worth(crawl, crawl->chances);
    for (unsigned j = 0; j < HMM_STATES; j++)
        page.delta[j] = (float)crawl->delta[j];
    openlist_add(&crawl->open, &page, visit->targets, visit->page->nlinks);
}

/* Of this crawl to the nearest 2^-20, so that what it tells others can be taken away again, and of those that it
 * recalls. */
static struct hmm_followed sum_followed(const struct hmm_crawl *crawl)
{
    struct hmm_followed sum = crawl->recalled;

    for (unsigned i = 0; i < HMM_STATES; i++) {
        sum.strayed[i] += saved_round(crawl->followed.strayed[i]);
        for (unsigned j = 0; j < HMM_STATES; j++)
            sum.steps[i][j] += saved_round(crawl->followed.steps[i][j]);
    }
    return sum;
}

static void use_followed(struct hmm_crawl *crawl)
{
    crawl->used = sum_followed(crawl);
    crawl->nused = crawl->nfollowed + crawl->nrecalled;
    hmm_refine(crawl->learned, &crawl->used, crawl->hmm.a);
    crawl->drifted = true;
}

/* From the link that led here. */
static void learn_from(struct hmm_crawl *crawl, const struct strategy_visit *visit)
{
    double from[HMM_STATES], sum = 0;

    if (!find_from(crawl, visit, from))
        return;
    for (unsigned j = 0; j < HMM_STATES; j++)
        sum += from[j];
    for (unsigned j = 0; j < HMM_STATES; j++)
        from[j] /= sum;
    hmm_follow(&crawl->hmm, from, is_strange(crawl, visit) ? HMM_NO_SYMBOL : crawl->cluster, &crawl->followed);
    crawl->nfollowed++;
    if (!crawl->refine || !strategy_refine_is_due(crawl->nfollowed + crawl->nrecalled, crawl->nused))
        return;
    use_followed(crawl);
    hmm_ahead(&crawl->hmm, crawl->delta, crawl->chances);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct hmm_crawl *crawl = state;

    examine(crawl, visit);
    learn_from(crawl, visit);
    if (crawl->eager && !visit->seed && parent_of(visit->own))
        openlist_expand(&crawl->open, parent_of(visit->own) - 1);
}

/* ---- its links ---- */

static void tell_parts(const struct hmm_crawl *crawl, const double *chances, struct strategy_score *out)
{
    static const char *const ahead[] = {"leads to a target", "to a page before one", "two before one", "farther away"};
    static const char *const here[] = {"its page is a target", "one link before one", "two before one", "farther away"};
    unsigned top = 0;

    for (unsigned j = 0; j < HMM_STATES; j++) {
        top = chances[j] > chances[top] ? j : top;
        out->parts[j] = (struct strategy_part){.name = (crawl->eager ? here : ahead)[j], .value = chances[j]};
        out->parts[j].weight = crawl->literal ? 0 : 1.f / (float)(1u << j);
    }
    if (crawl->literal)
        out->parts[top].weight = 1;
    out->nparts = HMM_STATES;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct hmm_crawl *crawl = state;
    uint32_t parent = visit->id + 1;
    float delta[HMM_STATES];

    /* A page that has changed is not observed again. */
    if (crawl->number != visit->number || crawl->id != visit->id)
        examine(crawl, visit);
    (void)link;
    *out = (struct strategy_score){.priority = (float)worth(crawl, crawl->chances)};
    for (unsigned j = 0; j < HMM_STATES; j++)
        delta[j] = (float)crawl->delta[j];
    if (crawl->eager)
        memcpy(out->own, &parent, sizeof parent);
    else
        memcpy(out->own, delta, sizeof delta);
    tell_parts(crawl, crawl->chances, out);
    out->parts[out->nparts++] = (struct strategy_part){.name = "cluster of its page", .value = crawl->cluster + 1};
}

/* ---- eager: the other links of a chosen page go first ---- */

static bool raised_score(const struct hmm_crawl *crawl, uint32_t id, struct strategy_score *score)
{
    const struct openlist_page *page = crawl->eager ? openlist_expanded(&crawl->open, id) : NULL;
    uint32_t parent;

    if (!page)
        return false;
    parent = page->id + 1;
    *score = (struct strategy_score){.priority = (float)(RAISE + (double)page->worth)};
    memcpy(score->own, &parent, sizeof parent);
    return true;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct hmm_crawl *crawl = state;

    if (crawl->eager)
        return openlist_stale(&crawl->open, ids, room);
    if (!crawl->drifted)
        return 0;
    crawl->drifted = false;
    return STRATEGY_ALL;
}

static bool rank_raised(const struct hmm_crawl *crawl, uint32_t id, struct strategy_score *score)
{
    const struct openlist_page *page = openlist_expanded(&crawl->open, id);
    struct strategy_score raised;
    double chances[HMM_STATES];

    if (!raised_score(crawl, id, &raised) || raised.priority < score->priority)
        return false;
    *score = raised;
    for (unsigned j = 0; j < HMM_STATES; j++)
        chances[j] = (double)page->delta[j];
    tell_parts(crawl, chances, score);
    score->parts[score->nparts++] =
        (struct strategy_part){.name = "its page was chosen, and all its links with it", .value = RAISE, .weight = 1};
    return true;
}

/* By what A has become since. A link of a strange page, or of none, stays where it is. */
static bool rank_refined(const struct hmm_crawl *crawl, struct strategy_score *score)
{
    double delta[HMM_STATES], chances[HMM_STATES], sum = 0;
    float kept[HMM_STATES];

    memcpy(kept, score->own, sizeof kept);
    for (unsigned j = 0; j < HMM_STATES; j++)
        sum += delta[j] = (double)kept[j];
    if (!(sum > 0))
        return false;
    hmm_ahead(&crawl->hmm, delta, chances);
    score->priority = (float)worth(crawl, chances);
    tell_parts(crawl, chances, score);
    return true;
}

static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    const struct hmm_crawl *crawl = state;

    return crawl->eager ? rank_raised(crawl, id, score) : crawl->refine && rank_refined(crawl, score);
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    float before = score->priority;

    return explain(state, id, score) && score->priority != before;
}

/* ---- keeping ---- */

static void put_followed(const struct hmm_followed *followed, double count, struct buf *out)
{
    bytes_put_double(out, count);
    for (unsigned i = 0; i < HMM_STATES; i++) {
        bytes_put_double(out, followed->strayed[i]);
        for (unsigned j = 0; j < HMM_STATES; j++)
            bytes_put_double(out, followed->steps[i][j]);
    }
}

static scent_status save(void *state, struct buf *out)
{
    const struct hmm_crawl *crawl = state;

    bytes_put(out, VERSION, 1);
    openlist_save(&crawl->open, out);
    put_followed(&crawl->followed, crawl->nfollowed, out);
    put_followed(&crawl->recalled, crawl->nrecalled, out);
    put_followed(&crawl->used, crawl->nused, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static double get_count(struct bytes *in, double most)
{
    double count = bytes_get_double(in);

    bytes_check(in, count >= 0 && count <= most, "a count is out of range");
    return count;
}

static void get_followed(struct bytes *in, struct hmm_followed *followed, double *count)
{
    double most;

    *count = get_count(in, SAVED_COUNT_MAX);
    most = 1 + *count;
    for (unsigned i = 0; i < HMM_STATES; i++) {
        followed->strayed[i] = get_count(in, most);
        for (unsigned j = 0; j < HMM_STATES; j++)
            followed->steps[i][j] = get_count(in, hmm_can_step(i, j) ? most : 0);
    }
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct hmm_crawl *crawl = state;
    struct bytes in;

    SCENT_TRY(saved_open("hmm", VERSION, blob, &in, err));
    openlist_load(&crawl->open, &in);
    get_followed(&in, &crawl->followed, &crawl->nfollowed);
    get_followed(&in, &crawl->recalled, &crawl->nrecalled);
    get_followed(&in, &crawl->used, &crawl->nused);
    bytes_check(&in, crawl->nused <= crawl->nfollowed + crawl->nrecalled, "it does not add up");
    if (!in.wrong && crawl->refine) {
        hmm_refine(crawl->learned, &crawl->used, crawl->hmm.a);
        crawl->drifted = true; /* what is queued comes with the scores that it was queued with */
    }
    return saved_end("hmm", &in, err);
}

/* ---- for other crawls ---- */

#define MEANING "links by their distance from a target"

static scent_status learned(void *state, struct buf *out)
{
    const struct hmm_crawl *crawl = state;
    struct hmm_followed sum = sum_followed(crawl);

    saved_begin_learned(out, LEARNED_VERSION, MEANING);
    put_followed(&sum, crawl->nfollowed + crawl->nrecalled, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct hmm_crawl *crawl = state;
    struct bytes in = bytes_of(blob);
    struct hmm_followed more;
    double count;

    SCENT_TRY(saved_open_learned("hmm", LEARNED_VERSION, MEANING, &in, err));
    get_followed(&in, &more, &count);
    SCENT_TRY(saved_end_learned("hmm", &in, err));
    crawl->nrecalled += saved_weigh(count, weight);
    for (unsigned i = 0; i < HMM_STATES; i++) {
        crawl->recalled.strayed[i] += saved_weigh(more.strayed[i], weight);
        for (unsigned j = 0; j < HMM_STATES; j++)
            crawl->recalled.steps[i][j] += saved_weigh(more.steps[i][j], weight);
    }
    if (crawl->refine && weight != 0)
        use_followed(crawl);
    return SCENT_OK;
}

static const char *undivided(void *state)
{
    return ((const struct hmm_crawl *)state)->eager
               ? "with children: eager, pages wait until all their links were fetched"
               : NULL;
}

const struct strategy_ops strategy_hmm = {
    .name = "hmm",
    .summary = "how far a target is behind a link, by a model of somebody's browsing",
    .paper = "Liu, Milios and Janssen 2004, Focused Crawling by Learning HMM from User's Topic-specific Browsing",
    .options = options,
    .wants = JUDGE_BROWSING,
    .own_bytes = HMM_STATES * sizeof(float),
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .undivided = undivided,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
