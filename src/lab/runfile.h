/* runfile - the order of one crawl as a file of JSON lines, written whole or not at all. docs/internals/formats.md. */
#ifndef SCENT_LAB_RUNFILE_H
#define SCENT_LAB_RUNFILE_H

#include "lab/replay.h"
#include "lab/trial.h"

struct runfile {
    const struct collection *collection;
    const struct trial *trial;
    const bool *evaluated; /* the verdict of the evaluation classifiers on every page; NULL: there are none */
};

/* DIR/runs/TOPIC/STRATEGY.jsonl, STRATEGY~2.jsonl for the second draw, STRATEGY@2.jsonl for the second repeat…; what does
 * not suit a file name is replaced. */
void runfile_path(const char *dir, const struct trial *trial, struct str strategy, char *out, size_t room);

SCENT_NODISCARD scent_status runfile_write(const struct runfile *run, const char *path,
                                           const struct replay_visit *visits, size_t count, struct errmsg *err);
/* SCENT_E_NOTFOUND: there is none. SCENT_E_FORMAT: not what runfile_write makes of this collection. */
SCENT_NODISCARD scent_status runfile_read(const struct runfile *run, const char *path, struct replay_visit *visits,
                                          size_t room, size_t *count, struct errmsg *err);

#endif
