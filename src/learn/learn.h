/* learn - the labelled examples that a model is trained on.
 *
 * Plain data of the caller: nothing here is copied or owned. An example is a vector of raw term frequencies (sorted by
 * stem, no stem twice, finite and not negative; fractions are welcome) with one class. A page with several labels
 * appears once for each of them. Classes are dotted categories: "Sports.Hockey" lies below "Sports". */
#ifndef SCENT_LEARN_LEARN_H
#define SCENT_LEARN_LEARN_H

#include "text/text.h"

struct learn_example {
    struct text_vector tf;
    uint32_t class; /* index into classes */
};

/* The text of a stem, for explanations. */
struct learn_word {
    uint64_t stem;
    struct str text;
};

enum { LEARN_CLASS_MAX = 4096 }; /* bytes of the name of a class */

struct learn_set {
    const struct learn_example *examples;
    size_t nexamples;
    const struct str *classes;
    uint32_t nclasses;
    const struct learn_word *words; /* optional; sorted by stem */
    size_t nwords;
};

#endif
