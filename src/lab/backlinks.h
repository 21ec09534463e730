/* backlinks - which pages of a collection link to a page, and by which of their links.
 *
 * A page that links to another several times counts once, by its first link; links to itself do not count.
 * 8 bytes a link and 8 a page. Made by one pass over the collection, read-only from then on; any thread. */
#ifndef SCENT_LAB_BACKLINKS_H
#define SCENT_LAB_BACKLINKS_H

#include "base/rng.h"
#include "lab/collection.h"

struct backlink {
    uint32_t page, link; /* link of page->links */
};

struct backlinks;
/* SCENT_E_NOMEM; SCENT_E_FORMAT: the file of analysed pages is damaged. */
SCENT_NODISCARD scent_status backlinks_new(const struct collection *collection, struct backlinks **out,
                                           struct errmsg *err);
void backlinks_free(struct backlinks *backlinks); /* NULL is fine */

/* Of `page`, in the order of the pages that link to it. */
const struct backlink *backlinks_of(const struct backlinks *backlinks, uint32_t page, size_t *count);
/* At most `count` of them at random, each as likely as the others; returns how many. */
size_t backlinks_draw(const struct backlinks *backlinks, uint32_t page, size_t count, struct rng *rng,
                      struct backlink *out);

#endif
