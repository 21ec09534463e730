/* The index: its lines, their order, and that a line leads back to its record. */
#include "warc_fixture.h"

#include "http/http.h"
#include "warc/cdxj.h"

static void check_line(const struct cdxj_entry *entry, const char *want)
{
    struct buf out;

    buf_init(&out, 0);
    assert_int_equal(cdxj_add(entry, &out), SCENT_OK);
    assert_str(buf_str(&out), want);
    buf_release(&out);
}

static void lines(void **state)
{
    struct cdxj_entry entry = {
        .url = STR("http://www.Example.org:8080/Path?b=1#part"),
        .date = STR("2026-11-15T08:58:00.25Z"),
        .mime = STR("text/html"),
        .status = 200,
        .digest = STR("sha1:ABC"),
        .offset = 10,
        .length = 20,
        .file = STR("x-00000.warc.gz"),
    };

    (void)state;
    check_line(&entry,
               "org,example:8080)/path?b=1 20261115085800 {\"url\": \"http://www.Example.org:8080/Path?b=1#part\", "
               "\"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"sha1:ABC\", \"length\": \"20\", "
               "\"offset\": \"10\", \"filename\": \"x-00000.warc.gz\"}\n");
    /* What no URL parser takes, and what no JSON parser would. */
    entry = (struct cdxj_entry){
        .url = STR("urn:A \"b\"\\\n\xff"), .date = STR("20200102"), .digest = STR("d"), .file = STR("f")};
    check_line(&entry,
               "urn:a%20\"b\"\\%0A%FF 20200102000000 {\"url\": \"urn:A \\\"b\\\"\\\\%0A%FF\", \"mime\": \"unk\", "
               "\"digest\": \"d\", \"length\": \"0\", \"offset\": \"0\", \"filename\": \"f\"}\n");
}

static void a_line_that_does_not_fit_leaves_nothing(void **state)
{
    struct cdxj_entry entry = {.url = STR("http://example.org/"), .digest = STR("d"), .file = STR("f")};
    struct buf out;

    (void)state;
    for (size_t cap = 4; cap < 100; cap++) {
        buf_init(&out, cap);
        buf_addz(&out, "old\n");
        assert_int_equal(cdxj_add(&entry, &out), SCENT_E_LIMIT);
        assert_str(buf_str(&out), "old\n");
        buf_release(&out);
    }
}

static uint64_t number_in(struct str line, const char *name)
{
    const char *at = memmem(line.p, line.len, name, strlen(name));

    assert_non_null(at);
    return strtoull(at + strlen(name), NULL, 10);
}

/* The record at a line's offset, of a line's length, is the one of its URL. */
static void check_reachable(struct str line, struct str file)
{
    uint64_t offset = number_in(line, "\"offset\": \""), length = number_in(line, "\"length\": \"");
    struct warc_reader *reader = warc_reader_open_memory((struct str){file.p + offset, length});
    struct warc_record record;
    struct errmsg err;

    assert_true(offset + length <= file.len);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_int_equal(record.type, WARC_RESPONSE);
    assert_false(record.damaged);
    assert_non_null(memmem(line.p, line.len, record.url.p, record.url.len));
    assert_int_equal(warc_reader_next(reader, &record, &err), SCENT_E_END);
    warc_reader_close(reader);
}

/* A line for each response. */
static struct buf index_of(struct str file)
{
    struct warc_reader *reader = warc_reader_open_memory(file);
    struct warc_record record;
    struct errmsg err;
    struct buf text;

    buf_init(&text, 0);
    while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
        struct cdxj_entry entry = {.url = record.url,
                                   .date = record.date,
                                   .status = record.http_status,
                                   .digest = http_header(record.headers, STR("WARC-Payload-Digest")),
                                   .offset = record.offset,
                                   .length = record.length,
                                   .file = STR("x.warc.gz")};

        if (record.type == WARC_RESPONSE)
            assert_int_equal(cdxj_add(&entry, &text), SCENT_OK);
    }
    warc_reader_close(reader);
    return text;
}

static void lines_are_sorted_and_lead_to_records(void **state)
{
    static const int numbers[] = {5, 10, 1, 2, 30};
    struct buf file, text;
    struct str rest, line, before = STR("");
    size_t count = 0;

    (void)state;
    buf_init(&file, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct buf one = fixture_exchange(numbers[i], STR("body"), 1);

        buf_add(&file, buf_str(&one));
        buf_release(&one);
    }
    text = index_of(buf_str(&file));
    assert_int_equal(cdxj_sort(&text), SCENT_OK);
    assert_int_equal(text.p[text.len - 1], '\n');
    rest = (struct str){text.p, text.len - 1};
    for (; str_split(&rest, '\n', &line); before = line, count++) {
        assert_true(str_cmp(before, line) < 0);
        assert_true(str_starts(line, STR("org,example)/")));
        check_reachable(line, buf_str(&file));
    }
    assert_int_equal(count, 5);
    buf_release(&text);
    buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(a_line_that_does_not_fit_leaves_nothing),
        cmocka_unit_test(lines_are_sorted_and_lead_to_records),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
