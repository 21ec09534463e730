/* solver - the weights of linear models; for this folder.
 *
 * The result depends on the examples alone, whatever other threads do. The logistic loss is liblinear's (behind a wall:
 * it has a struct model of its own), by its primal trust-region Newton method, which draws no random numbers. The hinge
 * losses are solved here, by the dual method of liblinear (Hsieh and others 2008) with random numbers of its own, since
 * liblinear calls rand(), which all threads share, and knows no weights of rows: weak examples would have to be weighed
 * by copies of all others. One thread a solver. */
#ifndef SCENT_LEARN_SOLVER_H
#define SCENT_LEARN_SOLVER_H

#include "learn/dataset.h"

enum solver_loss { SOLVER_SQUARED_HINGE, SOLVER_LOGISTIC, SOLVER_HINGE };

struct solver;
/* `data` holds weights and must outlive it. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status solver_new(const struct dataset *data, enum solver_loss loss,
                                        struct solver **out);
void solver_free(struct solver *solver); /* NULL is fine */

/* w[nfeatures + 1] that tell the rows of `class` from all others; the last is the bias, a feature that is always 1 and
 * is regularised like the others. Only rows with keep[row] count (NULL: all); both sides must be among them. */
void solver_solve(struct solver *solver, double C, uint32_t class, const bool *keep, double *w);

#endif
