/* pattern - the shape of a URL: what a machine that numbers its pages leaves unchanged.
 *
 * Server, path and parameter names; numbers, UUIDs and long mixtures of letters and digits stand for themselves no
 * more, values and the order of parameters do not count, a parameter that is repeated counts once. So
 * http://h/day/2026-11-15?id=3&view=week and http://h/day/2031-01-02?view=day&id=77 are of one pattern, while /wiki/Ice
 * and /wiki/Snow are of two. For caps (frontier/caps.h). Cost: about a nanosecond a byte. Pure; any thread. */
#ifndef SCENT_URL_URL_PATTERN_H
#define SCENT_URL_URL_PATTERN_H

#include "url/url.h"

/* Never 0. `key` as in url_fingerprint(). */
uint64_t url_pattern(const struct url *url, uint64_t key);

#endif
