/* review - people mark pages of a crawl as wanted or not, in a terminal: `scent judge --review` and `--marks`. */
#ifndef SCENT_APP_REVIEW_H
#define SCENT_APP_REVIEW_H

#include "base/log.h"

#include <stdbool.h>

/* Shows the most informative pages of the crawl in `dir`, one by one, and takes marks from standard input. The exit
 * status. */
int review_pages(const char *dir, const struct log *log);
/* Prints all marks; before that `undo` (a URL; NULL: none) loses its mark. */
int review_list(const char *dir, const char *undo, bool json);

#endif
