/* workspace - a topic file as commands work with it: the topic, the files beside it, and what was learned for it.
 *
 * Beside TOPIC.yaml lie
 *   TOPIC.model, TOPIC.census    the classifier, and the counts of the query's words: written by `scent train`
 *   TOPIC.rules                  interclass rules: written by `scent rules build`
 *   TOPIC.fetched, .linked, .seeds    crawl directories with pages of URL lists, linked pages, seeds
 * A crawl keeps the model, rules and browsing model that it began with (crawldir/learned.h).
 *
 * Functions that return an int print their failure and return the exit status. */
#ifndef SCENT_APP_WORKSPACE_H
#define SCENT_APP_WORKSPACE_H

#include "app/crawl_run.h"
#include "topic/knowledge.h"
#include "training/trained.h"
#include "training/training_set.h"

#define PROGRAMS_MANUAL                                                                                                \
    "Programs of a topic's key `judge` run as you. A crawl directory that you have not begun yourself on this "        \
    "machine is not believed without it."

struct workspace {
    const char *path; /* of the topic file */
    struct topic *topic;
    const struct network *network;
    const struct log *log;
    bool quiet;
    bool allow_programs; /* the judge that a crawl directory names may be run, whoever made it */
    bool reads_only; /* nothing is trained, and nothing is written to the crawl */
    struct knowledge knowledge; /* what was learned for the topic */
    struct trained_examples *examples; /* of it; NULL: they are not kept */
};

/* Room for any path that the system takes, with a suffix. A longer one is cut, and cannot be opened either. */
struct workspace_path {
    char text[4096 + 64];
};
/* "some/hockey.model" for some/hockey.yaml and ".model". */
struct workspace_path workspace_beside(const char *topic_path, const char *suffix);
/* The file of the topic's interclass rules: that of its key `rules`, else TOPIC.rules. */
struct workspace_path workspace_rules_path(const char *topic_path, const struct topic *topic);

/* Whether there is a crawl in `dir`: EXIT_DONE; else it says that there is none. */
int workspace_expect_crawl(const char *dir);
/* Loads the topic of workspace->path and opens `network`, over which its pages are visited. workspace_close() is due
 * either way. */
int workspace_open(struct workspace *workspace, struct network *network);
void workspace_close(struct workspace *workspace, struct network *network);
/* What workspace_close() frees, where no network was opened. */
void workspace_release(struct workspace *workspace);

/* With `preset: paper` the model is that of the strategy's paper, unless the topic names one. workspace_open() does it;
 * again where the command line has named another strategy. */
void workspace_choose_model(struct workspace *workspace);

/* The topic's `hubs` become seeds: pages of its `graph` that link to several seeds, if they lie in its scope. */
SCENT_NODISCARD scent_status workspace_add_hubs(const struct workspace *workspace, struct errmsg *err);

/* Keeps what the judge learned from where a crawl may train it again. */
SCENT_NODISCARD scent_status workspace_keep_examples(const struct workspace *workspace,
                                                     const struct training_set *examples, struct trained *trained,
                                                     struct errmsg *err);

/* Fetches `urls` (one a line) as politely as a crawl into the crawl directory `dir`, unless it has done so before. */
int workspace_fetch(const struct workspace *workspace, struct str urls, const char *dir);
/* Plans, fetches and reads the examples, with progress on stderr. Their links go to `linked`, unless that is NULL. */
struct linked_pages;
int workspace_read_examples(const struct workspace *workspace, struct linked_pages *linked, struct training_set **out);
/* Writes the counts of the query's words to TOPIC.census; nothing where the topic has no query. */
int workspace_save_sample(const struct workspace *workspace, const struct training_set *examples);

/* ---- what was learned, into workspace->knowledge ----
 *
 * Each takes what the crawl in `dir` (NULL: there is none) began with; a crawl that begins keeps what was found.
 * Nothing happens where the topic does not ask for it. */

/* Else TOPIC.model, where it still fits the topic; else a model is trained now. */
int workspace_find_model(struct workspace *workspace, const char *dir);
/* Model and browsing model, as they were found without a crawl, take the place of those that the crawl began with. */
SCENT_NODISCARD scent_status workspace_replace_learned(const struct workspace *workspace, const char *dir,
                                                       struct errmsg *err);
/* Else the file that the topic names. */
int workspace_find_browsing(struct workspace *workspace, const char *dir);
/* The program of the topic's key `judge`, which runs in the folder of the topic file. The topic of a crawl directory is
 * believed only where this user began the crawl, or with workspace->allow_programs. */
int workspace_find_judge(struct workspace *workspace, const char *dir);
/* What the topic's strategy learns from pages that are known before the crawl, where it does: workspace_graph.c. */
int workspace_find_studied(struct workspace *workspace, const char *dir);
/* Model, rules, traces, browsing model and known pages. `keep`: the crawl keeps them, and notes which traces it read;
 * without it nothing is trained or written, and what is missing is EXIT_USAGE. */
int workspace_find_knowledge(struct workspace *workspace, const char *dir, bool keep);
/* The accesses of all files that the topic names, where its strategy learns from them. A file that
 * is not where the topic says, as seen from its copy in `dir`, is where that crawl noted it. */
int workspace_find_traces(struct workspace *workspace, const char *dir, bool keep);

#endif
