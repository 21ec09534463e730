/* summary_parts - what the files summary*.c share. */
#ifndef SCENT_LAB_SUMMARY_PARTS_H
#define SCENT_LAB_SUMMARY_PARTS_H

#include "lab/measure.h"
#include "lab/summary.h"

/* Adds what the strategies of one trial have in common to `sums`, as its share of the mean. */
void summary_add_pairs(const struct summary *summary, const struct lab_trial *trial, const bool *relevant,
                       const struct measure_crawl *crawls, const double *own, struct summary_pair *sums);
/* Tests, pairs and quartiles, once all values are there. */
void summary_compare(struct summary *summary);

#endif
