/* A survey of a crawl: whatever is asked is what a plain walk over the rows says, while rows come and after they changed. */
#include "test.h"

#include "serve/survey.h"

#include <math.h>
#include <unistd.h>

enum { PAGES = 5000, HOSTS = 40, MAX = 200 }; /* more rows than a slice has */

struct fixture {
    char *dir;
    struct store *store;
    struct survey *survey;
    struct log log;
};

/* Page `i`, from 1 on, has the URL `i - 1`. */
static uint32_t host_of(uint32_t i)
{
    return i * 7919u % HOSTS;
}

static double score_of(uint32_t i)
{
    return (double)(i * 2654435761u % 1000) / 1000;
}

static bool is_relevant(uint32_t i)
{
    return score_of(i) > .7;
}

static const char *lang_of(uint32_t i)
{
    return i % 3 ? "en" : "de";
}

static void add_rows(struct fixture *f, uint32_t from, uint32_t to)
{
    struct errmsg err = {""};
    char text[64], name[32];

    assert_ok(store_begin(f->store, &err), err);
    for (uint32_t i = from; i <= to; i++) {
        snprintf(text, sizeof text, "http://host%u.test/page%u", host_of(i), i);
        struct store_url url = {.id = i - 1, .url = str_of(text), .host = host_of(i), .state = STORE_FETCHED,
                                .parent = i > 1 ? i - 2 : STORE_NO_PARENT};
        struct store_page page = {.number = i, .url = i - 1, .wall = INT64_C(1000000) * (1000 + i), .status = 200,
                                  .mime = STR("text/html"), .lang = str_of(lang_of(i)), .counted = true,
                                  .relevant = is_relevant(i), .score = score_of(i)};
        struct store_link link = {.page = i, .target = i / 2};

        if (i == from && from == 1)
            for (uint32_t h = 0; h < HOSTS; h++) {
                snprintf(name, sizeof name, "host%u.test", h);
                assert_ok(store_add_host(f->store, h, str_of(name), &err), err);
            }
        assert_ok(store_add_url(f->store, &url, &err), err);
        assert_ok(store_add_page(f->store, &page, &err), err);
        assert_ok(store_add_links(f->store, &link, 1, &err), err);
    }
    assert_ok(store_commit(f->store, &err), err);
}

static void wait_for_pages(struct fixture *f, uint64_t pages)
{
    for (int i = 0; i < 60000; i++) {
        struct survey_totals totals = survey_totals(f->survey);

        if (totals.pages_ready && totals.pages == pages)
            return;
        usleep(1000);
    }
    fail();
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct errmsg err = {""};

    f->dir = test_make_dir();
    assert_ok(store_open(f->dir, STORE_WRITE, &f->store, &err), err);
    add_rows(f, 1, PAGES);
    f->survey = survey_start(f->dir, &f->log);
    wait_for_pages(f, PAGES);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    survey_stop(f->survey);
    store_close(f->store);
    test_remove_dir(f->dir);
    free(f);
    return 0;
}

/* ---- lists ---- */

static bool fits(const struct survey_query *query, uint32_t i)
{
    char host[32];
    int64_t second = 1000 + i;

    snprintf(host, sizeof host, "host%u.test", host_of(i));
    return (!query->host.len || str_eq(query->host, str_of(host))) &&
           (!query->lang.len || str_eq(query->lang, str_of(lang_of(i)))) &&
           (query->verdict == SURVEY_ANY || is_relevant(i) == (query->verdict == SURVEY_RELEVANT)) &&
           (!query->from || second >= query->from) && (!query->to || second <= query->to);
}

/* Does `a` come before `b`? */
static bool precedes(bool best, uint32_t a, uint32_t b)
{
    float x = (float)score_of(a), y = (float)score_of(b); /* scores are kept as such */

    return best && x != y ? x > y : a > b;
}

/* All parts of a list, one behind the other: each page that fits once, in order. */
static void check_list(struct fixture *f, struct survey_query query)
{
    uint64_t numbers[MAX];
    size_t total = 0, expected = 0, got;
    uint32_t last = 0;

    for (uint32_t i = 1; i <= PAGES; i++)
        expected += fits(&query, i);
    while ((got = survey_find(f->survey, &query, numbers, MAX))) {
        for (size_t k = 0; k < got; k++) {
            assert_true(fits(&query, (uint32_t)numbers[k]));
            assert_true(!last || precedes(query.best, last, (uint32_t)numbers[k]));
            last = (uint32_t)numbers[k];
        }
        query.after = numbers[got - 1];
        total += got;
    }
    assert_int_equal(total, expected);
}

static void lists_are_whole_and_in_order(void **state)
{
    struct fixture *f = *state;

    for (int best = 0; best < 2; best++)
        for (int verdict = SURVEY_ANY; verdict <= SURVEY_OTHER; verdict++) {
            check_list(f, (struct survey_query){.best = best, .verdict = verdict});
            check_list(f, (struct survey_query){.best = best, .verdict = verdict, .lang = STR("de"), .from = 2000});
            check_list(f, (struct survey_query){.best = best, .verdict = verdict, .host = STR("host3.test"), .to = 4000});
        }
    check_list(f, (struct survey_query){.host = STR("nowhere.test")});
    check_list(f, (struct survey_query){.lang = STR("xx")});
}

/* ---- sums ---- */

static void figures_are_those_of_the_rows(void **state)
{
    struct fixture *f = *state;
    struct survey_totals totals = survey_totals(f->survey);
    struct survey_point points[100];
    struct survey_counts counts;
    uint64_t relevant = 0, window, german = 0;
    size_t n;

    for (uint32_t i = 1; i <= PAGES; i++) {
        relevant += is_relevant(i);
        german += i % 3 == 0;
    }
    assert_int_equal(totals.relevant, relevant);
    assert_int_equal(totals.hosts, HOSTS);
    assert_int_equal(totals.first_wall, 1001);
    assert_int_equal(totals.last_wall, 1000 + PAGES);
    n = survey_curve(f->survey, points, 100, &window);
    assert_true(n > 10 && n <= 100);
    assert_int_equal(points[n - 1].pages, PAGES);
    assert_int_equal(points[n - 1].relevant, relevant);
    for (size_t i = 1; i < n; i++)
        assert_true(points[i].pages > points[i - 1].pages && points[i].relevant >= points[i - 1].relevant);
    survey_languages(f->survey, &counts);
    assert_int_equal(counts.count, 2);
    assert_str(counts.items[0].name, "en");
    assert_int_equal(counts.items[1].count, german);
    survey_counts_free(&counts);
}

static void hosts_and_their_links_add_up(void **state)
{
    struct fixture *f = *state;
    uint64_t pages = 0, links = 0, expected = 0;
    struct survey_map map;

    survey_want(f->survey, SURVEY_URLS | SURVEY_LINKS);
    for (int i = 0; i < 60000 && !survey_totals(f->survey).links_ready; i++)
        usleep(1000);
    survey_map(f->survey, HOSTS, 100000, &map);
    assert_int_equal(map.nhosts, HOSTS);
    for (size_t i = 0; i < map.nhosts; i++) {
        pages += map.hosts[i].pages;
        assert_true(!i || map.hosts[i - 1].relevant >= map.hosts[i].relevant);
    }
    for (size_t i = 0; i < map.nedges; i++) {
        assert_true(map.edges[i].from != map.edges[i].to && map.edges[i].from < HOSTS && map.edges[i].to < HOSTS);
        links += map.edges[i].links;
    }
    for (uint32_t i = 1; i <= PAGES; i++)
        expected += host_of(i) != host_of(i / 2 + 1);
    assert_int_equal(pages, PAGES);
    assert_int_equal(links, expected);
    survey_map_free(&map);
    survey_map(f->survey, 5, 3, &map); /* the largest, and what lies between them */
    assert_true(map.nhosts == 5 && map.nedges <= 3 && map.all_hosts == HOSTS);
    survey_map_free(&map);
}

static void urls_are_found_by_their_text(void **state)
{
    struct fixture *f = *state;
    uint32_t ids[8];
    char text[64];
    bool found = false;
    size_t n;

    snprintf(text, sizeof text, "http://host%u.test/page%u", host_of(77), 77);
    n = survey_find_url(f->survey, str_of(text), ids, 8);
    for (size_t i = 0; i < n; i++)
        found |= ids[i] == 76;
    assert_true(found);
    assert_int_equal(survey_page_of(f->survey, 76), 77);
    assert_int_equal(survey_page_of(f->survey, 10 * PAGES), 0);
}

/* ---- a crawl that runs, and one that ends ---- */

static void new_rows_are_read_and_changed_ones_when_the_crawl_ends(void **state)
{
    struct fixture *f = *state;
    struct errmsg err = {""};
    uint64_t before = survey_totals(f->survey).relevant;
    uint32_t other = 1;

    while (is_relevant(other))
        other++;
    survey_set_running(f->survey, true);
    add_rows(f, PAGES + 1, PAGES + 300);
    wait_for_pages(f, PAGES + 300);
    before = survey_totals(f->survey).relevant;
    assert_ok(store_begin(f->store, &err), err);
    assert_ok(store_judge_page(f->store, other, true, .9, 1, &err), err); /* the crawl judges its pages once more */
    assert_ok(store_commit(f->store, &err), err);
    survey_set_running(f->survey, false);
    for (int i = 0; i < 60000 && survey_totals(f->survey).relevant == before; i++)
        usleep(1000);
    assert_int_equal(survey_totals(f->survey).relevant, before + 1);
    assert_int_equal(survey_totals(f->survey).pages, PAGES + 300);
}

static void a_crawl_that_has_not_begun_is_empty(void **state)
{
    char *dir = test_make_dir();
    struct survey_query query = {0};
    struct survey *survey;
    struct log log = {0};
    uint64_t number;

    (void)state;
    survey = survey_start(dir, &log);
    assert_false(survey_totals(survey).begun);
    assert_int_equal(survey_find(survey, &query, &number, 1), 0);
    survey_stop(survey);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_are_whole_and_in_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(figures_are_those_of_the_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hosts_and_their_links_add_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(urls_are_found_by_their_text, set_up, tear_down),
        cmocka_unit_test_setup_teardown(new_rows_are_read_and_changed_ones_when_the_crawl_ends, set_up, tear_down),
        cmocka_unit_test(a_crawl_that_has_not_begun_is_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
