/* similarity - how like a marked page is what a crawl fetched? The maximum average similarity (Liu, 1):
 *
 *     max over the marked pages k of the mean over the fetched pages p of cos(p, k)
 *
 * with ltc weights whose document frequencies are those of the collection. The vectors have length 1, so the mean of
 * the cosines is the cosine's dot product with the mean vector, and a crawl costs one pass over its pages.
 * Memory: 8 bytes a distinct stem of every page. Thread: any, once it is made. */
#ifndef SCENT_LAB_SIMILARITY_H
#define SCENT_LAB_SIMILARITY_H

#include "lab/collection.h"
#include "lab/measure.h"

struct similarity;
SCENT_NODISCARD scent_status similarity_new(const struct collection *collection, struct similarity **out);
void similarity_free(struct similarity *similarity); /* NULL is fine */
/* Of the first t pages; `marked` is an array over all pages. 0 where nothing was fetched or marked. */
double similarity_of(const struct similarity *similarity, const struct measure_crawl *crawl, const bool *marked,
                     size_t t);

#endif
