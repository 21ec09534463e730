/* retries - visits that failed and will be repeated, each at its time.
 *
 * A page that hangs, drips or answers 500 says little about its host. It waits here, outside of the frontier, and the
 * other pages of the host are visited meanwhile. (Where the host itself is in trouble, by 429, 503 or no connection,
 * the URL goes back into the frontier and the host waits: politeness.h.) In the store such a URL is queued, so that a
 * crawl that is cut off here loses nothing.
 * Memory: about 90 bytes and the URL, at most RETRIES_MAX of them. Cost: O(log n); when idle O(n).
 * Thread: the engine's. */
#ifndef SCENT_ENGINE_RETRIES_H
#define SCENT_ENGINE_RETRIES_H

#include "engine/steer.h"

enum { RETRIES_MAX = 10000 };

struct retry {
    int64_t due;  /* monotonic microseconds */
    int64_t idle; /* when nothing else is left to do, from then on; not after `due` */
    struct steer_visit visit;
    struct str href; /* ours */
};

struct retries {
    struct retry *heap; /* the first is due first */
    size_t count, room;
};

void retries_release(struct retries *retries);
/* False: there are too many already, or no memory; nothing changed. */
SCENT_NODISCARD bool retries_add(struct retries *retries, const struct steer_visit *visit, struct str href, int64_t due,
                                 int64_t idle);
/* Those that are due go back into the frontier; `idle`: is nothing else left to do? */
SCENT_NODISCARD scent_status retries_queue_due(struct retries *retries, struct frontier *frontier, int64_t now,
                                               bool idle);
/* Forgets those that `gone` says so of. */
void retries_drop(struct retries *retries, bool (*gone)(void *ctx, const struct steer_visit *visit), void *ctx);
#endif
