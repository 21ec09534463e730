/* lsi - latent semantic indexing: pages as short vectors in which words that occur together are near each other.
 *
 * Weights are ltc, D and df counted over the pages it is made of. The decomposition is exact: the eigenvectors V and
 * eigenvalues S^2 of the Gram matrix of the pages (dense, pages x pages), U = X V S^-1. A page, old or new, is U_k^T d,
 * without division by the singular values, d of length 1 over the stems that are known. k is the smallest number of
 * dimensions that keeps a share of the squared singular values, LSI_DIMS at most.
 * Cost: pages^2 * words of a page for the Gram matrix, 4/3 pages^3 for the decomposition (LAPACK; 5 s for 2,000 pages),
 * 8 k bytes a distinct stem; a projection multiplies k numbers a distinct stem of the page.
 * Never changes once it is made: any thread. The same pages give the same bytes on one machine. */
#ifndef SCENT_LEARN_LSI_H
#define SCENT_LEARN_LSI_H

#include "base/bytes.h"
#include "text/text.h"

enum { LSI_DIMS = 50, LSI_PAGES_MAX = 4096 };
#define LSI_KEEP .8

struct lsi;
/* `pages` are raw frequencies, as in learn_example. SCENT_E_INVALID: there is nothing to learn from (no two pages
 * differ in a word); SCENT_E_LIMIT: too many pages. */
SCENT_NODISCARD scent_status lsi_train(const struct text_vector *pages, size_t npages, double keep, struct lsi **out,
                                       struct errmsg *err);
void lsi_free(struct lsi *lsi); /* NULL is fine */

uint32_t lsi_dims(const struct lsi *lsi);
double lsi_singular(const struct lsi *lsi, uint32_t dim); /* descending */

/* out[lsi_dims()]; zeros for a page without known words. */
void lsi_project(const struct lsi *lsi, const struct text_vector *tf, double *out);
/* The same, scaled to length 1. */
void lsi_project_unit(const struct lsi *lsi, const struct text_vector *tf, double *out);
/* The share of a page's words, each as often as it stands there, that are known: 0 for a page without words. */
double lsi_known(const struct lsi *lsi, const struct text_vector *tf);
/* The weights of a page before they are projected, of length 1: those of its stems that are known. `out` has room for
 * tf->count; returns their number. */
size_t lsi_weigh(const struct lsi *lsi, const struct text_vector *tf, struct text_weight *out);

/* As part of a file (docs/internals/formats.md). What is wrong is noted in `in`, and NULL is returned. */
void lsi_put(const struct lsi *lsi, struct buf *out);
struct lsi *lsi_get(struct bytes *in);

#endif
