/* Series of files: names, rotation, and going on after a crash at any point. */
#include "warc_fixture.h"
#include "http/http.h"

static int64_t fixed_wall(void *ctx)
{
    (void)ctx;
    return 1794733080000000;
}

static const struct clock fixed = {.mono = fixed_wall, .wall = fixed_wall};

struct series {
    char *dir;
    struct rng rng;
    struct warc_writer *writer;
    struct errmsg err;
};

static scent_status open_series(struct series *series, const struct warc_position *last, uint64_t rotate)
{
    struct warc_writer_options options = {
        .dir = series->dir,
        .prefix = "crawl",
        .rotate_bytes = rotate,
        .software = "scent/test",
        .info = STR("operator: somebody\r\n"),
        .clock = &fixed,
    };

    return warc_writer_open(&options, last, &series->rng, &series->writer, &series->err);
}

static void start(struct series *series, uint64_t rotate)
{
    *series = (struct series){.dir = test_make_dir()};
    rng_seed(&series->rng, 1);
    assert_ok(open_series(series, NULL, rotate), series->err);
}

static struct warc_position add(struct series *series, int number)
{
    struct buf records = fixture_exchange(number, STR("some body"), 1);
    struct warc_position at;

    assert_ok(warc_writer_append(series->writer, buf_str(&records), &at, &series->err), series->err);
    buf_release(&records);
    return at;
}

static struct warc_position sync_series(struct series *series)
{
    struct warc_position end;

    assert_ok(warc_writer_sync(series->writer, &end, &series->err), series->err);
    return end;
}

static struct warc_position close_series(struct series *series)
{
    struct warc_position end;

    assert_ok(warc_writer_close(series->writer, &end, &series->err), series->err);
    return end;
}

static void check_file(const struct series *series, const char *name, const char *outline)
{
    struct buf content = fixture_read(series->dir, name);

    fixture_check_outline(buf_str(&content), outline);
    buf_release(&content);
}

static void a_file_begins_with_warcinfo(void **state)
{
    struct warc_reader *reader;
    struct warc_record record;
    struct series series;
    struct buf content;

    (void)state;
    start(&series, 0);
    assert_true(fixture_has(series.dir, "crawl-00000.warc.gz.open"));
    close_series(&series);
    assert_false(fixture_has(series.dir, "crawl-00000.warc.gz.open"));
    content = fixture_read(series.dir, "crawl-00000.warc.gz");
    reader = warc_reader_open_memory(buf_str(&content));
    assert_ok(warc_reader_next(reader, &record, &series.err), series.err);
    assert_int_equal(record.type, WARC_INFO);
    assert_str(http_header(record.headers, STR("warc-filename")), "crawl-00000.warc.gz");
    assert_str(record.date, "2026-11-15T08:58:00Z");
    assert_str(record.block,
               "software: scent/test\r\nformat: WARC File Format 1.1\r\n"
               "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
               "operator: somebody\r\n");
    assert_int_equal(warc_record_check_digest(&record), WARC_DIGEST_OK);
    warc_reader_close(reader);
    buf_release(&content);
    test_remove_dir(series.dir);
}

static void positions_point_at_records(void **state)
{
    struct series series;
    struct warc_position first, second, end;
    struct warc_record record;
    struct warc_reader *reader;
    char *path;

    (void)state;
    start(&series, 0);
    first = add(&series, 1);
    second = add(&series, 2);
    end = close_series(&series);
    assert_string_equal(second.file, "crawl-00000.warc.gz");
    assert_true(first.end < second.end && second.end < end.end);
    path = fixture_path(series.dir, second.file);
    assert_ok(warc_reader_open(path, &reader, &series.err), series.err);
    assert_ok(warc_reader_seek(reader, second.end, 0, &series.err), series.err);
    assert_ok(warc_reader_next(reader, &record, &series.err), series.err);
    assert_str(record.url, "http://example.org/2");
    assert_int_equal(record.offset, second.end);
    assert_ok(warc_reader_seek(reader, first.end, 0, &series.err), series.err);
    assert_ok(warc_reader_next(reader, &record, &series.err), series.err);
    assert_str(record.url, "http://example.org/1");
    warc_reader_close(reader);
    free(path);
    test_remove_dir(series.dir);
}

static void files_rotate_by_size(void **state)
{
    struct series series;
    struct warc_position at;

    (void)state;
    start(&series, 2000);
    for (int i = 0; i < 5; i++)
        at = add(&series, i);
    assert_string_equal(at.file, "crawl-00002.warc.gz");
    assert_true(fixture_has(series.dir, "crawl-00001.warc.gz"));
    assert_true(fixture_has(series.dir, "crawl-00002.warc.gz.open"));
    close_series(&series);
    check_file(&series, "crawl-00000.warc.gz", "irqrq");
    check_file(&series, "crawl-00001.warc.gz", "irqrq");
    check_file(&series, "crawl-00002.warc.gz", "irq");
    test_remove_dir(series.dir);
}

static void a_record_larger_than_a_file_has_one_of_its_own(void **state)
{
    struct series series;

    (void)state;
    start(&series, 1);
    add(&series, 1);
    add(&series, 2);
    close_series(&series);
    check_file(&series, "crawl-00000.warc.gz", "irq");
    check_file(&series, "crawl-00001.warc.gz", "irq");
    assert_false(fixture_has(series.dir, "crawl-00002.warc.gz"));
    test_remove_dir(series.dir);
}

static void resume_cuts_what_was_not_committed(void **state)
{
    struct series series, again;
    struct warc_position committed;

    (void)state;
    start(&series, 0);
    add(&series, 1);
    committed = sync_series(&series);
    add(&series, 2);
    close_series(&series); /* even under its final name */
    again = (struct series){.dir = series.dir, .rng = series.rng};
    assert_ok(open_series(&again, &committed, 0), again.err);
    assert_false(fixture_has(series.dir, "crawl-00000.warc.gz"));
    assert_true(fixture_has(series.dir, "crawl-00000.warc.gz.open"));
    check_file(&series, "crawl-00000.warc.gz.open", "irq");
    add(&again, 3);
    close_series(&again);
    check_file(&series, "crawl-00000.warc.gz", "irqrq");
    test_remove_dir(series.dir);
}

static void resume_removes_younger_files(void **state)
{
    struct series series, again;
    struct warc_position committed;

    (void)state;
    start(&series, 1);
    add(&series, 1);
    committed = sync_series(&series);
    add(&series, 2);
    add(&series, 3);
    close_series(&series);
    fixture_write(series.dir, "crawl-00007.warc.gz.open", STR("x"));
    fixture_write(series.dir, "other-00009.warc.gz", STR("x"));
    fixture_write(series.dir, "crawl-x.warc.gz", STR("x"));
    again = (struct series){.dir = series.dir, .rng = series.rng};
    assert_ok(open_series(&again, &committed, 1), again.err);
    close_series(&again);
    check_file(&series, "crawl-00000.warc.gz", "irq");
    assert_false(fixture_has(series.dir, "crawl-00001.warc.gz"));
    assert_false(fixture_has(series.dir, "crawl-00002.warc.gz"));
    assert_false(fixture_has(series.dir, "crawl-00007.warc.gz.open"));
    assert_true(fixture_has(series.dir, "other-00009.warc.gz"));
    assert_true(fixture_has(series.dir, "crawl-x.warc.gz"));
    test_remove_dir(series.dir);
}

static void a_new_series_keeps_what_is_there(void **state)
{
    struct series series, again;

    (void)state;
    start(&series, 0);
    add(&series, 1);
    close_series(&series);
    fixture_write(series.dir, "crawl-00001.warc.gz.open", STR("left behind"));
    again = (struct series){.dir = series.dir, .rng = series.rng};
    assert_ok(open_series(&again, &(struct warc_position){.file = ""}, 0), again.err);
    add(&again, 2);
    close_series(&again);
    check_file(&series, "crawl-00000.warc.gz", "irq");
    check_file(&series, "crawl-00001.warc.gz", "irq");
    test_remove_dir(series.dir);
}

static void what_cannot_be_resumed_is_said(void **state)
{
    struct series series;
    struct warc_position committed;

    (void)state;
    start(&series, 0);
    committed = close_series(&series);
    committed.end += 1;
    assert_int_equal(open_series(&series, &committed, 0), SCENT_E_FORMAT);
    assert_non_null(strstr(series.err.text, "crawl-00000.warc.gz"));
    snprintf(committed.file, sizeof committed.file, "crawl-00003.warc.gz");
    assert_int_equal(open_series(&series, &committed, 0), SCENT_E_NOTFOUND);
    assert_non_null(strstr(series.err.text, "crawl-00003.warc.gz"));
    snprintf(committed.file, sizeof committed.file, "../crawl-00000.warc.gz");
    assert_int_equal(open_series(&series, &committed, 0), SCENT_E_INVALID);
    test_remove_dir(series.dir);
}

static void two_writers_exclude_each_other(void **state)
{
    struct series series, again;
    struct warc_position end;

    (void)state;
    start(&series, 0);
    end = sync_series(&series);
    again = (struct series){.dir = series.dir, .rng = series.rng};
    assert_int_equal(open_series(&again, &end, 0), SCENT_E_LOCKED);
    close_series(&series);
    test_remove_dir(series.dir);
}

static int64_t tell_wall(void *ctx)
{
    return *(int64_t *)ctx;
}

/* Names with time and host: numbers go on, also from a file of the older kind, and when the clock was set back. */
static void test_unique_names(void **state)
{
    int64_t wall = 1763282252123000;
    const struct clock late = {tell_wall, tell_wall, &wall};
    struct warc_writer_options options = {.prefix = "crawl", .unique = true, .clock = &late};
    struct warc_position first, last, at;
    struct series series = {.dir = test_make_dir()};
    uint64_t number;

    (void)state;
    options.dir = series.dir;
    rng_seed(&series.rng, 1);
    assert_ok(open_series(&series, NULL, 0), series.err); /* crawl-00000 */
    assert_ok(warc_writer_close(series.writer, &first, &series.err), series.err);
    assert_string_equal(first.file, "crawl-00000.warc.gz");
    assert_ok(warc_writer_open(&options, &first, &series.rng, &series.writer, &series.err), series.err);
    assert_ok(warc_writer_rotate(series.writer, &series.err), series.err);
    assert_ok(warc_writer_close(series.writer, &at, &series.err), series.err);
    assert_true(str_starts(str_of(at.file), STR("crawl-20251116083732123-00001-")));
    assert_true(warc_file_number("crawl", str_of(at.file), &number) && number == 1);
    wall -= 5000000;
    assert_ok(warc_writer_open(&options, &at, &series.rng, &series.writer, &series.err), series.err);
    assert_ok(warc_writer_rotate(series.writer, &series.err), series.err);
    assert_ok(warc_writer_close(series.writer, &last, &series.err), series.err);
    assert_true(strcmp(at.file, last.file) < 0 && warc_file_number("crawl", str_of(last.file), &number) && number == 2);
    /* what was not committed goes, and the number comes again */
    assert_ok(warc_writer_open(&options, &at, &series.rng, &series.writer, &series.err), series.err);
    assert_ok(warc_writer_close(series.writer, &at, &series.err), series.err);
    assert_ok(warc_writer_open(&options, NULL, &series.rng, &series.writer, &series.err), series.err);
    assert_ok(warc_writer_close(series.writer, &at, &series.err), series.err);
    assert_true(warc_file_number("crawl", str_of(at.file), &number) && number == 2);
    test_remove_dir(series.dir);
}

static void test_which_names(void **state)
{
    static const char *const others[] = {"crawl.warc.gz", "crawl-.warc.gz", "crawl-1.warc", "other-00001.warc.gz",
                                         "crawl-2025-00001-h.warc.gz", "crawl-20251116083732123-x-h.warc.gz",
                                         "crawl-20251116083732123-00001.warc.gz", "crawl-20251116083732123-00001-.warc.gz"};
    uint64_t number;

    (void)state;
    assert_true(warc_file_number("crawl", STR("crawl-00012.warc.gz"), &number) && number == 12);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(warc_file_number("crawl", str_of(others[i]), &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique_names), cmocka_unit_test(test_which_names),
        cmocka_unit_test(a_file_begins_with_warcinfo),
        cmocka_unit_test(positions_point_at_records),
        cmocka_unit_test(files_rotate_by_size),
        cmocka_unit_test(a_record_larger_than_a_file_has_one_of_its_own),
        cmocka_unit_test(resume_cuts_what_was_not_committed),
        cmocka_unit_test(resume_removes_younger_files),
        cmocka_unit_test(a_new_series_keeps_what_is_there),
        cmocka_unit_test(what_cannot_be_resumed_is_said),
        cmocka_unit_test(two_writers_exclude_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
