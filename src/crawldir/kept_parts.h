/* kept_parts - what the priority of a URL was made of, as its row has it (strategy/parts.h): for people and programs.
 *
 * Thread: the caller's. */
#ifndef SCENT_CRAWLDIR_KEPT_PARTS_H
#define SCENT_CRAWLDIR_KEPT_PARTS_H

#include "json/json.h"
#include "store/store.h"
#include "strategy/parts.h"

/* The names of a crawl's parts, into fresh ones; none where it has none. */
SCENT_NODISCARD scent_status kept_parts_names(struct store *store, struct parts_names *names, struct errmsg *err);
/* The member "parts" of an object: an array. */
void kept_parts_write(struct json_writer *w, const struct strategy_score *score);

#endif
