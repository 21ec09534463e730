/* The nth write fails because the disk is full, or for another reason: the status says which, the transaction is
 * undone, and when there is space again everything goes on. */
#include "store/store.h"

#include "test.h"

#include <errno.h>
#include <sqlite3.h>

static int calls_left, fail_with; /* SQLite's system calls take no context */
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static struct errmsg err;

static bool must_fail(void)
{
    if (!fail_with || calls_left-- > 0)
        return false;
    errno = fail_with;
    return true;
}

static ssize_t failing_pwrite(int fd, const void *p, size_t len, off_t at)
{
    return must_fail() ? -1 : real_pwrite(fd, p, len, at);
}

static void replace_calls(void)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    const char *name = vfs->xGetSystemCall(vfs, "pwrite64") ? "pwrite64" : "pwrite";

    real_pwrite = (ssize_t(*)(int, const void *, size_t, off_t))vfs->xGetSystemCall(vfs, name);
    assert_int_equal(vfs->xSetSystemCall(vfs, name, (sqlite3_syscall_ptr)failing_pwrite), SQLITE_OK);
}

static scent_status write_urls(struct store *store, uint32_t from, uint32_t count)
{
    scent_status status = store_begin(store, &err);

    for (uint32_t i = from; status == SCENT_OK && i < from + count; i++)
        status = store_add_url(
            store, &(struct store_url){.id = i, .url = STR("http://a.test/x"), .state = STORE_QUEUED}, &err);
    if (status == SCENT_OK)
        status = store_commit(store, &err);
    if (status != SCENT_OK)
        store_rollback(store);
    return status;
}

static uint64_t count_urls(struct store *store)
{
    struct store_counts counts;

    assert_ok(store_count(store, &counts, &err), err);
    return counts.urls[STORE_QUEUED];
}

/* Each write of a transaction fails in turn, until one has enough of them. */
static void fails_and_goes_on(int with, scent_status want)
{
    char *dir = test_make_dir();
    struct store *store;
    int failures = 0;
    scent_status status;

    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_ok(write_urls(store, 0, 10), err);
    for (int n = 0;; n++) {
        calls_left = n;
        fail_with = with;
        status = write_urls(store, 10, 2000);
        fail_with = 0;
        if (status == SCENT_OK)
            break;
        failures++;
        assert_int_equal(status, want);
        assert_int_equal(count_urls(store), 10);
    }
    assert_true(failures > 3);
    assert_int_equal(count_urls(store), 2010);
    store_close(store);
    assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
    assert_int_equal(count_urls(store), 2010);
    store_close(store);
    test_remove_dir(dir);
}

static void a_full_disk_says_so(void **state)
{
    (void)state;
    fails_and_goes_on(ENOSPC, SCENT_E_FULL);
}

static void a_quota_says_so(void **state)
{
    (void)state;
    fails_and_goes_on(EDQUOT, SCENT_E_FULL);
}

static void other_errors_are_no_full_disk(void **state)
{
    (void)state;
    fails_and_goes_on(EIO, SCENT_E_IO);
}

/* While a crawl is created, at every write. */
static void a_failed_creation_is_repeated(void **state)
{
    struct store *store;
    scent_status status = SCENT_E_FULL;

    (void)state;
    for (int n = 0; status != SCENT_OK; n++) {
        char *dir = test_make_dir();

        calls_left = n;
        fail_with = ENOSPC;
        status = store_open(dir, STORE_WRITE, &store, &err);
        fail_with = 0;
        if (status == SCENT_OK)
            assert_true(n > 2);
        else
            assert_ok(store_open(dir, STORE_WRITE, &store, &err), err);
        assert_ok(write_urls(store, 0, 5), err);
        assert_int_equal(count_urls(store), 5);
        store_close(store);
        test_remove_dir(dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_disk_says_so),
        cmocka_unit_test(a_quota_says_so),
        cmocka_unit_test(other_errors_are_no_full_disk),
        cmocka_unit_test(a_failed_creation_is_repeated),
    };

    replace_calls();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
