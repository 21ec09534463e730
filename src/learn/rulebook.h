/* rulebook - pages of which class link to pages of which class: the interclass rules of Altingovde and Ulusoy.
 *
 * A rule Ti -> Tj has a count, the distinct pages of class Tj that examples of class Ti link to, and X, its share of
 * all pages that they link to. Chained they tell how likely a page of a class leads to a target: the sum (or the
 * maximum) over the cycle-free paths of at most `depth` rules of the product of their X. For the target itself only
 * the loop T -> T counts. Several targets add up.
 *
 * Pure, but for the reading and writing of files. 4 bytes a pair of classes. Immutable once it is filled; any thread.
 */
#ifndef SCENT_LEARN_RULEBOOK_H
#define SCENT_LEARN_RULEBOOK_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"

enum { RULEBOOK_CLASSES_MAX = 4096, RULEBOOK_DEPTH_MAX = 3, RULEBOOK_DEPTH = 2 };
#define RULEBOOK_NONE UINT32_MAX

struct rulebook {
    struct arena arena;
    struct str *classes;
    uint32_t nclasses;
    uint32_t *counts;  /* [from][to] */
    struct map numbers; /* of classes, by name */
    uint64_t fingerprint; /* of the examples that they were counted with; 0: not known */
};

/* No rule yet. SCENT_E_INVALID: a class twice, without a name, or with a tab or line break in it; SCENT_E_LIMIT. */
SCENT_NODISCARD scent_status rulebook_new(const struct str *classes, uint32_t nclasses, struct rulebook **out,
                                          struct errmsg *err);
void rulebook_free(struct rulebook *rules); /* NULL is fine */
uint32_t rulebook_find(const struct rulebook *rules, struct str class); /* RULEBOOK_NONE: there is none */
/* Marks the classes that are `category` or lie below it (members[nclasses]; others stay); returns their number. */
uint32_t rulebook_mark(const struct rulebook *rules, struct str category, bool *members);
/* `count` pages more; what is above the largest number stays there. */
void rulebook_add(struct rulebook *rules, uint32_t from, uint32_t to, uint32_t count);
uint64_t rulebook_total(const struct rulebook *rules, uint32_t from); /* pages that its examples link to */
/* Pairs with a count. */
uint64_t rulebook_number(const struct rulebook *rules);
/* Fills x[nclasses * nclasses]; the row of a class without pages is 0. */
void rulebook_shares(const struct rulebook *rules, double *x);
/* The same rules in the order of `classes`. SCENT_E_INVALID: they are about other classes; `err` names the first. */
SCENT_NODISCARD scent_status rulebook_arrange(const struct rulebook *rules, const struct str *classes,
                                              uint32_t nclasses, struct rulebook **out, struct errmsg *err);

/* ---- paths; x as rulebook_shares() fills it ---- */

enum rulebook_merge { RULEBOOK_SUM, RULEBOOK_MAX };

struct rulebook_chain {
    const double *x;
    uint32_t n;
    unsigned depth; /* 1 to RULEBOOK_DEPTH_MAX */
    enum rulebook_merge merge;
};

/* From one class to one target; 0: there is no path. n ^ (depth - 1) steps at most. */
double rulebook_score(const struct rulebook_chain *chain, uint32_t from, uint32_t target);
/* To all targets: the sum over them. */
double rulebook_score_all(const struct rulebook_chain *chain, uint32_t from, const bool *wanted);
/* The same from something that is not a class itself and links to the classes with these shares (row[n]): an inner node
 * of the taxonomy. */
double rulebook_score_row(const struct rulebook_chain *chain, const double *row, const bool *wanted);

struct rulebook_path {
    uint32_t classes[RULEBOOK_DEPTH_MAX + 1]; /* the last is the target */
    uint32_t nrules;
    double score;
};
/* The paths that lead to `target`, best first, at most `room`; `from` RULEBOOK_NONE: from anywhere. *all: how many
 * there are. */
size_t rulebook_paths(const struct rulebook_chain *chain, uint32_t from, uint32_t target, struct rulebook_path *out,
                      size_t room, uint64_t *all);

/* ---- the file: text that a person can read and edit (docs/internals/formats.md) ---- */

/* SCENT_E_FORMAT, SCENT_E_VERSION: `err` names the line; `name` stands for the file. */
SCENT_NODISCARD scent_status rulebook_read(struct str text, const char *name, struct rulebook **out,
                                           struct errmsg *err);
SCENT_NODISCARD scent_status rulebook_write(const struct rulebook *rules, struct buf *out);
SCENT_NODISCARD scent_status rulebook_load(const char *path, struct rulebook **out, struct errmsg *err);
SCENT_NODISCARD scent_status rulebook_save(const struct rulebook *rules, const char *path, struct errmsg *err);

#endif
