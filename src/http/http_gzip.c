/* gzip and deflate. libdeflate is two to three times as fast as zlib, but it wants the whole output at once and
 * gives nothing for damaged input; so it goes first, and zlib takes what it refuses. */
#include "http/http_parts.h"

#include <libdeflate.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    GZIP_LEAST = 18,          /* header and trailer */
    DEFLATE_RATIO_MAX = 1032, /* what deflate can expand to */
    GUESS_LEAST = 64 * 1024,
    GUESS_MOST = 8 * 1024 * 1024 /* more than this goes through zlib, which needs no guess */
};

struct http_inflater {
    z_stream z;
    bool has_stream;                      /* z: it is made when it is first needed */
    struct libdeflate_decompressor *fast; /* likewise */
    struct zstd_unpacker *zstd;           /* NULL: gzip */
};

static int init_stream(z_stream *z, int window_bits)
{
    *z = (z_stream){0};
    return inflateInit2(z, window_bits);
}

/* ---- zlib, as a part for the driver ---- */

static unsigned clamp(size_t n)
{
    return n > UINT_MAX ? UINT_MAX : (unsigned)n;
}

static enum part_step step_of(int rc, const z_stream *z)
{
    switch (rc) {
    case Z_STREAM_END:
        return PART_DONE;
    case Z_OK:
    case Z_BUF_ERROR:
        return z->avail_out == 0 ? PART_MORE_ROOM : PART_MORE_INPUT;
    case Z_MEM_ERROR:
        return PART_NOMEM;
    default:
        return PART_BAD;
    }
}

static enum part_step inflate_step(void *ctx, struct str *in, char **out, size_t *room)
{
    z_stream *z = ctx;
    enum part_step step;

    do {
        unsigned in_given = clamp(in->len), out_given = clamp(*room);

        z->next_in = (Bytef *)(uintptr_t)in->p; /* zlib does not write through it */
        z->avail_in = in_given;
        z->next_out = (Bytef *)*out;
        z->avail_out = out_given;
        step = step_of(inflate(z, Z_NO_FLUSH), z);
        *in = str_sub(*in, in_given - z->avail_in, in->len);
        *out += out_given - z->avail_out;
        *room -= out_given - z->avail_out;
    } while ((step == PART_MORE_INPUT && in->len) || (step == PART_MORE_ROOM && *room));
    return step;
}

static scent_status zlib_stream(struct str *in, int window_bits, struct buf *out, enum http_end *end)
{
    z_stream z;
    scent_status status;

    if (init_stream(&z, window_bits) != Z_OK)
        return SCENT_E_NOMEM;
    status = http_run(&(struct http_part){inflate_step, &z}, in, out, end);
    inflateEnd(&z);
    return status;
}

enum { WINDOW_RAW = -15, WINDOW_ZLIB = 15, WINDOW_GZIP = 31 };

/* ---- libdeflate ---- */

/* One member into the room that `out` has or can get; false where zlib must do it: also where the header has a checksum
 * of its own (RFC 1952, 2.3.1), which libdeflate does not verify, so that the guess would decide what is damage. */
static bool fast_member(struct libdeflate_decompressor *fast, struct str in, size_t guess, struct buf *out,
                        size_t *used)
{
    enum { FLAGS_AT = 3, FLAG_HEADER_CHECKSUM = 2 };
    enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;

    if (in.len > FLAGS_AT && in.p[FLAGS_AT] & FLAG_HEADER_CHECKSUM)
        return false;
    while (fast && result == LIBDEFLATE_INSUFFICIENT_SPACE && guess <= http_room(out) && guess <= GUESS_MOST) {
        size_t made, room;

        if (!buf_reserve(out, guess))
            break;
        room = out->room - out->len - 1;
        if (room > http_room(out))
            room = http_room(out);
        result = libdeflate_gzip_decompress_ex(fast, in.p, in.len, out->p + out->len, room, used, &made);
        if (result == LIBDEFLATE_SUCCESS)
            out->len += made;
        guess = room < GUESS_LEAST ? GUESS_LEAST : room * 4;
    }
    return result == LIBDEFLATE_SUCCESS;
}

static scent_status gunzip_member(struct str in, size_t guess, struct buf *out, size_t *used, enum http_end *end)
{
    struct libdeflate_decompressor *fast = libdeflate_alloc_decompressor();
    bool is_done = fast_member(fast, in, guess, out, used);
    struct str rest = in;
    scent_status status;

    if (fast)
        libdeflate_free_decompressor(fast);
    *end = HTTP_WHOLE;
    if (is_done)
        return SCENT_OK;
    out->failed = false;
    status = zlib_stream(&rest, WINDOW_GZIP, out, end);
    *used = in.len - rest.len;
    return status;
}

static size_t first_guess(const struct buf *out)
{
    return http_room(out) < GUESS_LEAST ? http_room(out) : GUESS_LEAST;
}

scent_status http_gunzip_member(struct str in, struct buf *out, size_t *used, enum http_end *end)
{
    return gunzip_member(in, first_guess(out), out, used, end);
}

/* The last four bytes of a member tell its length (RFC 1952, 2.3.1), if it is the only one and does not lie. */
static size_t announced_size(struct str in)
{
    const unsigned char *p = (const unsigned char *)in.p + in.len - 4;
    uint64_t size = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;

    return size > (uint64_t)in.len * DEFLATE_RATIO_MAX ? GUESS_LEAST : (size_t)size;
}

static bool is_gzip(struct str in)
{
    return in.len >= 2 && in.p[0] == '\x1f' && in.p[1] == '\x8b';
}

/* Bytes behind the last member that begin no further one are padding, which every reader of gzip overlooks. */
scent_status http_gunzip(struct str in, struct buf *out, enum http_end *end)
{
    size_t guess = in.len >= GZIP_LEAST ? announced_size(in) : GUESS_LEAST;
    scent_status status;

    do {
        size_t used;

        status = gunzip_member(in, guess, out, &used, end);
        in = str_sub(in, used, in.len);
    } while (status == SCENT_OK && *end == HTTP_WHOLE && is_gzip(in));
    return status;
}

/* RFC 9110 says zlib; some servers send the bare stream, and clients have learned to take both. */
scent_status http_inflate(struct str in, struct buf *out, enum http_end *end)
{
    const unsigned char *p = (const unsigned char *)in.p;
    bool has_header = in.len >= 2 && (p[0] & 0x0f) == 8 && (p[0] * 256 + p[1]) % 31 == 0;
    size_t before = out->len;
    struct str rest = in;

    if (has_header) {
        scent_status status = zlib_stream(&rest, WINDOW_ZLIB, out, end);

        if (status != SCENT_OK || *end != HTTP_CUT_ERROR || out->len > before)
            return status;
        rest = in;
    }
    return zlib_stream(&rest, WINDOW_RAW, out, end);
}

/* ---- a member piece by piece ---- */

static struct http_inflater *new_inflater(struct zstd_unpacker *zstd)
{
    struct http_inflater *inflater = calloc(1, sizeof *inflater);

    SCENT_BUG_IF(!inflater);
    inflater->zstd = zstd;
    return inflater;
}

struct http_inflater *http_inflater_new(void)
{
    return new_inflater(NULL);
}

struct http_inflater *http_inflater_new_zstd(const struct http_dictionary *dictionary)
{
    return new_inflater(zstd_unpacker_new(dictionary));
}

void http_inflater_free(struct http_inflater *inflater)
{
    if (!inflater)
        return;
    if (inflater->has_stream)
        inflateEnd(&inflater->z);
    if (inflater->fast)
        libdeflate_free_decompressor(inflater->fast);
    zstd_unpacker_free(inflater->zstd);
    free(inflater);
}

void http_inflater_reset(struct http_inflater *inflater)
{
    if (inflater->zstd)
        zstd_unpacker_reset(inflater->zstd);
    else if (inflater->has_stream)
        SCENT_BUG_IF(inflateReset(&inflater->z) != Z_OK);
}

bool http_inflater_whole(struct http_inflater *inflater, struct str in, struct buf *out, size_t *used)
{
    bool ok;

    if (!inflater->zstd && !inflater->fast)
        inflater->fast = libdeflate_alloc_decompressor();
    ok = inflater->zstd ? zstd_unpack_whole(inflater->zstd, in, out, used)
                        : fast_member(inflater->fast, in, first_guess(out), out, used);
    if (!ok)
        out->failed = false; /* the attempt may have asked for too much */
    return ok;
}

scent_status http_inflater_feed(struct http_inflater *inflater, struct str in, size_t max, struct buf *out,
                                 size_t *used, enum http_step *step)
{
    static const enum http_step steps[] = {
        [PART_MORE_ROOM] = HTTP_STEP_ROOM, [PART_MORE_INPUT] = HTTP_STEP_INPUT, [PART_DONE] = HTTP_STEP_DONE,
        [PART_BAD] = HTTP_STEP_BAD,        [PART_NOMEM] = HTTP_STEP_BAD,
    };
    struct str rest = in;
    size_t room = max;
    enum part_step result;
    char *p;

    if (!buf_reserve(out, max))
        return SCENT_E_NOMEM;
    if (!inflater->zstd && !inflater->has_stream) {
        SCENT_BUG_IF(init_stream(&inflater->z, WINDOW_GZIP) != Z_OK);
        inflater->has_stream = true;
    }
    p = out->p + out->len;
    result = inflater->zstd ? zstd_unpack_step(inflater->zstd, &rest, &p, &room)
                            : inflate_step(&inflater->z, &rest, &p, &room);
    out->len += max - room;
    *used = in.len - rest.len;
    *step = steps[result];
    return result == PART_NOMEM ? SCENT_E_NOMEM : SCENT_OK;
}

/* ---- compression ---- */

struct http_packer {
    struct libdeflate_compressor *gzip;
    struct zstd_packer *zstd; /* the one that is not NULL packs */
};

static int within(int level, int most)
{
    return level < 1 ? 1 : level > most ? most : level;
}

struct http_packer *http_packer_new(enum http_packing packing, int level)
{
    struct http_packer *packer = calloc(1, sizeof *packer);

    SCENT_BUG_IF(!packer);
    if (packing == HTTP_ZSTD)
        packer->zstd = zstd_packer_new(within(level, 19));
    else
        packer->gzip = libdeflate_alloc_compressor(within(level, 12));
    SCENT_BUG_IF(!packer->zstd && !packer->gzip);
    return packer;
}

void http_packer_free(struct http_packer *packer)
{
    if (!packer)
        return;
    if (packer->gzip)
        libdeflate_free_compressor(packer->gzip);
    zstd_packer_free(packer->zstd);
    free(packer);
}

void http_packer_use(struct http_packer *packer, const struct http_dictionary *dictionary)
{
    if (packer->zstd)
        zstd_packer_use(packer->zstd, dictionary);
}

scent_status http_pack(struct http_packer *packer, struct str in, struct buf *out)
{
    size_t bound, made;

    if (packer->zstd)
        return zstd_pack(packer->zstd, in, out);
    bound = libdeflate_gzip_compress_bound(packer->gzip, in.len);
    if (!buf_reserve(out, bound))
        return bound > http_room(out) ? SCENT_E_LIMIT : SCENT_E_NOMEM;
    made = libdeflate_gzip_compress(packer->gzip, in.p, in.len, out->p + out->len, bound);
    SCENT_BUG_IF(made == 0); /* the bound always suffices */
    out->len += made;
    return SCENT_OK;
}

uint32_t http_crc32(uint32_t crc, struct str bytes)
{
    return bytes.len ? libdeflate_crc32(crc, bytes.p, bytes.len) : crc;
}
