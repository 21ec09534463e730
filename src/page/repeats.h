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
#include "base/map.h"
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
/* A snapshot of these blocks, 8 bytes each, sorted: from repeats_tally_each(). NULL: there are none, or damaged. */
struct repeats_host *repeats_host_new(struct str blocks);
/* Blocks that repeat are boilerplate. `host` may be NULL: the page stays as it is. Once a page; words are hashed here,
 * in the thread of whoever analyses. */
void repeats_apply(const struct repeats_host *host, struct page *page);

/* ---- judging again ----
 *
 * What is counted above depends on the order of pages where blocks had to be forgotten. At the end of a crawl the
 * blocks of all pages decide: each page leaves a record of them, and which of them repeat is counted exactly. */

/* The blocks of a page that repeats_apply() has seen, 8 bytes each, sorted, in `arena`. The lowest bits of each say
 * whether it repeated: now, and when the page came, as `before` says, the record of then (STR_NONE: it comes now).
 * .p NULL: memory is short. */
enum repeats_bit { REPEATS_NOW = 1, REPEATS_FIRST = 2 };
struct str repeats_record(const struct page *page, struct str before, struct arena *arena);
/* The blocks of a record that have this bit, as a snapshot: with it the page has the content that it had. */
struct repeats_host *repeats_host_of(struct str record, enum repeats_bit bit);
/* Would these blocks (NULL: none) mark the same ones as repeating now? Then the content of the page is the same. */
bool repeats_agree(const struct repeats_host *host, struct str record);

/* Which blocks repeat, exactly, whatever the order of pages: the size of every record is told first, then every record
 * is added once in each part, and the part ends. Memory is bounded by REPEATS_PART blocks and those that repeat, 16
 * bytes each and their places in a map. A zeroed struct has seen nothing. */
enum { REPEATS_PART = 1 << 21 };
struct repeats_tally {
    uint64_t part, records, blocks, seed;
    uint32_t *pages; /* by host */
    struct map map; /* of `pairs` */
    struct repeats_pair *pairs, *found; /* each block of a host once; those that repeat */
    size_t hosts, hosts_room, count, room, nfound, found_room;
};
void repeats_tally_release(struct repeats_tally *tally); /* zeroed afterwards */
SCENT_NODISCARD scent_status repeats_tally_size(struct repeats_tally *tally, uint32_t host, struct str record);
uint64_t repeats_tally_parts(const struct repeats_tally *tally);
SCENT_NODISCARD scent_status repeats_tally_add(struct repeats_tally *tally, uint32_t host, struct str record);
SCENT_NODISCARD scent_status repeats_tally_end_part(struct repeats_tally *tally);
/* After all parts: host by host, for repeats_host_new(); at most REPEATS_BLOCKS of each, those that repeat most. */
typedef scent_status repeats_fn(void *ctx, uint32_t host, struct str blocks);
SCENT_NODISCARD scent_status repeats_tally_each(struct repeats_tally *tally, repeats_fn *fn, void *ctx);

/* All of it, for repeats_load(): a crawl that resumes knows what one that was not disturbed knows. */
void repeats_save(const struct repeats *repeats, struct buf *out);
/* In place of all that is known. False: it was not written by repeats_save(), and nothing is known. */
SCENT_NODISCARD bool repeats_load(struct repeats *repeats, struct str saved);

#endif
