/* A small crawl directory, searched: hits, their order, excerpts; pages that go, an index that is lost or damaged. */
#include "search/search.h"

#include "base/file.h"
#include "crawldir/crawldir.h"
#include "http/http.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct errmsg err;

struct fixture {
    char *dir;
    struct store *store;
    struct warc_writer *writer;
    struct http_packer *packer;
    struct rng rng;
    struct buf told;
    struct log log;
    struct search *search;
    struct search_results results;
    uint64_t pages;
};

static void told(void *ctx, enum log_level level, const char *line)
{
    (void)level;
    buf_printf(ctx, "%s\n", line);
}

/* ---- the crawl ---- */

static void add_page(struct fixture *t, const char *url, const char *lang, const char *title, const char *text)
{
    static char digest[33];
    struct warc_position at;
    struct warc_span span;
    struct buf records, body;
    struct store_url row = {.id = (uint32_t)t->pages, .url = str_of(url), .state = STORE_FETCHED,
                            .parent = STORE_NO_PARENT};
    struct store_page page = {.number = ++t->pages, .url = row.id, .status = 200, .counted = true,
                              .title = str_of(title), .lang = str_of(lang), .wall = (int64_t)t->pages * 1000000,
                              .relevant = t->pages % 2};
    struct warc_exchange exchange = {.url = row.url, .wall = page.wall, .request = STR("GET / HTTP/1.1\r\n\r\n"),
                                     .response_head = STR("HTTP/1.1 200 OK\r\nContent-Type: text/html; "
                                                          "charset=utf-8\r\n\r\n")};

    buf_init(&records, 0);
    buf_init(&body, 0);
    buf_printf(&body, "<html lang=%s><title>%s</title><body><main><p>%s</main>", lang, title, text);
    exchange.body = buf_str(&body);
    assert_int_equal(warc_build_exchange(&exchange, &t->rng, t->packer, &records, &span, digest), SCENT_OK);
    assert_ok(warc_writer_append(t->writer, buf_str(&records), &at, &err), err);
    page.warc_offset = at.end + span.offset;
    page.warc_length = span.length;
    page.warc_file = str_of(at.file);
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_add_url(t->store, &row, &err), err);
    assert_ok(store_add_page(t->store, &page, &err), err);
    assert_ok(store_commit(t->store, &err), err);
    assert_ok(warc_writer_sync(t->writer, &at, &err), err);
    buf_release(&records);
    buf_release(&body);
}

static int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->dir = test_make_dir();
    t->packer = http_packer_new(HTTP_GZIP, 1);
    rng_seed(&t->rng, 1);
    buf_init(&t->told, 0);
    t->log = (struct log){LOG_WARN, told, &t->told};
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &err), err);
    assert_ok(crawldir_open_writer(t->store, t->dir, WARC_PLAIN, &t->rng, &t->writer, &err), err);
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_set(t->store, "key", STR("5"), &err), err);
    assert_ok(store_add_host(t->store, 0, STR("sea.test"), &err), err);
    assert_ok(store_commit(t->store, &err), err);
    add_page(t, "http://sea.test/tide", "en", "Tide", "The spring tide comes with the moon. Tides rise and fall.");
    add_page(t, "http://www.sea.test/caf%C3%A9", "fr", "Le port", "Un caf&eacute; au bord de la mer, &lt;b&gt;ici&lt;/b&gt;.");
    add_page(t, "http://land.test/river", "en", "River", "A river has no tide but near the sea; rivers flow in spring.");
    add_page(t, "http://land.test/ja", "ja", "東京", "東京都は日本の首都である。海に近い。");
    add_page(t, "http://land.test/th", "th", "ทะเล", "ทะเลกว้างใหญ่");
    add_page(t, "http://other.test/sea", "en", "Oceans", "Swimming in oceans.");
    *state = t;
    return 0;
}

static void close_search(struct fixture *t)
{
    search_results_release(&t->results);
    search_close(t->search);
    t->search = NULL;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;
    struct warc_position end;

    close_search(t);
    (void)!warc_writer_close(t->writer, &end, &err);
    store_close(t->store);
    http_packer_free(t->packer);
    buf_release(&t->told);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

/* ---- searching ---- */

static struct search_progress update(struct fixture *t)
{
    struct search_progress progress;

    if (!t->search)
        assert_ok(search_open(t->dir, &t->log, &t->search, &err), err);
    do
        assert_ok(search_update(t->search, 2, &progress, &err), err);
    while (!progress.up_to_date);
    return progress;
}

/* The numbers of the pages that are found, the best first. */
static void assert_found(struct fixture *t, const char *text, const char *expected)
{
    struct search_query query = {.text = str_of(text), .count = 10};
    struct buf got;

    buf_init(&got, 0);
    search_results_release(&t->results);
    assert_ok(search_query(t->search, &query, &t->results, &err), err);
    for (size_t i = 0; i < t->results.count; i++)
        buf_printf(&got, "%s%d", i ? " " : "", (int)t->results.hits[i].page);
    if (strcmp(buf_z(&got), expected) != 0)
        fail_msg("%s: found '%s', expected '%s'", text, buf_z(&got), expected);
    buf_release(&got);
}

static void pages_are_found_by_their_words(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(update(t).pages, 6);
    assert_found(t, "tide", "1 3");
    assert_found(t, "TIDES", "1 3"); /* the stem */
    assert_found(t, "\"spring tide\"", "1");
    assert_found(t, "\"tide spring\"", "");
    assert_found(t, "riv*", "3");
    assert_found(t, "tide -river", "1");
    assert_found(t, "cafe", "2");
    assert_found(t, "café mer", "2");
    assert_found(t, "swim", "6");
    assert_found(t, "首都", "4");
    assert_found(t, "海", "4");
    assert_found(t, "東京都", "4");
    assert_found(t, "京東", "");
    assert_found(t, "กว้าง", "5");
    assert_found(t, "nowhere", "");
    assert_found(t, "tide nowhere", "1 3");
    assert_true(t->results.any);
    assert_found(t, "", "");
    assert_true(t->results.empty);
    assert_found(t, "host:sea.test", "1 2");
    assert_found(t, "spring relevant:yes lang:en", "1 3");
    assert_found(t, "sea relevant:no", "2 6");
    assert_found(t, "spring host:land.test", "3");
}

static void excerpts_mark_the_words(void **state)
{
    struct fixture *t = *state;
    const struct excerpt *excerpt;

    update(t);
    assert_found(t, "tides", "1 3");
    excerpt = &t->results.hits[0].excerpt;
    assert_memory_equal(excerpt->text.p, "The spring tide comes with the moon. Tides rise and fall.", excerpt->text.len);
    assert_int_equal(excerpt->count, 2);
    assert_int_equal(excerpt->marks[0].start, 11);
    assert_int_equal(excerpt->marks[0].end, 15);
    assert_int_equal(excerpt->marks[1].start, 37);
    assert_int_equal(excerpt->marks[1].end, 42);
    assert_found(t, "\"spring tide\"", "1");
    assert_int_equal(t->results.hits[0].excerpt.count, 1);
    assert_int_equal(t->results.hits[0].excerpt.marks[0].end, 15);
    assert_found(t, "café", "2"); /* markup of the page is text */
    assert_non_null(memmem(t->results.hits[0].excerpt.text.p, t->results.hits[0].excerpt.text.len, "<b>ici</b>", 10));
}

static void the_index_follows_the_crawl(void **state)
{
    struct fixture *t = *state;

    update(t);
    add_page(t, "http://sea.test/tide", "en", "Tide again", "The tide, as it was seen later.");
    assert_found(t, "tide", "1 3");
    assert_int_equal(update(t).added, 1);
    assert_found(t, "later", "7");
    /* The old version goes as soon as the crawl says so; a page may ask not to be indexed later, too. */
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_replace_page(t->store, 1, 7, &err), err);
    assert_ok(store_set_page_robots(t->store, 3, STORE_NOINDEX, &err), err);
    assert_ok(store_judge_page(t->store, 7, false, 0, 1, &err), err);
    assert_ok(store_commit(t->store, &err), err);
    assert_found(t, "tide", "7");
    assert_found(t, "tide relevant:yes", "");
}

static void flip(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int c;

    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    c = getc(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    putc(c ^ 0x55, file);
    fclose(file);
}

static void a_lost_index_is_made_again(void **state)
{
    struct fixture *t = *state;
    struct crawldir_path path = crawldir_path(t->dir, "search.db");

    update(t);
    assert_int_equal(unlink(path.text), 0); /* while it is open */
    assert_int_equal(update(t).pages, 6);
    assert_found(t, "tide", "1 3");
    assert_non_null(strstr(buf_z(&t->told), "was removed"));
    close_search(t);
    buf_clear(&t->told);
    assert_ok(file_replace(path.text, STR("something else, no database at all: more than a header of a file has, in "
                                          "bytes, so that it is read"), &err), err);
    assert_int_equal(update(t).pages, 6);
    assert_found(t, "tide", "1 3");
    assert_non_null(strstr(buf_z(&t->told), "it is made again"));
}

static void an_index_of_another_crawl_is_made_again(void **state)
{
    struct fixture *t = *state;

    update(t);
    close_search(t);
    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_set(t->store, "key", STR("6"), &err), err);
    assert_ok(store_commit(t->store, &err), err);
    update(t);
    assert_found(t, "tide", "1 3");
    assert_non_null(strstr(buf_z(&t->told), "another crawl"));
}

/* Whatever byte is wrong: the right hits, of a new index where it is needed. */
static void damage_is_noticed(void **state)
{
    struct fixture *t = *state;
    struct crawldir_path path = crawldir_path(t->dir, "search.db");
    struct stat info;

    update(t);
    close_search(t);
    assert_int_equal(stat(path.text, &info), 0);
    for (long at = 0; at < info.st_size; at += info.st_size / 29) {
        struct search_query query = {.text = STR("tide sea"), .count = 10};
        struct search_progress progress;

        flip(path.text, at);
        assert_ok(search_open(t->dir, &t->log, &t->search, &err), err);
        assert_ok(search_update(t->search, 100, &progress, &err), err);
        assert_ok(search_query(t->search, &query, &t->results, &err), err);
        if (t->results.again) {
            search_results_release(&t->results);
            assert_ok(search_update(t->search, 100, &progress, &err), err);
            assert_ok(search_query(t->search, &query, &t->results, &err), err);
        }
        assert_int_equal(t->results.count, 2);
        close_search(t);
    }
}

static void a_link_is_not_followed(void **state)
{
    struct fixture *t = *state;

    assert_int_equal(symlink("/dev/null", crawldir_path(t->dir, "search.db").text), 0);
    assert_int_equal(search_open(t->dir, &t->log, &t->search, &err), SCENT_E_INVALID);
    assert_null(t->search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pages_are_found_by_their_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(excerpts_mark_the_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_index_follows_the_crawl, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_index_is_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_index_of_another_crawl_is_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
