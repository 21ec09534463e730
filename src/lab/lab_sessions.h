/* lab_sessions - the browsing that trials learn from, made before the crawls: one model for every set of seeds. */
#ifndef SCENT_LAB_LAB_SESSIONS_H
#define SCENT_LAB_LAB_SESSIONS_H

#include "lab/lab.h"

/* Nothing where the experiment has no sessions. Trials are spread over threads. */
SCENT_NODISCARD scent_status lab_sessions(struct lab *lab, const struct lab_options *options, struct errmsg *err);

#endif
