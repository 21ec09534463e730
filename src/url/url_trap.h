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

#endif
