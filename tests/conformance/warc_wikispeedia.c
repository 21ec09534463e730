/* A real collection: every page of Wikispeedia that its list of categories names is in the archive and whole. */
#include "warc_fixture.h"

#include "warc/archive.h"

#define COLLECTION SCENT_SHARED "/data/wikispeedia"
enum { PAGES = 5464 };

static void every_page_is_there(void **state)
{
    struct log log = {.level = LOG_ERROR};
    struct archive *archive;
    struct errmsg err;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_ok(archive_open(COLLECTION, &log, &archive, &err), err);
    assert_int_equal(archive_count(archive), PAGES);
    for (size_t i = 0; i < PAGES; i++) {
        struct archive_response response;

        assert_ok(archive_get(archive, archive_url(archive, i), &buf, &response, &err), err);
        assert_int_equal(response.status, 200);
        assert_true(response.body.len > 0);
    }
    archive_free(archive);
    buf_release(&buf);
}

static void every_labelled_page_is_there(void **state)
{
    struct log log = {.level = LOG_ERROR};
    struct buf labels = fixture_read(COLLECTION, "categories.tsv"), buf;
    struct str rest = buf_str(&labels), line;
    struct archive *archive;
    struct errmsg err;
    size_t found = 0;

    (void)state;
    buf_init(&buf, 0);
    assert_ok(archive_open(COLLECTION, &log, &archive, &err), err);
    while (str_split(&rest, '\n', &line)) {
        struct archive_response response;
        struct str url;

        if (!str_starts(line, STR("http")) || !str_split(&line, '\t', &url))
            continue;
        assert_ok(archive_get(archive, url, &buf, &response, &err), err);
        found++;
    }
    assert_in_range(found, 5000, PAGES);
    archive_free(archive);
    buf_release(&labels);
    buf_release(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_is_there),
        cmocka_unit_test(every_labelled_page_is_there),
    };

    if (!file_is_dir(COLLECTION)) {
        printf("skipped: there is no %s\n", COLLECTION);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
