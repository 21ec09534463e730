/* predicate - the language of a topic's `relevant`: which pages are wanted?
 *
 *   similar() > 0.3 and ("ice hockey" or title("nhl")) and not url ~ "/shop/"
 *
 * The grammar, keywords in any case (docs/guide/topic-file.md explains it to users):
 *   either  = both { "or" both }
 *   both    = one { "and" one }
 *   one     = "not" one | "(" either ")" | test
 *   test    = "true" | "false" | word | text                  on the page, compared by stem
 *           | "title" "(" text ")" | "url" "~" text           text is in double or single quotes
 *           | "host" ( "=" text | "!=" text | "in" texts )    globs, as in the scope
 *           | "lang" ( "=" text | "!=" text | "in" texts )
 *           | value ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) value
 *           | measure                                         alone: above its usual threshold
 *   texts   = "(" text { "," text } ")"
 *   value   = measure | "size" | "depth" | number [ "kB" | "MiB" | … ]
 *   measure = ( "similar" | "query" | "classifier" | "browsing" | "judge" ) "(" ")" | "category" "(" text ")"
 *
 * Any bytes give a predicate or an error with its line and column. Evaluation is pure and bounded: linear in the
 * page's words, and a regular expression gives up after a fixed amount of work. Cheap tests come first, and a measure
 * is taken only when the verdict needs it. Any thread. */
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

/* What a comparison can be about. */
enum predicate_value {
    VALUE_NUMBER,
    VALUE_SIZE,
    VALUE_DEPTH,
    VALUE_SIMILAR, /* this and the following are measures */
    VALUE_QUERY,
    VALUE_CLASSIFIER,
    VALUE_BROWSING,
    VALUE_JUDGE,
    VALUE_CATEGORY
};

/* Is the measure of this kind part of the predicate? Constants are folded: what cannot matter is not. */
bool predicate_asks(const struct predicate *predicate, enum predicate_value measure);
/* Does every test compare numbers, the size, the depth or this measure? Then a page is judged without its words. */
bool predicate_asks_only(const struct predicate *predicate, enum predicate_value measure);
/* The categories, by number; each name once. */
size_t predicate_ncategories(const struct predicate *predicate);
struct str predicate_category(const struct predicate *predicate, size_t i);
/* Fails with position, `what` and caret at the first test that asks for `measure`; of categories for number `category`,
 * or UINT32_MAX for any. SCENT_OK: no test does. */
SCENT_NODISCARD scent_status predicate_refuse(const struct predicate *predicate, enum predicate_value measure,
                                              uint32_t category, const char *what, struct errmsg *err);

/* The words and phrases that pages must or may have, as a query: 'a and ("b c" or d)' is '#sum("a" #max("b c" "d"))'.
 * Nothing is written where there are none; what stands behind `not` is left out. */
void predicate_write_query(const struct predicate *predicate, struct buf *out);

/* Who takes the measures: asked only for what the verdict needs, perhaps more than once. */
struct predicate_oracle {
    double (*ask)(void *ctx, enum predicate_value measure, uint32_t category);
    /* Lines for people that tell where the value comes from, each after `indent` spaces; may be NULL. */
    void (*explain)(void *ctx, enum predicate_value measure, uint32_t category, int indent, struct buf *out);
    void *ctx;
};
struct predicate_input {
    const struct page *page;
    uint64_t bytes;
    uint32_t depth;
    struct predicate_oracle oracle; /* .ask NULL: every measure is 0 */
};
bool predicate_eval(const struct predicate *predicate, const struct predicate_input *input);
/* A line for each part: yes or no, the part as it was written, and the value that decided. */
SCENT_NODISCARD scent_status predicate_explain(const struct predicate *predicate, const struct predicate_input *input,
                                               struct buf *out);

#endif
