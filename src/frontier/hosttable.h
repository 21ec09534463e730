/* hosttable - the hosts of a crawl: name <-> dense id, and when each may be visited again.
 *
 * Memory: 56 bytes a host, 12 in its seen map and its name. Nothing is ever moved or removed.
 * Thread: one. On error nothing changes. */
#ifndef SCENT_FRONTIER_HOSTTABLE_H
#define SCENT_FRONTIER_HOSTTABLE_H

#include "frontier/seen.h"

enum { HOSTTABLE_NAME_MAX = 1024 };

enum hosttable_place {
    HOSTTABLE_NOWHERE, /* nothing queued, held, or busy */
    HOSTTABLE_READY,
    HOSTTABLE_WAITING, /* for a time: its own, or that of a gate for which it stands */
    HOSTTABLE_PARKED,  /* at a gate */
    HOSTTABLE_STARVED, /* it would be ready if it had the text of its best candidate */
    HOSTTABLE_ASKED    /* the same, and the text was asked for */
};
enum hosttable_gate { HOSTTABLE_DOMAIN, HOSTTABLE_IP, HOSTTABLE_GATES };

#define HOSTTABLE_NO_GATE UINT32_MAX
#define HOSTTABLE_DEFAULT UINT32_MAX /* as a delay */

struct hostqueue_entry;
struct hosttable_host {
    int64_t next_us;               /* no visit begins earlier */
    struct hostqueue_entry *queue; /* see hostqueue.h */
    uint32_t queued;
    uint32_t position;   /* in the heap that `place` names; of a parked one its first child, see gates.c */
    uint32_t next, prev; /* of a parked one */
    uint32_t gates[HOSTTABLE_GATES];
    uint32_t delay_us;
    uint32_t name; /* where it begins: block and offset */
    uint16_t in_flight;
    uint16_t holds;
    uint16_t name_len : 11, place : 3, gate : 1; /* enum hosttable_place; parked at which */
    uint16_t sent : 1;                           /* from its domain to its address, where it is parked */
    uint16_t rank : 8;                           /* of a parked one */
    uint16_t worthy : 1;                         /* its best candidate is not below the floor (frontier_set_floor) */
};

struct hosttable {
    struct seen ids;
    uint64_t seed;                  /* of the fingerprints of names */
    struct hosttable_host **blocks; /* 4096 hosts each */
    char **names;                   /* 64 KiB each */
    size_t nblocks, blocks_room, nnames, names_room;
    uint32_t names_used; /* of the last block of names */
};

void hosttable_init(struct hosttable *table);
void hosttable_release(struct hosttable *table);

/* The id of the host of this name; a new one is nowhere, with an empty queue. SCENT_E_LIMIT: the name is too long. */
SCENT_NODISCARD scent_status hosttable_add(struct hosttable *table, struct str name, uint32_t *id, bool *is_new);
/* false: no host has this name */
bool hosttable_find(const struct hosttable *table, struct str name, uint32_t *id);
uint32_t hosttable_count(const struct hosttable *table);
/* An unknown id is a bug. */
struct hosttable_host *hosttable_at(const struct hosttable *table, uint32_t id);
struct str hosttable_name(const struct hosttable *table, uint32_t id);

#endif
