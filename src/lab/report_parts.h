/* report_parts - what the files report*.c share. */
#ifndef SCENT_LAB_REPORT_PARTS_H
#define SCENT_LAB_REPORT_PARTS_H

#include "lab/summary.h"

/* Ten colours with five dashes: curves look alike after so many series. */
enum { REPORT_STYLES = 50 };

/* A curve for each series with error bars, and a legend. */
void report_chart(struct buf *out, const struct summary *summary, enum summary_measure measure, const char *title);
/* The style sheet, with a class s0, s1, … for each colour. */
void report_style(struct buf *out);

#endif
