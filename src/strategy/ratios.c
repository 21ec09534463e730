#include "strategy/ratios.h"

#include <math.h>

bool ratios_can_learn(const struct ratios *k)
{
    return k->relevant > 0 && k->relevant < k->pages;
}

double ratios_base(const struct ratios *k)
{
    return k->pages ? k->relevant / k->pages : 0;
}

enum ratios_link ratios_link_kind(bool from_relevant, bool to_relevant)
{
    if (from_relevant)
        return to_relevant ? RATIOS_PRED_PRED : RATIOS_PRED_NON;
    return to_relevant ? RATIOS_NON_PRED : RATIOS_NON_NON;
}

double ratios_interest(double count, double among, double more, double more_of, double expected)
{
    return (count + more) / (among + more_of) / expected;
}

static double clipped_log(double ratio)
{
    double value = log(ratio);

    return value > RATIOS_CLIP ? RATIOS_CLIP : value < -RATIOS_CLIP ? -RATIOS_CLIP : value;
}

/* |r/p - c/N| / sqrt(c/N (1 - c/N) / n), with whole numbers above and below the line and divided once: they are exact,
 * so that S >= t holds at exact ties, and features with the same S are equal. */
double ratios_significance(const struct ratios *k, double pages, double relevant)
{
    double off = relevant * k->pages - pages * k->relevant, spread = k->relevant * (k->pages - k->relevant);

    if (!ratios_can_learn(k) || pages == 0)
        return 0;
    if (k->n == RATIOS_N_EVENT)
        return sqrt(off * off / (pages * spread));
    return sqrt(off * off * (k->n == RATIOS_N_RELEVANT ? k->relevant : k->pages) / (pages * pages * spread));
}

/* ---- at one moment ---- */

struct ratios_now ratios_now(const struct ratios *k)
{
    struct ratios_now now = {.base = ratios_base(k), .learns = ratios_can_learn(k), .by_event = k->n == RATIOS_N_EVENT,
                               .above_only = k->above_only};
    double all = 0, p, q;

    if (!now.learns)
        return now;
    for (int i = 0; i < RATIOS_LINKS; i++)
        all += k->links[i];
    p = ratios_interest(k->links[RATIOS_PRED_PRED], all, .5, .5 * RATIOS_LINKS, now.base * now.base);
    q = ratios_interest(k->links[RATIOS_NON_PRED], all, .5, .5 * RATIOS_LINKS, now.base * (1 - now.base));
    now.log_base = log(now.base);
    now.log_p = log(p);
    now.log_q = log(q);
    now.pages = k->pages;
    now.relevant = k->relevant;
    now.scale = k->n == RATIOS_N_EVENT ? 1 : k->n == RATIOS_N_RELEVANT ? k->relevant : k->pages;
    now.deviation = k->t * k->t * k->relevant * (k->pages - k->relevant);
    return now;
}

double ratios_now_event(const struct ratios_now *now, double pages, double relevant)
{
    return now->learns ? clipped_log(ratios_interest(relevant, pages, now->base, 1, now->base)) : 0;
}

/* S >= t (Aggarwal, 6), squared and without a division: whole numbers are exact. */
static bool is_significant(const struct ratios_now *now, double pages, double relevant)
{
    double off = relevant * now->pages - pages * now->relevant;

    return off * off * now->scale >= now->deviation * (now->by_event ? pages : pages * pages);
}

double ratios_now_if_significant(const struct ratios_now *now, double pages, double relevant)
{
    if (pages < RATIOS_MIN_PAGES || !now->learns || !is_significant(now, pages, relevant))
        return 0;
    return ratios_now_event(now, pages, relevant);
}

double ratios_now_siblings(const struct ratios_now *now, double pages, double relevant)
{
    double value = pages ? ratios_now_event(now, pages, relevant) : 0; /* (s + P)/((n + 1) P): the same formula */

    return now->above_only && value < 0 ? 0 : value;
}
