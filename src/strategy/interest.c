#include "strategy/interest.h"

#include <math.h>

bool interest_can_learn(const struct interest *k)
{
    return k->relevant > 0 && k->relevant < k->pages;
}

double interest_base(const struct interest *k)
{
    return k->pages ? k->relevant / k->pages : 0;
}

enum interest_link interest_kind(bool from_relevant, bool to_relevant)
{
    if (from_relevant)
        return to_relevant ? INTEREST_PRED_PRED : INTEREST_PRED_NON;
    return to_relevant ? INTEREST_NON_PRED : INTEREST_NON_NON;
}

double interest_ratio(double count, double among, double more, double more_of, double expected)
{
    return (count + more) / (among + more_of) / expected;
}

static double clipped_log(double ratio)
{
    double value = log(ratio);

    return value > INTEREST_CLIP ? INTEREST_CLIP : value < -INTEREST_CLIP ? -INTEREST_CLIP : value;
}

double interest_significance(const struct interest *k, double pages, double relevant)
{
    double base = interest_base(k);

    if (!interest_can_learn(k) || pages == 0)
        return 0;
    return fabs(relevant / pages - base) /
           sqrt(base * (1 - base) / (k->printed_n ? k->relevant : pages));
}

double interest_of_event(const struct interest *k, double pages, double relevant)
{
    double base = interest_base(k);

    return interest_can_learn(k) ? clipped_log(interest_ratio(relevant, pages, base, 1, base)) : 0;
}

double interest_if_telling(const struct interest *k, double pages, double relevant)
{
    if (pages < INTEREST_MIN_PAGES || !(interest_significance(k, pages, relevant) >= k->t))
        return 0;
    return interest_of_event(k, pages, relevant);
}

double interest_of_links(const struct interest *k, double pages, double relevant)
{
    double base = interest_base(k), all = 0, p, q;

    if (!interest_can_learn(k))
        return 0;
    for (int i = 0; i < INTEREST_LINKS; i++)
        all += k->links[i];
    p = interest_ratio(k->links[INTEREST_PRED_PRED], all, .5, .5 * INTEREST_LINKS, base * base);
    q = interest_ratio(k->links[INTEREST_NON_PRED], all, .5, .5 * INTEREST_LINKS, base * (1 - base));
    return relevant * log(p) + (pages - relevant) * log(q);
}

double interest_of_siblings(const struct interest *k, double pages, double relevant)
{
    double value = interest_of_event(k, pages, relevant); /* (s + P)/((n + 1) P): the same formula */

    return k->above_only && value < 0 ? 0 : value;
}
