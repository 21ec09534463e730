/* What the tests of learn share. */
#ifndef SCENT_TESTS_LEARN_SAMPLE_H
#define SCENT_TESTS_LEARN_SAMPLE_H

#include "learn/model.h"

#include "test.h"

#include <math.h>

/* cmocka 1.1.5 knows no doubles. */
#define assert_near(got, want, tolerance)                                                             \
    do {                                                                                              \
        double got_ = (got), want_ = (want);                                                          \
                                                                                                      \
        if (!(fabs(got_ - want_) <= (tolerance))) {                                                   \
            print_error("%s is %.17g, not %.17g\n", #got, got_, want_);                               \
            _fail(__FILE__, __LINE__);                                                                \
        }                                                                                             \
    } while (0)

#endif
