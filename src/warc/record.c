/* The headers of WARC records, the lines that begin ARC records, and the HTTP message inside a block; digests: SHA-1,
 * SHA-256, SHA-512 and MD5 from OpenSSL, spelled in base32, base64 or hexadecimal. */
#include "warc/warc_parts.h"

#include "base/buf.h"
#include "http/http.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

/* ---- digests ---- */

enum { SHA1_LEN = 20, DIGEST_TEXT_MAX = 2 * EVP_MAX_MD_SIZE + 1 };

static size_t hash(const EVP_MD *md, struct str a, struct str b, unsigned char out[EVP_MAX_MD_SIZE])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    unsigned len = 0;
    bool ok = ctx && EVP_DigestInit_ex(ctx, md, NULL) && EVP_DigestUpdate(ctx, a.p, a.len) &&
              EVP_DigestUpdate(ctx, b.p, b.len) && EVP_DigestFinal_ex(ctx, out, &len);

    SCENT_BUG_IF(!ok);
    EVP_MD_CTX_free(ctx);
    return len;
}

/* RFC 4648 section 6, without padding; `out` holds len * 8 / 5 + 2 bytes. */
static size_t base32(const unsigned char *p, size_t len, char *out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    unsigned bits = 0, held = 0;
    size_t n = 0;

    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | p[i];
        for (held += 8; held >= 5; held -= 5)
            out[n++] = letters[bits >> (held - 5) & 31];
    }
    if (held)
        out[n++] = letters[bits << (5 - held) & 31];
    out[n] = 0;
    return n;
}

void digest_sha1(struct str a, struct str b, char out[DIGEST_BASE32])
{
    unsigned char raw[EVP_MAX_MD_SIZE];

    SCENT_BUG_IF(hash(EVP_sha1(), a, b, raw) != SHA1_LEN);
    SCENT_BUG_IF(base32(raw, SHA1_LEN, out) != DIGEST_BASE32 - 1);
}

static const EVP_MD *algorithm(struct str name)
{
    if (str_eq_nocase(name, STR("sha1")) || str_eq_nocase(name, STR("sha-1")))
        return EVP_sha1();
    if (str_eq_nocase(name, STR("sha256")) || str_eq_nocase(name, STR("sha-256")))
        return EVP_sha256();
    if (str_eq_nocase(name, STR("sha512")) || str_eq_nocase(name, STR("sha-512")))
        return EVP_sha512();
    if (str_eq_nocase(name, STR("md5")))
        return EVP_md5();
    return NULL;
}

static struct str without_padding(struct str s)
{
    while (s.len && s.p[s.len - 1] == '=')
        s.len--;
    return s;
}

/* Base64 in either alphabet (RFC 4648 sections 4 and 5). */
static bool eq_base64(struct str stated, const unsigned char *raw, size_t len)
{
    unsigned char text[DIGEST_TEXT_MAX];
    size_t n = (size_t)EVP_EncodeBlock(text, raw, (int)len);
    struct str ours = without_padding((struct str){(const char *)text, n});

    if (stated.len != ours.len)
        return false;
    for (size_t i = 0; i < stated.len; i++) {
        char c = stated.p[i] == '-' ? '+' : stated.p[i] == '_' ? '/' : stated.p[i];

        if (c != ours.p[i])
            return false;
    }
    return true;
}

/* Does `data` have the digest that a WARC header states ("sha1:BASE32", "sha-256:hex", base64 too)? *known is false
 * when the algorithm or the spelling is unknown to us. */
static bool digest_matches(struct str stated, struct str data, bool *known)
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    char text[DIGEST_TEXT_MAX];
    struct str name, value = stated;
    const EVP_MD *md;
    size_t len, n;

    *known = false;
    if (!str_split(&value, ':', &name) || !(md = algorithm(str_trim(name))))
        return false;
    value = without_padding(str_trim(value));
    len = hash(md, data, STR_NONE, raw);
    /* The length tells the spelling: 4, 5 and 6 bits a letter. */
    *known = value.len == len * 2 || value.len == (len * 8 + 4) / 5 || value.len == (len * 8 + 5) / 6;
    if (value.len == len * 2) {
        escape_hex(raw, len, text);
        return str_eq_nocase(value, (struct str){text, len * 2});
    }
    n = base32(raw, len, text);
    return str_eq_nocase(value, (struct str){text, n}) || eq_base64(value, raw, len);
}

void digest_keyed(struct str key, struct str data, unsigned char out[DIGEST_KEYED])
{
    /* An empty key may be no pointer, which HMAC() would take for the key of the time before. */
    const void *key_p = key.len ? key.p : "", *data_p = data.len ? data.p : "";
    unsigned len = 0;

    SCENT_BUG_IF(!HMAC(EVP_sha256(), key_p, (int)key.len, data_p, data.len, out, &len) || len != DIGEST_KEYED);
}

struct digest_sum *digest_sum_new(void)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    SCENT_BUG_IF(!ctx || !EVP_DigestInit_ex(ctx, EVP_sha256(), NULL));
    return (struct digest_sum *)ctx;
}

void digest_sum_add(struct digest_sum *sum, struct str bytes)
{
    SCENT_BUG_IF(!EVP_DigestUpdate((EVP_MD_CTX *)sum, bytes.p, bytes.len));
}

void digest_sum_end(struct digest_sum *sum, char out[DIGEST_SHA256])
{
    unsigned char raw[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    SCENT_BUG_IF(!EVP_DigestFinal_ex((EVP_MD_CTX *)sum, raw, &len) || 2 * len + sizeof "sha256:" != DIGEST_SHA256);
    EVP_MD_CTX_free((EVP_MD_CTX *)sum);
    if (!out)
        return;
    memcpy(out, "sha256:", 7);
    escape_hex(raw, len, out + 7);
    out[DIGEST_SHA256 - 1] = 0;
}

enum { ARC_FIELDS = 5, ARC_TOKENS_MAX = 64, ARC_LINE_MAX = 16 * 1024 };

/* ---- lines and header fields ---- */

static struct str line_text(struct str line)
{
    return line.len && line.p[line.len - 1] == '\r' ? str_sub(line, 0, line.len - 1) : line;
}

/* The offset behind the first empty line, 0 when there is none. */
static size_t after_empty_line(struct str s)
{
    size_t at = 0;

    while (at < s.len) {
        const char *end = memchr(s.p + at, '\n', s.len - at);

        if (!end)
            return 0;
        if (line_text((struct str){s.p + at, (size_t)(end - s.p) - at}).len == 0)
            return (size_t)(end - s.p) + 1;
        at = (size_t)(end - s.p) + 1;
    }
    return 0;
}

/* ---- ARC ---- */

/* "URL IP date type … length": the fields of versions 1 and 2 that count. */
struct arc_line {
    struct str url, ip, date, type, length;
};

static bool is_date(struct str s)
{
    size_t digits = 0;

    while (digits < s.len && ascii_is_digit(s.p[digits]))
        digits++;
    return digits == s.len && digits >= 12 && digits <= 18;
}

static bool is_address(struct str s)
{
    if (str_find(s, '.') == s.len && str_find(s, ':') == s.len)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = ascii_lower(s.p[i]);

        if (!ascii_is_digit(c) && !(c >= 'a' && c <= 'f') && c != '.' && c != ':')
            return false;
    }
    return s.len > 0;
}

static bool has_scheme(struct str s)
{
    size_t i = 0;

    while (i < s.len && (ascii_is_alpha(s.p[i]) || ascii_is_digit(s.p[i]) || s.p[i] == '+' || s.p[i] == '-'))
        i++;
    return i > 0 && ascii_is_alpha(s.p[0]) && i < s.len && s.p[i] == ':';
}

/* URLs and types with spaces exist, so fields cannot be counted: the first date behind an address is the anchor. */
static bool parse_arc_line(struct str line, struct arc_line *out)
{
    struct str tokens[ARC_TOKENS_MAX], rest = line;
    size_t count = 0;

    if (line.len > ARC_LINE_MAX || !has_scheme(line))
        return false;
    while (count < ARC_TOKENS_MAX && str_split(&rest, ' ', &tokens[count]))
        count++;
    if (count < ARC_FIELDS || rest.len)
        return false;
    for (size_t i = 2; i + 2 < count; i++) {
        if (!is_date(tokens[i]) || !is_address(tokens[i - 1]))
            continue;
        *out = (struct arc_line){
            .url = {line.p, (size_t)(tokens[i - 1].p - line.p) - 1},
            .ip = tokens[i - 1],
            .date = tokens[i],
            .type = tokens[i + 1],
            .length = tokens[count - 1],
        };
        return true;
    }
    return false;
}

static bool arc_line_at(struct str s, struct arc_line *out)
{
    struct str head = {s.p, s.len < ARC_LINE_MAX ? s.len : ARC_LINE_MAX};
    size_t end = str_find(head, '\n');

    return end < head.len && has_scheme(head) && parse_arc_line(line_text(str_sub(head, 0, end)), out);
}

/* ---- where records begin ---- */

static bool is_warc(struct str s)
{
    return s.len >= 8 && memcmp(s.p, "WARC/", 5) == 0 && ascii_is_digit(s.p[5]) && s.p[6] == '.' &&
           ascii_is_digit(s.p[7]);
}

enum record_kind record_begins(struct str s)
{
    struct arc_line line;

    if (is_warc(s))
        return RECORD_WARC;
    return arc_line_at(s, &line) ? RECORD_ARC : RECORD_NONE;
}

size_t record_find(struct str s, size_t from)
{
    while (from < s.len) {
        const char *end = memchr(s.p + from, '\n', s.len - from);

        if (!end)
            return s.len;
        from = (size_t)(end - s.p) + 1;
        if (record_begins(str_sub(s, from, s.len)) != RECORD_NONE)
            return from;
    }
    return s.len;
}

size_t record_header_len(enum record_kind kind, struct str s)
{
    size_t end;

    if (kind == RECORD_NONE)
        return 0;
    if (kind == RECORD_WARC)
        return after_empty_line(s);
    end = str_find(s, '\n');
    return end < s.len ? end + 1 : 0;
}

/* ---- what the header says ---- */

static enum warc_type type_of(struct str name)
{
    static const struct {
        const char *name;
        enum warc_type type;
    } types[] = {
        {"warcinfo", WARC_INFO},         {"response", WARC_RESPONSE}, {"request", WARC_REQUEST},
        {"resource", WARC_RESOURCE},     {"metadata", WARC_METADATA}, {"revisit", WARC_REVISIT},
        {"conversion", WARC_CONVERSION},
    };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eq_nocase(name, str_of(types[i].name)))
            return types[i].type;
    return WARC_OTHER;
}

/* WARC/1.0's grammar put target URIs in angle brackets, and some wrote them so. */
static struct str without_brackets(struct str s)
{
    return s.len >= 2 && s.p[0] == '<' && s.p[s.len - 1] == '>' ? str_sub(s, 1, s.len - 1) : s;
}

static bool parse_warc(struct str header, struct warc_record *out, uint64_t *block_len)
{
    out->headers = header;
    out->type = type_of(http_header(header, STR("WARC-Type")));
    out->url = without_brackets(http_header(header, STR("WARC-Target-URI")));
    out->date = http_header(header, STR("WARC-Date"));
    return str_parse_u64(http_header(header, STR("Content-Length")), block_len);
}

static bool parse_arc(struct str header, struct warc_record *out, uint64_t *block_len)
{
    struct arc_line line = {0};

    out->headers = header;
    if (!arc_line_at(header, &line))
        return false;
    out->type = str_starts(line.url, STR("filedesc:")) ? WARC_INFO : WARC_RESPONSE;
    out->url = out->type == WARC_INFO ? STR_NONE : line.url;
    out->date = line.date;
    return str_parse_u64(line.length, block_len);
}

bool record_parse(enum record_kind kind, struct str header, struct warc_record *out, uint64_t *block_len)
{
    *block_len = 0;
    return kind == RECORD_WARC ? parse_warc(header, out, block_len) : parse_arc(header, out, block_len);
}

/* ---- HTTP ---- */

/* Three digits (RFC 9112, 4). Servers may send several spaces before them, and HTTP clients pass over these. */
static int status_of(struct str head)
{
    size_t at = str_find(head, ' '), digits = 0;
    int status = 0;

    if (!str_starts(head, STR("HTTP/")))
        return 0;
    while (at < head.len && (head.p[at] == ' ' || head.p[at] == '\t'))
        at++;
    for (; at + digits < head.len && digits < 3 && ascii_is_digit(head.p[at + digits]); digits++)
        status = status * 10 + (head.p[at + digits] - '0');
    return digits == 3 ? status : 0;
}

static bool is_http(const struct warc_record *record)
{
    if (str_starts(record->block, STR("HTTP/")))
        return record->type == WARC_RESPONSE || record->type == WARC_REVISIT;
    return record->type == WARC_REQUEST &&
           str_starts_nocase(http_header(record->headers, STR("Content-Type")), STR("application/http"));
}

static bool is_chunked(struct str head)
{
    struct str value = http_header(head, STR("Transfer-Encoding"));

    return value.len >= 7 && str_eq_nocase(str_sub(value, value.len - 7, value.len), STR("chunked"));
}

/* Many writers remove the chunks and leave the header: a body that does not even begin with one is taken as it is. */
static scent_status dechunk(struct warc_record *record, struct buf *scratch)
{
    enum http_end end;
    scent_status status;

    buf_clear(scratch);
    status = http_dechunk(record->payload, scratch, &end);
    if (status != SCENT_OK || (end == HTTP_CUT_ERROR && scratch->len == 0))
        return status;
    record->payload = scratch->len ? buf_str(scratch) : STR("");
    if (end != HTTP_WHOLE && !record->damaged && http_header(record->headers, STR("WARC-Truncated")).len == 0) {
        record->damaged = true;
        record->damage = end == HTTP_CUT_INPUT ? "the chunked body ends early" : "bad chunks";
    }
    return SCENT_OK;
}

scent_status record_split_http(struct warc_record *record, struct buf *scratch)
{
    size_t head;

    record->payload = record->block;
    if (!is_http(record))
        return SCENT_OK;
    head = after_empty_line(record->block);
    if (head == 0)
        head = record->block.len;
    record->http_head = str_sub(record->block, 0, head);
    record->http_status = status_of(record->http_head);
    record->payload = str_sub(record->block, head, record->block.len);
    if (record->payload.len && is_chunked(record->http_head))
        return dechunk(record, scratch);
    return SCENT_OK;
}

/* ---- digests ---- */

static enum warc_digest check(struct str stated, struct str data)
{
    bool known;

    if (stated.len == 0)
        return WARC_DIGEST_ABSENT;
    if (digest_matches(stated, data, &known))
        return WARC_DIGEST_OK;
    return known ? WARC_DIGEST_WRONG : WARC_DIGEST_UNKNOWN;
}

static enum warc_digest check_payload(const struct warc_record *record)
{
    struct str stated = http_header(record->headers, STR("WARC-Payload-Digest"));
    enum warc_digest result;

    if (record->type == WARC_REVISIT)
        return WARC_DIGEST_ABSENT;
    result = check(stated, record->payload);
    if (result == WARC_DIGEST_WRONG && record->http_head.len)
        result = check(stated, str_sub(record->block, record->http_head.len, record->block.len));
    return result;
}

enum warc_digest warc_record_check_digest(const struct warc_record *record)
{
    enum warc_digest block = check(http_header(record->headers, STR("WARC-Block-Digest")), record->block);
    enum warc_digest payload = check_payload(record);

    /* The worse of the two: ABSENT < OK < WRONG < UNKNOWN would hide a mismatch behind an unknown algorithm. */
    if (block == WARC_DIGEST_WRONG || payload == WARC_DIGEST_WRONG)
        return WARC_DIGEST_WRONG;
    return block > payload ? block : payload;
}
