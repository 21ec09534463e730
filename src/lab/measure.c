#include "lab/measure.h"

#include "base/status.h"
#include "base/vec.h"
#include "frontier/seen.h"

#include <math.h>
#include <stdlib.h>

static size_t fetched(const struct measure_crawl *crawl, size_t t)
{
    return t < crawl->n ? t : crawl->n;
}

size_t measure_count(const struct measure_crawl *crawl, const bool *relevant, size_t t)
{
    size_t count = 0;

    for (size_t i = 0; i < fetched(crawl, t); i++)
        count += relevant[crawl->pages[i]];
    return count;
}

static double share(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : 0;
}

double measure_harvest(const struct measure_crawl *crawl, const bool *relevant, size_t t)
{
    return share(measure_count(crawl, relevant, t), t);
}

double measure_recall(const struct measure_crawl *crawl, const bool *target, size_t ntargets, size_t t)
{
    return share(measure_count(crawl, target, t), ntargets);
}

double measure_recall_area(const struct measure_crawl *crawl, const bool *target, size_t ntargets, size_t t)
{
    double area = 0;

    /* A target that is found as the i-th page is counted from R(i) to R(t). */
    for (size_t i = 0; i < fetched(crawl, t); i++)
        area += target[crawl->pages[i]] ? (double)(t - i) : 0;
    return t && ntargets ? area / (double)ntargets / (double)t : 0;
}

double measure_precision(const struct measure_crawl *crawl, const bool *relevant, size_t t)
{
    return share(measure_count(crawl, relevant, t), fetched(crawl, t));
}

double measure_lift(const struct measure_crawl *crawl, const bool *relevant, size_t npages, size_t t)
{
    size_t all = 0;

    for (size_t i = 0; i < npages; i++)
        all += relevant[i];
    return all ? measure_harvest(crawl, relevant, t) / share(all, npages) : 0;
}

double measure_ratio(const struct measure_crawl *crawl, const double *probability, size_t t)
{
    double sum = 0;

    for (size_t i = 0; i < fetched(crawl, t); i++)
        sum += probability[crawl->pages[i]];
    return t ? sum / (double)t : 0;
}

double measure_fluctuation(const struct measure_crawl *crawl, const bool *relevant, size_t t)
{
    size_t n = t / MEASURE_WINDOW;
    double mean = n ? measure_harvest(crawl, relevant, n * MEASURE_WINDOW) : 0, sum = 0;

    if (n < 2)
        return NAN;
    for (size_t begin = 0; begin < n * MEASURE_WINDOW; begin += MEASURE_WINDOW) {
        size_t have = fetched(crawl, begin), rest = crawl->n - have;
        struct measure_crawl window = {crawl->pages + have, rest < MEASURE_WINDOW ? rest : MEASURE_WINDOW};
        double off = measure_harvest(&window, relevant, MEASURE_WINDOW) - mean;

        sum += off * off;
    }
    return sqrt(sum / (double)n);
}

size_t measure_distinct(const struct measure_crawl *crawl, const uint32_t *of_page, size_t t)
{
    size_t n = fetched(crawl, t), count = 0;
    uint32_t *values = malloc((n + 1) * sizeof *values);

    SCENT_BUG_IF(!values);
    for (size_t i = 0; i < n; i++)
        values[i] = of_page[crawl->pages[i]];
    qsort(values, n, sizeof *values, order_u32);
    for (size_t i = 0; i < n; i++)
        count += i == 0 || values[i] != values[i - 1];
    free(values);
    return count;
}

/* ---- several crawls ---- */

/* For each page of the collection, how many of the crawls fetched it among their first t. */
static uint32_t *count_crawls(const struct measure_crawl *crawls, size_t k, size_t npages, size_t t)
{
    uint32_t *count = calloc(npages + 1, sizeof *count);

    SCENT_BUG_IF(!count);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < fetched(&crawls[c], t); i++)
            count[crawls[c].pages[i]]++;
    return count;
}

size_t measure_shared(const struct measure_crawl *crawls, size_t k, const bool *relevant, size_t npages, size_t t,
                      size_t *sizes)
{
    uint32_t *count = count_crawls(crawls, k, npages, t);
    size_t all = 0;

    *sizes = 0;
    for (size_t page = 0; page < npages; page++) {
        if (!relevant[page])
            continue;
        all += count[page] == k;
        *sizes += count[page];
    }
    free(count);
    return all;
}

double measure_overlap(const struct measure_crawl *crawls, size_t k, const bool *relevant, size_t npages, size_t t)
{
    size_t sizes, all = measure_shared(crawls, k, relevant, npages, t, &sizes);

    return share(all, sizes);
}

double measure_url_overlap(const struct measure_crawl *a, const struct measure_crawl *b, size_t npages, size_t t)
{
    const struct measure_crawl both[] = {*a, *b};
    uint32_t *count = count_crawls(both, 2, npages, t);
    size_t shared = 0;

    for (size_t page = 0; page < npages; page++)
        shared += count[page] == 2;
    free(count);
    return share(shared, t);
}

double measure_exclusive(const struct measure_crawl *a, const struct measure_crawl *b, const double *probability,
                         size_t npages, size_t t, size_t *count)
{
    uint32_t *in_b = count_crawls(b, 1, npages, t);
    double sum = 0;

    *count = 0;
    for (size_t i = 0; i < fetched(a, t); i++) {
        if (in_b[a->pages[i]])
            continue;
        sum += probability[a->pages[i]];
        ++*count;
    }
    free(in_b);
    return *count ? sum / (double)*count : 0;
}

size_t measure_only(const struct measure_crawl *a, const struct measure_crawl *b, const bool *relevant, size_t npages,
                    size_t t)
{
    uint32_t *in_b = count_crawls(b, 1, npages, t);
    size_t count = 0;

    for (size_t i = 0; i < fetched(a, t); i++)
        count += relevant[a->pages[i]] && !in_b[a->pages[i]];
    free(in_b);
    return count;
}

/* How many of a crawl's pages are fused. */
static size_t part_of(const struct measure_crawl *crawls, size_t c, size_t k, size_t m)
{
    return fetched(&crawls[c], c + 1 < k ? m / k : m - m / k * (k - 1));
}

size_t measure_fuse(const struct measure_crawl *crawls, size_t k, size_t npages, size_t m, uint32_t *out,
                    size_t *duplicates)
{
    bool *have = calloc(npages + 1, sizeof *have);
    size_t n = 0;

    SCENT_BUG_IF(!have);
    *duplicates = 0;
    for (size_t c = 0; c < k; c++) {
        for (size_t i = 0; i < part_of(crawls, c, k, m); i++) {
            uint32_t page = crawls[c].pages[i];

            if (have[page])
                ++*duplicates;
            else
                out[n++] = page;
            have[page] = true;
        }
    }
    free(have);
    return n;
}

/* ---- fused by scores ---- */

const char *const measure_fusion_words[] = {"shares", "combsum", "combmnz", "condorcet", NULL};

struct fused_page {
    double worth;
    size_t place; /* in the order of measure_fuse() */
    uint32_t page;
};

static int order_fused(const void *a, const void *b)
{
    const struct fused_page *x = a, *y = b;

    if (x->worth != y->worth)
        return x->worth < y->worth ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* scaled[page]: from 0 to 1; 0 of pages that the crawl does not have. */
static void scale_scores(const struct measure_crawl *crawl, const float *scores, size_t n, double *out, size_t npages)
{
    float least = INFINITY, most = -INFINITY;

    for (size_t i = 0; i < n; i++)
        if (isfinite(scores[i])) {
            least = fminf(least, scores[i]);
            most = fmaxf(most, scores[i]);
        }
    memset(out, 0, npages * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[crawl->pages[i]] = !(most > least) || scores[i] >= most ? 1
                               : scores[i] <= least                 ? 0
                                                                    : (double)((scores[i] - least) / (most - least));
}

/* ranks[crawl * npages + page]; more crawls fetched a before b: above 0. */
static int prefer(const uint32_t *ranks, size_t k, size_t npages, uint32_t a, uint32_t b)
{
    int votes = 0;

    for (size_t c = 0; c < k; c++) {
        uint32_t x = ranks[c * npages + a], y = ranks[c * npages + b];

        votes += (x && (!y || x < y)) - (y && (!x || y < x));
    }
    return votes;
}

static double beaten(const uint32_t *ranks, size_t k, size_t npages, const uint32_t *pages, size_t n, uint32_t page)
{
    double won = -.5; /* the draw with itself */

    for (size_t i = 0; i < n; i++) {
        int votes = prefer(ranks, k, npages, page, pages[i]);

        won += votes > 0 ? 1 : votes == 0 ? .5 : 0;
    }
    return won;
}

static void add_scores(enum measure_fusion by, const struct measure_crawl *crawls, const float *const *scores, size_t k,
                       size_t npages, size_t m, struct fused_page *fused, size_t n)
{
    double *scaled = malloc((npages + 1) * sizeof *scaled);
    uint32_t *liked = calloc(n + 1, sizeof *liked);

    SCENT_BUG_IF(!scaled || !liked);
    for (size_t c = 0; c < k; c++) {
        scale_scores(&crawls[c], scores[c], part_of(crawls, c, k, m), scaled, npages);
        for (size_t i = 0; i < n; i++) {
            fused[i].worth += scaled[fused[i].page];
            liked[i] += scaled[fused[i].page] > 0;
        }
    }
    for (size_t i = 0; i < n && by == MEASURE_COMBMNZ; i++)
        fused[i].worth *= liked[i];
    free(scaled);
    free(liked);
}

static void count_beaten(const struct measure_crawl *crawls, size_t k, size_t npages, size_t m,
                         const uint32_t *pages, struct fused_page *fused, size_t n)
{
    uint32_t *ranks = calloc(k * npages + 1, sizeof *ranks);

    SCENT_BUG_IF(!ranks);
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < part_of(crawls, c, k, m); i++)
            ranks[c * npages + crawls[c].pages[i]] = (uint32_t)(i + 1);
    for (size_t i = 0; i < n; i++)
        fused[i].worth = beaten(ranks, k, npages, pages, n, pages[i]);
    free(ranks);
}

size_t measure_fuse_by(enum measure_fusion by, const struct measure_crawl *crawls, const float *const *scores, size_t k,
                       size_t npages, size_t m, uint32_t *out, size_t *duplicates)
{
    size_t n = measure_fuse(crawls, k, npages, m, out, duplicates);
    struct fused_page *fused;

    if (by == MEASURE_SHARES || n == 0)
        return n;
    fused = malloc(n * sizeof *fused);
    SCENT_BUG_IF(!fused);
    for (size_t i = 0; i < n; i++)
        fused[i] = (struct fused_page){.page = out[i], .place = i};
    if (by == MEASURE_CONDORCET)
        count_beaten(crawls, k, npages, m, out, fused, n);
    else
        add_scores(by, crawls, scores, k, npages, m, fused, n);
    qsort(fused, n, sizeof *fused, order_fused);
    for (size_t i = 0; i < n; i++)
        out[i] = fused[i].page;
    free(fused);
    return n;
}

/* ---- similarity ---- */

struct item {
    uint32_t term;
    float weight;
};

struct similarity {
    uint32_t npages, nterms;
    size_t *starts; /* of each page's items; npages + 1 of them */
    struct item *items;
};

static scent_status count_items(const struct collection *collection, struct similarity *out)
{
    out->starts = calloc(out->npages + 1, sizeof *out->starts);
    if (!out->starts)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < out->npages; i++) {
        const struct page *page = collection_page(collection, i, NULL);

        if (!page)
            return SCENT_E_FORMAT;
        out->starts[i + 1] = out->starts[i] + page->nbag;
    }
    out->items = malloc((out->starts[out->npages] + 1) * sizeof *out->items);
    return out->items ? SCENT_OK : SCENT_E_NOMEM;
}

/* Items with raw frequencies, and a number for each stem. */
static scent_status read_items(const struct collection *collection, struct similarity *out)
{
    struct item *item = out->items;
    scent_status status = SCENT_OK;
    struct seen seen;
    bool is_new;

    seen_init(&seen);
    for (uint32_t i = 0; i < out->npages && status == SCENT_OK; i++) {
        const struct page *page = collection_page(collection, i, NULL);

        for (uint32_t k = 0; k < page->nbag && status == SCENT_OK; k++, item++) {
            status = seen_add(&seen, page->bag[k].stem, &item->term, &is_new);
            item->weight = (float)page->bag[k].tf;
            out->nterms += is_new;
        }
    }
    seen_release(&seen);
    return status;
}

/* (1 + ln tf) ln(D/df), length 1. */
static void weigh_page(struct similarity *similarity, uint32_t page, const uint32_t *df)
{
    struct item *from = similarity->items + similarity->starts[page],
                *end = similarity->items + similarity->starts[page + 1];
    double squares = 0;

    for (struct item *item = from; item < end; item++) {
        double weight = (1 + log((double)item->weight)) * log((double)similarity->npages / df[item->term]);

        item->weight = (float)weight;
        squares += weight * weight;
    }
    for (struct item *item = from; item < end && squares > 0; item++)
        item->weight = (float)((double)item->weight / sqrt(squares));
}

static scent_status weigh(struct similarity *similarity)
{
    uint32_t *df = calloc(similarity->nterms + 1, sizeof *df);

    if (!df)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < similarity->starts[similarity->npages]; i++)
        df[similarity->items[i].term]++;
    for (uint32_t page = 0; page < similarity->npages; page++)
        weigh_page(similarity, page, df);
    free(df);
    return SCENT_OK;
}

scent_status similarity_new(const struct collection *collection, struct similarity **out)
{
    struct similarity *similarity = calloc(1, sizeof *similarity);
    scent_status status;

    SCENT_BUG_IF(!similarity);
    similarity->npages = collection_count(collection);
    status = count_items(collection, similarity);
    if (status == SCENT_OK)
        status = read_items(collection, similarity);
    if (status == SCENT_OK)
        status = weigh(similarity);
    if (status == SCENT_OK)
        *out = similarity;
    else
        similarity_free(similarity);
    return status;
}

void similarity_free(struct similarity *similarity)
{
    if (!similarity)
        return;
    free(similarity->starts);
    free(similarity->items);
    free(similarity);
}

static double dot(const struct similarity *similarity, uint32_t page, const double *sum)
{
    double result = 0;

    for (size_t i = similarity->starts[page]; i < similarity->starts[page + 1]; i++)
        result += (double)similarity->items[i].weight * sum[similarity->items[i].term];
    return result;
}

double similarity_of(const struct similarity *similarity, const struct measure_crawl *crawl, const bool *marked,
                     size_t t)
{
    size_t n = t < crawl->n ? t : crawl->n;
    double *sum = calloc(similarity->nterms + 1, sizeof *sum), best = 0;

    SCENT_BUG_IF(!sum);
    for (size_t k = 0; k < n; k++)
        for (size_t i = similarity->starts[crawl->pages[k]]; i < similarity->starts[crawl->pages[k] + 1]; i++)
            sum[similarity->items[i].term] += (double)similarity->items[i].weight;
    for (uint32_t page = 0; page < similarity->npages && n; page++)
        if (marked[page])
            best = fmax(best, dot(similarity, page, sum) / (double)n);
    free(sum);
    return best;
}
