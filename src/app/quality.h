/* quality - how good a model is and what it goes by, for people and for programs. */
#ifndef SCENT_APP_QUALITY_H
#define SCENT_APP_QUALITY_H

#include "learn/evaluate.h"
#include "training/training_set.h"

#include <stdio.h>

enum { QUALITY_WORDS = 12 };

struct quality {
    const struct topic *topic;
    const struct training_set *examples;
    const struct model *model;
    const struct evaluate_result *result; /* NULL: it could not be measured */
    const char *path;                     /* where the model was written */
};

void quality_print(const struct quality *quality, FILE *out);
void quality_print_json(const struct quality *quality, FILE *out); /* one object */

#endif
