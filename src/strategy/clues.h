/* clues - what may tell something of a page before it is seen: the stems of a page that links to it, the tokens of its
 * URL. Pure functions. */
#ifndef SCENT_STRATEGY_CLUES_H
#define SCENT_STRATEGY_CLUES_H

#include "page/page.h"

/* The `room` (at most) most frequent stems of a page; of equally frequent ones those that come first in the bag.
 * Two walks over the bag. */
size_t clues_stems(const struct page *page, uint64_t *stems, size_t room);

/* The part of a URL that has tokens: all but the scheme, which says nothing of a page, and the fragment. */
struct str clues_text(const struct url *url);
/* Takes the next token off the front of *rest, which is split at . and /, or (fine) at all but letters and digits.
 * False: there is none left. */
bool clues_token(struct str *rest, bool fine, uint64_t *key);

#endif
