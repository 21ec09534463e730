/* labels - which pages of a collection belong to which category.
 *
 * From a file of lines `url<TAB>dotted.category` (a page may have several), or from the generated web itself. A label
 * belongs to its category and to all above it: "History.Wars.Rome" to "History.Wars" and "History". Read-only after
 * reading; any thread. */
#ifndef SCENT_LAB_LABELS_H
#define SCENT_LAB_LABELS_H

#include "lab/collection.h"

struct labels_row {
    uint32_t page;
    struct str category;
};

struct labels {
    struct arena arena;
    struct labels_row *rows; /* sorted by category, then page; no row twice */
    size_t count;
    size_t missing; /* lines whose page is not in the collection */
    size_t bad;     /* lines that are not url<TAB>category */
};

/* `path` NULL: what the web itself says. SCENT_E_INVALID: not one line fits the collection. Lines that do not are
 * counted, and the first few of them named in the collection's log. */
SCENT_NODISCARD scent_status labels_read(const struct collection *collection, const char *path, const struct log *log,
                                         struct labels *out, struct errmsg *err);
void labels_release(struct labels *labels);

/* Marks the pages of this category and of those below it; returns how many. `relevant` has room for all pages. */
size_t labels_mark(const struct labels *labels, struct str category, bool *relevant);

/* The categories with at most `level` parts that have at least `min` pages, sorted; longer ones count for their first
 * `level` parts. In `arena`. */
SCENT_NODISCARD scent_status labels_categories(const struct labels *labels, unsigned level, size_t min,
                                               struct arena *arena, struct str **out, size_t *count);

#endif
