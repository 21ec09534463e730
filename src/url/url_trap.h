/* trap - does a URL look as if a machine that never ends had made it?
 *
 * The signs of a spider trap that one URL shows by itself, without memory of others: what they miss is left to the caps
 * per pattern (frontier/caps.h), per host and in depth. Each threshold lies beyond what real sites do, since a refused
 * page is lost for good and a trap that gets through is stopped by the next rule.
 * Cost: some 100 ns. Pure; any thread. */
#ifndef SCENT_URL_URL_TRAP_H
#define SCENT_URL_URL_TRAP_H

#include "url/url.h"

enum url_trap {
    URL_TRAP_NONE,
    URL_TRAP_SEGMENTS, /* more than 20 path segments */
    URL_TRAP_LENGTH,   /* path beyond 1,024 or query beyond 2,048 characters; an escape counts as one */
    URL_TRAP_REPEATS,  /* a run of path segments three times in a row, one segment five times anywhere, or eight
                          segments and more of which half are repeated */
    URL_TRAP_PARAMS,   /* more than 32 parameters, a name more than 12 times, or name and value three times */
    URL_TRAP_NESTED,   /* more than two URLs inside the query, or escapes escaped more than twice */
    URL_TRAP_CALENDAR  /* a month far from now: a calendar */
};

/* `year` is the current one. */
enum url_trap url_trap(const struct url *url, unsigned year);
/* For the store: "repeated path segments". NULL for URL_TRAP_NONE. */
const char *url_trap_text(enum url_trap trap);

/* ---- patterns: what a machine that numbers its pages leaves unchanged in its URLs ----
 *
 * Server, path and parameter names; numbers, UUIDs and long mixtures of letters and digits stand for themselves no
 * more, values and the order of parameters do not count, a parameter that is repeated counts once. So
 * http://h/day/2026-11-15?id=3&view=week and http://h/day/2031-01-02?view=day&id=77 are of one pattern, while /wiki/Ice
 * and /wiki/Snow are of two. For caps (frontier/caps.h). Cost: about a nanosecond a byte. */

/* Never 0. `key` as in url_fingerprint(). */
uint64_t url_pattern(const struct url *url, uint64_t key);

#endif
