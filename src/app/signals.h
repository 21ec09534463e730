/* signals - SIGINT, SIGTERM and SIGHUP as a number that rises: the first asks a command to stop, the second ends the
 * process at once. */
#ifndef SCENT_APP_SIGNALS_H
#define SCENT_APP_SIGNALS_H

#include <stdatomic.h>

/* Catches these signals from now on, and ignores SIGPIPE; above 0: stop. */
atomic_int *signals_watch(void);
/* From now on the first signal ends the process, as usual. */
void signals_release(void);

/* For a command whose threads do all the work: blocks the three signals before any thread starts, then waits for one.
 */
void signals_block(void);
void signals_wait(void);

#endif
