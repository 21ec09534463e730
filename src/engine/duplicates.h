/* duplicates - have we had this page before, or nearly this one?
 *
 * Exact: 64 bits of the payload's digest -> number of the page; of those 59 count (frontier/seen.h).
 * Near: simhashes within 3 bits. Four bands of 16 bits each: two hashes that differ in at most three bits agree in one
 * band (Manku, Jain, Das Sarma 2007), so a look-up compares what shares a band, 1/16,000 of all pages; at most 4,096 of
 * a band, the newest, so that nobody can slow the crawl down with pages made to share one.
 * Memory: 2 MiB, and 51 bytes a page at 10^6, 47 at 10^7: 16 for the digest, the rest for the simhash (duplicates that
 * are not added cost nothing). Time: 4 us a page at 10^6, 23 at 10^7. It grows without stalling.
 * Thread: the engine's. On error nothing changes. */
#ifndef SCENT_ENGINE_DUPLICATES_H
#define SCENT_ENGINE_DUPLICATES_H

#include "store/store.h"

enum { DUPLICATES_MAX_DISTANCE = 3 };

struct duplicates;
struct duplicates *duplicates_new(uint64_t key); /* of hashes; never NULL */
void duplicates_free(struct duplicates *duplicates);

/* The first page that was added with this digest; false when there is none. */
bool duplicates_find_exact(const struct duplicates *duplicates, uint64_t digest, uint32_t *page);
/* A digest that is known keeps its page. */
SCENT_NODISCARD scent_status duplicates_add_exact(struct duplicates *duplicates, uint64_t digest, uint32_t page);

/* The nearest page within `distance` bits (at most DUPLICATES_MAX_DISTANCE), the oldest of several; false when there is
 * none. *found (may be NULL) is how far it is. */
bool duplicates_find_near(const struct duplicates *duplicates, uint64_t simhash, unsigned distance, uint32_t *page,
                          unsigned *found);
SCENT_NODISCARD scent_status duplicates_add_near(struct duplicates *duplicates, uint64_t simhash, uint32_t page);

/* ---- pages of a crawl ---- */

/* Pages that say the same as this one, which was counted, will be known as its copies. */
SCENT_NODISCARD scent_status duplicates_know(struct duplicates *duplicates, const struct store_page *row);
/* The first page with this digest. A page is a copy only of what was treated alike (`robots`, its directives): one that
 * is shown of one that is not, or one that is archived of one that is not, would be lost. */
bool duplicates_find_copy(const struct duplicates *duplicates, struct str digest, uint8_t robots, uint32_t *page);
/* One more copy of this page. True: its links are to be followed (docs/decisions/0008-links-of-copies.md). */
bool duplicates_count_copy(struct duplicates *duplicates, uint64_t page);

size_t duplicates_bytes(const struct duplicates *duplicates); /* without the seen map's 12 bytes a digest */

#endif
