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

/* ---- at one moment ---- */

struct interest_now interest_now(const struct interest *k)
{
    struct interest_now now = {.base = interest_base(k), .learns = interest_can_learn(k), .printed_n = k->printed_n,
                               .above_only = k->above_only};
    double all = 0, p, q;

    if (!now.learns)
        return now;
    for (int i = 0; i < INTEREST_LINKS; i++)
        all += k->links[i];
    p = interest_ratio(k->links[INTEREST_PRED_PRED], all, .5, .5 * INTEREST_LINKS, now.base * now.base);
    q = interest_ratio(k->links[INTEREST_NON_PRED], all, .5, .5 * INTEREST_LINKS, now.base * (1 - now.base));
    now.log_base = log(now.base);
    now.log_p = log(p);
    now.log_q = log(q);
    now.deviation = k->t * k->t * now.base * (1 - now.base);
    if (k->printed_n)
        now.deviation /= k->relevant;
    return now;
}

double interest_now_event(const struct interest_now *now, double pages, double relevant)
{
    return now->learns ? clipped_log(interest_ratio(relevant, pages, now->base, 1, now->base)) : 0;
}

/* S >= t (Aggarwal, 6), with both sides times the pages, and squared. */
static bool is_telling(const struct interest_now *now, double pages, double relevant)
{
    double off = relevant - pages * now->base;

    return off * off >= now->deviation * (now->printed_n ? pages * pages : pages);
}

double interest_now_if_telling(const struct interest_now *now, double pages, double relevant)
{
    if (pages < INTEREST_MIN_PAGES || !now->learns || !is_telling(now, pages, relevant))
        return 0;
    return interest_now_event(now, pages, relevant);
}

double interest_now_siblings(const struct interest_now *now, double pages, double relevant)
{
    double value = pages ? interest_now_event(now, pages, relevant) : 0; /* (s + P)/((n + 1) P): the same formula */

    return now->above_only && value < 0 ? 0 : value;
}

/* ---- one by one ---- */

double interest_of_event(const struct interest *k, double pages, double relevant)
{
    struct interest_now now = interest_now(k);

    return interest_now_event(&now, pages, relevant);
}

double interest_if_telling(const struct interest *k, double pages, double relevant)
{
    struct interest_now now = interest_now(k);

    return interest_now_if_telling(&now, pages, relevant);
}

double interest_of_links(const struct interest *k, double pages, double relevant)
{
    struct interest_now now = interest_now(k);

    return interest_now_links(&now, pages, relevant);
}

double interest_of_siblings(const struct interest *k, double pages, double relevant)
{
    struct interest_now now = interest_now(k);

    return interest_now_siblings(&now, pages, relevant);
}
