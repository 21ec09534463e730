/* lab_crawler - crawls one trial with one strategy of the experiment after the other: one crawl each, or the best of
 * several from other seeds, perhaps with what an earlier crawl learned.
 *
 * Every crawl is a file (runfile.h); where the file exists it is read, and the crawl is not made again. */
#ifndef SCENT_LAB_LAB_CRAWLER_H
#define SCENT_LAB_LAB_CRAWLER_H

#include "lab/lab.h"

/* What the crawls of one trial share: the judges of its draws. One thread. */
struct lab_crawler {
    const struct lab *lab;
    const char *dir; /* of results; NULL: nothing is written */
    struct trial_judge **judges;
    size_t njudges, room;
};
void lab_crawler_release(struct lab_crawler *crawler);

/* Fills place->crawls[strategy]. */
SCENT_NODISCARD scent_status lab_crawler_run(struct lab_crawler *crawler, const struct lab_trial *place,
                                             size_t strategy, struct errmsg *err);

#endif
