/* buf - a byte buffer that grows up to a cap.
 *
 * After any failure the buffer is unchanged and `failed` is set, so that a run of appends can be
 * checked once at its end. Owner: whoever initialised it. */
#ifndef SCENT_BASE_BUF_H
#define SCENT_BASE_BUF_H

#include "base/status.h"
#include "base/str.h"

struct buf {
    char *p;
    size_t len, room, cap;
    bool failed;
};

void buf_init(struct buf *buf, size_t cap); /* cap 0: no limit but memory */
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf); /* empty, memory kept */

/* Room for `more` further bytes at p + len (a terminator always fits too). */
bool buf_reserve(struct buf *buf, size_t more) SCENT_NODISCARD;
bool buf_add(struct buf *buf, struct str s);
bool buf_addz(struct buf *buf, const char *z);
bool buf_addc(struct buf *buf, char c);
bool buf_printf(struct buf *buf, const char *fmt, ...) SCENT_PRINTF(2, 3);
struct str buf_str(const struct buf *buf);
const char *buf_z(struct buf *buf); /* with a terminator; "" when empty */

/* ---- text inside of text: a CSV field, markup, hexadecimal digits (JSON is json/json.h) ---- */

/* A quoted field of RFC 4180; what a spreadsheet would take for a formula gets an apostrophe before it. */
void escape_csv(struct buf *out, struct str s);
/* Text or a quoted attribute of HTML and XML. Bad UTF-8 becomes U+FFFD; characters that XML does not have (section 2.2)
 * are left out. */
void escape_markup(struct buf *out, struct str s);
/* Two lower-case digits a byte; `out` has room for 2 * len, and no terminator is written. */
void escape_hex(const unsigned char *p, size_t len, char *out);

#endif
