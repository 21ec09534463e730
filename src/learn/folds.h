/* folds - splits rows into parts of like composition; for this folder. Pure. */
#ifndef SCENT_LEARN_FOLDS_H
#define SCENT_LEARN_FOLDS_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* fold[i] < nfolds for each of n rows: the rows of each class are shuffled and dealt out in turn, so that the folds
 * differ by at most one row of any class. A class with fewer rows than folds is absent from some of them. The dealing
 * goes on where the class before stopped, so that small classes do not all lie in the first fold. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status folds_split(const uint32_t *class, size_t n, uint32_t nclasses, uint32_t nfolds,
                                         uint64_t seed, uint32_t *fold);

#endif
