/* bytes - numbers and strings as bytes that are the same on every machine: little-endian, without gaps.
 *
 * Written at the end of a struct buf, whose `failed` tells at the end whether all of it fitted. Read through a struct
 * bytes, which never goes past its end and remembers the first thing that was wrong; from then on everything reads as
 * 0 or empty. So a run of puts or gets is checked once. Nothing here is a secret: a checksum finds damage, not malice,
 * so whoever reads checks every number for what it is used for (bytes_check, bytes_has). */
#ifndef SCENT_BASE_BYTES_H
#define SCENT_BASE_BYTES_H

#include "base/buf.h"

void bytes_put(struct buf *out, uint64_t value, int size); /* the lowest `size` bytes of it, 1 to 8 */
void bytes_put_double(struct buf *out, double value);
void bytes_put_float(struct buf *out, float value);
void bytes_put_varint(struct buf *out, uint64_t value); /* 7 bits a byte, 1 to 10 bytes */
void bytes_put_str(struct buf *out, struct str s, int size); /* its length in `size` bytes, then itself */

struct bytes {
    const unsigned char *p, *end; /* what is still to be read */
    const char *wrong;            /* the first thing that was, for a person; NULL: all well so far */
};

struct bytes bytes_of(struct str s);
size_t bytes_left(const struct bytes *in);
/* Notes `wrong` (static) unless `holds`. True: it holds, and so did all before. */
bool bytes_check(struct bytes *in, bool holds, const char *wrong);
/* Are so many things of at least `size` bytes still there? To be asked before memory is taken for them. */
bool bytes_has(struct bytes *in, uint64_t count, size_t size);

uint64_t bytes_get(struct bytes *in, int size);
double bytes_get_double(struct bytes *in); /* always finite: what is not is wrong */
float bytes_get_float(struct bytes *in);
uint64_t bytes_get_varint(struct bytes *in);
/* A view into what is read; longer than `max` is wrong. */
struct str bytes_get_str(struct bytes *in, int size, size_t max);

/* ---- frames: the binary files of scent ----
 *
 * 8 bytes that say what it is, a version in 4, the content, and a checksum of all before it in 8. A file that is
 * foreign, newer, cut off or damaged anywhere is told apart before its content is looked at, with a message that names
 * the file and the fix. To write one: frame_begin(), the content, frame_end(), file_replace(). */

enum { FRAME_MAGIC = 8, FRAME_HEAD = FRAME_MAGIC + 4, FRAME_TAIL = 8 };

/* What one kind of file is. */
struct frame {
    char magic[FRAME_MAGIC];
    uint32_t version;
    uint64_t seed;      /* of its checksum, so that no other kind's fits */
    const char *thing;  /* "model": for messages */
    const char *foreign, *again; /* what to do with a file that is none, and with one that is old or damaged */
};

/* Where it begins in `out`, for frame_end(). */
size_t frame_begin(const struct frame *frame, struct buf *out);
SCENT_NODISCARD scent_status frame_end(const struct frame *frame, struct buf *out, size_t begin);

/* Appends the file of a frame, at most out->cap bytes. Its checksum is taken as a stream first: of a foreign or damaged
 * file, whatever its length, only the beginning is appended, and frame_open() says what is wrong. */
SCENT_NODISCARD scent_status frame_load(const struct frame *frame, const char *path, struct buf *out,
                                        struct errmsg *err);
/* *in is the content. SCENT_E_FORMAT: foreign, cut off or damaged; SCENT_E_VERSION. `name` is the file, for
 * messages. */
SCENT_NODISCARD scent_status frame_open(const struct frame *frame, struct str file, const char *name, struct bytes *in,
                                        struct errmsg *err);
/* After the content was read: fails with SCENT_E_FORMAT and the reason where something was wrong, or more is left. */
SCENT_NODISCARD scent_status frame_close(const struct frame *frame, struct bytes *in, const char *name,
                                         struct errmsg *err);

#endif
