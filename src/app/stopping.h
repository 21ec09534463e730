/* stopping - signals as a number that rises: the first asks a command to stop, the second ends the process at once. */
#ifndef SCENT_APP_STOPPING_H
#define SCENT_APP_STOPPING_H

#include <stdatomic.h>

/* Catches SIGINT, SIGTERM and SIGHUP from now on, and ignores SIGPIPE; above 0: stop. */
atomic_int *stopping_watch(void);
/* What a command does from now on ends at the first signal, as people expect. */
void stopping_release(void);

/* For a command whose threads do all the work: blocks the three signals before any thread starts, then waits for one. */
void stopping_block(void);
void stopping_wait(void);

#endif
