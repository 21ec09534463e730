/* A trace answers for users, pages and sessions, and its file comes back as it was or not at all. */
#include "trace_fixture.h"

#include "base/hash.h"

static const char visits[] = "0 b http://a.test/1\n"
                             "10 b http://a.test/2\n"
                             "1810 b http://a.test/3\n"  /* 1800 s later: the same session */
                             "3611 b http://a.test/1\n"  /* 1801 s later: another */
                             "3612 b http://a.test/2\n"
                             "3612 a http://a.test/2\n"
                             "3611 a http://a.test/2\n"
                             "3611 a http://a.test/2\n"; /* twice at one time are two looks */

static void sessions(void **state)
{
    static const uint32_t want[] = {0, 0, 0, 1, 1, 1, 2, 2};
    struct trace *trace = trace_of_text(visits, keeping_users());

    (void)state;
    assert_int_equal(trace_size(trace).accesses, 8);
    assert_int_equal(trace_size(trace).sessions, 3);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(trace_at(trace, i)->session, want[i]);
    trace_free(trace);
}

static void users_and_pages(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users());
    struct trace_range range;
    const uint32_t *at;
    uint32_t count, page;

    (void)state;
    range = trace_of_user(trace, 0);
    assert_true(range.begin == 0 && range.end == 3);
    range = trace_of_user(trace, 1);
    assert_true(range.begin == 3 && range.end == 8);
    assert_true(trace_find_page(trace, STR("http://a.test/2"), &page));
    at = trace_of_page(trace, page, &count);
    assert_int_equal(count, 5);
    assert_memory_equal(at, ((uint32_t[]){0, 1, 2, 4, 7}), sizeof(uint32_t[5]));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(trace_at(trace, at[i])->page, page);
    trace_free(trace);
}

static void assert_around(const struct trace *trace, uint32_t position, uint32_t before, uint32_t after, uint32_t begin,
                          uint32_t end)
{
    struct trace_range range = trace_around(trace, position, before, after);

    assert_int_equal(range.begin, begin);
    assert_int_equal(range.end, end);
}

static void around(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users());

    (void)state;
    assert_around(trace, 4, 0, 0, 4, 5);
    assert_around(trace, 4, 1, 1, 3, 6);
    assert_around(trace, 4, 9, 9, 3, 6); /* neither another user nor another session */
    assert_around(trace, 0, UINT32_MAX, UINT32_MAX, 0, 3);
    assert_around(trace, 7, UINT32_MAX, UINT32_MAX, 6, 8);
    trace_free(trace);
}

static void write_bytes(const struct trace *trace, struct buf *out)
{
    buf_init(out, 0);
    assert_int_equal(trace_write(trace, out), SCENT_OK);
}

static void file_comes_back(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users()), *again;
    char *dir = test_make_dir(), path[512];
    struct buf a, b;
    struct errmsg err;

    (void)state;
    snprintf(path, sizeof path, "%s/t", dir);
    assert_ok(trace_save(trace, path, &err), err);
    assert_ok(trace_load(path, &again, &err), err);
    write_bytes(trace, &a);
    write_bytes(again, &b);
    assert_true(str_eq(buf_str(&a), buf_str(&b)));
    assert_int_equal(trace_size(again).sessions, 3);
    assert_around(again, 4, 9, 9, 3, 6);
    assert_memory_equal(trace_counts(again), trace_counts(trace), sizeof *trace_counts(trace));
    buf_release(&a);
    buf_release(&b);
    trace_free(trace);
    trace_free(again);
    test_remove_dir(dir);
}

static void damage_is_found(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users()), *again;
    struct errmsg err;
    struct buf bytes;

    (void)state;
    write_bytes(trace, &bytes);
    for (size_t i = 0; i < bytes.len; i++) {
        assert_int_not_equal(trace_read((struct str){bytes.p, i}, "cut", &again, &err), SCENT_OK);
        bytes.p[i] ^= 0x10;
        assert_int_not_equal(trace_read(buf_str(&bytes), "bad", &again, &err), SCENT_OK);
        assert_null(again);
        bytes.p[i] ^= 0x10;
    }
    bytes.p[8] = 2;
    assert_int_equal(trace_read(buf_str(&bytes), "new", &again, &err), SCENT_E_VERSION);
    assert_non_null(strstr(err.text, "version 2"));
    buf_release(&bytes);
    trace_free(trace);
}

/* A right checksum over wrong numbers. */
static void lies_are_found(void **state)
{
    struct trace *trace = trace_of_text(visits, keeping_users()), *again;
    struct errmsg err;
    struct buf bytes;
    uint64_t sum;

    (void)state;
    write_bytes(trace, &bytes);
    bytes.p[bytes.len - 8 - 4] = 3; /* the last access is of page 3, of which there is none */
    sum = hash_bytes(bytes.p, bytes.len - 8, 0x747263);
    for (int i = 0; i < 8; i++)
        bytes.p[bytes.len - 8 + (size_t)i] = (char)(sum >> 8 * i);
    assert_int_equal(trace_read(buf_str(&bytes), "lie", &again, &err), SCENT_E_FORMAT);
    assert_non_null(strstr(err.text, "out of range"));
    buf_release(&bytes);
    trace_free(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions),        cmocka_unit_test(users_and_pages), cmocka_unit_test(around),
        cmocka_unit_test(file_comes_back), cmocka_unit_test(damage_is_found), cmocka_unit_test(lies_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
