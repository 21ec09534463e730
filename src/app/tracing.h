/* tracing - the accesses of people that a topic names, as a crawl needs them: read, made one, told and compared with what
 * the crawl began with. */
#ifndef SCENT_APP_TRACING_H
#define SCENT_APP_TRACING_H

#include "base/log.h"
#include "topic/topic.h"

struct trace;

/* What fails is said on stderr; both return the exit status, and do nothing where the topic names no files, or its strategy
 * needs none. */

/* *out becomes the trace of its files, with a summary in the log. A file that is not where the topic says, as seen from
 * its copy in the crawl directory `dir`, is where that crawl keeps it to be. Nothing is written. */
int tracing_attach(struct topic *topic, const char *dir, const struct log *log, const struct trace **out);
/* After that, for its trace: the crawl in `dir` keeps in learned/traces what the trace is and where its files lie, and tells if it was
 * another one when it last ran. */
int tracing_keep(const struct topic *topic, const struct trace *trace, const char *dir, const struct log *log);

#endif
