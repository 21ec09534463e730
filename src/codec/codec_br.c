#include "codec/codec_parts.h"

#include <brotli/decode.h>

static enum part_step brotli_step(void *ctx, struct str *in, char **out, size_t *room)
{
    const uint8_t *next_in = (const uint8_t *)in->p;
    uint8_t *next_out = (uint8_t *)*out;
    size_t left = in->len;
    BrotliDecoderResult result = BrotliDecoderDecompressStream(ctx, &left, &next_in, room, &next_out, NULL);

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

/* Its window takes at most 16 MiB: large windows are off unless asked for. */
scent_status codec_unbrotli(struct str in, struct buf *out, enum codec_end *end)
{
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    scent_status status;

    if (!state)
        return SCENT_E_NOMEM;
    status = codec_run(&(struct codec_part){brotli_step, state}, &in, out, end);
    BrotliDecoderDestroyInstance(state);
    return status;
}
