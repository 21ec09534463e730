/* repeats - which blocks stand on many pages of a host: navigation, notices, licences.
 *
 * Counts the fingerprints of the blocks that are content by the page alone (content.h). A block repeats when it stands
 * on at least four pages of a host and on a sixteenth of all that were counted. What is known of a host is an immutable
 * snapshot, made anew whenever its pages have grown by a quarter, so content is a pure function of page and snapshot.
 * Counting all pages of a host first, in any order, gives the same snapshot as long as no block had to be forgotten.
 *
 * Bounds: 1,024 hosts and 256 blocks a host, 10 MB at the most. Where there is no room, hosts with one page and blocks
 * that stand on one page, or on too few, are forgotten; where that does not help, new ones are not counted.
 * Thread: the owner's; a snapshot is anybody's who has a reference. */
#ifndef SCENT_PAGE_REPEATS_H
#define SCENT_PAGE_REPEATS_H

#include "base/buf.h"
#include "page/page.h"

enum { REPEATS_HOSTS = 1024, REPEATS_BLOCKS = 256, REPEATS_PAGES = 4, REPEATS_SHARE = 16 };

struct repeats;
struct repeats_host; /* a snapshot */

struct repeats *repeats_new(void); /* never NULL */
void repeats_free(struct repeats *repeats);

/* One page more of its host, which repeats_apply() has seen. Where memory is short it is not counted. */
void repeats_count(struct repeats *repeats, const struct page *page);

/* A reference to what is known of the host of this URL; NULL: nothing. */
struct repeats_host *repeats_of(const struct repeats *repeats, const struct url *url);
void repeats_host_unref(struct repeats_host *host); /* NULL is fine */
/* Blocks that repeat are boilerplate. `host` may be NULL: the page stays as it is. Once a page; words are hashed here,
 * in the thread of whoever analyses. */
void repeats_apply(const struct repeats_host *host, struct page *page);

/* All of it, for repeats_load(): a crawl that resumes knows what one that was not disturbed knows. */
void repeats_save(const struct repeats *repeats, struct buf *out);
/* In place of all that is known. False: it was not written by repeats_save(), and nothing is known. */
SCENT_NODISCARD bool repeats_load(struct repeats *repeats, struct str saved);

#endif
