/* tracing - the accesses of people that a topic names, as a crawl needs them: read, made one, told and compared with what
 * the crawl began with. */
#ifndef SCENT_APP_TRACING_H
#define SCENT_APP_TRACING_H

#include "base/log.h"
#include "topic/topic.h"

/* Gives the topic the trace of its files, with a summary in the log. What fails is said on stderr; the exit status. A
 * crawl in `dir` (NULL: there is none) keeps in learned/traces what the trace was and where its files lie: a changed one is
 * told, and a file that is not where the topic says, as seen from its copy in `dir`, is found. Nothing where the topic names
 * none, or its strategy needs none. */
int tracing_attach(struct topic *topic, const char *dir, const struct log *log);

#endif
