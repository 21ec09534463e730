/* permission - the leave to visit private addresses, which a user gave a crawl and need not repeat when it resumes.
 *
 * It is not kept in the crawl directory: one that comes from somebody else must not give itself leave to the user's own
 * network. It is a line in $XDG_STATE_HOME/scent/private-crawls (~/.local/state/scent/…), with the path, the inode and
 * the time of birth of the directory: a copy, or another directory at the same place, has no leave. */
#ifndef SCENT_APP_PERMISSION_H
#define SCENT_APP_PERMISSION_H

#include "base/log.h"
#include "base/status.h"

#include <stdbool.h>

/* Was --allow-private given for the crawl in `dir` before, by this user on this machine? */
bool permission_is_given(const char *dir);
/* Remembers it; `dir` exists. Where it cannot be remembered, the option has to be repeated, and `log` is told. */
void permission_give(const char *dir, const struct log *log);

#endif
