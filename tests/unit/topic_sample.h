/* topic_sample - a page made by hand, so that these tests do not depend on the analysis of HTML. */
#ifndef SCENT_TESTS_TOPIC_SAMPLE_H
#define SCENT_TESTS_TOPIC_SAMPLE_H

#include "page/page.h"
#include "test.h"
#include "text/text.h"

static inline int sample_by_stem(const void *a, const void *b)
{
    const struct page_term *x = a, *y = b;

    return (x->stem > y->stem) - (x->stem < y->stem);
}

static inline void sample_count(struct page *page, uint64_t stem, struct str text)
{
    for (uint32_t i = 0; i < page->nbag; i++) {
        if (page->bag[i].stem == stem) {
            page->bag[i].tf++;
            return;
        }
    }
    page->bag[page->nbag++] = (struct page_term){.stem = stem, .text = text, .tf = 1};
}

static inline void sample_words(struct arena *arena, struct text_stemmer *stemmer, const char *text, struct page *page)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len;

    text_cursor_init(&cursor, str_of(text));
    while (text_next_word(&cursor, word, &len)) {
        struct str folded = {word, len};
        uint64_t hash = text_word_hash(folded), stem = text_stem_hash(stemmer, page->lang, folded, hash);
        bool stop = text_is_stop_word(page->lang, folded);

        page->ncontent++;
        page->words[page->nwords++] =
            (struct page_word){.word = hash, .stem = stem, .flags = stop ? PAGE_WORD_STOP : 0};
        if (!stop)
            sample_count(page, stem, arena_str(arena, folded));
    }
}

/* The words of the title and of `text` in `lang`; stop words stay out of the bag. */
static inline void sample_page(struct arena *arena, const char *url, const char *lang, const char *title,
                               const char *text, struct page *page)
{
    struct text_stemmer *stemmer = text_stemmer_new();
    size_t room = strlen(title) + strlen(text) + 1;

    *page = (struct page){.lang = str_of(lang), .title = str_of(title), .text = str_of(text)};
    assert_int_equal(url_parse(arena, str_of(url), NULL, &page->url), SCENT_OK);
    page->words = arena_array(arena, room, sizeof *page->words);
    page->bag = arena_array(arena, room, sizeof *page->bag);
    assert_true(page->words && page->bag);
    sample_words(arena, stemmer, title, page);
    sample_words(arena, stemmer, text, page);
    qsort(page->bag, page->nbag, sizeof *page->bag, sample_by_stem);
    text_stemmer_free(stemmer);
}

#endif
