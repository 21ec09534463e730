/* gather - accesses as they come, then a trace of them.
 *
 * 24 bytes an access while they come and as much again while they are sorted, and two tables of names. Owner: whoever
 * initialised it. */
#ifndef SCENT_TRACE_GATHER_H
#define SCENT_TRACE_GATHER_H

#include "trace/trace_parts.h"

struct gather {
    const struct trace_options *options;
    struct names users, pages; /* as they came; users under the names that the logs give them */
    bool *bots;                /* of users, by number */
    uint32_t bots_room;
    struct trace_access *accesses;
    uint32_t count;
    size_t room;
    struct trace_counts counts;
};

void gather_init(struct gather *gather, const struct trace_options *options);
void gather_release(struct gather *gather);

/* SCENT_E_LIMIT: no room is allowed for it; nothing changes. */
SCENT_NODISCARD scent_status gather_add(struct gather *gather, int64_t time, struct str user, struct str href);
/* None of the accesses of `user` will be taken. */
SCENT_NODISCARD scent_status gather_bot(struct gather *gather, struct str user);
/* The accesses are taken out of `gather`. */
SCENT_NODISCARD scent_status gather_finish(struct gather *gather, struct trace **out);

#endif
