/* The order of a crawl, written and read back; and files that are not what was written. */
#include "lab_fixture.h"

#include "lab/lab_crawl.h"

#include <math.h>

enum { VISITS = 3 };

struct here {
    struct lab_crawl_file file;
    struct trial trial;
    char path[600];
    struct replay_visit visits[VISITS];
};

static void prepare(struct lab_fixture *fixture, struct here *here)
{
    static bool relevant[10000] = {[1] = true}, target[10000] = {[1] = true};
    struct errmsg err = {0};

    *here = (struct here){
        .trial = {.name = STR("A/../b"), .repeat = 1, .relevant = relevant, .target = target},
        .visits = {{0, INFINITY, true, 1}, {1, .1f, false, 1.0 / 3}, {2, -1e-30f, true, 1e-300}},
    };
    here->file = (struct lab_crawl_file){fixture->collection, &here->trial, NULL};
    lab_crawl_path(fixture->dir, &here->trial, STR("x"), here->path, sizeof here->path);
    assert_ok(lab_crawl_write(&here->file, here->path, here->visits, VISITS, &err), err);
}

static void round_trip(void **state)
{
    struct replay_visit got[VISITS];
    struct errmsg err = {0};
    struct here here;
    size_t count;

    prepare(*state, &here);
    assert_ok(lab_crawl_read(&here.file, here.path, got, VISITS, &count, &err), err);
    assert_int_equal(count, VISITS);
    for (size_t i = 0; i < VISITS; i++) {
        assert_int_equal(got[i].page, here.visits[i].page);
        assert_true(got[i].priority == here.visits[i].priority);
        assert_true(got[i].score == here.visits[i].score);
        assert_int_equal(got[i].relevant, here.visits[i].relevant);
    }
    assert_int_equal(lab_crawl_read(&here.file, "/nowhere", got, VISITS, &count, &err), SCENT_E_NOTFOUND);
}

static void swap(struct buf *text, const char *from, const char *to)
{
    char *at = strstr((char *)buf_z(text), from);

    assert_non_null(at);
    assert_int_equal(strlen(from), strlen(to));
    memcpy(at, to, strlen(to));
}

static void damage(void **state)
{
    static const struct {
        const char *from, *to, *message;
    } cases[] = {
        {"\"n\":2", "\"n\":3", ":2: not the 2. visit"},
        {"{\"n\":3", "[\"n\":3", ":3: "},
        {"http://", "hhhh://", "not in the collection"},
        {"\"relevant\":true", "\"relevant\":null", ":2: not the 2. visit"},
        {"\"judged\"", "\"jugded\"", "not the 1. visit"},
    };
    struct replay_visit got[VISITS];
    struct errmsg err = {0};
    struct here here;
    struct buf text;
    size_t count;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        prepare(*state, &here);
        buf_init(&text, 0);
        assert_ok(file_read(here.path, &text, &err), err);
        swap(&text, cases[i].from, cases[i].to);
        assert_ok(file_replace(here.path, buf_str(&text), &err), err);
        assert_int_equal(lab_crawl_read(&here.file, here.path, got, VISITS, &count, &err), SCENT_E_FORMAT);
        if (!strstr(err.text, cases[i].message) || !strstr(err.text, "remove the file"))
            fail_msg("case %zu: %s", i, err.text);
        buf_release(&text);
    }
    prepare(*state, &here);
    assert_int_equal(lab_crawl_read(&here.file, here.path, got, VISITS - 1, &count, &err), SCENT_E_FORMAT);
    assert_non_null(strstr(err.text, "more pages than the budget"));
}

struct place {
    char text[600];
};

static struct place path_of(const char *topic, const char *strategy, uint32_t draw, uint32_t repeat)
{
    struct trial trial = {.name = str_of(topic), .draw = draw, .repeat = repeat};
    struct place place;

    lab_crawl_path("d", &trial, str_of(strategy), place.text, sizeof place.text);
    return place;
}

/* No name leaves the folder, and two names never become one file. */
static void names(void **state)
{
    (void)state;
    assert_string_equal(path_of("History.Wars", "full-page", 0, 0).text, "d/runs/History.Wars/full-page.jsonl");
    assert_string_equal(path_of("History.Wars", "full-page", 0, 1).text, "d/runs/History.Wars/full-page@2.jsonl");
    assert_string_equal(path_of("History.Wars", "full-page", 4, 0).text, "d/runs/History.Wars/full-page~5.jsonl");
    assert_string_equal(path_of("History.Wars", "full-page", 4, 1).text, "d/runs/History.Wars/full-page~5@2.jsonl");
    assert_null(strstr(path_of("../../x", "..", 0, 0).text, "/.."));
    assert_string_not_equal(path_of("t", "a b", 0, 0).text, path_of("t", "a/b", 0, 0).text);
    assert_string_not_equal(path_of("t", "a", 0, 1).text, path_of("t", "a.2", 0, 0).text);
    assert_string_not_equal(path_of("t", "a", 1, 0).text, path_of("t", "a~2", 0, 0).text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(damage),
        cmocka_unit_test(names),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
