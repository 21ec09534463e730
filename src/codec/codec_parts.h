/* codec_parts - how the decoders and the driver in codec.c speak to each other; for this folder alone. */
#ifndef SCENT_CODEC_CODEC_PARTS_H
#define SCENT_CODEC_CODEC_PARTS_H

#include "codec/codec.h"

enum part_step {
    PART_MORE_ROOM,  /* the output is full */
    PART_MORE_INPUT, /* the input is used up */
    PART_DONE,       /* the stream ended; what is left of the input lies behind it */
    PART_BAD,
    PART_NOMEM
};

/* A decoder takes bytes off the front of *in and puts bytes at *out, of which *room are free. */
struct codec_part {
    enum part_step (*step)(void *ctx, struct str *in, char **out, size_t *room);
    void *ctx;
};

/* Runs one stream to its end, or to the cap of `out`. */
SCENT_NODISCARD scent_status codec_run(const struct codec_part *part, struct str *in, struct buf *out,
                                       enum codec_end *end);

/* A library that gives nothing any more once it has seen damage, not even what it had decoded before. It gets its input
 * in pieces, and where a first run met damage a second one gives it that piece byte by byte. */
struct codec_library {
    void *(*open)(void); /* NULL: no memory */
    void (*close)(void *decoder);
    enum part_step (*step)(void *decoder, struct str *in, char **out, size_t *room);
};
SCENT_NODISCARD scent_status codec_run_in_pieces(const struct codec_library *library, struct str *in, struct buf *out,
                                                 enum codec_end *end);

/* Bytes that still fit under the cap. */
static inline size_t codec_room(const struct buf *out)
{
    return out->cap - out->len;
}

typedef scent_status codec_decoder(struct str in, struct buf *out, enum codec_end *end);

codec_decoder codec_gunzip;  /* all members */
codec_decoder codec_inflate; /* "deflate": zlib, or raw as some servers send it */
codec_decoder codec_unbrotli;
codec_decoder codec_unzstd;

#endif
