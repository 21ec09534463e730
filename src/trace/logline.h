/* logline - one line of a log, taken apart. Pure; any thread. */
#ifndef SCENT_TRACE_LOGLINE_H
#define SCENT_TRACE_LOGLINE_H

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

#endif
