/* lanes - several orders over the same candidates, for fusion: whose turn is it, and what comes first there?
 *
 * A lane is a heap of (priority, id). An entry whose candidate was given a higher priority since, or is gone, is skipped
 * when it comes up. Memory: 4 bytes a lane and URL, 8 a lane and entry, a bit a URL. Thread: one. */
#ifndef SCENT_STRATEGY_LANES_H
#define SCENT_STRATEGY_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES_MAX = 3 };

struct lane_entry {
    float priority;
    uint32_t id;
};

struct lanes {
    size_t count;
    struct lane {
        struct lane_entry *heap;
        size_t n, room;
        float *best; /* of each id; -INFINITY: it has none here */
    } lanes[LANES_MAX];
    uint8_t *gone; /* a bit an id */
    size_t ids;
};

void lanes_init(struct lanes *lanes, size_t count);
void lanes_release(struct lanes *lanes);
/* The candidate has this priority in a lane from now on, if it is higher than before. */
void lanes_put(struct lanes *lanes, size_t lane, uint32_t id, float priority);
/* It is no candidate any more. */
void lanes_remove(struct lanes *lanes, uint32_t id);
/* The candidates that come next, no one twice: the best of lane `turn`, then of the next lane, and so on round. Returns
 * how many. Nothing changes. */
size_t lanes_next(struct lanes *lanes, size_t turn, uint32_t *ids, size_t room);

#endif
