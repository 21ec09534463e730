#include "search/ranking.h"

#include "text/search_terms.h"

#include <math.h>
#include <stdlib.h>

/* Every other article of Wikispeedia is for tuning these (tests/perf/bench_search), the others are the test. */
static const double k1 = 1.2;
static const double field_weight[FULLTEXT_COLUMNS] = {[FULLTEXT_TITLE] = 8, [FULLTEXT_URL] = 3, [FULLTEXT_CONTENT] = 1};
static const double field_b[FULLTEXT_COLUMNS] = {[FULLTEXT_TITLE] = .6, [FULLTEXT_URL] = .4, [FULLTEXT_CONTENT] = .6};
static const double title_equal = 1, title_part = .5;

enum { SAMPLE = 2000, TITLE_TERMS = 64 };
enum { MANY = 30000 }; /* pages that fit; of more, those with the words in title or URL are enough */
static const double common = .3; /* a word on more pages than this share need not be there … */
static const double rare = .1;   /* … where another one is on fewer than this */

struct run {
    const struct request *request;
    struct ranking_result *out;
    size_t keep;
    ranking_accept *accept;
    void *ctx;
    uint8_t order[REQUEST_VARIANTS]; /* variant of each phrase */
    size_t phrases;
    uint8_t group_of[REQUEST_VARIANTS]; /* of a variant */
    double averages[FULLTEXT_COLUMNS];
    bool has_averages;
};

/* ---- the pages that are kept: a heap whose first is the worst ---- */

static bool is_worse(const struct ranked *a, const struct ranked *b)
{
    return a->score != b->score ? a->score < b->score : a->page > b->page;
}

static void sink(struct ranked *heap, size_t count, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < count; i = child) {
        struct ranked swap = heap[i];

        if (child + 1 < count && is_worse(&heap[child + 1], &heap[child]))
            child++;
        if (!is_worse(&heap[child], &heap[i]))
            break;
        heap[i] = heap[child];
        heap[child] = swap;
    }
}

static void keep_page(struct run *run, struct ranked page)
{
    struct ranking_result *out = run->out;
    size_t i = out->count;

    if (out->count == run->keep) {
        out->pages[0] = page;
        sink(out->pages, out->count, 0);
        return;
    }
    for (out->pages[out->count++] = page; i && is_worse(&page, &out->pages[(i - 1) / 2]); i = (i - 1) / 2) {
        out->pages[i] = out->pages[(i - 1) / 2];
        out->pages[(i - 1) / 2] = page;
    }
}

static int order_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return is_worse(x, y) ? 1 : is_worse(y, x) ? -1 : 0;
}

/* ---- scores ---- */

static double score_groups(const struct run *run, double counts[REQUEST_GROUPS][FULLTEXT_COLUMNS],
                           const double norms[FULLTEXT_COLUMNS])
{
    double score = 0;

    for (size_t g = 0; g < run->request->ngroups; g++) {
        double tf = 0;

        for (int c = 0; c < FULLTEXT_COLUMNS; c++)
            tf += field_weight[c] * counts[g][c] / norms[c];
        score += run->out->weights[g] * tf * (k1 + 1) / (tf + k1);
    }
    return score;
}

static bool score_row(void *ctx, const struct fulltext_row *row)
{
    struct run *run = ctx;
    double counts[REQUEST_GROUPS][FULLTEXT_COLUMNS] = {{0}}, norms[FULLTEXT_COLUMNS];
    struct ranked page = {.page = fulltext_row_number(row)};
    uint32_t sizes[FULLTEXT_COLUMNS];

    run->out->matches++;
    for (size_t i = 0; i < run->phrases; i++) {
        size_t variant = run->order[i], group = run->group_of[variant];
        uint32_t found[FULLTEXT_COLUMNS];

        if (run->request->groups[group].negative)
            continue;
        fulltext_row_counts(row, (int)i, found);
        /* A word that has a stem of another spelling is counted under both. */
        for (int c = 0; c < FULLTEXT_COLUMNS; c++)
            counts[group][c] += (run->request->groups[group].count > 1 ? .5 : 1) * found[c];
    }
    if (!run->has_averages)
        fulltext_row_averages(row, run->averages);
    run->has_averages = true;
    /* The most that it can be, before its lengths are looked up. */
    for (int c = 0; c < FULLTEXT_COLUMNS; c++)
        norms[c] = 1 - field_b[c];
    page.score = score_groups(run, counts, norms);
    if (run->out->count == run->keep && is_worse(&page, &run->out->pages[0]))
        return true;
    fulltext_row_sizes(row, sizes);
    for (int c = 0; c < FULLTEXT_COLUMNS; c++)
        norms[c] = 1 - field_b[c] + field_b[c] * sizes[c] / (run->averages[c] > 0 ? run->averages[c] : 1);
    page.score = score_groups(run, counts, norms);
    if (run->out->count == run->keep && is_worse(&page, &run->out->pages[0]))
        return true;
    if (run->accept(run->ctx, page.page))
        keep_page(run, page);
    return true;
}

/* ---- how rare words are ---- */

struct sample {
    uint64_t seen, last;
};

static bool count_row(void *ctx, const struct fulltext_row *row)
{
    struct sample *sample = ctx;

    sample->last = fulltext_row_number(row);
    return ++sample->seen < SAMPLE;
}

/* The share of pages that have the variant. */
static scent_status measure_variant(struct fulltext *index, const struct request *request, size_t variant,
                                    const struct fulltext_state *state, int64_t deadline, double *share,
                                    struct errmsg *err)
{
    struct sample sample = {0};
    struct buf expression;
    scent_status status;
    double pages = (double)state->pages;
    bool cut;

    buf_init(&expression, 0);
    request_variant_expression(request, variant, &expression);
    status = expression.failed ? SCENT_E_NOMEM
                               : fulltext_find(index, expression.p, deadline, count_row, &sample, &cut, err);
    if (sample.seen == SAMPLE && sample.last < state->last) /* of the pages up to here */
        pages *= (double)sample.last / (double)state->last;
    *share = pages > 0 ? (double)sample.seen / pages : 0;
    *share = *share > 1 ? 1 : *share;
    buf_release(&expression);
    return status;
}

static bool is_word(const struct request *request, size_t g)
{
    return !request->groups[g].negative && g != request->host_group;
}

/* Weights of the groups; *most is how many pages can have all of them; *without are the variants that need not be
 * searched for: stems that are common words while the word is not (the Andes), and common words beside rarer ones. */
static scent_status weigh_groups(struct fulltext *index, const struct request *request, int64_t deadline,
                                 struct ranking_result *out, uint64_t *without, uint64_t *most, struct errmsg *err)
{
    struct fulltext_state state;
    double shares[REQUEST_GROUPS] = {0}, least = 1;

    *without = 0;
    SCENT_TRY(fulltext_get_state(index, &state, err));
    for (size_t g = 0; g < request->ngroups; g++) {
        const struct request_group *group = &request->groups[g];
        double df, share;

        for (size_t v = group->first; v < group->first + group->count && is_word(request, g); v++) {
            SCENT_TRY(measure_variant(index, request, v, &state, deadline, &share, err));
            if (v > group->first && share > common && shares[g] < rare)
                *without |= 1ull << v;
            else
                shares[g] = share > shares[g] ? share : shares[g];
        }
        df = shares[g] * (double)state.pages;
        out->weights[g] = is_word(request, g) ? log(1 + ((double)state.pages - df + .5) / (df + .5)) : 0;
        least = shares[g] > 0 && shares[g] < least ? shares[g] : least;
    }
    *most = (uint64_t)(least * (double)state.pages);
    for (size_t g = 0; g < request->ngroups; g++) {
        const struct request_group *group = &request->groups[g];

        if (shares[g] <= common || least >= rare || request->variants[group->first].terms > 1)
            continue;
        out->weights[g] = 0;
        for (size_t v = group->first; v < group->first + group->count; v++)
            *without |= 1ull << v;
    }
    return SCENT_OK;
}

static scent_status find_pages(struct fulltext *index, struct run *run, uint64_t without, enum request_where where,
                               int64_t deadline, struct errmsg *err)
{
    struct buf expression;
    scent_status status;

    buf_init(&expression, 0);
    run->out->count = run->out->matches = 0;
    run->phrases = request_expression(run->request, without, where, &expression, run->order);
    status = expression.failed ? SCENT_E_NOMEM
                               : fulltext_find(index, expression.p, deadline, score_row, run, &run->out->cut, err);
    buf_release(&expression);
    return status;
}

scent_status ranking_run(struct fulltext *index, const struct request *request, size_t keep, int64_t deadline,
                         ranking_accept *accept, void *ctx, struct ranking_result *out, struct errmsg *err)
{
    struct run run = {.request = request, .out = out, .accept = accept, .ctx = ctx,
                      .keep = keep < RANKING_KEPT ? keep : RANKING_KEPT};
    uint64_t without, most;

    memset(out, 0, sizeof *out);
    if (request_is_empty(request) || run.keep == 0)
        return SCENT_OK;
    for (size_t g = 0; g < request->ngroups; g++)
        for (size_t i = 0; i < request->groups[g].count; i++)
            run.group_of[request->groups[g].first + i] = (uint8_t)g;
    SCENT_TRY(weigh_groups(index, request, deadline, out, &without, &most, err));
    if (most > MANY) {
        SCENT_TRY(find_pages(index, &run, without, REQUEST_HEADS, deadline, err));
        out->matches = out->count == run.keep ? most : 0;
    }
    if (most <= MANY || (out->count < run.keep && !out->cut))
        SCENT_TRY(find_pages(index, &run, without, REQUEST_ALL, deadline, err));
    if (out->matches == 0 && !out->cut) {
        out->any = true;
        SCENT_TRY(find_pages(index, &run, without, REQUEST_ANY, deadline, err));
    }
    qsort(out->pages, out->count, sizeof *out->pages, order_ranked);
    return SCENT_OK;
}

/* ---- titles ---- */

/* The hashes of the terms of the words that must be there, in their order. */
static size_t request_hashes(const struct request *request, uint64_t out[TITLE_TERMS])
{
    size_t count = 0;

    for (size_t g = 0; g < request->ngroups; g++) {
        struct str text, term;

        if (request->groups[g].negative || g == request->host_group)
            continue;
        text = request_variant_text(request, &request->variants[request->groups[g].first]);
        while (count < TITLE_TERMS && str_split(&text, ' ', &term))
            out[count++] = text_word_hash(term);
    }
    return count;
}

double ranking_title(const struct request *request, struct str title)
{
    uint64_t wanted[TITLE_TERMS], found[TITLE_TERMS];
    size_t nwanted = request_hashes(request, wanted), nfound = 0;
    struct search_terms terms;
    struct search_term term;

    search_terms_init(&terms, title);
    while (nfound < TITLE_TERMS && search_terms_next(&terms, &term))
        if (!term.is_tail)
            found[nfound++] = text_word_hash((struct str){term.text, term.len});
    if (nwanted == 0 || nfound < nwanted)
        return 1;
    for (size_t i = 0; i + nwanted <= nfound; i++)
        if (memcmp(found + i, wanted, nwanted * sizeof *wanted) == 0)
            return nfound == nwanted ? 1 + title_equal : 1 + title_part * (double)nwanted / (double)nfound;
    return 1;
}
