#include "url/ip.h"

#include <stdio.h>

/* A part of an IPv4 address; what exceeds 32 bits stays at the first value that is too large. */
static bool parse_number(struct str s, uint64_t *out)
{
    unsigned base = 10;

    *out = 0;
    if (!s.len)
        return false;
    if (s.len >= 2 && s.p[0] == '0') {
        base = ascii_lower(s.p[1]) == 'x' ? 16 : 8;
        s = str_sub(s, base == 16 ? 2 : 1, s.len);
    }
    for (size_t i = 0; i < s.len; i++) {
        int digit = ascii_hex(s.p[i]);

        if (digit < 0 || (unsigned)digit >= base)
            return false;
        *out = *out * base + (unsigned)digit;
        if (*out > (uint64_t)UINT32_MAX + 1)
            *out = (uint64_t)UINT32_MAX + 1;
    }
    return true;
}

bool url_ip4_parse(struct str text, uint32_t *address)
{
    uint64_t numbers[4];
    struct str part;
    size_t count = 0;

    if (text.len && text.p[text.len - 1] == '.')
        text.len--;
    while (str_split(&text, '.', &part)) {
        if (count == 4 || !parse_number(part, &numbers[count]))
            return false;
        count++;
    }
    if (!count || numbers[count - 1] >= (uint64_t)1 << 8 * (5 - count))
        return false;
    *address = (uint32_t)numbers[count - 1];
    for (size_t i = 0; i + 1 < count; i++) {
        if (numbers[i] > 255)
            return false;
        *address |= (uint32_t)numbers[i] << 8 * (3 - i);
    }
    return true;
}

void url_ip4_put(struct url_out *out, uint32_t address)
{
    char text[16];

    snprintf(text, sizeof text, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
    url_out_str(out, str_of(text));
}

/* Up to four hex digits off the front of *s. */
static size_t take_piece(struct str *s, uint16_t *piece)
{
    size_t n = 0;

    *piece = 0;
    while (n < 4 && n < s->len && ascii_hex(s->p[n]) >= 0) {
        *piece = (uint16_t)(*piece << 4 | ascii_hex(s->p[n]));
        n++;
    }
    *s = str_sub(*s, n, s->len);
    return n;
}

/* Four decimal numbers without leading zeros, which an IPv6 address may end in. */
static bool parse_dotted(struct str s, uint16_t pieces[2])
{
    uint32_t numbers[4];
    struct str part;
    size_t count = 0;
    uint64_t n;

    while (str_split(&s, '.', &part)) {
        if (count == 4 || part.len > 3 || (part.len > 1 && part.p[0] == '0') || !str_parse_u64(part, &n) || n > 255)
            return false;
        numbers[count++] = (uint32_t)n;
    }
    if (count != 4)
        return false;
    pieces[0] = (uint16_t)(numbers[0] << 8 | numbers[1]);
    pieces[1] = (uint16_t)(numbers[2] << 8 | numbers[3]);
    return true;
}

/* Moves the pieces after the "::" (those from `gap`) to the end and fills the room with zeros. */
static bool expand(uint16_t pieces[8], size_t count, int gap)
{
    size_t moved;

    if (gap < 0)
        return count == 8;
    if (count == 8)
        return false;
    moved = count - (size_t)gap;
    memmove(pieces + 8 - moved, pieces + gap, moved * sizeof *pieces);
    memset(pieces + gap, 0, (8 - count) * sizeof *pieces);
    return true;
}

bool url_ip6_parse(struct str s, uint16_t pieces[8])
{
    size_t count = 0;
    int gap = -1;

    if (str_starts(s, STR("::"))) {
        gap = 0;
        s = str_sub(s, 2, s.len);
    } else if (!s.len || s.p[0] == ':')
        return false;
    while (s.len) {
        struct str piece = s;
        size_t digits;

        if (count == 8)
            return false;
        digits = take_piece(&s, &pieces[count]);
        if (s.len && s.p[0] == '.')
            return digits && count <= 6 && parse_dotted(piece, pieces + count) && expand(pieces, count + 2, gap);
        if (!digits || (s.len && (s.p[0] != ':' || s.len == 1)))
            return false;
        count++;
        s = str_sub(s, s.len > 0, s.len);
        if (s.len && s.p[0] == ':') {
            if (gap >= 0)
                return false;
            gap = (int)count;
            s = str_sub(s, 1, s.len);
        }
    }
    return expand(pieces, count, gap);
}

/* The first of the longest runs of two or more zeros; *len is 0 when there is none. */
static size_t find_zeros(const uint16_t pieces[8], size_t *len)
{
    size_t best = 0;

    *len = 0;
    for (size_t i = 0; i < 8; i++) {
        size_t n = 0;

        while (i + n < 8 && !pieces[i + n])
            n++;
        if (n > 1 && n > *len) {
            best = i;
            *len = n;
        }
    }
    return best;
}

void url_ip6_put(struct url_out *out, const uint16_t pieces[8])
{
    size_t len, zeros = find_zeros(pieces, &len);
    char text[8];

    url_out_byte(out, '[');
    for (size_t i = 0; i < 8; i++) {
        if (len && i == zeros) {
            url_out_str(out, i ? STR(":") : STR("::"));
            i += len - 1;
            continue;
        }
        snprintf(text, sizeof text, i < 7 ? "%x:" : "%x", pieces[i]);
        url_out_str(out, str_of(text));
    }
    url_out_byte(out, ']');
}
