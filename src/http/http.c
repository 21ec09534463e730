/* Header fields and what their values mean; content and transfer codings: the driver, which knows caps and chains;
 * brotli, zstd, chunks. http_gzip.c has gzip. */
#include "http/http_parts.h"

#include "base/date.h"

#include <brotli/decode.h>

/* ---- header fields ---- */

bool http_is_header(struct str line, struct str name)
{
    return line.len > name.len && line.p[name.len] == ':' && str_starts_nocase(line, name);
}

struct str http_header(struct str head, struct str name)
{
    struct str line;

    while (str_split(&head, '\n', &line))
        if (http_is_header(line, name))
            return str_trim(str_sub(line, name.len + 1, line.len));
    return STR_NONE;
}

struct str http_mime(struct str content_type)
{
    return str_trim(str_sub(content_type, 0, str_find(content_type, ';')));
}

struct str http_head_mime(struct str head)
{
    return http_mime(http_header(head, STR("content-type")));
}

/* "q=0", "q=0.000" */
static bool is_zero_quality(struct str parameter)
{
    if (!str_starts_nocase(parameter, STR("q=0")))
        return false;
    for (size_t i = 2; i < parameter.len; i++)
        if (parameter.p[i] != '0' && parameter.p[i] != '.')
            return false;
    return true;
}

/* "gzip;q=0.5" of an Accept-Encoding; false also for q=0. */
static bool accepts_one(struct str accept, struct str coding)
{
    struct str part, parameter;
    bool any = false;

    while (str_split(&accept, ',', &part)) {
        struct str name = http_mime(part), rest = str_sub(part, str_find(part, ';'), part.len);
        bool refused = false;

        while (str_split(&rest, ';', &parameter)) {
            parameter = str_trim(parameter);
            refused |= is_zero_quality(parameter);
        }
        if (str_eq_nocase(name, coding) || (str_eq_nocase(name, STR("gzip")) && str_eq_nocase(coding, STR("x-gzip"))))
            return !refused;
        any |= str_eq(name, STR("*")) && !refused;
    }
    return any;
}

bool http_accepts(struct str accept, struct str encoding)
{
    struct str coding;

    while (str_split(&encoding, ',', &coding)) {
        coding = str_trim(coding);
        if (coding.len && !str_eq_nocase(coding, STR("identity")) && !accepts_one(accept, coding))
            return false;
    }
    return true;
}

static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.len > 0;
}

int64_t http_retry_after(struct str value, struct str date, int64_t now)
{
    const int64_t second = 1000000, most = HTTP_RETRY_AFTER_MAX * second;
    int64_t wait = 0, until;
    uint64_t seconds;

    value = str_trim(value);
    if (is_number(value)) { /* one that is too large for us is large */
        wait = str_parse_u64(value, &seconds) && seconds < HTTP_RETRY_AFTER_MAX ? (int64_t)seconds * second : most;
    } else if ((until = date_parse(value)) > 0) {
        int64_t then = date_parse(date);

        wait = until - (then ? then : now);
    }
    if (wait < 0)
        return 0;
    return wait < most ? wait : most;
}

/* ---- the driver of the decoders ---- */

enum { FIRST_ROOM = 32 * 1024, PIECE = 4096 };

/* Room at the end of `out`: doubling, within the cap. False when there is no memory. */
static bool make_room(struct buf *out, size_t *room)
{
    size_t want = out->len > FIRST_ROOM ? out->len : FIRST_ROOM;

    if (want > http_room(out))
        want = http_room(out);
    if (!buf_reserve(out, want))
        return false;
    *room = out->room - out->len - 1;
    if (*room > http_room(out))
        *room = http_room(out);
    return true;
}

static enum http_end end_of(enum part_step step)
{
    if (step == PART_DONE)
        return HTTP_WHOLE;
    return step == PART_MORE_INPUT ? HTTP_CUT_INPUT : HTTP_CUT_ERROR;
}

/* At the cap one byte of room tells a stream that is finished from one that would go on. */
static enum part_step probe(const struct http_part *part, struct str *in)
{
    char byte, *p = &byte;
    size_t room = 1;
    enum part_step step = part->step(part->ctx, in, &p, &room);

    return room == 0 ? PART_MORE_ROOM : step;
}

scent_status http_run(const struct http_part *part, struct str *in, struct buf *out, enum http_end *end)
{
    enum part_step step = PART_MORE_ROOM;

    while (step == PART_MORE_ROOM && http_room(out) > 0) {
        size_t room, before;
        char *p;

        if (!make_room(out, &room))
            return SCENT_E_NOMEM;
        p = out->p + out->len;
        before = room;
        step = part->step(part->ctx, in, &p, &room);
        out->len += before - room;
    }
    if (step == PART_MORE_ROOM)
        step = probe(part, in);
    *end = step == PART_MORE_ROOM ? HTTP_CUT_CAP : end_of(step);
    return step == PART_NOMEM ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- in pieces ---- */

struct pieces {
    const struct http_library *library;
    void *decoder;
    size_t used;         /* of the input */
    size_t careful_from; /* byte by byte from there on */
};

static size_t piece_size(const struct pieces *pieces)
{
    size_t before_care = pieces->careful_from - pieces->used;

    if (pieces->used >= pieces->careful_from)
        return 1;
    return before_care < PIECE ? before_care : PIECE;
}

static enum part_step step_by_pieces(void *ctx, struct str *in, char **out, size_t *room)
{
    struct pieces *pieces = ctx;
    enum part_step step;
    size_t taken;

    do {
        size_t size = piece_size(pieces);
        struct str piece = str_sub(*in, 0, size < in->len ? size : in->len);

        size = piece.len;
        step = pieces->library->step(pieces->decoder, &piece, out, room);
        if (step == PART_BAD)
            return step;
        taken = size - piece.len;
        pieces->used += taken;
        *in = str_sub(*in, taken, in->len);
    } while (step == PART_MORE_INPUT && in->len && taken);
    return step;
}

static scent_status run_pieces(struct pieces *pieces, struct str *in, struct buf *out, enum http_end *end)
{
    scent_status status;

    pieces->used = 0;
    pieces->decoder = pieces->library->open();
    if (!pieces->decoder)
        return SCENT_E_NOMEM;
    status = http_run(&(struct http_part){step_by_pieces, pieces}, in, out, end);
    pieces->library->close(pieces->decoder);
    return status;
}

scent_status http_run_library(const struct http_library *library, struct str *in, struct buf *out,
                              enum http_end *end)
{
    struct pieces pieces = {.library = library, .careful_from = SIZE_MAX};
    struct str begin = *in;
    size_t before = out->len;
    scent_status status = run_pieces(&pieces, in, out, end);

    if (status != SCENT_OK || *end != HTTP_CUT_ERROR)
        return status;
    out->len = before;
    *in = begin;
    pieces.careful_from = pieces.used; /* the piece that begins there is damaged */
    return run_pieces(&pieces, in, out, end);
}

/* ---- brotli ---- */

/* Its window takes at most 16 MiB: large windows are off unless asked for. */
static void *brotli_open(void)
{
    return BrotliDecoderCreateInstance(NULL, NULL, NULL);
}

static void brotli_close(void *decoder)
{
    BrotliDecoderDestroyInstance(decoder);
}

static enum part_step brotli_step(void *decoder, struct str *in, char **out, size_t *room)
{
    const uint8_t *next_in = (const uint8_t *)in->p;
    uint8_t *next_out = (uint8_t *)*out;
    size_t left = in->len;
    BrotliDecoderResult result = BrotliDecoderDecompressStream(decoder, &left, &next_in, room, &next_out, NULL);

    *in = str_sub(*in, in->len - left, in->len);
    *out = (char *)next_out;
    switch (result) {
    case BROTLI_DECODER_RESULT_SUCCESS:
        return PART_DONE;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT:
        return PART_MORE_INPUT;
    case BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
        return PART_MORE_ROOM;
    default:
        return PART_BAD;
    }
}

static scent_status unbrotli(struct str in, struct buf *out, enum http_end *end)
{
    static const struct http_library brotli = {brotli_open, brotli_close, brotli_step};

    return http_run_library(&brotli, &in, out, end);
}

/* ---- chunks: RFC 9112 section 7.1; a bare LF is taken for a line end, as clients do ---- */

/* A line without its end off the front of *in; false when there is no line end. */
static bool take_line(struct str *in, struct str *line)
{
    size_t end = str_find(*in, '\n');

    if (end == in->len)
        return false;
    *line = str_sub(*in, 0, end > 0 && in->p[end - 1] == '\r' ? end - 1 : end);
    *in = str_sub(*in, end + 1, in->len);
    return true;
}

/* "1a2b", with spaces and extensions behind it. */
static bool parse_size(struct str line, size_t *size)
{
    size_t i = 0;

    *size = 0;
    for (; i < line.len && ascii_hex(line.p[i]) >= 0; i++) {
        if (*size > SIZE_MAX >> 8)
            return false;
        *size = *size << 4 | (size_t)ascii_hex(line.p[i]);
    }
    if (i == 0)
        return false;
    while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
        i++;
    return i == line.len || line.p[i] == ';';
}

/* The end of the line behind a chunk's data. */
static enum http_end skip_line_end(struct str *in)
{
    size_t skip = in->len && in->p[0] == '\r' ? 1 : 0;

    if (skip == in->len)
        return HTTP_CUT_INPUT;
    if (in->p[skip] != '\n')
        return HTTP_CUT_ERROR;
    *in = str_sub(*in, skip + 1, in->len);
    return HTTP_WHOLE;
}

/* One chunk; *last when it was the empty one. */
static enum http_end take_chunk(struct str *in, struct str *data, bool *last)
{
    struct str line;
    size_t size;

    *data = STR_NONE;
    if (!take_line(in, &line))
        return in->len == 0 || ascii_hex(in->p[0]) >= 0 ? HTTP_CUT_INPUT : HTTP_CUT_ERROR;
    if (!parse_size(line, &size))
        return HTTP_CUT_ERROR;
    *last = size == 0;
    if (*last)
        return HTTP_WHOLE; /* trailer fields may follow; they are not part of the body */
    *data = str_sub(*in, 0, size < in->len ? size : in->len);
    *in = str_sub(*in, data->len, in->len);
    return data->len < size ? HTTP_CUT_INPUT : skip_line_end(in);
}

scent_status http_dechunk(struct str in, struct buf *out, enum http_end *end)
{
    bool last = false;

    *end = HTTP_WHOLE;
    while (!last && *end == HTTP_WHOLE) {
        struct str data;
        size_t room = http_room(out);

        *end = take_chunk(&in, &data, &last);
        if (data.len > room) {
            data.len = room;
            *end = HTTP_CUT_CAP;
        }
        if (!buf_add(out, data))
            return SCENT_E_NOMEM;
    }
    return SCENT_OK;
}

/* ---- chains ---- */

static scent_status copy(struct str in, struct buf *out, enum http_end *end)
{
    size_t room = http_room(out);

    *end = in.len > room ? HTTP_CUT_CAP : HTTP_WHOLE;
    return buf_add(out, str_sub(in, 0, in.len > room ? room : in.len)) ? SCENT_OK : SCENT_E_NOMEM;
}

static http_decoder *decoder_for(struct str name)
{
    static const struct {
        const char *name;
        http_decoder *decoder;
    } known[] = {
        {"gzip", http_gunzip}, {"x-gzip", http_gunzip}, {"deflate", http_inflate},
        {"br", unbrotli}, {"zstd", http_unzstd},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (str_eq_nocase(name, str_of(known[i].name)))
            return known[i].decoder;
    return NULL;
}

/* The decoders that a Content-Encoding names, in the order in which the server applied them. */
static scent_status parse_chain(struct str encoding, http_decoder *chain[HTTP_CHAIN_MAX], size_t *count)
{
    struct str name;

    *count = 0;
    while (str_split(&encoding, ',', &name)) {
        name = str_trim(name);
        if (name.len == 0 || str_eq_nocase(name, STR("identity")))
            continue;
        if (*count == HTTP_CHAIN_MAX || !(chain[*count] = decoder_for(name)))
            return SCENT_E_UNSUPPORTED;
        ++*count;
    }
    return SCENT_OK;
}

/* The last coding applied is the first to be undone. What lies between two codings has the cap of the result. The
 * first cut is the one that is reported: those after it follow from it. */
static scent_status run_chain(http_decoder *const chain[], size_t count, struct str in, struct buf *out,
                              enum http_end *end)
{
    struct buf between[2];
    scent_status status = SCENT_OK;

    buf_init(&between[0], out->cap);
    buf_init(&between[1], out->cap);
    *end = HTTP_WHOLE;
    while (count-- > 0 && status == SCENT_OK && in.len) {
        struct buf *into = count ? &between[count % 2] : out;
        enum http_end this_end;

        if (count)
            buf_clear(into);
        status = chain[count](in, into, &this_end);
        in = buf_str(into);
        if (*end == HTTP_WHOLE)
            *end = this_end;
    }
    buf_release(&between[0]);
    buf_release(&between[1]);
    return status;
}

scent_status http_decode(struct str encoding, struct str in, struct buf *out, enum http_end *end)
{
    http_decoder *chain[HTTP_CHAIN_MAX];
    size_t count;
    scent_status status = parse_chain(encoding, chain, &count);

    *end = HTTP_WHOLE;
    if (status != SCENT_OK || in.len == 0)
        return status;
    if (count == 0)
        return copy(in, out, end);
    if (count == 1)
        return chain[0](in, out, end);
    return run_chain(chain, count, in, out, end);
}

scent_status http_decode_body(struct str head, struct str body, struct buf *room, struct str *out, enum http_end *end)
{
    struct str encoding = http_header(head, STR("content-encoding"));

    *out = body;
    *end = HTTP_WHOLE;
    if (encoding.len == 0 || str_eq_nocase(encoding, STR("identity")))
        return SCENT_OK;
    buf_clear(room);
    SCENT_TRY(http_decode(encoding, body, room, end));
    *out = buf_str(room);
    return out->len == 0 && *end != HTTP_WHOLE ? SCENT_E_UNSUPPORTED : SCENT_OK;
}
