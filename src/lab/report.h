/* report - an experiment as one HTML file for a person who has not seen the program: no script, no other file, light
 * and dark, printable. The same summary gives the same bytes. */
#ifndef SCENT_LAB_REPORT_H
#define SCENT_LAB_REPORT_H

#include "lab/summary.h"

SCENT_NODISCARD scent_status report_write(const struct summary *summary, struct buf *out);

#endif
