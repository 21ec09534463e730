/* compare_parts - what the files compare*.c share. */
#ifndef SCENT_LAB_COMPARE_PARTS_H
#define SCENT_LAB_COMPARE_PARTS_H

#include "json/json.h"
#include "lab/compare.h"

#include <stddef.h>
#include <stdint.h>

struct compare_run {
    const char *dir;
    struct json *json; /* its summary.json */
};

struct compare {
    struct compare_run *runs;
    size_t nruns;
    uint32_t *points; /* that all have */
    size_t npoints;
    size_t baseline; /* series of the first run */
};

struct compare_value {
    double mean, error; /* NAN: not measured */
};

/* Against the baseline, paired by topic. */
struct compare_test {
    size_t topics;                    /* in common; 0: another collection */
    double difference, better, worse; /* means over these topics; p of one-tailed t-tests. NAN: fewer than two topics */
};

const struct json *compare_series(const struct compare_run *run, size_t series);
size_t compare_nseries(const struct compare_run *run);
bool compare_same_collection(const struct compare_run *a, const struct compare_run *b);
bool compare_find_topic(const struct compare_run *run, struct str name, size_t *out);
struct compare_value compare_value(const struct compare_run *run, size_t series, uint32_t pages, const char *measure);
struct compare_test compare_test(const struct compare *compare, size_t run, size_t series, uint32_t pages,
                                 const char *measure);

#endif
