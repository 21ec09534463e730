/* A part of a trace: by time, by share, with other names, of several traces. */
#include "trace_fixture.h"

static const char visits[] = "100 b http://a.test/1\n"
                             "110 b http://a.test/2\n"
                             "2000 b http://a.test/3\n"
                             "3000 a http://a.test/2\n"
                             "3000 a http://a.test/1\n"
                             "4000 c http://a.test/4\n";
static const int64_t SECOND = 1000000;

static struct trace *cut(const struct trace *trace, struct trace_cut cut)
{
    struct errmsg err = {0};
    struct trace *part;

    assert_ok(trace_part(&trace, 1, &cut, &part, &err), err);
    return part;
}

static void by_time(void **state)
{
    struct trace *whole = trace_of_text(visits, keeping_users());
    struct trace *part = cut(whole, (struct trace_cut){.from = 110 * SECOND, .until = 3000 * SECOND});
    uint32_t page;

    (void)state;
    assert_int_equal(trace_size(part).accesses, 2);
    assert_int_equal(trace_size(part).users, 1); /* who has no access in it is not in it */
    assert_int_equal(trace_size(part).sessions, 2);
    assert_str(trace_user_name(part, 0), "b");
    assert_int_equal(trace_size(part).first, 110 * SECOND);
    assert_int_equal(trace_size(part).last, 2000 * SECOND);
    assert_false(trace_find_page(part, STR("http://a.test/1"), &page));
    assert_true(trace_find_page(part, STR("http://a.test/2"), &page));
    assert_true(trace_size(part).keep_users);
    trace_free(part);
    part = cut(whole, (struct trace_cut){.from = 5000 * SECOND, .until = INT64_MAX});
    assert_int_equal(trace_size(part).accesses, 0);
    trace_free(part);
    trace_free(whole);
}

/* The whole of a trace is the same trace, pseudonyms and counts included. */
static void whole(void **state)
{
    struct trace *trace = trace_of_text(visits, trace_options_default());
    struct trace *part = cut(trace, (struct trace_cut){.until = INT64_MAX});
    struct buf a, b;

    (void)state;
    buf_init(&a, 0);
    buf_init(&b, 0);
    assert_int_equal(trace_write(trace, &a), SCENT_OK);
    assert_int_equal(trace_write(part, &b), SCENT_OK);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    buf_release(&a);
    buf_release(&b);
    trace_free(part);
    trace_free(trace);
}

static void by_share(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users());
    struct trace *first, *second;

    (void)state;
    assert_int_equal(trace_time_at(trace, 0), 100 * SECOND);
    assert_int_equal(trace_time_at(trace, .5), 3000 * SECOND);
    assert_int_equal(trace_time_at(trace, .7), 3000 * SECOND); /* a moment is not divided */
    assert_int_equal(trace_time_at(trace, .99), 4000 * SECOND);
    assert_int_equal(trace_time_at(trace, 1), INT64_MAX);
    first = cut(trace, (struct trace_cut){.until = trace_time_at(trace, .5)});
    second = cut(trace, (struct trace_cut){.from = trace_time_at(trace, .5), .until = INT64_MAX});
    assert_int_equal(trace_size(first).accesses, 3);
    assert_int_equal(trace_size(second).accesses, 3);
    trace_free(first);
    trace_free(second);
    trace_free(trace);
    trace = trace_of_text("1 a ftp://no\n", keeping_users());
    assert_int_equal(trace_time_at(trace, .5), INT64_MAX); /* nothing lies anywhere */
    trace_free(trace);
}

static struct str call(void *ctx, struct str url)
{
    ++*(int *)ctx;
    if (str_ends(url, STR("/3")))
        return STR_NONE;
    return str_ends(url, STR("/2")) ? STR("http://a.test/1") : url;
}

static void other_names(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users()), *part;
    uint32_t page, count;
    int asked = 0;

    (void)state;
    part = cut(trace, (struct trace_cut){.until = INT64_MAX, .name = call, .ctx = &asked});
    assert_int_equal(asked, 6);
    assert_int_equal(trace_size(part).accesses, 5);
    assert_int_equal(trace_size(part).pages, 2);
    assert_true(trace_find_page(part, STR("http://a.test/1"), &page));
    trace_of_page(part, page, &count);
    assert_int_equal(count, 4); /* two pages became one */
    trace_free(part);
    trace_free(trace);
}

static void several(void **state)
{
    struct trace *a = trace_of_text(visits, keeping_users()), *b = trace_of_text("50 b http://a.test/9\nx\n", keeping_users());
    const struct trace *const both[] = {a, b};
    struct trace_cut all = {.until = INT64_MAX};
    struct errmsg err = {0};
    struct trace *part;

    (void)state;
    assert_ok(trace_part(both, 2, &all, &part, &err), err);
    assert_int_equal(trace_size(part).accesses, 7);
    assert_int_equal(trace_size(part).users, 3);
    assert_int_equal(trace_at(part, trace_of_user(part, 1).begin)->time, 50 * SECOND);
    assert_int_equal(trace_counts(part)->lines, 8);
    assert_int_equal(trace_counts(part)->files, 2);
    trace_free(part);
    trace_free(a);
    trace_free(b);
    assert_ok(trace_part(NULL, 0, &all, &part, &err), err);
    assert_int_equal(trace_size(part).accesses, 0);
    trace_free(part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_time),     cmocka_unit_test(whole),   cmocka_unit_test(by_share),
        cmocka_unit_test(other_names), cmocka_unit_test(several),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
