/* Single ratios, for tests: the crawlers compute what they share once. */
#ifndef SCENT_TESTS_RATIOS_ONCE_H
#define SCENT_TESTS_RATIOS_ONCE_H

#include "strategy/ratios.h"

static inline double ratios_of_event(const struct ratios *k, double pages, double relevant)
{
    struct ratios_now now = ratios_now(k);

    return ratios_now_event(&now, pages, relevant);
}

static inline double ratios_if_significant(const struct ratios *k, double pages, double relevant)
{
    struct ratios_now now = ratios_now(k);

    return ratios_now_if_significant(&now, pages, relevant);
}

static inline double ratios_of_links(const struct ratios *k, double pages, double relevant)
{
    struct ratios_now now = ratios_now(k);

    return ratios_now_links(&now, pages, relevant);
}

static inline double ratios_of_siblings(const struct ratios *k, double pages, double relevant)
{
    struct ratios_now now = ratios_now(k);

    return ratios_now_siblings(&now, pages, relevant);
}

#endif
