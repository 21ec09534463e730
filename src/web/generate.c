#include "web/generate.h"

#include "http/http.h"
#include "web/compose.h"
#include "web/linkage.h"
#include "web/world.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { HEAD_ROOM = 1024, GZIP_LEVEL = 1, GZIP_LEAST = 256, SEED_SEARCH = 256 };
enum { SALT_GZIP = 0xd1, SALT_CHARSET, SALT_ERROR, SALT_STATUS, SALT_VARIANT, SALT_DATE };

/* ---- old charsets, for crawlers that must detect them ---- */

/* The text is our own, so it is valid UTF-8 of at most three bytes a character. */
static uint32_t decode_utf8(const unsigned char *p, size_t left, size_t *used)
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

/* In place; the new length. windows-1252 or windows-1251; what the charset lacks becomes "?". */
static size_t narrow_text(char *p, size_t len, const char *charset)
{
    bool cyrillic = strcmp(charset, "windows-1251") == 0;
    size_t in = 0, out = 0, used;

    while (in < len) {
        uint32_t c = decode_utf8((const unsigned char *)p + in, len - in, &used);

        p[out++] = (char)(c < 0x80 ? c : cyrillic ? to_1251(c) : to_1252(c));
        in += used;
    }
    return out;
}

/* ---- compression ---- */

/* A packer belongs to one thread at a time: those that are free wait here. */
struct gzipper {
    struct gzipper *next;
    struct http_packer *packer;
    struct buf out;
};

struct generate {
    struct world *world;
    pthread_mutex_t lock; /* of `gzippers` */
    struct gzipper *gzippers;
};

scent_status generate_new(const struct webspec *spec, struct generate **out)
{
    struct generate *generate = calloc(1, sizeof *generate);
    scent_status status;

    SCENT_BUG_IF(!generate || pthread_mutex_init(&generate->lock, NULL) != 0);
    status = world_new(spec, &generate->world);
    if (status != SCENT_OK) {
        generate_free(generate);
        return status;
    }
    *out = generate;
    return SCENT_OK;
}

void generate_free(struct generate *generate)
{
    if (!generate)
        return;
    while (generate->gzippers) {
        struct gzipper *gzipper = generate->gzippers;

        generate->gzippers = gzipper->next;
        http_packer_free(gzipper->packer);
        buf_release(&gzipper->out);
        free(gzipper);
    }
    pthread_mutex_destroy(&generate->lock);
    world_free(generate->world);
    free(generate);
}

const struct world *generate_world(const struct generate *generate)
{
    return generate->world;
}

/* ---- compression ---- */

static struct gzipper *take_gzipper(struct generate *generate)
{
    struct gzipper *gzipper;

    pthread_mutex_lock(&generate->lock);
    gzipper = generate->gzippers;
    if (gzipper)
        generate->gzippers = gzipper->next;
    pthread_mutex_unlock(&generate->lock);
    if (gzipper)
        return gzipper;
    gzipper = calloc(1, sizeof *gzipper);
    SCENT_BUG_IF(!gzipper);
    gzipper->packer = http_packer_new(HTTP_GZIP, GZIP_LEVEL);
    buf_init(&gzipper->out, 0);
    return gzipper;
}

static void give_gzipper(struct generate *generate, struct gzipper *gzipper)
{
    pthread_mutex_lock(&generate->lock);
    gzipper->next = generate->gzippers;
    generate->gzippers = gzipper;
    pthread_mutex_unlock(&generate->lock);
}

/* Replaces buf[from, end) by its gzip form. The pool is the one thing behind a const pointer that changes. */
static scent_status compress(const struct generate *generate, struct buf *buf, size_t from)
{
    struct gzipper *gzipper = take_gzipper((struct generate *)(uintptr_t)generate);
    scent_status status;

    buf_clear(&gzipper->out);
    status = http_pack(gzipper->packer, (struct str){buf->p + from, buf->len - from}, &gzipper->out);
    if (status == SCENT_OK) {
        buf->len = from;
        status = buf_add(buf, buf_str(&gzipper->out)) ? SCENT_OK : SCENT_E_NOMEM;
    }
    give_gzipper((struct generate *)(uintptr_t)generate, gzipper);
    return status;
}

/* ---- the answer ---- */

struct answer {
    const struct generate *generate;
    const struct world *world;
    struct world_host host;
    struct str path, query; /* the query without "?" */
    struct buf *buf;
    int status;
    const char *type;       /* Content-Type, whole */
    char extra[WORLD_NAME_MAX + 2 * WORLD_PATH_MAX]; /* further header lines */
};

static const char *reason(int status)
{
    switch (status) {
    case 200:
        return "OK";
    case 301:
        return "Moved Permanently";
    case 302:
        return "Found";
    case 303:
        return "See Other";
    case 307:
        return "Temporary Redirect";
    case 308:
        return "Permanent Redirect";
    case 404:
        return "Not Found";
    case 410:
        return "Gone";
    case 429:
        return "Too Many Requests";
    case 503:
        return "Service Unavailable";
    default:
        return "Internal Server Error";
    }
}

static void set_text(struct answer *a, int status, const char *type)
{
    a->status = status;
    a->type = type;
}

static void write_notice(struct answer *a, int status)
{
    struct pen pen = pen_on(a->buf);

    set_text(a, status, "text/html; charset=utf-8");
    PEN(&pen, "<!DOCTYPE html>\n<html lang=\"en\"><head><title>");
    pen_number(&pen, (uint64_t)status);
    PEN(&pen, "</title></head><body><h1>");
    pen_z(&pen, reason(status));
    PEN(&pen, "</h1></body></html>\n");
    pen_lift(&pen);
}

static void write_error(struct answer *a, const struct world_page *page)
{
    static const int statuses[] = {404, 404, 404, 404, 410, 500, 503, 429};
    int status = statuses[hash_mix(page->key, SALT_ERROR) % (sizeof statuses / sizeof *statuses)];

    write_notice(a, status);
    if (status == 503 || status == 429)
        snprintf(a->extra, sizeof a->extra, "Retry-After: 2\r\n");
}

static void write_redirect(struct answer *a, const struct world_page *page)
{
    static const int statuses[] = {301, 301, 302, 302, 303, 307, 308};
    uint64_t roll = hash_mix(page->key, SALT_STATUS);
    struct world_page target;
    char host[WORLD_NAME_MAX], path[WORLD_PATH_MAX];
    size_t path_len;

    linkage_redirect(a->world, page, &target);
    write_notice(a, statuses[roll % (sizeof statuses / sizeof *statuses)]);
    path_len = world_write_path(a->world, &target, path);
    if (target.host.index == page->host.index && roll >> 63)
        snprintf(a->extra, sizeof a->extra, "Location: %.*s\r\n", (int)path_len, path);
    else
        snprintf(a->extra, sizeof a->extra, "Location: http://%.*s%.*s\r\n",
                 (int)world_write_host(a->world, &target.host, host), host, (int)path_len, path);
}

/* To itself; to a twin and back; to one more hop each time. */
static void write_loop(struct answer *a, const struct world_page *page)
{
    char path[WORLD_PATH_MAX];
    int len = (int)world_write_path(a->world, page, path);
    uint64_t hop = 0;

    write_notice(a, 302);
    if (str_starts(a->query, STR("hop=")) && !str_parse_u64(str_sub(a->query, 4, a->query.len), &hop))
        hop = 0;
    if (page->key % 3 == 0)
        snprintf(a->extra, sizeof a->extra, "Location: %.*s\r\n", len, path);
    else if (page->key % 3 == 1)
        snprintf(a->extra, sizeof a->extra, "Location: %.*s%s\r\n", len, path, a->query.len ? "" : "?again=1");
    else
        snprintf(a->extra, sizeof a->extra, "Location: %.*s?hop=%llu\r\n", len, path, (unsigned long long)hop + 1);
}

/* Room for most pages at once, so that a new buffer is not grown step by step. */
static size_t guess_size(const struct webspec *spec)
{
    return (size_t)(spec->words * 12 + spec->links * 160) + 4096;
}

/* The charset is the original's: copies are the same bytes. */
static void write_html(struct answer *a, const struct world_page *page)
{
    const struct world *world = a->world;
    struct compose_request request = {.page = *page};
    size_t start = a->buf->len;
    const char *charset;
    uint64_t roll;
    struct pen pen;

    if (page->kind == PAGE_COPY || page->kind == PAGE_NEAR_COPY) {
        if (!linkage_original(world, page, &request.page))
            request.page = *page;
        else if (page->kind == PAGE_NEAR_COPY)
            request.variant = hash_mix(page->key, SALT_VARIANT) | 2; /* never 0 */
    }
    roll = hash_mix(request.page.key, SALT_CHARSET);
    charset = world_host_tongue(world, &request.page.host)->charset;
    charset = charset && dice_hit(roll, world->odds.charset) ? charset : NULL;
    request.charset = roll & 1 ? (charset ? charset : "utf-8") : NULL;
    request.session = a->query.len ? hash_str(a->query, 0) : 0;
    if (!buf_reserve(a->buf, guess_size(&world->spec)))
        return;
    pen = pen_on(a->buf);
    compose_page(world, &request, &pen);
    pen_lift(&pen);
    if (charset)
        a->buf->len = start + narrow_text(a->buf->p + start, a->buf->len - start, charset);
    if (request.charset)
        set_text(a, 200, "text/html");
    else
        set_text(a, 200, !charset ? "text/html; charset=utf-8" : strcmp(charset, "windows-1251") == 0
                                                                  ? "text/html; charset=windows-1251"
                                                                  : "text/html; charset=windows-1252");
}

static void write_page(struct answer *a, const struct world_page *page)
{
    struct pen pen;

    switch (page->kind) {
    case PAGE_ERROR:
        write_error(a, page);
        return;
    case PAGE_REDIRECT:
        write_redirect(a, page);
        return;
    case PAGE_LOOP:
        write_loop(a, page);
        return;
    case PAGE_PDF:
    case PAGE_PNG:
        pen = pen_on(a->buf);
        if (page->kind == PAGE_PDF)
            service_write_pdf(a->world, page, &pen);
        else
            service_write_png(&pen);
        pen_lift(&pen);
        set_text(a, 200, page->kind == PAGE_PDF ? "application/pdf" : "image/png");
        return;
    default:
        write_html(a, page);
    }
}

static void write_body(struct answer *a)
{
    struct world_page page;
    const char *type;
    struct pen pen = pen_on(a->buf);

    if ((type = service_write(a->world, &a->host, a->path, &pen)) != NULL) {
        pen_lift(&pen);
        set_text(a, 200, type);
    } else if (world_find_page(a->world, &a->host, a->path, &page)) {
        write_page(a, &page);
    } else if (trap_holds(a->world, &a->host, a->path)) {
        trap_write(a->world, &a->host, a->path, &pen);
        pen_lift(&pen);
        set_text(a, 200, "text/html; charset=utf-8");
    } else {
        write_notice(a, 404);
    }
}

/* The body stands behind HEAD_ROOM bytes; the head is written right before it. */
static scent_status finish(struct answer *a, struct web_response *out)
{
    uint64_t key = hash_str(a->path, a->host.key);
    bool gzip = a->buf->len - HEAD_ROOM >= GZIP_LEAST && dice_hit(hash_mix(key, SALT_GZIP), a->world->odds.gzip) &&
                a->status == 200 && strncmp(a->type, "image/", 6) != 0;
    char head[HEAD_ROOM];
    int len;

    if (a->buf->failed || (gzip && compress(a->generate, a->buf, HEAD_ROOM) != SCENT_OK))
        return SCENT_E_NOMEM;
    len = snprintf(head, sizeof head,
                   "HTTP/1.1 %d %s\r\nDate: Sun, 15 Nov 2026 12:00:00 GMT\r\nServer: generated\r\nContent-Type: %s\r\n"
                   "Content-Length: %zu\r\n%s%sETag: \"%016llx\"\r\n\r\n",
                   a->status, reason(a->status), a->type, a->buf->len - HEAD_ROOM,
                   gzip ? "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n" : "", a->extra,
                   (unsigned long long)hash_mix(key, SALT_DATE));
    SCENT_BUG_IF(len < 0 || len >= HEAD_ROOM);
    memcpy(a->buf->p + HEAD_ROOM - len, head, (size_t)len);
    out->status = a->status;
    out->head = (struct str){a->buf->p + HEAD_ROOM - len, (size_t)len};
    out->body = (struct str){a->buf->p + HEAD_ROOM, a->buf->len - HEAD_ROOM};
    return SCENT_OK;
}

/* "http://name/path?query#fragment"; any port but the usual one is closed. */
static bool split_href(struct str href, struct str *name, struct str *path, struct str *query)
{
    struct str rest;

    if (!str_starts(href, STR("http://")))
        return false;
    rest = str_sub(href, 7, href.len);
    rest.len = str_find(rest, '#');
    *name = str_sub(rest, 0, str_find(rest, '/'));
    rest = str_sub(rest, name->len, rest.len);
    if (str_ends(*name, STR(":80")))
        name->len -= 3;
    *path = str_sub(rest, 0, str_find(rest, '?'));
    *query = path->len < rest.len ? str_sub(rest, path->len + 1, rest.len) : STR_NONE;
    if (path->len == 0)
        *path = STR("/");
    return true;
}

static enum web_fault fault_of(enum world_host_kind kind)
{
    switch (kind) {
    case HOST_REFUSES:
        return WEB_REFUSE;
    case HOST_DROPS:
        return WEB_DROP;
    case HOST_HANGS:
        return WEB_HANG;
    case HOST_HAS_NO_ADDRESS:
        return WEB_NO_HOST;
    default:
        return WEB_FINE;
    }
}

scent_status generate_get(const struct generate *generate, struct str href, struct buf *buf, struct web_response *out)
{
    struct answer a = {.generate = generate, .world = generate->world, .buf = buf};
    struct str name;

    *out = (struct web_response){.fault = WEB_FINE};
    buf_clear(buf);
    if (!split_href(href, &name, &a.path, &a.query)) {
        out->fault = WEB_REFUSE;
        return SCENT_OK;
    }
    if (!world_find_host(generate->world, name, &a.host)) {
        out->fault = WEB_NO_HOST;
        return SCENT_OK;
    }
    out->fault = fault_of(world_host_kind(generate->world, &a.host));
    if (out->fault != WEB_FINE)
        return SCENT_OK;
    if (!buf_reserve(buf, HEAD_ROOM))
        return SCENT_E_NOMEM;
    buf->len = HEAD_ROOM;
    if (world_host_is_slow(generate->world, &a.host))
        out->delay_ms = (uint32_t)generate->world->spec.slow_delay_ms;
    write_body(&a);
    return finish(&a, out);
}

/* ---- seeds, labels, enumeration ---- */

static struct str href_of(const struct world *world, const struct world_page *page, struct arena *arena)
{
    char host[WORLD_NAME_MAX], path[WORLD_PATH_MAX];

    return arena_printf(arena, "http://%.*s%.*s", (int)world_write_host(world, &page->host, host), host,
                        (int)world_write_path(world, page, path), path);
}

/* The first hub of the host that a polite crawler may fetch. */
static bool find_hub(const struct world *world, const struct world_host *host, struct world_page *out)
{
    uint64_t end = host->pages < SEED_SEARCH ? host->pages : SEED_SEARCH;

    for (uint64_t number = 0; number < end; number++) {
        world_page(world, host, number, out);
        if (out->kind == PAGE_HUB && out->topic == host->topic && !world_page_is_closed(world, out))
            return true;
    }
    return false;
}

/* One hub a host, the most popular hosts first. Where no host has a hub, the first home page. */
struct str generate_seed(const struct generate *generate, size_t i, struct arena *arena)
{
    const struct world *world = generate->world;
    uint64_t wanted = world->spec.wanted, index = world->topic_start[wanted];
    struct world_host host;
    struct world_page page;
    size_t found = 0;

    if (i >= world->spec.seeds)
        return STR_NONE;
    for (; index < world->topic_hidden[wanted]; index++) {
        world_host(world, index, &host);
        if (world_host_kind(world, &host) == HOST_FINE && find_hub(world, &host, &page) && found++ == i)
            return href_of(world, &page, arena);
    }
    if (found > 0 || i > 0)
        return STR_NONE;
    world_host(world, world->topic_start[wanted], &host);
    world_page(world, &host, 0, &page);
    return href_of(world, &page, arena);
}

struct str generate_label(const struct generate *generate, struct str href, struct arena *arena)
{
    struct world_host host;
    struct world_page page;
    struct str name, path, query;

    if (!split_href(href, &name, &path, &query) || query.p || !world_find_host(generate->world, name, &host) ||
        !world_find_page(generate->world, &host, path, &page) || !world_page_is_html(&page))
        return STR_NONE;
    return arena_printf(arena, "t%u", page.topic);
}

/* A query (but for tracking, which changes nothing) comes from a session or a loop. */
bool generate_is_trap(const struct generate *generate, struct str href)
{
    struct world_host host;
    struct str name, path, query;

    if (!split_href(href, &name, &path, &query) || !world_find_host(generate->world, name, &host))
        return false;
    return (query.p && !str_starts(query, STR("utm_"))) || trap_holds(generate->world, &host, path);
}

uint64_t generate_hosts(const struct generate *generate)
{
    return generate->world->spec.hosts;
}

uint64_t generate_pages(const struct generate *generate, uint64_t index)
{
    struct world_host host;

    world_host(generate->world, index, &host);
    return host.pages;
}

struct str generate_url(const struct generate *generate, uint64_t index, uint64_t number, struct arena *arena)
{
    struct world_host host;
    struct world_page page;

    world_host(generate->world, index, &host);
    world_page(generate->world, &host, number, &page);
    return href_of(generate->world, &page, arena);
}
