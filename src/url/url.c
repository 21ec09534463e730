/* The basic URL parser of the WHATWG standard (section 4.4) for the special schemes http and https.
 *
 * The standard describes a state machine over characters. For these two schemes it comes down to: split the
 * input at the few bytes that can end a part, and write each part in its serialised form straight behind the
 * one before it. What is taken from the base is copied as bytes, because it is serialised already. */
#include "url/url.h"

#include "base/str.h"
#include "url/url_parts.h"

/* ---- writing ---- */

/* Rows of the class table. The sets of the standard (section 1.3) contain each other:
 * fragment, query < path < user; the special-query set adds the apostrophe. */
enum {
    F = URL_ENCODE_FRAGMENT,
    Q = URL_ENCODE_QUERY,
    P = URL_ENCODE_PATH,
    U = URL_ENCODE_USER,
    H = URL_HOST_SPECIAL,
    E = URL_PATH_STOP,
    S = URL_SCHEME,
    ALL = F | Q | P | U | H,
    FQ = F | Q | P | U, /* the quotation mark: encoded everywhere, but a host may hold it */
    PU = P | U
};
#define ROW(x) x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x

const uint8_t url_class[256] = {
    ROW(ALL), ROW(ALL),
    /* sp  !  "   #              $  %  &  '  (  )  *  +  ,  -  .  / */
    ALL, 0, FQ, Q | PU | H | E, 0, H, 0, Q, 0, 0, 0, S, 0, S, S, U | H | E,
    /* 0-9                        :      ;  <    =  >    ? */
    S, S, S, S, S, S, S, S, S, S, U | H, U, ALL, U, ALL, PU | H | E,
    /* @    A-O */
    U | H, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    /* P-Z                           [      \          ]      ^       _ */
    S, S, S, S, S, S, S, S, S, S, S, U | H, U | H | E, U | H, PU | H, 0,
    /* `    a-o */
    F | PU, S, S, S, S, S, S, S, S, S, S, S, S, S, S, S,
    /* p-z                           {   |      }   ~  DEL */
    S, S, S, S, S, S, S, S, S, S, S, PU, U | H, PU, 0, ALL,
    ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL), ROW(ALL),
};

static void put_escapes(struct url_out *out, struct str bytes)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.p[i];

        url_out_str(out, (struct str){(char[]){'%', hex[c >> 4], hex[c & 15]}, 3});
    }
}

/* Encodes the character at the start of `s` and returns its length. */
static size_t put_escaped_char(struct url_out *out, struct str s)
{
    size_t n = utf8_sequence(s);

    if (n) {
        put_escapes(out, str_sub(s, 0, n));
        return n;
    }
    put_escapes(out, STR(UTF8_REPLACEMENT));
    return utf8_bad_prefix(s);
}

/* Appends `s` with the bytes of `set` percent-encoded; what is not UTF-8 becomes an encoded U+FFFD. */
static void url_out_encoded(struct url_out *out, struct str s, unsigned set)
{
    size_t at = 0;

    while (at < s.len) {
        struct str rest = str_sub(s, at, s.len);
        size_t clean = url_span(rest, set);

        url_out_str(out, str_sub(rest, 0, clean));
        at += clean;
        if (at < s.len)
            at += put_escaped_char(out, str_sub(s, at, s.len));
    }
}

bool url_is_escape(struct str s, size_t at)
{
    return s.len - at >= 3 && s.p[at] == '%' && ascii_hex(s.p[at + 1]) >= 0 && ascii_hex(s.p[at + 2]) >= 0;
}

unsigned char url_escaped_byte(struct str s, size_t at)
{
    return (unsigned char)(ascii_hex(s.p[at + 1]) << 4 | ascii_hex(s.p[at + 2]));
}

/* ---- parts of a URL ---- */

struct str url_scheme(const struct url *url)
{
    return str_sub(url->href, 0, url->scheme_end);
}

struct str url_host(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->host_end);
}

struct str url_server(const struct url *url)
{
    return str_sub(url->href, url->host_start, url->path_start);
}

struct str url_path(const struct url *url)
{
    return str_sub(url->href, url->path_start, url->path_end);
}

struct str url_query(const struct url *url)
{
    return str_sub(url->href, url->path_end + (url->query_end > url->path_end), url->query_end);
}

struct str url_fragment(const struct url *url)
{
    return str_sub(url->href, url->query_end + (url->href.len > url->query_end), url->href.len);
}

struct str url_origin(const struct url *url)
{
    return str_sub(url->href, 0, url->path_start);
}

static uint16_t default_port(const struct url *url)
{
    return url->scheme_end == 5 ? 443 : 80;
}

uint16_t url_port(const struct url *url)
{
    return url->path_start > url->host_end ? url->port : default_port(url);
}

bool url_has_credentials(const struct url *url)
{
    return url->host_start > url->scheme_end + 3;
}

struct parse {
    struct url_out out;
    struct str rest; /* of the input */
    struct url url;  /* offsets into out */
};

static bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

static void skip_bytes(struct parse *parse, size_t n)
{
    parse->rest = str_sub(parse->rest, n, parse->rest.len);
}

static bool is_at(const struct parse *parse, char c)
{
    return parse->rest.len && parse->rest.p[0] == c;
}

static size_t count_slashes(struct str s)
{
    size_t n = 0;

    while (n < s.len && is_slash(s.p[n]))
        n++;
    return n;
}

/* 1 for "." and 2 for "..", in any spelling (%2e stands for a dot); 0 for an ordinary segment. */
static int count_dots(struct str segment)
{
    int dots = 0;
    size_t i = 0;

    if (segment.len > 6 || segment.len == 0 || (segment.p[0] != '.' && segment.p[0] != '%'))
        return 0;
    while (i < segment.len && dots < 3) {
        bool escaped = url_is_escape(segment, i) && url_escaped_byte(segment, i) == '.';

        if (!escaped && segment.p[i] != '.')
            return 0;
        i += escaped ? 3 : 1;
        dots++;
    }
    return dots < 3 ? dots : 0;
}

/* Takes the last segment off the path that is written so far. */
static void drop_segment(struct parse *parse)
{
    struct url_out *out = &parse->out;

    while (out->len > parse->url.path_start && out->p[--out->len] != '/')
        ;
}

static void put_segment(struct parse *parse, struct str segment, bool clean, bool last)
{
    int dots = count_dots(segment);

    if (dots == 2)
        drop_segment(parse);
    if (dots == 0 || last)
        url_out_byte(&parse->out, '/');
    if (dots == 0 && clean)
        url_out_str(&parse->out, segment);
    else if (dots == 0)
        url_out_encoded(&parse->out, segment, URL_ENCODE_PATH);
}

/* Appends the segments at parse->rest (which begins after a slash) to the path. */
static void put_path(struct parse *parse)
{
    bool more;

    do {
        size_t clean = url_span(parse->rest, URL_ENCODE_PATH | URL_PATH_STOP), n = clean;

        n += url_span(str_sub(parse->rest, n, parse->rest.len), URL_PATH_STOP);
        more = n < parse->rest.len && is_slash(parse->rest.p[n]);
        put_segment(parse, str_sub(parse->rest, 0, n), n == clean, !more);
        skip_bytes(parse, n + more);
    } while (more);
    parse->url.path_end = (uint16_t)parse->out.len;
}

static void put_query_and_fragment(struct parse *parse)
{
    struct url_out *out = &parse->out;

    if (is_at(parse, '?')) {
        size_t n = str_find(parse->rest, '#');

        url_out_byte(out, '?');
        url_out_encoded(out, str_sub(parse->rest, 1, n), URL_ENCODE_QUERY);
        skip_bytes(parse, n);
    }
    parse->url.query_end = (uint16_t)out->len;
    if (is_at(parse, '#')) {
        url_out_byte(out, '#');
        url_out_encoded(out, str_sub(parse->rest, 1, parse->rest.len), URL_ENCODE_FRAGMENT);
    }
}

static void put_credentials(struct parse *parse, struct str text)
{
    struct url_out *out = &parse->out;
    size_t colon = str_find(text, ':');
    bool password = colon + 1 < text.len;

    url_out_encoded(out, str_sub(text, 0, colon), URL_ENCODE_USER);
    parse->url.user_end = (uint16_t)out->len;
    if (password) {
        url_out_byte(out, ':');
        url_out_encoded(out, str_sub(text, colon + 1, text.len), URL_ENCODE_USER);
    }
    parse->url.pass_end = (uint16_t)out->len;
    if (password || colon > 0)
        url_out_byte(out, '@');
}

/* Where the host ends in `text`: at a colon outside brackets. */
static size_t find_port(struct str text)
{
    bool in_brackets = false;
    size_t i;

    for (i = 0; i < text.len && (in_brackets || text.p[i] != ':'); i++) {
        if (text.p[i] == '[')
            in_brackets = true;
        else if (text.p[i] == ']')
            in_brackets = false;
    }
    return i;
}

static scent_status put_port(struct parse *parse, struct str digits)
{
    uint32_t port = 0;

    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.p[i]))
            return SCENT_E_INVALID;
        port = port * 10 + (uint32_t)(digits.p[i] - '0');
        if (port > UINT16_MAX)
            return SCENT_E_INVALID;
    }
    if (!digits.len || port == default_port(&parse->url))
        return SCENT_OK;
    parse->url.port = (uint16_t)port;
    while (digits.len > 1 && digits.p[0] == '0')
        digits = str_sub(digits, 1, digits.len);
    url_out_byte(&parse->out, ':');
    url_out_str(&parse->out, digits);
    return SCENT_OK;
}

static size_t find_last(struct str s, char c)
{
    const char *found = s.len ? memrchr(s.p, c, s.len) : NULL;

    return found ? (size_t)(found - s.p) : s.len;
}

/* [user [":" password] "@"] host [":" port], at parse->rest. */
static scent_status put_authority(struct parse *parse)
{
    struct url *url = &parse->url;
    struct str text = str_sub(parse->rest, 0, url_span(parse->rest, URL_PATH_STOP));
    size_t sign = find_last(text, '@'), colon;
    scent_status status;

    skip_bytes(parse, text.len);
    url->user_end = url->pass_end = (uint16_t)parse->out.len;
    if (sign < text.len) {
        put_credentials(parse, str_sub(text, 0, sign));
        text = str_sub(text, sign + 1, text.len);
    }
    colon = find_port(text);
    url->host_start = (uint16_t)parse->out.len;
    status = url_host_parse(&parse->out, str_sub(text, 0, colon));
    if (status != SCENT_OK)
        return status;
    url->host_end = (uint16_t)parse->out.len;
    status = put_port(parse, str_sub(text, colon + (colon < text.len), text.len));
    url->path_start = (uint16_t)parse->out.len;
    return status;
}

static scent_status parse_absolute(struct parse *parse, struct str scheme)
{
    scent_status status;

    skip_bytes(parse, count_slashes(parse->rest));
    url_out_str(&parse->out, scheme);
    parse->url.scheme_end = (uint16_t)scheme.len;
    url_out_str(&parse->out, STR("://"));
    status = put_authority(parse);
    if (status != SCENT_OK)
        return status;
    skip_bytes(parse, parse->rest.len && is_slash(parse->rest.p[0]));
    put_path(parse);
    put_query_and_fragment(parse);
    return SCENT_OK;
}

/* A reference that begins with less than two slashes: the authority is the base's, and as much of its path
 * and query as the reference does not replace. */
static void parse_relative(struct parse *parse, const struct url *base)
{
    size_t slashes = count_slashes(parse->rest);
    bool has_path = parse->rest.len && !is_at(parse, '?') && !is_at(parse, '#');
    size_t keep = slashes ? base->path_start : is_at(parse, '?') || has_path ? base->path_end : base->query_end;

    parse->url = *base;
    url_out_str(&parse->out, str_sub(base->href, 0, keep));
    if (has_path && !slashes)
        drop_segment(parse);
    skip_bytes(parse, slashes);
    if (has_path)
        put_path(parse);
    put_query_and_fragment(parse);
}

/* The offset of the colon after a scheme; 0 when there is no scheme. */
static size_t find_scheme(struct str s)
{
    size_t n = 0;

    if (!s.len || !ascii_is_alpha(s.p[0]))
        return 0;
    while (n < s.len && url_class[(unsigned char)s.p[n]] & URL_SCHEME)
        n++;
    return n < s.len && s.p[n] == ':' ? n : 0;
}

static scent_status parse_input(struct parse *parse, const struct url *base)
{
    size_t colon = find_scheme(parse->rest);
    struct str scheme = str_sub(parse->rest, 0, colon);

    if (!colon && !base)
        return SCENT_E_INVALID;
    if (colon && !str_eq_nocase(scheme, STR("https")) && !str_eq_nocase(scheme, STR("http")))
        return SCENT_E_UNSUPPORTED;
    if (parse->rest.len > SCENT_URL_MAX)
        return SCENT_E_LIMIT;
    scheme = colon ? (scheme.len == 5 ? STR("https") : STR("http")) : url_scheme(base);
    skip_bytes(parse, colon + (colon > 0));
    if (!base || !str_eq(scheme, url_scheme(base)) || count_slashes(parse->rest) > 1)
        return parse_absolute(parse, scheme);
    parse_relative(parse, base);
    return SCENT_OK;
}

/* Without the blanks and control characters around it (section 4.4, step 1). */
static struct str trim(struct str s)
{
    while (s.len && (unsigned char)s.p[0] <= ' ')
        s = str_sub(s, 1, s.len);
    while (s.len && (unsigned char)s.p[s.len - 1] <= ' ')
        s.len--;
    return s;
}

static bool has_breaks(struct str s)
{
    return s.len && (memchr(s.p, '\n', s.len) || memchr(s.p, '\t', s.len) || memchr(s.p, '\r', s.len));
}

/* Copies without tabs and line breaks (step 3), at most `room` bytes: one more than a URL may have. */
static struct str strip_breaks(struct str s, char *copy, size_t room)
{
    size_t len = 0;

    for (size_t i = 0; i < s.len && len < room; i++)
        if (s.p[i] != '\n' && s.p[i] != '\t' && s.p[i] != '\r')
            copy[len++] = s.p[i];
    return (struct str){copy, len};
}

scent_status url_parse(struct arena *arena, struct str input, const struct url *base, struct url *out)
{
    struct parse parse; /* not initialised: clearing its buffer would cost more than parsing */
    char copy[SCENT_URL_MAX + 1];
    scent_status status;

    parse.out.len = 0;
    parse.out.full = false;
    parse.url = (struct url){.href = STR_NONE};
    parse.rest = input.len ? trim(input) : STR("");
    if (has_breaks(parse.rest))
        parse.rest = strip_breaks(parse.rest, copy, sizeof copy);
    status = parse_input(&parse, base);
    if (status != SCENT_OK)
        return status;
    if (parse.out.full)
        return SCENT_E_LIMIT;
    parse.url.href = arena_str(arena, (struct str){parse.out.p, parse.out.len});
    if (!parse.url.href.p)
        return SCENT_E_NOMEM;
    *out = parse.url;
    return SCENT_OK;
}
