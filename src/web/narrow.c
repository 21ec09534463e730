#include "web/narrow.h"

/* The text is our own, so it is valid UTF-8 of at most three bytes a character. */
static uint32_t decode(const unsigned char *p, size_t left, size_t *used)
{
    if (p[0] < 0x80 || left < 2) {
        *used = 1;
        return p[0];
    }
    if (p[0] < 0xe0 || left < 3) {
        *used = 2;
        return (uint32_t)(p[0] & 0x1f) << 6 | (p[1] & 0x3fu);
    }
    *used = 3;
    return (uint32_t)(p[0] & 0x0f) << 12 | (uint32_t)(p[1] & 0x3f) << 6 | (p[2] & 0x3fu);
}

/* Both charsets agree on the punctuation that we use. */
static unsigned char punctuation(uint32_t c)
{
    switch (c) {
    case 0x2013:
        return 0x96;
    case 0x2019:
        return 0x92;
    case 0xa9:
    case 0xb7:
        return (unsigned char)c;
    default:
        return '?';
    }
}

static unsigned char to_1251(uint32_t c)
{
    if (c >= 0x410 && c <= 0x44f)
        return (unsigned char)(c - 0x410 + 0xc0);
    return punctuation(c);
}

static unsigned char to_1252(uint32_t c)
{
    return c >= 0xa0 && c <= 0xff ? (unsigned char)c : punctuation(c);
}

size_t narrow_text(char *p, size_t len, const char *charset)
{
    bool cyrillic = strcmp(charset, "windows-1251") == 0;
    size_t in = 0, out = 0, used;

    while (in < len) {
        uint32_t c = decode((const unsigned char *)p + in, len - in, &used);

        p[out++] = (char)(c < 0x80 ? c : cyrillic ? to_1251(c) : to_1252(c));
        in += used;
    }
    return out;
}
