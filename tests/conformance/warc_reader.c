/* Archive files of many writers, good and broken: the records that are in each, and the damage. The truth was worked
 * out from the bytes of the files. */
#include "warc_fixture.h"

#define FILES SCENT_SHARED "/conformance/warc/"

struct want {
    enum warc_type type;
    const char *url;
    int status;
    size_t block, payload;
    enum warc_digest digest;
    const char *damage;
    uint64_t offset, length, inner;
};

enum { RECORDS_MAX = 6 };
#define NONE  WARC_DIGEST_ABSENT
#define GOOD  WARC_DIGEST_OK
#define WRONG WARC_DIGEST_WRONG

#define EXAMPLE   "http://example.com/"
#define EXAMPLE_1 "http://example.com?example=1"
#define SPACES    "http://example.com/index.cfm?FuseAction=Email&EmailTitle=Examples From The Live Web&IsPopUp=False"
#define POST      "http://httpbin.org/post"
#define WGET      "metadata://gnu.org/software/wget/warc/"

static const struct file {
    const char *name;
    struct want records[RECORDS_MAX + 1]; /* a block of 0 and no URL ends it */
} files[] = {
    {"bad.arc",
     {{WARC_INFO, "", 0, 71, 71, NONE, "no length", 0, 134, 0},
      {WARC_RESPONSE, EXAMPLE, 0, 0, 0, NONE, "no length", 134, 68, 0},
      {WARC_RESOURCE, EXAMPLE, 0, 1, 1, NONE, NULL, 202, 60, 0},
      {WARC_RESOURCE, EXAMPLE, 0, 1, 1, NONE, "no length", 262, 69, 0}}},
    /* One gzip member around everything. */
    {"example-bad-non-chunked.warc.gz",
     {{WARC_INFO, "", 0, 249, 249, NONE, NULL, 0, 0, 0},
      {WARC_INFO, "", 0, 470, 470, NONE, NULL, 0, 0, 488},
      {WARC_RESPONSE, EXAMPLE, 200, 975, 606, GOOD, NULL, 0, 0, 1197},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, NONE, NULL, 0, 0, 2566},
      {WARC_REVISIT, EXAMPLE, 200, 369, 0, WRONG, NULL, 0, 0, 3370},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, NONE, NULL, 0, 0, 4316}}},
    {"example-bad.warc.gz.bad",
     {{WARC_INFO, "", 0, 196, 196, NONE, NULL, 0, 0, 0},
      {WARC_RESPONSE, EXAMPLE_1, 200, 1610, 1270, GOOD, NULL, 0, 0, 460},
      {WARC_REQUEST, EXAMPLE_1, 0, 323, 0, NONE, NULL, 0, 0, 2451},
      {WARC_REVISIT, EXAMPLE_1, 200, 340, 0, NONE, NULL, 0, 0, 3161},
      {WARC_REQUEST, EXAMPLE_1, 0, 323, 0, NONE, NULL, 0, 0, 4061},
      {WARC_RESPONSE, "http://www.iana.org/domains/example", 302, 471, 201, GOOD, NULL, 0, 0, 4771}}},
    /* The first has a wrong payload digest, the others base32 and base64 in two alphabets. */
    {"example-digest.warc",
     {{WARC_REQUEST, EXAMPLE, 0, 493, 0, WRONG, NULL, 0, 922, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, GOOD, NULL, 922, 918, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, GOOD, NULL, 1840, 918, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, GOOD, NULL, 2758, 914, 0}}},
    /* Chunks are kept in the record; digests are in hexadecimal. */
    {"example-iana.org-chunked.warc",
     {{WARC_INFO, "", 0, 137, 137, NONE, NULL, 0, 405, 0},
      {WARC_RESPONSE, "http://www.iana.org/", 200, 7566, 7223, GOOD, NULL, 405, 7974, 0},
      {WARC_REQUEST, "http://www.iana.org/", 0, 76, 0, GOOD, NULL, 8379, 452, 0}}},
    {"example-resource.warc.gz",
     {{WARC_INFO, "", 0, 249, 249, NONE, NULL, 0, 361, 0},
      {WARC_INFO, "", 0, 399, 399, NONE, NULL, 361, 441, 0},
      {WARC_RESOURCE, EXAMPLE, 0, 1303, 1303, GOOD, NULL, 802, 977, 0}}},
    {"example-space-in-target-uri.warc.gz",
     {{WARC_INFO, "", 0, 73, 73, NONE, NULL, 0, 241, 0},
      {WARC_RESOURCE, "file:///example with spaces.png", 0, 70, 70, GOOD, NULL, 241, 342, 0}}},
    /* Its line ends were converted: 12 bytes are missing. */
    {"example-space-in-url.arc",
     {{WARC_INFO, "", 0, 75, 75, NONE, NULL, 0, 151, 0},
      {WARC_RESPONSE, SPACES, 200, 1579, 1271, NONE, "shorter than announced", 151, 1722, 0}}},
    /* The response states 2 bytes too few. */
    {"example-trunc.warc",
     {{WARC_INFO, "", 0, 249, 249, NONE, NULL, 0, 488, 0},
      {WARC_INFO, "", 0, 470, 470, NONE, NULL, 488, 709, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 973, 604, WRONG, "wrong length", 1197, 1363, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, NONE, NULL, 2566, 804, 0}}},
    /* Target URIs in angle brackets. */
    {"example-wget-bad-target-uri.warc.gz",
     {{WARC_INFO, "", 0, 232, 232, GOOD, NULL, 0, 410, 0},
      {WARC_REQUEST, EXAMPLE, 0, 141, 0, GOOD, NULL, 410, 414, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 1598, 1270, GOOD, NULL, 824, 1154, 0},
      {WARC_METADATA, WGET "MANIFEST.txt", 0, 48, 48, GOOD, NULL, 1978, 317, 0},
      {WARC_RESOURCE, WGET "wget_arguments.txt", 0, 49, 49, GOOD, NULL, 2295, 386, 0},
      {WARC_RESOURCE, WGET "wget.log", 0, 471, 471, GOOD, NULL, 2681, 586, 0}}},
    /* Gzip members that begin and end inside records. */
    {"example-wrong-chunks.warc.gz",
     {{WARC_RESPONSE, EXAMPLE, 200, 1613, 1270, WRONG, NULL, 0, 1130, 0},
      {WARC_REQUEST, EXAMPLE, 0, 137, 0, GOOD, NULL, 1130, 0, 4}}},
    {"example.arc",
     {{WARC_INFO, "", 0, 75, 75, NONE, NULL, 0, 151, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 1591, 1270, NONE, NULL, 151, 1657, 0}}},
    {"example.arc.gz",
     {{WARC_INFO, "", 0, 75, 75, NONE, NULL, 0, 171, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 1591, 1270, NONE, NULL, 171, 856, 0}}},
    {"example.warc",
     {{WARC_INFO, "", 0, 249, 249, NONE, NULL, 0, 488, 0},
      {WARC_INFO, "", 0, 470, 470, NONE, NULL, 488, 709, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 975, 606, GOOD, NULL, 1197, 1369, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, NONE, NULL, 2566, 804, 0},
      {WARC_REVISIT, EXAMPLE, 200, 369, 0, GOOD, NULL, 3370, 946, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, NONE, NULL, 4316, 804, 0}}},
    {"example.warc.gz",
     {{WARC_INFO, "", 0, 249, 249, NONE, NULL, 0, 353, 0},
      {WARC_INFO, "", 0, 470, 470, NONE, NULL, 353, 431, 0},
      {WARC_RESPONSE, EXAMPLE, 200, 975, 606, GOOD, NULL, 784, 1228, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, GOOD, NULL, 2012, 609, 0},
      {WARC_REVISIT, EXAMPLE, 200, 369, 0, GOOD, NULL, 2621, 586, 0},
      {WARC_REQUEST, EXAMPLE, 0, 493, 0, GOOD, NULL, 3207, 609, 0}}},
    {"post-test.warc.gz",
     {{WARC_RESPONSE, POST, 200, 733, 545, GOOD, NULL, 0, 720, 0},
      {WARC_REQUEST, POST, 0, 227, 16, GOOD, NULL, 720, 476, 0},
      {WARC_RESPONSE, POST, 200, 740, 552, GOOD, NULL, 1196, 723, 0},
      {WARC_REQUEST, POST, 0, 223, 12, GOOD, NULL, 1919, 476, 0},
      {WARC_RESPONSE, POST "?foo=bar", 200, 739, 551, GOOD, NULL, 2395, 723, 0},
      {WARC_REQUEST, POST "?foo=bar", 0, 224, 6, GOOD, NULL, 3118, 475, 0}}},
};
enum { NFILES = sizeof files / sizeof *files };

static void check(const struct warc_record *got, const struct want *want, const char *file, int number)
{
    print_message("%s, record %d\n", file, number);
    assert_int_equal(got->type, want->type);
    assert_str(got->url, want->url);
    assert_int_equal(got->http_status, want->status);
    assert_int_equal(got->block.len, want->block);
    assert_int_equal(got->payload.len, want->payload);
    assert_int_equal(warc_record_check_digest(got), want->digest);
    assert_string_equal(got->damage ? got->damage : "", want->damage ? want->damage : "");
    assert_int_equal(got->damaged, want->damage != NULL);
    assert_int_equal(got->offset, want->offset);
    assert_int_equal(got->length, want->length);
    assert_int_equal(got->inner, want->inner);
}

static void check_records(struct warc_reader *reader, const struct file *file)
{
    const struct want *want = file->records;
    struct warc_record record;
    struct errmsg err;
    scent_status status;

    for (; (status = warc_reader_next(reader, &record, &err)) == SCENT_OK; want++) {
        assert_true(want->block || want->url);
        check(&record, want, file->name, (int)(want - file->records));
    }
    assert_int_equal(status, SCENT_E_END);
    assert_false(want->block || want->url); /* all of them came */
}

static void every_file_is_read(void **state)
{
    (void)state;
    for (int i = 0; i < NFILES; i++) {
        struct buf content = fixture_read(FILES, files[i].name);
        struct warc_reader *reader;
        struct errmsg err;
        char *path = fixture_path(FILES, files[i].name);

        assert_ok(warc_reader_open(path, &reader, &err), err);
        check_records(reader, &files[i]);
        warc_reader_close(reader);
        reader = warc_reader_open_memory(buf_str(&content));
        check_records(reader, &files[i]);
        warc_reader_close(reader);
        buf_release(&content);
        free(path);
    }
}

/* Every record can be gone to by its offset, in any order. */
static void every_record_is_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < NFILES; i++) {
        char *path = fixture_path(FILES, files[i].name);
        struct warc_reader *reader;
        struct errmsg err;
        int n = 0;

        while (files[i].records[n].block || files[i].records[n].url)
            n++;
        assert_ok(warc_reader_open(path, &reader, &err), err);
        while (n-- > 0) {
            const struct want *want = &files[i].records[n];
            struct warc_record record;

            assert_ok(warc_reader_seek(reader, want->offset, want->inner, &err), err);
            assert_ok(warc_reader_next(reader, &record, &err), err);
            check(&record, want, files[i].name, n);
        }
        warc_reader_close(reader);
        free(path);
    }
}

static void the_list_is_complete(void **state)
{
    struct file_list list;
    struct errmsg err;

    (void)state;
    assert_ok(file_list(FILES, "", &list, &err), err);
    assert_int_equal(list.count, NFILES);
    for (int i = 0; i < NFILES; i++)
        assert_string_equal(list.names[i], files[i].name);
    file_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_is_read),
        cmocka_unit_test(every_record_is_found_again),
        cmocka_unit_test(the_list_is_complete),
    };

    if (!file_is_dir(FILES)) {
        printf("skipped: there is no %s\n", FILES);
        return TEST_SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
