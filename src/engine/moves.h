/* moves - partitions that come and go, where several workers crawl together.
 *
 * A partition comes with its log: what its former owners wrote of it is imported, row by row, with its hosts held; when
 * all of it has been read the partition is live, and its hosts are visited. One that another worker wants is held until
 * its last visit has ended, and is then given away in the transaction of its last state. One that was taken while this
 * worker was not heard of is dropped, and pages whose state was not sent are not counted. There is no other way: a
 * worker that joins, leaves, or comes back late goes through the same steps. Thread: the engine's. */
#ifndef SCENT_ENGINE_MOVES_H
#define SCENT_ENGINE_MOVES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

struct crawl;
struct job;

/* A JOB_ARRIVED; afterwards it goes to the writer, and then moves_applied(). */
SCENT_NODISCARD scent_status moves_apply(struct crawl *crawl, struct job *job, struct errmsg *err);
void moves_applied(struct crawl *crawl);
/* A visit begins, or has ended. */
void moves_count_visit(struct crawl *crawl, uint32_t host, int change);
/* The visit that has ended was of a host that is another worker's by now: it did not happen. True: so it is, and the
 * job was taken. */
bool moves_refuse_visit(struct crawl *crawl, struct job *job);
/* Leaves what others want, where no visit is under way. Again and again. */
SCENT_NODISCARD scent_status moves_leave(struct crawl *crawl, struct errmsg *err);
/* A crawl that was asked to stop, with no visits under way: gives its partitions to others, if there are any, and waits
 * until the server knows it. */
SCENT_NODISCARD scent_status moves_retire(struct crawl *crawl, struct errmsg *err);

#endif
