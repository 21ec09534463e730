#include "browse/browse_parts.h"

#include <stdlib.h>

struct browse *browse_new(void)
{
    struct browse *browse = calloc(1, sizeof *browse);

    SCENT_BUG_IF(!browse);
    arena_init(&browse->arena, SIZE_MAX);
    return browse;
}

void browse_free(struct browse *browse)
{
    if (!browse)
        return;
    lsi_free(browse->lsi);
    arena_release(&browse->arena);
    free(browse);
}

/* pi over the labels of all pages, A over the links, B over the clusters of each label. */
static void estimate(struct browse *browse)
{
    const struct browse_concepts *concepts = &browse->concepts;
    struct hmm_counts counts = {0};

    for (uint32_t from = 0; from < BROWSE_NODES; from++) {
        uint32_t label = from / CLUSTER_MAX;

        counts.labels[label] += concepts->pages[from];
        counts.seen[label][from % CLUSTER_MAX] += concepts->pages[from];
        for (uint32_t to = 0; to < BROWSE_NODES; to++)
            counts.steps[label][to / CLUSTER_MAX] += concepts->links[from][to];
    }
    hmm_estimate(&counts, browse->nclusters, &browse->hmm);
}

void browse_finish(struct browse *browse)
{
    uint32_t sizes[CLUSTER_MAX] = {0};

    for (uint32_t i = 0; i < browse->npages; i++) {
        browse->concepts.pages[browse_node(browse->labels[i], browse->of[i])]++;
        sizes[browse->of[i]]++;
    }
    browse->neighbours = sizes[0];
    for (uint32_t c = 1; c < browse->nclusters; c++)
        browse->neighbours = sizes[c] < browse->neighbours ? sizes[c] : browse->neighbours;
    estimate(browse);
}

void browse_ask(const struct browse *browse, const struct text_vector *tf, struct arena *arena,
                struct browse_sense *out)
{
    uint32_t dims = lsi_dims(browse->lsi);
    double *cosines = arena_array(arena, browse->npages, sizeof *cosines), page[LSI_DIMS], known;
    struct cluster_neighbour *room = arena_array(arena, browse->neighbours, sizeof *room);

    *out = (struct browse_sense){0};
    if (!cosines || !room)
        return;
    lsi_project_unit(browse->lsi, tf, page);
    for (uint32_t i = 0; i < browse->npages; i++) {
        cosines[i] = cluster_dot(page, browse->points + (size_t)i * dims, dims);
        if (browse->labels[i] == 0 && cosines[i] > out->similar)
            out->similar = cosines[i] < 1 ? cosines[i] : 1;
    }
    out->cluster = cluster_of_nearest(cosines, browse->of, browse->npages, browse->neighbours, room);
    known = lsi_known(browse->lsi, tf);
    out->strange = known <= 0 || known < browse->familiar[out->cluster];
}

const struct hmm *browse_hmm(const struct browse *browse)
{
    return &browse->hmm;
}

uint32_t browse_nclusters(const struct browse *browse)
{
    return browse->nclusters;
}

uint32_t browse_dims(const struct browse *browse)
{
    return lsi_dims(browse->lsi);
}

struct str browse_telling(const struct browse *browse, uint32_t cluster, uint32_t i)
{
    return i < BROWSE_TELLING ? browse->telling[cluster][i] : STR_NONE;
}

const struct browse_concepts *browse_concepts(const struct browse *browse)
{
    return &browse->concepts;
}
