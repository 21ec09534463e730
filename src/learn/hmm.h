/* hmm - how far is the next target? A hidden Markov model over distances (Liu, Milios and Janssen, 2.3).
 *
 * The hidden states are T0 to T3: a target, one link before one, two, three or more. What is seen of a page is the
 * number of its cluster. A page at three links cannot lead to a target or to a page that does, nor one at two links to
 * a target: it would be nearer itself; these three steps have probability 0, and every other count gets half a page
 * more. Pure; any thread. */
#ifndef SCENT_LEARN_HMM_H
#define SCENT_LEARN_HMM_H

#include <stdbool.h>
#include <stdint.h>

enum { HMM_STATES = 4, HMM_SYMBOLS = 16 };

struct hmm_counts {
    uint32_t labels[HMM_STATES];             /* pages at each distance */
    uint32_t steps[HMM_STATES][HMM_STATES];  /* links from one to another */
    uint32_t seen[HMM_STATES][HMM_SYMBOLS];  /* pages of each cluster at each distance */
};

struct hmm {
    uint32_t nsymbols;
    double pi[HMM_STATES], a[HMM_STATES][HMM_STATES], b[HMM_STATES][HMM_SYMBOLS];
    double links[HMM_STATES]; /* what each row of A was counted from, the halves included */
};

/* nsymbols is 1 to HMM_SYMBOLS. */
void hmm_estimate(const struct hmm_counts *counts, uint32_t nsymbols, struct hmm *out);
bool hmm_can_step(unsigned from, unsigned to);

/* delta(j, t): the probability of the likeliest way to page t that ends in state j, among all four. They are scaled to
 * sum 1 at each page: the order is the same, and a page loses nothing only because it lies deep. */
void hmm_begin(const struct hmm *hmm, uint32_t symbol, double delta[HMM_STATES]);
/* delta(j, t) = max_i delta(i, parent) A_ij B_j(symbol); `from` and `delta` may be the same. */
void hmm_step(const struct hmm *hmm, const double from[HMM_STATES], uint32_t symbol, double delta[HMM_STATES]);
/* One link on, before the page is seen: P_j = sum_i delta(i) A_ij. */
void hmm_ahead(const struct hmm *hmm, const double delta[HMM_STATES], double p[HMM_STATES]);

/* What a distance is worth: sum_j p_j / 2^j. */
double hmm_worth(const double p[HMM_STATES]);
/* The largest p_j: what the paper prints. It ranks a page that is surely far away as high as a sure target. */
double hmm_largest(const double p[HMM_STATES]);

/* ---- learning on ----
 *
 * A was counted over the links between pages that a person visited. A crawl follows the others too, and those lead
 * away more often. Each link that it follows is counted beside hers, for every step by its probability given both pages
 * (Baum-Welch, a page at a time): xi_ij = from_i A_ij B_j(symbol), scaled to sum 1. A page that is unlike all that she
 * visited is in no state: the link to it counts for the rows alone, and these sum to less than 1 from then on. */
#define HMM_NO_SYMBOL UINT32_MAX

struct hmm_followed {
    double steps[HMM_STATES][HMM_STATES];
    double strayed[HMM_STATES]; /* to no state */
};

/* `from` sums to 1; symbol HMM_NO_SYMBOL: that of a page in no state. */
void hmm_follow(const struct hmm *hmm, const double from[HMM_STATES], uint32_t symbol, struct hmm_followed *followed);
/* A of her links and these. */
void hmm_refine(const struct hmm *hmm, const struct hmm_followed *followed, double a[HMM_STATES][HMM_STATES]);

#endif
