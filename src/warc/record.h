/* record - what the header of a WARC or ARC record says; for this folder. Pure; any thread. */
#ifndef SCENT_WARC_RECORD_H
#define SCENT_WARC_RECORD_H

#include "warc/warc.h"

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
