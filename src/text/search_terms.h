/* search_terms - the terms under which a text is found by a full-text search.
 *
 * The words of text.h without accents, so that "cafe" finds "Café". Where a script has no spaces between words
 * (Chinese, Japanese, Korean; Thai, Lao, Khmer, Burmese) the terms are overlapping pairs of characters, and the last
 * character of a run alone: every character begins a term, so that a single one is found as a prefix, and two or more
 * as a phrase. Pages and queries are read by the same function. Invalid UTF-8 separates terms. Pure; any thread. */
#ifndef SCENT_TEXT_SEARCH_TERMS_H
#define SCENT_TEXT_SEARCH_TERMS_H

#include "text/text.h"

struct search_term {
    char text[TEXT_WORD_MAX];
    size_t len;
    size_t start, end; /* bytes of the text that it came from */
    bool is_pair;      /* of characters */
    bool is_tail;      /* the last character of a run, behind the pairs of it */
    char word[TEXT_WORD_MAX]; /* as text.h has it, with its accents: what a stemmer takes */
    size_t word_len;          /* 0: of a script without spaces */
};

struct search_terms {
    struct text_cursor cursor;
    struct search_term next; /* was read ahead, where has_next */
    bool has_next;
    size_t second, pair_end; /* the bytes of the second character of the pair that came last; pair_end 0: none */
    struct str run;    /* the rest of a run of a word of text.h that is cut into pairs, with … */
    size_t run_start;  /* … its place in the text */
};
void search_terms_init(struct search_terms *terms, struct str utf8);
bool search_terms_next(struct search_terms *terms, struct search_term *out);

/* `word` without accents, into `out`; the length. */
size_t search_terms_plain(struct str word, char out[TEXT_WORD_MAX]);

/* Does the term have one character only, of a script without spaces? A query takes it as a prefix. */
bool search_term_is_character(const struct search_term *term);

#endif
