/* browsed - the browsing model that a topic names, as commands need it: read, kept with the crawl and found again. */
#ifndef SCENT_APP_BROWSED_H
#define SCENT_APP_BROWSED_H

#include "base/log.h"
#include "topic/topic.h"

struct browse;

/* *out becomes the model of the topic's file. A crawl in `dir` (NULL: there is none) keeps it in learned/browsing and goes on
 * with that; that the file has changed is told. What fails is said on stderr; the exit status. Nothing where the topic
 * names none. */
int browsed_attach(const struct topic *topic, const char *dir, const struct log *log, const struct browse **out);

#endif
