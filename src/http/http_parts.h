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

/* A library that gives nothing any more once it has seen damage, not even what it had decoded before. It gets its input
 * in pieces, and where a first run met damage a second one gives it that piece byte by byte. */
struct http_library {
    void *(*open)(void); /* NULL: no memory */
    void (*close)(void *decoder);
    enum part_step (*step)(void *decoder, struct str *in, char **out, size_t *room);
};
SCENT_NODISCARD scent_status http_run_library(const struct http_library *library, struct str *in, struct buf *out,
                                              enum http_end *end);

/* Bytes that still fit under the cap. */
static inline size_t http_room(const struct buf *out)
{
    return out->cap - out->len;
}

typedef scent_status http_decoder(struct str in, struct buf *out, enum http_end *end);

http_decoder http_gunzip;  /* all members */
http_decoder http_inflate; /* "deflate": zlib, or raw as some servers send it */
http_decoder http_unzstd;  /* all frames */

/* ---- zstd, for packers and inflaters; NULL is fine for the functions that free ---- */

struct zstd_packer *zstd_packer_new(int level);
void zstd_packer_free(struct zstd_packer *packer);
void zstd_packer_use(struct zstd_packer *packer, const struct http_dictionary *dictionary);
SCENT_NODISCARD scent_status zstd_pack(struct zstd_packer *packer, struct str in, struct buf *out);

struct zstd_unpacker *zstd_unpacker_new(const struct http_dictionary *dictionary);
void zstd_unpacker_free(struct zstd_unpacker *unpacker);
void zstd_unpacker_reset(struct zstd_unpacker *unpacker);
enum part_step zstd_unpack_step(struct zstd_unpacker *unpacker, struct str *in, char **out, size_t *room);
bool zstd_unpack_whole(struct zstd_unpacker *unpacker, struct str in, struct buf *out, size_t *used);

#endif
