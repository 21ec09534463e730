#include "lab/prior_fit.h"

#include "base/rng.h"
#include "base/vec.h"
#include "lab/lab_crawl.h"
#include "strategy/adaptive.h"
#include "strategy/strategies.h"

#include <math.h>
#include <stdlib.h>

enum {
    FIRST = 24,  /* pages, before each of which candidates are looked at, … */
    EVERY = 4,   /* … and then before each of so many */
    BEST = 12,   /* of the candidates: the best, … */
    RANDOM = 12, /* … and so many drawn */
    ROUNDS = 30, /* of the regression */
    HUB = 10,    /* relevant pages that were not fetched, to which a page links that is worth fetching for them … */
    HUB_SHARE = 4, /* … where they are a quarter of its links */
};
#define OF_TOPIC 200. /* pages that the rows of a topic count as, beside … */
#define RIDGE 400.    /* … the plain prior */
#define LEAST_PRECISION .1 /* of a row, so that no round goes too far */
/* ---- rows ---- */

struct watching {
    struct prior_fit *fit;
    const struct lab *lab;
    const struct trial *trial;
    struct rng rng;
    uint32_t *ids;   /* of the pages of the collection that are known, … */
    uint32_t *pages; /* … in the order in which they were found */
    bool *known, *fetched; /* of every page */
    size_t nknown, nfetched;
    uint32_t last;   /* page that was fetched */
    enum prior_mode mode;
};

/* A page is worth fetching where it is relevant or leads to relevant pages. */
static bool is_worthwhile(const struct watching *w, uint32_t page)
{
    const uint32_t *targets = NULL;
    const struct page *content;
    uint32_t found = 0;

    if (w->trial->relevant[page])
        return true;
    content = collection_page(w->lab->collection, page, &targets);
    for (uint32_t i = 0; content && i < content->nlinks; i++)
        found += w->trial->relevant[targets[i]] && !w->fetched[targets[i]];
    return found >= HUB && found >= content->nlinks / HUB_SHARE;
}

static void add_row(struct watching *w, const struct strategy *strategy, uint32_t id, uint32_t page)
{
    struct prior_fit *fit = w->fit;
    struct prior_fit_row row = {.relevant = is_worthwhile(w, page)};

    if (!adaptive_weigh(strategy, id, row.x))
        return;
    SCENT_BUG_IF(!vec_reserve(&fit->rows[w->mode], &fit->room[w->mode], fit->nrows[w->mode] + 1,
                              sizeof *fit->rows[w->mode]));
    fit->rows[w->mode][fit->nrows[w->mode]++] = row;
}

/* The best candidates, and some at random. */
static void look_around(struct watching *w, const struct strategy *strategy)
{
    struct {
        float priority;
        size_t at;
    } best[BEST];
    size_t nbest = 0;

    for (size_t i = 0; i < w->nknown; i++) {
        struct strategy_score score = {0};
        size_t at = nbest;

        if (w->fetched[w->pages[i]])
            continue;
        (void)strategy->ops->rescore(strategy->state, w->ids[i], &score);
        while (at && best[at - 1].priority < score.priority)
            at--;
        if (at == BEST)
            continue;
        nbest += nbest < BEST;
        memmove(best + at + 1, best + at, (nbest - at - 1) * sizeof *best);
        best[at].priority = score.priority;
        best[at].at = i;
    }
    for (size_t i = 0; i < nbest; i++)
        add_row(w, strategy, w->ids[best[i].at], w->pages[best[i].at]);
    for (int i = 0; i < RANDOM && w->nknown; i++) {
        size_t at = rng_below(&w->rng, w->nknown);

        if (!w->fetched[w->pages[at]])
            add_row(w, strategy, w->ids[at], w->pages[at]);
    }
}

static void know_links(struct watching *w, const struct frontier *frontier, uint32_t page)
{
    const uint32_t *targets = NULL;
    const struct page *content = collection_page(w->lab->collection, page, &targets);

    for (uint32_t i = 0; content && i < content->nlinks; i++) {
        uint64_t print = url_fingerprint(collection_url(w->lab->collection, targets[i]), COLLECTION_KEY);

        if (w->known[targets[i]] || !frontier_find(frontier, print, &w->ids[w->nknown]))
            continue;
        w->known[targets[i]] = true;
        w->pages[w->nknown++] = targets[i];
    }
}

/* Candidates of one moment are compared with each other: the relevant ones together weigh as much as the others. */
static void weigh_moment(struct prior_fit_row *rows, size_t count)
{
    size_t relevant = 0;

    for (size_t i = 0; i < count; i++)
        relevant += rows[i].relevant;
    for (size_t i = 0; i < count && relevant && relevant < count; i++)
        rows[i].weight = .5f / (float)(rows[i].relevant ? relevant : count - relevant);
}

/* The links of the page before are known by now. */
static void watch(void *ctx, const struct strategy *strategy, const struct frontier *frontier, uint32_t id,
                  uint32_t page)
{
    struct watching *w = ctx;

    size_t first;

    w->mode = adaptive_mode(strategy);
    first = w->fit->nrows[w->mode];
    if (w->nfetched)
        know_links(w, frontier, w->last);
    w->fetched[page] = true;
    w->last = page;
    if (++w->nfetched > FIRST && w->nfetched % EVERY)
        return;
    add_row(w, strategy, id, page);
    look_around(w, strategy);
    if (w->fit->nrows[w->mode] > first)
        weigh_moment(w->fit->rows[w->mode] + first, w->fit->nrows[w->mode] - first);
}

static scent_status crawl_trial(struct prior_fit *fit, const struct lab *lab, const struct lab_trial *place,
                                size_t strategy, struct errmsg *err)
{
    size_t npages = collection_count(lab->collection), nrows[PRIOR_MODES];
    struct watching w = {
        .fit = fit,
        .lab = lab,
        .trial = place->trial,
        .ids = calloc(npages + 1, sizeof *w.ids),
        .pages = calloc(npages + 1, sizeof *w.pages),
        .known = calloc(npages + 1, sizeof *w.known),
        .fetched = calloc(npages + 1, sizeof *w.fetched),
    };
    struct lab_crawler crawler = {.lab = lab, .watch = watch, .watch_ctx = &w};
    scent_status status;

    SCENT_BUG_IF(!w.ids || !w.pages || !w.known || !w.fetched);
    rng_seed(&w.rng, lab->experiment->seed);
    memcpy(nrows, fit->nrows, sizeof nrows);
    status = lab_crawler_run(&crawler, place, strategy, err);
    for (int mode = 0; mode < PRIOR_MODES && status == SCENT_OK; mode++) {
        double all = 0;

        fit->ntopics[mode] += fit->nrows[mode] > nrows[mode];
        for (size_t i = nrows[mode]; i < fit->nrows[mode]; i++)
            all += (double)fit->rows[mode][i].weight;
        for (size_t i = nrows[mode]; i < fit->nrows[mode]; i++)
            fit->rows[mode][i].weight /= (float)fmax(all, 1e-9) * (float)lab->experiment->repeats;
    }
    lab_crawler_release(&crawler);
    free(w.ids);
    free(w.pages);
    free(w.known);
    free(w.fetched);
    return status;
}

scent_status prior_fit_add(struct prior_fit *fit, const struct lab *lab, struct errmsg *err)
{
    const struct experiment *experiment = lab->experiment;
    size_t found = 0;

    for (size_t k = 0; k < experiment->nstrategies; k++) {
        if (strategy_find(experiment->strategies[k].name) != &strategy_adaptive)
            continue;
        found++;
        for (size_t i = 0; i < lab->ntopics * experiment->repeats; i++)
            SCENT_TRY(crawl_trial(fit, lab, &lab->trials[i], k, err));
    }
    return found ? SCENT_OK
                 : errmsg_fail(err, SCENT_E_INVALID, "%.*s: no strategy is adaptive: its priors are fitted to its own "
                               "crawls", STR_ARG(experiment->file));
}

void prior_fit_release(struct prior_fit *fit)
{
    for (int mode = 0; mode < PRIOR_MODES; mode++)
        free(fit->rows[mode]);
}

/* ---- the regression ---- */

static bool is_of_the_site(int feature)
{
    return feature == EVIDENCE_HOST || feature == EVIDENCE_SAME_HOST || feature == EVIDENCE_POSITION;
}

/* Newton's method: each round is a linear regression of what the last one got wrong. */
static void regress(const struct prior_fit_row *rows, size_t count, const struct posterior_weight *start,
                    struct posterior *out)
{
    struct posterior_weight prior[EVIDENCE_FEATURES];
    struct posterior last;

    for (int i = 0; i < EVIDENCE_FEATURES; i++)
        prior[i] = (struct posterior_weight){start[i].mean, is_of_the_site(i) ? 1e-6 : 1 / RIDGE};
    prior[EVIDENCE_BIAS].variance = 1;
    posterior_init(out, prior);
    for (int round = 0; round < ROUNDS; round++) {
        last = *out;
        posterior_init(out, prior);
        for (size_t i = 0; i < count; i++) {
            double odds = posterior_mean(&last, rows[i].x), p = 1 / (1 + exp(-odds));
            double h = fmax(p * (1 - p), LEAST_PRECISION);

            posterior_learn_number(out, rows[i].x, odds + (rows[i].relevant - p) / h,
                                   OF_TOPIC * (double)rows[i].weight * h);
        }
    }
}

/* Relevant pages are rarer than their weights say: the bias that expects as many as there are. */
static double find_bias(const struct prior_fit_row *rows, size_t count, const struct posterior *posterior)
{
    double low = -20, high = 20, relevant = 0;

    for (size_t i = 0; i < count; i++)
        relevant += rows[i].relevant;
    while (high - low > 1e-4) {
        double bias = (low + high) / 2, sum = 0;

        for (size_t i = 0; i < count; i++)
            sum += 1 / (1 + exp(-(posterior_mean(posterior, rows[i].x) - posterior->mean[EVIDENCE_BIAS] + bias)));
        *(sum < relevant ? &low : &high) = bias;
    }
    return low;
}

struct prior prior_fit_solve(const struct prior_fit *fit)
{
    struct prior prior = prior_built_in(PRIOR_PLAIN);

    for (int mode = 0; mode < PRIOR_MODES; mode++) {
        struct posterior_weight *weights = prior.weights[mode];
        struct posterior posterior;

        if (!fit->nrows[mode])
            continue;
        regress(fit->rows[mode], fit->nrows[mode], weights, &posterior);
        posterior.mean[EVIDENCE_BIAS] = find_bias(fit->rows[mode], fit->nrows[mode], &posterior);
        for (int i = 0; i < EVIDENCE_FEATURES; i++)
            weights[i].mean = is_of_the_site(i) ? 0 : posterior.mean[i];
    }
    return prior;
}
