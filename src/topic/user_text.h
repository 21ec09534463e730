/* user_text - what predicates and queries share as texts of the user: stemmed words, and messages about a place.
 *
 * A stemmed word is ready to be compared with the stems of a page in any language.
 *
 * Stemming happens once, when a predicate or query is read; a comparison needs no stemmer, which would belong to one
 * thread. Plain data in the caller's arena; a struct stemmers belongs to one thread. */
#ifndef SCENT_TOPIC_USER_TEXT_H
#define SCENT_TOPIC_USER_TEXT_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "text/text.h"

enum { STEMMED_LANGS_MAX = 64 };

struct stemmed_form {
    uint16_t lang; /* stemmed_lang() */
    uint64_t stem;
};
struct stemmed_word {
    uint64_t own;             /* hash of the folded word: its stem in every language not in `forms` */
    struct stemmed_form *forms; /* languages in which the stem is another, sorted by `lang` */
    uint32_t nforms;
    bool maybe_stop; /* a stop word somewhere: it may be missing from a page's bag */
};
struct stemmed_words {
    struct stemmed_word *items;
    uint32_t count;
};

/* A number for a two-letter code; 0 for what is none. */
uint16_t stemmed_lang(struct str lang);
uint64_t stemmed_word_in(const struct stemmed_word *word, uint16_t lang);

struct stemmers {
    struct text_stemmer *stemmer;
    char langs[STEMMED_LANGS_MAX][2]; /* those with a stemmer, sorted */
    size_t nlangs;
};
void stemmers_init(struct stemmers *stemmers);
void stemmers_release(struct stemmers *stemmers);
/* The words of `text`, at most `room`, in `arena`. SCENT_E_LIMIT: there are more; SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status stemmed_words_read(struct stemmers *stemmers, struct str text, size_t room,
                                                struct arena *arena, struct stemmed_words *out);

/* Fills `err` with "LINE:COLUMN: what", an excerpt and a caret for the byte offset `at` of `source`. */
void syntax_error_at(struct str source, size_t at, const char *what, struct errmsg *err);
/* The same for "expected …, got …"; `got` is the text at that place, whose beginning is shown; empty: the end. */
void syntax_error_expected(struct str source, size_t at, const char *expected, struct str got, struct errmsg *err);

#endif
