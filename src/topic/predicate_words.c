#include "topic/predicate_tree.h"

#include <stdlib.h>

uint16_t predicate_lang_code(struct str lang)
{
    return lang.len == 2 ? (uint16_t)((unsigned char)lang.p[0] << 8 | (unsigned char)lang.p[1]) : 0;
}

uint64_t predicate_word_stem(const struct predicate_word *word, uint16_t lang)
{
    for (uint32_t i = 0; i < word->nforms && word->forms[i].lang <= lang; i++)
        if (word->forms[i].lang == lang)
            return word->forms[i].stem;
    return word->own;
}

/* Asks for every two-letter code: which of them have a stemmer is the text module's to know. */
static scent_status fill_forms(struct predicate_word *word, struct str folded, struct text_stemmer *stemmer,
                               struct arena *arena)
{
    struct predicate_form forms[26 * 26];

    for (char a = 'a'; a <= 'z'; a++) {
        for (char b = 'a'; b <= 'z'; b++) {
            char code[2] = {a, b};
            struct str lang = {code, 2};
            uint64_t stem = text_stem_hash(stemmer, lang, folded, word->own);

            if (stem != word->own)
                forms[word->nforms++] = (struct predicate_form){predicate_lang_code(lang), stem};
            word->maybe_stop |= text_is_stop_word(lang, folded);
        }
    }
    word->forms = arena_array(arena, word->nforms, sizeof *word->forms);
    if (!word->forms)
        return SCENT_E_NOMEM;
    memcpy(word->forms, forms, word->nforms * sizeof *forms);
    return SCENT_OK;
}

scent_status predicate_phrase_init(struct predicate_phrase *phrase, struct str text, size_t room,
                                   struct text_stemmer *stemmer, struct arena *arena)
{
    struct predicate_word words[PREDICATE_MAX_WORDS];
    struct text_cursor cursor;
    char folded[TEXT_WORD_MAX];
    size_t len;

    *phrase = (struct predicate_phrase){0};
    text_cursor_init(&cursor, text);
    while (text_next_word(&cursor, folded, &len)) {
        struct str word = {folded, len};

        if (phrase->count == room || phrase->count == PREDICATE_MAX_WORDS)
            return SCENT_E_LIMIT;
        words[phrase->count] = (struct predicate_word){.own = text_word_hash(word)};
        if (fill_forms(&words[phrase->count++], word, stemmer, arena) != SCENT_OK)
            return SCENT_E_NOMEM;
    }
    phrase->words = arena_array(arena, phrase->count, sizeof *phrase->words);
    if (!phrase->words)
        return SCENT_E_NOMEM;
    memcpy(phrase->words, words, phrase->count * sizeof *words);
    return SCENT_OK;
}
