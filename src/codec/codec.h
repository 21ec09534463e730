/* codec - gzip, deflate, br and zstd, with caps, so that a bomb is a cut and not an explosion.
 * Pure; any thread. A struct codec_deflater belongs to one thread. */
#ifndef SCENT_CODEC_CODEC_H
#define SCENT_CODEC_CODEC_H

#include "base/buf.h"
#include "base/status.h"
#include "base/str.h"

enum codec_end {
    CODEC_WHOLE,     /* decoded to its end */
    CODEC_CUT_CAP,   /* stopped at the cap */
    CODEC_CUT_INPUT, /* the input ended early; what there was is decoded */
    CODEC_CUT_ERROR  /* the input is damaged; what came before is decoded */
};

/* Decodes what `encoding` (the value of Content-Encoding: "gzip", "br", "gzip, br", "identity", "") says
 * into `out`, at most out->cap bytes; how it ended is data. SCENT_E_UNSUPPORTED: an unknown encoding. */
SCENT_NODISCARD scent_status codec_decode(struct str encoding, struct str in, struct buf *out, enum codec_end *end);

/* What a client may send as Accept-Encoding. */
#define CODEC_ACCEPT_ENCODING "gzip, deflate, br, zstd"

/* One gzip member at the start of `in`, appended to `out`; *used is the length of the member. */
SCENT_NODISCARD scent_status codec_gunzip_member(struct str in, struct buf *out, size_t *used, enum codec_end *end);

/* HTTP/1.1 chunked transfer coding (some archives keep it); damaged chunks end it early. */
SCENT_NODISCARD scent_status codec_dechunk(struct str in, struct buf *out, enum codec_end *end);

struct codec_deflater;
struct codec_deflater *codec_deflater_new(int level); /* 1 to 12, libdeflate's */
void codec_deflater_free(struct codec_deflater *deflater);
/* Appends one gzip member that holds `in`. */
SCENT_NODISCARD scent_status codec_gzip(struct codec_deflater *deflater, struct str in, struct buf *out);

#endif
