/* ratios - by how much does a feature make a candidate more likely to satisfy the predicate? The interest ratios of
 * Aggarwal et al. as natural logarithms: 0 says nothing, above 0 speaks for the candidate. Pure functions.
 *
 * The paper leaves zero counts open. Unless `smoothing` says otherwise every conditional probability is drawn to P(C)
 * by one page more, and the four kinds of links get half a link each; unless `clip` does, one feature counts at most
 * e^3 in either direction. While no page or every page satisfies the predicate nothing can be learned, and everything
 * is 0. */
#ifndef SCENT_STRATEGY_RATIOS_H
#define SCENT_STRATEGY_RATIOS_H

#include <stdbool.h>
#include <stdint.h>

/* Our answers where the paper is silent. */
#define RATIOS_OURS .smoothing = 1, .clip = 3, .support = 3
/* The logarithm of a ratio of 0, which only occurs without smoothing: a product with it is as good as 0. */
#define RATIOS_LOG_ZERO (-1000.)

/* Where a link comes from, and where it leads (Aggarwal, Table 1). */
enum ratios_link { RATIOS_PRED_PRED, RATIOS_PRED_NON, RATIOS_NON_PRED, RATIOS_NON_NON, RATIOS_LINKS };

/* The pages that make the standard deviation of a feature: those that have it, n(E), as statistics want it; the
 * relevant ones, n(C), as in (Aggarwal, 6); or all, N, as in (10). */
enum ratios_n { RATIOS_N_EVENT, RATIOS_N_RELEVANT, RATIOS_N_ALL };

/* Siblings count where they differ significantly from P(C), as words do; always; or, as in the paper,
 * where they speak for a candidate. */
enum ratios_siblings { RATIOS_SIBLINGS_SIGNIFICANT, RATIOS_SIBLINGS_BOTH, RATIOS_SIBLINGS_ABOVE };

struct ratios {
    double pages, relevant;     /* N and n(C); what other crawls taught counts in fractions */
    double links[RATIOS_LINKS]; /* between crawled pages */
    double t;                   /* significance from which a feature counts */
    unsigned n;                 /* enum ratios_n */
    unsigned siblings;          /* enum ratios_siblings */
    double smoothing;           /* pages that draw a probability to P(C); a quarter of twice as many links each */
    double clip;                /* the largest logarithm of one feature; 0: none is too large */
    double support;             /* pages with a feature, before it is believed */
};

bool ratios_can_learn(const struct ratios *k); /* 0 < n(C) < N */
double ratios_base(const struct ratios *k);    /* P(C) */
enum ratios_link ratios_link_kind(bool from_relevant, bool to_relevant);

/* S(C, E) of a feature that holds for `pages` crawled pages, `relevant` of them relevant (Aggarwal, 6 and 10). */
double ratios_significance(const struct ratios *k, double pages, double relevant);

/* All ratios at one moment: what they share is computed once, and nothing is divided or logarithmed for a feature that
 * is not significant. */
struct ratios_now {
    double base;         /* P(C) */
    double log_base;
    double pages, relevant, scale, deviation; /* what is_significant() compares */
    double log_p, log_q; /* of a relevant in-linking page, and of another */
    double smoothing, clip, support;
    unsigned siblings;
    bool learns, by_event;
};
struct ratios_now ratios_now(const struct ratios *k);
/* log I(C, E) (Aggarwal, 3), whether significant or not. */
double ratios_now_event(const struct ratios_now *now, double pages, double relevant);
/* The same where it counts: on enough pages, and significant (Aggarwal, 7); else 0. */
double ratios_now_if_significant(const struct ratios_now *now, double pages, double relevant);
/* log I_l = m log p + (k - m) log q for `relevant` of `pages` in-linking pages. */
static inline double ratios_now_links(const struct ratios_now *now, double pages, double relevant)
{
    return relevant * now->log_p + (pages - relevant) * now->log_q;
}
/* log I_s for `relevant` of `pages` visited siblings; and whether so many of them count. */
bool ratios_now_siblings_tell(const struct ratios_now *now, double pages, double relevant);
double ratios_now_siblings(const struct ratios_now *now, double pages, double relevant);

#endif
