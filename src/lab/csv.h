/* csv - a text as a field of a table for spreadsheets (RFC 4180). */
#ifndef SCENT_LAB_CSV_H
#define SCENT_LAB_CSV_H

#include "base/buf.h"

/* Quoted; what a spreadsheet would take for a formula gets an apostrophe before it. */
void csv_field(struct buf *out, struct str s);

#endif
