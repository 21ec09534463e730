/* keyword - a topic that is a category together with a word (Aggarwal's predicates): which pages contain it? */
#ifndef SCENT_LAB_KEYWORD_H
#define SCENT_LAB_KEYWORD_H

#include "base/buf.h"
#include "lab/collection.h"

/* SCENT_E_INVALID: it has no word, or a quote. */
SCENT_NODISCARD scent_status keyword_check(struct str keyword);
/* Of the pages that are marked in `marks`, those stay that contain the word, or the words in a row, compared by stem as in
 * the predicate language; returns how many. It was checked. */
size_t keyword_keep(const struct collection *collection, struct str keyword, bool *marks);
/* The same as a test of that language. */
void keyword_write(struct str keyword, struct buf *out);

#endif
