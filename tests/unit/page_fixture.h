/* One page from a string, checked, for the tests of page. */
#ifndef SCENT_TESTS_PAGE_FIXTURE_H
#define SCENT_TESTS_PAGE_FIXTURE_H

#include "base/buf.h"
#include "page_check.h"
#include "test.h"

struct page_fixture {
    struct page_options options;
    struct arena arena;
    struct page page;
};

static inline const struct page *fixture_analyse(struct page_fixture *fixture, const char *headers, struct str body)
{
    struct page_analyser *analyser = page_analyser_new(&fixture->options);
    struct url url;

    arena_init(&fixture->arena, (size_t)1 << 30);
    assert_int_equal(url_parse(&fixture->arena, STR("http://site.test/dir/page.html"), NULL, &url), SCENT_OK);
    assert_int_equal(page_analyse(analyser, &(struct page_input){&url, str_of(headers), body}, &fixture->arena,
                                  &fixture->page),
                     SCENT_OK);
    page_analyser_free(analyser);
    page_check(&fixture->page);
    return &fixture->page;
}

static inline const struct page *fixture_html(struct page_fixture *fixture, const char *html)
{
    return fixture_analyse(fixture, "Content-Type: text/html; charset=utf-8\r\n", str_of(html));
}

static inline void fixture_release(struct page_fixture *fixture)
{
    arena_release(&fixture->arena);
}

/* The words [first, end) are these (folded, separated by spaces). */
static inline void assert_words(const struct page *page, uint32_t first, uint32_t end, const char *want)
{
    struct str rest = str_of(want), word;
    uint32_t i = first;

    while (*want && str_split(&rest, ' ', &word)) {
        assert_true(i < end);
        if (page->words[i].word != text_word_hash(word)) {
            print_error("word %u is not \"%.*s\"\n", i, STR_ARG(word));
            fail();
        }
        i++;
    }
    assert_int_equal(i, end);
}

/* The n-th node with this tag. */
static inline uint32_t find_node(const struct page *page, enum page_tag tag, unsigned n)
{
    for (uint32_t i = 0; i < page->nnodes; i++)
        if (page->nodes[i].tag == tag && n-- == 0)
            return i;
    return PAGE_NONE;
}

#endif
