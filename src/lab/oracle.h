/* oracle - the crawl of somebody who knows the label of every link that was seen, and nothing beyond: candidates that are
 * relevant come first, in the order in which they were found. What a strategy reaches of it is a measure. */
#ifndef SCENT_LAB_ORACLE_H
#define SCENT_LAB_ORACLE_H

#include "lab/trial.h"

/* Fills `pages` (room for the budget); returns how many. */
size_t oracle_crawl(const struct collection *collection, const struct trial *trial, size_t budget, uint32_t *pages);

#endif
