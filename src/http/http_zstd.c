#include "http/http_parts.h"

#include <zstd.h>

enum { WINDOW_LOG_MAX = 23 }; /* RFC 9659: a decoder for Content-Encoding need not take more than 8 MiB */

static void *zstd_open(void)
{
    ZSTD_DStream *stream = ZSTD_createDStream();

    if (stream)
        SCENT_BUG_IF(ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX)));
    return stream;
}

static void zstd_close(void *decoder)
{
    ZSTD_freeDStream(decoder);
}

static enum part_step zstd_step(void *ctx, struct str *in, char **out, size_t *room)
{
    size_t rc, moved;

    /* It may return before either side is used up; without progress there is nothing to wait for. */
    do {
        ZSTD_inBuffer input = {in->p, in->len, 0};
        ZSTD_outBuffer output = {*out, *room, 0};

        rc = ZSTD_decompressStream(ctx, &output, &input);
        moved = input.pos + output.pos;
        *in = str_sub(*in, input.pos, in->len);
        *out += output.pos;
        *room -= output.pos;
    } while (!ZSTD_isError(rc) && rc != 0 && moved && in->len && *room);
    if (ZSTD_isError(rc))
        return PART_BAD;
    if (rc == 0)
        return PART_DONE;
    return *room == 0 ? PART_MORE_ROOM : PART_MORE_INPUT;
}

/* A frame, or a skippable one (RFC 8878, 3.1). */
static bool is_frame(struct str in)
{
    const unsigned char *p = (const unsigned char *)in.p;

    if (in.len < 4)
        return false;
    return (p[0] == 0x28 && p[1] == 0xb5 && p[2] == 0x2f && p[3] == 0xfd) ||
           ((p[0] & 0xf0) == 0x50 && p[1] == 0x2a && p[2] == 0x4d && p[3] == 0x18);
}

scent_status http_unzstd(struct str in, struct buf *out, enum http_end *end)
{
    static const struct http_library zstd = {zstd_open, zstd_close, zstd_step};
    scent_status status;

    do
        status = http_run_in_pieces(&zstd, &in, out, end);
    while (status == SCENT_OK && *end == HTTP_WHOLE && is_frame(in));
    return status;
}
