/* vector - a page as a term vector, and the mean of several.
 *
 * The weight of a stem is 1 + ln tf, and a vector has length 1. There is no idf yet: document frequencies come
 * with trained models, and a crawl that starts from a few seeds has no collection to count them in.
 * Pure; a struct centroid belongs to one thread. */
#ifndef SCENT_TOPIC_CENTROID_H
#define SCENT_TOPIC_CENTROID_H

#include "base/arena.h"
#include "base/map.h"
#include "base/status.h"
#include "page/page.h"
#include "text/text.h"

/* The page's bag as a vector of length 1, in `arena`; empty for a page without words. */
SCENT_NODISCARD scent_status centroid_page_vector(const struct page *page, struct arena *arena,
                                                  struct text_vector *out);

/* The sum of vectors. 28 to 48 bytes a distinct stem; beyond CENTROID_STEMS_MAX of them new ones are not taken in,
 * so that a million seeds cannot fill the memory. */
enum { CENTROID_STEMS_MAX = 1 << 20, CENTROID_VECTOR_MAX = 1 << 14 };
struct centroid {
    struct text_weight *items;
    size_t count, room;
    struct map by_stem;
};
void centroid_init(struct centroid *centroid);
void centroid_release(struct centroid *centroid);
/* SCENT_E_NOMEM: part of `v` may have been added. */
SCENT_NODISCARD scent_status centroid_add(struct centroid *centroid, const struct text_vector *v);
SCENT_NODISCARD scent_status centroid_add_page(struct centroid *centroid, const struct page *page);
/* The mean, scaled to length 1, of the CENTROID_VECTOR_MAX heaviest stems; in `arena`, sorted by stem. */
SCENT_NODISCARD scent_status centroid_vector(const struct centroid *centroid, struct arena *arena,
                                             struct text_vector *out);

/* The cosine of pages to the seeds' mean, by one probe for each stem of a page. 28 to 40 bytes a stem of the mean; its
 * size is ours, so it is always made. Immutable: any thread. */
struct likeness {
    struct text_weight *items;
    size_t count;
    struct map by_stem;
    double norm;
};
void likeness_init(struct likeness *likeness, const struct centroid *seeds); /* NULL: none, nothing is like them */
void likeness_release(struct likeness *likeness);
double likeness_of(const struct likeness *likeness, const struct page *page); /* 0 where one is empty */
/* Of what it compares with: the same for means that differ by the order in which they were added up. */
uint64_t likeness_digest(const struct likeness *likeness);
/* The same for frequencies that were counted elsewhere (a link context). */
double likeness_of_bag(const struct likeness *likeness, const struct text_vector *tf);

#endif
