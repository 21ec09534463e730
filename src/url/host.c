#include "url/host.h"

#include "url/idna.h"
#include "url/ip.h"

static scent_status put_ipv6(struct url_out *out, struct str text)
{
    uint16_t pieces[8];

    if (text.len < 2 || text.p[text.len - 1] != ']' || !url_ip6_parse(str_sub(text, 1, text.len - 1), pieces))
        return SCENT_E_INVALID;
    url_ip6_put(out, pieces);
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

bool url_host_ends_in_number(struct str host)
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

    if (!url_host_ends_in_number(name))
        return SCENT_OK;
    if (!url_ip4_parse(name, &address))
        return SCENT_E_INVALID;
    out->len = from;
    url_ip4_put(out, address);
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
    return host.len && (host.p[0] == '[' || url_host_ends_in_number(host));
}

struct str url_host_without_dot(struct str host)
{
    if (host.len && host.p[host.len - 1] == '.')
        host.len--;
    return host;
}
