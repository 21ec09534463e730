#include "test.h"
#include "url/url_trap.h"

enum { NOW = 2026 };

static enum url_trap trap_of(const char *text)
{
    struct arena arena;
    struct url url;
    enum url_trap trap;

    arena_init(&arena, 1 << 16);
    assert_int_equal(url_parse(&arena, str_of(text), NULL, &url), SCENT_OK);
    trap = url_trap(&url, NOW);
    arena_release(&arena);
    return trap;
}

static void assert_trap(const char *text, enum url_trap want)
{
    enum url_trap got = trap_of(text);

    if (got != want) {
        print_error("%s: got \"%s\", want \"%s\"\n", text, url_trap_text(got), url_trap_text(want));
        fail();
    }
}

static void real_urls_pass(void **state)
{
    static const char *const cases[] = {
        "http://h/",
        "http://h/a/b/a/b",
        "https://docs.oracle.test/en/java/javase/17/docs/api/java.base/java/util/concurrent/locks/Lock.html",
        "https://www.boost.test/doc/libs/1_74_0/doc/html/boost_asio/reference/basic_stream_socket/async_read_some.html",
        "https://github.test/foo/foo/blob/main/foo/foo/foo.go",
        "https://github.test/foo/foo/blob/main/src/main/java/foo/foo/Foo.java",
        "https://docs.test/tokio/latest/tokio/runtime/index.html",
        "https://blog.test/2024/11/11/eleven/",
        "https://blog.test/2026/12/01/next-month",
        "https://blog.test/2028/01/", /* within two years */
        "https://blog.test/2011/11/11/11/11/", /* numbers: four times */
        "https://tiles.test/0/0/0.png",
        "https://tiles.test/1/1/1/1",
        "https://paper.test/1969/07/21/archives/men-walk-on-moon.html",
        "https://paper.test/1969/07/21/the-seventies",
        "https://paper.test/prevent/1969/07/",
        "https://paper.test/1969/07/21/archives/schedule-of-flights.html",
        "https://paper.test/archive?year=1814&month=3",
        "https://films.test/list?year=1955",
        "https://films.test/list?year=1955&genre=2",
        "https://shop.test/5021/12/",
        "https://shop.test/item/3050-12345",
        "https://goals.test/2050-10-point-plan",
        "https://events.test/events/2093",
        "https://events.test/event/20931",
        "https://h/search?from=2020-01-01&to=2099-12-31",
        "https://h/search?validdate=2099-12-31&enddate=20991231",
        "https://h/calendar/2026/11",
        "https://h/events/?date=2027-02-28",
        "https://h/map?x=3000&y=5000&m=10",
        "https://h/q?a=1&a=2&a=3&a=4&a=5&a=6&b&&&&c",
        "https://h/q?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1&j=1&k=1&l=1&m=1&n=1&o=1&p=1&q=1&r=1&s=1&t=1",
        "https://h/login?next=https%3A%2F%2Fh%2Fa%3Fback%3Dhttps%253A%252F%252Fh",
        "https://web.archive.test/web/20200101000000/http://example.test/",
        "https://h/share?u=http://a.test/&v=http://b.test/",
        "https://h/a//b",
        "https://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/",
        "https://h/q?id=20930401",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_trap(cases[i], URL_TRAP_NONE);
}

static void traps_are_seen(void **state)
{
    static const struct {
        const char *url;
        enum url_trap trap;
    } cases[] = {
        {"http://h/a/news/news/news/", URL_TRAP_REPEATS},
        {"http://h/news/news/news", URL_TRAP_REPEATS},
        {"http://h/a/b1/a/b1/a/b1", URL_TRAP_REPEATS},
        {"http://h/a/b/a/b/a/b/x", URL_TRAP_NONE}, /* single letters */
        {"http://h/archive/news/old/2026/old/news/2026/news/", URL_TRAP_REPEATS},
        {"http://h/archive/news/old/2026/old/2026/news/", URL_TRAP_NONE},
        {"http://h/x/a/b/c/a/b/c/a/b/c/a/b/c/a/b/c/y", URL_TRAP_REPEATS},
        {"http://h/x/aa/bb/cc/aa/bb/cc/aa/bb/cc/y.html", URL_TRAP_REPEATS},
        {"http://h/11/11/11/11/11/", URL_TRAP_REPEATS},
        {"http://h/a//////b", URL_TRAP_REPEATS},
        {"http://h/archive/news/old/news/2026/old/news/2026/news/old/news/", URL_TRAP_REPEATS},
        {"http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21", URL_TRAP_SEGMENTS},
        {"http://h/?a=1&a=1&a=1", URL_TRAP_PARAMS},
        {"http://h/?a=1&a=2&a=3&a=4&a=5&a=6&a=7&a=8&a=9&a=10&a=11&a=12&a=13", URL_TRAP_PARAMS},
        {"http://h/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q&r&s&t&u&v&w&x&y&z&0&1&2&3&4&5&6", URL_TRAP_PARAMS},
        {"http://h/l?n=http%3A%2F%2Fh%2Fl%3Fn%3Dhttp%253A%252F%252Fh&a=http://x&b=http://y", URL_TRAP_NESTED},
        {"http://h/l?n=%2Fl%3Fn%3D%252Fl%253Fn%253D%25252Fl", URL_TRAP_NESTED},
        {"http://h/x?a=http:%2f%2fx&b=http%3a//y&c=https://z", URL_TRAP_NESTED},
        {"http://h/calendar/2093/04/", URL_TRAP_CALENDAR},
        {"http://h/calendar/2093/4", URL_TRAP_CALENDAR},
        {"http://h/calendar/123456/04.html", URL_TRAP_CALENDAR},
        {"http://h/calendar/1969/12/31.html", URL_TRAP_CALENDAR},
        {"http://h/2093/04/", URL_TRAP_CALENDAR},
        {"http://h/2029/01/", URL_TRAP_CALENDAR},
        {"http://h/events/month/2093-04/", URL_TRAP_CALENDAR},
        {"http://h/2093-04-01.html", URL_TRAP_CALENDAR},
        {"http://h/x?year=2093&month=4", URL_TRAP_CALENDAR},
        {"http://h/x?Month=12&Year=1512", URL_TRAP_CALENDAR},
        {"http://h/calendar?year=1969", URL_TRAP_CALENDAR},
        {"http://h/kalender.php?y=2093&m=4", URL_TRAP_CALENDAR},
        {"http://h/x?date=2093-04-01T00:00", URL_TRAP_CALENDAR},
        {"http://h/x?tribe-bar-date=2093-04", URL_TRAP_CALENDAR},
        {"http://h/eventkalender/1969/07/", URL_TRAP_CALENDAR},
        {"http://h/index.php?view=calendar&year=1969&month=7", URL_TRAP_CALENDAR},
        {"http://h/tribe_events?day=19690721", URL_TRAP_CALENDAR},
        {"http://h/events?day=19690721", URL_TRAP_CALENDAR},
        {"http://h/events?today=20930721", URL_TRAP_CALENDAR},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_trap(cases[i].url, cases[i].trap);
}

/* `prefix`, then `unit` as often as `times` says. */
static void assert_long(const char *prefix, const char *unit, size_t times, enum url_trap want)
{
    char text[SCENT_URL_MAX];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", prefix);

    for (size_t i = 0; i < times; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%s", unit);
    assert_trap(text, want);
}

static void length_counts_characters(void **state)
{
    (void)state;
    assert_long("http://h/", "a", 1023, URL_TRAP_NONE);
    assert_long("http://h/", "a", 1024, URL_TRAP_LENGTH);
    assert_long("http://h/", "%E0%B8%81", 341, URL_TRAP_NONE); /* 1,023 bytes of UTF-8 */
    assert_long("http://h/", "%E0%B8%81", 342, URL_TRAP_LENGTH);
    assert_long("http://h/?", "a", 2048, URL_TRAP_NONE);
    assert_long("http://h/?", "a", 2049, URL_TRAP_LENGTH);
}

static void every_trap_has_words(void **state)
{
    (void)state;
    assert_null(url_trap_text(URL_TRAP_NONE));
    for (int trap = URL_TRAP_NONE + 1; trap <= URL_TRAP_CALENDAR; trap++)
        assert_true(strlen(url_trap_text((enum url_trap)trap)) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_urls_pass),
        cmocka_unit_test(traps_are_seen),
        cmocka_unit_test(length_counts_characters),
        cmocka_unit_test(every_trap_has_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
