#include "strategy/known_pages.h"

#include "base/hash.h"
#include "strategy/saved.h"

#include <stdlib.h>

/* Each page of a layer is as likely as the others (Vitter's algorithm R); the layers have their own rooms until they
 * are moved together. */
static void draw(const uint32_t *distances, uint32_t npages, uint32_t layers, uint32_t each, bool rest,
                 struct rng *rng, struct known_layers *out)
{
    size_t seen[KNOWN_LAYERS_MAX + 2] = {0}, end = 0;

    for (uint32_t i = 0; i < npages; i++) {
        uint32_t layer = distances[i] <= layers ? distances[i] : layers + 1;
        size_t at;

        if (layer > layers && !rest)
            continue;
        at = seen[layer] < each ? seen[layer] : rng_below(rng, seen[layer] + 1);
        seen[layer]++;
        if (at < each)
            out->pages[(size_t)layer * each + at] = i;
    }
    out->count = 0;
    for (uint32_t layer = 0; layer <= layers + rest; layer++) {
        size_t count = seen[layer] < each ? seen[layer] : each;

        if (count == 0 && !(rest && layer > layers))
            continue; /* the layers beyond are empty too */
        memmove(out->pages + end, out->pages + (size_t)layer * each, count * sizeof *out->pages);
        out->starts[out->count++] = end;
        end += count;
    }
    out->starts[out->count] = end;
}

scent_status known_layers_draw(const struct strategy_context *context, const struct strategy_known *known,
                               uint32_t layers, uint32_t each, bool rest, struct known_layers *out, struct errmsg *err)
{
    uint32_t npages = page_graph_count(known->graph);
    uint32_t *distances = malloc(((size_t)npages + 1) * sizeof *distances);
    scent_status status = SCENT_E_NOMEM;
    struct rng rng;

    SCENT_BUG_IF(layers > KNOWN_LAYERS_MAX);
    *out = (struct known_layers){.pages = malloc((layers + 2) * (size_t)each * sizeof *out->pages)};
    if (distances && out->pages)
        status = page_graph_distances(known->graph, known->examples, known->nexamples, layers, distances);
    if (status == SCENT_OK) {
        rng_seed(&rng, hash_mix(context->seed, 0x6b6e6f776e));
        draw(distances, npages, layers, each, rest, &rng, out);
    }
    free(distances);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "no memory for the pages around the examples");
    else if (known->nexamples == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "strategy %s learns from the pages around the examples of the topic, and none of these is "
                             "among the %u known pages", context->ops->name, npages);
    else if (out->count < 2)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "strategy %s learns from pages that link to the examples of the topic, and none of the %u "
                             "known pages does", context->ops->name, npages);
    if (status != SCENT_OK)
        known_layers_release(out);
    return status;
}

void known_layers_release(struct known_layers *layers)
{
    free(layers->pages);
    *layers = (struct known_layers){0};
}

scent_status known_pages_open(const struct strategy_context *context, unsigned version, const char *meaning,
                              struct bytes *in, struct errmsg *err)
{
    *in = bytes_of(context->knowledge->studied);
    if (context->knowledge->studied.len == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "strategy %s learns from the links to the examples before it crawls, and no links are "
                           "known: name an earlier crawl or a collection with its option 'graph', or an earlier crawl "
                           "with --reuse", context->ops->name);
    return saved_open_learned(context->ops->name, version, meaning, in, err);
}
