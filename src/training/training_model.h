/* training_model - the file in which a topic's model is kept: NAME.model beside the topic, learned/model in a crawl.
 *
 * One line, "scent-trained 1 FINGERPRINT", that says what it was trained with, then the model as learn writes it, with
 * its own version and checksum (docs/internals/formats.md). */
#ifndef SCENT_TRAINING_TRAINING_MODEL_H
#define SCENT_TRAINING_TRAINING_MODEL_H

#include "learn/model.h"

/* Atomic: after a crash the old file or the new one is there. */
SCENT_NODISCARD scent_status training_model_save(const struct model *model, uint64_t fingerprint, const char *path,
                                          struct errmsg *err);
/* SCENT_E_NOTFOUND; SCENT_E_FORMAT and SCENT_E_VERSION: damaged, foreign or of another version, `err` says what to
 * do. */
SCENT_NODISCARD scent_status training_model_load(const char *path, struct model **out, uint64_t *fingerprint,
                                             struct errmsg *err);

#endif
