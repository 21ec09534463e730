/* predicate - the language of a topic's `relevant`: which pages are wanted?
 *
 *   similar() > 0.3 and ("ice hockey" or title("nhl")) and not url ~ "/shop/"
 *
 * The grammar, keywords in any case (docs/topic-file.md explains it to users):
 *   either  = both { "or" both }
 *   both    = one { "and" one }
 *   one     = "not" one | "(" either ")" | test
 *   test    = "true" | "false" | word | text                  on the page, compared by stem
 *           | "title" "(" text ")" | "url" "~" text           text is in double or single quotes
 *           | "host" ( "=" text | "!=" text | "in" texts )    globs, as in the scope
 *           | "lang" ( "=" text | "!=" text | "in" texts )
 *           | value ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) value
 *   texts   = "(" text { "," text } ")"
 *   value   = "similar" "(" ")" | "size" | "depth" | number [ "kB" | "MiB" | … ]
 *
 * Any bytes give a predicate or an error with its line and column. Evaluation is pure and bounded: linear in the
 * page's words, and a regular expression gives up after a fixed amount of work. Any thread. */
#ifndef SCENT_TOPIC_PREDICATE_H
#define SCENT_TOPIC_PREDICATE_H

#include "base/buf.h"
#include "base/status.h"
#include "page/page.h"

struct predicate;

/* The message is "LINE:COLUMN: what and the fix", the line it is about and a caret below the place.
 * SCENT_E_INVALID: not in the language; SCENT_E_UNSUPPORTED: needs what this version does not have;
 * SCENT_E_LIMIT: too long or too deep. *out is NULL after a failure. */
SCENT_NODISCARD scent_status predicate_parse(struct str text, struct predicate **out, struct errmsg *err);
void predicate_free(struct predicate *predicate); /* NULL is fine */

struct predicate_input {
    const struct page *page;
    uint64_t bytes;
    uint32_t depth;
    double similar;
};
bool predicate_eval(const struct predicate *predicate, const struct predicate_input *input);
/* A line for each part: yes or no, the part as it was written, and the value that decided. */
SCENT_NODISCARD scent_status predicate_explain(const struct predicate *predicate, const struct predicate_input *input,
                                               struct buf *out);

#endif
