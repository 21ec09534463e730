/* syntax_error - a message about a place in a text of the user: line, column, the line itself and a caret below. */
#ifndef SCENT_TOPIC_SYNTAX_ERROR_H
#define SCENT_TOPIC_SYNTAX_ERROR_H

#include "base/status.h"
#include "base/str.h"

/* Fills `err` with "LINE:COLUMN: what", an excerpt and a caret for the byte offset `at` of `source`. */
void syntax_error_at(struct str source, size_t at, const char *what, struct errmsg *err);
/* The same for "expected …, got …"; `got` is the text at that place, whose beginning is shown; empty: the end. */
void syntax_error_expected(struct str source, size_t at, const char *expected, struct str got, struct errmsg *err);

#endif
