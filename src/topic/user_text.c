#include "topic/user_text.h"

#include <stdio.h>

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

/* ---- messages about a place in a text ---- */

enum { SHOWN_BEFORE = 50, SHOWN_AFTER = 26, SHOWN_GOT = 40 };

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* The start of the character `n` characters away from `at`, within [low, high]. */
static size_t back(struct str s, size_t at, size_t low, size_t n)
{
    while (at > low && n) {
        at--;
        n -= !is_continuation(s.p[at]);
    }
    return at;
}

static size_t forth(struct str s, size_t at, size_t high, size_t n)
{
    while (at < high && (n || is_continuation(s.p[at]))) {
        at++;
        n -= at < high && n && !is_continuation(s.p[at]);
    }
    return at;
}

static size_t characters(struct str s, size_t from, size_t to)
{
    size_t n = 0;

    for (size_t i = from; i < to; i++)
        n += !is_continuation(s.p[i]);
    return n;
}

static void copy_printable(char *out, size_t room, struct str s)
{
    size_t n = 0;

    for (size_t i = 0; i < s.len && n + 1 < room; i++)
        out[n++] = (unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f ? ' ' : s.p[i];
    out[n] = 0;
}

void syntax_error_at(struct str source, size_t at, const char *what, struct errmsg *err)
{
    size_t line = 1, begin = 0, end, from, to;
    char excerpt[(SHOWN_BEFORE + SHOWN_AFTER) * 4 + 1];

    for (size_t i = 0; i < at; i++) {
        if (source.p[i] == '\n') {
            line++;
            begin = i + 1;
        }
    }
    for (end = begin; end < source.len && source.p[end] != '\n';)
        end++;
    from = back(source, at, begin, SHOWN_BEFORE);
    to = forth(source, at, end, SHOWN_AFTER);
    copy_printable(excerpt, sizeof excerpt, str_sub(source, from, to));
    errmsg_fail(err, SCENT_E_INVALID, "%zu:%zu: %s\n    %s\n    %*s^", line, characters(source, begin, at) + 1, what,
                excerpt, (int)characters(source, from, at), "");
}

void syntax_error_expected(struct str source, size_t at, const char *expected, struct str got, struct errmsg *err)
{
    char what[256];

    if (got.len == 0)
        got = STR("the end");
    else if (got.len > SHOWN_GOT)
        got.len = SHOWN_GOT;
    snprintf(what, sizeof what, "expected %s, got %.*s", expected, STR_ARG(got));
    for (char *c = what; *c; c++)
        *c = (unsigned char)*c < ' ' ? ' ' : *c;
    syntax_error_at(source, at, what, err);
}
