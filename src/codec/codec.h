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

/* Undoes what `encoding` (the value of Content-Encoding: "gzip", "br", "gzip, br", "identity", "") says and appends
 * the result to `out`, which never gets longer than out->cap; how it ended is data. An empty body decodes to an empty
 * one. SCENT_E_UNSUPPORTED: an unknown encoding, or more than CODEC_CHAIN_MAX of them. */
SCENT_NODISCARD scent_status codec_decode(struct str encoding, struct str in, struct buf *out, enum codec_end *end);

enum { CODEC_CHAIN_MAX = 4 };

/* What a client may send as Accept-Encoding. */
#define CODEC_ACCEPT_ENCODING "gzip, deflate, br, zstd"

/* One gzip member at the start of `in`, appended to `out`; *used is the length of the member (of what was taken,
 * where it is damaged). */
SCENT_NODISCARD scent_status codec_gunzip_member(struct str in, struct buf *out, size_t *used, enum codec_end *end);

/* The same in one go, at two to three times the speed, for members that lie wholly in `in` and unpack to at most 8 MiB;
 * false, and `out` as it was, for all others. */
SCENT_NODISCARD bool codec_gunzip_fast(struct str in, struct buf *out, size_t *used);

/* The same for members that are too long to hold: feed it, take what comes out. After CODEC_STEP_DONE or
 * CODEC_STEP_BAD it must be reset before the next member. Belongs to one thread. */
enum codec_step {
    CODEC_STEP_INPUT, /* all of `in` is used: it wants more */
    CODEC_STEP_ROOM,  /* `max` bytes came out: there may be more */
    CODEC_STEP_DONE,  /* the member ended, its checksum is right */
    CODEC_STEP_BAD    /* damaged; what came before has been appended */
};
struct codec_inflater;
struct codec_inflater *codec_inflater_new(void); /* never NULL */
void codec_inflater_free(struct codec_inflater *inflater);
void codec_inflater_reset(struct codec_inflater *inflater);
/* Appends at most `max` bytes (> 0) to `out`; *used tells how much of `in` was taken. */
SCENT_NODISCARD scent_status codec_inflater_feed(struct codec_inflater *inflater, struct str in, size_t max,
                                                 struct buf *out, size_t *used, enum codec_step *step);

/* HTTP/1.1 chunked transfer coding (some archives keep it); damaged chunks end it early. */
SCENT_NODISCARD scent_status codec_dechunk(struct str in, struct buf *out, enum codec_end *end);

struct codec_deflater;
struct codec_deflater *codec_deflater_new(int level); /* 1 to 12, libdeflate's (others are brought into that range) */
void codec_deflater_free(struct codec_deflater *deflater);
/* Appends one gzip member that holds `in`. */
SCENT_NODISCARD scent_status codec_gzip(struct codec_deflater *deflater, struct str in, struct buf *out);

#endif
