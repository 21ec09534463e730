/* platt - a sigmoid from decision values to probabilities (Platt 1999); for this folder. Pure. */
#ifndef SCENT_LEARN_PLATT_H
#define SCENT_LEARN_PLATT_H

#include "learn/parts.h"

/* Fits p = 1 / (1 + exp(a f + b)) to n decision values by maximum likelihood, with the targets (N+ + 1)/(N+ + 2) and
 * 1/(N- + 2): Newton's method with backtracking (Lin, Lin, Weng 2007). Both kinds of examples must be there. */
struct sigmoid platt_fit(const double *f, const bool *positive, size_t n);
double platt_probability(struct sigmoid sigmoid, double f);

#endif
