/* The disk fails at the nth operation: whatever happens, no file holds half a record and the next attempt goes on. */
#include "warc_fixture.h"

#include <errno.h>
#include <sys/syscall.h>

/* Operations of the writer, counted; the one numbered `at` fails. The program's own definitions come before the C
 * library's. */
static struct {
    int count, at, error;
    bool partly, truncate_fails;
} fault;

static bool fails(void)
{
    return ++fault.count == fault.at;
}

ssize_t pwrite(int fd, const void *p, size_t len, off_t offset)
{
    if (fails()) {
        if (fault.partly)
            syscall(SYS_pwrite64, fd, p, len / 2, offset);
        errno = fault.error;
        return -1;
    }
    /* Short writes are no failure: they must be gone on with. */
    return syscall(SYS_pwrite64, fd, p, len > 100 ? len / 2 : len, offset);
}

int fdatasync(int fd)
{
    if (fails()) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to)
{
    if (fails()) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_rename, from, to);
}

int ftruncate(int fd, off_t len)
{
    if (fault.truncate_fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, fd, len);
}

static void arm(int at, int error, bool partly)
{
    fault.count = 0;
    fault.at = at;
    fault.error = error;
    fault.partly = partly;
    fault.truncate_fails = false;
}

static void count_records(const char *dir, int *responses, int *damaged)
{
    struct file_list files;
    struct errmsg err;

    *responses = *damaged = 0;
    assert_ok(file_list(dir, "", &files, &err), err);
    for (size_t i = 0; i < files.count; i++) {
        struct buf content = fixture_read(dir, files.names[i]);
        struct warc_reader *reader = warc_reader_open_memory(buf_str(&content));
        char outline[256];

        fixture_outline(reader, outline, sizeof outline);
        for (const char *p = outline; *p; p++) {
            *responses += *p == 'r';
            *damaged += *p == '!';
        }
        warc_reader_close(reader);
        buf_release(&content);
    }
    file_list_release(&files);
}

struct run {
    const char *dir;
    struct warc_writer *writer;
    struct warc_position committed;
    struct rng rng;
    struct errmsg err;
};

static scent_status open_run(struct run *run)
{
    struct warc_writer_options options = {.dir = run->dir, .prefix = "f", .rotate_bytes = 2000, .software = "test"};

    return warc_writer_open(&options, &run->committed, &run->rng, &run->writer, &run->err);
}

/* One exchange, committed. Any failure: as a crawl would, give up this writer and go on from the last commit. */
static scent_status commit_one(struct run *run, int number)
{
    struct buf records = fixture_exchange(number, STR("some body"), 1);
    struct warc_position at;
    scent_status status = warc_writer_append(run->writer, buf_str(&records), &at, &run->err);

    if (status == SCENT_OK)
        status = warc_writer_sync(run->writer, &at, &run->err);
    if (status == SCENT_OK)
        run->committed = at;
    buf_release(&records);
    return status;
}

/* Writes six exchanges into files of two; tells how often something failed. */
static int write_series(const char *dir)
{
    struct run run = {.dir = dir};
    struct warc_position end;
    int failures = 0, next = 0;

    rng_seed(&run.rng, 1);
    while (next < 6) {
        assert_in_range(failures, 0, 1); /* only one operation fails */
        if (!run.writer && open_run(&run) != SCENT_OK) {
            failures++;
            continue;
        }
        if (commit_one(&run, next) == SCENT_OK) {
            next++;
            continue;
        }
        assert_non_null(strstr(run.err.text, dir)); /* the path is named */
        failures++;
        if (warc_writer_close(run.writer, &end, &run.err) != SCENT_OK)
            assert_non_null(strstr(run.err.text, dir));
        run.writer = NULL;
    }
    failures += warc_writer_close(run.writer, &end, &run.err) != SCENT_OK;
    return failures;
}

static void every_operation_may_fail_once(void **state)
{
    (void)state;
    for (int error = 0; error < 2; error++) {
        int failures, at = 0;

        do {
            char *dir = test_make_dir();
            int responses, damaged;

            arm(++at, error ? ENOSPC : EIO, error);
            failures = write_series(dir);
            count_records(dir, &responses, &damaged);
            assert_int_equal(responses, 6);
            assert_int_equal(damaged, 0);
            assert_in_range(failures, 0, 1);
            test_remove_dir(dir);
        } while (failures);
        assert_in_range(at, 30, 200); /* it did reach the operations */
    }
}

static void a_full_disk_is_named(void **state)
{
    struct warc_writer_options options = {.prefix = "f", .software = "test"};
    struct buf records = fixture_exchange(1, STR("some body"), 1);
    char *dir = test_make_dir();
    struct warc_writer *writer;
    struct warc_position at;
    struct errmsg err;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    options.dir = dir;
    arm(0, 0, false);
    assert_ok(warc_writer_open(&options, NULL, &rng, &writer, &err), err);
    arm(1, ENOSPC, true);
    assert_int_equal(warc_writer_append(writer, buf_str(&records), &at, &err), SCENT_E_FULL);
    assert_non_null(strstr(err.text, "f-00000.warc.gz.open"));
    assert_ok(warc_writer_append(writer, buf_str(&records), &at, &err), err);
    assert_ok(warc_writer_close(writer, &at, &err), err);
    buf_release(&records);
    test_remove_dir(dir);
}

static void half_a_record_that_stays_stops_the_writer(void **state)
{
    struct warc_writer_options options = {.prefix = "f", .software = "test"};
    struct buf records = fixture_exchange(1, STR("some body"), 1);
    char *dir = test_make_dir();
    struct warc_writer *writer;
    struct warc_position at, end;
    struct errmsg err;
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    options.dir = dir;
    arm(0, 0, false);
    assert_ok(warc_writer_open(&options, NULL, &rng, &writer, &err), err);
    arm(1, EIO, true);
    fault.truncate_fails = true;
    assert_int_equal(warc_writer_append(writer, buf_str(&records), &at, &err), SCENT_E_IO);
    arm(0, 0, false);
    assert_int_equal(warc_writer_append(writer, buf_str(&records), &at, &err), SCENT_E_IO);
    assert_int_equal(warc_writer_sync(writer, &end, &err), SCENT_E_IO);
    assert_int_equal(warc_writer_close(writer, &end, &err), SCENT_E_IO);
    assert_ok(warc_writer_open(&options, &at, &rng, &writer, &err), err); /* `at`: where the failed record began */
    assert_ok(warc_writer_append(writer, buf_str(&records), &at, &err), err);
    assert_ok(warc_writer_close(writer, &at, &err), err);
    buf_release(&records);
    records = fixture_read(dir, "f-00000.warc.gz");
    fixture_check_outline(buf_str(&records), "irq");
    buf_release(&records);
    test_remove_dir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_may_fail_once),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(half_a_record_that_stays_stops_the_writer),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
