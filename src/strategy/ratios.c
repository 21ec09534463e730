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

/* log (count / among / expected) (Aggarwal, 3), with `more` added to the count and `more_of` to what it is among. */
static double log_interest(double count, double among, double more, double more_of, double expected)
{
    return count + more > 0 ? log((count + more) / (among + more_of) / expected) : RATIOS_LOG_ZERO;
}

static double clipped(const struct ratios_now *now, double value)
{
    if (now->clip == 0)
        return value;
    return value > now->clip ? now->clip : value < -now->clip ? -now->clip : value;
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
                             .siblings = k->siblings, .smoothing = k->smoothing, .clip = k->clip,
                             .support = k->support};
    double all = 0, more = k->smoothing / 2;

    if (!now.learns)
        return now;
    for (int i = 0; i < RATIOS_LINKS; i++)
        all += k->links[i];
    now.log_base = log(now.base);
    if (all + more > 0) {
        now.log_p = log_interest(k->links[RATIOS_PRED_PRED], all, more, more * RATIOS_LINKS, now.base * now.base);
        now.log_q = log_interest(k->links[RATIOS_NON_PRED], all, more, more * RATIOS_LINKS, now.base * (1 - now.base));
    }
    now.pages = k->pages;
    now.relevant = k->relevant;
    now.scale = k->n == RATIOS_N_EVENT ? 1 : k->n == RATIOS_N_RELEVANT ? k->relevant : k->pages;
    now.deviation = k->t * k->t * k->relevant * (k->pages - k->relevant);
    return now;
}

double ratios_now_event(const struct ratios_now *now, double pages, double relevant)
{
    if (!now->learns || pages + now->smoothing == 0)
        return 0;
    return clipped(now, log_interest(relevant, pages, now->smoothing * now->base, now->smoothing, now->base));
}

/* S >= t (Aggarwal, 6), squared and without a division: whole numbers are exact. */
static bool is_significant(const struct ratios_now *now, double pages, double relevant)
{
    double off = relevant * now->pages - pages * now->relevant;

    return off * off * now->scale >= now->deviation * (now->by_event ? pages : pages * pages);
}

double ratios_now_if_significant(const struct ratios_now *now, double pages, double relevant)
{
    if (pages < now->support || !now->learns || !is_significant(now, pages, relevant))
        return 0;
    return ratios_now_event(now, pages, relevant);
}

/* The deviation is that of the siblings: t standard deviations of a share of so many pages. */
bool ratios_now_siblings_tell(const struct ratios_now *now, double pages, double relevant)
{
    double off = relevant * now->pages - pages * now->relevant;

    return pages > 0 && (now->siblings != RATIOS_SIBLINGS_SIGNIFICANT || off * off >= now->deviation * pages);
}

double ratios_now_siblings(const struct ratios_now *now, double pages, double relevant)
{
    /* (s + P)/((n + 1) P): the same formula */
    double value = ratios_now_siblings_tell(now, pages, relevant) ? ratios_now_event(now, pages, relevant) : 0;

    return now->siblings == RATIOS_SIBLINGS_ABOVE && value < 0 ? 0 : value;
}
