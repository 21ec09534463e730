/* logline - the lines of a log: one taken apart (pure; any thread), and the file that they come from. */
#ifndef SCENT_TRACE_LOGLINE_H
#define SCENT_TRACE_LOGLINE_H

#include "base/status.h"
#include "base/str.h"
#include "trace/trace.h"

enum { LOGLINE_USER_MAX = 256 }; /* a line with a longer name of its user has the wrong columns */

/* Ranges of the line; what the format does not tell is empty. */
struct logline {
    int64_t time;
    struct str user;   /* the name that logged in, else the address of the client */
    struct str url;
    struct str method, type, agent;
    int status; /* -1: not told; Squid writes 000 where there was no answer */
};

/* False: `line` (without its end) is no line of that format (not TRACE_GUESS); *why tells what is wrong. */
bool logline_parse(enum trace_format format, struct str line, struct logline *out, enum trace_left *why);

/* The format that most of the lines of `head`, the beginning of a file, have; TRACE_GUESS: none has any. */
enum trace_format logline_guess(struct str head);

/* Neither empty nor a comment. */
bool logline_counts(struct str line);

/* ---- the lines of a file, plain or gzip (of several members too), in constant memory ----
 *
 * Owner: whoever opened it. One thread. */

enum { LOGSOURCE_LINE_MAX = 64 << 10 };

struct logsource;
SCENT_NODISCARD scent_status logsource_open(const char *path, struct logsource **out, struct errmsg *err);
void logsource_close(struct logsource *source); /* NULL is fine */

/* The beginning of what has not been read yet: whole lines where it has any, at most LOGSOURCE_LINE_MAX bytes. */
SCENT_NODISCARD scent_status logsource_head(struct logsource *source, struct str *out, struct errmsg *err);
/* The next line without its end, valid until the next call. SCENT_E_LIMIT: one that is too long has been passed over.
 * SCENT_E_END: no more. */
SCENT_NODISCARD scent_status logsource_line(struct logsource *source, struct str *out, struct errmsg *err);
/* The line was of use. 64 MiB in a row without one end the file as damaged, or are an error where there was none
 * before: such a stream may have no end. */
void logsource_used(struct logsource *source);
/* Compressed data ended early or was damaged, or so was the rest of the file; known at the end. */
bool logsource_damaged(const struct logsource *source);

#endif
