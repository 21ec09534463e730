#include "lab/similarity.h"

#include "frontier/seen.h"

#include <math.h>
#include <stdlib.h>

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
