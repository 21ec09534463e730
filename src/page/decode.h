/* decode - bytes of an encoding to clean UTF-8: well formed, no U+FFFE and U+FFFF, control characters become spaces
 * (but tab to CR).
 * 0 bytes are dropped, as HTML drops them from text (13.2.6.4.7): they do not part words. */
#ifndef SCENT_PAGE_DECODE_H
#define SCENT_PAGE_DECODE_H

#include "base/buf.h"

struct decode {
    void *iconv;      /* iconv_t of `name`, kept from page to page; NULL for none */
    const char *name; /* a constant */
};
void decode_release(struct decode *decode);

/* *out is `in` itself where nothing has to change, else it stands in `room` (empty at the start). SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status decode_utf8(struct str in, struct buf *room, struct str *out);
SCENT_NODISCARD scent_status decode_windows_1252(struct str in, struct buf *room, struct str *out);
SCENT_NODISCARD scent_status decode_iconv(struct decode *decode, const char *name, struct str in, struct buf *room,
                                          struct str *out);
/* A sequence that the end of `s` cuts is no error. */
bool decode_is_utf8(struct str s);

#endif
