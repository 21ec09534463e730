/* log - what the program says to a person, on stderr. Data never goes here.
 *
 * A sink is passed where it is needed; there is no global logger. Any thread. Messages are one line;
 * control characters in them (they may come from the network) are shown as \xNN. */
#ifndef SCENT_BASE_LOG_H
#define SCENT_BASE_LOG_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log {
    enum log_level level; /* what is less important than this is dropped */
    void (*sink)(void *ctx, enum log_level level, const char *line);
    void *ctx;
};

/* To stderr, "scent: warning: …". */
void log_init_stderr(struct log *log, enum log_level level);
void log_line(const struct log *log, enum log_level level, const char *fmt, ...) SCENT_PRINTF(3, 4);

/* What a terminal may be shown: control characters, C1 controls and bytes that are no UTF-8 become \xNN; what has no
 * room is cut. */
void log_printable(const char *raw, char *out, size_t room);

/* Whether it is time to tell how far a long work is: five seconds after the first question, and after each yes. `*next`
 * begins as 0. */
bool log_is_due(int64_t *next);

#endif
