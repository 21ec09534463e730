#include "http/http.h"
#include "test.h"

static const int64_t SECOND = 1000000, DAY = 86400000000;

static void test_headers(void **state)
{
    struct str headers = STR("HTTP/1.1 200 OK\r\nServer: a\r\nserver: b\r\nContent-Type:text/html  \r\nEmpty:\r\n");

    (void)state;
    assert_str(http_header(headers, STR("SERVER")), "a");
    assert_str(http_header(headers, STR("content-type")), "text/html");
    assert_str(http_header(headers, STR("empty")), "");
    assert_null(http_header(headers, STR("serv")).p);
    assert_null(http_header(STR(""), STR("server")).p);
}

static void test_mime_types(void **state)
{
    (void)state;
    assert_str(http_mime(STR(" Text/HTML ; charset=utf-8")), "Text/HTML");
    assert_str(http_mime(STR("text/plain")), "text/plain");
    assert_str(http_mime(STR(";")), "");
    assert_int_equal(http_mime(STR_NONE).len, 0);
    assert_str(http_head_mime(STR("HTTP/1.1 200 OK\nContent-Type:text/html;x\n\n")), "text/html");
    assert_int_equal(http_head_mime(STR("HTTP/1.1 200 OK\n\n")).len, 0);
}

static void retry_after_is_read(void **state)
{
    int64_t now = (int64_t)1794735600 * SECOND; /* 2026-11-15T09:40:00Z */

    (void)state;
    assert_int_equal(http_retry_after(STR("120"), STR_NONE, now), 120 * SECOND);
    assert_int_equal(http_retry_after(STR("99999999999"), STR_NONE, now), DAY);
    assert_int_equal(http_retry_after(STR("Sun, 15 Nov 2026 10:20:30 GMT"), STR_NONE, now), 2430 * SECOND);
    assert_int_equal(http_retry_after(STR("Sun, 15 Nov 2020 09:40:30 GMT"), STR_NONE, now), 0);
    assert_int_equal(http_retry_after(STR("99999999999999999999"), STR_NONE, now), DAY); /* more than 64 bits */
    assert_int_equal(http_retry_after(STR("Sunday, 15-Nov-26 10:20:30 GMT"), STR_NONE, now), 2430 * SECOND);
    assert_int_equal(http_retry_after(STR("Sun Nov 15 10:20:30 2026"), STR_NONE, now), 2430 * SECOND);
    assert_int_equal(http_retry_after(STR("soon"), STR_NONE, now), 0);
    assert_int_equal(http_retry_after(STR(""), STR_NONE, now), 0);
    assert_int_equal(http_retry_after(STR("-5"), STR_NONE, now), 0);
    /* The server's clock and ours differ by years: its own two dates tell. */
    assert_int_equal(http_retry_after(STR("Sun, 15 Nov 2020 09:40:30 GMT"), STR("Sun, 15 Nov 2020 09:40:00 GMT"), now),
                     30 * SECOND);
    assert_int_equal(http_retry_after(STR("Sun, 15 Nov 2026 10:20:30 GMT"), STR("yesterday"), now), 2430 * SECOND);
    assert_int_equal(http_retry_after(STR("120"), STR("Sun, 15 Nov 2020 09:40:00 GMT"), now), 120 * SECOND);
}

static void accepted_encodings(void **state)
{
    static const struct {
        const char *accept, *encoding;
        bool accepted;
    } cases[] = {
        {"gzip, br", "gzip", true},         {"GZip", "gzip", true},          {"gzip", "x-gzip", true},
        {"gzip", "gzip, br", false},        {"br;q=0.5, *;q=0", "br", true}, {"br, *;q=0", "gzip", false},
        {"gzip;q=0.000, *", "gzip", false}, {"*", "zstd", true},             {"gzip;q=0.001", "gzip", true},
        {"gzip ; Q=0", "gzip", false},      {"", "gzip", false},             {"", "", true},
        {"", "identity", true},             {"gzippy", "gzip", false},       {"identity", "gzip", false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(http_accepts(str_of(cases[i].accept), str_of(cases[i].encoding)), cases[i].accepted);
    assert_false(http_accepts(STR_NONE, STR("gzip")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_mime_types),
        cmocka_unit_test(retry_after_is_read),
        cmocka_unit_test(accepted_encodings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
