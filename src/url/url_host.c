/* Hosts: names and addresses, their serialised form, their registered domain. */
#include "url/url_parts.h"

#include <libpsl.h>
#include <stdio.h>

/* ---- addresses as the standard reads and writes them (sections 3.5 and 3.6) ---- */

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

/* One to four numbers, decimal, octal (0…) or hexadecimal (0x…); the last fills what the others leave. */
static bool ip4_parse(struct str text, uint32_t *address)
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

static void ip4_put(struct url_out *out, uint32_t address)
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

/* Without the brackets. */
static bool ip6_parse(struct str s, uint16_t pieces[8])
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

/* With brackets; RFC 5952. */
static void ip6_put(struct url_out *out, const uint16_t pieces[8])
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

/* ---- the host parser ---- */

static scent_status put_ipv6(struct url_out *out, struct str text)
{
    uint16_t pieces[8];

    if (text.len < 2 || text.p[text.len - 1] != ']' || !ip6_parse(str_sub(text, 1, text.len - 1), pieces))
        return SCENT_E_INVALID;
    ip6_put(out, pieces);
    return SCENT_OK;
}

static void put_lower(struct url_out *out, struct str name)
{
    if (name.len > SCENT_URL_MAX - out->len) {
        out->full = true;
        return;
    }
    for (size_t i = 0; i < name.len; i++)
        out->p[out->len++] = ascii_lower(name.p[i]);
}

/* Percent-decodes `text` into `copy` (which has room for it); *ascii tells whether all of it is. */
static struct str decode(struct str text, char *copy, bool *ascii)
{
    size_t len = 0;

    *ascii = true;
    for (size_t i = 0; i < text.len; i++) {
        bool escaped = url_is_escape(text, i);
        unsigned char c = escaped ? url_escaped_byte(text, i) : (unsigned char)text.p[i];

        copy[len++] = (char)c;
        *ascii = *ascii && c < 0x80;
        i += escaped ? 2 : 0;
    }
    return (struct str){copy, len};
}

/* A name with escapes or other characters than ASCII, or one that the standard forbids. */
static scent_status put_special_name(struct url_out *out, struct str text)
{
    char copy[SCENT_URL_MAX];
    bool ascii;
    struct str name = decode(text, copy, &ascii);
    size_t from = out->len;
    scent_status status = SCENT_OK;

    if (ascii)
        put_lower(out, name);
    else
        status = url_idna_put(out, name);
    if (status != SCENT_OK)
        return status;
    name = (struct str){out->p + from, out->len - from};
    return url_span(name, URL_HOST_SPECIAL) == name.len ? SCENT_OK : SCENT_E_INVALID;
}

/* The last label, without the one dot that may follow it. */
static struct str last_label(struct str host)
{
    size_t from;

    if (host.len > 1 && host.p[host.len - 1] == '.')
        host.len--;
    from = host.len;
    while (from && host.p[from - 1] != '.')
        from--;
    return str_sub(host, from, host.len);
}

/* Whether the standard takes this serialised name or address for an IPv4 address: its last label is a number. */
static bool ends_in_number(struct str host)
{
    struct str label = last_label(host);
    size_t i = 0;

    if (!label.len || !ascii_is_digit(label.p[0]))
        return false;
    while (i < label.len && ascii_is_digit(label.p[i]))
        i++;
    if (i == label.len)
        return true;
    if (label.p[0] != '0' || label.p[1] != 'x')
        return false;
    for (i = 2; i < label.len && ascii_hex(label.p[i]) >= 0; i++)
        ;
    return i == label.len;
}

/* The name just written at `from` becomes an address when it ends in a number. */
static scent_status settle_address(struct url_out *out, size_t from)
{
    struct str name = {out->p + from, out->len - from};
    uint32_t address;

    if (!ends_in_number(name))
        return SCENT_OK;
    if (!ip4_parse(name, &address))
        return SCENT_E_INVALID;
    out->len = from;
    ip4_put(out, address);
    return SCENT_OK;
}

scent_status url_host_parse(struct url_out *out, struct str text)
{
    size_t from = out->len;
    scent_status status = SCENT_OK;

    if (text.len && text.p[0] == '[')
        return put_ipv6(out, text);
    if (url_span(text, URL_HOST_SPECIAL) == text.len)
        put_lower(out, text);
    else
        status = put_special_name(out, text);
    if (status != SCENT_OK)
        return status;
    if (out->full)
        return SCENT_E_LIMIT;
    return out->len == from ? SCENT_E_INVALID : settle_address(out, from);
}

bool url_host_is_address(struct str host)
{
    return host.len && (host.p[0] == '[' || ends_in_number(host));
}

struct str url_host_without_dot(struct str host)
{
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    return host;
}

/* ---- what a host says about who stands behind it ---- */

enum { NAME_MAX_LEN = 253 }; /* RFC 1035: no longer name can be looked up */

struct str url_registered_domain(struct str host)
{
    char copy[NAME_MAX_LEN + 1];
    struct str name = url_host_without_dot(host);
    const char *domain;

    if (url_host_is_address(host) || !name.len || name.len > NAME_MAX_LEN)
        return host;
    memcpy(copy, name.p, name.len);
    copy[name.len] = 0;
    /* The list that is compiled in: immutable, and no file is read. */
    domain = psl_registrable_domain(psl_builtin(), copy);
    return domain ? str_sub(name, (size_t)(domain - copy), name.len) : host;
}

struct str url_host_without_port(struct str server)
{
    size_t colon = server.len;

    while (colon > 0 && ascii_is_digit(server.p[colon - 1]))
        colon--;
    /* "[::1]" ends in a bracket, so that a colon before digits is always a port. */
    return colon > 0 && server.p[colon - 1] == ':' ? str_sub(server, 0, colon - 1) : server;
}

bool url_host_is_loopback(struct str host)
{
    /* What /etc/hosts of the common systems calls this machine. */
    static const char *const aliases[] = {
        "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
        "localhost6.localdomain6", "ip6-localhost", "ip6-loopback",
    };
    struct str name = url_host_without_dot(host);
    uint32_t address;

    if (str_eq(host, STR("[::1]")))
        return true;
    if (url_host_is_address(host))
        return ip4_parse(host, &address) && address >> 24 == 127;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (str_eq_nocase(name, str_of(aliases[i])))
            return true;
    return name.len > 10 && str_eq_nocase(str_sub(name, name.len - 10, name.len), STR(".localhost"));
}
