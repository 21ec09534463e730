/* What is content and what is not, on small pages; blocks that repeat on a host. */
#include "page/content.h"
#include "page/repeats.h"
#include "page_fixture.h"

#define PROSE                                                                                                          \
    "Sockets carry bytes between two programs that need not run on the same machine, and the kernel keeps them in "    \
    "order. A server waits for connections, a client opens them, and both read and write until one of them ends it."

/* The texts of the blocks that are content, one a line. */
static void check_content(const struct page *page, const char *want)
{
    struct buf got;

    buf_init(&got, 0);
    for (uint32_t i = 0; i < page->nblocks; i++)
        if (!page->blocks[i].is_boilerplate)
            buf_printf(&got, "%.*s|",
                       STR_ARG(str_trim(str_sub(page->text, page->blocks[i].start, page->blocks[i].end))));
    assert_string_equal(buf_z(&got), want);
    buf_release(&got);
}

static void check(const char *html, const char *want)
{
    struct page_fixture f = {0};

    check_content(fixture_html(&f, html), want);
    fixture_release(&f);
}

static void test_elements(void **state)
{
    (void)state;
    check("<title>T</title><header><p>Our site</p></header><nav><a href=/a>One</a></nav><main><h1>Sockets</h1><p>"
          PROSE "<aside>See also</aside></main><aside>Weather</aside><footer>All rights reserved</footer>",
          "Sockets|" PROSE "|");
    check("<div role=navigation><a href=/a>One</a></div><div role=main><p>" PROSE "</div><div role=contentinfo>Us</div>",
          PROSE "|");
    /* the header of an article is its headline; several articles are content together */
    check("<p>Welcome<article><header><h2>A</h2></header><p>" PROSE "</article><article><p>" PROSE "</article><p>Bye",
          "A|" PROSE "|" PROSE "|");
    /* the headline may stand outside */
    check("<header><h1>Sockets</h1><a href=/>Home</a></header><main><p>" PROSE "</main>", "Sockets|" PROSE "|");
}

static void test_classes(void **state)
{
    (void)state;
    check("<div class='left sidebar'><p>One two three</div><div id=mainMenu>Four</div><div><p>" PROSE "</div>"
          "<div class=copyright>2026 Us</div>", PROSE "|");
    check("<div id=bodyContent><p>" PROSE "</div><div>Five words that stand outside</div>", PROSE "|");
    /* "contents", "navy" and "unavailable" say nothing; a class of the body is not asked */
    assert_int_equal(content_class_zone(STR("table-of-contents unavailable headersLarge mainframe")), 0);
    assert_int_equal(content_class_zone(STR("top NavBar")), CONTENT_UNLIKELY);
    assert_int_equal(content_class_zone(STR("spirit-nav")), CONTENT_UNLIKELY);
    assert_int_equal(content_class_zone(STR("pageContent")), CONTENT_LIKELY);
    assert_int_equal(content_class_zone(STR("content-footer")), CONTENT_UNLIKELY);
    assert_int_equal(content_class_zone(STR("content with-sidebar")), 0);
    check("<body class=sidebar><p>" PROSE, PROSE "|");
    /* a class around everything is not believed */
    check("<div class=menu><h1>Sockets</h1><p>" PROSE "</div>", "Sockets|" PROSE "|");
}

static void test_density(void **state)
{
    (void)state;
    check("<table><tr><td><a href=a>Home</a> <a href=b>Products</a> <a href=c>Contact us</a></table><h2>Sockets</h2><p>" PROSE
          "<ul><li><a href=x>Pipes</a> are older<li>Files</ul><p>" PROSE
          "<ul><li><a href=d>Imprint</a><li><a href=e>Privacy policy</a></ul><select><option>English<option>French</select>",
          "Sockets|" PROSE "|Pipes are older|Files|" PROSE "|");
    /* a page of links alone is all content */
    check("<ul><li><a href=a>One</a><li><a href=b>Two</a></ul>", "One|Two|");
    check("<nav><a href=a>One</a></nav>", "One|");
    /* in code names are links */
    check("<p>" PROSE "<pre><a href=a>socket</a>(<a href=b>domain</a>, <a href=c>type</a>)</pre>",
          PROSE "|socket(domain, type)|");
}

static void test_blocks(void **state)
{
    struct page_fixture f = {0};
    const struct page *page = fixture_html(
        &f, "<title>T</title><h2>A<br>b</h2><p>text <b>bold</b><ul><li>one<ol><li>deep <a href=x>link here</a></ol></ul>"
            "<table><tr><td>c<td>d<tr><td>e</table><pre>code</pre>last");
    static const struct page_block want[] = {
        {.kind = PAGE_BLOCK_HEADING, .level = 2}, {.kind = PAGE_BLOCK_TEXT}, {.kind = PAGE_BLOCK_ITEM, .level = 1},
        {.kind = PAGE_BLOCK_ITEM, .level = 2, .link_words = 2}, {.kind = PAGE_BLOCK_ROW}, {.kind = PAGE_BLOCK_ROW},
        {.kind = PAGE_BLOCK_CODE}, {.kind = PAGE_BLOCK_TEXT},
    };

    (void)state;
    assert_int_equal(page->nblocks, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < page->nblocks; i++) {
        assert_int_equal(page->blocks[i].kind, want[i].kind);
        assert_int_equal(page->blocks[i].level, want[i].level);
        assert_int_equal(page->blocks[i].link_words, want[i].link_words);
    }
    check_content(page, "A\nb|text bold|one|deep link here|c d|e|code|last|");
    fixture_release(&f);
}

/* Terms are those of the content, words and links are marked; where the whole page counts, all are content. */
static void test_marks(void **state)
{
    static const char html[] = "<html lang=en><title>Net</title><nav><a href=/n>sockets sockets</a></nav><main><p>the socket "
                               "<a href=/m>opens</a></main><footer>socket closes</footer>";
    struct page_fixture f = {0}, whole = {.options = {.whole_page = true}};
    const struct page *page = fixture_html(&f, html);

    (void)state;
    assert_int_equal(page->nwords, 8);
    assert_int_equal(page->ncontent, 4);
    assert_int_equal(page->nbag, 3);
    for (uint32_t i = 0; i < page->nbag; i++)
        assert_int_equal(page->bag[i].tf, 1);
    assert_true(page->links[0].is_boilerplate && !page->links[1].is_boilerplate);
    page = fixture_html(&whole, html);
    assert_int_equal(page->ncontent, 8);
    assert_int_equal(page->nbag, 4);
    assert_false(page->links[0].is_boilerplate || page->blocks[0].is_boilerplate);
    fixture_release(&f);
    fixture_release(&whole);
}

/* ---- hosts ---- */

#define NOTICE "<p>Please read our terms before you go on and remember that nothing is promised."

static struct page *page_of_host(struct page_fixture *f, int n)
{
    char html[2048];

    snprintf(html, sizeof html, "<h2>Overview</h2>" NOTICE "<p>%s <b>page %d</b><p>Example %d follows the rule.", PROSE, n, n);
    fixture_html(f, html);
    return &f->page;
}

static void count_pages(struct repeats *repeats, int first, int end, int step)
{
    for (int n = first; n != end; n += step) {
        struct page_fixture f = {0};

        repeats_apply(NULL, page_of_host(&f, n));
        repeats_count(repeats, &f.page);
        fixture_release(&f);
    }
}

static void check_repeats(const struct repeats *repeats, int n, bool notice_is_content)
{
    struct page_fixture f = {0};
    struct page *page = page_of_host(&f, n);
    struct repeats_host *host = repeats_of(repeats, &page->url);

    repeats_apply(host, page);
    page_check(page);
    assert_int_equal(page->nblocks, 4);
    assert_false(page->blocks[0].is_boilerplate); /* a heading */
    assert_int_equal(!page->blocks[1].is_boilerplate, notice_is_content);
    assert_false(page->blocks[2].is_boilerplate || page->blocks[3].is_boilerplate);
    repeats_host_unref(host);
    fixture_release(&f);
}

static void test_repeats(void **state)
{
    struct repeats *one = repeats_new(), *other = repeats_new();
    struct buf saved, again;

    (void)state;
    count_pages(one, 0, 3, 1);
    check_repeats(one, 50, true);
    count_pages(one, 3, 40, 1);
    check_repeats(one, 50, false);
    check_repeats(one, 3, false);
    /* the order does not matter */
    count_pages(other, 39, -1, -1);
    check_repeats(other, 50, false);
    buf_init(&saved, 0);
    buf_init(&again, 0);
    repeats_save(one, &saved);
    /* what was saved is known at once */
    assert_true(repeats_load(other, buf_str(&saved)));
    check_repeats(other, 50, false);
    repeats_save(other, &again);
    assert_int_equal(saved.len, again.len);
    assert_memory_equal(saved.p, again.p, saved.len);
    /* and it goes on as the other does */
    count_pages(one, 60, 70, 1);
    count_pages(other, 60, 70, 1);
    buf_clear(&saved);
    buf_clear(&again);
    repeats_save(one, &saved);
    repeats_save(other, &again);
    assert_int_equal(saved.len, again.len);
    assert_memory_equal(saved.p, again.p, saved.len);
    assert_false(repeats_load(other, str_sub(buf_str(&saved), 0, saved.len - 1)));
    check_repeats(other, 50, true);
    buf_release(&saved);
    buf_release(&again);
    repeats_free(one);
    repeats_free(other);
}

struct told {
    uint32_t hosts;
    struct repeats_host *of[3];
};

static scent_status keep_repeated(void *ctx, uint32_t host, struct str blocks)
{
    struct told *told = ctx;

    assert_true(host < 3 && !told->of[host]);
    told->of[host] = repeats_host_new(blocks);
    told->hosts++;
    return SCENT_OK;
}

typedef scent_status tally_fn(struct repeats_tally *tally, uint32_t host, struct str record);

/* Pages first to end - 1 of a host, in either direction. */
static void tally_pages(tally_fn *fn, struct repeats_tally *tally, uint32_t host, int first, int end, int step)
{
    struct page_fixture f = {0};

    for (int n = first; n != end; n += step) {
        repeats_apply(NULL, page_of_host(&f, n));
        assert_int_equal(fn(tally, host, repeats_record(&f.page, STR_NONE, &f.arena)), SCENT_OK);
        fixture_release(&f);
    }
}

/* Words of content of a page that is seen so, and its record. */
static uint32_t record_page(const struct repeats_host *host, struct str before, struct arena *arena, struct str *record)
{
    struct page_fixture f = {0};
    struct page *page = page_of_host(&f, 50);
    uint32_t content;

    repeats_apply(host, page);
    *record = repeats_record(page, before, arena);
    assert_non_null(record->p);
    content = page->ncontent;
    fixture_release(&f);
    return content;
}

/* A record says which blocks repeated when the page came, and which do now. */
static void check_records(const struct repeats_host *host)
{
    struct repeats_host *now, *first;
    struct str came, later, again;
    uint32_t all, some;
    struct arena arena;

    arena_init(&arena, 1 << 20);
    all = record_page(NULL, STR_NONE, &arena, &came);
    assert_true(repeats_agree(NULL, came) && !repeats_agree(host, came));
    some = record_page(host, came, &arena, &later);
    assert_true(some < all && later.len == came.len);
    assert_true(repeats_agree(host, later) && !repeats_agree(NULL, later));
    now = repeats_host_of(later, REPEATS_NOW);
    first = repeats_host_of(later, REPEATS_FIRST);
    assert_int_equal(record_page(now, later, &arena, &again), some);
    assert_true(str_eq(again, later));
    assert_int_equal(record_page(first, later, &arena, &again), all);
    assert_true(str_eq(again, came));
    repeats_host_unref(now);
    repeats_host_unref(first);
    arena_release(&arena);
}

/* Whatever the order, and in how many parts; a host with few pages repeats nothing. */
static void test_tally(void **state)
{
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        struct repeats_tally tally = {.blocks = turn < 2 ? 0 : 3 * (uint64_t)REPEATS_PART};
        struct told told = {0};

        tally_pages(repeats_tally_size, &tally, 2, 0, 20, 1);
        tally_pages(repeats_tally_size, &tally, 0, 0, 3, 1);
        assert_int_equal(tally.records, 23);
        assert_int_equal(repeats_tally_parts(&tally), turn < 2 ? 1 : 4);
        while (tally.part < repeats_tally_parts(&tally)) {
            tally_pages(repeats_tally_add, &tally, 2, turn % 2 ? 19 : 0, turn % 2 ? -1 : 20, turn % 2 ? -1 : 1);
            tally_pages(repeats_tally_add, &tally, 0, 0, 3, 1);
            assert_int_equal(repeats_tally_end_part(&tally), SCENT_OK);
        }
        assert_int_equal(repeats_tally_each(&tally, keep_repeated, &told), SCENT_OK);
        assert_true(told.hosts == 1 && told.of[2]);

        check_records(told.of[2]);
        repeats_host_unref(told.of[2]);
        repeats_tally_release(&tally);
    }
    assert_null(repeats_host_new(STR("bbbbbbbbaaaaaaaa"))); /* not in order */
}

/* A page that repeats as a whole stays content. */
static void test_nothing_left(void **state)
{
    struct repeats *repeats = repeats_new();
    struct page_fixture f = {0};
    struct page *page = page_of_host(&f, 1);
    struct repeats_host *host;

    (void)state;
    repeats_apply(NULL, page);
    for (int i = 0; i < 10; i++)
        repeats_count(repeats, page);
    host = repeats_of(repeats, &page->url);
    repeats_apply(host, page);
    for (uint32_t i = 0; i < page->nblocks; i++)
        assert_false(page->blocks[i].is_boilerplate);
    repeats_host_unref(host);
    repeats_free(repeats);
    fixture_release(&f);
}

/* Pages without end of blocks without end, on hosts without end: the memory is bounded and the navigation stays known. */
static void test_bounds(void **state)
{
    struct repeats *repeats = repeats_new();
    struct page_fixture f = {0};
    struct buf html, saved;
    const struct page *page;

    (void)state;
    buf_init(&html, 0);
    buf_init(&saved, 0);
    for (int n = 0; n < 12; n++) {
        struct page_fixture one = {0};

        buf_clear(&html);
        buf_addz(&html, NOTICE);
        for (int i = 0; i < 1000; i++)
            buf_printf(&html, "<p>block %d of page %d says this alone", i, n);
        fixture_html(&one, buf_z(&html));
        repeats_apply(NULL, &one.page);
        repeats_count(repeats, &one.page);
        fixture_release(&one);
    }
    check_repeats(repeats, 1, false);
    page = page_of_host(&f, 1);
    repeats_apply(NULL, &f.page);
    for (int i = 0; i < 3 * REPEATS_HOSTS; i++) {
        struct page other = *page;

        assert_int_equal(url_parse(&f.arena, arena_printf(&f.arena, "http://h%d.test/", i), NULL, &other.url), SCENT_OK);
        repeats_count(repeats, &other);
        repeats_count(repeats, &other);
    }
    check_repeats(repeats, 1, false);
    repeats_save(repeats, &saved);
    assert_in_range(saved.len, 1, REPEATS_HOSTS * (24 + 24 * 4) + 24 * (REPEATS_BLOCKS + 1) + 4);
    fixture_release(&f);
    /* a million blocks in a page */
    buf_clear(&html);
    for (int i = 0; i < 1000000; i++)
        buf_addz(&html, "<p>x");
    page = fixture_html(&f, buf_z(&html));
    assert_in_range(page->nblocks, 1, 500000);
    fixture_release(&f);
    buf_release(&html);
    buf_release(&saved);
    repeats_free(repeats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_classes),      cmocka_unit_test(test_density),
        cmocka_unit_test(test_blocks),   cmocka_unit_test(test_marks),         cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_tally),
        cmocka_unit_test(test_tally),    cmocka_unit_test(test_nothing_left),  cmocka_unit_test(test_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
