/* storelock - one crawl at a time in a directory.
 *
 * The lock is the kernel's (flock), so it goes with the process, however that ends; the file also holds the
 * owner's process id, for the message that another one gets. */
#ifndef SCENT_STORE_STORELOCK_H
#define SCENT_STORE_STORELOCK_H

#include "base/status.h"

/* *fd is the lock; SCENT_E_LOCKED names the owner. */
SCENT_NODISCARD scent_status storelock_take(const char *dir, int *fd, struct errmsg *err);
void storelock_drop(int fd); /* -1 is fine */

#endif
