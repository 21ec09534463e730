/* charset - which encoding a document is in, and its text as UTF-8.
 *
 * Names and labels are those of the WHATWG Encoding standard. Decided by BOM, then the Content-Type header, then
 * what the document says of itself in its first KiB, then a guess: UTF-8 where it is valid, else statistics.
 * Thread: a struct charset belongs to one thread. */
#ifndef SCENT_PAGE_CHARSET_H
#define SCENT_PAGE_CHARSET_H

#include "base/buf.h"
#include "base/status.h"

struct charset;
struct charset *charset_new(void); /* never NULL */
void charset_free(struct charset *charset);

struct charset_choice {
    struct str name; /* "utf-8", "windows-1252", …; a constant */
    size_t bom;      /* bytes to leave out at the start */
};

struct charset_choice charset_choose(struct charset *charset, struct str content_type, struct str body);

/* The encoding's name for a label such as "latin1"; STR_NONE when the standard knows none. */
struct str charset_find(struct str label);
/* The value of charset= in a Content-Type, unquoted; STR_NONE when absent. */
struct str charset_parameter(struct str content_type);

/* `body` as clean UTF-8: well formed (what is invalid becomes U+FFFD), no U+FFFE and U+FFFF, control characters become
 * spaces (but tab to CR), and 0 bytes are dropped, as HTML drops them from text (13.2.6.4.7): they do not part words.
 * *out is `body` itself where that needs no change, else it stands in `room`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status charset_decode(struct charset *charset, struct str name, struct str body,
                                            struct buf *room, struct str *out);
/* A sequence that the end of `s` cuts is not an error. */
bool charset_is_utf8(struct str s);
/* The character that a byte stands for in windows-1252, as the standard has it. */
uint32_t charset_windows_1252(unsigned char byte);

#endif
