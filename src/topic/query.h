/* query - how much does a text speak of what a structured query asks for? InQuery's operators and belief function.
 *
 *   #sum(hockey #syn(nhl league) "ice rink" #uw20(stanley cup final))
 *
 * The language (docs/guide/topic-file.md explains it to users):
 *   query    = item { ["AND"] item }                  several items are a #sum
 *   item     = one { "OR" one }                       words and phrases: a #syn; else an #or
 *   one      = word | "phrase" | "(" query ")" | "NOT" one
 *            | ( "#sum" | "#and" | "#or" | "#not" | "#max" ) "(" query ")"
 *            | "#wsum" "(" number one { number one } ")"
 *            | "#syn" "(" words, phrases, windows ")"
 *            | ( "#odN" | "#N" | "#uwN" ) "(" words and #syn of words ")"
 * A term is what is counted: a word, a #syn, or a window that stands alone. Words are compared by their stems in the
 * language of the text. #odN: in this order, each at most N words after the one before; #uwN: in any order within N
 * words. Matches of a window do not overlap; a #syn counts once at a place.
 *
 * A query is immutable: any thread. Nothing is allocated while a text is evaluated, which takes one look at each of
 * its words. */
#ifndef SCENT_TOPIC_QUERY_H
#define SCENT_TOPIC_QUERY_H

#include "base/buf.h"
#include "base/status.h"
#include "page/page.h"

enum { QUERY_MAX_BYTES = 64 * 1024, QUERY_MAX_WORDS = 1000, QUERY_MAX_WIDTH = 10000 };

struct query;
/* The message is "LINE:COLUMN: what and the fix", the line and a caret. SCENT_E_INVALID, SCENT_E_LIMIT, SCENT_E_NOMEM;
 * *out is NULL then. */
SCENT_NODISCARD scent_status query_parse(struct str text, struct query **out, struct errmsg *err);
void query_free(struct query *query); /* NULL is fine */
size_t query_terms(const struct query *query); /* 1 to QUERY_MAX_WORDS */
/* The stems of its words, each once, as they are in a language (stemmed_lang()); returns how many: at most `room`. */
size_t query_stems(const struct query *query, uint16_t lang, uint64_t *stems, size_t room);
struct str query_source(const struct query *query);
struct query_counts;
/* Which words are perhaps misspelt? Appends to `out` the terms, in quotes, that no text has by `counts` and `sample`
 * (may be NULL) and no background of any language (text/background.h), and returns how many. *found: terms that some
 * text has. What is negated does not count. */
size_t query_missing(const struct query *query, const struct query_counts *counts, const struct query_counts *sample,
                     size_t *found, struct buf *out);
uint64_t query_key(const struct query *query); /* of its source: statistics of another query do not fit */

/* A text: words[first] to words[end - 1]. A page, a link context, or words that count less the farther they are. */
struct query_text {
    const struct page_word *words;
    uint32_t first, end;
    uint32_t left_out;    /* words with one of these flags (enum page_word_flags) do not count */
    const float *weights; /* weights[0] is of words[first]; 0 leaves a word out. NULL: each 1 */
    double length;        /* the sum of the weights, stop words included */
    double avglen;        /* the mean length of such texts (contexts are short); 0: that of the statistics */
    uint16_t lang;        /* stemmed_lang() */
};
struct query_text query_text_page(const struct page *page); /* its content */
struct query_text query_text_range(const struct page *page, uint32_t first, uint32_t end);
struct query_text query_text_weighted(const struct page *page, uint32_t first, uint32_t end, const float *weights);

/* What is known of the texts at large; query_counts_stats() makes it. */
struct query_stats {
    uint64_t documents;
    double avglen;
    const uint64_t *df; /* by term: texts that have it */
    const double *idf;  /* ln((D + .5)/df)/ln(D + 1), df from 1 to D, D at least 1 */
};
double query_idf(uint64_t documents, uint64_t df);

/* Memory for one evaluation at a time; needs no initialisation. */
struct query_mark {
    uint32_t at; /* position + 1; 0: none */
    float weight;
};
struct query_scratch {
    double tf[QUERY_MAX_WORDS];               /* by term, after query_count() */
    struct query_mark last[QUERY_MAX_WORDS];  /* by term: the place that counted last */
    struct query_mark parts[QUERY_MAX_WORDS]; /* of the windows */
};
/* How often each term stands in the text: scratch->tf. */
void query_count(const struct query *query, const struct query_text *text, struct query_scratch *scratch);
/* The belief in [0, 1]; .4 for a term that is not there. Leaves scratch->tf behind. */
double query_belief(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                    struct query_scratch *scratch);
/* The same of a text that was counted before: tf by term, its length, and the mean length of such texts (0: that of the
 * statistics). */
double query_belief_counted(const struct query *query, const struct query_stats *stats, const double *tf, double length,
                            double avglen);
/* A line for each part: its belief, the part as it was written, how often it stands there and in how many texts.
 * out->failed: memory was short. */
void query_explain(const struct query *query, const struct query_stats *stats, const struct query_text *text,
                   int indent, struct buf *out);

/* What the pages at large are like: how many, how long, and in how many each term of the query stands.
 *
 * Counts come from a background sample (the negative examples; a file that `scent train` writes) and from the pages of
 * the crawl. Bounded: 8 bytes a term of the query. One thread counts; judges and strategies use the snapshots that
 * query_counts_stats() makes, which never change. */
struct query_counts {
    const struct query *query; /* outlives it */
    uint64_t documents;
    uint64_t words; /* in all of them, stop words included */
    uint64_t *df;   /* by term */
    size_t nterms;
};

void query_counts_init(struct query_counts *counts, const struct query *query);
void query_counts_release(struct query_counts *counts);
/* The same on the heap. */
struct query_counts *query_counts_new(const struct query *query); /* never NULL */
void query_counts_free(struct query_counts *counts);              /* NULL is fine */
void query_counts_add(struct query_counts *counts, const struct page *page);
/* Adds counts of the same query; NULL: none. */
void query_counts_sum(struct query_counts *counts, const struct query_counts *more);
/* Takes away counts that were added: they leave no trace. */
void query_counts_less(struct query_counts *counts, const struct query_counts *less);


/* What was counted of one page, as bytes that are kept with it: with other statistics its belief can be told again
 * without its words. `key` stands for all that decides what is counted: the query, and what of a page is content. In
 * `arena`; .p NULL: memory is short. */
struct str query_counted_write(const struct query *query, uint64_t key, const struct page *page, struct arena *arena);
/* The tf of *scratch, and the length. False: damaged, or of another key. */
bool query_counted_read(const struct query *query, uint64_t key, struct str counted, struct query_scratch *scratch,
                        double *length);
/* As query_counts_add(). False: it cannot be read, and nothing is added. */
bool query_counts_add_counted(struct query_counts *counts, uint64_t key, struct str counted);

/* Is it time for a new snapshot, when the last one was made of `before` documents? At 16, 32, … of them, and from 1,000
 * on after each 1,000 (Pirkola): the first pages teach most. */
bool query_counts_is_due(const struct query_counts *counts, uint64_t before);
/* Of both together, each of which may be NULL; `query` is theirs. One block of memory: free() it. Never NULL. */
struct query_stats *query_counts_stats(const struct query *query, const struct query_counts *counts,
                                       const struct query_counts *sample);

/* The same from the background (text/background.h) alone, of the words as they are in English: for a query whose terms
 * nobody has counted. */
struct query_stats *query_background_stats(const struct query *query);

/* The counts as text, with a checksum. Reading adds them to what is counted already.
 * SCENT_E_FORMAT: damaged; SCENT_E_VERSION: of a newer version; SCENT_E_INVALID: counted for another query. Nothing is
 * added then, and `err` says which file (`name`) and what to do. */
SCENT_NODISCARD scent_status query_counts_write(const struct query_counts *counts, struct buf *out);
SCENT_NODISCARD scent_status query_counts_read(struct query_counts *counts, struct str bytes, const char *name,
                                             struct errmsg *err);

#endif
