/* The simulated person. */
#include "base/rng.h"
#include "lab/session.h"

#include <stdlib.h>

#define FAR UINT32_MAX

/* All links backwards: who links to a page lies in from[first[page]] to from[first[page + 1] - 1]. */
struct arrivals {
    uint32_t *first, *from;
};

static scent_status find_arrivals(const struct collection *collection, struct arrivals *out)
{
    uint32_t npages = collection_count(collection);
    const uint32_t *targets;
    size_t nlinks = 0;

    out->first = calloc(npages + (size_t)2, sizeof *out->first);
    if (!out->first)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < npages; i++) {
        const struct page *page = collection_page(collection, i, &targets);

        if (!page)
            return SCENT_E_FORMAT;
        for (uint32_t k = 0; k < page->nlinks; k++)
            out->first[targets[k] + 2]++;
        nlinks += page->nlinks;
    }
    for (uint32_t i = 0; i < npages; i++)
        out->first[i + 2] += out->first[i + 1];
    out->from = malloc((nlinks + 1) * sizeof *out->from);
    if (!out->from)
        return SCENT_E_NOMEM;
    for (uint32_t i = 0; i < npages; i++) {
        const struct page *page = collection_page(collection, i, &targets);

        for (uint32_t k = 0; k < page->nlinks; k++)
            out->from[out->first[targets[k] + 1]++] = i;
    }
    return SCENT_OK;
}

/* Links from every page to the goal, at least. */
static void find_distances(const struct arrivals *arrivals, uint32_t npages, uint32_t goal, uint32_t *queue,
                           uint32_t *distance)
{
    size_t count = 1;

    for (uint32_t i = 0; i < npages; i++)
        distance[i] = FAR;
    distance[goal] = 0;
    queue[0] = goal;
    for (size_t at = 0; at < count; at++)
        for (uint32_t k = arrivals->first[queue[at]]; k < arrivals->first[queue[at] + 1]; k++) {
            uint32_t page = arrivals->from[k];

            if (distance[page] != FAR)
                continue;
            distance[page] = distance[queue[at]] + 1;
            queue[count++] = page;
        }
}

/* One of the links that bring her nearer, or any; false: there is none. */
static bool click(const struct collection *collection, uint32_t *page, const uint32_t *distance, bool wander,
                  struct rng *rng)
{
    const uint32_t *targets;
    const struct page *content = collection_page(collection, *page, &targets);
    uint32_t here = *page, nearer = 0;

    if (!content || content->nlinks == 0)
        return false;
    if (wander) {
        *page = targets[rng_below(rng, content->nlinks)];
        return true;
    }
    for (uint32_t k = 0; k < content->nlinks; k++)
        if (distance[targets[k]] < distance[here] && rng_below(rng, ++nearer) == 0)
            *page = targets[k];
    return nearer > 0;
}

static uint32_t begin(const struct experiment_sessions *wanted, const struct trial *trial, uint32_t npages,
                      struct rng *rng)
{
    return wanted->at_seeds ? trial->starts[rng_below(rng, trial->nstarts)] : (uint32_t)rng_below(rng, npages);
}

static void walk(const struct experiment_sessions *wanted, const struct collection *collection,
                 const struct trial *trial, uint32_t start, const uint32_t *distance, struct rng *rng,
                 struct session *session, bool *seen)
{
    uint32_t page = start;

    session_visit(session, trial, seen, page);
    for (uint32_t step = 0; step < wanted->steps && distance[page] != 0; step++) {
        if (!click(collection, &page, distance, rng_unit(rng) < wanted->wander, rng))
            return;
        session_visit(session, trial, seen, page);
    }
}

/* A goal for every walk: pages of the topic that are no starts, each once if there are enough. */
static uint32_t *draw_goals(const struct trial *trial, uint32_t npages, uint32_t count, struct rng *rng, size_t *drawn)
{
    uint32_t *goals = calloc(count, sizeof *goals);
    bool *from = calloc(npages + (size_t)1, sizeof *from);

    *drawn = 0;
    if (goals && from) {
        memcpy(from, trial->relevant, npages * sizeof *from);
        for (size_t i = 0; i < trial->nstarts; i++)
            from[trial->starts[i]] = false;
        *drawn = trial_draw(from, npages, count, rng, goals);
    }
    free(from);
    return goals;
}

scent_status session_walk(const struct experiment_sessions *wanted, const struct collection *collection,
                          const struct trial *trial, struct rng *rng, struct session *session, bool *seen,
                          struct errmsg *err)
{
    uint32_t npages = collection_count(collection);
    struct arrivals arrivals = {0};
    size_t ngoals;
    uint32_t *goals = draw_goals(trial, npages, wanted->walks, rng, &ngoals);
    uint32_t *distance = calloc(2 * (size_t)npages + 1, sizeof *distance);
    scent_status status = goals && distance ? find_arrivals(collection, &arrivals) : SCENT_E_NOMEM;

    for (uint32_t i = 0; i < wanted->walks && ngoals && status == SCENT_OK; i++) {
        find_distances(&arrivals, npages, goals[i % ngoals], distance + npages, distance);
        walk(wanted, collection, trial, begin(wanted, trial, npages, rng), distance, rng, session, seen);
    }
    free(arrivals.first);
    free(arrivals.from);
    free(goals);
    free(distance);
    return status == SCENT_OK ? SCENT_OK
                              : errmsg_fail(err, status, "the walks cannot be made: %s", scent_status_text(status));
}
