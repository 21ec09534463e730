#include "topic/lemma.h"

uint16_t lemma_lang(struct str lang)
{
    return lang.len == 2 ? (uint16_t)((unsigned char)lang.p[0] << 8 | (unsigned char)lang.p[1]) : 0;
}

uint64_t lemma_stem(const struct lemma *lemma, uint16_t lang)
{
    for (uint32_t i = 0; i < lemma->nforms && lemma->forms[i].lang <= lang; i++)
        if (lemma->forms[i].lang == lang)
            return lemma->forms[i].stem;
    return lemma->own;
}

/* Asks for every two-letter code: which of them have a stemmer is the text module's to know. */
void lemma_maker_init(struct lemma_maker *maker)
{
    *maker = (struct lemma_maker){.stemmer = text_stemmer_new()};
    for (char a = 'a'; a <= 'z'; a++) {
        for (char b = 'a'; b <= 'z'; b++) {
            char code[2] = {a, b};

            if (!text_has_stemmer((struct str){code, 2}))
                continue;
            SCENT_BUG_IF(maker->nlangs == LEMMA_LANGS_MAX);
            memcpy(maker->langs[maker->nlangs++], code, 2);
        }
    }
}

void lemma_maker_release(struct lemma_maker *maker)
{
    text_stemmer_free(maker->stemmer);
}

static scent_status fill_forms(struct lemma_maker *maker, struct str folded, struct arena *arena, struct lemma *lemma)
{
    struct lemma_form forms[LEMMA_LANGS_MAX];

    for (size_t i = 0; i < maker->nlangs; i++) {
        struct str lang = {maker->langs[i], 2};
        uint64_t stem = text_stem_hash(maker->stemmer, lang, folded, lemma->own);

        if (stem != lemma->own)
            forms[lemma->nforms++] = (struct lemma_form){lemma_lang(lang), stem};
    }
    lemma->forms = arena_array(arena, lemma->nforms, sizeof *lemma->forms);
    if (!lemma->forms)
        return SCENT_E_NOMEM;
    memcpy(lemma->forms, forms, lemma->nforms * sizeof *forms);
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

scent_status lemma_read(struct lemma_maker *maker, struct str text, size_t room, struct arena *arena,
                        struct lemmas *out)
{
    size_t n = count_words(text, room + 1), len;
    struct text_cursor cursor;
    char folded[TEXT_WORD_MAX];

    *out = (struct lemmas){0};
    if (n > room)
        return SCENT_E_LIMIT;
    out->items = arena_array(arena, n, sizeof *out->items);
    if (!out->items)
        return SCENT_E_NOMEM;
    text_cursor_init(&cursor, text);
    while (out->count < n && text_next_word(&cursor, folded, &len)) {
        struct lemma *lemma = &out->items[out->count++];
        struct str word = {folded, len};

        *lemma = (struct lemma){.own = text_word_hash(word)};
        lemma->maybe_stop = text_is_stop_word_somewhere(lemma->own);
        if (fill_forms(maker, word, arena, lemma) != SCENT_OK)
            return SCENT_E_NOMEM;
    }
    return SCENT_OK;
}
