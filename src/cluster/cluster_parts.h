/* cluster_parts - what the files of this folder share: cluster.c has connections, tables and who takes part,
 * cluster_turns.c the turns of a worker and its reading. */
#ifndef SCENT_CLUSTER_CLUSTER_PARTS_H
#define SCENT_CLUSTER_CLUSTER_PARTS_H

#include "cluster/cluster.h"
#include "cluster/pq.h"

struct cluster {
    struct pq *pq; /* NULL: the connection broke */
    char *uri;
    const struct clock *clock;
    const struct log *log;
    int crawl;     /* its row; 0: none was made yet */
    uint64_t worker, session;
    int64_t lease_us;
    uint64_t page_limit;
    int64_t time_us;
    uint64_t noted; /* the mark of the last turn */
    uint64_t told;  /* the partitions that it has told last, as a number */
    bool told_clock; /* that this machine's differs from the server's */
    struct cluster_part *parts;
    size_t nparts, room;
};

/* A number as a text that the server reads; it lives as long as the block that it stands in. */
enum { NUMBER_ROOM = 24 };

const char *cluster_number(char *room, uint64_t value);

#define NUMBER(value) PQ_TEXT(cluster_number((char[NUMBER_ROOM]){0}, (value)))

/* A statement without values or rows. */
SCENT_NODISCARD scent_status cluster_run(struct cluster *cluster, const char *sql, struct errmsg *err);
/* One whole number; 0 where there is none. */
SCENT_NODISCARD scent_status cluster_get(struct cluster *cluster, const char *sql, uint64_t *out, struct errmsg *err);
/* By how much this machine's clock, which showed `before` and `after`, is ahead of the server's, which showed `server`
 * in between; 0: by less than CLUSTER_CLOCK_MAX_US. */
int64_t cluster_clock_error(int64_t before, int64_t after, int64_t server);
/* That it is, and what to do: SCENT_E_INVALID with a message. `when`: "" or "now ". */
scent_status cluster_blame_clock(int64_t error, const char *when, struct errmsg *err);
/* Rolls back what is open, unless the connection is gone; returns `status`. */
scent_status cluster_give_up(struct cluster *cluster, scent_status status);

#endif
