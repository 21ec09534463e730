/* centroid - a page as a term vector, the mean of several, and the cosine to it, as the strategies' papers take it.
 *
 * The weight of a stem is 1 + ln tf, and a vector has length 1. There is no idf: the papers have none, and a crawl that
 * starts from a few seeds has no collection to count in. signature.h has one, for similar().
 * Pure; a struct centroid belongs to one thread. */
#ifndef SCENT_TOPIC_CENTROID_H
#define SCENT_TOPIC_CENTROID_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/status.h"
#include "learn/dataset.h"
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
    struct centroid_use *uses; /* of the same stems */
    size_t count, room, uses_room;
    struct map by_stem;
    uint32_t pages; /* that were added as such */
};
/* What else is known of a stem, for signature.h: sums over pages, and how common it is. */
struct centroid_use {
    double share, root; /* of tf/length of a page, and of its square root */
    double common;      /* share of all documents, by the background of the page's language; below 0: not known */
};
void centroid_init(struct centroid *centroid);
void centroid_release(struct centroid *centroid);
/* SCENT_E_NOMEM: part of `v` may have been added. */
SCENT_NODISCARD scent_status centroid_add(struct centroid *centroid, const struct text_vector *v);
SCENT_NODISCARD scent_status centroid_add_page(struct centroid *centroid, const struct page *page);
/* The same in two steps, with bytes in between that can be kept: stems as hashes, 16 bytes each, no text. Bytes of
 * another kind are weights alone, as an older version kept them. */
SCENT_NODISCARD scent_status centroid_keep_page(const struct page *page, struct arena *arena, struct str *out);
SCENT_NODISCARD scent_status centroid_add_kept(struct centroid *centroid, struct str kept);
/* The sums as bytes, for other workers of a crawl, and `times` (1, or -1 for what was added before) such sums to those
 * of `centroid`. Sums are kept to 2^-42: up to 2,000 pages, what was added and taken away leaves no trace. (Of a stem
 * that remains, the larger commonness does: it is that of a language.) SCENT_E_FORMAT: damaged; nothing was added. */
void centroid_write(const struct centroid *centroid, struct buf *out);
SCENT_NODISCARD scent_status centroid_sum(struct centroid *centroid, struct str bytes, int times);
/* The mean, scaled to length 1, of the CENTROID_VECTOR_MAX heaviest stems; in `arena`, sorted by stem. */
SCENT_NODISCARD scent_status centroid_vector(const struct centroid *centroid, struct arena *arena,
                                             struct text_vector *out);

/* The cosine of pages to the seeds' mean, by one probe for each stem of a page. 24 to 32 bytes a stem of the mean; its
 * size is ours, so it is always made. Immutable: any thread. */
struct likeness {
    struct vocabulary vocabulary;
    double *weights; /* of its stems */
    uint64_t *may; /* a bit for every 2^may_shift hashes: a stem may be among them. Tells most that are not */
    uint32_t may_shift;
    double norm;
    struct arena arena;
};
void likeness_init(struct likeness *likeness, const struct centroid *seeds); /* NULL: none, nothing is like them */
void likeness_release(struct likeness *likeness);
double likeness_of(const struct likeness *likeness, const struct page *page); /* 0 where one is empty */
/* The same for frequencies that were counted elsewhere (a link context). */
double likeness_of_bag(const struct likeness *likeness, const struct text_vector *tf);

#endif
