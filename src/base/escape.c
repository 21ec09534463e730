/* Each kind of text is written byte by byte behind what it must not be taken for. */
#include "base/escape.h"

#include "base/utf8.h"

void escape_csv(struct buf *out, struct str s)
{
    buf_addc(out, '"');
    if (s.len && memchr("=+-@\t\r", s.p[0], 6))
        buf_addc(out, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '"')
            buf_addc(out, '"');
        buf_addc(out, s.p[i]);
    }
    buf_addc(out, '"');
}

/* Control characters, and U+FFFE and U+FFFF: EF BF BE and EF BF BF in UTF-8. */
static bool is_outside_xml(struct str c)
{
    if (c.len == 1)
        return (unsigned char)c.p[0] < 0x20 && c.p[0] != '\t' && c.p[0] != '\n';
    return c.len == 3 && memcmp(c.p, "\xEF\xBF", 2) == 0 && (unsigned char)c.p[2] >= 0xBE;
}

void escape_markup(struct buf *out, struct str s)
{
    while (s.len) {
        size_t len = utf8_sequence(s), bad = len ? 0 : utf8_bad_prefix(s);

        switch (s.p[0]) {
        case '&': buf_addz(out, "&amp;"); break;
        case '<': buf_addz(out, "&lt;"); break;
        case '>': buf_addz(out, "&gt;"); break;
        case '"': buf_addz(out, "&quot;"); break;
        case '\'': buf_addz(out, "&#39;"); break;
        default:
            if (bad)
                buf_addz(out, UTF8_REPLACEMENT);
            else if (!is_outside_xml(str_sub(s, 0, len)))
                buf_add(out, str_sub(s, 0, len));
        }
        s = str_sub(s, len + bad, s.len);
    }
}

void escape_hex(const unsigned char *p, size_t len, char *out)
{
    for (size_t i = 0; i < 2 * len; i++)
        out[i] = "0123456789abcdef"[i % 2 ? p[i / 2] & 15 : p[i / 2] >> 4];
}
