/* training - the model of a topic, as commands need it: examples fetched and read, trained, kept and found again.
 *
 * Beside TOPIC.yaml lie TOPIC.model and TOPIC.census (what the examples tell about the query's words), which `scent
 * train` wrote, and TOPIC.fetched, the crawl directory with the pages of its lists of URLs; a crawl keeps the model that it began with in learned/model. */
#ifndef SCENT_APP_TRAINING_H
#define SCENT_APP_TRAINING_H

#include "app/network.h"
#include "topic/knowledge.h"
#include "training/training_set.h"

enum { TRAINING_PATH = 4096 };

struct training {
    const char *path; /* of the topic file */
    struct topic *topic;
    const struct network *network;
    const struct log *log;
    bool quiet;
    struct knowledge knowledge; /* what was learned for the topic; knowledge_release() it */
};

/* "some/hockey.model" for some/hockey.yaml and ".model". False: too long. */
bool training_beside(const char *topic_path, const char *suffix, char out[TRAINING_PATH]);

/* What fails is said on stderr; the exit status. */

/* Loads the topic of `training->path` and opens `network`, over which its pages are visited. training_close() is due either way. */
int training_open(struct training *training, struct network *network);
void training_close(struct training *training, struct network *network);

/* Fetches `urls` (one a line) as politely as any crawl into the crawl directory `dir`, unless it has done so before. */
int training_fetch(const struct training *training, struct str urls, const char *dir);
/* Plans, fetches and reads the examples; progress on stderr. */
int training_gather(const struct training *training, struct training_set **out);
/* The same; what they link to goes to `linked`. */
struct linked_pages;
int training_gather_linked(const struct training *training, struct linked_pages *linked, struct training_set **out);
/* Keeps the background of the topic's query in TOPIC.census; nothing where the topic has no query. */
int training_save_sample(const struct training *training, const struct training_set *examples);
/* Finds the topic's model for training->knowledge: the one that the crawl in `dir` (NULL: there is none) began with, else the trained file
 * where it still fits the topic, else one that is trained now. A crawl keeps a copy. A topic without examples is left
 * as it is. */
int training_attach(struct training *training, const char *dir);

#endif
