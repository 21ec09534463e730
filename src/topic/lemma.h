/* lemma - a word of the user, ready to be compared with the stems of a page in any language.
 *
 * Stemming happens once, when a predicate or query is read; a comparison needs no stemmer, which would belong to one
 * thread. Plain data in the caller's arena; a struct lemma_maker belongs to one thread. */
#ifndef SCENT_TOPIC_LEMMA_H
#define SCENT_TOPIC_LEMMA_H

#include "base/arena.h"
#include "text/text.h"

enum { LEMMA_LANGS_MAX = 64 };

struct lemma_form {
    uint16_t lang; /* lemma_lang() */
    uint64_t stem;
};
struct lemma {
    uint64_t own;             /* hash of the folded word: its stem in every language not in `forms` */
    struct lemma_form *forms; /* languages in which the stem is another, sorted by `lang` */
    uint32_t nforms;
    bool maybe_stop; /* a stop word somewhere: it may be missing from a page's bag */
};
struct lemmas {
    struct lemma *items;
    uint32_t count;
};

/* A number for a two-letter code; 0 for what is none. */
uint16_t lemma_lang(struct str lang);
uint64_t lemma_stem(const struct lemma *lemma, uint16_t lang);

struct lemma_maker {
    struct text_stemmer *stemmer;
    char langs[LEMMA_LANGS_MAX][2]; /* those with a stemmer, sorted */
    size_t nlangs;
};
void lemma_maker_init(struct lemma_maker *maker);
void lemma_maker_release(struct lemma_maker *maker);
/* The words of `text`, at most `room`, in `arena`. SCENT_E_LIMIT: there are more; SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status lemma_read(struct lemma_maker *maker, struct str text, size_t room, struct arena *arena,
                                        struct lemmas *out);

#endif
