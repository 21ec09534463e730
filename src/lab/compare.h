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

/* Tables in Markdown. */

/* For each folder: strategy `name` against each other one, at all common points. A cell of another strategy has its
 * mean, the topics that `name` won and lost against it, and p of Wilcoxon's test, two-sided, corrected (Holm) for the
 * other strategies of the folder; variants of `name` ("NAME, …", "NAME …") are not among them. `measure`: as in
 * summary.json. SCENT_E_INVALID: a folder has no such strategy. */
SCENT_NODISCARD scent_status compare_write_against(const struct compare *compare, const char *name, const char *measure,
                                                   struct buf *out, struct errmsg *err);
/* (strategy - breadth-first) / (one-step oracle - breadth-first) in harvest after `pages`: a row for each strategy, a
 * column for each folder. SCENT_E_INVALID: a folder has no such point, or was made before bounds were kept. */
SCENT_NODISCARD scent_status compare_write_possible(const struct compare *compare, uint32_t pages, struct buf *out,
                                                    struct errmsg *err);

#endif
