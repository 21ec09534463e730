/* drafting - a topic file from a folder of examples, for `scent init --examples`. */
#ifndef SCENT_APP_DRAFTING_H
#define SCENT_APP_DRAFTING_H

#include "base/arena.h"
#include "base/log.h"
#include "topic/topic.h"

enum { DRAFTING_SEEDS = 50 };

/* What `dir` holds, seen as examples: folders "positive" and "negative" (or the like), categories, or only positives.
 * Seeds are the addresses that the wanted pages name as their own, those inside archives and those of URL lists.
 * `name` may be empty: the folder's. Everything lies in `arena`. SCENT_E_INVALID: there are no examples. */
SCENT_NODISCARD scent_status drafting_look(const char *dir, struct str name, const struct log *log, struct arena *arena,
                                           struct topic_draft *out, struct errmsg *err);

#endif
