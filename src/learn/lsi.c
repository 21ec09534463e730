/* Projection of pages, the bytes of an lsi, and its training. */
#include "learn/lsi.h"

#include "base/vec.h"
#include "learn/dataset.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

enum { LSI_LOGS = 128 };

/* All of it lies in its arena and never changes once it is whole. */
struct lsi {
    struct arena arena;
    struct vocabulary vocabulary;
    uint64_t *stems;
    double *idf;
    double *rows;     /* U_k, `dims` numbers a stem */
    double *singular; /* dims */
    uint32_t nwords, dims;
    double log_tf[LSI_LOGS]; /* 1 + ln tf of whole numbers; 0: not there */
};

static struct lsi *lsi_new(void)
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

/* What an item of a page weighs before the cosine norm, and the number of its stem; 0: an unknown stem, no
 * frequency. */
static double weigh_item(const struct lsi *lsi, const struct text_weight *item, uint32_t *word)
{
    if (!(item->weight > 0 && item->weight <= DATASET_TF_MAX))
        return 0;
    *word = vocabulary_find(&lsi->vocabulary, item->stem);
    return *word == VOCABULARY_NONE ? 0 : weigh_tf(lsi, item->weight) * lsi->idf[*word];
}

static void scale_vector(double *v, size_t n, double by)
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
        double weight = weigh_item(lsi, &tf->items[i], &word);
        const double *row = lsi->rows + (size_t)word * lsi->dims;

        square += weight * weight;
        for (uint32_t k = 0; weight > 0 && k < lsi->dims; k++)
            out[k] += weight * row[k];
    }
    if (square > 0)
        scale_vector(out, lsi->dims, 1 / sqrt(square));
}

void lsi_project_unit(const struct lsi *lsi, const struct text_vector *tf, double *out)
{
    double square = 0;

    lsi_project(lsi, tf, out);
    for (uint32_t k = 0; k < lsi->dims; k++)
        square += out[k] * out[k];
    if (square > 0)
        scale_vector(out, lsi->dims, 1 / sqrt(square));
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
        double weight = weigh_item(lsi, &tf->items[i], &word);

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

/* ---- training: X^T X = V S^2 V^T, U = X V S^-1, where the columns of X are the pages ---- */

/* Smaller eigenvalues, against the largest, are what is left of rounding. */
#define RANK_TOLERANCE 1e-10

struct cell {
    uint32_t word;
    double weight;
};

struct matrix {
    struct arena arena;
    struct cell *cells;
    size_t *start; /* page i is cells[start[i]] up to cells[start[i + 1]] */
    double *gram;  /* pages x pages, row by row; the lower half is filled */
    double *values, *vectors; /* ascending; a page after the other within a vector */
    lapack_int nvectors;
    uint32_t npages;
};

/* ---- words ---- */

/* Distinct stems with their inverse document frequency; a stem of every page weighs nothing, but is known. `all` holds
 * the stems of all pages, sorted: a stem stands there as often as it has pages. */
static void keep_distinct(struct lsi *lsi, const uint64_t *all, size_t count, size_t npages)
{
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && all[end] == all[i]; end++)
            continue;
        lsi->stems[lsi->nwords] = all[i];
        lsi->idf[lsi->nwords++] = text_idf((double)npages, (double)(end - i));
    }
}

static scent_status number_words(struct lsi *lsi, const struct text_vector *pages, size_t npages)
{
    size_t count = 0, n = 0;
    uint64_t *all;

    for (size_t i = 0; i < npages; i++)
        count += pages[i].count;
    all = malloc((count + 1) * sizeof *all);
    lsi->stems = arena_array(&lsi->arena, count + 1, sizeof *lsi->stems);
    lsi->idf = arena_array(&lsi->arena, count + 1, sizeof *lsi->idf);
    if (!all || !lsi->stems || !lsi->idf || count > VOCABULARY_MAX) {
        free(all);
        return SCENT_E_NOMEM;
    }
    for (size_t i = 0; i < npages; i++)
        for (size_t k = 0; k < pages[i].count; k++)
            all[n++] = pages[i].items[k].stem;
    qsort(all, count, sizeof *all, order_u64);
    keep_distinct(lsi, all, count, npages);
    free(all);
    return vocabulary_init(&lsi->vocabulary, lsi->stems, lsi->nwords, &lsi->arena);
}

/* ---- the matrix ---- */

static void fill_page(const struct lsi *lsi, const struct text_vector *page, struct matrix *x, uint32_t i)
{
    size_t n = x->start[i];
    double square = 0;

    for (size_t k = 0; k < page->count; k++) {
        struct cell cell = {0};

        cell.weight = weigh_item(lsi, &page->items[k], &cell.word);
        if (cell.weight > 0)
            x->cells[n++] = cell;
        square += cell.weight * cell.weight;
    }
    for (size_t k = x->start[i]; k < n; k++)
        x->cells[k].weight /= sqrt(square);
    x->start[i + 1] = n;
}

static scent_status fill_matrix(const struct lsi *lsi, const struct text_vector *pages, struct matrix *x)
{
    size_t count = 0;

    for (uint32_t i = 0; i < x->npages; i++)
        count += pages[i].count;
    x->cells = arena_array(&x->arena, count + 1, sizeof *x->cells);
    x->start = arena_zalloc(&x->arena, (x->npages + (size_t)1) * sizeof *x->start);
    if (!x->cells || !x->start)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < x->npages; i++)
        fill_page(lsi, &pages[i], x, i);
    return SCENT_OK;
}

static double dot_cells(const struct matrix *x, uint32_t page, const double *dense)
{
    double sum = 0;

    for (size_t k = x->start[page]; k < x->start[page + 1]; k++)
        sum += x->cells[k].weight * dense[x->cells[k].word];
    return sum;
}

static scent_status fill_gram(const struct lsi *lsi, struct matrix *x)
{
    double *dense = arena_zalloc(&x->arena, (lsi->nwords + (size_t)1) * sizeof *dense);

    x->gram = arena_array(&x->arena, (size_t)x->npages * x->npages, sizeof *x->gram);
    if (!dense || !x->gram)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < x->npages; i++) {
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
            dense[x->cells[k].word] = x->cells[k].weight;
        for (uint32_t j = 0; j <= i; j++)
            x->gram[(size_t)i * x->npages + j] = dot_cells(x, j, dense);
        for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
            dense[x->cells[k].word] = 0;
    }
    return SCENT_OK;
}

/* ---- the decomposition ---- */

/* The largest eigenvalues, LSI_DIMS at most. Rows of a lower half are columns of an upper one. */
static scent_status decompose_gram(struct matrix *x)
{
    lapack_int n = (lapack_int)x->npages, wanted = n < LSI_DIMS ? n : LSI_DIMS;
    lapack_int *support = arena_array(&x->arena, 2 * (size_t)n, sizeof *support);

    x->values = arena_array(&x->arena, (size_t)n, sizeof *x->values);
    x->vectors = arena_array(&x->arena, (size_t)n * (size_t)wanted, sizeof *x->vectors);
    if (!support || !x->values || !x->vectors)
        return SCENT_E_NOMEM;
    return LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, x->gram, n, 0, 0, n - wanted + 1, n, 0, &x->nvectors,
                          x->values, x->vectors, n, support) == 0 ? SCENT_OK : SCENT_E_NOMEM;
}

/* The sum of all squared singular values is the number of pages with words: each has length 1. */
static double all_squares(const struct matrix *x)
{
    double sum = 0;

    for (uint32_t i = 0; i < x->npages; i++)
        sum += x->start[i + 1] > x->start[i];
    return sum;
}

static double value_at(const struct matrix *x, uint32_t dim)
{
    return x->values[(uint32_t)x->nvectors - 1 - dim];
}

static uint32_t choose_dims(const struct matrix *x, double keep)
{
    double wanted = keep * all_squares(x), kept = 0;
    uint32_t dims = 0;

    while (dims < (uint32_t)x->nvectors && kept < wanted && value_at(x, dims) > RANK_TOLERANCE * value_at(x, 0))
        kept += value_at(x, dims++);
    return dims;
}

/* A vector and its negative are both right; the largest component of ours is positive, so that no library decides. */
static double sign_of(const double *vector, uint32_t n)
{
    uint32_t at = 0;

    for (uint32_t i = 1; i < n; i++)
        if (fabs(vector[i]) > fabs(vector[at]))
            at = i;
    return vector[at] < 0 ? -1 : 1;
}

static scent_status fill_rows(struct lsi *lsi, const struct matrix *x)
{
    lsi->singular = arena_array(&lsi->arena, lsi->dims, sizeof *lsi->singular);
    lsi->rows = arena_zalloc(&lsi->arena, (size_t)lsi->nwords * lsi->dims * sizeof *lsi->rows);
    if (!lsi->singular || !lsi->rows)
        return SCENT_E_NOMEM;
    for (uint32_t dim = 0; dim < lsi->dims; dim++) {
        const double *vector = x->vectors + ((size_t)x->nvectors - 1 - dim) * x->npages;
        double singular = sqrt(value_at(x, dim)), by = sign_of(vector, x->npages) / singular;

        lsi->singular[dim] = singular;
        for (uint32_t i = 0; i < x->npages; i++)
            for (size_t k = x->start[i]; k < x->start[i + 1]; k++)
                lsi->rows[(size_t)x->cells[k].word * lsi->dims + dim] += x->cells[k].weight * vector[i] * by;
    }
    return SCENT_OK;
}

static scent_status train_lsi(struct lsi *lsi, const struct text_vector *pages, struct matrix *x, double keep)
{
    SCENT_TRY(number_words(lsi, pages, x->npages));
    SCENT_TRY(fill_matrix(lsi, pages, x));
    if (all_squares(x) == 0)
        return SCENT_E_INVALID;
    SCENT_TRY(fill_gram(lsi, x));
    SCENT_TRY(decompose_gram(x));
    lsi->dims = choose_dims(x, keep);
    return fill_rows(lsi, x);
}

scent_status lsi_train(const struct text_vector *pages, size_t npages, double keep, struct lsi **out,
                       struct errmsg *err)
{
    struct matrix x = {.npages = (uint32_t)npages};
    struct lsi *lsi;
    scent_status status;

    *out = NULL;
    if (npages > LSI_PAGES_MAX)
        return errmsg_fail(err, SCENT_E_LIMIT,
                           "%zu pages are more than the %d that latent semantic indexing is made for", npages,
                           LSI_PAGES_MAX);
    if (npages == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "there are no pages to learn from");
    lsi = lsi_new();
    arena_init(&x.arena, SIZE_MAX);
    status = train_lsi(lsi, pages, &x, keep);
    arena_release(&x.arena);
    if (status == SCENT_OK) {
        *out = lsi;
        return SCENT_OK;
    }
    lsi_free(lsi);
    if (status == SCENT_E_INVALID)
        return errmsg_fail(err, status,
                           "the %zu pages do not differ in any word, so there is nothing to learn from them", npages);
    return errmsg_fail(err, status, "out of memory for the words of %zu pages", npages);
}
