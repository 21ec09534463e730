/* scan - looks at eight bytes at a time: what parsing spends most of its time on.
 *
 * A mask has the highest bit of each byte set that is meant, exactly (no carries between bytes). */
#ifndef SCENT_PAGE_SCAN_H
#define SCENT_PAGE_SCAN_H

#include "base/str.h"

enum { SCAN_BYTES = 8 };

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest");

static inline uint64_t scan_load(const char *p)
{
    uint64_t x;

    memcpy(&x, p, sizeof x);
    return x;
}

static inline uint64_t scan_all(unsigned char c)
{
    return 0x0101010101010101u * c;
}

/* Bytes above `c`, which is below 0x80; those of 0x80 and more are above. */
static inline uint64_t scan_above(uint64_t x, unsigned char c)
{
    return (((x & scan_all(0x7F)) + scan_all(0x7F - c)) | x) & scan_all(0x80);
}

static inline uint64_t scan_equal(uint64_t x, unsigned char c)
{
    return ~scan_above(x ^ scan_all(c), 0) & scan_all(0x80);
}

/* The number of the first byte of a mask that is not empty. */
static inline unsigned scan_first(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask) / 8;
}

/* The offset of the first `c` from `pos` on, or s.len. For what is near; memchr() is for what is far. */
static inline size_t scan_find(struct str s, size_t pos, char c)
{
    for (; pos + SCAN_BYTES <= s.len; pos += SCAN_BYTES) {
        uint64_t found = scan_equal(scan_load(s.p + pos), (unsigned char)c);

        if (found)
            return pos + scan_first(found);
    }
    while (pos < s.len && s.p[pos] != c)
        pos++;
    return pos;
}

#endif
