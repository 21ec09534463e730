/* lsi_parts - what an lsi is made of; for this folder. All of it lies in its arena and never changes once it is whole. */
#ifndef SCENT_LEARN_LSI_PARTS_H
#define SCENT_LEARN_LSI_PARTS_H

#include "learn/lsi.h"
#include "learn/vocabulary.h"

enum { LSI_LOGS = 128 };

struct lsi {
    struct arena arena;
    struct vocabulary vocabulary;
    uint64_t *stems;
    double *idf;
    double *rows;     /* U_k, `dims` numbers a stem */
    double *singular; /* dims */
    uint32_t nwords, dims;
    double log_tf[LSI_LOGS]; /* 1 + ln tf of whole numbers; 0: not there */
};

struct lsi *lsi_new(void); /* never NULL */

/* What an item of a page weighs before the cosine norm, and the number of its stem; 0: an unknown stem, no frequency. */
double lsi_weight(const struct lsi *lsi, const struct text_weight *item, uint32_t *word);

#endif
