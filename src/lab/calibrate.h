/* calibrate - above which belief of a query are pages relevant? Samples pages around a threshold, lets a label or a
 * person judge them, and estimates the precision at thresholds (Pirkola and Talvensaari, section 4: 450 judged pages,
 * .45, 84 %).
 *
 * Beliefs are those of one index of the whole collection. The range around the threshold is divided into bands of the
 * same width, and everything above it is one more; of each band as many pages are drawn as of the others. The precision
 * above a border is the mean over the bands above it, each weighted by its number of pages, with the standard error of
 * a stratified sample. The same seed draws the same pages. Thread: one. */
#ifndef SCENT_LAB_CALIBRATE_H
#define SCENT_LAB_CALIBRATE_H

#include "base/buf.h"
#include "lab/collection.h"

enum { CALIBRATE_BANDS = 10 }; /* below and above the threshold together; the one above all comes on top */

struct calibrate_options {
    struct str query;
    double around, width; /* the range is around - width to around + width */
    uint32_t pages;       /* to be judged, at most */
    uint64_t seed;
};

enum calibrate_verdict { CALIBRATE_UNKNOWN, CALIBRATE_NO, CALIBRATE_YES };

struct calibrate_band {
    double low;    /* beliefs above it belong to the band */
    size_t pages;  /* in the collection */
    size_t judged, relevant; /* of the sample */
};

struct calibration {
    struct arena arena;
    struct calibrate_page {
        uint32_t page, band;
        double belief;
        enum calibrate_verdict verdict;
    } *sample; /* by belief, the highest first */
    size_t count;
    struct calibrate_band bands[CALIBRATE_BANDS + 1];
};

/* SCENT_E_INVALID: not a query, or no page is believed in. On failure there is nothing to release. */
SCENT_NODISCARD scent_status calibrate_sample(const struct collection *collection,
                                              const struct calibrate_options *options, struct calibration *out,
                                              struct errmsg *err);
void calibrate_release(struct calibration *calibration);

/* By labels: marks of every page. */
void calibrate_judge(struct calibration *calibration, const bool *relevant);
/* By a person: lines `verdict<TAB>belief<TAB>url<TAB>title`, where ? is to be replaced by y or n. Read back, lines are
 * found by their URLs; a verdict of a page that is not in the sample is left out. SCENT_E_INVALID: a line is not such
 * a line, `err` names it. */
void calibrate_write_sheet(const struct calibration *calibration, const struct collection *collection, struct buf *out);
SCENT_NODISCARD scent_status calibrate_read_sheet(struct calibration *calibration, const struct collection *collection,
                                                  struct str text, const char *name, struct errmsg *err);

/* The precision above the low border of `band`, and its standard error; NAN while a band above it has pages and none of
 * them is judged. */
double calibrate_precision(const struct calibration *calibration, size_t band, double *error);
/* A table for people; the same as JSON. out->failed: no memory. */
void calibrate_print(const struct calibration *calibration, struct buf *out);
void calibrate_write_json(const struct calibration *calibration, struct buf *out);

#endif
