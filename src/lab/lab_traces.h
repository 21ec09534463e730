/* lab_traces - the traces of an experiment, as a closed collection knows them.
 *
 * A log is read once and shared by all crawls; its pages get the names that the collection gives them (a redirect or
 * "…/index.htm" is another name of a page), and accesses of pages that it does not have are left out: they are no
 * candidates. Every part that a strategy asks for is cut once. Read-only after making; any thread. */
#ifndef SCENT_LAB_LAB_TRACES_H
#define SCENT_LAB_LAB_TRACES_H

#include "lab/collection.h"
#include "lab/experiment.h"
#include "trace/trace.h"

struct lab_traces;
/* SCENT_E_INVALID: a file is not a log, or a part of a log has no access of a page of the collection. */
SCENT_NODISCARD scent_status lab_traces_new(const struct experiment *experiment, const struct collection *collection,
                                            const struct log *log, struct lab_traces **out, struct errmsg *err);
void lab_traces_free(struct lab_traces *traces); /* NULL is fine */
/* NULL where `wanted` names no files. It is of a strategy of the experiment. */
const struct trace *lab_traces_find(const struct lab_traces *traces, const struct experiment_traces *wanted);
/* Of all accesses, to tell whether crawls belong to them; 0: there are none. */
uint64_t lab_traces_digest(const struct lab_traces *traces);

#endif
