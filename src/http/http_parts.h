/* http_parts - how the decoders and the driver in http.c speak to each other; for this folder alone. */
#ifndef SCENT_HTTP_HTTP_PARTS_H
#define SCENT_HTTP_HTTP_PARTS_H

#include "http/http.h"

enum part_step {
    PART_MORE_ROOM,  /* the output is full */
    PART_MORE_INPUT, /* the input is used up */
    PART_DONE,       /* the stream ended; what is left of the input lies behind it */
    PART_BAD,
    PART_NOMEM
};

/* A decoder takes bytes off the front of *in and puts bytes at *out, of which *room are free. */
struct http_part {
    enum part_step (*step)(void *ctx, struct str *in, char **out, size_t *room);
    void *ctx;
};

/* Runs one stream to its end, or to the cap of `out`. */
SCENT_NODISCARD scent_status http_run(const struct http_part *part, struct str *in, struct buf *out,
                                       enum http_end *end);

/* Bytes that still fit under the cap. */
static inline size_t http_room(const struct buf *out)
{
    return out->cap - out->len;
}

typedef scent_status http_decoder(struct str in, struct buf *out, enum http_end *end);

http_decoder http_gunzip;  /* all members */
http_decoder http_inflate; /* "deflate": zlib, or raw as some servers send it */

#endif
