/* compare - several results of `scent lab run` side by side: what `scent lab compare` shows.
 *
 * Reads the summary.json of each folder. Every series is compared with the baseline of the first folder, over the
 * topics that both have (by name), where both crawled the same collection. Differences between folders that make
 * them hard to compare are named. */
#ifndef SCENT_LAB_COMPARE_H
#define SCENT_LAB_COMPARE_H

#include "base/buf.h"
#include "base/status.h"

struct compare;
/* SCENT_E_INVALID: a folder has no results, or there is no point that all have; `err` names it. */
SCENT_NODISCARD scent_status compare_open(char *const *dirs, size_t count, struct compare **out, struct errmsg *err);
void compare_free(struct compare *compare); /* NULL is fine */

/* A line for each thing in which a folder differs from the first; nothing where they agree. */
void compare_remarks(const struct compare *compare, struct buf *out);
void compare_write_table(const struct compare *compare, struct buf *out); /* at the last common point */
void compare_write_csv(const struct compare *compare, struct buf *out);   /* at all common points */
void compare_write_json(const struct compare *compare, struct buf *out);

#endif
