/* text - words, stop words, stems, language.
 *
 * A word is a maximal run of letters and digits after Unicode case folding; Chinese, Japanese and Korean
 * runs give overlapping bigrams. Everything is UTF-8; invalid bytes separate words.
 * Thread: a struct text_stemmer belongs to one thread; all else is pure. */
#ifndef SCENT_TEXT_TEXT_H
#define SCENT_TEXT_TEXT_H

#include "base/hash.h"
#include "base/status.h"
#include "base/str.h"

/* The hash under which words and stems are known everywhere (fixed: models are saved with it). */
enum { TEXT_HASH_SEED = 0x5ce7 };
static inline uint64_t text_word_hash(struct str folded)
{
    return hash_str(folded, TEXT_HASH_SEED);
}

/* Finds the next word at or after *pos of UTF-8 `s`; the folded word is written to `word` (at most `room`
 * bytes, longer words are cut at a character). False at the end. */
enum { TEXT_WORD_MAX = 64 };
struct text_cursor {
    struct str s;
    size_t pos;
    uint32_t prev_cjk; /* bigrams: the character before, 0 for none */
    size_t start, end; /* bytes of `s` that the word came from */
};
void text_cursor_init(struct text_cursor *cursor, struct str s);

/* The general case of text_next_word(). */
bool text_next_word_of_any(struct text_cursor *cursor, char word[TEXT_WORD_MAX], size_t *len);
/* For each byte: the folded ASCII letter or digit, 0 for what separates, 1 where it belongs to a longer character. */
extern const unsigned char text_ascii_folds[256];

static inline bool text_next_word(struct text_cursor *cursor, char word[TEXT_WORD_MAX], size_t *len)
{
    const unsigned char *p = (const unsigned char *)cursor->s.p;
    size_t pos = cursor->pos, end = cursor->s.len, n = 0, limit;
    unsigned char fold = 0;

    if (cursor->prev_cjk)
        return text_next_word_of_any(cursor, word, len);
    while (pos < end && !text_ascii_folds[p[pos]])
        pos++;
    cursor->pos = pos;
    limit = end - pos < TEXT_WORD_MAX ? end - pos : TEXT_WORD_MAX;
    while (n < limit && (fold = text_ascii_folds[p[pos + n]]) > 1)
        word[n++] = (char)fold;
    if (n == 0 || (fold && pos + n < end)) /* the end, a longer character, or too long a word */
        return pos < end && text_next_word_of_any(cursor, word, len);
    cursor->start = pos;
    cursor->pos = cursor->end = pos + n;
    *len = n;
    return true;
}

/* Languages are ISO 639-1 codes: en, de, fr, … */
bool text_is_stop_word(struct str lang, struct str folded);
bool text_is_stop_word_somewhere(uint64_t word_hash); /* in any language that we have a list of */
/* A set of stop words for `lang` (NULL when we have none); pure lookup by hash. */
struct text_stop_words;
const struct text_stop_words *text_stop_words_for(struct str lang);
bool text_stop_words_have(const struct text_stop_words *set, uint64_t word_hash);

bool text_has_stemmer(struct str lang);
/* Snowball with a cache: each distinct word is stemmed once. Bounded: the cache is emptied when full. */
struct text_stemmer;
struct text_stemmer *text_stemmer_new(void);
void text_stemmer_free(struct text_stemmer *stemmer);
/* The hash of the stem of a folded word whose hash is `hash`; the word's own hash where `lang` has no stemmer. */
uint64_t text_stem_hash(struct text_stemmer *stemmer, struct str lang, struct str folded, uint64_t hash);
/* The stem itself, without the cache: the folded word where there is none. Until the next call. */
struct str text_stem(struct text_stemmer *stemmer, struct str lang, struct str folded);

/* "en" for "en", "EN-us" and "en_GB.UTF-8", "no" for "nb"; false when `tag` does not begin like a language tag.
 * A language without a two-letter code is given as its three letters. */
bool text_lang_code(struct str tag, char out[4]);

/* A guess from the text itself: stop-word votes first, n-grams as the last resort; empty when unsure. */
struct str text_guess_language(struct str utf8);
/* The two steps of it, for who has the words already. The n-grams (libexttextcat) cost up to 1.6 ms and need its
 * fingerprints to be installed; without them the answer is empty. Results point to constants. */
enum { TEXT_VOTE_LANGS = 18 };
struct text_votes {
    uint64_t words, hits[TEXT_VOTE_LANGS], weight[TEXT_VOTE_LANGS];
};
void text_vote(struct text_votes *votes, uint64_t word_hash, uint32_t times);
struct str text_votes_winner(const struct text_votes *votes); /* empty when undecided */
struct str text_guess_by_ngrams(struct str utf8);

/* Sparse term vectors, sorted by id: the common currency of classifiers and similarities. */
struct text_weight {
    uint64_t stem;
    double weight;
};
struct text_vector {
    struct text_weight *items;
    size_t count;
};
int text_order_stems(const void *a, const void *b); /* of two struct text_weight, for qsort() */
/* How a raw frequency becomes a weight (SMART): ltc (1 + ln tf) ln(D/df), then cosine-normalised; atn
 * (.5 + .5 tf/max tf) ln(D/df); tf the frequency itself; lsc as ltc with 1 + ln((D + 1)/(df + 1)): where document
 * frequencies come from a few examples, a word that all positive ones have tells most and must not weigh least. A
 * fractional tf below 1 (a word far from a link) counts as itself in ltc and lsc: 1 + ln tf would turn negative, and
 * the two agree at 1 in value and slope. */
enum text_weighting { TEXT_LTC, TEXT_ATN, TEXT_TF, TEXT_LSC };
double text_weigh_tf(enum text_weighting weighting, double tf, double max_tf); /* the part without D and df */
double text_weigh_df(enum text_weighting weighting, double ndocs, double df);  /* that part; df above 0 */
extern const char *const text_weighting_names[]; /* as users write them; NULL after the last */
static inline bool text_weighting_is_cosine(enum text_weighting weighting)
{
    return weighting == TEXT_LTC || weighting == TEXT_LSC;
}
double text_idf(double ndocs, double df);                                      /* ln(D/df), df at least 1, never < 0 */

/* Are these frequencies of terms: ids in order, each once, weights above 0? Files and databases may say anything. */
bool text_is_frequencies(const struct text_vector *v);
double text_dot(const struct text_vector *a, const struct text_vector *b);
double text_norm(const struct text_vector *v);
double text_cosine(const struct text_vector *a, const struct text_vector *b); /* 0 for an empty one */

#endif
