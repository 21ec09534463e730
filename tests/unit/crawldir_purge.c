/* Purge and check on a directory with several WARC files, a revisit, robots.txt and texts that look alike. */
#include "crawldir/purge.h"

#include "base/file.h"
#include "http/http.h"
#include "crawldir/check.h"
#include "crawldir/crawldir.h"
#include "test.h"

enum { PAGES = 12 };

static struct errmsg err;

struct fixture {
    char *dir;
    struct store *store;
    struct warc_writer *writer;
    struct http_packer *packer;
    struct rng rng;
    struct buf told; /* by the last run */
};

/* ---- a crawl of 12 pages, three in each WARC file; page 12 is a duplicate of page 2 ---- */

static void url_text(int i, char out[64])
{
    snprintf(out, 64, "http://%s.test/%d", i % 2 ? "odd" : "even", i);
}

/* With robots.txt of its host before it. */
static void archive(struct fixture *t, const char *url, const char *same_as, struct store_page *page)
{
    struct warc_exchange exchange = {.url = str_of(url),
                                     .wall = 1763197080000000,
                                     .request = STR("GET / HTTP/1.1\r\n\r\n"),
                                     .response_head = STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
                                     .body = str_of(url),
                                     .same_as_url = str_of(same_as),
                                     .same_as_wall = same_as ? 1763197080000000 : 0};
    static char digest[33];
    struct warc_position at;
    struct warc_span span;
    struct buf records;

    buf_init(&records, 0);
    assert_int_equal(warc_build_exchange(&exchange, &t->rng, t->packer, &records, &span, digest), SCENT_OK);
    assert_ok(warc_writer_append(t->writer, buf_str(&records), &at, &err), err);
    buf_release(&records);
    if (!page)
        return;
    page->digest = str_of(digest);
    page->warc_offset = at.end + span.offset;
    page->warc_length = span.length;
    page->warc_file = str_of(strdup(at.file));
}

static void add_page(struct fixture *t, int i)
{
    char text[64], original[64];
    struct store_url url = {.id = (uint32_t)i - 1, .host = i % 2, .state = STORE_FETCHED, .parent = STORE_NO_PARENT};
    struct store_page page = {
        .number = (uint64_t)i, .url = url.id, .status = 200, .counted = true, .title = STR("title"), .links = 1};
    struct store_link link = {.page = page.number, .target = 0, .anchor = STR("anchor")};

    url_text(i, text);
    url_text(2, original);
    url.url = str_of(text);
    page.duplicate_of = i == PAGES ? 2 : 0;
    archive(t, text, i == PAGES ? original : NULL, &page);
    assert_ok(store_add_url(t->store, &url, &err), err);
    assert_ok(store_add_page(t->store, &page, &err), err);
    assert_ok(store_add_links(t->store, &link, 1, &err), err);
    free((char *)page.warc_file.p);
}

static void fill(struct fixture *t)
{
    struct warc_position end;

    assert_ok(store_begin(t->store, &err), err);
    assert_ok(store_set(t->store, "key", STR("5"), &err), err);
    assert_ok(store_set(t->store, "seed", STR("1"), &err), err);
    assert_ok(store_add_host(t->store, 0, STR("even.test"), &err), err);
    assert_ok(store_add_host(t->store, 1, STR("odd.test"), &err), err);
    for (int i = 1; i <= PAGES; i++) {
        if (i == 4)
            archive(t, "http://odd.test/robots.txt", NULL, NULL);
        add_page(t, i);
        if (i % 3 == 0 && i < PAGES)
            assert_ok(warc_writer_rotate(t->writer, &err), err);
    }
    assert_ok(warc_writer_close(t->writer, &end, &err), err);
    assert_ok(crawldir_save_end(t->store, &end, &err), err);
    assert_ok(store_set(t->store, "strategy_state", STR("learned"), &err), err);
    assert_ok(store_set(t->store, "census", STR("counted"), &err), err);
    assert_ok(store_set(t->store, "repeats", STR("blocks"), &err), err);
    assert_ok(store_put_robots(t->store, &(struct store_robots){.host = 1, .rules = STR("Disallow: /x")}, &err), err);
    assert_ok(store_put_dns(t->store, &(struct store_dns){.name = STR("odd.test")}, &err), err);
    assert_ok(store_put_revisit(t->store, &(struct store_revisit){.url = 1, .page = 2}, &err), err);
    assert_ok(store_commit(t->store, &err), err);
}

static void told(void *ctx, const char *line)
{
    struct fixture *t = ctx;

    buf_printf(&t->told, "%s\n", line);
}

static struct check_report check(struct fixture *t, bool repair)
{
    struct check_options options = {.dir = t->dir, .repair = repair, .problem = told, .repaired = told, .ctx = t};
    struct check_report report;

    buf_clear(&t->told);
    assert_ok(check_run(&options, &report, &err), err);
    return report;
}

static void assert_clean(struct fixture *t)
{
    struct check_report report = check(t, false);

    if (report.problems) {
        print_error("%s", buf_z(&t->told));
        fail();
    }
}

static int set_up(void **state)
{
    struct fixture *t = calloc(1, sizeof *t);

    t->dir = test_make_dir();
    t->packer = http_packer_new(HTTP_GZIP, 1);
    rng_seed(&t->rng, 1);
    buf_init(&t->told, 0);
    assert_ok(store_open(t->dir, STORE_WRITE, &t->store, &err), err);
    assert_ok(crawldir_open_writer(t->store, t->dir, WARC_PLAIN, &t->rng, &t->writer, &err), err);
    fill(t);
    store_close(t->store);
    assert_int_equal(check(t, true).problems, 1); /* the index, which nobody wrote */
    assert_clean(t);
    *state = t;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *t = *state;

    http_packer_free(t->packer);
    buf_release(&t->told);
    test_remove_dir(t->dir);
    free(t);
    return 0;
}

/* ---- purging ---- */

static void tell_item(void *ctx, const char *kind, struct str text)
{
    struct fixture *t = ctx;

    buf_printf(&t->told, "%s %.*s\n", kind, STR_ARG(text));
}

static struct purge_report purge(struct fixture *t, const char *name, bool dry_run)
{
    char *names[] = {(char *)name};
    struct log log;
    struct purge_options options = {.dir = t->dir,
                                    .names = names,
                                    .count = 1,
                                    .dry_run = dry_run,
                                    .item = tell_item,
                                    .unknown = told,
                                    .ctx = t,
                                    .log = &log};
    struct purge_report report;

    log_init_stderr(&log, LOG_WARN);
    buf_clear(&t->told);
    assert_ok(purge_run(&options, &report, &err), err);
    return report;
}

static bool find_file(struct fixture *t, uint64_t number, char name[64])
{
    char folder[600];
    struct file_list files;
    bool found = false;

    snprintf(folder, sizeof folder, "%s/warc", t->dir);
    assert_ok(file_list(folder, "", &files, &err), err);
    for (size_t i = 0; i < files.count && !found; i++) {
        uint64_t its;

        found = crawldir_warc_number(str_of(files.names[i]), &its) && its == number;
        if (found)
            snprintf(name, 64, "%s", files.names[i]);
    }
    file_list_release(&files);
    return found;
}

static bool has_file(struct fixture *t, uint64_t number)
{
    char name[64];

    return find_file(t, number, name);
}

struct row {
    struct store_page page;
    bool found, archived;
};

static scent_status keep_row(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct row *row = ctx;

    (void)url;
    if (page->number != row->page.number)
        return SCENT_OK;
    row->page = *page;
    row->archived = page->warc_length > 0;
    row->found = true;
    return SCENT_OK;
}

static struct row read_row(struct fixture *t, uint64_t number)
{
    struct row row = {.page.number = number};
    struct store *store;

    assert_ok(store_open(t->dir, STORE_READ, &store, &err), err);
    assert_ok(store_each_page(store, 0, keep_row, &row, &err), err);
    store_close(store);
    assert_true(row.found);
    return row;
}

static scent_status has_value(struct fixture *t, const char *name)
{
    struct store *store;
    struct buf value;
    scent_status status;

    buf_init(&value, 0);
    assert_ok(store_open(t->dir, STORE_READ, &store, &err), err);
    status = store_get(store, name, &value, &err);
    store_close(store);
    buf_release(&value);
    return status;
}

static void only_the_files_concerned_are_written_anew(void **state)
{
    struct fixture *t = *state;
    struct purge_report report = purge(t, "http://odd.test/5", false);

    assert_true(report.urls == 1 && report.records == 2 && report.files == 1 && report.unknown == 0);
    assert_true(has_file(t, 0) && !has_file(t, 1) && has_file(t, 2) && has_file(t, 3) && has_file(t, 4));
    assert_clean(t);
    assert_true(!read_row(t, 5).archived && !read_row(t, 5).page.counted);
    assert_true(read_row(t, 4).archived && read_row(t, 6).archived);
    assert_int_equal(has_value(t, "strategy_state"), SCENT_E_NOTFOUND);
    assert_int_equal(has_value(t, "census"), SCENT_E_NOTFOUND);
    assert_int_equal(has_value(t, "repeats"), SCENT_E_NOTFOUND);
    assert_int_equal(has_value(t, "purge_pending"), SCENT_E_NOTFOUND);
}

/* Page 12 has no content but that of page 2, and its record names it. */
static void a_revisit_goes_with_its_original(void **state)
{
    struct fixture *t = *state;
    struct purge_report report = purge(t, "http://even.test/2", false);

    assert_true(report.urls == 1 && report.records == 3 && report.files == 2);
    assert_clean(t);
    assert_true(!read_row(t, 12).archived && read_row(t, 12).page.counted && read_row(t, 12).page.duplicate_of == 0);
    assert_true(read_row(t, 11).archived);
}

static scent_status not_of_host_1(void *ctx, const struct store_robots *robots)
{
    (void)ctx;
    return robots->host == 1 ? SCENT_E_INVALID : SCENT_OK;
}

static void a_host_goes_with_its_robots(void **state)
{
    struct fixture *t = *state;
    struct purge_report report = purge(t, "odd.test", false);
    struct store *store;

    assert_true(report.urls == 6 && report.hosts == 1 && report.records == 14 && report.files == 4);
    assert_clean(t);
    assert_int_equal(check(t, false).pages, 6);
    assert_ok(store_open(t->dir, STORE_READ, &store, &err), err);
    assert_ok(store_each_robots(store, not_of_host_1, NULL, &err), err);
    store_close(store);
    assert_int_equal(purge(t, "odd.test", false).unknown, 0); /* it is known as purged */
    assert_int_equal(purge(t, "even.test", false).urls, 6);
    assert_clean(t);
    assert_int_equal(check(t, false).pages, 0);
}

static void a_dry_run_tells_and_leaves_everything(void **state)
{
    struct fixture *t = *state;
    struct purge_report report = purge(t, "http://odd.test/5", true);

    assert_true(report.urls == 1 && report.records == 2 && report.files == 1);
    assert_str(buf_str(&t->told), "url http://odd.test/5\nrecord http://odd.test/5\nrecord http://odd.test/5\n");
    assert_true(has_file(t, 1) && !has_file(t, 4) && read_row(t, 5).archived);
    assert_int_equal(purge(t, "http://odd.test/55", true).unknown, 1);
}

/* As if killed between commit and the removal of the old file. */
static void a_purge_that_was_cut_off_is_brought_to_its_end(void **state)
{
    struct fixture *t = *state;
    struct check_report report;
    struct store *store;
    char command[1300], name[64];

    assert_true(find_file(t, 1, name));
    snprintf(command, sizeof command, "cp '%s/warc/%s' '%s/kept'", t->dir, name, t->dir);
    assert_int_equal(system(command), 0);
    purge(t, "http://odd.test/5", false);
    snprintf(command, sizeof command, "mv '%s/kept' '%s/warc/%s'", t->dir, t->dir, name);
    assert_int_equal(system(command), 0);
    assert_ok(store_open(t->dir, STORE_WRITE, &store, &err), err);
    assert_ok(store_begin(store, &err), err);
    assert_ok(store_set(store, "purge_pending", str_of(strcat(name, "\n")), &err), err);
    assert_ok(store_commit(store, &err), err);
    store_close(store);
    assert_true(check(t, false).problems > 1);
    report = check(t, true);
    assert_true(report.problems == 1 && report.repaired == 1);
    assert_false(has_file(t, 1));
    assert_clean(t);
}

/* ---- the copy of the topic file ---- */

static void assert_replaced(const char *text, const char *name, bool is_host, const char *want)
{
    struct buf out;
    size_t hits = 0;

    buf_init(&out, 0);
    assert_int_equal(purge_replace(str_of(text), str_of(name), is_host, &out, &hits), SCENT_OK);
    assert_str(buf_str(&out), want);
    assert_int_equal(hits, strcmp(text, want) != 0);
    buf_release(&out);
}

static void only_whole_names_are_replaced(void **state)
{
    (void)state;
    assert_replaced("[http://a.test/x, 'b']", "http://a.test/x", false, "[http://purged.invalid/, 'b']");
    assert_replaced("'http://a.test/x'", "http://A.test/X", false, "'http://purged.invalid/'");
    assert_replaced("http://a.test/xy", "http://a.test/x", false, "http://a.test/xy");
    assert_replaced("http://a.test/x?q", "http://a.test/x", false, "http://a.test/x?q");
    assert_replaced("http://a.test/x\n", "a.test", true, "http://purged.invalid/x\n");
    assert_replaced("http://a.test:80/", "a.test", true, "http://purged.invalid:80/");
    assert_replaced("http://aa.test/ http://a.test.org/ b.a.test", "a.test", true,
                    "http://aa.test/ http://a.test.org/ b.a.test");
    assert_replaced("", "a.test", true, "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(only_the_files_concerned_are_written_anew),
        TEST(a_revisit_goes_with_its_original),
        TEST(a_host_goes_with_its_robots),
        TEST(a_dry_run_tells_and_leaves_everything),
        TEST(a_purge_that_was_cut_off_is_brought_to_its_end),
        cmocka_unit_test(only_whole_names_are_replaced),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
