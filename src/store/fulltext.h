/* fulltext - the full-text index of a crawl: search.db.
 *
 * SQLite's FTS5 with terms of our own (text/search_terms.h); where the language of a page has a stemmer, the stem of a
 * word stands at the same place as the word. Columns: title, words of the URL, content. No text is kept, only which
 * terms stand where: whatever is shown comes from crawl.db and the WARC files, so that an index from somebody else can
 * at worst name other pages. Its size is about two thirds of the content.
 *
 * Rows are the numbers of page rows. Rows are added behind the last, never changed: who searches drops pages that are
 * no longer part of the collection. What is not ours, damaged or of another version is SCENT_E_FORMAT: it can be
 * removed and made again. WAL mode: one handle adds while others search. A handle belongs to one thread at a time. */
#ifndef SCENT_STORE_FULLTEXT_H
#define SCENT_STORE_FULLTEXT_H

#include "base/status.h"
#include "base/str.h"

enum fulltext_column { FULLTEXT_TITLE, FULLTEXT_URL, FULLTEXT_CONTENT, FULLTEXT_COLUMNS };

struct fulltext;
enum fulltext_mode {
    FULLTEXT_WRITE,    /* made where it is missing */
    FULLTEXT_READ,     /* of a directory that cannot be written to */
    FULLTEXT_TEMPORARY /* a new one without a name, gone when it is closed */
};
/* `key` tells the crawl that it belongs to. SCENT_E_FORMAT: see above. */
SCENT_NODISCARD scent_status fulltext_open(const char *path, enum fulltext_mode mode, uint64_t key,
                                           struct fulltext **out, struct errmsg *err);
void fulltext_close(struct fulltext *fulltext); /* NULL is fine */
/* SCENT_E_FORMAT: its file was removed or replaced, by a purge or by a person. */
SCENT_NODISCARD scent_status fulltext_is_here(struct fulltext *fulltext, struct errmsg *err);
/* Removes the files of an index. */
SCENT_NODISCARD scent_status fulltext_remove(const char *path, struct errmsg *err);

/* ---- adding: all between begin and commit. SCENT_E_LOCKED: another handle adds; try later ---- */

SCENT_NODISCARD scent_status fulltext_begin(struct fulltext *fulltext, struct errmsg *err);
SCENT_NODISCARD scent_status fulltext_commit(struct fulltext *fulltext, struct errmsg *err);
void fulltext_rollback(struct fulltext *fulltext);

struct fulltext_page {
    uint64_t number;
    struct str lang, title, url, content; /* `lang` may be empty */
};
SCENT_NODISCARD scent_status fulltext_add(struct fulltext *fulltext, const struct fulltext_page *page,
                                          struct errmsg *err);
/* The number up to which page rows were looked at, whether they were added or not, and when that page was fetched. */
SCENT_NODISCARD scent_status fulltext_set_last(struct fulltext *fulltext, uint64_t number, int64_t wall,
                                               struct errmsg *err);

struct fulltext_state {
    uint64_t last, pages; /* pages: those that were added */
    int64_t last_wall;
};
SCENT_NODISCARD scent_status fulltext_get_state(struct fulltext *fulltext, struct fulltext_state *out,
                                                struct errmsg *err);
/* Merges some of what was added, so that searching stays fast; *more tells whether it makes sense to go on. */
SCENT_NODISCARD scent_status fulltext_merge(struct fulltext *fulltext, bool *more, struct errmsg *err);

/* The languages of pages that have a stemmer, the most frequent first: calls fn(ctx, lang, pages). */
SCENT_NODISCARD scent_status fulltext_each_lang(struct fulltext *fulltext,
                                                void (*fn)(void *ctx, struct str lang, uint64_t pages), void *ctx,
                                                struct errmsg *err);

/* ---- searching ---- */

/* A page that fits, while `fn` is called. */
struct fulltext_row;
uint64_t fulltext_row_number(const struct fulltext_row *row);
/* How often a phrase of the expression (they count from 0 in its order) stands in each column. */
void fulltext_row_counts(const struct fulltext_row *row, int phrase, uint32_t counts[FULLTEXT_COLUMNS]);
void fulltext_row_sizes(const struct fulltext_row *row, uint32_t sizes[FULLTEXT_COLUMNS]); /* terms; costs a look-up */
void fulltext_row_averages(const struct fulltext_row *row, double sizes[FULLTEXT_COLUMNS]);  /* of all pages */

/* Calls `fn` for each page that fits, in the order of numbers, until it returns false. `expression` is one of FTS5
 * whose strings are made of terms with single blanks between them. After `deadline` (clock_mono; 0: none) the search
 * ends: *cut. SCENT_E_FORMAT: the index is damaged. */
typedef bool fulltext_row_fn(void *ctx, const struct fulltext_row *row);
SCENT_NODISCARD scent_status fulltext_find(struct fulltext *fulltext, const char *expression, int64_t deadline,
                                           fulltext_row_fn *fn, void *ctx, bool *cut, struct errmsg *err);

#endif
