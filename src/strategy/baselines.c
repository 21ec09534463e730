/* baselines - the orders that everything else is measured against: breadth-first, random, best-first, best-n-first and
 * in-degree. */
#include "strategy/option.h"
#include "strategy/strategies.h"

#include "base/hash.h"

#include <stdlib.h>

/* ---- breadth-first: all links are equal, and equals go first found first ---- */

static void score_equal(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit, (void)link;
    *out = (struct strategy_score){0};
}

const struct strategy_ops strategy_breadth_first = {
    .name = "breadth-first",
    .summary = "in the order in which links were found",
    .paper = "classic baseline",
    .idle_threshold = "all links have the same priority",
    .score = score_equal,
};

/* ---- random: uniform, seeded ----
 *
 * A URL's priority is a hash of the seed and its id, not the next number of a generator: it does not depend on how
 * often the URL is linked, and a resumed crawl needs no state to continue alike. */

struct random_state {
    uint64_t seed;
};

static scent_status open_random(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct random_state *random = malloc(sizeof *random);

    (void)err;
    SCENT_BUG_IF(!random);
    random->seed = context->seed;
    *state = random;
    return SCENT_OK;
}

static void score_random(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct random_state *random = state;
    uint64_t draw = hash_mix(random->seed, visit->targets[link]);

    *out = (struct strategy_score){.priority = (float)(draw >> 40) * 0x1p-24f};
}

const struct strategy_ops strategy_random = {
    .name = "random",
    .summary = "in random order, uniform over the candidates",
    .paper = "classic baseline",
    .open = open_random,
    .close = free,
    .score = score_random,
};

/* ---- best-first: a link is as good as the page it stands on ----
 *
 * By `similar`: the cosine to the centroid of the seeds, as in the classic definition. By `score`: what the judge makes
 * of the page, so that whatever the topic has (a classifier, a query) leads the crawl. By `browsing`: the largest
 * cosine to a useful page of the browsing model, the baseline of Liu, Milios and Janssen. */

struct best_first {
    unsigned by;
};

enum { SIMILAR, SCORE, BROWSING };

static const struct strategy_option best_first_options[] = {
    {"by", "similar",
     "what a page is worth: similar (the cosine to the seeds), score (the judge's) or browsing (the largest cosine to "
     "a useful page)",
     OPTION_CHOICE(struct best_first, by, "similar", "score", "browsing")},
    {0},
};

static scent_status open_best_first(const struct strategy_context *context, void **state, struct errmsg *err)
{
    SCENT_TRY(option_new_state(context, sizeof(struct best_first), state, err));
    if (((struct best_first *)*state)->by != BROWSING || context->knowledge->browsing)
        return SCENT_OK;
    free(*state);
    return errmsg_fail(err, SCENT_E_INVALID,
                       "best-first: by: browsing needs a model of somebody's browsing: make one with "
                       "'scent browse train', and name it with the key 'browsing'");
}

static void score_as_page(const char *name, double worth, struct strategy_score *out)
{
    *out = (struct strategy_score){
        .priority = (float)worth,
        .nparts = 1,
        .parts = {{.name = name, .value = worth}},
    };
}

static void score_best_first(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct judgement *judgement = visit->judgement;

    (void)link;
    switch (((const struct best_first *)state)->by) {
    case SIMILAR:
        score_as_page("cosine of the page to the seeds", judgement->cosine, out);
        break;
    case SCORE:
        score_as_page("score of the page", judgement->score, out);
        break;
    default:
        score_as_page("largest cosine of the page to a useful one", judgement->browsing, out);
    }
}

const struct strategy_ops strategy_best_first = {
    .name = "best-first",
    .summary = "links of the best pages first, by their score or by their likeness to the seeds",
    .paper = "classic baseline (Cho et al. 1998; the rival in Pant, Liu and Aggarwal)",
    .options = best_first_options,
    .wants = JUDGE_COSINE | JUDGE_BROWSING,
    .open = open_best_first,
    .close = free,
    .score = score_best_first,
    .adopt = strategy_adopt_judgements,
};

/* ---- best-n-first: the N best candidates are fetched before any of their links is ranked ----
 *
 * The links that are ranked next come from N pages, so that one misleading page does not lead the whole crawl. */

struct best_n_first {
    uint32_t n;
};

static const struct strategy_option best_n_first_options[] = {
    {"n", "256", "candidates that are fetched as one batch", OPTION_WHOLE(struct best_n_first, n, 1, 100000)},
    {0},
};

static scent_status open_best_n_first(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return option_new_state(context, sizeof(struct best_n_first), state, err);
}

static void score_best_n_first(void *state, const struct strategy_visit *visit, uint32_t link,
                               struct strategy_score *out)
{
    (void)state, (void)link;
    score_as_page("cosine of the page to the seeds", visit->judgement->cosine, out);
}

static uint32_t batch_of_n(void *state)
{
    return ((const struct best_n_first *)state)->n;
}

const struct strategy_ops strategy_best_n_first = {
    .name = "best-n-first",
    .summary = "the N best candidates at once, by the likeness of their pages to the seeds",
    .paper = "Pant, Srinivasan and Menczer 2002; classic baseline",
    .options = best_n_first_options,
    .wants = JUDGE_COSINE,
    .open = open_best_n_first,
    .close = free,
    .score = score_best_n_first,
    .batch = batch_of_n,
};

/* ---- in-degree: URLs that more pages link to come first ----
 *
 * Counts the pages, not the links: a menu that names a target twice counts once. Own bytes: the page that was counted
 * last, by a hash of its URL (4): ids are another worker's where a link was found there. */

static void score_in_degree(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    uint32_t page = strategy_page_name(visit);

    (void)state, (void)link;
    score_as_page("pages that link to it", 1, out);
    memcpy(out->own, &page, sizeof page);
}

static void merge_in_degree(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    bool same = memcmp(kept->own, score->own, sizeof(uint32_t)) == 0;

    (void)state, (void)id;
    score->priority = kept->priority + (same ? 0 : 1);
    score->parts[0].value = (double)score->priority;
}

const struct strategy_ops strategy_in_degree = {
    .name = "in-degree",
    .summary = "what most of the pages seen so far link to",
    .paper = "Cho, Garcia-Molina and Page 1998, Efficient Crawling Through URL Ordering",
    .idle_threshold = "the links of the seeds have 1, and only a crawl that fetches these lets others rise",
    .own_bytes = sizeof(uint32_t),
    .score = score_in_degree,
    .merge = merge_in_degree,
};
