/* tunnel - through pages that are not on the topic to others that are, as long as the way is promising (Bergmark,
 * Lagoze and Sbityakov).
 *
 * A page has a distance from the topic: 0 where it correlates with the topic's centroid (a nugget, c >= .5), else
 *
 *     d' = min(1, (1 - c) e^(2d/C))    with d the distance of the page that linked to it, and C = 20
 *
 * so that a page that is unlike the topic is farther away at the end of a way that was unlike it already. Links of
 * pages beyond the cut-off are dropped; the others have priority 1 - d'. The correlation is the cosine to the centroid
 * of the seeds [R].
 *
 * With a cut-off of .5 nothing tunnels: a page that is not a nugget has 1 - c > .5. It is what preset: paper takes; our
 * default is .95 [R], below which a page has something of the topic or a near way to it.
 * Own bytes: the distance of the page that holds the link (4). State: none. */
#include "strategy/option.h"
#include "strategy/strategies.h"

#include <math.h>
#include <stdlib.h>

struct tunnel {
    double nugget, cutoff, length;
};

static const struct strategy_option options[] = {
    {"nugget", "0.5", "a page whose cosine to the seeds is at least this is on the topic: its distance is 0",
     OPTION_NUMBER(struct tunnel, nugget, 0, 1)},
    {"cutoff", "0.95", "links of pages that are farther away than this are not followed", .printed = "0.5",
     OPTION_NUMBER(struct tunnel, cutoff, 0, 1)},
    {"length", "20", "C: the larger, the less the way to a page counts", OPTION_NUMBER(struct tunnel, length, 1, 1e6)},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    return option_new_state(context, sizeof(struct tunnel), state, err);
}

/* d' of a page with the correlation c, by way of one with the distance d. */
static float distance_of(const struct tunnel *tunnel, double c, double d)
{
    return c >= tunnel->nugget ? 0 : (float)fmin(1, (1 - c) * exp(2 * d / tunnel->length));
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    const struct tunnel *tunnel = state;
    double c = visit->judgement->cosine;
    float before = 0, distance;

    (void)link;
    if (!visit->seed)
        memcpy(&before, visit->own, sizeof before);
    distance = distance_of(tunnel, c, (double)before);
    *out = (struct strategy_score){
        .priority = 1 - distance,
        .drop = (double)distance > tunnel->cutoff,
        .nparts = 3,
        .parts = {{.name = "cosine of the page to the seeds", .value = c},
                  {.name = "distance of the page before it from the topic", .value = (double)before},
                  {.name = "distance of the page from the topic", .value = (double)distance}},
    };
    memcpy(out->own, &distance, sizeof distance);
}

const struct strategy_ops strategy_tunnel = {
    .name = "tunnel",
    .summary = "through pages off the topic, as long as they are not too far from it",
    .paper = "Bergmark, Lagoze and Sbityakov 2002, Focused Crawls, Tunneling, and Digital Libraries",
    .options = options,
    .wants = JUDGE_COSINE,
    .own_bytes = sizeof(float),
    .open = open_state,
    .close = free,
    .score = score,
};
