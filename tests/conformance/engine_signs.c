/* A real collection, in which nothing is a trap or an error page: what the signs of these say of it is a false alarm. Its
 * near duplicates are articles that stand in it under two names. */
#include "test.h"

#include "base/file.h"
#include "engine/duplicates.h"
#include "page/page.h"
#include "page/simhash.h"
#include "page/soft404.h"
#include "url/url_trap.h"
#include "warc/archive.h"

#define COLLECTION SCENT_SHARED "/data/wikispeedia"
enum { PAGES = 5464, LINKS_MIN = 250000, YEAR = 2026 };

struct survey {
    struct page_analyser *analyser;
    struct soft404 *soft404;
    struct duplicates *duplicates;
    uint32_t links, near;
};

static void look_at(struct survey *survey, uint32_t number, const struct page *page)
{
    uint64_t simhash = page_simhash(page);
    uint32_t other;

    for (uint32_t i = 0; i < page->nlinks; i++)
        if (url_trap(&page->links[i].url, YEAR) != URL_TRAP_NONE)
            fail_msg("%.*s is no trap", STR_ARG(page->links[i].url.href));
    survey->links += page->nlinks;
    if (soft404_judge(survey->soft404, page).score >= SOFT404_THRESHOLD)
        fail_msg("%.*s is no error page", STR_ARG(page->url.href));
    if (simhash == SIMHASH_NONE)
        return;
    if (duplicates_find_near(survey->duplicates, simhash, SIMHASH_NEAR, &other, NULL))
        survey->near++;
    else
        assert_int_equal(duplicates_add_near(survey->duplicates, simhash, number), SCENT_OK);
}

static void no_false_alarms(void **state)
{
    struct page_options options = {.key = 1, .url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION};
    struct survey survey = {page_analyser_new(&options), soft404_new(), duplicates_new(0), 0, 0};
    struct log log = {.level = LOG_ERROR};
    struct archive *archive;
    struct errmsg err;
    struct arena arena;
    struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    arena_init(&arena, SIZE_MAX);
    assert_ok(archive_open(COLLECTION, &log, &archive, &err), err);
    assert_int_equal(archive_count(archive), PAGES);
    for (uint32_t i = 0; i < PAGES; i++) {
        struct archive_response response;
        struct page page;
        struct url url;

        assert_ok(archive_get(archive, archive_url(archive, i), &buf, &response, &err), err);
        assert_int_equal(url_parse(&arena, response.url, NULL, &url), SCENT_OK);
        assert_int_equal(page_analyse(survey.analyser, &(struct page_input){&url, response.head, response.body}, &arena,
                                      &page), SCENT_OK);
        look_at(&survey, i, &page);
        arena_reset(&arena);
    }
    assert_true(survey.links > LINKS_MIN);
    assert_in_range(survey.near, 5, 60);
    archive_free(archive);
    page_analyser_free(survey.analyser);
    soft404_free(survey.soft404);
    duplicates_free(survey.duplicates);
    arena_release(&arena);
    buf_release(&buf);
}

/* "The Bahamas" and "Bahamas" are one article. */
static uint64_t simhash_of(const struct archive *archive, const char *href)
{
    struct page_options options = {.key = 1};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct archive_response response;
    struct errmsg err;
    struct arena arena;
    struct page page;
    struct url url;
    struct buf buf;
    uint64_t simhash;

    buf_init(&buf, 0);
    arena_init(&arena, SIZE_MAX);
    assert_ok(archive_get(archive, str_of(href), &buf, &response, &err), err);
    assert_int_equal(url_parse(&arena, response.url, NULL, &url), SCENT_OK);
    assert_int_equal(page_analyse(analyser, &(struct page_input){&url, response.head, response.body}, &arena, &page),
                     SCENT_OK);
    simhash = page_simhash(&page);
    page_analyser_free(analyser);
    arena_release(&arena);
    buf_release(&buf);
    return simhash;
}

static void two_names_of_one_article(void **state)
{
    struct log log = {.level = LOG_ERROR};
    struct archive *archive;
    struct errmsg err;
    uint64_t bahamas;

    (void)state;
    assert_ok(archive_open(COLLECTION, &log, &archive, &err), err);
    bahamas = simhash_of(archive, "http://wikispeedia.test/wp/t/The_Bahamas.htm");
    assert_true(simhash_distance(bahamas, simhash_of(archive, "http://wikispeedia.test/wp/b/Bahamas.htm")) <= SIMHASH_NEAR);
    assert_true(simhash_distance(bahamas, simhash_of(archive, "http://wikispeedia.test/wp/u/University.htm")) > 10);
    archive_free(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_false_alarms),
        cmocka_unit_test(two_names_of_one_article),
    };

    if (!file_is_dir(COLLECTION)) {
        printf("skipped: there is no %s\n", COLLECTION);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
