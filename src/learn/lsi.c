#include "learn/lsi_parts.h"

#include "learn/dataset.h"

#include <math.h>
#include <stdlib.h>

struct lsi *lsi_new(void)
{
    struct lsi *lsi = calloc(1, sizeof *lsi);

    SCENT_BUG_IF(!lsi);
    arena_init(&lsi->arena, SIZE_MAX);
    for (int tf = 1; tf < LSI_LOGS; tf++)
        lsi->log_tf[tf] = text_weigh_tf(TEXT_LTC, tf, 0);
    return lsi;
}

void lsi_free(struct lsi *lsi)
{
    if (!lsi)
        return;
    arena_release(&lsi->arena);
    free(lsi);
}

uint32_t lsi_dims(const struct lsi *lsi)
{
    return lsi->dims;
}

double lsi_singular(const struct lsi *lsi, uint32_t dim)
{
    return lsi->singular[dim];
}

static double weigh_tf(const struct lsi *lsi, double tf)
{
    int whole = tf < LSI_LOGS ? (int)tf : 0;

    return whole == tf ? lsi->log_tf[whole] : text_weigh_tf(TEXT_LTC, tf, 0);
}

double lsi_weight(const struct lsi *lsi, const struct text_weight *item, uint32_t *word)
{
    if (!(item->weight > 0 && item->weight <= DATASET_TF_MAX))
        return 0;
    *word = vocabulary_find(&lsi->vocabulary, item->stem);
    return *word == VOCABULARY_NONE ? 0 : weigh_tf(lsi, item->weight) * lsi->idf[*word];
}

static void scale(double *v, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        v[i] *= by;
}

void lsi_project(const struct lsi *lsi, const struct text_vector *tf, double *out)
{
    double square = 0;

    memset(out, 0, lsi->dims * sizeof *out);
    for (size_t i = 0; i < tf->count; i++) {
        uint32_t word = 0;
        double weight = lsi_weight(lsi, &tf->items[i], &word);
        const double *row = lsi->rows + (size_t)word * lsi->dims;

        square += weight * weight;
        for (uint32_t k = 0; weight > 0 && k < lsi->dims; k++)
            out[k] += weight * row[k];
    }
    if (square > 0)
        scale(out, lsi->dims, 1 / sqrt(square));
}

void lsi_project_unit(const struct lsi *lsi, const struct text_vector *tf, double *out)
{
    double square = 0;

    lsi_project(lsi, tf, out);
    for (uint32_t k = 0; k < lsi->dims; k++)
        square += out[k] * out[k];
    if (square > 0)
        scale(out, lsi->dims, 1 / sqrt(square));
}

double lsi_known(const struct lsi *lsi, const struct text_vector *tf)
{
    double known = 0, all = 0;

    for (size_t i = 0; i < tf->count; i++) {
        double count = tf->items[i].weight;

        if (!(count > 0 && count <= DATASET_TF_MAX))
            continue;
        all += count;
        known += vocabulary_find(&lsi->vocabulary, tf->items[i].stem) == VOCABULARY_NONE ? 0 : count;
    }
    return all > 0 ? known / all : 0;
}

size_t lsi_weigh(const struct lsi *lsi, const struct text_vector *tf, struct text_weight *out)
{
    double square = 0;
    size_t n = 0;

    for (size_t i = 0; i < tf->count; i++) {
        uint32_t word = 0;
        double weight = lsi_weight(lsi, &tf->items[i], &word);

        if (weight > 0)
            out[n++] = (struct text_weight){tf->items[i].stem, weight};
        square += weight * weight;
    }
    for (size_t i = 0; i < n; i++)
        out[i].weight /= sqrt(square);
    return n;
}

/* ---- as bytes ---- */

void lsi_put(const struct lsi *lsi, struct buf *out)
{
    bytes_put(out, lsi->nwords, 4);
    bytes_put(out, lsi->dims, 4);
    for (uint32_t k = 0; k < lsi->dims; k++)
        bytes_put_double(out, lsi->singular[k]);
    for (uint32_t i = 0; i < lsi->nwords; i++)
        bytes_put(out, lsi->stems[i], 8);
    for (uint32_t i = 0; i < lsi->nwords; i++)
        bytes_put_double(out, lsi->idf[i]);
    for (size_t i = 0; i < (size_t)lsi->nwords * lsi->dims; i++)
        bytes_put_double(out, lsi->rows[i]);
}

static double *get_doubles(struct bytes *in, struct lsi *lsi, uint64_t count, double min, double max)
{
    double *p;

    if (!bytes_has(in, count, sizeof *p))
        return NULL;
    p = arena_array(&lsi->arena, count, sizeof *p);
    bytes_check(in, p != NULL, "there is no memory for it");
    for (uint64_t i = 0; i < count && !in->wrong; i++) {
        p[i] = bytes_get_double(in);
        bytes_check(in, p[i] >= min && p[i] <= max, "a number is out of range");
    }
    return p;
}

static void get_stems(struct bytes *in, struct lsi *lsi)
{
    if (!bytes_has(in, lsi->nwords, 8))
        return;
    lsi->stems = arena_array(&lsi->arena, lsi->nwords, sizeof *lsi->stems);
    bytes_check(in, lsi->stems != NULL, "there is no memory for it");
    for (uint32_t i = 0; i < lsi->nwords && !in->wrong; i++) {
        lsi->stems[i] = bytes_get(in, 8);
        bytes_check(in, i == 0 || lsi->stems[i] > lsi->stems[i - 1], "its words are not sorted");
    }
}

struct lsi *lsi_get(struct bytes *in)
{
    /* U has orthonormal columns; ln D is below this for any number of pages. */
    const double largest_row = 1.001, largest_idf = 64, largest_singular = 1e6;
    struct lsi *lsi = lsi_new();

    lsi->nwords = (uint32_t)bytes_get(in, 4);
    lsi->dims = (uint32_t)bytes_get(in, 4);
    bytes_check(in, lsi->nwords >= 1 && lsi->nwords <= VOCABULARY_MAX && lsi->dims >= 1 && lsi->dims <= LSI_DIMS,
                "it has too few or too many words or dimensions");
    lsi->singular = get_doubles(in, lsi, lsi->dims, 0, largest_singular);
    get_stems(in, lsi);
    lsi->idf = get_doubles(in, lsi, lsi->nwords, 0, largest_idf);
    lsi->rows = get_doubles(in, lsi, (uint64_t)lsi->nwords * lsi->dims, -largest_row, largest_row);
    if (!in->wrong)
        bytes_check(in, vocabulary_init(&lsi->vocabulary, lsi->stems, lsi->nwords, &lsi->arena) == SCENT_OK,
                    "there is no memory for it");
    if (!in->wrong)
        return lsi;
    lsi_free(lsi);
    return NULL;
}
