/* frame - the binary files of scent: 8 bytes that say what it is, a version in 4, the content (base/bytes.h), and a
 * checksum of all before it in 8.
 *
 * A file that is foreign, newer, cut off or damaged anywhere is told apart before its content is looked at, with a
 * message that names the file and the fix. To write one: frame_begin(), the content, frame_end(), file_replace(). */
#ifndef SCENT_BASE_FRAME_H
#define SCENT_BASE_FRAME_H

#include "base/bytes.h"

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

/* *in is the content. SCENT_E_FORMAT: foreign, cut off or damaged; SCENT_E_VERSION. `name` is the file, for
 * messages. */
SCENT_NODISCARD scent_status frame_open(const struct frame *frame, struct str file, const char *name, struct bytes *in,
                                        struct errmsg *err);
/* After the content was read: fails with SCENT_E_FORMAT and the reason where something was wrong, or more is left. */
SCENT_NODISCARD scent_status frame_close(const struct frame *frame, struct bytes *in, const char *name,
                                         struct errmsg *err);

#endif
