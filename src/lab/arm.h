/* arm - what one strategy of an experiment does in one trial: a crawl, or the best of several from other seeds,
 * perhaps with what an earlier crawl learned.
 *
 * Every crawl is a file; what is there is read and not made again. */
#ifndef SCENT_LAB_ARM_H
#define SCENT_LAB_ARM_H

#include "lab/guide.h"
#include "lab/lab.h"

/* What the arms of one trial share: the guides of its draws. One thread. */
struct arm_desk {
    const struct lab *lab;
    const char *dir; /* of results; NULL: nothing is written */
    struct guide **guides;
    size_t nguides;
};
void arm_desk_release(struct arm_desk *desk);

/* Fills place->runs[number]. */
SCENT_NODISCARD scent_status arm_run(struct arm_desk *desk, const struct lab_trial *place, size_t number,
                                     struct errmsg *err);

#endif
