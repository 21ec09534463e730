/* frontier_parts - what the files of the frontier share, and nobody else sees. */
#ifndef SCENT_FRONTIER_FRONTIER_PARTS_H
#define SCENT_FRONTIER_FRONTIER_PARTS_H

#include "frontier/candidates.h"
#include "frontier/frontier.h"
#include "frontier/gates.h"
#include "frontier/held.h"
#include "frontier/hostheap.h"
#include "frontier/hostqueue.h"
#include "frontier/hosttable.h"
#include "frontier/seen.h"
#include "frontier/urltext.h"

/* The hosts that were visited last, for look-ahead: a ring. */
enum { SUPPLY_RECENT = 64 };
struct supply_recent {
    uint32_t hosts[SUPPLY_RECENT];
    bool looked[SUPPLY_RECENT]; /* ahead since */
    uint32_t next, count;
};

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

#endif
