/* rules - a link is as good as the chains of interclass rules that lead from the class of its page to the targets
 * (Altingovde and Ulusoy, Figure 4); where there is no such chain, as its page is (soft focus).
 *
 * The score of a class is computed when it is first needed. With `refine` every fetched page whose parent's class is
 * known counts for the rule from that class to its own: X = (weight X + pairs)/(weight + pairs of the class), where X
 * comes from the file and counts for `weight` pairs. When the pairs have grown by a tenth the rules are replaced, and
 * all candidates are scored again: at any time all are ranked by the same rules.
 * The pairs can teach another crawl with the same classes.
 * Kept with a candidate: the class of its page. State: 16 bytes a pair of classes, 16 more with `refine`. */
#include "strategy/guided.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "learn/rulebook.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_CLASS = 0 };
#define UNKNOWN (-1.)

struct ruled {
    struct guided guided;
    const struct rulebook *rules;
    struct rulebook_chain chain;
    uint32_t n;
    bool max_path, by_distribution, inner, refine, target_best;
    double weight;
    double *x;       /* the chain's */
    double *offline; /* X of the file; NULL: nothing is refined */
    double *pairs;   /* [parent][child] that were fetched */
    double *used;    /* those that X is refined with */
    double all, nused;
    bool drifted;    /* stale() has not told it yet */
    double *scores;  /* of each class; UNKNOWN: to be computed */
    double best;     /* of the classes that are no target, in the same way */
    double *row;     /* scratch */
    uint64_t classified, rated; /* the numbers of the page whose class and score these are */
    uint32_t class;
    double path;     /* 0: there is none */
};

static const struct strategy_option options[] = {
    {"depth", "2", "MAX DEPTH: rules that are chained at most, 1 to 3; a tunnel of n other classes needs n + 1",
     OPTION_WHOLE(struct ruled, chain.depth, 1, RULEBOOK_DEPTH_MAX)},
    {"paths", "sum", "several paths to a target: their sum or their max",
     OPTION_EITHER(struct ruled, max_path, "sum", "max")},
    {"by", "class",
     "a page counts by its best class (class), or by all its classes with their probabilities (distribution)",
     OPTION_EITHER(struct ruled, by_distribution, "class", "distribution")},
    {"target", "loop",
     "what pages of a target class score: loop, the rule from it to itself; best, never less than any other class",
     OPTION_EITHER(struct ruled, target_best, "loop", "best")},
    {"inner", "no", "yes: a class without a path takes the rules of all that lies below its nearest ancestor with one",
     OPTION_EITHER(struct ruled, inner, "no", "yes")},
    {"refine", "no", "yes: what the crawl fetches refines the rules", OPTION_EITHER(struct ruled, refine, "no", "yes")},
    {"weight", "50", "fetched pairs of a class that the rules of the file count for",
     OPTION_NUMBER(struct ruled, weight, 0, 1e9)},
    {0},
};

/* ---- opening ---- */

static scent_status make_room(struct ruled *ruled, struct errmsg *err)
{
    size_t n = ruled->n, cells = n * n;

    ruled->x = calloc(cells, sizeof *ruled->x);
    ruled->scores = calloc(n, sizeof *ruled->scores);
    ruled->row = calloc(n, sizeof *ruled->row);
    ruled->pairs = calloc(cells, sizeof *ruled->pairs);
    ruled->offline = ruled->refine ? calloc(cells, sizeof *ruled->offline) : NULL;
    ruled->used = ruled->refine ? calloc(cells, sizeof *ruled->used) : NULL;
    return ruled->x && ruled->scores && ruled->row && ruled->pairs &&
                   ((ruled->offline && ruled->used) || !ruled->refine)
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_NOMEM, "no memory for the rules of %zu classes", n);
}

static void forget_scores(struct ruled *ruled)
{
    for (uint32_t i = 0; i < ruled->n; i++)
        ruled->scores[i] = UNKNOWN;
    ruled->best = UNKNOWN;
}

static scent_status check_targets(const struct ruled *ruled, const struct topic *topic, struct errmsg *err)
{
    for (uint32_t i = 0; i < ruled->n; i++)
        if (ruled->guided.wanted[i])
            return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "strategy rules needs a target among the model's classes, and %s",
                       topic->taxonomy.ntargets ? "taxonomy.target names none of them"
                                                : "the topic has no taxonomy.target");
}

static scent_status prepare(struct ruled *ruled, const struct strategy_context *context, struct errmsg *err)
{
    const struct rulebook *rules = context->knowledge->rules;

    SCENT_TRY(guided_init(&ruled->guided, context, err));
    if (!rules)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy rules needs interclass rules, and the topic has none: run 'scent rules build' "
                           "with its file, or name a file of rules with the key 'rules'");
    ruled->rules = rules;
    ruled->n = rules->nclasses;
    SCENT_TRY(check_targets(ruled, context->topic, err));
    SCENT_TRY(make_room(ruled, err));
    rulebook_shares(ruled->rules, ruled->x);
    if (ruled->refine)
        rulebook_shares(ruled->rules, ruled->offline);
    ruled->chain.x = ruled->x;
    ruled->chain.n = ruled->n;
    ruled->chain.merge = ruled->max_path ? RULEBOOK_MAX : RULEBOOK_SUM;
    forget_scores(ruled);
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct ruled *ruled = state;

    guided_release(&ruled->guided);
    free(ruled->x);
    free(ruled->offline);
    free(ruled->pairs);
    free(ruled->used);
    free(ruled->scores);
    free(ruled->row);
    free(ruled);
}

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    scent_status status;

    SCENT_TRY(option_new_state(context, sizeof(struct ruled), state, err));
    status = prepare(*state, context, err);
    if (status != SCENT_OK)
        close_state(*state);
    return status;
}

/* ---- the score of a class ---- */

static bool lies_below(struct str class, struct str ancestor)
{
    return str_starts(class, ancestor) && (class.len == ancestor.len || class.p[ancestor.len] == '.');
}

static double sum_used(const struct ruled *ruled, uint32_t from)
{
    double sum = 0;

    for (uint32_t to = 0; ruled->used && to < ruled->n; to++)
        sum += ruled->used[(size_t)from * ruled->n + to];
    return sum;
}

/* What all classes below `ancestor` link to, each as often as its examples do. */
static void sum_rows(struct ruled *ruled, struct str ancestor)
{
    double total = 0;

    memset(ruled->row, 0, ruled->n * sizeof *ruled->row);
    for (uint32_t i = 0; i < ruled->n; i++) {
        double pages = (double)rulebook_total(ruled->rules, i) + sum_used(ruled, i);

        if (pages == 0 || !lies_below(ruled->rules->classes[i], ancestor))
            continue;
        for (uint32_t k = 0; k < ruled->n; k++)
            ruled->row[k] += pages * ruled->x[(size_t)i * ruled->n + k];
        total += pages;
    }
    for (uint32_t k = 0; k < ruled->n && total > 0; k++)
        ruled->row[k] /= total;
}

static double score_ancestors(struct ruled *ruled, struct str class)
{
    double score = 0;

    while (score == 0 && class.len > 0) {
        do
            class.len--;
        while (class.len > 0 && class.p[class.len] != '.');
        if (class.len == 0)
            break;
        sum_rows(ruled, class);
        score = rulebook_score_row(&ruled->chain, ruled->row, ruled->guided.wanted);
    }
    return score;
}

static double score_paths(struct ruled *ruled, uint32_t class)
{
    double *score = &ruled->scores[class];

    if (*score == UNKNOWN) {
        *score = rulebook_score_all(&ruled->chain, class, ruled->guided.wanted);
        if (*score == 0 && ruled->inner)
            *score = score_ancestors(ruled, ruled->rules->classes[class]);
    }
    return *score;
}

static double score_class(struct ruled *ruled, uint32_t class)
{
    double score = score_paths(ruled, class);

    if (!ruled->target_best || !ruled->guided.wanted[class])
        return score;
    if (ruled->best == UNKNOWN) {
        ruled->best = 0;
        for (uint32_t i = 0; i < ruled->n; i++)
            if (!ruled->guided.wanted[i] && score_paths(ruled, i) > ruled->best)
                ruled->best = score_paths(ruled, i);
    }
    return score > ruled->best ? score : ruled->best;
}

/* ---- the page ---- */

static void classify(struct ruled *ruled, const struct strategy_visit *visit)
{
    if (ruled->classified == visit->number)
        return;
    ruled->class = guided_best_class(&ruled->guided, visit->page);
    ruled->classified = visit->number;
}

/* At the first link and not in observe(): a copy of a page is scored without being observed. */
static void rate(struct ruled *ruled, const struct strategy_visit *visit)
{
    const double *p = visit->judgement->classes;

    if (ruled->rated == visit->number)
        return;
    classify(ruled, visit);
    ruled->rated = visit->number;
    if (!ruled->by_distribution || !p) {
        ruled->path = score_class(ruled, ruled->class);
        return;
    }
    ruled->path = 0;
    for (uint32_t i = 0; i < ruled->n; i++)
        ruled->path += p[i] > 0 ? p[i] * score_class(ruled, i) : 0;
}

static uint32_t parent_of(const uint8_t *own)
{
    return (uint32_t)own[0] | (uint32_t)own[1] << 8;
}

/* The chains, what one rule alone would say, and of which class the page is (its number in the rules). */
static void tell(const struct ruled *ruled, uint32_t class, double path, struct strategy_score *out)
{
    const uint32_t *counts = ruled->rules->counts + (size_t)(class - 1) * ruled->n;
    const double *x = ruled->x + (size_t)(class - 1) * ruled->n;
    struct strategy_part direct = {.name = "one rule from the page's class to a target",
                                   .counted = "pages that examples of the class link to are of a target class"};

    for (uint32_t i = 0; i < ruled->n; i++) {
        direct.value += ruled->guided.wanted[i] ? x[i] : 0;
        direct.count += ruled->guided.wanted[i] ? counts[i] : 0;
        direct.of += counts[i];
    }
    out->nparts = 3;
    out->parts[0] = (struct strategy_part){.name = "paths from the page's class to the targets", .value = path};
    out->parts[1] = direct;
    out->parts[2] = (struct strategy_part){.name = "number of the page's class", .value = class};
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    struct ruled *ruled = state;
    double soft = guided_page(visit);
    uint32_t class;

    (void)link;
    rate(ruled, visit);
    class = ruled->class + 1;
    *out = (struct strategy_score){
        .priority = (float)(ruled->path > 0 ? ruled->path : soft),
        .own = {(uint8_t)(class & 0xff), (uint8_t)(class >> 8)},
    };
    tell(ruled, class, ruled->path, out);
    out->parts[out->nparts++] = (struct strategy_part){.name = "probability of the page", .value = soft};
}

/* ---- refining ---- */

static void refine_row(struct ruled *ruled, uint32_t from)
{
    size_t first = (size_t)from * ruled->n;
    double weight = rulebook_total(ruled->rules, from) > 0 ? ruled->weight : 0;
    double all = weight + sum_used(ruled, from);

    for (size_t i = first; i < first + ruled->n && all > 0; i++)
        ruled->x[i] = (weight * ruled->offline[i] + ruled->used[i]) / all;
}

static void refine_all(struct ruled *ruled)
{
    for (uint32_t i = 0; i < ruled->n; i++)
        if (sum_used(ruled, i) > 0)
            refine_row(ruled, i);
    forget_scores(ruled);
    ruled->drifted = true;
}

static void use_pairs(struct ruled *ruled)
{
    memcpy(ruled->used, ruled->pairs, (size_t)ruled->n * ruled->n * sizeof *ruled->used);
    ruled->nused = ruled->all;
    refine_all(ruled);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct ruled *ruled = state;
    uint32_t parent = parent_of(visit->own);

    if (visit->seed || parent == NO_CLASS || parent > ruled->n)
        return;
    classify(ruled, visit);
    ruled->pairs[(size_t)(parent - 1) * ruled->n + ruled->class]++;
    ruled->all++;
    if (ruled->refine && strategy_refine_is_due(ruled->all, ruled->nused)) /* if not, it is counted for other crawls */
        use_pairs(ruled);
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct ruled *ruled = state;

    (void)ids, (void)room;
    if (!ruled->drifted || ruled->by_distribution) /* which a candidate does not keep */
        return 0;
    ruled->drifted = false;
    return STRATEGY_ALL;
}

static bool explain(void *state, uint32_t id, struct strategy_score *out)
{
    struct ruled *ruled = state;
    uint32_t class = parent_of(out->own);
    double path;

    (void)id;
    if (class == NO_CLASS || class > ruled->n || ruled->by_distribution)
        return false;
    path = score_class(ruled, class - 1);
    if (path > 0)
        out->priority = (float)path;
    tell(ruled, class, path, out);
    return true;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *out)
{
    float before = out->priority;

    return explain(state, id, out) && out->priority != before;
}

/* ---- keeping ---- */

enum { STATE_VERSION = 2, LEARNED_VERSION = 1 };

static void put_pairs(const struct ruled *ruled, const double *pairs, struct buf *out)
{
    size_t cells = (size_t)ruled->n * ruled->n;
    uint64_t count = 0;

    for (size_t i = 0; i < cells; i++)
        count += pairs[i] > 0;
    bytes_put_varint(out, count);
    for (size_t i = 0; i < cells; i++)
        if (pairs[i] > 0) {
            bytes_put_varint(out, i);
            saved_put_count(out, pairs[i]);
        }
}

/* With a weight of 0 it only looks. Returns how many were added. */
static double add_pairs(const struct ruled *ruled, struct bytes *in, double weight, double *pairs)
{
    uint64_t count = bytes_get_varint(in), cells = (uint64_t)ruled->n * ruled->n, after = 0;
    double sum = 0;

    if (!bytes_has(in, count, 2))
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t cell = bytes_get_varint(in);
        double more = saved_weigh(saved_get_count(in), weight);

        if (!bytes_check(in, cell >= after && cell < cells, "a pair of classes is out of place"))
            return 0;
        after = cell + 1;
        pairs[cell] += more;
        sum += more;
    }
    return sum;
}

static scent_status save(void *state, struct buf *out)
{
    const struct ruled *ruled = state;

    bytes_put(out, STATE_VERSION, 1);
    bytes_put(out, ruled->n, 4);
    bytes_put_double(out, ruled->nused);
    put_pairs(ruled, ruled->pairs, out);
    if (ruled->refine)
        put_pairs(ruled, ruled->used, out);
    else
        bytes_put_varint(out, 0);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

/* What is queued comes with the scores that it was queued with, so all of it is scored again. Sums of shares differ in
 * their last digits with the order of the summands. */
static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct ruled *ruled = state;
    struct bytes in;

    SCENT_TRY(saved_open("rules", STATE_VERSION, blob, &in, err));
    bytes_check(&in, bytes_get(&in, 4) == ruled->n, "it is about other classes");
    ruled->nused = bytes_get_double(&in);
    ruled->all = add_pairs(ruled, &in, 1, ruled->pairs);
    (void)add_pairs(ruled, &in, ruled->refine, ruled->refine ? ruled->used : ruled->pairs);
    bytes_check(&in, ruled->nused >= 0 && ruled->nused <= ruled->all * (1 + 1e-9), "it does not add up");
    SCENT_TRY(saved_end("rules", &in, err));
    if (ruled->refine)
        refine_all(ruled);
    return SCENT_OK;
}

/* Pairs mean the same where the classes are the same. */
static void name_classes(const struct ruled *ruled, char out[32])
{
    uint64_t hash = ruled->n;

    for (uint32_t i = 0; i < ruled->n; i++)
        hash = hash_str(ruled->rules->classes[i], hash);
    snprintf(out, 32, "classes %016" PRIx64, hash);
}

static scent_status learned(void *state, struct buf *out)
{
    const struct ruled *ruled = state;
    char classes[32];

    name_classes(ruled, classes);
    saved_begin_learned(out, LEARNED_VERSION, classes);
    put_pairs(ruled, ruled->pairs, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status recall(void *state, struct str blob, double weight, struct errmsg *err)
{
    struct ruled *ruled = state;
    struct bytes in = bytes_of(blob), again;
    char classes[32];

    name_classes(ruled, classes);
    SCENT_TRY(saved_open_learned("rules", LEARNED_VERSION, classes, &in, err));
    again = in;
    (void)add_pairs(ruled, &in, 0, ruled->pairs);
    SCENT_TRY(saved_end_learned("rules", &in, err));
    ruled->all += add_pairs(ruled, &again, weight, ruled->pairs);
    if (ruled->refine)
        use_pairs(ruled);
    return SCENT_OK;
}

const struct strategy_ops strategy_rules = {
    .name = "rules",
    .summary = "chains of rules such as 'pages of class A link to pages of class B' that lead to the target classes",
    .paper = "Altingovde and Ulusoy 2004, Exploiting Interclass Rules for Focused Crawling",
    .options = options,
    .wants = JUDGE_CLASSES,
    .rules = STRATEGY_NEEDS,
    .paper_model = guided_paper_bayes,
    .paper_leaf = GUIDED_PAPER_LEAF,
    .own_bytes = 2,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
    .learned = learned,
    .recall = recall,
};
