/* permission - what a user allowed a crawl and need not repeat: to visit private addresses, to run programs.
 *
 * It is not kept in the crawl directory: one that comes from somebody else must not give itself leave to the user's own
 * network, or run what it names. It is a line in a list below $XDG_STATE_HOME/scent (~/.local/state/scent), with the
 * path, the inode and the time of birth of the directory: a copy, or another directory at the same place, has no
 * leave. */
#ifndef SCENT_APP_PERMISSION_H
#define SCENT_APP_PERMISSION_H

#include "base/log.h"
#include "base/status.h"

#include <stdbool.h>

enum permission { PERMISSION_PRIVATE, PERMISSION_PROGRAMS };
/* Was it given for the crawl in `dir` before, by this user on this machine? */
bool permission_is_given(enum permission what, const char *dir);
/* Remembers it; `dir` exists. Where it cannot be remembered, the option has to be repeated, and `log` is told. */
void permission_give(enum permission what, const char *dir, const struct log *log);

#endif
