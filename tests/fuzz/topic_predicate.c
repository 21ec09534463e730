/* Any bytes give a predicate or an error with a position; a predicate has a verdict and an explanation, and the
 * explanation agrees with the verdict. The first line is the predicate, the rest is the page. */
#include "text/text.h"
#include "topic/predicate.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { WORDS = 64 };

static int by_stem(const void *a, const void *b)
{
    const struct page_term *x = a, *y = b;

    return (x->stem > y->stem) - (x->stem < y->stem);
}

static void make_page(struct str text, struct arena *arena, struct page *page, struct page_word *words,
                      struct page_term *bag)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len;

    *page = (struct page){.title = text, .lang = STR("en"), .words = words, .bag = bag};
    text_cursor_init(&cursor, text);
    while (page->nwords < WORDS && text_next_word(&cursor, word, &len)) {
        uint64_t hash = text_word_hash((struct str){word, len});

        words[page->nwords++] = (struct page_word){.word = hash, .stem = hash};
        if (page->nwords % 2)
            bag[page->nbag++] = (struct page_term){.stem = hash, .text = STR("word"), .tf = 1};
    }
    if (page->nbag)
        qsort(bag, page->nbag, sizeof *bag, by_stem);
    if (url_parse(arena, text, NULL, &page->url) != SCENT_OK)
        page->url = (struct url){0};
}

static double ask(void *ctx, enum predicate_value measure, uint32_t category)
{
    const struct predicate *predicate = ctx;

    if (!predicate_asks(predicate, measure))
        abort();
    if (measure == VALUE_CATEGORY)
        return (double)(predicate_category(predicate, category).len % 3) / 2;
    return 0.5;
}

static void judge(const struct predicate *predicate, const struct page *page)
{
    struct predicate_input input = {
        .page = page, .bytes = 1000, .depth = 2, .oracle = {.ask = ask, .ctx = (void *)predicate}};
    struct buf out;

    buf_init(&out, 1 << 20);
    if (predicate_explain(predicate, &input, &out) == SCENT_OK &&
        predicate_eval(predicate, &input) != str_starts(buf_str(&out), STR("yes")))
        abort();
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str all = {(const char *)data, len}, text;
    size_t end = str_find(all, '\n');
    struct page_word words[WORDS];
    struct page_term bag[WORDS];
    struct predicate *predicate;
    struct errmsg err = {{0}};
    struct arena arena;
    struct page page;

    text = str_sub(all, end < len ? end + 1 : len, len);
    if (predicate_parse(str_sub(all, 0, end), &predicate, &err) != SCENT_OK) {
        if (predicate || !ascii_is_digit(err.text[0]))
            abort();
        return 0;
    }
    arena_init(&arena, 1 << 20);
    make_page(text, &arena, &page, words, bag);
    judge(predicate, &page);
    arena_release(&arena);
    predicate_free(predicate);
    return 0;
}
