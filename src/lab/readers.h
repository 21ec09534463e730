/* readers - a trace of people who have an interest, for experiments: simulated, and the same for the same seed.
 *
 * Users of a log that is at hand may not read for an interest (those of Wikispeedia play a game). Each of these readers
 * has one category, drawn from all that have enough pages. Each looks at so many pages, a minute after another: with
 * the probability `interest` at a page of the category, otherwise at any labelled page. Costs 60 bytes an access. */
#ifndef SCENT_LAB_READERS_H
#define SCENT_LAB_READERS_H

#include "lab/collection.h"
#include "lab/labels.h"
#include "trace/trace.h"

struct readers_wish {
    uint32_t readers;  /* 0: none are simulated */
    uint32_t accesses; /* of each */
    double interest;   /* the share of the accesses that lie in the reader's category */
    uint32_t level;    /* categories have at most so many parts */
};

/* SCENT_E_INVALID: the labels know no category with two pages. */
SCENT_NODISCARD scent_status readers_simulate(const struct readers_wish *wish, const struct collection *collection,
                                              const struct labels *labels, uint64_t seed, struct trace **out,
                                              struct errmsg *err);

#endif
