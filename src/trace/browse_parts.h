/* browse_parts - what a browsing model is made of; for this folder. */
#ifndef SCENT_TRACE_BROWSE_PARTS_H
#define SCENT_TRACE_BROWSE_PARTS_H

#include "trace/browse.h"
#include "learn/lsi.h"

struct browse {
    struct arena arena;
    struct lsi *lsi;
    struct browse_features features;
    uint32_t npages, nclusters;
    double *points;   /* of each page: lsi_dims() numbers, of length 1 */
    uint32_t *of;     /* of each page: its cluster */
    uint8_t *labels;  /* of each page: T0 to T3; T0 are the useful ones */
    struct str telling[CLUSTER_MAX][BROWSE_TELLING];
    struct browse_concepts concepts;
    uint32_t neighbours; /* pages of the smallest cluster */
    double familiar[CLUSTER_MAX]; /* a page of the cluster of whose words fewer are known is strange */
    struct hmm hmm;
};

struct browse *browse_new(void); /* never NULL */
/* *out: `tf`, the frequencies of the page, and with them those features of title and anchors that are wanted. In
 * `arena`; SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status browse_vector(const struct browse_features *features, const struct page *page,
                                           const struct text_vector *tf, struct arena *arena, struct text_vector *out);
/* Counts the pages of the concept graph and the smallest cluster, and estimates the hidden Markov model; points,
 * clusters, labels and the links of the concept graph are there. */
void browse_finish(struct browse *browse);

#endif
