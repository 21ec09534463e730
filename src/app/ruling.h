/* ruling - the interclass rules of a topic, as commands need them.
 *
 * They lie in the file that the topic's key `rules` names, or in TOPIC.rules beside TOPIC.yaml, where `scent rules build`
 * writes them; a crawl keeps those that it began with in learned/rules. */
#ifndef SCENT_APP_RULING_H
#define SCENT_APP_RULING_H

#include "app/training.h"

/* The file of a topic's rules. False: the path is too long. */
bool ruling_path(const char *topic_path, const struct topic *topic, char out[TRAINING_PATH]);
/* Finds the rules for training->knowledge, which has the model: those of the crawl in `dir`, else those of the file. Nothing where its
 * strategy has no use for them. What fails is said on stderr; the exit status. */
int ruling_attach(struct training *training, const char *dir);

#endif
