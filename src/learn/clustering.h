/* clustering - which pages are alike? k-means by the cosine, refined by EM, and the nearest neighbours of a new page.
 *
 * Points are vectors of length 1, `dims` numbers each, one after the other; a zero vector (a page without words) is as
 * far from everything. k-means++ from several beginnings, of which the best is kept; then EM with spherical Gaussians,
 * each with its own weight and variance, and every point goes to the likeliest. Pure, and reproducible by its seed.
 * Cost: points * dims * clusters a round. */
#ifndef SCENT_LEARN_CLUSTERING_H
#define SCENT_LEARN_CLUSTERING_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { CLUSTER_MAX = 16 };

struct clustering_points {
    const double *values;
    uint32_t count, dims;
};

struct clustering_options {
    uint32_t clusters;   /* 1 to CLUSTER_MAX */
    uint32_t beginnings; /* of k-means */
    uint32_t rounds;     /* of EM; 0: k-means alone */
    double floor;        /* no variance is smaller */
    uint64_t seed;
};
struct clustering_options clustering_options_default(void); /* 5, 10, 50, 1e-3, 1 */

/* of[point]: its cluster. Clusters are numbered in the order of their first points, and none is empty: there are fewer
 * where fewer points differ. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status clustering_find(const struct clustering_points *points,
                                             const struct clustering_options *options, uint32_t *of,
                                             uint32_t *nclusters);

/* A point among the nearest of a page. */
struct clustering_neighbour {
    double cosine;
    uint32_t point;
};
/* The cluster that most of the `k` nearest points belong to, of equals the one with the nearest point. `room` is for k
 * neighbours, 1 <= k <= cosines; cosines[i] is that of the page to point i. O(n log k). */
uint32_t clustering_of_nearest(const double *cosines, const uint32_t *of, uint32_t n, uint32_t k,
                            struct clustering_neighbour *room);
double clustering_dot(const double *a, const double *b, uint32_t dims);

#endif
