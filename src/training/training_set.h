/* training_set - what a model of a topic learns from: the user's folders, lists, archives and taxonomy as a struct
 * learn_set.
 *
 * In two steps, because URLs have to be fetched in between, and that is not done here:
 *   1. training_plan_new() lists what there is: files, URLs, and what negatives may be drawn from;
 *   2. training_set_read() reads and analyses it. URLs are looked up in an archive: the topic's collection, or what
 *      was fetched.
 * Classes and what they mean: enum topic_classes. Items that cannot be read are left out with a warning and counted;
 * more than half of them is an error. An example that stands in several classes
 * trains each of them, but never both sides of a two-class topic: then it counts as positive.
 * Memory: about 16 bytes a distinct word of an example. Owner: the caller. Thread: one at a time. */
#ifndef SCENT_TRAINING_TRAINING_SET_H
#define SCENT_TRAINING_TRAINING_SET_H

#include "learn/model.h"
#include "topic/query.h"
#include "training/training_plan.h"

enum {
    TRAINING_SET_MAX = 1000000,        /* in all; the rest is left out with a warning */
    TRAINING_SET_MAX_TERMS = 20000,    /* distinct words of one */
    TRAINING_SET_FEW = 10              /* of a class: worth a warning */
};

struct training_set {
    struct learn_set set;
    struct learn_set whole;   /* the labelled examples with all their words, where `set` has only some; else `set` */
    const struct str *names;  /* of each example: its path or URL */
    uint64_t *counts;         /* of each class */
    uint64_t unreadable;      /* files and URLs that gave nothing */
    uint64_t others;          /* files of their folders that are not pages */
    uint64_t empty;           /* pages without words */
    uint64_t copies;          /* pages that say the same as another one of their class, or of both sides */
    struct query_counts *sample; /* the background of the topic's query: the negatives that were seen, or all
                                    categories; NULL without a query. Take it, or it is freed */
    struct arena arena;
};
/* `fetched` is the crawl directory (or any archive) with what was fetched; NULL: nothing was. `on_read` (may be NULL)
 * is told now and then how many of the files and URLs are read. */
SCENT_NODISCARD scent_status training_set_read(const struct training_plan *plan, const char *fetched,
                                             void (*on_read)(void *ctx, size_t done, size_t all), void *ctx,
                                             struct training_set **out, struct errmsg *err);
void training_set_free(struct training_set *examples); /* NULL is fine */

#endif
