/* The first line is a query, the rest a text: either there is an error with a position, or a belief, and what the parts
 * are said to believe agrees with it. */
#include "topic/query.h"

#include "text/text.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { WORDS = 512 };

static void make_page(struct str text, struct page *page, struct page_word *words)
{
    struct text_cursor cursor;
    char word[TEXT_WORD_MAX];
    size_t len;

    *page = (struct page){.lang = STR("en"), .words = words};
    text_cursor_init(&cursor, text);
    while (page->nwords < WORDS && text_next_word(&cursor, word, &len)) {
        uint64_t hash = text_word_hash((struct str){word, len});

        words[page->nwords++] = (struct page_word){.word = hash, .stem = hash};
    }
}

static void demand(bool condition)
{
    if (!condition)
        abort();
}

/* A half of the weight of each word: nothing is found that was not there, and no more of it. */
static void weigh(const struct query *query, const struct page *page, const struct query_scratch *whole)
{
    float weights[WORDS];
    struct query_scratch scratch;
    struct query_text text;

    for (size_t i = 0; i < WORDS; i++)
        weights[i] = .5f;
    text = query_text_weighted(page, 0, page->nwords, weights);
    query_count(query, &text, &scratch);
    for (size_t i = 0; i < query_terms(query); i++)
        demand(scratch.tf[i] * 2 == whole->tf[i]);
}

static void believe(const struct query *query, const struct page *page)
{
    struct query_text text = query_text_page(page);
    struct query_scratch scratch;
    struct query_counts term_counts;
    struct query_stats *stats;
    struct buf out;
    double belief;

    buf_init(&out, 1 << 20);
    query_counts_init(&term_counts, query);
    query_counts_add(&term_counts, page);
    stats = query_counts_stats(query, &term_counts, NULL);
    belief = query_belief(query, stats, &text, &scratch);
    demand(belief >= -1e-9 && belief <= 1 + 1e-9);
    for (size_t i = 0; i < query_terms(query); i++)
        demand(scratch.tf[i] >= 0 && scratch.tf[i] <= page->nwords && (scratch.tf[i] > 0) == (stats->df[i] == 1));
    weigh(query, page, &scratch);
    query_explain(query, stats, &text, 0, &out);
    if (!out.failed) {
        char want[16];

        snprintf(want, sizeof want, "%.4f  ", belief);
        demand(str_starts(buf_str(&out), str_of(want)));
    }
    free(stats);
    query_counts_release(&term_counts);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str all = {(const char *)data, len};
    size_t end = str_find(all, '\n');
    struct page_word words[WORDS];
    struct errmsg err = {{0}};
    struct query *query;
    struct page page;

    if (query_parse(str_sub(all, 0, end), &query, &err) != SCENT_OK) {
        demand(!query && ascii_is_digit(err.text[0]));
        return 0;
    }
    make_page(str_sub(all, end < len ? end + 1 : len, len), &page, words);
    believe(query, &page);
    query_free(query);
    return 0;
}
