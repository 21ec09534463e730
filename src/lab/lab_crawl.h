/* lab_crawl - crawls one trial with one strategy of the experiment after the other: one crawl each, or the best of
 * several from other seeds, perhaps with what an earlier crawl learned.
 *
 * The order of every crawl is a file of JSON lines, written whole or not at all (docs/internals/formats.md); where the
 * file exists it is read, and the crawl is not made again. */
#ifndef SCENT_LAB_LAB_CRAWL_H
#define SCENT_LAB_LAB_CRAWL_H

#include "lab/lab.h"

/* What the crawls of one trial share: the judges of its draws. One thread. */
struct lab_crawler {
    const struct lab *lab;
    const char *dir; /* of results; NULL: nothing is written */
    void (*watch)(void *ctx, const struct strategy *strategy, const struct frontier *frontier, uint32_t id,
                  uint32_t page); /* as in struct replay_options */
    void *watch_ctx;
    struct trial_judge **judges;
    size_t njudges, room;
};
void lab_crawler_release(struct lab_crawler *crawler);

/* Fills place->crawls[strategy]. */
SCENT_NODISCARD scent_status lab_crawler_run(struct lab_crawler *crawler, const struct lab_trial *place,
                                             size_t strategy, struct errmsg *err);

/* ---- the file ---- */

struct lab_crawl_file {
    const struct collection *collection;
    const struct trial *trial;
    const bool *evaluated; /* the verdict of the evaluation classifiers on every page; NULL: there are none */
};

/* DIR/runs/TOPIC/STRATEGY.jsonl, STRATEGY~2.jsonl for the second draw, STRATEGY@2.jsonl for the second repeat…;
 * characters that do not suit a file name are replaced. */
void lab_crawl_path(const char *dir, const struct trial *trial, struct str strategy, char *out, size_t room);

SCENT_NODISCARD scent_status lab_crawl_write(const struct lab_crawl_file *file, const char *path,
                                             const struct replay_visit *visits, size_t count, struct errmsg *err);
/* SCENT_E_NOTFOUND: there is none. SCENT_E_FORMAT: not what lab_crawl_write() makes of this collection. */
SCENT_NODISCARD scent_status lab_crawl_read(const struct lab_crawl_file *file, const char *path,
                                            struct replay_visit *visits, size_t room, size_t *count,
                                            struct errmsg *err);

#endif
