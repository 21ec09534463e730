/* warnings - results that look like success and are not: each is told once in the life of a crawl, in one line that
 * says what to do.
 *
 * What was told is the value CRAWLDIR_WARNINGS of the store, a line each, so that `scent status` shows it and a run
 * that resumes does not repeat it. No line has a URL: a purge need not look for it there.
 * Thread: the engine's. */
#ifndef SCENT_ENGINE_WARNINGS_H
#define SCENT_ENGINE_WARNINGS_H

#include "base/log.h"
#include "engine/rows.h"
#include "topic/judge.h"

enum {
    WARNINGS_PAGES = 200,      /* before the share of relevant pages tells anything; then at 400, 800, … */
    WARNINGS_QUERY_PAGES = 50, /* before a word that was not found is missed */
    WARNINGS_GENERAL = 50, /* pages about nothing in particular that a judge is tried with */
};
#define WARNINGS_MANY .8
#define WARNINGS_ANYTHING .1 /* of these pages: more than that are relevant to a judge that tells nothing apart */
#define WARNINGS_FEW .005
#define WARNINGS_AUC .7
#define WARNINGS_AUC_TEXT                                                                                              \
    "the model hardly tells the classes apart: AUC %.3f on unseen pages, .5 is chance; add examples, and look for "    \
    "pages in the wrong class and for examples that have little text"

enum warning { WARNING_MANY, WARNING_FEW, WARNING_SEED, WARNING_QUERY, WARNING_MODEL, NWARNINGS };

struct warnings {
    const struct log *log;
    bool told[NWARNINGS];
    struct buf text; /* the lines */
};
void warnings_init(struct warnings *warnings, const struct log *log);
void warnings_release(struct warnings *warnings);
/* Those of earlier runs. What is not known is left out. */
void warnings_restore(struct warnings *warnings, struct str kept);

/* What is known after a page. */
struct warnings_view {
    uint64_t pages, relevant;
    struct str by_default; /* what is relevant, where the topic does not say it; empty: it does */
    struct str seed; /* the page's URL where it is a seed; empty: it is not */
    const struct judgement *judgement;
    const struct judge *judge; /* that is tried where nearly all pages are relevant; NULL: it cannot be */
    struct str lang;           /* of the page */
    double auc; /* of the model that judges; 0: there is none, or it was not measured */
    const struct query *query;          /* NULL: the topic has none */
    const struct query_counts *counts;  /* of the pages */
    const struct query_counts *sample;  /* of the background sample; NULL: none */
};
void warnings_look(struct warnings *warnings, const struct warnings_view *view, struct rows *rows);
/* When all pages have their last verdicts, by which relevant ones may be few that were not. True: it was told, and the
 * caller keeps `text`. */
bool warnings_end(struct warnings *warnings, uint64_t pages, uint64_t relevant, struct str by_default);

#endif
