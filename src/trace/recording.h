/* recording - a browsing file that grows while a person browses.
 *
 * What recording_add() has answered with SCENT_OK is on the disk. The file is locked: one recorder a file. Only its
 * owner can read it. Owner: whoever opened it. One thread. */
#ifndef SCENT_TRACE_RECORDING_H
#define SCENT_TRACE_RECORDING_H

#include "base/log.h"
#include "trace/browsing.h"

struct recording;
/* Goes on behind what the file has; half a line at its end, which a crash left, is cut off and told to `log`.
 * SCENT_E_INVALID, SCENT_E_VERSION: it is not a browsing file, and stays as it is. SCENT_E_LOCKED: another one
 * records. */
SCENT_NODISCARD scent_status recording_open(const char *path, const struct log *log, struct recording **out,
                                            struct errmsg *err);
void recording_close(struct recording *recording); /* NULL is fine */

/* All or none of them. SCENT_E_FULL: the disk is full, or the file has 1 GiB. */
SCENT_NODISCARD scent_status recording_add(struct recording *recording, const struct browsing_event *events,
                                           size_t count, struct errmsg *err);
/* What was added since it was opened; marks that were taken back do not count. */
struct recording_counts {
    uint64_t visits, useful;
};
struct recording_counts recording_counts(const struct recording *recording);

#endif
