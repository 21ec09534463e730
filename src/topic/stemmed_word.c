#include "topic/stemmed_word.h"

uint16_t stemmed_lang(struct str lang)
{
    return lang.len == 2 ? (uint16_t)((unsigned char)lang.p[0] << 8 | (unsigned char)lang.p[1]) : 0;
}

uint64_t stemmed_word_in(const struct stemmed_word *word, uint16_t lang)
{
    for (uint32_t i = 0; i < word->nforms && word->forms[i].lang <= lang; i++)
        if (word->forms[i].lang == lang)
            return word->forms[i].stem;
    return word->own;
}

/* Asks for every two-letter code: which of them have a stemmer is the text module's to know. */
void stemmers_init(struct stemmers *stemmers)
{
    *stemmers = (struct stemmers){.stemmer = text_stemmer_new()};
    for (char a = 'a'; a <= 'z'; a++) {
        for (char b = 'a'; b <= 'z'; b++) {
            char code[2] = {a, b};

            if (!text_has_stemmer((struct str){code, 2}))
                continue;
            SCENT_BUG_IF(stemmers->nlangs == STEMMED_LANGS_MAX);
            memcpy(stemmers->langs[stemmers->nlangs++], code, 2);
        }
    }
}

void stemmers_release(struct stemmers *stemmers)
{
    text_stemmer_free(stemmers->stemmer);
}

static scent_status fill_forms(struct stemmers *stemmers, struct str folded, struct arena *arena,
                               struct stemmed_word *word)
{
    struct stemmed_form forms[STEMMED_LANGS_MAX];

    for (size_t i = 0; i < stemmers->nlangs; i++) {
        struct str lang = {stemmers->langs[i], 2};
        uint64_t stem = text_stem_hash(stemmers->stemmer, lang, folded, word->own);

        if (stem != word->own)
            forms[word->nforms++] = (struct stemmed_form){stemmed_lang(lang), stem};
    }
    word->forms = arena_array(arena, word->nforms, sizeof *word->forms);
    if (!word->forms)
        return SCENT_E_NOMEM;
    memcpy(word->forms, forms, word->nforms * sizeof *forms);
    return SCENT_OK;
}

static size_t count_words(struct str text, size_t most)
{
    struct text_cursor cursor;
    char folded[TEXT_WORD_MAX];
    size_t len, n = 0;

    text_cursor_init(&cursor, text);
    while (n < most && text_next_word(&cursor, folded, &len))
        n++;
    return n;
}

scent_status stemmed_words_read(struct stemmers *stemmers, struct str text, size_t room, struct arena *arena,
                        struct stemmed_words *out)
{
    size_t n = count_words(text, room + 1), len;
    struct text_cursor cursor;
    char folded[TEXT_WORD_MAX];

    *out = (struct stemmed_words){0};
    if (n > room)
        return SCENT_E_LIMIT;
    out->items = arena_array(arena, n, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    text_cursor_init(&cursor, text);
    while (out->count < n && text_next_word(&cursor, folded, &len)) {
        struct stemmed_word *item = &out->items[out->count++];
        struct str word = {folded, len};

        *item = (struct stemmed_word){.own = text_word_hash(word)};
        item->maybe_stop = text_is_stop_word_somewhere(item->own);
        if (fill_forms(stemmers, word, arena, item) != SCENT_OK)
            return SCENT_E_NOMEM;
    }
    return SCENT_OK;
}
