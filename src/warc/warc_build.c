/* Records as bytes. Why a chunked response is stored with another head: docs/decisions/0003-warc-bodies.md. */
#include "warc/warc.h"

#include "http/http.h"

#include <stdio.h>

enum { UUID_TEXT = 37, HEADER_GUESS = 1024, ZSTD_LEVEL = 3 };

/* ---- forms ---- */

bool warc_form_eq(struct warc_form a, struct warc_form b)
{
    return a.packing == b.packing && (a.dictionary == b.dictionary || str_eq(http_dictionary_bytes(a.dictionary),
                                                                             http_dictionary_bytes(b.dictionary)));
}

enum warc_packing warc_name_packing(struct str name)
{
    static const struct str gzip = {".warc.gz", 8}, zstd = {".warc.zst", 9};

    if (str_ends(name, gzip) && name.len > gzip.len)
        return WARC_GZIP;
    return str_ends(name, zstd) && name.len > zstd.len ? WARC_ZSTD : WARC_PLAIN;
}

struct http_packer *warc_packer_new(struct warc_form form, int level)
{
    bool zstd = form.packing == WARC_ZSTD;
    struct http_packer *packer = http_packer_new(zstd ? HTTP_ZSTD : HTTP_GZIP, zstd ? ZSTD_LEVEL : level);

    http_packer_use(packer, form.dictionary);
    return packer;
}


/* ---- fields ---- */

/* RFC 9562: random, version 4. */
static void make_uuid(struct rng *rng, char out[UUID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t bits[2] = {rng_next(rng), rng_next(rng)};
    size_t n = 0;

    bits[0] = (bits[0] & ~0xf000ull) | 0x4000;
    bits[1] = (bits[1] & ~(3ull << 62)) | 2ull << 62;
    for (int i = 0; i < 32; i++) {
        if (i == 8 || i == 12 || i == 16 || i == 20)
            out[n++] = '-';
        out[n++] = digits[bits[i / 16] >> (60 - 4 * (i % 16)) & 15];
    }
    out[n] = 0;
}

/* A control character would begin a header line of its own: the value ends before it. */
static void add_field(struct buf *out, const char *name, struct str value)
{
    size_t len = 0;

    while (len < value.len && (unsigned char)value.p[len] >= ' ')
        len++;
    if (len == 0)
        return;
    buf_addz(out, name);
    buf_add(out, STR(": "));
    buf_add(out, (struct str){value.p, len});
    buf_add(out, STR("\r\n"));
}

static void add_id(struct buf *out, const char *name, const char *uuid)
{
    buf_addz(out, name);
    buf_add(out, STR(": <urn:uuid:"));
    buf_addz(out, uuid);
    buf_add(out, STR(">\r\n"));
}

static void add_digest(struct buf *out, const char *name, const char *digest)
{
    buf_addz(out, name);
    buf_add(out, STR(": sha1:"));
    buf_addz(out, digest);
    buf_add(out, STR("\r\n"));
}

static void add_date(struct buf *out, const char *name, int64_t wall)
{
    char date[32];

    clock_format_iso(wall, date, sizeof date);
    add_field(out, name, str_of(date));
}

static void begin(struct buf *out, const char *type, const char *uuid, int64_t wall)
{
    buf_add(out, STR("WARC/1.1\r\n"));
    add_field(out, "WARC-Type", str_of(type));
    add_id(out, "WARC-Record-ID", uuid);
    add_date(out, "WARC-Date", wall);
}

/* The last header, the block in two parts, and the end of the record. */
static void finish(struct buf *out, struct str head, struct str body)
{
    buf_printf(out, "Content-Length: %zu\r\n\r\n", head.len + body.len);
    buf_add(out, head);
    buf_add(out, body);
    buf_add(out, STR("\r\n\r\n"));
}

static scent_status pack(struct buf *record, struct http_packer *packer, struct buf *out)
{
    return record->failed ? SCENT_E_NOMEM : http_pack(packer, buf_str(record), out);
}

/* ---- the stored head ---- */

static bool ends_with_empty_line(struct str head)
{
    return str_ends(head, STR("\n\r\n")) || str_ends(head, STR("\n\n"));
}

static bool has_transfer_encoding(struct str head)
{
    struct str line;

    while (str_split(&head, '\n', &line))
        if (http_is_header(line, STR("transfer-encoding")))
            return true;
    return false;
}

/* "HTTP/2 200" as curl gives it is not the HTTP/1.1 form; WARC-Protocol tells what it was. */
static struct str add_status_line(struct buf *out, struct str head)
{
    size_t version = 0;

    if (!str_starts(head, STR("HTTP/2")) && !str_starts(head, STR("HTTP/3")))
        return head;
    while (version < head.len && head.p[version] != ' ' && head.p[version] != '\n')
        version++;
    buf_add(out, STR("HTTP/1.1"));
    return str_sub(head, version, head.len);
}

/* The lines of `head` but the empty one. What spoke of the transfer is kept under another name. */
static void add_lines(struct buf *out, struct str head, bool dechunked)
{
    struct str line;

    while (str_split(&head, '\n', &line)) {
        struct str text = line.len && line.p[line.len - 1] == '\r' ? str_sub(line, 0, line.len - 1) : line;

        if (text.len == 0)
            continue;
        if (dechunked &&
            (http_is_header(text, STR("transfer-encoding")) || http_is_header(text, STR("content-length"))))
            buf_add(out, STR("X-Archive-Orig-"));
        buf_add(out, text);
        buf_add(out, STR("\r\n"));
    }
}

/* The head as it is stored: `kept` holds it where it had to be changed. */
static struct str stored_head(const struct warc_exchange *exchange, struct buf *kept)
{
    struct str head = exchange->response_head;
    bool dechunked = exchange->chunked || has_transfer_encoding(head);

    if (!dechunked && ends_with_empty_line(head) && str_starts(head, STR("HTTP/1")))
        return head;
    head = add_status_line(kept, head);
    add_lines(kept, head, dechunked);
    if (dechunked)
        buf_printf(kept, "Content-Length: %zu\r\n", exchange->body.len);
    buf_add(kept, STR("\r\n"));
    return buf_str(kept);
}

/* ---- records ---- */

static void add_truncated(struct buf *out, enum warc_truncated truncated)
{
    static const char *const reasons[] = {
        [WARC_CUT_LENGTH] = "length",
        [WARC_CUT_TIME] = "time",
        [WARC_CUT_DISCONNECT] = "disconnect",
        [WARC_CUT_UNSPECIFIED] = "unspecified",
    };

    if (truncated != WARC_WHOLE)
        add_field(out, "WARC-Truncated", str_of(reasons[truncated]));
}

/* ISO 28500:2017, 6.7.2 and 6.7.3: the payload is the one of the record that it refers to. */
static void add_revisit(struct buf *out, const struct warc_exchange *exchange)
{
    add_field(out, "WARC-Profile",
              exchange->not_modified ? STR("http://netpreserve.org/warc/1.1/revisit/server-not-modified")
                                     : STR("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"));
    add_field(out, "WARC-Refers-To-Target-URI", exchange->same_as_url);
    add_date(out, "WARC-Refers-To-Date", exchange->same_as_wall);
}

static void add_exchange_fields(struct buf *out, const struct warc_exchange *exchange, const char *concurrent)
{
    add_field(out, "WARC-Target-URI", exchange->url);
    add_field(out, "WARC-IP-Address", exchange->ip);
    add_field(out, "WARC-Protocol", exchange->protocol);
    if (concurrent)
        add_id(out, "WARC-Concurrent-To", concurrent);
}

static scent_status build_response(const struct warc_exchange *exchange, const char *id, const char *request_id,
                                   struct str head, const char *payload_digest, struct buf *record)
{
    bool revisit = exchange->same_as_url.len > 0;
    struct str body = revisit ? STR_NONE : exchange->body;
    char block_digest[DIGEST_BASE32];

    if (!buf_reserve(record, head.len + body.len + HEADER_GUESS))
        return SCENT_E_NOMEM;
    digest_sha1(head, body, block_digest);
    begin(record, revisit ? "revisit" : "response", id, exchange->wall);
    add_exchange_fields(record, exchange, request_id);
    if (revisit)
        add_revisit(record, exchange);
    add_field(record, "Content-Type", STR("application/http;msgtype=response"));
    add_digest(record, "WARC-Payload-Digest", payload_digest);
    add_digest(record, "WARC-Block-Digest", block_digest);
    add_truncated(record, exchange->truncated);
    finish(record, head, body);
    return SCENT_OK;
}

static void build_request(const struct warc_exchange *exchange, const char *id, const char *response_id,
                          struct buf *record)
{
    char block_digest[DIGEST_BASE32];

    digest_sha1(exchange->request, STR_NONE, block_digest);
    buf_clear(record);
    begin(record, "request", id, exchange->wall);
    add_exchange_fields(record, exchange, response_id);
    add_field(record, "Content-Type", STR("application/http;msgtype=request"));
    add_digest(record, "WARC-Block-Digest", block_digest);
    finish(record, exchange->request, STR_NONE);
}

static scent_status build_both(const struct warc_exchange *exchange, struct rng *rng, struct http_packer *packer,
                               struct buf *record, struct buf *kept, struct buf *out, struct warc_span *response,
                               const char *digest)
{
    bool has_request = exchange->request.len > 0;
    char response_id[UUID_TEXT], request_id[UUID_TEXT];
    struct str head = stored_head(exchange, kept);
    size_t before = out->len;
    scent_status status;

    if (kept->failed)
        return SCENT_E_NOMEM;
    make_uuid(rng, response_id);
    make_uuid(rng, request_id);
    status = build_response(exchange, response_id, has_request ? request_id : NULL, head, digest, record);
    if (status == SCENT_OK)
        status = pack(record, packer, out);
    *response = (struct warc_span){before, out->len - before};
    if (status != SCENT_OK || !has_request)
        return status;
    build_request(exchange, request_id, response_id, record);
    return pack(record, packer, out);
}

scent_status warc_build_exchange(const struct warc_exchange *exchange, struct rng *rng, struct http_packer *packer,
                                 struct buf *out, struct warc_span *response, char digest[33])
{
    size_t before = out->len;
    struct buf record, kept;
    scent_status status;

    buf_init(&record, 0);
    buf_init(&kept, 0);
    if (exchange->same_as_digest.len)
        snprintf(digest, DIGEST_BASE32, "%.*s", STR_ARG(exchange->same_as_digest));
    else
        digest_sha1(exchange->body, STR_NONE, digest);
    status = build_both(exchange, rng, packer, &record, &kept, out, response, digest);
    if (status != SCENT_OK)
        out->len = before;
    buf_release(&record);
    buf_release(&kept);
    return status;
}

/* The end of a record whose block is lines. */
static scent_status pack_lines(struct buf *record, struct str lines, struct http_packer *packer, struct buf *out)
{
    char digest[DIGEST_BASE32];

    digest_sha1(lines, STR_NONE, digest);
    add_field(record, "Content-Type", STR("application/warc-fields"));
    add_digest(record, "WARC-Block-Digest", digest);
    finish(record, lines, STR_NONE);
    return pack(record, packer, out);
}

scent_status warc_build_metadata(const struct warc_exchange *exchange, struct str lines, struct rng *rng,
                                 struct http_packer *packer, struct buf *out, char digest[33])
{
    char id[UUID_TEXT];
    struct buf record;
    scent_status status;

    buf_init(&record, 0);
    make_uuid(rng, id);
    digest_sha1(exchange->body, STR_NONE, digest);
    begin(&record, "metadata", id, exchange->wall);
    add_exchange_fields(&record, exchange, NULL);
    status = pack_lines(&record, lines, packer, out);
    buf_release(&record);
    return status;
}

scent_status warc_build_info(struct str file_name, struct str lines, int64_t wall, struct rng *rng,
                             struct http_packer *packer, struct buf *out)
{
    char id[UUID_TEXT];
    struct buf record;
    scent_status status;

    buf_init(&record, 0);
    make_uuid(rng, id);
    begin(&record, "warcinfo", id, wall);
    add_field(&record, "WARC-Filename", file_name);
    status = pack_lines(&record, lines, packer, out);
    buf_release(&record);
    return status;
}

scent_status warc_build_copy(const struct warc_record *record, struct http_packer *packer, struct buf *out)
{
    struct buf whole;
    scent_status status;

    buf_init(&whole, 0);
    buf_add(&whole, record->whole);
    buf_add(&whole, STR("\r\n\r\n"));
    status = pack(&whole, packer, out);
    buf_release(&whole);
    return status;
}

scent_status warc_build_again(struct str records, struct http_dictionary *dictionary, struct http_packer *packer,
                              struct buf *out, struct warc_span *span)
{
    struct warc_reader *reader = warc_reader_open_part(records, dictionary);
    const struct warc_span old = *span;
    struct warc_record record;
    scent_status status = SCENT_OK;

    while (status == SCENT_OK && (status = warc_reader_next(reader, &record, NULL)) == SCENT_OK) {
        size_t before = out->len;

        status = warc_build_copy(&record, packer, out);
        if (old.length && record.offset == old.offset)
            *span = (struct warc_span){before, out->len - before};
    }
    warc_reader_close(reader);
    return status == SCENT_E_END ? SCENT_OK : status;
}
