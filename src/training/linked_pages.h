/* linked_pages - the pages that the examples of each class link to: the second training set (train-1) of Altingovde and
 * Ulusoy, from which interclass rules are counted.
 *
 * Of each class a sample of at most `per_class` distinct URLs is kept: those with the smallest hashes, so that their
 * order does not matter. Memory: twice the sample at most. Owner: the caller. Thread: one at a time. */
#ifndef SCENT_TRAINING_LINKED_PAGES_H
#define SCENT_TRAINING_LINKED_PAGES_H

#include "base/buf.h"
#include "base/log.h"
#include "learn/model.h"
#include "learn/rulebook.h"
#include "page/page.h"

struct linked_pages;
struct linked_pages *linked_pages_new(uint32_t per_class, uint64_t seed); /* never NULL; per_class above 0 */
void linked_pages_free(struct linked_pages *linked);                      /* NULL is fine */

/* Only what this archive has counts, as long as there is one (NULL: everything). */
struct archive;
void linked_pages_limit(struct linked_pages *linked, const struct archive *archive);
/* SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status linked_pages_add(struct linked_pages *linked, uint32_t class, struct str url);
/* The links of an example. With `polite` none that the page asks not to follow. */
SCENT_NODISCARD scent_status linked_pages_add_page(struct linked_pages *linked, uint32_t class,
                                                   const struct page *page, bool polite);
/* The class takes a smaller number, which is free. */
void linked_pages_move(struct linked_pages *linked, uint32_t class, uint32_t to);

/* No more come. At most `pages` in all stay, as many of each class as of any other where it has so many. *count: how
 * many there are, distinct ones. */
SCENT_NODISCARD scent_status linked_pages_finish(struct linked_pages *linked, uint64_t pages, uint64_t *count);
/* They, one a line. */
void linked_pages_list(const struct linked_pages *linked, struct buf *out);

struct linked_pages_reading {
    const char *archive; /* a WARC file, a folder of them, or a crawl directory */
    const struct model *model;
    bool whole_page; /* as the model was taught, struct page_options */
    const struct log *log;
    void (*on_read)(void *ctx, size_t done, size_t all); /* may be NULL */
    void *ctx;
    uint64_t read, missing; /* pages: out */
};
/* Reads every page once, classifies it, and counts a rule from each class that links to it. */
SCENT_NODISCARD scent_status linked_pages_count(const struct linked_pages *linked, struct linked_pages_reading *reading,
                                          struct rulebook *rules, struct errmsg *err);

#endif
