/* frontier_parts - what the files of the frontier share, and nobody else sees. */
#ifndef SCENT_FRONTIER_FRONTIER_PARTS_H
#define SCENT_FRONTIER_FRONTIER_PARTS_H

#include "base/map.h"
#include "frontier/candidates.h"
#include "frontier/frontier.h"
#include "frontier/gates.h"
#include "frontier/hostheap.h"
#include "frontier/hostqueue.h"
#include "frontier/hosttable.h"
#include "frontier/seen.h"

/* ---- texts: what supply.c keeps ---- */

/* Who may be visited again when: before this visit began, and because it did. */
enum held_party { HELD_HOST, HELD_DOMAIN, HELD_IP, HELD_PARTIES };
struct held_begin {
    int64_t before[HELD_PARTIES], after[HELD_PARTIES];
    uint32_t gates[HOSTTABLE_GATES]; /* as they were then */
};

/* A text that is needed singly. It stays at its address from supply to finish. */
struct held_url {
    struct held_begin begin; /* while lent: what the beginning of the visit changed */
    uint32_t id;
    uint16_t len;
    uint8_t state; /* asked: there is no text yet; lent: the URL is in flight */
    char text[];   /* with a terminator */
};
enum held_state { HELD_ASKED, HELD_LOADED, HELD_LENT };

struct held {
    struct held_url **urls; /* NULL where one has gone */
    size_t nurls, urls_room;
    uint32_t *gone; /* places in `urls` that are free */
    size_t ngone, gone_room;
    struct map by_id;
    uint32_t count, hand; /* hand: of next_held() */
    size_t bytes;
};

struct urltext_chunk;
struct urltext {
    struct urltext_chunk **chunks;
    size_t room;
    uint32_t base;           /* number of chunks[0] */
    uint32_t first, nchunks; /* those before `first` are gone */
    size_t bytes;
};

/* The hosts that were visited last, for look-ahead: a ring. */
enum { SUPPLY_RECENT = 64 };
struct supply_recent {
    uint32_t hosts[SUPPLY_RECENT];
    bool looked[SUPPLY_RECENT]; /* ahead since */
    uint32_t next, count;
};

/* ---- all of it ---- */

struct frontier {
    int64_t delay_us, now; /* now: the latest time that was passed in */
    uint32_t per_host;
    float floor;           /* -INFINITY: none */
    uint32_t queued, in_flight;
    uint32_t worthy;       /* hosts whose best candidate is not below the floor; only while there is one */
    struct seen seen;
    struct candidates candidates;
    struct urltext texts;
    struct held held;
    struct hosttable hosts;
    struct gates gates[HOSTTABLE_GATES];
    struct hostheap_pool pool;
    struct hostheap ready, waiting, starved;
    size_t text_budget;
    uint32_t committed;  /* ids below are in the store */
    struct supply_recent recent;
};

/* ---- schedule.c: which host is visited next ---- */

bool schedule_has_floor(const struct frontier *f);
/* Room for every host, so that no other call fails. */
SCENT_NODISCARD scent_status schedule_reserve(struct frontier *f);
/* Puts the host where it belongs, after anything about it has changed. */
void schedule_place(struct frontier *f, uint32_t host);
/* All hosts, after their queues have changed, in linear time (but for the gates). */
void schedule_place_all(struct frontier *f);
/* To another gate, or none. */
void schedule_set_gate(struct frontier *f, uint32_t host, enum hosttable_gate kind, uint32_t gate);
/* So many crawlers share the gate from now on. */
void schedule_share_gate(struct frontier *f, enum hosttable_gate kind, uint32_t gate, uint16_t share);
/* The time has come to `now`. */
void schedule_advance(struct frontier *f, int64_t now);
/* The host to be visited next; false when there is none now: *wait_us says for how long. */
bool schedule_first(struct frontier *f, uint32_t *host, int64_t *wait_us);

/* A visit to the host begins, and ends. Whoever calls must place the host after it. */
void schedule_begin(struct frontier *f, uint32_t host, struct held_begin *begin);
void schedule_end(struct frontier *f, uint32_t host, const struct held_begin *begin);
/* As if the visit had not begun, where no other has begun since. After schedule_end. */
void schedule_undo(struct frontier *f, uint32_t host, const struct held_begin *begin);

/* time + more, where more is not negative */
int64_t schedule_add_time(int64_t time, int64_t more);

/* ---- supply.c: where the text of a queued URL is ---- */

enum { SUPPLY_DEFAULT_BYTES = 16 << 20, HELD_MAX = 8192 }; /* texts that are held, besides those in flight */

void supply_release(struct frontier *f);
size_t supply_bytes(const struct frontier *f); /* memory that holds texts */

/* Of a QUEUED url. */
bool supply_has_text(const struct frontier *f, uint32_t id);
bool supply_was_asked(const struct frontier *f, uint32_t id);

/* A URL that is queued comes with its text; an empty one means that it is on disk. */
SCENT_NODISCARD scent_status supply_add(struct frontier *f, uint32_t id, struct str text);
/* It is no longer queued, or its visit is over. */
void supply_remove(struct frontier *f, uint32_t id);
/* Keeps the budget. It may place hosts. */
void supply_shed(struct frontier *f);

/* The text of a URL that goes into flight, at an address that stays until supply_remove. NULL: no memory. */
struct held_url *supply_lend(struct frontier *f, uint32_t id) SCENT_NODISCARD;
/* The text of a URL that is in flight. */
struct held_url *supply_lent(const struct frontier *f, uint32_t id);
/* A visit to the host has begun. */
void supply_note_visit(struct frontier *f, uint32_t host);

#endif
