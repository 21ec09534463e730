#include "http/http_parts.h"

#include <brotli/decode.h>

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

scent_status http_unbrotli(struct str in, struct buf *out, enum http_end *end)
{
    static const struct http_library brotli = {brotli_open, brotli_close, brotli_step};

    return http_run_in_pieces(&brotli, &in, out, end);
}
