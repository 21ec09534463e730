/* WARC files with everything that bodies do: binary, empty, encoded, chunked, cut. Without an argument they are read
 * back with our reader; with a folder as argument they stay there, each payload beside them, for other readers
 * (tests/conformance/warcio). */
#include "test.h"

#include "base/file.h"
#include "http/http.h"
#include "warc/warc.h"

#define HTML                                                                                                           \
    "<html><title>A page</title><body>Gr\xc3\xbc\xc3\x9f"                                                              \
    "e, <a href=\"/next\">next</a></body></html>\n"
#define HEAD(more) "HTTP/1.1 200 OK\r\nServer: sample\r\n" more "\r\n"

/* HTML through a Brotli encoder. */
static const char br_of_html[] =
    "\x1b\x50\x00\xc0\x9c\x07\xb6\x0d\x6b\x8f\x36\xb6\xcf\x5d\x18\x87\x85\x9a\x27\xac\x6c\x58\xb3\xf8"
    "\x7c\xf2\xca\x17\x10\xb9\x54\x08\x3a\x72\x8c\x03\xf6\x7b\x19\x6f\x00\x5a\x68\x8f\xb1\xb1\x64\x1b"
    "\x86\xb2\xd1\x09\x8d\x74\xca\x50\x90\x5d\xba\xff\x17\x4d\xc1\xcc\x28\x30\xa0\x91\x0c";

struct sample {
    const char *name; /* the end of its URL */
    const char *head;
    struct str body;
    const char *decoded; /* what Content-Encoding gives; NULL: the body itself */
    bool chunked;
    enum warc_truncated truncated;
    bool revisit;
};

static struct buf noise, gzipped;

static void make_bodies(void)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 6);

    buf_init(&noise, 0);
    buf_init(&gzipped, 0);
    for (uint32_t i = 0, x = 1; i < 3000000; i++, x = x * 1664525 + 1013904223)
        buf_addc(&noise, (char)(x >> 24));
    assert_int_equal(http_pack(packer, STR(HTML), &gzipped), SCENT_OK);
    http_packer_free(packer);
}

enum { NSAMPLES = 15 };

static void list_samples(struct sample out[NSAMPLES])
{
    const struct sample samples[NSAMPLES] = {
        {"plain", HEAD("Content-Type: text/html\r\n"), .body = STR(HTML)},
        {"binary", HEAD("Content-Type: image/x\r\n"),
         .body = STR("\0\1\r\n\r\nWARC/1.1\r\nWARC-Type: response\r\n\r\n\xff\xfe\r\n\r\n")},
        {"newlines", HEAD(""), .body = STR("\r\n\r\n\r\n\n\n")},
        {"empty", "HTTP/1.1 204 No Content\r\n\r\n", .body = STR("")},
        {"redirect", "HTTP/1.1 301 Moved Permanently\r\nLocation: /plain\r\nContent-Length: 0\r\n\r\n",
         .body = STR("")},
        {"gzip", HEAD("Content-Encoding: gzip\r\n"), .body = buf_str(&gzipped), .decoded = HTML},
        {"br", HEAD("Content-Encoding: br\r\n"), .body = STR(br_of_html), .decoded = HTML},
        {"chunked", HEAD("Transfer-Encoding: chunked\r\n"), .body = STR(HTML), .chunked = true},
        /* Without its chunks this body looks as if it had some. */
        {"chunked-twice", HEAD("transfer-encoding:  chunked\r\n"), .body = STR("5\r\nhello\r\n0\r\n\r\n"),
         .chunked = true},
        {"chunked-gzip", HEAD("Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\nContent-Length: 99999\r\n"),
         .body = buf_str(&gzipped), .decoded = HTML, .chunked = true},
        {"http2", "HTTP/2 200 \r\ncontent-type: text/html\r\n\r\n", .body = STR(HTML)},
        {"cut", HEAD("Content-Length: 5000\r\n"), .body = STR("only this"), .truncated = WARC_CUT_LENGTH},
        {"large", HEAD("Content-Type: application/octet-stream\r\n"), .body = buf_str(&noise)},
        {"again", HEAD("Content-Type: text/html\r\n"), .body = STR(HTML), .revisit = true},
        {"unchanged", "HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", .body = STR(HTML), .revisit = true},
    };

    memcpy(out, samples, sizeof samples);
}

static struct str url_of(const struct sample *sample, char room[128])
{
    snprintf(room, 128, "http://sample.test/%s?a=1&b=%%20", sample->name);
    return str_of(room);
}

static void write_sample(const struct sample *sample, struct warc_writer *writer, struct http_packer *packer,
                         struct rng *rng)
{
    char room[128], digest[33];
    struct warc_exchange exchange = {
        .url = url_of(sample, room),
        .wall = 1794733080000000,
        .ip = STR("192.0.2.7"),
        .protocol = STR("http/1.1"),
        .request = STR("GET / HTTP/1.1\r\nHost: sample.test\r\nUser-Agent: sample\r\n\r\n"),
        .response_head = str_of(sample->head),
        .body = sample->body,
        .truncated = sample->truncated,
        .chunked = sample->chunked,
        .not_modified = sample->revisit && strstr(sample->head, " 304 "),
        .same_as_url = sample->revisit ? STR("http://sample.test/plain?a=1&b=%20") : STR_NONE,
        .same_as_wall = 1794733080000000,
    };
    struct warc_position at;
    struct warc_span span;
    struct errmsg err;
    struct buf records;

    buf_init(&records, 0);
    assert_int_equal(warc_build_exchange(&exchange, rng, packer, &records, &span, digest), SCENT_OK);
    assert_ok(warc_writer_append(writer, buf_str(&records), &at, &err), err);
    buf_release(&records);
}

static void write_file(const char *dir, const char *name, const char *suffix, struct str content)
{
    struct errmsg err;
    char path[600];

    snprintf(path, sizeof path, "%s/%s.%s", dir, name, suffix);
    assert_ok(file_replace(path, content, &err), err);
}

/* The WARC files, NAME.body and NAME.decoded for each, and a list: name, record type, HTTP status. */
static void write_all(const char *dir)
{
    struct warc_writer_options options = {
        .dir = dir, .prefix = "samples", .rotate_bytes = 1000000, .software = "samples"};
    struct sample samples[NSAMPLES];
    struct warc_writer *writer;
    struct warc_position end;
    struct http_packer *packer = http_packer_new(HTTP_GZIP, 1);
    struct rng rng;
    struct errmsg err;
    struct buf list;

    rng_seed(&rng, 1);
    buf_init(&list, 0);
    list_samples(samples);
    assert_ok(warc_writer_open(&options, NULL, &rng, &writer, &err), err);
    for (int i = 0; i < NSAMPLES; i++) {
        const struct sample *sample = &samples[i];
        struct str stored = sample->revisit ? STR("") : sample->body;

        write_sample(sample, writer, packer, &rng);
        write_file(dir, sample->name, "body", stored);
        write_file(dir, sample->name, "decoded", sample->decoded ? str_of(sample->decoded) : stored);
        buf_printf(&list, "%s\t%s\t%.3s\n", sample->name, sample->revisit ? "revisit" : "response",
                   strchr(sample->head, ' ') + 1);
    }
    assert_ok(warc_writer_close(writer, &end, &err), err);
    write_file(dir, "list", "tsv", buf_str(&list));
    buf_release(&list);
    http_packer_free(packer);
}

static void check_record(const struct warc_record *record, const struct sample *sample)
{
    char room[128];

    assert_str(record->url, url_of(sample, room).p);
    assert_int_equal(record->type, sample->revisit ? WARC_REVISIT : WARC_RESPONSE);
    assert_int_equal(record->http_status, atoi(strchr(sample->head, ' ') + 1));
    assert_true(str_eq(record->payload, sample->revisit ? STR("") : sample->body));
    assert_false(record->damaged);
    assert_int_equal(warc_record_check_digest(record), WARC_DIGEST_OK);
}

/* Reads one file from sample `next` on; gives the number of the first sample that is not in it. */
static int read_back(const char *path, const struct sample *samples, int next)
{
    struct warc_reader *reader;
    struct warc_record record;
    struct errmsg err;
    scent_status status;
    int first = next, requests = 0;

    assert_ok(warc_reader_open(path, &reader, &err), err);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_int_equal(record.type, WARC_INFO);
    while ((status = warc_reader_next(reader, &record, &err)) == SCENT_OK) {
        if (record.type == WARC_REQUEST) {
            requests++;
            continue;
        }
        assert_in_range(next, 0, NSAMPLES - 1);
        check_record(&record, &samples[next++]);
    }
    assert_int_equal(status, SCENT_E_END);
    assert_int_equal(requests, next - first);
    warc_reader_close(reader);
    return next;
}

static void samples_are_read_back(void **state)
{
    struct sample samples[NSAMPLES];
    char *dir = test_make_dir();
    struct file_list files;
    struct errmsg err;
    int next = 0;

    (void)state;
    write_all(dir);
    list_samples(samples);
    assert_ok(file_list(dir, ".warc.gz", &files, &err), err);
    assert_int_equal(files.count, 3); /* rotated before and after the large one */
    for (size_t i = 0; i < files.count; i++) {
        char path[600];

        snprintf(path, sizeof path, "%s/%s", dir, files.names[i]);
        next = read_back(path, samples, next);
    }
    assert_int_equal(next, NSAMPLES);
    file_list_release(&files);
    test_remove_dir(dir);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_read_back)};
    int failed = 0;

    make_bodies();
    if (argc > 1)
        write_all(argv[1]);
    else
        failed = cmocka_run_group_tests(tests, NULL, NULL);
    buf_release(&noise);
    buf_release(&gzipped);
    return failed;
}
