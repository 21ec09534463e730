/* Bodies of the log: what was put comes out, and what is cut off, too long or out of range is refused. */
#include "cluster/batch.h"

#include "test.h"

#include <float.h>
#include <math.h>

static struct batch_link sample(void)
{
    return (struct batch_link){.priority = 0.25f, .depth = 300, .off_domain = 2, .redirects = 1, .seed = true,
                               .own = {1, 0, 3}, .url = STR("http://a.test/x?y")};
}

static void assert_link(const struct batch_link *got, const struct batch_link *want)
{
    assert_true(got->priority == want->priority);
    assert_int_equal(got->depth, want->depth);
    assert_int_equal(got->off_domain, want->off_domain);
    assert_int_equal(got->redirects, want->redirects);
    assert_int_equal(got->seed, want->seed);
    assert_memory_equal(got->own, want->own, sizeof got->own);
    assert_true(str_eq(got->url, want->url));
}

static void links_come_out_as_they_were_put(void **state)
{
    struct batch_link one = sample(), two = {.priority = -FLT_MAX, .url = STR("https://b.test/")}, got;
    struct http_packer *packer = http_packer_new(HTTP_ZSTD, 3);
    struct buf records, body, out;
    struct bytes in;

    (void)state;
    buf_init(&records, 0);
    buf_init(&body, 0);
    buf_init(&out, 0);
    batch_put_link(&records, &one);
    batch_put_link(&records, &two);
    assert_int_equal(batch_pack(packer, buf_str(&records), &body), SCENT_OK);
    assert_int_equal(batch_unpack(buf_str(&body), records.len, &out), SCENT_OK);
    in = bytes_of(buf_str(&out));
    assert_true(batch_get_link(&in, &got));
    assert_link(&got, &one);
    assert_true(batch_get_link(&in, &got));
    assert_link(&got, &two);
    assert_false(batch_get_link(&in, &got));
    assert_null(in.wrong);
    http_packer_free(packer);
    buf_release(&records);
    buf_release(&body);
    buf_release(&out);
}

static void a_priority_is_a_number(void **state)
{
    const struct {
        float put, got;
    } cases[] = {{NAN, 0}, {INFINITY, FLT_MAX}, {-INFINITY, -FLT_MAX}, {-0.5f, -0.5f}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct batch_link link = sample(), got;
        struct buf records;
        struct bytes in;

        link.priority = cases[i].put;
        buf_init(&records, 0);
        batch_put_link(&records, &link);
        in = bytes_of(buf_str(&records));
        assert_true(batch_get_link(&in, &got));
        assert_true(got.priority == cases[i].got);
        buf_release(&records);
    }
}

/* Every beginning of two links is one link and something wrong, or less. */
static void what_is_cut_off_is_wrong(void **state)
{
    struct batch_link link = sample(), got;
    struct buf records;

    (void)state;
    buf_init(&records, 0);
    batch_put_link(&records, &link);
    size_t one = records.len;
    batch_put_link(&records, &link);
    for (size_t len = 0; len < records.len; len++) {
        struct bytes in = bytes_of(str_sub(buf_str(&records), 0, len));
        size_t count = 0;

        while (batch_get_link(&in, &got))
            count++;
        assert_int_equal(count, len >= one);
        assert_int_equal(in.wrong != NULL, len != 0 && len != one);
    }
    buf_release(&records);
}

static void what_cannot_be_is_wrong(void **state)
{
    /* kind, priority, depth, off_domain, redirects, own, URL */
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        {"\x07\0\0\0\0\1\0\0\0\1\0a", 12},                       /* no kind */
        {"\x01\0\0\xc0\x7f\1\0\0\0\1\0a", 12},                   /* NaN */
        {"\x01\0\0\0\0\x80\x80\x04\0\0\0\1\0a", 14},             /* a depth of 65,536 */
        {"\x01\0\0\0\0\1\0\0\x11" "12345678901234567\1\0a", 29}, /* 17 own bytes */
        {"\x01\0\0\0\0\1\0\0\0\0\0", 11},                        /* no URL */
        {"\x01\0\0\0\0\1\0\0\0\x01\x20" "a", 12},                /* a URL of 8,193 bytes */
    };
    struct batch_link got;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bytes in = bytes_of((struct str){cases[i].bytes, cases[i].len});

        assert_false(batch_get_link(&in, &got));
        assert_non_null(in.wrong);
    }
}

static void put_state(struct buf *out)
{
    batch_put_url(out, &(struct batch_url){.fingerprint = 0x0123456789ABCDEF, .url = STR("http://a.test/"), .state = 2,
                                           .priority = 0.5f, .depth = 300, .off_domain = 1, .redirects = 2, .tries = 3,
                                           .seed = true, .own = {9}, .error = STR("why")});
    batch_put_host(out, &(struct batch_host){STR("a.test:8080"), 1500000, 1700000000000000, 2});
    batch_put_page(out, &(struct batch_page){.number = 70000,
                                             .counted = true,
                                             .relevant = true,
                                             .score = 0.5F,
                                             .url = STR("http://a.test/"),
                                             .wall = 1700000000000000,
                                             .status = 200,
                                             .mime = STR("text/html"),
                                             .digest = STR("ABC"),
                                             .warc_file = STR("c-00001.warc.gz"),
                                             .warc_offset = 1234,
                                             .warc_length = 99,
                                             .bytes = 500,
                                             .simhash = UINT64_MAX - 1});
    batch_put_page(out, &(struct batch_page){.number = 1, .again = true, .url = STR("http://a.test/")});
    batch_put_verdict(out, &(struct batch_verdict){.number = 70000, .relevant = true, .score = 0.25F});
    batch_put_revisit(out, &(struct batch_revisit){.fingerprint = 77, .visits = 3, .changes = 1, .first = 1000,
                                                       .last = 2000, .next = 1700000000000000});
    batch_put_revisit(out, &(struct batch_revisit){.fingerprint = 78, .visits = 1, .first = 1000, .has_page = true,
                                                       .wall = 1000, .digest = STR("ABC"), .etag = STR("\"1\""),
                                                       .last_modified = STR("Tue"), .robots = 3, .score = 0.5F});
}

static void state_comes_out_as_it_was_put(void **state)
{
    struct batch_state got;
    struct buf records;
    struct bytes in;

    (void)state;
    buf_init(&records, 0);
    put_state(&records);
    in = bytes_of(buf_str(&records));
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_URL);
    assert_true(got.url.fingerprint == 0x0123456789ABCDEF && got.url.state == 2 && got.url.priority == 0.5f);
    assert_true(got.url.depth == 300 && got.url.off_domain == 1 && got.url.redirects == 2 && got.url.tries == 3);
    assert_true(got.url.seed && got.url.own[0] == 9);
    assert_str(got.url.url, "http://a.test/");
    assert_str(got.url.error, "why");
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_HOST);
    assert_str(got.host.name, "a.test:8080");
    assert_true(got.host.delay_us == 1500000 && got.host.not_before == 1700000000000000 && got.host.failures == 2);
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_PAGE);
    assert_int_equal(got.page.number, 70000);
    assert_true(got.page.counted && got.page.relevant && got.page.score == 0.5F);
    assert_true(str_eq(got.page.url, STR("http://a.test/")) && str_eq(got.page.mime, STR("text/html")));
    assert_true(str_eq(got.page.digest, STR("ABC")) && str_eq(got.page.warc_file, STR("c-00001.warc.gz")));
    assert_true(got.page.wall == 1700000000000000 && got.page.status == 200 && got.page.bytes == 500);
    assert_true(got.page.warc_offset == 1234 && got.page.warc_length == 99 && got.page.simhash == UINT64_MAX - 1);
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_PAGE && got.page.again && !got.page.counted);
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_VERDICT);
    assert_true(got.verdict.number == 70000 && got.verdict.relevant && got.verdict.score == 0.25F);
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_REVISIT && !got.revisit.has_page);
    assert_true(got.revisit.fingerprint == 77 && got.revisit.visits == 3 && got.revisit.changes == 1);
    assert_true(got.revisit.first == 1000 && got.revisit.last == 2000 && got.revisit.next == 1700000000000000);
    assert_true(batch_get_state(&in, 7, &got) && got.kind == BATCH_REVISIT && got.revisit.has_page);
    assert_true(got.revisit.wall == 1000 && got.revisit.robots == 3 && got.revisit.score == 0.5F);
    assert_str(got.revisit.digest, "ABC");
    assert_str(got.revisit.etag, "\"1\"");
    assert_str(got.revisit.last_modified, "Tue");
    assert_false(batch_get_state(&in, 7, &got));
    assert_null(in.wrong);
    buf_release(&records);
}

static void state_that_is_cut_off_or_cannot_be_is_wrong(void **state)
{
    struct batch_state got;
    struct buf records;

    (void)state;
    buf_init(&records, 0);
    put_state(&records);
    for (size_t len = 1; len < records.len; len++) {
        struct bytes in = bytes_of(str_sub(buf_str(&records), 0, len));
        size_t count = 0, used = 0;

        while (batch_get_state(&in, 7, &got)) {
            count++;
            used = len - bytes_left(&in);
        }
        assert_true(count < 7 && (in.wrong != NULL) == (used != len));
    }
    struct bytes few = bytes_of(buf_str(&records)); /* state 2 is none of 2 */
    assert_false(batch_get_state(&few, 2, &got));
    struct bytes nameless = bytes_of(STR("\x03\0\0\0\0\0"));
    assert_false(batch_get_state(&nameless, 7, &got));
    struct bytes link = bytes_of(STR("\x01"));
    assert_false(batch_get_state(&link, 7, &got));
    assert_true(few.wrong && nameless.wrong && link.wrong);
    buf_release(&records);
}

static void a_body_has_a_limit_and_one_frame(void **state)
{
    struct http_packer *packer = http_packer_new(HTTP_ZSTD, 3);
    struct buf records, body, out;

    (void)state;
    buf_init(&records, 0);
    buf_init(&body, 0);
    buf_init(&out, 0);
    for (int i = 0; i < 10000; i++)
        buf_addc(&records, 'x');
    assert_int_equal(batch_pack(packer, buf_str(&records), &body), SCENT_OK);
    assert_int_equal(batch_unpack(buf_str(&body), 9999, &out), SCENT_E_FORMAT);
    assert_int_equal(batch_unpack(buf_str(&body), 10000, &out), SCENT_OK);
    for (size_t len = 0; len < body.len; len++)
        assert_int_equal(batch_unpack(str_sub(buf_str(&body), 0, len), 10000, &out), SCENT_E_FORMAT);
    buf_addc(&body, 'x'); /* behind it */
    assert_int_equal(batch_unpack(buf_str(&body), 10000, &out), SCENT_E_FORMAT);
    assert_int_equal(batch_unpack(STR("not packed"), 10000, &out), SCENT_E_FORMAT);
    http_packer_free(packer);
    buf_release(&records);
    buf_release(&body);
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_come_out_as_they_were_put),
        cmocka_unit_test(a_priority_is_a_number),
        cmocka_unit_test(what_is_cut_off_is_wrong),
        cmocka_unit_test(what_cannot_be_is_wrong),
        cmocka_unit_test(state_comes_out_as_it_was_put),
        cmocka_unit_test(state_that_is_cut_off_or_cannot_be_is_wrong),
        cmocka_unit_test(a_body_has_a_limit_and_one_frame),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
