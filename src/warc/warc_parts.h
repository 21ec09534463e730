/* warc_parts - what the reader of WARC files is made of; for this folder. */
#ifndef SCENT_WARC_WARC_PARTS_H
#define SCENT_WARC_WARC_PARTS_H

#include "base/status.h"
#include "base/str.h"
#include "warc/warc.h"

/* ---- sources ---- */

/* The bytes of an archive file, unpacked, a window of them at a time.
 *
 * A gzip file is a row of members, a zstd file one of frames, here called members too; a plain file counts as one. The
 * window never passes a member's end by itself: whether what follows belongs to the same record is for the reader to
 * tell.
 * Memory: 1 MiB of the file, and what the reader asks to see at once. One thread. */

enum source_stop {
    SOURCE_ENOUGH,     /* as much as was wanted is there */
    SOURCE_MEMBER_END, /* the member ended; there is more of the file */
    SOURCE_END,        /* the file ended */
    SOURCE_CUT,        /* the file ended inside a member */
    SOURCE_DAMAGED     /* the member cannot be unpacked further */
};

/* Where a byte lies: the file offset of its member, and its distance from the member's first byte, unpacked. In a plain
 * file `offset` alone counts. */
struct source_mark {
    uint64_t offset, inner;
};

struct source;
SCENT_NODISCARD scent_status source_open(const char *path, struct source **out, struct errmsg *err);
/* `data` must outlive it; never NULL. The dictionary is that of the file of which `data` is a part; NULL: it is
 * whole. */
struct source *source_open_memory(struct str data, struct http_dictionary *dictionary);
void source_close(struct source *source);

/* The unread bytes: at least `want` of them, or *stop tells why not. They stay valid until the next call. */
SCENT_NODISCARD scent_status source_peek(struct source *source, size_t want, struct str *bytes, enum source_stop *stop,
                                         struct errmsg *err);
void source_skip(struct source *source, size_t count); /* of the bytes seen */

/* At SOURCE_MEMBER_END: goes on with the next member; its bytes come after those still unread. */
SCENT_NODISCARD scent_status source_next_member(struct source *source, struct errmsg *err);
#define SOURCE_SEARCH_MAX ((uint64_t)1 << 30) /* bytes in which the next record or member is searched for */
/* At SOURCE_DAMAGED or SOURCE_CUT: drops the rest of this member and goes on with the next that unpacks to
 * something. SCENT_E_END when there is none. */
SCENT_NODISCARD scent_status source_resync(struct source *source, struct errmsg *err);

/* Takes the file for one of another kind and goes back to its start; for one whose first bytes are spoilt. */
void source_set_packing(struct source *source, enum warc_packing packing);

struct source_mark source_at(const struct source *source);
uint64_t source_file_offset(const struct source *source); /* of the first byte of the file that was not unpacked yet */
struct warc_form source_form(const struct source *source);
/* Can there be `count` more bytes? Of a packed file nobody knows: yes. */
bool source_may_hold(const struct source *source, uint64_t count);
void source_seek(struct source *source, uint64_t offset);
/* Appends bytes of the file as they are. Changes nothing else. */
SCENT_NODISCARD scent_status source_copy(const struct source *source, uint64_t offset, uint64_t length,
                                         struct buf *out, struct errmsg *err);

/* ---- records ---- */

/* What the header of a WARC or ARC record says. Pure; any thread. */

enum record_kind { RECORD_NONE, RECORD_WARC, RECORD_ARC };

enum { RECORD_HEADER_MAX = 64 * 1024 };

/* What begins at the start of `s`? An ARC record is one line: only a whole one is known. */
enum record_kind record_begins(struct str s);
/* The offset of the first record that begins at a line of `s`, after its first `from` bytes; s.len: there is none. */
size_t record_find(struct str s, size_t from);

/* The length of the header with the empty line (WARC) or the line end (ARC) behind it; 0: its end is not in `s`. */
size_t record_header_len(enum record_kind kind, struct str s);

/* Fills type, url, date and headers from the header; false when it states no length for the block. */
bool record_parse(enum record_kind kind, struct str header, struct warc_record *out, uint64_t *block_len);

/* Splits record->block into HTTP head and payload. A chunked body is decoded into `scratch`. */
SCENT_NODISCARD scent_status record_split_http(struct warc_record *record, struct buf *scratch);

#endif
