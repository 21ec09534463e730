/* Files of zstd frames: with and without a dictionary, torn, damaged, hostile; and the series that trains one. */
#include "warc_fixture.h"

#include "base/bytes.h"

enum { EXCHANGES = 4 };

/* A page like the others of its site. */
static struct buf page(int number)
{
    static const char *const words[] = {"sea", "tide", "wave", "reef", "kelp", "shoal", "atoll", "gulf"};
    struct rng rng;
    struct buf out;

    rng_seed(&rng, (uint64_t)number);
    buf_init(&out, 0);
    buf_addz(&out, "<!DOCTYPE html><html><head><link rel=\"stylesheet\" href=\"/style/site.css\"></head>"
                   "<body class=\"article\"><div id=\"navigation\"><a href=\"/index.html\">Main page</a></div>\n");
    for (int i = 0; i < 200; i++)
        buf_printf(&out, "%s %04x ", words[rng_below(&rng, 8)], (unsigned)(rng_next(&rng) & 0xffff));
    buf_addz(&out, "<div id=\"footer\">All text is available under a free licence.</div></body></html>\n");
    return out;
}

static struct http_dictionary *train(void)
{
    struct buf samples;
    size_t sizes[200];
    struct http_dictionary *dictionary;

    buf_init(&samples, 0);
    for (int i = 0; i < 200; i++) {
        struct buf body = page(i), record = fixture_exchange(i, buf_str(&body), 0);

        buf_add(&samples, buf_str(&record));
        sizes[i] = record.len;
        buf_release(&body);
        buf_release(&record);
    }
    dictionary = http_dictionary_train(buf_str(&samples), sizes, 200, 8192);
    assert_non_null(dictionary);
    buf_release(&samples);
    return dictionary;
}

static void add_frame(struct buf *out, unsigned magic, struct str content)
{
    bytes_put(out, magic, 4);
    bytes_put(out, content.len, 4);
    buf_add(out, content);
}

static void pack(struct buf *out, struct http_dictionary *dictionary, struct str bytes)
{
    struct http_packer *packer = warc_packer_new((struct warc_form){WARC_ZSTD, dictionary}, 0);

    assert_int_equal(http_pack(packer, bytes, out), SCENT_OK);
    http_packer_free(packer);
}

/* Response and request of each exchange; offsets[] has where each response begins. */
static void add_exchanges(struct buf *out, struct http_dictionary *dictionary, uint64_t *offsets)
{
    struct http_packer *packer = warc_packer_new((struct warc_form){WARC_ZSTD, dictionary}, 0);

    for (int i = 0; i < EXCHANGES; i++) {
        struct buf body = page(i), gzip = fixture_exchange(i, buf_str(&body), 1);
        struct warc_span span = {0, 0};

        if (offsets)
            offsets[i] = out->len;
        assert_int_equal(warc_build_again(buf_str(&gzip), NULL, packer, out, &span), SCENT_OK);
        buf_release(&body);
        buf_release(&gzip);
    }
    http_packer_free(packer);
}

static void check_file(struct str file, struct http_dictionary *dictionary, const uint64_t *offsets)
{
    fixture_check_outline(file, "rqrqrqrq");
    for (int i = EXCHANGES - 1; i >= 0; i--) {
        struct buf body = page(i);
        struct warc_reader *reader = warc_reader_open_memory(file), *part;
        struct warc_record record;
        struct errmsg err;

        assert_ok(warc_reader_seek(reader, offsets[i], 0, &err), err);
        assert_ok(warc_reader_next(reader, &record, &err), err);
        assert_int_equal(record.offset, offsets[i]);
        assert_true(str_eq(record.payload, buf_str(&body)));
        assert_int_equal(warc_record_check_digest(&record), WARC_DIGEST_OK);
        part = warc_reader_open_part(str_sub(file, record.offset, record.offset + record.length), dictionary);
        assert_ok(warc_reader_next(part, &record, &err), err);
        assert_true(str_eq(record.payload, buf_str(&body)));
        assert_false(record.damaged);
        warc_reader_close(part);
        warc_reader_close(reader);
        buf_release(&body);
    }
}

static void every_kind_of_file(void **state)
{
    struct http_dictionary *dictionary = train();
    struct buf plain, file, packed;
    uint64_t offsets[EXCHANGES];

    (void)state;
    buf_init(&plain, 0);
    buf_init(&file, 0);
    buf_init(&packed, 0);
    add_exchanges(&plain, NULL, offsets);
    check_file(buf_str(&plain), NULL, offsets);

    add_frame(&file, 0x184D2A5D, http_dictionary_bytes(dictionary));
    add_exchanges(&file, dictionary, offsets);
    check_file(buf_str(&file), dictionary, offsets);
    assert_true(file.len - http_dictionary_bytes(dictionary).len < plain.len * 9 / 10); /* it helps */

    buf_clear(&file);
    pack(&packed, NULL, http_dictionary_bytes(dictionary));
    add_frame(&file, 0x184D2A5D, buf_str(&packed));
    add_exchanges(&file, dictionary, offsets);
    check_file(buf_str(&file), dictionary, offsets);

    http_dictionary_free(dictionary);
    buf_release(&plain);
    buf_release(&file);
    buf_release(&packed);
}

/* Extension frames anywhere, a record in two frames, an empty frame, several records in one. */
static void frames_that_are_not_records(void **state)
{
    struct buf one = fixture_exchange(1, STR("some body"), 0), file;

    (void)state;
    buf_init(&file, 0);
    pack(&file, NULL, str_sub(buf_str(&one), 0, 100));
    add_frame(&file, 0x184D2A50, STR("an extension"));
    pack(&file, NULL, STR(""));
    pack(&file, NULL, str_sub(buf_str(&one), 100, one.len));
    add_frame(&file, 0x184D2A5F, STR(""));
    pack(&file, NULL, buf_str(&one));
    fixture_check_outline(buf_str(&file), "rqrq");
    buf_release(&one);
    buf_release(&file);
}

/* What lies before the cut is whole; a file that ends between two records has no damage. */
static void cut_at_every_byte(void **state)
{
    struct http_dictionary *dictionary = train();
    uint64_t offsets[EXCHANGES];
    struct buf file;

    (void)state;
    buf_init(&file, 0);
    add_frame(&file, 0x184D2A5D, http_dictionary_bytes(dictionary));
    add_exchanges(&file, dictionary, offsets);
    for (size_t end = (size_t)offsets[0]; end < file.len; end += end < file.len - 200 ? 7 : 1) {
        struct warc_reader *reader = warc_reader_open_memory(str_sub(buf_str(&file), 0, end));
        char outline[64];
        size_t whole = 0;

        fixture_outline(reader, outline, sizeof outline);
        warc_reader_close(reader);
        for (int i = 0; i < EXCHANGES; i++)
            whole += i + 1 < EXCHANGES ? offsets[i + 1] <= end : 0;
        assert_true(strncmp(outline, "rqrqrqrq", whole * 2) == 0);
        for (int i = 0; i < EXCHANGES; i++)
            if (offsets[i] == end)
                assert_int_equal(strlen(outline), 2 * (size_t)i);
    }
    http_dictionary_free(dictionary);
    buf_release(&file);
}

static void flipped_at_every_byte(void **state)
{
    uint64_t offsets[EXCHANGES];
    struct buf file;

    (void)state;
    buf_init(&file, 0);
    add_exchanges(&file, NULL, offsets);
    for (size_t at = 0; at < file.len; at += at < offsets[1] ? 1 : 13) {
        struct warc_reader *reader;
        struct warc_record record;
        struct errmsg err;
        int whole = 0;

        file.p[at] ^= 0x10;
        reader = warc_reader_open_memory(buf_str(&file));
        while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
            whole += !record.damaged && (record.type == WARC_RESPONSE || record.type == WARC_REQUEST);
            if (!record.damaged)
                assert_int_not_equal(warc_record_check_digest(&record), WARC_DIGEST_WRONG);
        }
        assert_in_range(whole, 2 * EXCHANGES - 1, 2 * EXCHANGES); /* it costs the record that it touches */
        warc_reader_close(reader);
        file.p[at] ^= 0x10;
    }
    buf_release(&file);
}

/* RFC 8878, 3.1.1: a frame without a stated size, with a window of 1 << log bytes. */
static void begin_frame(struct buf *out, unsigned window_log)
{
    bytes_put(out, 0xFD2FB528, 4);
    buf_addc(out, 0);
    buf_addc(out, (char)((window_log - 10) << 3));
}

static void add_block(struct buf *out, bool last, unsigned type, size_t size, struct str content)
{
    bytes_put(out, size << 3 | type << 1 | last, 3);
    buf_add(out, content);
}

enum { RAW, RLE };

#define LONG_HEADER STR("WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 1099511627776\r\n\r\n")

static void bombs(void **state)
{
    struct buf one = fixture_exchange(1, STR("some body"), 0), file;

    (void)state;
    buf_init(&file, 0);
    begin_frame(&file, 20);
    add_block(&file, false, RAW, LONG_HEADER.len, LONG_HEADER);
    for (int i = 0; i < 20000; i++) /* 2.5 GB */
        add_block(&file, i == 19999, RLE, 128 << 10, STR("x"));
    pack(&file, NULL, buf_str(&one));
    fixture_check_outline(buf_str(&file), "s!o!rq"); /* "s!rq": all of it was unpacked */

    buf_clear(&file); /* a window that nobody needs */
    begin_frame(&file, 28);
    add_block(&file, true, RAW, one.len, buf_str(&one));
    pack(&file, NULL, buf_str(&one));
    fixture_check_outline(buf_str(&file), "o!rq");
    buf_release(&one);
    buf_release(&file);
}

static void spoilt_dictionaries(void **state)
{
    struct http_dictionary *dictionary = train();
    struct str bytes = http_dictionary_bytes(dictionary);
    struct buf file, frames, zeros, packed;

    (void)state;
    buf_init(&file, 0);
    buf_init(&frames, 0);
    buf_init(&zeros, 0);
    buf_init(&packed, 0);
    add_exchanges(&frames, dictionary, NULL);
    for (int i = 0; i < 5; i++) {
        struct warc_reader *reader;
        char outline[64];

        buf_clear(&file);
        if (i == 0) /* its first bytes are others */
            add_frame(&file, 0x184D2A5D, str_sub(bytes, 1, bytes.len));
        else if (i == 1) /* cut */
            add_frame(&file, 0x184D2A5D, str_sub(bytes, 0, 100));
        else if (i == 2) { /* larger than allowed, unpacked */
            for (int n = 0; n < 9 << 20; n++)
                buf_addc(&zeros, 0);
            pack(&packed, NULL, buf_str(&zeros));
            add_frame(&file, 0x184D2A5D, buf_str(&packed));
        } else if (i == 3) /* larger than allowed, as it is */
            add_frame(&file, 0x184D2A5D, buf_str(&zeros));
        else { /* longer than the file */
            bytes_put(&file, 0x184D2A5D, 4);
            bytes_put(&file, UINT32_MAX, 4);
        }
        buf_add(&file, buf_str(&frames));
        reader = warc_reader_open_memory(buf_str(&file));
        assert_null(warc_reader_form(reader).dictionary);
        fixture_outline(reader, outline, sizeof outline);
        assert_null(strchr(outline, 'r'));
        warc_reader_close(reader);
    }
    http_dictionary_free(dictionary);
    buf_release(&file);
    buf_release(&frames);
    buf_release(&zeros);
    buf_release(&packed);
}

/* ---- series ---- */

struct series {
    char *dir;
    struct rng rng;
    struct warc_writer *writer;
    struct errmsg err;
};

static void open_series(struct series *series, const struct warc_position *last, enum warc_packing packing)
{
    struct warc_writer_options options = {
        .dir = series->dir, .prefix = "crawl", .packing = packing, .rotate_bytes = 100 << 10, .train_bytes = 50 << 10};

    assert_ok(warc_writer_open(&options, last, &series->rng, &series->writer, &series->err), series->err);
}

/* Appends exchanges as a crawl does; the position is that of the last one. */
static struct warc_position add(struct series *series, int from, int to)
{
    struct http_packer *packer = warc_packer_new(warc_writer_form(series->writer), 1);
    struct warc_position at = {0};

    for (int i = from; i < to; i++) {
        struct buf body = page(i), gzip = fixture_exchange(i, buf_str(&body), 1), records;
        struct warc_span span = {0, 0};

        buf_init(&records, 0);
        assert_int_equal(warc_build_again(buf_str(&gzip), NULL, packer, &records, &span), SCENT_OK);
        assert_ok(warc_writer_append(series->writer, buf_str(&records), &at, &series->err), series->err);
        buf_release(&body);
        buf_release(&gzip);
        buf_release(&records);
    }
    http_packer_free(packer);
    return at;
}

/* Records and damage of all files, which must be whole each. */
static int count_records(const char *dir)
{
    struct file_list files;
    struct errmsg err;
    int count = 0;

    assert_ok(file_list(dir, "", &files, &err), err);
    for (size_t i = 0; i < files.count; i++) {
        struct buf file = fixture_read(dir, files.names[i]);
        struct warc_reader *reader = warc_reader_open_memory(buf_str(&file));
        struct warc_record record;

        while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
            assert_false(record.damaged);
            count += record.type == WARC_RESPONSE;
        }
        warc_reader_close(reader);
        buf_release(&file);
    }
    file_list_release(&files);
    return count;
}

static void a_series_trains_its_dictionary(void **state)
{
    struct series series = {.dir = test_make_dir()};
    struct warc_position end, at;

    (void)state;
    rng_seed(&series.rng, 1);
    open_series(&series, NULL, WARC_ZSTD);
    add(&series, 0, 10);
    assert_ok(warc_writer_train(series.writer, &series.err), series.err);
    assert_null(warc_writer_form(series.writer).dictionary); /* too few yet */
    add(&series, 10, 50);
    assert_ok(warc_writer_train(series.writer, &series.err), series.err);
    assert_non_null(warc_writer_form(series.writer).dictionary);
    at = add(&series, 50, 51);
    assert_string_equal(at.file, "crawl-00001.warc.zst");
    assert_true(fixture_has(series.dir, "crawl-00000.warc.zst"));
    assert_ok(warc_writer_sync(series.writer, &end, &series.err), series.err);

    /* killed: what was not committed goes, the dictionary is that of the file */
    add(&series, 51, 60);
    warc_writer_abandon(series.writer);
    open_series(&series, &end, WARC_PLAIN);
    assert_non_null(warc_writer_form(series.writer).dictionary);
    at = add(&series, 51, 180); /* and rotates with it */
    assert_string_equal(at.file, "crawl-00002.warc.zst");
    assert_ok(warc_writer_close(series.writer, &end, &series.err), series.err);
    assert_int_equal(count_records(series.dir), 180);

    /* The user has changed his mind, twice. */
    open_series(&series, &end, WARC_GZIP);
    at = add(&series, 180, 182);
    assert_string_equal(at.file, "crawl-00003.warc.gz");
    assert_ok(warc_writer_close(series.writer, &end, &series.err), series.err);
    open_series(&series, &end, WARC_ZSTD);
    assert_null(warc_writer_form(series.writer).dictionary);
    at = add(&series, 182, 183);
    assert_string_equal(at.file, "crawl-00004.warc.zst");
    assert_ok(warc_writer_close(series.writer, &end, &series.err), series.err);
    assert_int_equal(count_records(series.dir), 183);
    test_remove_dir(series.dir);
}

/* Records that were under way when the dictionary came. */
static void records_are_packed_again(void **state)
{
    struct http_dictionary *dictionary = train();
    struct http_packer *packer = warc_packer_new((struct warc_form){WARC_ZSTD, dictionary}, 1);
    struct buf body = page(5), gzip = fixture_exchange(5, buf_str(&body), 1), again;
    struct warc_span span;
    struct warc_reader *reader = warc_reader_open_memory(buf_str(&gzip));
    struct warc_record record;
    struct errmsg err;

    (void)state;
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    span = (struct warc_span){(size_t)record.offset, (size_t)record.length}; /* the second one */
    warc_reader_close(reader);
    buf_init(&again, 0);
    buf_addz(&again, "before");
    assert_int_equal(warc_build_again(buf_str(&gzip), NULL, packer, &again, &span), SCENT_OK);
    assert_int_equal(span.offset + span.length, again.len);
    reader = warc_reader_open_part(str_sub(buf_str(&again), span.offset, again.len), dictionary);
    assert_ok(warc_reader_next(reader, &record, &err), err);
    assert_int_equal(record.type, WARC_REQUEST);
    assert_int_equal(record.length, span.length);
    warc_reader_close(reader);
    http_packer_free(packer);
    http_dictionary_free(dictionary);
    buf_release(&body);
    buf_release(&gzip);
    buf_release(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_file),
        cmocka_unit_test(frames_that_are_not_records),
        cmocka_unit_test(cut_at_every_byte),
        cmocka_unit_test(flipped_at_every_byte),
        cmocka_unit_test(bombs),
        cmocka_unit_test(spoilt_dictionaries),
        cmocka_unit_test(a_series_trains_its_dictionary),
        cmocka_unit_test(records_are_packed_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
