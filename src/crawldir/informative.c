#include "crawldir/informative.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

#define HOST_DISTANCE .05 /* what a page of the host that was shown before adds to the distance */

struct informative *informative_new(void)
{
    struct informative *informative = calloc(1, sizeof *informative);

    SCENT_BUG_IF(!informative);
    informative->nearest = calloc(2 * INFORMATIVE_CANDIDATES, sizeof *informative->nearest);
    SCENT_BUG_IF(!informative->nearest);
    informative->farthest = INFINITY;
    return informative;
}

void informative_free(struct informative *informative)
{
    if (informative)
        free(informative->nearest);
    free(informative);
}

void informative_count(struct informative *informative, double score, bool relevant)
{
    score = score >= 0 && score <= 1 ? score : 0;
    informative->bins[relevant][(int)(score * (INFORMATIVE_BINS - 1))]++;
}

/* The score that divides relevant pages from the others with the fewest exceptions; of several in a row the middle. */
void informative_divide(struct informative *informative)
{
    uint64_t wrong = 0, least;
    int first = 0, last = 0;

    for (int i = 0; i < INFORMATIVE_BINS; i++)
        wrong += informative->bins[0][i];
    least = wrong;
    for (int i = 0; i < INFORMATIVE_BINS; i++) {
        wrong += informative->bins[1][i];
        wrong -= informative->bins[0][i];
        if (wrong < least) {
            least = wrong;
            first = last = i + 1;
        } else if (wrong == least && last == i) {
            last = i + 1;
        }
    }
    informative->threshold = (first + last) / 2. / INFORMATIVE_BINS;
}

static int by_distance(const void *a, const void *b)
{
    const struct informative_page *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->page < y->page ? -1 : x->page > y->page;
}

void informative_settle(struct informative *informative)
{
    qsort(informative->nearest, informative->count, sizeof *informative->nearest, by_distance);
    if (informative->count < INFORMATIVE_CANDIDATES)
        return;
    informative->count = INFORMATIVE_CANDIDATES;
    informative->farthest = informative->nearest[INFORMATIVE_CANDIDATES - 1].distance;
}

/* The nearest stay: when there are twice as many the farther half goes. */
void informative_consider(struct informative *informative, uint64_t page, double score, bool relevant, uint32_t host)
{
    if (fabs(score - informative->threshold) > informative->farthest)
        return;
    if (informative->count == 2 * INFORMATIVE_CANDIDATES)
        informative_settle(informative);
    informative->nearest[informative->count++] =
        (struct informative_page){page, score, fabs(score - informative->threshold), host, relevant};
}

void informative_choose(struct informative *informative, size_t place)
{
    struct informative_page *all = informative->nearest, chosen;
    size_t best = place;

    for (size_t i = place + 1; i < informative->count; i++)
        if (by_distance(&all[i], &all[best]) < 0)
            best = i;
    chosen = all[best];
    all[best] = all[place];
    all[place] = chosen;
    for (size_t i = place + 1; i < informative->count; i++)
        all[i].distance += all[i].host == chosen.host ? HOST_DISTANCE : 0;
}
