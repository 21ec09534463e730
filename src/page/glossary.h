/* glossary - the distinct words of a page: each is stemmed once and looked up among the stop words once.
 *
 * Words enter in document order and get numbers 0, 1, …; once the language is known glossary_stem() fills in stems
 * and stop flags, and glossary_bag() adds up equal stems. Kept from page to page; glossary_clear() between them.
 * Thread: one. */
#ifndef SCENT_PAGE_GLOSSARY_H
#define SCENT_PAGE_GLOSSARY_H

#include "base/arena.h"
#include "page/page.h"
#include "text/text.h"

struct glossary_word {
    uint64_t word, stem;
    uint32_t text, len; /* in glossary.text */
    uint32_t count;
    uint32_t flags; /* enum page_word_flags */
};

struct glossary {
    struct glossary_word *words;
    char *text;      /* the folded words, one after the other */
    uint32_t *slots; /* number of a word (or term) + 1, by hash; nslots is a power of two */
    struct page_term *terms;
    size_t count, room, text_len, text_room, nslots, slots_room, terms_room;
};

void glossary_init(struct glossary *glossary);
void glossary_release(struct glossary *glossary);
void glossary_clear(struct glossary *glossary);

/* The number of a folded word, counted once more; PAGE_NONE when memory is short. */
uint32_t glossary_add(struct glossary *glossary, struct str folded);
void glossary_stem(struct glossary *glossary, struct text_stemmer *stemmer, struct str lang);
struct str glossary_language(const struct glossary *glossary); /* by votes; empty when undecided */
/* The terms, sorted, in `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status glossary_bag(struct glossary *glossary, struct arena *arena, struct page *out);

#endif
