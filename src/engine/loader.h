/* loader - brings the texts of queued URLs from the store, so that the engine never waits for SQLite.
 *
 * A thread with a reading handle of its own. A job of the kind JOB_TEXTS goes in with ids and comes out, through the
 * queue that the loader was given, with their texts. At most LOADER_JOBS are on their way, so a queue with so much
 * room to spare is never full. An id whose row is missing, or purged, comes back with an empty text.
 * Cost: 2 to 5 us an id where the file is in the system's memory. Memory: the handle, 2 MiB at most. */
#ifndef SCENT_ENGINE_LOADER_H
#define SCENT_ENGINE_LOADER_H

#include "base/queue.h"
#include "engine/job.h"

enum { LOADER_JOBS = 4, LOADER_IDS = 256 };

struct loader;
/* `dir`: the crawl directory, with a database in it. */
SCENT_NODISCARD scent_status loader_start(const char *dir, struct queue *out, struct loader **loader,
                                          struct errmsg *err);

/* ---- for the thread that asks ---- */

/* May one more job be asked for? */
bool loader_has_room(const struct loader *loader);
/* At most LOADER_IDS of them, all in rows that are committed. Needs room. */
void loader_ask(struct loader *loader, const uint32_t *ids, size_t count);
/* A job has come back: there is room for another. */
void loader_came(struct loader *loader);
/* What is on its way need not be waited for; it may still come out, without texts. NULL is fine. */
void loader_stop(struct loader *loader);

/* ---- in a crawl (crawl->loader) ----
 *
 * The texts of queued URLs stay on disk; those that are about to be needed are loaded ahead. The frontier says which
 * ones (frontier.h, "texts"). With a window there is no loader and all texts stay in memory: when a text arrives
 * depends on the disk, and a host that waits for one is overtaken by others, so that the order of visits would not be
 * the same every time. */
struct crawl;
SCENT_NODISCARD scent_status loader_open(struct crawl *crawl, struct errmsg *err);
/* Asks for what will soon be needed, and is on disk. Cheap: to be called again and again. */
void loader_want(struct crawl *crawl);
/* What was asked for has come. Takes the job. */
SCENT_NODISCARD scent_status loader_apply(struct crawl *crawl, struct job *job, struct errmsg *err);

#endif
