/* journal - the log of a crawl: decisions worth knowing, one line each, in crawl.log (crawldir/logfile.h).
 *
 * Whoever tells something never waits: lines are kept in memory, 256 KiB at most, until a thread has written them. What
 * has no room there, or on the disk, is lost and counted. Of each kind JOURNAL_PER_HOUR lines an hour are kept, and one
 * that says how many more there were: a hostile web makes no million of lines. Control characters, and bytes that are
 * no UTF-8, are shown as \xNN.
 * Warnings also go to the screen, the rest of it only where the user asked for it. Any thread. */
#ifndef SCENT_ENGINE_JOURNAL_H
#define SCENT_ENGINE_JOURNAL_H

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

enum { JOURNAL_PER_HOUR = 200 };

enum journal_kind {
    JOURNAL_RUN,        /* how it begins and ends, limits */
    JOURNAL_SEED,       /* seeds that cannot be fetched */
    JOURNAL_HOST,       /* hosts in trouble, given up, back-off */
    JOURNAL_ROBOTS,     /* robots.txt files that cannot be read */
    JOURNAL_CHECKPOINT,
    JOURNAL_CONTROL,    /* what was asked by the control socket */
    JOURNAL_HOOK,
    JOURNAL_NOTE,       /* whatever else the program says to a person: warnings, training */
    JOURNAL_KINDS
};

struct journal_options {
    const char *dir;
    const struct clock *clock;
    const struct log *screen; /* NULL: none */
    bool verbose;             /* everything goes to the screen */
    bool json;                /* JSON lines */
};

struct journal;
struct journal *journal_start(const struct journal_options *options); /* never NULL */
void journal_stop(struct journal *journal);                           /* writes what is left; NULL is fine */

/* `about`: the host or URL; may be empty. A NULL journal is fine. */
void journal_tell(struct journal *journal, enum journal_kind kind, enum log_level level, struct str about,
                  const char *format, ...) SCENT_PRINTF(5, 6);
/* A log whose lines go to the screen and, as JOURNAL_NOTE, into the journal. It lives as long as the journal. */
const struct log *journal_log(struct journal *journal);

#endif
