/* Logs of every format become a trace; what is no look of a person at a page is counted by its reason. */
#include "trace_fixture.h"

static void assert_left(const struct trace *trace, const uint64_t want[TRACE_LEFT_REASONS])
{
    uint64_t left = 0;

    for (int i = 0; i < TRACE_LEFT_REASONS; i++) {
        if (trace_counts(trace)->left[i] != want[i])
            print_error("%s: %llu, not %llu\n", trace_left_name((enum trace_left)i),
                        (unsigned long long)trace_counts(trace)->left[i], (unsigned long long)want[i]);
        assert_int_equal(trace_counts(trace)->left[i], want[i]);
        left += want[i];
    }
    assert_int_equal(trace_counts(trace)->lines, left + trace_size(trace).accesses);
}

static void squid_lines(void **state)
{
    static const char log[] =
        "1000.250    120 10.0.0.1 TCP_MISS/200 20 GET http://A.test/x.htm?utm_source=n#f - DIRECT/a.test text/html\n"
        "1001.000    120 10.0.0.1 TCP_MISS/200 20 GET http://a.test/y anna DIRECT/a.test text/html;charset=utf-8\r\n"
        "1002.000    120 10.0.0.2 TCP_MEM_HIT/304 20 GET http://a.test/x.htm - NONE/- -\n"
        "1003.000    120 10.0.0.2 TCP_HIT/304 20 GET http://a.test/logo.PNG - NONE/- -\n"
        "1003.000    120 10.0.0.2 TCP_MISS/200 20 GET http://a.test/feed - DIRECT/a.test application/json\n"
        "1003.000    120 10.0.0.2 TCP_MISS/404 20 GET http://a.test/none - DIRECT/a.test text/html\n"
        "1003.000    120 10.0.0.2 TCP_MISS/302 20 GET http://a.test/moved - DIRECT/a.test text/html\n"
        "1003.000    120 10.0.0.2 TCP_MISS/000 20 GET http://a.test/broken - DIRECT/a.test -\n"
        "1003.000    120 10.0.0.2 TCP_MISS/200 20 POST http://a.test/form - DIRECT/a.test text/html\n"
        "1003.000    120 10.0.0.2 TCP_TUNNEL/200 20 CONNECT a.test:443 - DIRECT/a.test -\n"
        "1003.000    120 10.0.0.2 TCP_MISS/200 20 GET ftp://a.test/f - DIRECT/a.test text/html\n"
        "1003.000    120 10.0.0.2 TCP_MISS/200 20 GET\n"
        "yesterday   120 10.0.0.2 TCP_MISS/200 20 GET http://a.test/x.htm - DIRECT/a.test text/html\n"
        "# a comment\n\n"
        "1004.000    120 10.0.0.3 TCP_MISS/200 20 GET http://a.test/x.htm - DIRECT/a.test text/html\n"
        "1005.000    120 10.0.0.3 TCP_MISS/404 20 GET http://a.test/robots.txt - DIRECT/a.test text/html\n"
        "1006.000    120 10.0.0.3 TCP_MISS/200 20 GET http://a.test/z - DIRECT/a.test text/html\n"
        "999.000     120 10.0.0.2 TCP_MISS/200 20 GET http://a.test/y - DIRECT/a.test text/html";
    struct trace *trace = trace_of_text(log, keeping_users());
    uint32_t page, count;

    (void)state;
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){
                           [TRACE_LEFT_TYPE] = 2, [TRACE_LEFT_STATUS] = 2 + 1, [TRACE_LEFT_METHOD] = 2,
                           [TRACE_LEFT_URL] = 1, [TRACE_LEFT_COLUMNS] = 1, [TRACE_LEFT_TIME] = 1,
                           [TRACE_LEFT_BOT] = 3});
    assert_int_equal(trace_counts(trace)->backwards, 1);
    assert_int_equal(trace_size(trace).users, 3);
    assert_str(trace_user_name(trace, 0), "10.0.0.1");
    assert_str(trace_user_name(trace, 2), "anna");
    assert_int_equal(trace_size(trace).pages, 2); /* /z was a bot's alone */
    assert_str(trace_url(trace, 0), "http://a.test/x.htm");
    assert_int_equal(trace_at(trace, 0)->time, 1000250000);
    assert_true(trace_find_page(trace, STR("http://a.test/y"), &page));
    assert_false(trace_find_page(trace, STR("http://a.test/z"), &page));
    trace_of_page(trace, 1, &count);
    assert_int_equal(count, 2);
    trace_free(trace);
}

static const char combined[] =
    "1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET /a.html HTTP/1.0\" 200 23 \"http://b/\" \"Mozilla (\\\"X\\\")\"\n"
    "1.2.3.4 - fr ank [10/Oct/2000:13:55:37 -0700] \"GET /b HTTP/1.0\" 200 - \"-\" \"Mozilla/5.0\"\n"
    "1.2.3.5 - - [10/Oct/2000:13:55:38 -0700] \"GET /a.html HTTP/1.0\" 200 23 \"-\" \"SomeBot/1.0\"\n"
    "1.2.3.5 - - [10/Oct/2000:13:55:38 -0700] \"GET /s.css HTTP/1.0\" 200 23 \"-\" \"Mozilla/5.0\"\n"
    "1.2.3.5 - - [31/Feb/2000:13:55:38 -0700] \"GET /a.html HTTP/1.0\" 200 23 \"-\" \"Mozilla/5.0\"\n"
    "1.2.3.5 - - [10/Oct/2000:13:55:38 -0700] \"GET /a.html HTTP/1.0\" 200 23 \"-\" \"Mozi\n"
    "1.2.3.5 - - [10/Oct/2000:13:55:38 -0700] \"\\x16\\x03\" 400 23 \"-\" \"-\"\n";

static void combined_lines(void **state)
{
    struct trace_options options = keeping_users();
    struct trace *trace;

    (void)state;
    options.base = STR("https://www.a.test/");
    trace = trace_of_text(combined, options);
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){
                           [TRACE_LEFT_BOT] = 1, [TRACE_LEFT_TYPE] = 1, [TRACE_LEFT_TIME] = 1,
                           [TRACE_LEFT_COLUMNS] = 2});
    assert_int_equal(trace_size(trace).first, 971211336 * INT64_C(1000000));
    assert_str(trace_url(trace, 0), "https://www.a.test/a.html");
    assert_str(trace_user_name(trace, 1), "fr ank");
    trace_free(trace);

    options.base = STR_NONE; /* whose paths they are is not known */
    trace = trace_of_text(combined, options);
    assert_int_equal(trace_counts(trace)->left[TRACE_LEFT_SITE], 4);
    assert_int_equal(trace_size(trace).accesses, 0);
    trace_free(trace);
}

/* The site in front of each line, as Debian's Apache writes other_vhosts_access.log: whose lines they are cannot be told. */
static void lines_that_begin_with_a_site_are_no_common_ones(void **state)
{
    static const char log[] =
        "www.a.test:80 1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] \"GET /a HTTP/1.0\" 200 23 \"-\" \"Mozilla/5.0\"\n"
        "www.a.test:80 1.2.3.5 - frank [10/Oct/2000:13:55:36 -0700] \"GET /b HTTP/1.0\" 200 23 \"-\" \"Mozilla/5.0\"\n";
    struct trace_options options = keeping_users();
    struct trace *trace;

    (void)state;
    options.base = STR("http://www.a.test/");
    trace = trace_of_text(log, options);
    assert_int_equal(trace_counts(trace)->unknown, 1);
    assert_int_equal(trace_size(trace).accesses, 0);
    trace_free(trace);
    options.format = TRACE_COMBINED;
    trace = trace_of_text(log, options);
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_COLUMNS] = 2});
    trace_free(trace);
}

static void plain_and_common_lines(void **state)
{
    struct trace_options options = keeping_users();
    struct trace *trace = trace_of_text("5 u http://a.test/\n"
                                        "1970-01-01T00:00:06.5Z u http://a.test/b\n"
                                        "1970-01-01T01:00:07+01:00\tu\thttp://a.test/c\n"
                                        "4102444800 u http://a.test/late\n"
                                        "8 u http://a.test/d more\n", options);

    (void)state;
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_TIME] = 1, [TRACE_LEFT_COLUMNS] = 1});
    assert_int_equal(trace_at(trace, 1)->time, 6500000);
    assert_int_equal(trace_at(trace, 2)->time, 7000000);
    trace_free(trace);
    trace = trace_of_text("h - - [01/Mar/2004:00:00:00 +0000] \"GET http://a.test/ HTTP/1.1\" 200 5\n", options);
    assert_int_equal(trace_size(trace).first, 1078099200 * INT64_C(1000000));
    trace_free(trace);
    options.format = TRACE_PLAIN; /* as told, not as guessed */
    trace = trace_of_text("h - - [01/Mar/2004:00:00:00 +0000] \"GET http://a.test/ HTTP/1.1\" 200 5\n", options);
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_COLUMNS] = 1});
    trace_free(trace);
}

static void hostile_lines(void **state)
{
    struct trace *trace;
    struct buf log;

    (void)state;
    buf_init(&log, 0);
    buf_addz(&log, "1 u http://a.test/1\n2 u http://a.test/");
    for (int i = 0; i < 9000; i++) /* a URL beyond its cap */
        buf_addc(&log, 'x');
    buf_addz(&log, "\n3 u http://a.test/");
    for (int i = 0; i < 400000; i++) /* a line beyond its cap, and beyond what is read at once */
        buf_addc(&log, 'y');
    buf_addz(&log, "\n4 ");
    for (int i = 0; i < 300; i++) /* a name beyond its cap */
        buf_addc(&log, 'u');
    buf_addz(&log, " http://a.test/\n5 u \x01\x02\n6 u http://a.test/6\n7 u http://a.test/7");
    trace = trace_of_bytes(buf_str(&log), keeping_users());
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_URL_LONG] = 1, [TRACE_LEFT_LONG] = 1,
                                                      [TRACE_LEFT_COLUMNS] = 1, [TRACE_LEFT_BINARY] = 1});
    assert_int_equal(trace_size(trace).accesses, 3);
    trace_free(trace);
    buf_release(&log);
    trace = trace_of_bytes(STR("\x7f""ELF\0\0\0\n\n\1\2\3"), keeping_users());
    assert_int_equal(trace_counts(trace)->unknown, 1);
    trace_free(trace);
    trace = trace_of_text("", keeping_users());
    assert_int_equal(trace_size(trace).accesses, 0);
    trace_free(trace);
}

/* Where the memory is full the import ends: what comes after is not read, and other logs are not either. */
static void no_more_than_allowed(void **state)
{
    struct trace_options options = keeping_users();
    struct trace *trace;

    (void)state;
    options.memory = 1;
    trace = trace_of_text("1 a http://a.test/1\n2 b http://a.test/2\n3 c http://a.test/3\n", options);
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_FULL] = 1});
    assert_int_equal(trace_counts(trace)->lines, 2);
    assert_int_equal(trace_size(trace).users, 1);
    trace_free(trace);
    trace = trace_of_text("1 a http://a.test/robots.txt\n2 b http://a.test/robots.txt\n3 c http://a.test/3\n", options);
    assert_left(trace, (uint64_t[TRACE_LEFT_REASONS]){[TRACE_LEFT_BOT] = 1, [TRACE_LEFT_FULL] = 1});
    trace_free(trace);
}

static void pseudonyms(void **state)
{
    struct trace_options options = trace_options_default();
    struct trace *a, *b, *c;

    (void)state;
    options.key = STR("one");
    a = trace_of_text("1 what-do http://a.test/1\n2 x http://a.test/1\n", options);
    b = trace_of_text("9 x http://b.test/1\n", options);
    assert_int_equal(trace_user_name(a, 0).len, 32);
    assert_true(str_eq(trace_user_name(b, 0), trace_user_name(a, 0)) ||
                str_eq(trace_user_name(b, 0), trace_user_name(a, 1)));
    options.key = STR("another");
    c = trace_of_text("9 x http://b.test/1\n", options);
    assert_false(str_eq(trace_user_name(b, 0), trace_user_name(c, 0)));
    trace_free(a);
    trace_free(b);
    trace_free(c);
}

static void pseudonym_is_hmac(void **state)
{
    char out[PSEUDONYM_LEN];

    (void)state;
    pseudonym_make(STR("Jefe"), STR("what do ya want for nothing?"), out); /* RFC 4231, test case 2 */
    assert_memory_equal(out, "5bdcc146bf60754e6a042426089575c7", PSEUDONYM_LEN);
}

static void base_must_be_a_url(void **state)
{
    struct trace_options options = keeping_users();
    struct trace *trace;
    struct errmsg err;
    struct log log;

    (void)state;
    log_init_stderr(&log, LOG_ERROR);
    options.base = STR("not a url");
    assert_int_equal(trace_import(NULL, 0, &options, &log, &trace, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "not a url"));
    options.base = STR_NONE;
    assert_int_equal(trace_import((const char *[]){"/nowhere/log"}, 1, &options, &log, &trace, &err), SCENT_E_NOTFOUND);
    assert_int_equal(trace_import((const char *[]){"/"}, 1, &options, &log, &trace, &err), SCENT_E_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squid_lines), cmocka_unit_test(combined_lines), cmocka_unit_test(lines_that_begin_with_a_site_are_no_common_ones),
        cmocka_unit_test(plain_and_common_lines),
        cmocka_unit_test(hostile_lines), cmocka_unit_test(no_more_than_allowed), cmocka_unit_test(pseudonyms),
        cmocka_unit_test(pseudonym_is_hmac), cmocka_unit_test(base_must_be_a_url),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
