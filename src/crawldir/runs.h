/* runs - what each run of a crawl was, as JSON: run.json, for people and for `scent why`.
 *
 * Each run is also a value of the store ("run 3"), from which the file is written anew. */
#ifndef SCENT_CRAWLDIR_RUNS_H
#define SCENT_CRAWLDIR_RUNS_H

#include "json/json.h"
#include "store/store.h"

/* Adds a run, an object as JSON text. */
SCENT_NODISCARD scent_status runs_add(struct store *store, const char *dir, struct str run, struct errmsg *err);
/* The last run; NULL where there is none, or the file cannot be read. It is *root's, for json_free(). */
const struct json *runs_last(const char *dir, struct json **root);

#endif
