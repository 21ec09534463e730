/* lab_prepare - what lies between an experiment file and the first crawl: labels, trials, strategies that can be opened, a
 * folder that is ours. */
#ifndef SCENT_LAB_LAB_PREPARE_H
#define SCENT_LAB_LAB_PREPARE_H

#include "lab/lab.h"

/* Before hours are spent on the collection. */
SCENT_NODISCARD scent_status lab_make_folder(const struct lab_options *options, struct errmsg *err);
/* With the collection open. Topics that cannot be run are named in the log and counted. */
SCENT_NODISCARD scent_status lab_prepare(struct lab *lab, const struct lab_options *options, struct errmsg *err);

#endif
