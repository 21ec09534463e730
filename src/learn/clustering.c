/* k-means++ and EM share one set of arrays; the nearest neighbours are kept in a heap of k. */
#include "learn/clustering.h"

#include "base/arena.h"
#include "base/rng.h"

#include <math.h>

enum { KMEANS_ROUNDS = 100 };

struct clustering_options clustering_options_default(void)
{
    return (struct clustering_options){.clusters = 5, .beginnings = 10, .rounds = 50, .floor = 1e-3, .seed = 1};
}

double clustering_dot(const double *a, const double *b, uint32_t dims)
{
    double sums[4] = {0};
    uint32_t i = 0;

    /* Sums that do not wait for each other: nearest neighbours are mostly this. */
    for (; i + 4 <= dims; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += a[i + (uint32_t)k] * b[i + (uint32_t)k];
    for (; i < dims; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

struct work {
    struct arena arena;
    const struct clustering_points *points;
    uint32_t k;
    double *centres, *sums;         /* k vectors each */
    uint32_t *of, *best;            /* of each point */
    double *near;                   /* of each point: 1 - cosine to the nearest centre so far */
    double *shares;                 /* of each point: k responsibilities */
    double weight[CLUSTER_MAX], variance[CLUSTER_MAX];
};

static const double *point_at(const struct work *w, uint32_t i)
{
    return w->points->values + (size_t)i * w->points->dims;
}

static double *centre_at(const struct work *w, uint32_t c)
{
    return w->centres + (size_t)c * w->points->dims;
}

static scent_status work_init(struct work *w, const struct clustering_points *points, uint32_t k)
{
    size_t n = points->count;

    *w = (struct work){.points = points, .k = k};
    arena_init(&w->arena, SIZE_MAX);
    w->centres = arena_array(&w->arena, (size_t)k * points->dims + 1, sizeof *w->centres);
    w->sums = arena_array(&w->arena, (size_t)k * points->dims + 1, sizeof *w->sums);
    w->of = arena_zalloc(&w->arena, n * sizeof *w->of);
    w->best = arena_zalloc(&w->arena, n * sizeof *w->best);
    w->near = arena_array(&w->arena, n, sizeof *w->near);
    w->shares = arena_array(&w->arena, n * k, sizeof *w->shares);
    return w->centres && w->sums && w->of && w->best && w->near && w->shares ? SCENT_OK : SCENT_E_NOMEM;
}

/* ---- k-means ---- */

/* A point, each with a chance as its squared distance to the centres so far. 1 - cosine is half of that. */
static uint32_t draw_point(const struct work *w, struct rng *rng)
{
    double sum = 0, left;
    uint32_t last = 0;

    for (uint32_t i = 0; i < w->points->count; i++)
        sum += w->near[i];
    left = rng_unit(rng) * sum;
    for (uint32_t i = 0; i < w->points->count; i++) {
        if (w->near[i] <= 0)
            continue;
        last = i;
        if ((left -= w->near[i]) < 0)
            break;
    }
    return last;
}

static void choose_centres(struct work *w, struct rng *rng)
{
    uint32_t n = w->points->count, dims = w->points->dims;
    uint32_t chosen = (uint32_t)rng_below(rng, n);

    for (uint32_t i = 0; i < n; i++)
        w->near[i] = 2;
    for (uint32_t c = 0; c < w->k; c++) {
        memcpy(centre_at(w, c), point_at(w, chosen), dims * sizeof *w->centres);
        for (uint32_t i = 0; i < n; i++) {
            double far = 1 - clustering_dot(point_at(w, i), centre_at(w, c), dims);

            far = far > 1e-12 ? far : 0; /* rounding is not a distance */
            w->near[i] = far < w->near[i] ? far : w->near[i];
        }
        chosen = draw_point(w, rng);
    }
}

/* Every point to its nearest centre; the sum of the cosines. *moved: has anything changed? */
static double assign_points(struct work *w, bool *moved)
{
    double sum = 0;

    *moved = false;
    for (uint32_t i = 0; i < w->points->count; i++) {
        uint32_t nearest = 0;
        double top = -2;

        for (uint32_t c = 0; c < w->k; c++) {
            double cosine = clustering_dot(point_at(w, i), centre_at(w, c), w->points->dims);

            if (cosine > top) {
                top = cosine;
                nearest = c;
            }
        }
        *moved |= nearest != w->of[i];
        w->of[i] = nearest;
        sum += top;
    }
    return sum;
}

/* The direction of the mean of its points; a centre without points, or without direction, stays. */
static void move_centres(struct work *w)
{
    uint32_t dims = w->points->dims;

    memset(w->sums, 0, (size_t)w->k * dims * sizeof *w->sums);
    for (uint32_t i = 0; i < w->points->count; i++)
        for (uint32_t d = 0; d < dims; d++)
            w->sums[(size_t)w->of[i] * dims + d] += point_at(w, i)[d];
    for (uint32_t c = 0; c < w->k; c++) {
        const double *sum = w->sums + (size_t)c * dims;
        double length = sqrt(clustering_dot(sum, sum, dims));

        for (uint32_t d = 0; length > 0 && d < dims; d++)
            centre_at(w, c)[d] = sum[d] / length;
    }
}

static double run_kmeans(struct work *w, struct rng *rng)
{
    bool moved = true;
    double sum = 0;

    choose_centres(w, rng);
    for (int round = 0; round < KMEANS_ROUNDS && moved; round++) {
        sum = assign_points(w, &moved);
        move_centres(w);
        moved |= round == 0;
    }
    return sum;
}

/* Leaves the best of all beginnings in w->of. */
static void find_by_kmeans(struct work *w, uint32_t beginnings, uint64_t seed)
{
    size_t size = w->points->count * sizeof *w->of;
    double top = -INFINITY;
    struct rng rng;

    rng_seed(&rng, seed);
    for (uint32_t b = 0; b < beginnings; b++) {
        double sum = run_kmeans(w, &rng);

        if (sum > top + 1e-12) {
            top = sum;
            memcpy(w->best, w->of, size);
        }
    }
    memcpy(w->of, w->best, size);
}

/* ---- EM ---- */

static double square_distance(const double *a, const double *b, uint32_t dims)
{
    double sum = 0;

    for (uint32_t d = 0; d < dims; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

/* Weight, mean and variance of every Gaussian from the shares of the points. One that has lost all its points keeps its
 * place with weight 0. */
static void maximise(struct work *w, double floor)
{
    uint32_t n = w->points->count, dims = w->points->dims;

    for (uint32_t c = 0; c < w->k; c++) {
        double *mean = w->sums, total = 0, spread = 0;

        memset(mean, 0, dims * sizeof *mean);
        for (uint32_t i = 0; i < n; i++) {
            double share = w->shares[(size_t)i * w->k + c];

            total += share;
            for (uint32_t d = 0; d < dims; d++)
                mean[d] += share * point_at(w, i)[d];
        }
        w->weight[c] = total / n;
        if (total <= 0)
            continue;
        for (uint32_t d = 0; d < dims; d++)
            centre_at(w, c)[d] = mean[d] / total;
        for (uint32_t i = 0; i < n; i++)
            spread += w->shares[(size_t)i * w->k + c] * square_distance(point_at(w, i), centre_at(w, c), dims);
        spread /= total * dims;
        w->variance[c] = spread > floor ? spread : floor;
    }
}

/* ln(weight * density), but for what is the same for all. */
static double log_density(const struct work *w, uint32_t point, uint32_t c)
{
    double square = square_distance(point_at(w, point), centre_at(w, c), w->points->dims);

    if (w->weight[c] <= 0)
        return -INFINITY;
    return log(w->weight[c]) - .5 * w->points->dims * log(w->variance[c]) - square / (2 * w->variance[c]);
}

/* The share of every Gaussian in every point; the log likelihood. */
static double expect(struct work *w)
{
    double likelihood = 0;

    for (uint32_t i = 0; i < w->points->count; i++) {
        double *shares = w->shares + (size_t)i * w->k, top = -INFINITY, sum = 0;

        for (uint32_t c = 0; c < w->k; c++) {
            shares[c] = log_density(w, i, c);
            top = shares[c] > top ? shares[c] : top;
        }
        for (uint32_t c = 0; c < w->k; c++)
            sum += shares[c] = exp(shares[c] - top);
        for (uint32_t c = 0; c < w->k; c++)
            shares[c] /= sum;
        likelihood += top + log(sum);
    }
    return likelihood;
}

static void harden_shares(struct work *w)
{
    for (uint32_t i = 0; i < w->points->count; i++) {
        const double *shares = w->shares + (size_t)i * w->k;

        w->of[i] = 0;
        for (uint32_t c = 1; c < w->k; c++)
            if (shares[c] > shares[w->of[i]])
                w->of[i] = c;
    }
}

static void refine_by_em(struct work *w, uint32_t rounds, double floor)
{
    double before = -INFINITY;

    for (uint32_t i = 0; i < w->points->count; i++)
        for (uint32_t c = 0; c < w->k; c++)
            w->shares[(size_t)i * w->k + c] = w->of[i] == c;
    for (uint32_t round = 0; round < rounds; round++) {
        double likelihood;

        maximise(w, floor);
        likelihood = expect(w);
        if (likelihood - before <= 1e-9 * fabs(likelihood))
            break;
        before = likelihood;
    }
    if (rounds)
        harden_shares(w);
}

/* ---- all of it ---- */

static uint32_t renumber_clusters(const struct work *w, uint32_t *of)
{
    uint32_t number[CLUSTER_MAX], count = 0;

    for (uint32_t c = 0; c < w->k; c++)
        number[c] = UINT32_MAX;
    for (uint32_t i = 0; i < w->points->count; i++) {
        if (number[w->of[i]] == UINT32_MAX)
            number[w->of[i]] = count++;
        of[i] = number[w->of[i]];
    }
    return count;
}

scent_status clustering_find(const struct clustering_points *points, const struct clustering_options *options,
                             uint32_t *of, uint32_t *nclusters)
{
    uint32_t k = options->clusters < points->count ? options->clusters : points->count;
    struct work w;
    scent_status status;

    SCENT_BUG_IF(points->count == 0 || k == 0 || k > CLUSTER_MAX || options->beginnings == 0);
    status = work_init(&w, points, k);
    if (status == SCENT_OK) {
        find_by_kmeans(&w, options->beginnings, options->seed);
        refine_by_em(&w, options->rounds, options->floor);
        *nclusters = renumber_clusters(&w, of);
    }
    arena_release(&w.arena);
    return status;
}

/* ---- nearest neighbours ---- */

static bool is_nearer(const struct clustering_neighbour *a, const struct clustering_neighbour *b)
{
    return a->cosine != b->cosine ? a->cosine > b->cosine : a->point < b->point;
}

/* The farthest of the heap is its root; *one takes its place and sinks. */
static void replace_farthest(struct clustering_neighbour *heap, uint32_t k, struct clustering_neighbour one)
{
    uint32_t at = 0;

    for (uint32_t kid = 1; kid < k; kid = 2 * at + 1) {
        if (kid + 1 < k && is_nearer(&heap[kid], &heap[kid + 1]))
            kid++;
        if (!is_nearer(&one, &heap[kid]))
            break;
        heap[at] = heap[kid];
        at = kid;
    }
    heap[at] = one;
}

uint32_t clustering_of_nearest(const double *cosines, const uint32_t *of, uint32_t n, uint32_t k,
                            struct clustering_neighbour *room)
{
    struct clustering_neighbour nearest[CLUSTER_MAX];
    uint32_t votes[CLUSTER_MAX] = {0}, best = 0;

    for (uint32_t i = 0; i < k; i++)
        room[i] = (struct clustering_neighbour){-INFINITY, UINT32_MAX};
    for (uint32_t i = 0; i < n; i++) {
        struct clustering_neighbour one = {cosines[i], i};

        if (is_nearer(&one, &room[0]))
            replace_farthest(room, k, one);
    }
    for (uint32_t i = 0; i < k; i++) {
        uint32_t cluster = of[room[i].point];

        if (!votes[cluster]++ || is_nearer(&room[i], &nearest[cluster]))
            nearest[cluster] = room[i];
    }
    for (uint32_t c = 1; c < CLUSTER_MAX; c++)
        if (votes[c] > votes[best] || (votes[c] && votes[c] == votes[best] && is_nearer(&nearest[c], &nearest[best])))
            best = c;
    return best;
}
