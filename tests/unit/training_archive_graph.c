/* The links between the pages of an archive: back-links, ways, redirects, and what is not a page. */
#include "test.h"

#include "base/file.h"
#include "training/archive_graph.h"

static struct log quiet = {.level = LOG_ERROR};

static void add_response(struct buf *out, const char *url, const char *head, const char *body)
{
    struct buf block;

    buf_init(&block, 0);
    buf_printf(&block, "HTTP/1.1 %s\r\nContent-Type: text/html\r\n\r\n%s", head, body);
    buf_printf(out,
               "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
               "Content-Length: %zu\r\n\r\n",
               url, block.len);
    buf_add(out, buf_str(&block));
    buf_addz(out, "\r\n\r\n");
    buf_release(&block);
}

/*   b -> a (twice), b -> c by the redirect "old", c -> b, d -> c, e links to a page that is an error, and to itself */
static struct archive_graph *open_graph(const char *dir)
{
    struct archive_graph *graph;
    struct errmsg err = {0};
    char path[512];
    struct buf warc;

    buf_init(&warc, 0);
    add_response(&warc, "http://g.test/a", "200 X", "<p>alpha");
    add_response(&warc, "http://g.test/b", "200 X",
                 "<a href='http://out.test/'>x</a> <a href=a>one</a> <a href=a>two</a> <a href=old>three</a>");
    add_response(&warc, "http://g.test/old", "301 X\r\nLocation: /c", "");
    add_response(&warc, "http://g.test/c", "200 X", "<a href='b#part'>b</a>");
    add_response(&warc, "http://g.test/d", "200 X", "<a href=c>c</a>");
    add_response(&warc, "http://g.test/e", "200 X", "<a href=gone>gone</a> <a href=e>e</a>");
    add_response(&warc, "http://g.test/gone", "404 X", "<a href=a>a</a>");
    snprintf(path, sizeof path, "%s/g.warc", dir);
    assert_ok(file_replace(path, buf_str(&warc), &err), err);
    buf_release(&warc);
    assert_ok(archive_graph_open(dir, false, &quiet, NULL, NULL, &graph, &err), err);
    return graph;
}

static uint32_t find(const struct archive_graph *graph, const char *name)
{
    char href[64];
    uint32_t page = PAGE_NONE;

    snprintf(href, sizeof href, "HTTP://G.test:80/%s", name);
    assert_true(archive_graph_find(graph, str_of(href), &page));
    return page;
}

static void links_are_known_both_ways(void **state)
{
    char *dir = test_make_dir();
    struct archive_graph *graph = open_graph(dir);
    const struct page_graph *pages = archive_graph_pages(graph);
    uint32_t a = find(graph, "a"), b = find(graph, "b"), c = find(graph, "c"), d = find(graph, "d"), nowhere;
    const struct page_backlink *back;
    const uint32_t *links;
    size_t count;

    (void)state;
    assert_int_equal(page_graph_count(pages), 7);
    assert_int_equal(find(graph, "old"), c);
    assert_false(archive_graph_find(graph, STR("http://g.test/gone"), &nowhere));
    assert_false(archive_graph_find(graph, STR("http://g.test/none"), &nowhere));
    links = page_graph_links(pages, b, &count);
    assert_int_equal(count, 2);
    assert_int_equal(links[0], a);
    assert_int_equal(links[1], c);
    back = page_graph_backlinks(pages, a, &count);
    assert_int_equal(count, 1); /* the page that is an error does not count */
    assert_int_equal(back[0].page, b);
    assert_int_equal(back[0].link, 1); /* the first of the two */
    back = page_graph_backlinks(pages, c, &count);
    assert_int_equal(count, 2);
    assert_int_equal(back[0].page, b);
    assert_int_equal(back[0].link, 3);
    assert_int_equal(back[1].page, d);
    page_graph_links(pages, find(graph, "e"), &count);
    assert_int_equal(count, 0);
    archive_graph_close(graph);
    test_remove_dir(dir);
}

static void pages_are_read_again(void **state)
{
    char *dir = test_make_dir();
    struct archive_graph *graph = open_graph(dir);
    const struct page_graph *pages = archive_graph_pages(graph);
    const uint32_t *targets;
    const struct page *page = page_graph_page(pages, find(graph, "b"), &targets);

    (void)state;
    assert_int_equal(page->nlinks, 4);
    assert_int_equal(targets[0], PAGE_NONE);
    assert_int_equal(targets[3], find(graph, "c"));
    page = page_graph_page(pages, 2, NULL); /* the redirect */
    assert_int_equal(page->nlinks, 0);
    assert_int_equal(page->nwords, 0);
    archive_graph_close(graph);
    test_remove_dir(dir);
}

static void distances_follow_back_links(void **state)
{
    char *dir = test_make_dir();
    struct archive_graph *graph = open_graph(dir);
    const struct page_graph *pages = archive_graph_pages(graph);
    uint32_t goals[] = {find(graph, "a"), find(graph, "a")}, distances[7];

    (void)state;
    assert_int_equal(page_graph_distances(pages, goals, 2, UINT32_MAX, distances), SCENT_OK);
    assert_int_equal(distances[find(graph, "a")], 0);
    assert_int_equal(distances[find(graph, "b")], 1);
    assert_int_equal(distances[find(graph, "c")], 2);
    assert_int_equal(distances[find(graph, "d")], 3);
    assert_true(distances[find(graph, "e")] == PAGE_GRAPH_FAR);
    assert_int_equal(page_graph_distances(pages, goals, 1, 2, distances), SCENT_OK);
    assert_int_equal(distances[find(graph, "c")], 2);
    assert_true(distances[find(graph, "d")] == PAGE_GRAPH_FAR);
    archive_graph_close(graph);
    test_remove_dir(dir);
}

static void an_archive_that_is_not_there(void **state)
{
    struct archive_graph *graph;
    struct errmsg err = {0};
    char *dir = test_make_dir();

    (void)state;
    assert_int_equal(archive_graph_open(dir, false, &quiet, NULL, NULL, &graph, &err), SCENT_E_NOTFOUND);
    assert_non_null(strstr(err.text, dir));
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_known_both_ways),
        cmocka_unit_test(pages_are_read_again),
        cmocka_unit_test(distances_follow_back_links),
        cmocka_unit_test(an_archive_that_is_not_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
