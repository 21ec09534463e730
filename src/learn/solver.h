/* solver - liblinear behind a wall (it has a struct model of its own); for this folder.
 *
 * Its primal trust-region Newton solvers reach the optimum of the dual ones without drawing random numbers: the result
 * depends on the examples alone, whatever other threads do. The hinge loss has no derivative and so no primal solver;
 * liblinear's dual one (L2R_L1LOSS_SVC_DUAL) calls rand(), which all threads share, so that method (Hsieh and others
 * 2008) stands here with random numbers of its own. One thread a solver. */
#ifndef SCENT_LEARN_SOLVER_H
#define SCENT_LEARN_SOLVER_H

#include "learn/dataset.h"

enum solver_loss { SOLVER_SQUARED_HINGE, SOLVER_LOGISTIC, SOLVER_HINGE };

struct solver;
/* `data` holds weights and must outlive it. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status solver_new(const struct dataset *data, struct solver **out);
void solver_free(struct solver *solver); /* NULL is fine */

/* w[nfeatures + 1] that tell the rows of `class` from all others; the last is the bias, a feature that is always 1 and
 * is regularised like the others. Only rows with keep[row] count (NULL: all); both sides must be among them. */
void solver_solve(struct solver *solver, enum solver_loss loss, double C, uint32_t class, const bool *keep, double *w);

#endif
