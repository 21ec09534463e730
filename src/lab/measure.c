#include "lab/measure.h"

#include "base/order.h"
#include "base/status.h"

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

double measure_overlap(const struct measure_crawl *crawls, size_t k, const bool *relevant, size_t npages, size_t t)
{
    uint32_t *count = count_crawls(crawls, k, npages, t);
    size_t all = 0, sum = 0;

    for (size_t page = 0; page < npages; page++) {
        if (!relevant[page])
            continue;
        all += count[page] == k;
        sum += count[page];
    }
    free(count);
    return share(all, sum);
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

size_t measure_fuse(const struct measure_crawl *crawls, size_t k, size_t npages, size_t m, uint32_t *out,
                    size_t *duplicates)
{
    bool *have = calloc(npages + 1, sizeof *have);
    size_t n = 0;

    SCENT_BUG_IF(!have);
    *duplicates = 0;
    for (size_t c = 0; c < k; c++) {
        size_t part = c + 1 < k ? m / k : m - m / k * (k - 1);

        for (size_t i = 0; i < fetched(&crawls[c], part); i++) {
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
