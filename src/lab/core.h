/* core - the part of a topic that one walks through without leaving it: the largest set of its pages that all lead to
 * each other by links between pages of the topic (a strongly connected component). What is reached only through pages
 * of other topics, behind a tunnel, lies outside. An experiment that draws its seeds from the core looks for
 * the rest. */
#ifndef SCENT_LAB_CORE_H
#define SCENT_LAB_CORE_H

#include "lab/collection.h"

/* `topic` marks its pages among all; fills `core` likewise. *count: how many pages it has. */
SCENT_NODISCARD scent_status core_mark(const struct collection *collection, const bool *topic, bool *core,
                                       size_t *count);

#endif
