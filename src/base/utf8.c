/* Well-formed sequences by table 3-7 of the Unicode standard. */
#include "base/utf8.h"

/* The bytes that may follow `lead` at once: it is there that overlong forms, surrogates and what lies beyond
 * U+10FFFF are told from good ones. Returns the length of the sequence, 0 for a byte that begins none. */
static size_t sequence_of(unsigned char lead, unsigned char *low, unsigned char *high)
{
    *low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    *high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/* How many bytes at the start of `s` belong together; *need is what the sequence asks for. */
static size_t good_bytes(struct str s, size_t *need)
{
    unsigned char low, high;
    size_t i = 1;

    *need = sequence_of((unsigned char)s.p[0], &low, &high);
    while (i < *need && i < s.len && (unsigned char)s.p[i] >= low && (unsigned char)s.p[i] <= high) {
        low = 0x80;
        high = 0xBF;
        i++;
    }
    return i;
}

size_t utf8_sequence(struct str s)
{
    size_t need, good;

    if (!s.len)
        return 0;
    good = good_bytes(s, &need);
    return good == need ? good : 0;
}

size_t utf8_bad_prefix(struct str s)
{
    size_t need;

    return good_bytes(s, &need);
}

size_t utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}
