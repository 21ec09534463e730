#include "page/page.h"
#include "test.h"

static enum page_canonical target_of(const char *from, const char *to, uint8_t robots)
{
    struct page page = {.robots = robots};
    enum page_canonical verdict;
    struct arena arena;

    arena_init(&arena, 1 << 16);
    assert_int_equal(url_parse(&arena, str_of(from), NULL, &page.url), SCENT_OK);
    if (to)
        assert_int_equal(url_parse(&arena, str_of(to), NULL, &page.canonical), SCENT_OK);
    verdict = page_canonical_target(&page);
    arena_release(&arena);
    return verdict;
}

static void decisions(void **state)
{
    static const struct {
        const char *from, *to;
        enum page_canonical want;
    } cases[] = {
        {"http://h.org/a", NULL, PAGE_CANONICAL_NONE},
        {"http://h.org/a", "http://h.org/a", PAGE_CANONICAL_SELF},
        {"http://h.org/a#x", "http://h.org/a#y", PAGE_CANONICAL_SELF},
        {"http://h.org/", "http://h.org/", PAGE_CANONICAL_SELF},
        /* copies */
        {"http://h.org/a?sort=up", "http://h.org/a", PAGE_CANONICAL_COPY},
        {"http://h.org/a/", "http://h.org/a", PAGE_CANONICAL_COPY},
        {"http://h.org/a", "https://h.org/a", PAGE_CANONICAL_COPY},
        {"http://m.h.org/a", "http://www.h.org/a", PAGE_CANONICAL_COPY},
        {"http://www.h.co.uk/a", "http://h.co.uk/a", PAGE_CANONICAL_COPY},
        {"http://h.org/index.html", "http://h.org/", PAGE_CANONICAL_COPY},
        {"http://h.org/Default.aspx", "https://www.h.org/", PAGE_CANONICAL_COPY},
        {"http://www.h.org/", "http://h.org/", PAGE_CANONICAL_COPY},
        {"http://h.org/list?page=2&sort=up", "http://h.org/list?page=2", PAGE_CANONICAL_COPY},
        {"http://h.org/print/page/1", "http://h.org/print", PAGE_CANONICAL_COPY},
        {"http://h.org/en/page/7/?print", "http://h.org/en/page/7/", PAGE_CANONICAL_COPY},
        {"http://h.org/a?page=about", "http://h.org/about", PAGE_CANONICAL_COPY},
        /* other sites */
        {"http://h.org/a", "http://i.org/a", PAGE_CANONICAL_ELSEWHERE},
        {"http://h.co.uk/a", "http://i.co.uk/a", PAGE_CANONICAL_ELSEWHERE},
        {"http://a.github.io/x", "http://b.github.io/x", PAGE_CANONICAL_ELSEWHERE},
        /* mistakes */
        {"http://h.org/a/b", "http://h.org/", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/?id=3", "http://h.org/", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/index/about", "http://h.org/", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/index.php?id=7", "http://h.org/", PAGE_CANONICAL_MISTAKE},
        {"https://h.org/a", "http://h.org/a", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/list?page=2", "http://h.org/list", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/list?page=2", "http://h.org/list?page=1", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/list/page/7/", "http://h.org/list/", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/a", "http://h.org/404.html", PAGE_CANONICAL_MISTAKE},
        {"http://h.org/a", "http://h.org/error/", PAGE_CANONICAL_MISTAKE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum page_canonical got = target_of(cases[i].from, cases[i].to, 0);

        if (got != cases[i].want)
            fail_msg("%s to %s: %d, not %d", cases[i].from, cases[i].to, got, cases[i].want);
    }
}

static void contradictions_are_ignored(void **state)
{
    (void)state;
    assert_int_equal(target_of("http://h.org/a", "http://h.org/b", PAGE_NOINDEX), PAGE_CANONICAL_MISTAKE);
    assert_int_equal(target_of("http://h.org/a", "http://h.org/b", PAGE_NOFOLLOW | PAGE_NOARCHIVE), PAGE_CANONICAL_COPY);
    assert_int_equal(target_of("http://h.org/a", "http://h.org/a", PAGE_NOINDEX), PAGE_CANONICAL_SELF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decisions),
        cmocka_unit_test(contradictions_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
