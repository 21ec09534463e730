/* backlink_training - a model that learns from the words around links to the examples, not from the examples (Pant and
 * Srinivasan, 10.4): at most 10 back-links of each example, found in the collection, the 40 words around each; as many of
 * them at random as there are examples, for the topic and for the others alike. */
#ifndef SCENT_LAB_BACKLINK_TRAINING_H
#define SCENT_LAB_BACKLINK_TRAINING_H

#include "lab/backlinks.h"
#include "lab/trial.h"

enum { BACKLINK_TRAINING_LINKS = 10, BACKLINK_TRAINING_WORDS = 40 };

/* The same trial and seed give the same model. SCENT_E_INVALID: nothing links to the examples. */
SCENT_NODISCARD scent_status backlink_train(const struct collection *collection, const struct backlinks *backlinks,
                                            const struct trial *trial, uint64_t seed,
                                            const struct model_options *options, struct model **out,
                                            struct errmsg *err);

#endif
