/* One spelling for one resource. A server may tell some of these spellings apart, but in practice they are the
 * same page, and a crawl that takes them for different ones fetches it twice. */
#include "base/hash.h"
#include "url/out.h"
#include "url/session.h"

/* Parameters that say where a visitor came from and nothing about what is shown. */
static bool is_tracking(struct str name)
{
#define N(literal) {literal, sizeof(literal) - 1}
    static const struct str names[] = {
        N("fbclid"), N("gclid"), N("gclsrc"), N("gbraid"), N("wbraid"), N("dclid"), N("msclkid"), N("yclid"),
        N("ymclid"), N("ysclid"), N("twclid"), N("ttclid"), N("igshid"), N("igsh"), N("mc_cid"), N("mc_eid"),
        N("mkt_tok"), N("_hsenc"), N("_hsmi"), N("__hstc"), N("__hssc"), N("__hsfp"), N("hsCtaTracking"),
        N("li_fat_id"), N("vero_id"), N("vero_conv"), N("wickedid"), N("_openstat"), N("rb_clickid"),
        N("oly_anon_id"), N("oly_enc_id"), N("_ga"), N("_gl"), N("srsltid"), N("ScCid"), N("epik"),
        N("_branch_match_id"),
    };
#undef N

    if (str_starts_nocase(name, STR("utm_")))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}

static bool is_unreserved(unsigned char c) /* RFC 3986, section 2.3 */
{
    return ascii_is_alpha((char)c) || ascii_is_digit((char)c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/* Whether a hex digit written now would complete an escape that the input did not have: "%%34%31" must not
 * become "%41". An escape is always written whole, so a "%" among the last two bytes is a stray one. */
static bool would_escape(const struct url_out *out, unsigned char c)
{
    if (ascii_hex((char)c) < 0)
        return false;
    return (out->len >= 1 && out->p[out->len - 1] == '%') || (out->len >= 2 && out->p[out->len - 2] == '%');
}

static void put_escape(struct url_out *out, struct str s, size_t at)
{
    static const char hex[] = "0123456789ABCDEF";
    unsigned char c = url_escaped_byte(s, at);

    if (is_unreserved(c) && !would_escape(out, c))
        url_out_byte(out, (char)c);
    else
        url_out_str(out, (struct str){(char[]){'%', hex[c >> 4], hex[c & 15]}, 3});
}

static void put_one_spelling(struct url_out *out, struct str s)
{
    while (s.len) {
        size_t n = str_find(s, '%');

        url_out_str(out, str_sub(s, 0, n));
        if (n == s.len)
            return;
        if (url_is_escape(s, n))
            put_escape(out, s, n);
        else
            url_out_byte(out, '%');
        s = str_sub(s, n + (url_is_escape(s, n) ? 3 : 1), s.len);
    }
}

static bool is_dropped(struct str part, unsigned flags)
{
    return (flags & URL_STRIP_TRACKING && is_tracking(str_sub(part, 0, str_find(part, '=')))) ||
           (flags & URL_STRIP_SESSION && session_in_param(part));
}

/* Removes the parameters that the flags name from the query that begins at `from`, in place. */
static void strip_params(struct url_out *out, size_t from, unsigned flags)
{
    struct str rest = {out->p + from, out->len - from}, part;
    size_t len = 0;

    for (bool first = true; str_split(&rest, '&', &part);) {
        if (is_dropped(part, flags))
            continue;
        if (!first)
            out->p[from + len++] = '&';
        memmove(out->p + from + len, part.p, part.len);
        len += part.len;
        first = false;
    }
    out->len = from + len;
}

static void put_path(struct url_out *out, struct str path, unsigned flags)
{
    size_t from = out->len;

    put_one_spelling(out, path);
    if (flags & URL_STRIP_SESSION)
        out->len = from + session_strip_path(out->p + from, out->len - from);
}

static void put_query(struct url_out *out, struct str query, unsigned flags)
{
    size_t from = out->len;

    url_out_byte(out, '?');
    put_one_spelling(out, query);
    if (flags)
        strip_params(out, from + 1, flags);
    if (out->len == from + 1)
        out->len = from;
}

static bool is_normal(const struct url *url, unsigned flags)
{
    size_t query = url->query_end - url->path_end;

    if (url_has_credentials(url) || url->href.len > url->query_end || query == 1)
        return false;
    if (query && flags)
        return false; /* perhaps */
    if (flags & URL_STRIP_SESSION && (memchr(url->href.p + url->path_start, ';', url->path_end - url->path_start) ||
                                      memchr(url->href.p + url->path_start, '(', url->path_end - url->path_start)))
        return false; /* perhaps */
    return !memchr(url->href.p + url->path_start, '%', url->query_end - url->path_start);
}

/* Writes everything before the path, without credentials, and sets the offsets. */
static void put_origin(struct url_out *out, const struct url *url, struct url *normal)
{
    uint16_t removed = (uint16_t)(url->host_start - url->scheme_end - 3);

    url_out_str(out, str_sub(url->href, 0, url->scheme_end + 3u));
    url_out_str(out, str_sub(url->href, url->host_start, url->path_start));
    *normal = *url;
    normal->user_end = normal->pass_end = normal->host_start = (uint16_t)(url->scheme_end + 3);
    normal->host_end = (uint16_t)(url->host_end - removed);
    normal->path_start = (uint16_t)(url->path_start - removed);
}

scent_status url_normalise(struct arena *arena, const struct url *url, unsigned flags, struct url *out)
{
    struct url_out text; /* cleared by hand: all of it would cost more than the work */
    struct url normal;

    if (is_normal(url, flags)) {
        *out = *url;
        return SCENT_OK;
    }
    text.len = 0;
    text.full = false;
    put_origin(&text, url, &normal);
    put_path(&text, url_path(url), flags);
    normal.path_end = (uint16_t)text.len;
    if (url->query_end > url->path_end)
        put_query(&text, url_query(url), flags);
    normal.query_end = (uint16_t)text.len;
    if (text.len == url->href.len && memcmp(text.p, url->href.p, text.len) == 0) {
        *out = *url;
        return SCENT_OK;
    }
    normal.href = arena_str(arena, (struct str){text.p, text.len});
    if (!normal.href.p)
        return SCENT_E_NOMEM;
    *out = normal;
    return SCENT_OK;
}

uint64_t url_fingerprint(struct str href, uint64_t key)
{
    uint64_t fingerprint = hash_str(href, key);

    return fingerprint ? fingerprint : 1;
}
