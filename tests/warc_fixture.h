/* What the tests of the WARC module share: exchanges, series of files, counts of what is in a file. */
#ifndef SCENT_TESTS_WARC_FIXTURE_H
#define SCENT_TESTS_WARC_FIXTURE_H

#include "test.h"

#include "base/file.h"
#include "http/http.h"
#include "warc/warc.h"

/* Response and request for http://example.org/NUMBER, with `body`, as two gzip members (level 0: not packed). */
static inline struct buf fixture_exchange(int number, struct str body, int level)
{
    struct http_packer *packer = http_packer_new(HTTP_GZIP, level ? level : 1);
    struct warc_exchange exchange = {
        .wall = 1794733080000000 + number * 1000000ll,
        .request = STR("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"),
        .response_head = STR("HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"),
        .body = body,
    };
    char url[64], digest[33];
    struct warc_span span;
    struct buf packed, plain;
    struct rng rng;
    enum http_end end;

    rng_seed(&rng, (uint64_t)number);
    snprintf(url, sizeof url, "http://example.org/%d", number);
    exchange.url = str_of(url);
    buf_init(&packed, 0);
    assert_int_equal(warc_build_exchange(&exchange, &rng, packer, &packed, &span, digest), SCENT_OK);
    http_packer_free(packer);
    if (level)
        return packed;
    buf_init(&plain, 0);
    assert_int_equal(http_decode(STR("gzip"), buf_str(&packed), &plain, &end), SCENT_OK);
    buf_release(&packed);
    return plain;
}

static inline char *fixture_path(const char *dir, const char *name)
{
    char *path;

    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    return path;
}

static inline bool fixture_has(const char *dir, const char *name)
{
    char *path = fixture_path(dir, name);
    bool exists = file_exists(path);

    free(path);
    return exists;
}

static inline struct buf fixture_read(const char *dir, const char *name)
{
    char *path = fixture_path(dir, name);
    struct errmsg err;
    struct buf content;

    buf_init(&content, 0);
    assert_ok(file_read(path, &content, &err), err);
    free(path);
    return content;
}

static inline void fixture_write(const char *dir, const char *name, struct str content)
{
    char *path = fixture_path(dir, name);
    struct errmsg err;

    assert_ok(file_replace(path, content, &err), err);
    free(path);
}

/* The types of all records as letters: i(nfo) r(esponse) q(request) s(ource) m(etadata) v(isit) c(onversion) o(ther); a
 * damaged one is followed by "!". The status with which it ended comes last, unless it was the end. */
static inline void fixture_outline(struct warc_reader *reader, char *out, size_t room)
{
    struct warc_record record;
    struct errmsg err;
    scent_status status;
    size_t n = 0;

    while ((status = warc_reader_next(reader, &record, &err)) == SCENT_OK) {
        assert_true(n + 3 < room);
        out[n++] = "oirqsmvc"[record.type];
        if (record.damaged)
            out[n++] = '!';
        assert_int_equal(record.damaged, record.damage != NULL);
    }
    out[n] = 0;
    if (status != SCENT_E_END)
        snprintf(out + n, room - n, " %s", scent_status_text(status));
}

static inline void fixture_check_outline(struct str data, const char *want)
{
    struct warc_reader *reader = warc_reader_open_memory(data);
    char got[256];

    fixture_outline(reader, got, sizeof got);
    warc_reader_close(reader);
    assert_string_equal(got, want);
}

#endif
