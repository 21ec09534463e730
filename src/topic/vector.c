#include "topic/vector.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 1024 };

static double term_weight(uint32_t tf)
{
    return tf > 1 ? 1 + log(tf) : 1;
}

static double bag_norm(const struct page *page)
{
    double sum = 0;

    for (size_t i = 0; i < page->nbag; i++) {
        double weight = term_weight(page->bag[i].tf);

        sum += weight * weight;
    }
    return sqrt(sum);
}

scent_status topic_page_vector(const struct page *page, struct arena *arena, struct text_vector *out)
{
    double norm = bag_norm(page);

    *out = (struct text_vector){0};
    if (page->nbag == 0)
        return SCENT_OK;
    out->items = arena_array(arena, page->nbag, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < page->nbag; i++)
        out->items[i] = (struct text_weight){page->bag[i].stem, term_weight(page->bag[i].tf) / norm};
    out->count = page->nbag;
    return SCENT_OK;
}

/* The first item at or after `from` whose stem is not below `stem`. Steps double, because a centroid of many seeds
 * is a hundred times longer than a page. */
static size_t seek(const struct text_vector *v, size_t from, uint64_t stem)
{
    size_t low = from, high = from, step = 1;

    while (high < v->count && v->items[high].stem < stem) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    if (high > v->count)
        high = v->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (v->items[middle].stem < stem)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double topic_page_cosine(const struct page *page, const struct text_vector *other, double norm)
{
    double dot = 0, cosine;
    size_t at = 0;

    if (page->nbag == 0 || other->count == 0 || norm <= 0)
        return 0;
    for (size_t i = 0; i < page->nbag && at < other->count; i++) {
        at = seek(other, at, page->bag[i].stem);
        if (at < other->count && other->items[at].stem == page->bag[i].stem)
            dot += term_weight(page->bag[i].tf) * other->items[at].weight;
    }
    cosine = dot / (bag_norm(page) * norm);
    return cosine > 1 ? 1 : cosine;
}

void centroid_init(struct centroid *centroid)
{
    *centroid = (struct centroid){0};
}

void centroid_release(struct centroid *centroid)
{
    free(centroid->slots);
    centroid_init(centroid);
}

static struct text_weight *find_slot(struct text_weight *slots, size_t nslots, uint64_t stem)
{
    size_t i = stem & (nslots - 1);

    while (slots[i].weight != 0 && slots[i].stem != stem)
        i = (i + 1) & (nslots - 1);
    return &slots[i];
}

static scent_status grow(struct centroid *centroid)
{
    size_t nslots = centroid->nslots ? centroid->nslots * 2 : FIRST_SLOTS;
    struct text_weight *slots = calloc(nslots, sizeof *slots);

    if (!slots)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < centroid->nslots; i++)
        if (centroid->slots[i].weight != 0)
            *find_slot(slots, nslots, centroid->slots[i].stem) = centroid->slots[i];
    free(centroid->slots);
    centroid->slots = slots;
    centroid->nslots = nslots;
    return SCENT_OK;
}

scent_status centroid_add(struct centroid *centroid, const struct text_vector *v)
{
    for (size_t i = 0; i < v->count; i++) {
        struct text_weight *slot;

        if ((centroid->count + 1) * 2 > centroid->nslots && grow(centroid) != SCENT_OK)
            return SCENT_E_NOMEM;
        slot = find_slot(centroid->slots, centroid->nslots, v->items[i].stem);
        if (slot->weight == 0) {
            if (v->items[i].weight <= 0 || centroid->count == CENTROID_STEMS_MAX)
                continue;
            centroid->count++;
            slot->stem = v->items[i].stem;
        }
        slot->weight += v->items[i].weight;
    }
    return SCENT_OK;
}

static int by_weight(const void *a, const void *b)
{
    const struct text_weight *x = a, *y = b;

    if (x->weight != y->weight)
        return x->weight < y->weight ? 1 : -1;
    return (x->stem > y->stem) - (x->stem < y->stem);
}

static int by_stem(const void *a, const void *b)
{
    const struct text_weight *x = a, *y = b;

    return (x->stem > y->stem) - (x->stem < y->stem);
}

static void scale_to_one(struct text_vector *v)
{
    double norm = text_norm(v);

    for (size_t i = 0; i < v->count; i++)
        v->items[i].weight /= norm;
}

scent_status centroid_vector(const struct centroid *centroid, struct arena *arena, struct text_vector *out)
{
    *out = (struct text_vector){0};
    if (centroid->count == 0)
        return SCENT_OK;
    out->items = arena_array(arena, centroid->count, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    for (size_t i = 0; i < centroid->nslots; i++)
        if (centroid->slots[i].weight != 0)
            out->items[out->count++] = centroid->slots[i];
    if (out->count > CENTROID_VECTOR_MAX) {
        qsort(out->items, out->count, sizeof *out->items, by_weight);
        out->count = CENTROID_VECTOR_MAX;
    }
    qsort(out->items, out->count, sizeof *out->items, by_stem);
    scale_to_one(out);
    return SCENT_OK;
}
