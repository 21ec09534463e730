/* source - the bytes of an archive file, unpacked, a window of them at a time; for this folder.
 *
 * A gzip file is a row of members; a plain file counts as one. The window never passes a member's end by itself:
 * whether what follows belongs to the same record is for the reader to tell.
 * Memory: 1 MiB of the file, and what the reader asks to see at once. One thread. */
#ifndef SCENT_WARC_SOURCE_H
#define SCENT_WARC_SOURCE_H

#include "base/status.h"
#include "base/str.h"

enum source_stop {
    SOURCE_ENOUGH,     /* as much as was wanted is there */
    SOURCE_MEMBER_END, /* the gzip member ended; there is more of the file */
    SOURCE_END,        /* the file ended */
    SOURCE_CUT,        /* the file ended inside a gzip member */
    SOURCE_DAMAGED     /* the gzip member cannot be unpacked further */
};

/* Where a byte lies: the file offset of its member, and its distance from the member's first byte, unpacked. In a plain
 * file `offset` alone counts. */
struct source_mark {
    uint64_t offset, inner;
};

struct source;
SCENT_NODISCARD scent_status source_open(const char *path, struct source **out, struct errmsg *err);
struct source *source_open_memory(struct str data); /* `data` must outlive it; never NULL */
void source_close(struct source *source);

/* The unread bytes: at least `want` of them, or *stop tells why not. They stay valid until the next call. */
SCENT_NODISCARD scent_status source_peek(struct source *source, size_t want, struct str *bytes, enum source_stop *stop,
                                         struct errmsg *err);
void source_skip(struct source *source, size_t count); /* of the bytes seen */

/* At SOURCE_MEMBER_END: goes on with the next member; its bytes come after those still unread. */
SCENT_NODISCARD scent_status source_next_member(struct source *source, struct errmsg *err);
/* At SOURCE_DAMAGED or SOURCE_CUT: drops the rest of this member and goes on with the next that unpacks to
 * something. SCENT_E_END when there is none. */
SCENT_NODISCARD scent_status source_resync(struct source *source, struct errmsg *err);

/* Takes the file for the other kind and goes back to its start; for one whose first bytes are spoilt. */
void source_set_gzip(struct source *source, bool gzip);

struct source_mark source_at(const struct source *source);
uint64_t source_file_offset(const struct source *source); /* of the first byte of the file that was not unpacked yet */
bool source_is_gzip(const struct source *source);
/* Can there be `count` more bytes? Of a gzip file nobody knows: yes. */
bool source_may_hold(const struct source *source, uint64_t count);
void source_seek(struct source *source, uint64_t offset);

#endif
