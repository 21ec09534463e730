/* One spelling for one resource. A server may tell some of these spellings apart, but in practice they are the
 * same page, and a crawl that takes them for different ones fetches it twice. */
#include "base/hash.h"
#include "url/url_parts.h"

#include <stdlib.h>

/* ---- session ids, by which a server tells its visitors apart in URLs. A crawl that keeps them knows every page under
 * as many names as it got ids. A parameter counts as one by its name and by a value that looks like an id: "sid=12" is
 * a story, "session=spring" a term. ---- */

enum { CLEAR_MIN = 8, VAGUE_MIN = 16, MD5_HEX = 32, ASP_MIN = 20, ASP_MAX = 32 };

struct shape {
    size_t letters, digits, hex, others;
};

static struct shape shape_of(struct str s)
{
    struct shape shape = {0};

    for (size_t i = 0; i < s.len; i++) {
        shape.letters += ascii_is_alpha(s.p[i]);
        shape.digits += ascii_is_digit(s.p[i]);
        shape.hex += ascii_hex(s.p[i]) >= 0;
        shape.others += !ascii_is_alpha(s.p[i]) && !ascii_is_digit(s.p[i]);
    }
    return shape;
}

static bool is_one_of(struct str name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    return false;
}

/* These names mean nothing else; an empty value, or one of some length, goes with them. */
static bool is_clear_name(struct str name)
{
    static const char *const names[] = {
        "jsessionid", "phpsessid", "phpsessionid", "sessionid", "session_id", "sessid", "cgisessid",
        "oscsid", "xtcsid", "zenid", "mscsid", "psession", "vsession",
    };

    return is_one_of(name, names, sizeof names / sizeof *names) || str_starts_nocase(name, STR("aspsessionid"));
}

static bool is_cold_fusion(struct str name)
{
    static const char *const names[] = {"cfid", "cftoken"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

/* These also name stories, searches and terms. */
static bool is_vague_name(struct str name)
{
    static const char *const names[] = {"sid", "sess", "session", "_sid", "ssid"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

/* `param` is "name=value". */
static bool is_session_param(struct str param)
{
    size_t equals = str_find(param, '=');
    struct str name = str_sub(param, 0, equals), value;
    struct shape shape;

    if (equals == param.len || equals > 40 || equals == 0)
        return false;
    value = str_sub(param, equals + 1, param.len);
    if (is_clear_name(name))
        return value.len == 0 || (value.len >= CLEAR_MIN && shape_of(value).digits > 0);
    if (is_cold_fusion(name))
        return shape_of(value).digits > 0;
    shape = shape_of(value);
    if (is_vague_name(name))
        return value.len >= VAGUE_MIN && shape.others == 0 && shape.digits >= 2 &&
               (shape.letters >= 2 || shape.hex == value.len);
    return str_eq_nocase(name, STR("s")) && value.len == MD5_HEX && shape.hex == MD5_HEX && shape.digits > 0;
}

/* "(S(lit3py55t21z5v55vlm25s55))": ASP.NET without cookies. */
static bool is_asp_segment(struct str s)
{
    struct shape shape;

    if (s.len < ASP_MIN + 5 || s.len > ASP_MAX + 5 || s.p[0] != '(' || s.p[2] != '(' || !str_ends(s, STR("))")) ||
        !ascii_is_alpha(s.p[1]))
        return false;
    shape = shape_of(str_sub(s, 3, s.len - 2));
    return shape.others == 0 && shape.digits > 0;
}

static size_t copy_text(char *path, size_t at, struct str s)
{
    memmove(path + at, s.p, s.len);
    return at + s.len;
}

/* Writes the segment without its session parameters; the new end. */
static size_t put_segment(char *path, size_t at, struct str segment)
{
    struct str rest = segment, part;
    size_t end = at;

    for (bool first = true; str_split(&rest, ';', &part); first = false) {
        if (!first && is_session_param(part))
            continue;
        if (!first)
            path[end++] = ';';
        end = copy_text(path, end, part);
    }
    return end;
}

/* "..;jsessionid=1" must not become "..", which is another place. */
static bool begins_with_dots(struct str segment)
{
    struct str name = str_sub(segment, 0, str_find(segment, ';'));

    return str_eq(name, STR(".")) || str_eq(name, STR(".."));
}

/* Removes ";jsessionid=…" and ASP.NET's "/(S(…))" from a path, in place; the new length. The result has no dot
 * segments that the path had not, and begins with "/". */
static size_t strip_sessions(char *path, size_t len)
{
    struct str rest = {path + 1, len - 1}, segment;
    size_t end = 0;

    if (!memchr(path, ';', len) && !memchr(path, '(', len))
        return len;
    while (str_split(&rest, '/', &segment)) {
        size_t start = end;

        path[end++] = '/';
        end = begins_with_dots(segment) ? copy_text(path, end, segment) : put_segment(path, end, segment);
        if (is_asp_segment((struct str){path + start + 1, end - start - 1}))
            end = start;
    }
    if (end == 0)
        path[end++] = '/';
    return end;
}

/* ---- one spelling ---- */

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
           (flags & URL_STRIP_SESSION && is_session_param(part));
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
        out->len = from + strip_sessions(out->p + from, out->len - from);
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

/* ---- keys of replay tools: they look a URL up under the spelling that most people would call the same page. The rules
 * are those of the Internet Archive's canonicaliser as pywb applies it, session ids left as they are. ---- */

/* Writes the labels from last to first with commas between them; as long as the name itself. */
static char *put_reversed(char *to, struct str name)
{
    size_t end = name.len;

    for (size_t i = name.len; i-- > 0;) {
        if (name.p[i] != '.')
            continue;
        to = mempcpy(to, name.p + i + 1, end - i - 1);
        *to++ = ',';
        end = i;
    }
    return mempcpy(to, name.p, end);
}

/* "www.", "www2." */
static struct str without_www(struct str host)
{
    size_t i = 3;

    if (!str_starts(host, STR("www")))
        return host;
    while (i < host.len && ascii_is_digit(host.p[i]))
        i++;
    return i < host.len && host.p[i] == '.' && i + 1 < host.len ? str_sub(host, i + 1, host.len) : host;
}

static char *put_lower(char *to, struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        *to++ = ascii_lower(s.p[i]);
    return to;
}

static int by_bytes(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* Parameters in the order of their bytes; `query` is in lower case already. */
static scent_status sort_query(struct arena *arena, char *query, size_t len)
{
    struct str rest = {query, len}, copy = arena_str(arena, rest), part;
    size_t count = 1, n = 0;
    struct str *parts;

    for (size_t i = 0; i < len; i++)
        count += query[i] == '&';
    parts = arena_array(arena, count, sizeof *parts);
    if (!parts || !copy.p)
        return SCENT_E_NOMEM;
    while (str_split(&copy, '&', &part))
        parts[n++] = part;
    qsort(parts, n, sizeof *parts, by_bytes);
    for (size_t i = 0; i < n; i++) {
        if (i)
            *query++ = '&';
        query = mempcpy(query, parts[i].p, parts[i].len);
    }
    return SCENT_OK;
}

scent_status url_surt(struct arena *arena, const struct url *url, struct str *out)
{
    struct str host = url_host_without_dot(url_host(url)), path = url_path(url), query = url_query(url);
    struct str port = str_sub(url->href, url->host_end, url->path_start);
    char *start = arena_alloc(arena, url->href.len + 2), *to = start, *from;
    scent_status status = SCENT_OK;

    if (!start)
        return SCENT_E_NOMEM;
    to = url_host_is_address(host) ? mempcpy(to, host.p, host.len) : put_reversed(to, without_www(host));
    to = mempcpy(to, port.p, port.len);
    *to++ = ')';
    if (path.len > 1 && path.p[path.len - 1] == '/')
        path.len--;
    to = put_lower(to, path);
    if (query.len) {
        *to++ = '?';
        from = to;
        to = put_lower(to, query);
        status = sort_query(arena, from, query.len);
    }
    *to = 0;
    *out = (struct str){start, (size_t)(to - start)};
    return status;
}
