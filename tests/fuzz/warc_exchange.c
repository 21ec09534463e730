/* What is written into an archive is read back: the first byte chooses what kind of record, the rest is head and body. The
 * lines of the index are lines, and sorting them loses none. */
#include "http/http.h"
#include "json/json.h"
#include "warc/cdxj.h"
#include "warc/warc.h"

static void check_line(struct str line)
{
    struct str rest = line, key, date;
    struct json *json;

    SCENT_BUG_IF(str_find(line, '\n') != line.len - 1);
    SCENT_BUG_IF(!str_split(&rest, ' ', &key) || !key.len || !str_split(&rest, ' ', &date) || date.len != 14);
    SCENT_BUG_IF(json_parse(rest, &json, NULL) != SCENT_OK || !json_as_str(json_get(json, "url")).len);
    json_free(json);
}

static void check_sorted(struct buf *lines)
{
    struct str rest, line, before = STR("");
    size_t len = lines->len;

    SCENT_BUG_IF(cdxj_sort(lines) != SCENT_OK || lines->len != len);
    rest = buf_str(lines);
    while (str_split(&rest, '\n', &line) && line.len) {
        SCENT_BUG_IF(str_cmp(before, line) > 0);
        before = line;
    }
}

static void check_record(const struct warc_record *record, const struct warc_exchange *exchange)
{
    if (record->type == WARC_REQUEST)
        return;
    SCENT_BUG_IF(record->type != (exchange->same_as_url.len ? WARC_REVISIT : WARC_RESPONSE));
    SCENT_BUG_IF(!str_eq(record->url, exchange->url));
    if (record->type == WARC_RESPONSE)
        SCENT_BUG_IF(!str_eq(record->payload, exchange->body));
}

static void read_back(struct str records, const struct warc_exchange *exchange)
{
    struct warc_reader *reader = warc_reader_open_memory(records);
    struct warc_record record;
    struct errmsg err;
    struct buf lines;
    size_t count = 0;

    buf_init(&lines, 0);
    while (warc_reader_next(reader, &record, &err) == SCENT_OK) {
        size_t before = lines.len;

        count++;
        SCENT_BUG_IF(record.damaged);
        check_record(&record, exchange);
        SCENT_BUG_IF(cdxj_add(&(struct cdxj_entry){.url = record.url, .date = record.date, .digest = record.headers,
                                                   .file = STR("file")}, &lines) != SCENT_OK);
        check_line(str_sub(buf_str(&lines), before, lines.len));
    }
    SCENT_BUG_IF(count != 1 + (exchange->request.len > 0));
    check_sorted(&lines);
    buf_release(&lines);
    warc_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct http_packer *packer;
    struct warc_exchange exchange = {.url = STR("http://fuzz.test/?a=%22"), .wall = 1800000000000000, .protocol = STR("http/1.1"),
                                     .response_head = STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")};
    struct warc_span span;
    struct buf records;
    char digest[33];
    struct rng rng;

    if (len == 0)
        return 0;
    if (!packer)
        packer = http_packer_new(HTTP_GZIP, 1);
    rng_seed(&rng, 1);
    exchange.body = (struct str){(const char *)data + 1, len - 1};
    exchange.chunked = data[0] & 1;
    exchange.truncated = (data[0] >> 1) % (WARC_CUT_UNSPECIFIED + 1);
    if (data[0] & 64)
        exchange.request = STR("GET / HTTP/1.1\r\n\r\n");
    if (data[0] & 128)
        exchange.same_as_url = STR("http://fuzz.test/first");
    buf_init(&records, 0);
    SCENT_BUG_IF(warc_build_exchange(&exchange, &rng, packer, &records, &span, digest) != SCENT_OK);
    SCENT_BUG_IF(strlen(digest) != 32 || span.offset + span.length > records.len);
    read_back(buf_str(&records), &exchange);
    buf_release(&records);
    return 0;
}
