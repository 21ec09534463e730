/* collection_build - the second pass: analyses the pages of a surveyed web into a page file. */
#ifndef SCENT_LAB_COLLECTION_BUILD_H
#define SCENT_LAB_COLLECTION_BUILD_H

#include "lab/collection.h"

/* Bytes in the page file's `extra`: the names of the pages, one struct after the other, each followed by its text and
 * its label, both without terminators. */
struct collection_name {
    uint32_t page;
    bool main; /* the page's own URL; others are further names */
    uint16_t len, label_len;
};

SCENT_NODISCARD scent_status collection_build(const struct collection_options *options, const char *file,
                                              uint64_t sources, struct errmsg *err);

#endif
