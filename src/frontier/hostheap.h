/* hostheap - hosts ordered by a number, smallest first; among equals the smallest host.
 *
 * Three of them exist: the ready and the starved hosts by the key of their best candidate, the waiting ones by time. A
 * host is in one of them at most; its record says in which and where. They lie in blocks of one pool, so that what one
 * no longer needs serves the others, and nothing is copied when they grow.
 * Cost: O(log n). Memory: 12 bytes a host. */
#ifndef SCENT_FRONTIER_HOSTHEAP_H
#define SCENT_FRONTIER_HOSTHEAP_H

#include "frontier/hosttable.h"

struct hostheap_entry;
struct hostheap_pool {
    struct hostheap_entry **free;
    size_t nfree, room;
    size_t blocks; /* in all */
    uint32_t heaps;
};

struct hostheap {
    struct hostheap_pool *pool;
    struct hosttable *table;
    enum hosttable_place place;
    struct hostheap_entry **blocks;
    uint32_t count;
    size_t room; /* for pointers to blocks */
};

void hostheap_init(struct hostheap *heap, struct hostheap_pool *pool, struct hosttable *table,
                   enum hosttable_place place);
void hostheap_release(struct hostheap *heap);
void hostheap_release_pool(struct hostheap_pool *pool); /* after its heaps */

/* Room for every host of the table, so that set never fails. */
SCENT_NODISCARD scent_status hostheap_reserve(struct hostheap *heap);

/* Puts the host in, or changes its key. */
void hostheap_set(struct hostheap *heap, uint32_t host, uint64_t key);
/* Takes it out; nothing happens when it is not inside. */
void hostheap_remove(struct hostheap *heap, uint32_t host);
/* The host with the smallest key; false when empty. */
bool hostheap_first(const struct hostheap *heap, uint32_t *host, uint64_t *key);

/* The i-th of its hosts, i < count, in the order of the heap: the smallest first, and small ones early. */
uint32_t hostheap_peek(const struct hostheap *heap, uint32_t i);

/* Takes everything out. To fill it again in linear time: append each host, then order once. */
void hostheap_clear(struct hostheap *heap);
void hostheap_append(struct hostheap *heap, uint32_t host, uint64_t key);
void hostheap_order(struct hostheap *heap);

#endif
