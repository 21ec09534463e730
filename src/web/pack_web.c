#include "web/pack.h"

#include "base/file.h"
#include "base/hash.h"
#include "http/http.h"
#include "url/url.h"
#include "web/packer.h"

#include <stdlib.h>

enum { URL_ARENA = 256 * 1024, BODY_MAX = 64 * 1024 * 1024, SLACK = 64, TRAP_EVERY = 50 };

/* The generated web has no time of its own; this is the Date of its responses. */
static const int64_t pack_wall = 1794744000LL * 1000000; /* 2026-11-15T12:00:00Z */

struct crawl {
    const struct web *web;
    struct packer *packer;
    uint64_t pages, max_pages;
    struct buf queue;      /* URLs, each with a line feed behind */
    size_t next;           /* where the first that was not visited begins */
    uint64_t waiting, trapped;
    uint64_t *seen;        /* fingerprints; 0: free */
    size_t seen_count, seen_slots;
    struct buf labels;
    struct buf response, decoded, robots;
    struct arena arena;
};

/* ---- the queue ---- */

static bool grow_seen(struct crawl *crawl)
{
    size_t slots = crawl->seen_slots ? crawl->seen_slots * 2 : 4096;
    uint64_t *seen = calloc(slots, sizeof *seen);

    if (!seen)
        return false;
    for (size_t i = 0; i < crawl->seen_slots; i++) {
        size_t at = crawl->seen[i] & (slots - 1);

        if (!crawl->seen[i])
            continue;
        while (seen[at])
            at = (at + 1) & (slots - 1);
        seen[at] = crawl->seen[i];
    }
    free(crawl->seen);
    crawl->seen = seen;
    crawl->seen_slots = slots;
    return true;
}

/* *is_new tells whether `key` was absent. */
static scent_status mark(struct crawl *crawl, struct str key, bool *is_new)
{
    uint64_t fp = url_fingerprint(key, 0);
    size_t at;

    if ((crawl->seen_count + 1) * 2 > crawl->seen_slots && !grow_seen(crawl))
        return SCENT_E_NOMEM;
    at = fp & (crawl->seen_slots - 1);
    while (crawl->seen[at] && crawl->seen[at] != fp)
        at = (at + 1) & (crawl->seen_slots - 1);
    *is_new = crawl->seen[at] == 0;
    crawl->seen[at] = fp;
    crawl->seen_count += *is_new;
    return SCENT_OK;
}

/* More than four times what is still wanted is never visited: hosts that do not answer are fewer. */
static scent_status enqueue(struct crawl *crawl, struct str href)
{
    bool is_new;

    if (crawl->waiting >= (crawl->max_pages - crawl->pages) * 4 + SLACK)
        return SCENT_OK;
    if (web_is_trap(crawl->web, href) && crawl->trapped++ >= crawl->max_pages / TRAP_EVERY)
        return SCENT_OK;
    if (mark(crawl, href, &is_new) != SCENT_OK)
        return SCENT_E_NOMEM;
    if (!is_new)
        return SCENT_OK;
    crawl->waiting++;
    buf_add(&crawl->queue, href);
    return buf_addc(&crawl->queue, '\n') ? SCENT_OK : SCENT_E_NOMEM;
}

static bool dequeue(struct crawl *crawl, struct str *href)
{
    struct str rest = str_sub(buf_str(&crawl->queue), crawl->next, crawl->queue.len);

    if (rest.len == 0)
        return false;
    *href = str_sub(rest, 0, str_find(rest, '\n'));
    crawl->next += href->len + 1;
    crawl->waiting--;
    return true;
}

/* ---- links ---- */

/* "&amp;" is the only reference that the generated web uses in an attribute. */
static struct str plain_value(struct str value, struct arena *arena)
{
    char *out = arena_alloc(arena, value.len + 1), *p = out;

    if (!out)
        return STR_NONE;
    for (size_t i = 0; i < value.len; i++) {
        *p++ = value.p[i];
        if (str_starts(str_sub(value, i, value.len), STR("&amp;")))
            i += 4;
    }
    return (struct str){out, (size_t)(p - out)};
}

static scent_status enqueue_reference(struct crawl *crawl, struct str value, const struct url *base)
{
    struct url url;

    if (url_parse(&crawl->arena, value, base, &url) != SCENT_OK ||
        url_normalise(&crawl->arena, &url, URL_STRIP_TRACKING, &url) != SCENT_OK)
        return SCENT_OK; /* nothing that could be fetched */
    return enqueue(crawl, url.href);
}

/* Our own HTML writes every link as <a href="…">. */
static scent_status enqueue_links(struct crawl *crawl, struct str html, const struct url *base)
{
    static const char tag[] = "<a href=\"";
    scent_status status = SCENT_OK;

    while (status == SCENT_OK) {
        const char *at = html.len ? memmem(html.p, html.len, tag, sizeof tag - 1) : NULL;
        struct str value;

        if (!at)
            break;
        html = str_sub(html, (size_t)(at - html.p) + sizeof tag - 1, html.len);
        value = str_sub(html, 0, str_find(html, '"'));
        status = enqueue_reference(crawl, plain_value(value, &crawl->arena), base);
    }
    return status;
}

static scent_status follow(struct crawl *crawl, struct str href, const struct web_response *response)
{
    struct str location = http_header(response->head, STR("Location"));
    struct str body;
    enum http_end end;
    struct url base;

    if (url_parse(&crawl->arena, href, NULL, &base) != SCENT_OK)
        return SCENT_OK;
    if (location.len)
        return enqueue_reference(crawl, location, &base);
    if (!str_starts(http_header(response->head, STR("Content-Type")), STR("text/html")))
        return SCENT_OK;
    SCENT_TRY(http_decode_body(response->head, response->body, &crawl->decoded, &body, &end));
    return enqueue_links(crawl, body, &base);
}

/* ---- visits ---- */

/* Once a host, so that the collection asks for the same manners as the web. */
static scent_status pack_robots(struct crawl *crawl, const struct url *url, struct errmsg *err)
{
    struct web_response response;
    struct str href = arena_printf(&crawl->arena, "%.*s/robots.txt", STR_ARG(url_origin(url)));
    bool is_new;
    scent_status status;

    if (!href.p || mark(crawl, href, &is_new) != SCENT_OK)
        return SCENT_E_NOMEM;
    if (!is_new)
        return SCENT_OK;
    status = web_get(crawl->web, href, &crawl->robots, &response, err);
    if (status != SCENT_OK || response.fault != WEB_FINE || response.status != 200)
        return status;
    return packer_add(crawl->packer, href, pack_wall, response.head, response.body, err);
}

static scent_status pack_page(struct crawl *crawl, struct str href, const struct web_response *response,
                              struct errmsg *err)
{
    struct str label = web_label(crawl->web, href, &crawl->arena);

    crawl->pages++;
    if (label.len) {
        buf_add(&crawl->labels, href);
        buf_addc(&crawl->labels, '\t');
        buf_add(&crawl->labels, label);
        buf_addc(&crawl->labels, '\n');
    }
    return packer_add(crawl->packer, href, pack_wall, response->head, response->body, err);
}

static scent_status visit(struct crawl *crawl, struct str href, struct errmsg *err)
{
    struct web_response response;
    struct url url;
    scent_status status;

    if (url_parse(&crawl->arena, href, NULL, &url) != SCENT_OK)
        return SCENT_OK;
    status = web_get(crawl->web, url.href, &crawl->response, &response, err);
    if (status != SCENT_OK || response.fault != WEB_FINE)
        return status;
    status = pack_robots(crawl, &url, err);
    if (status == SCENT_OK)
        status = pack_page(crawl, url.href, &response, err);
    if (status == SCENT_OK)
        status = follow(crawl, url.href, &response);
    return status;
}

static scent_status walk(struct crawl *crawl, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct str href;

    for (size_t i = 0; status == SCENT_OK; i++) {
        href = web_seed(crawl->web, i, &crawl->arena);
        if (href.len == 0)
            break;
        status = enqueue(crawl, href);
    }
    while (status == SCENT_OK && crawl->pages < crawl->max_pages && dequeue(crawl, &href)) {
        struct str own = arena_str(&crawl->arena, href); /* the queue may move */

        status = own.p ? visit(crawl, own, err) : SCENT_E_NOMEM;
        arena_reset(&crawl->arena);
    }
    if (status == SCENT_E_NOMEM)
        errmsg_fail(err, status, "no memory after %llu pages", (unsigned long long)crawl->pages);
    return status;
}

static scent_status write_labels(const struct crawl *crawl, const char *dir, struct errmsg *err)
{
    struct buf path;
    scent_status status;

    buf_init(&path, 0);
    buf_printf(&path, "%s/labels.tsv", dir);
    status = path.failed || crawl->labels.failed ? SCENT_E_NOMEM
                                                 : file_replace(buf_z(&path), buf_str(&crawl->labels), err);
    buf_release(&path);
    return status;
}

static void release(struct crawl *crawl)
{
    free(crawl->seen);
    buf_release(&crawl->queue);
    buf_release(&crawl->labels);
    buf_release(&crawl->response);
    buf_release(&crawl->decoded);
    buf_release(&crawl->robots);
    arena_release(&crawl->arena);
}

scent_status web_generate_pack(const struct web *web, uint64_t max_pages, const char *out_dir, uint64_t *packed,
                               struct errmsg *err)
{
    struct crawl crawl = {.web = web, .max_pages = max_pages};
    scent_status status, closed;

    *packed = 0;
    if (web_hosts(web) == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "only a generated web can be packed; an archive is packed already");
    buf_init(&crawl.queue, 0);
    buf_init(&crawl.labels, 0);
    buf_init(&crawl.response, BODY_MAX);
    buf_init(&crawl.decoded, BODY_MAX);
    buf_init(&crawl.robots, BODY_MAX);
    arena_init(&crawl.arena, BODY_MAX);
    status = packer_open(out_dir, pack_wall, &crawl.packer, err);
    if (status == SCENT_OK)
        status = walk(&crawl, err);
    closed = packer_close(crawl.packer, status == SCENT_OK ? err : NULL);
    status = status != SCENT_OK ? status : closed;
    if (status == SCENT_OK)
        status = write_labels(&crawl, out_dir, err);
    *packed = crawl.pages;
    release(&crawl);
    return status;
}
