/* Sums in logarithms where they are products of many; the equations are those of the header. */
#include "learn/hmm.h"

#include "base/status.h"

#include <math.h>

#define MORE .5 /* pages or links, to each count */

bool hmm_can_step(unsigned from, unsigned to)
{
    return to + 1 >= from;
}

static void estimate_state(const struct hmm_counts *counts, unsigned i, struct hmm *out)
{
    double steps = 0, seen = 0;

    for (unsigned j = 0; j < HMM_STATES; j++)
        steps += hmm_can_step(i, j) ? counts->steps[i][j] + MORE : 0;
    for (unsigned j = 0; j < HMM_STATES; j++)
        out->a[i][j] = hmm_can_step(i, j) ? (counts->steps[i][j] + MORE) / steps : 0;
    out->links[i] = steps;
    for (uint32_t s = 0; s < out->nsymbols; s++)
        seen += counts->seen[i][s] + MORE;
    for (uint32_t s = 0; s < out->nsymbols; s++)
        out->b[i][s] = (counts->seen[i][s] + MORE) / seen;
}

void hmm_estimate(const struct hmm_counts *counts, uint32_t nsymbols, struct hmm *out)
{
    double pages = 0;

    SCENT_BUG_IF(nsymbols == 0 || nsymbols > HMM_SYMBOLS);
    *out = (struct hmm){.nsymbols = nsymbols};
    for (unsigned i = 0; i < HMM_STATES; i++)
        pages += counts->labels[i] + MORE;
    for (unsigned i = 0; i < HMM_STATES; i++) {
        out->pi[i] = (counts->labels[i] + MORE) / pages;
        estimate_state(counts, i, out);
    }
}

/* Logarithms to probabilities that sum to 1. At least one is finite: every state can stay where it is, and emits every
 * cluster. */
static void normalise(const double logs[HMM_STATES], double p[HMM_STATES])
{
    double top = logs[0], sum = 0;

    for (unsigned j = 1; j < HMM_STATES; j++)
        top = logs[j] > top ? logs[j] : top;
    for (unsigned j = 0; j < HMM_STATES; j++)
        sum += p[j] = exp(logs[j] - top);
    for (unsigned j = 0; j < HMM_STATES; j++)
        p[j] /= sum;
}

void hmm_begin(const struct hmm *hmm, uint32_t symbol, double delta[HMM_STATES])
{
    double logs[HMM_STATES];

    for (unsigned j = 0; j < HMM_STATES; j++)
        logs[j] = log(hmm->pi[j]) + log(hmm->b[j][symbol]);
    normalise(logs, delta);
}

void hmm_step(const struct hmm *hmm, const double from[HMM_STATES], uint32_t symbol, double delta[HMM_STATES])
{
    double logs[HMM_STATES];

    for (unsigned j = 0; j < HMM_STATES; j++) {
        double best = -INFINITY;

        for (unsigned i = 0; i < HMM_STATES; i++) {
            double one = log(from[i]) + log(hmm->a[i][j]);

            best = one > best ? one : best;
        }
        logs[j] = best + log(hmm->b[j][symbol]);
    }
    normalise(logs, delta);
}

void hmm_ahead(const struct hmm *hmm, const double delta[HMM_STATES], double p[HMM_STATES])
{
    for (unsigned j = 0; j < HMM_STATES; j++) {
        p[j] = 0;
        for (unsigned i = 0; i < HMM_STATES; i++)
            p[j] += delta[i] * hmm->a[i][j];
    }
}

double hmm_worth(const double p[HMM_STATES])
{
    double worth = 0;

    for (unsigned j = 0; j < HMM_STATES; j++)
        worth += p[j] / (1u << j);
    return worth;
}

double hmm_largest(const double p[HMM_STATES])
{
    double largest = p[0];

    for (unsigned j = 1; j < HMM_STATES; j++)
        largest = p[j] > largest ? p[j] : largest;
    return largest;
}

void hmm_follow(const struct hmm *hmm, const double from[HMM_STATES], uint32_t symbol, struct hmm_followed *followed)
{
    double xi[HMM_STATES][HMM_STATES], sum = 0;

    if (symbol == HMM_NO_SYMBOL) {
        for (unsigned i = 0; i < HMM_STATES; i++)
            followed->strayed[i] += from[i];
        return;
    }
    for (unsigned i = 0; i < HMM_STATES; i++)
        for (unsigned j = 0; j < HMM_STATES; j++)
            sum += xi[i][j] = from[i] * hmm->a[i][j] * hmm->b[j][symbol];
    for (unsigned i = 0; i < HMM_STATES; i++)
        for (unsigned j = 0; j < HMM_STATES; j++)
            followed->steps[i][j] += sum > 0 ? xi[i][j] / sum : 0;
}

void hmm_refine(const struct hmm *hmm, const struct hmm_followed *followed, double a[HMM_STATES][HMM_STATES])
{
    for (unsigned i = 0; i < HMM_STATES; i++) {
        double all = hmm->links[i] + followed->strayed[i];

        for (unsigned j = 0; j < HMM_STATES; j++)
            all += followed->steps[i][j];
        for (unsigned j = 0; j < HMM_STATES; j++)
            a[i][j] = (hmm->links[i] * hmm->a[i][j] + followed->steps[i][j]) / all;
    }
}
