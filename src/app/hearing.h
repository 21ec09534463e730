/* hearing - a judge at work outside of a crawl: pages in, verdicts with their reasons out. For `scent judge`. */
#ifndef SCENT_APP_HEARING_H
#define SCENT_APP_HEARING_H

#include "topic/judge.h"
#include "topic/vector.h"
#include "training/pagefile.h"

#include <stdio.h>

struct hearing {
    const struct topic *topic;
    struct judge *judge;
    struct page_analyser *analyser;
    struct arena arena; /* of one page */
    struct centroid seeds;
    const char *base; /* the URL that files are taken to come from; NULL: their own */
    FILE *out;
    bool json;
    uint64_t judged, relevant;
};

void hearing_init(struct hearing *hearing, const struct topic *topic, FILE *out);
void hearing_release(struct hearing *hearing);
/* A seed's page, for similar(); all of them before hearing_open(). */
pagefile_fn hearing_add_seed;
void hearing_open(struct hearing *hearing);
/* Judges a page and prints the verdict. */
pagefile_fn hearing_judge;

#endif
