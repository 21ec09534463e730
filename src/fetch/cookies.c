/* Reading the export, and RFC 6265 section 5.4: which cookies a request gets, in which order. */
#include "fetch/cookies.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/vec.h"
#include "fetch/fetch.h"

#include <stdlib.h>

enum {
    FILE_MAX = 16 * 1024 * 1024,
    COOKIES_MAX = 100000,
    HEADER_MAX = 8 * 1024, /* what most servers take; more cookies than fit are left out */
    MATCHES_MAX = 200
};

struct cookie {
    struct str domain; /* lower case, without a dot in front */
    struct str path, name, value;
    int64_t expires; /* seconds since 1970; 0: with the browser's session, which is this crawl */
    bool subdomains, secure;
    uint32_t line;
};

struct cookies {
    struct arena arena;
    struct cookie *list; /* by domain, then longer paths first, then as in the file (RFC 6265 section 5.4) */
    size_t count, room;
};

static int by_path(const struct cookie *x, const struct cookie *y)
{
    if (x->path.len != y->path.len)
        return x->path.len > y->path.len ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static int compare(const void *a, const void *b)
{
    const struct cookie *x = a, *y = b;
    int by_domain = str_cmp(x->domain, y->domain);

    return by_domain ? by_domain : by_path(x, y);
}

/* ---- reading ---- */

static bool is_printable(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
            return false;
    return true;
}

static bool parse_flag(struct str text, bool *out)
{
    *out = str_eq_nocase(text, STR("TRUE"));
    return *out || str_eq_nocase(text, STR("FALSE"));
}

/* Some exports write fractions of a second, and -1 for a session. */
static bool parse_expiry(struct str text, int64_t *out)
{
    uint64_t seconds = 0;

    *out = 0;
    text.len = str_find(text, '.');
    if (str_eq(text, STR("-1")))
        return true;
    if (!str_parse_u64(text, &seconds))
        return false;
    *out = seconds < INT64_MAX ? (int64_t)seconds : INT64_MAX;
    return true;
}

static struct str lower(struct arena *arena, struct str text)
{
    struct str own = arena_str(arena, text);

    for (size_t i = 0; own.p && i < own.len; i++)
        ((char *)own.p)[i] = ascii_lower(own.p[i]);
    return own;
}

/* domain, subdomains, path, secure, expiry, name, value: between tabs; an empty value may lack its tab. */
static bool parse_line(struct cookies *cookies, struct str line, struct cookie *out)
{
    struct str fields[7] = {0};
    size_t count = 0;

    while (count < 7 && str_split(&line, '\t', &fields[count]))
        count++;
    for (size_t i = 0; i < count; i++)
        if (!is_printable(fields[i]))
            return false;
    if (count < 6 || line.len || !parse_flag(fields[1], &out->subdomains) || !parse_flag(fields[3], &out->secure) ||
        !parse_expiry(fields[4], &out->expires))
        return false;
    if (fields[0].len && fields[0].p[0] == '.')
        fields[0] = str_sub(fields[0], 1, fields[0].len);
    out->domain = lower(&cookies->arena, fields[0]);
    out->path = arena_str(&cookies->arena, fields[2].len && fields[2].p[0] == '/' ? fields[2] : STR("/"));
    out->name = arena_str(&cookies->arena, fields[5]);
    out->value = arena_str(&cookies->arena, fields[6]);
    return out->domain.len > 0 && (out->name.len || out->value.len) && !memchr(out->name.p, ';', out->name.len) &&
           !memchr(out->value.p, ';', out->value.len);
}

static scent_status parse_lines(struct cookies *cookies, struct str text, const char *name, struct errmsg *err)
{
    struct str line;

    for (uint32_t number = 1; str_split(&text, '\n', &line); number++) {
        struct cookie cookie = {.line = number};

        if (line.len && line.p[line.len - 1] == '\r')
            line.len--;
        if (str_starts(line, STR("#HttpOnly_")))
            line = str_sub(line, sizeof "#HttpOnly_" - 1, line.len);
        if (str_trim(line).len == 0 || line.p[0] == '#')
            continue;
        if (!parse_line(cookies, line, &cookie))
            return errmsg_fail(
                err, SCENT_E_INVALID,
                "%s:%u: not a cookie; a line is domain, TRUE or FALSE, path, TRUE or FALSE, expiry, name and "
                "value with a tab between them",
                name, number);
        if (cookies->count == COOKIES_MAX)
            return errmsg_fail(err, SCENT_E_LIMIT, "%s: more than %d cookies", name, COOKIES_MAX);
        if (!vec_reserve(&cookies->list, &cookies->room, cookies->count + 1, sizeof cookie))
            return SCENT_E_NOMEM;
        cookies->list[cookies->count++] = cookie;
    }
    return SCENT_OK;
}

scent_status cookies_parse(struct str text, const char *name, struct cookies **out, struct errmsg *err)
{
    struct cookies *cookies = calloc(1, sizeof *cookies);
    scent_status status;

    SCENT_BUG_IF(!cookies);
    arena_init(&cookies->arena, (size_t)FILE_MAX * 8);
    status = parse_lines(cookies, text, name, err);
    if (status != SCENT_OK) {
        cookies_free(cookies);
        return status;
    }
    if (cookies->count)
        qsort(cookies->list, cookies->count, sizeof *cookies->list, compare);
    *out = cookies;
    return SCENT_OK;
}

scent_status cookies_read(const char *path, struct cookies **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, FILE_MAX);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = cookies_parse(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}

void cookies_free(struct cookies *cookies)
{
    if (!cookies)
        return;
    arena_release(&cookies->arena);
    free(cookies->list);
    free(cookies);
}

/* ---- matching ---- */

static size_t first_of(const struct cookies *cookies, struct str domain)
{
    size_t low = 0, high = cookies->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (str_cmp(cookies->list[middle].domain, domain) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* RFC 6265 section 5.1.4. */
static bool path_matches(struct str cookie, struct str path)
{
    if (!str_starts(path, cookie))
        return false;
    return path.len == cookie.len || cookie.p[cookie.len - 1] == '/' || path.p[cookie.len] == '/';
}

static bool matches(const struct cookie *cookie, const struct cookies_request *request, bool exact)
{
    return (exact || cookie->subdomains) && (!cookie->secure || request->secure) &&
           (cookie->expires == 0 || cookie->expires > request->now / 1000000) &&
           path_matches(cookie->path, request->path);
}

static size_t collect(const struct cookies *cookies, const struct cookies_request *request, struct str domain,
                      const struct cookie *out[], size_t count)
{
    bool exact = domain.len == request->host.len;

    for (size_t i = first_of(cookies, domain); i < cookies->count && str_eq(cookies->list[i].domain, domain); i++)
        if (count < MATCHES_MAX && matches(&cookies->list[i], request, exact))
            out[count++] = &cookies->list[i];
    return count;
}

static int compare_matches(const void *a, const void *b)
{
    return by_path(*(const struct cookie *const *)a, *(const struct cookie *const *)b);
}

static void write_header(const struct cookie *const list[], size_t count, struct buf *out)
{
    size_t start = out->len;

    for (size_t i = 0; i < count; i++) {
        size_t need = list[i]->name.len + list[i]->value.len + 3;

        if (out->len - start + need > HEADER_MAX)
            continue;
        buf_addz(out, out->len > start ? "; " : "");
        buf_add(out, list[i]->name);
        buf_addz(out, list[i]->name.len ? "=" : "");
        buf_add(out, list[i]->value);
    }
}

void cookies_for(const struct cookies *cookies, const struct cookies_request *request, struct buf *out)
{
    const struct cookie *found[MATCHES_MAX];
    struct str domain = request->host, label;
    struct fetch_ip ip;
    bool is_address = fetch_ip_parse(request->host, &ip);
    size_t count = 0;

    do
        count = collect(cookies, request, domain, found, count);
    while (!is_address && str_split(&domain, '.', &label) && domain.len);
    if (count)
        qsort(found, count, sizeof *found, compare_matches);
    write_header(found, count, out);
}
