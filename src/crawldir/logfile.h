/* logfile - crawl.log in a crawl directory, and the older parts of it: crawl.log.1, .2 and .3.
 *
 * A part that has LOGFILE_BYTES is put aside, and the oldest is replaced: there are never more than four of them. Lines
 * are appended with one write and not synced: a log that is lost with the power loses nothing of the crawl. The
 * directory may be anybody's: what is not a plain file in the place of crawl.log is not opened.
 * Thread: one. */
#ifndef SCENT_CRAWLDIR_LOGFILE_H
#define SCENT_CRAWLDIR_LOGFILE_H

#include "base/status.h"
#include "base/str.h"

#include <stdint.h>

#define LOGFILE_NAME "crawl.log"
enum { LOGFILE_BYTES = 4 << 20, LOGFILE_PARTS = 3 };

struct logfile {
    int dir, fd; /* -1: not open */
    uint64_t bytes;
    uint64_t limit; /* LOGFILE_BYTES; less in tests */
};
/* What fails is tried again with each line. */
void logfile_open(struct logfile *log, const char *dir);
void logfile_close(struct logfile *log);
/* False: it could not be written, now. */
SCENT_NODISCARD bool logfile_append(struct logfile *log, struct str lines);

#endif
