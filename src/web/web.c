#include "web/web.h"

#include "base/file.h"
#include "conf/conf.h"
#include "http/http.h"
#include "url/url.h"
#include "warc/archive.h"
#include "web/generate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { URL_ARENA = 256 * 1024, HEAD_MAX = 1024 * 1024 };

struct web { /* one of them */
    struct archive *archive;
    struct generate *generate;
};

/* ---- opening ---- */

/* By its first bytes: gzip, "WARC/", or "filedesc:" of the older ARC; anything else should be YAML. */
static scent_status sniff(const char *path, bool *is_archive, struct errmsg *err)
{
    char start[16] = "";
    ssize_t len;
    int fd;

    *is_archive = file_is_dir(path);
    if (*is_archive)
        return SCENT_OK;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    len = read(fd, start, sizeof start);
    close(fd);
    if (len < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    *is_archive = (len >= 2 && memcmp(start, "\x1f\x8b", 2) == 0) || memcmp(start, "WARC/", 5) == 0 ||
                  memcmp(start, "filedesc:", 9) == 0;
    return SCENT_OK;
}

/* Takes `conf` over. */
static scent_status open_generated(struct conf *conf, const char *name, struct generate **out, struct errmsg *err)
{
    struct webspec spec;
    scent_status status = webspec_read(conf, &spec, err);

    conf_free(conf);
    if (status != SCENT_OK)
        return status;
    status = generate_new(&spec, out);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "%s: not enough memory for its vocabulary", name);
}

static struct web *new_web(struct archive *archive, struct generate *generate)
{
    struct web *web = calloc(1, sizeof *web);

    SCENT_BUG_IF(!web);
    web->archive = archive;
    web->generate = generate;
    return web;
}

scent_status web_open(const char *path, const struct log *log, struct web **out, struct errmsg *err)
{
    struct archive *archive = NULL;
    struct generate *generate = NULL;
    struct conf *conf;
    bool is_archive;
    scent_status status = sniff(path, &is_archive, err);

    if (status != SCENT_OK)
        return status;
    if (is_archive)
        status = archive_open(path, log, &archive, err);
    else if ((status = conf_load(path, &conf, err)) == SCENT_OK)
        status = open_generated(conf, path, &generate, err);
    if (status == SCENT_OK)
        *out = new_web(archive, generate);
    return status;
}

scent_status web_open_spec(struct str yaml, const char *name, struct web **out, struct errmsg *err)
{
    struct generate *generate;
    struct conf *conf;
    scent_status status = conf_parse(yaml, name, &conf, err);

    if (status == SCENT_OK)
        status = open_generated(conf, name, &generate, err);
    if (status == SCENT_OK)
        *out = new_web(NULL, generate);
    return status;
}

void web_free(struct web *web)
{
    if (!web)
        return;
    archive_free(web->archive);
    generate_free(web->generate);
    free(web);
}

/* ---- answers ---- */

/* The head as it must be for a body that is whole and in one piece. */
static void rewrite_head(struct str head, size_t body_len, struct buf *out)
{
    struct str line;
    bool first = true;

    while (str_split(&head, '\n', &line)) {
        line = str_trim(line);
        if (line.len == 0 || http_is_header(line, STR("Content-Length")) ||
            http_is_header(line, STR("Transfer-Encoding")) || (!first && str_find(line, ':') == line.len))
            continue;
        buf_add(out, line);
        buf_addz(out, "\r\n");
        first = false;
    }
    buf_printf(out, "Content-Length: %zu\r\n\r\n", body_len);
}

static scent_status answer_missing(struct buf *buf, struct web_response *out)
{
    static const struct str head = {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 45};

    buf_clear(buf);
    if (!buf_add(buf, head))
        return SCENT_E_NOMEM;
    *out = (struct web_response){.status = 404, .head = buf_str(buf), .absent = true};
    return SCENT_OK;
}

static scent_status get_archived(const struct archive *archive, struct str href, struct buf *buf,
                                 struct web_response *out, struct errmsg *err)
{
    struct archive_response found;
    scent_status status = archive_get(archive, href, buf, &found, err);
    struct buf head;

    if (status == SCENT_E_NOTFOUND)
        return answer_missing(buf, out);
    if (status != SCENT_OK)
        return status;
    buf_init(&head, HEAD_MAX);
    rewrite_head(found.head, found.body.len, &head);
    size_t body = found.body.len ? (size_t)(found.body.p - buf->p) : 0, at = buf->len; /* the buffer may move */
    status = !head.failed && buf_add(buf, buf_str(&head)) ? SCENT_OK : SCENT_E_NOMEM;
    *out = (struct web_response){.status = found.status, .head = {buf->p + at, head.len},
                                 .body = {buf->p + body, found.body.len}};
    buf_release(&head);
    return status;
}

scent_status web_get(const struct web *web, struct str href, struct buf *buf, struct web_response *out,
                     struct errmsg *err)
{
    struct arena arena;
    struct url url;
    scent_status status;

    if (web->generate) {
        status = generate_get(web->generate, href, buf, out);
        return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for %.*s", STR_ARG(href));
    }
    buf_clear(buf);
    arena_init(&arena, URL_ARENA);
    status = url_parse(&arena, href, NULL, &url);
    if (status == SCENT_OK)
        status = url_normalise(&arena, &url, 0, &url);
    if (status == SCENT_OK)
        status = get_archived(web->archive, url.href, buf, out, err);
    else if (status != SCENT_E_NOMEM)
        status = answer_missing(buf, out);
    arena_release(&arena);
    return status;
}

struct str web_seed(const struct web *web, size_t i, struct arena *arena)
{
    if (web->generate)
        return generate_seed(web->generate, i, arena);
    return i < archive_count(web->archive) ? arena_str(arena, archive_url(web->archive, i)) : STR_NONE;
}

struct str web_label(const struct web *web, struct str href, struct arena *arena)
{
    return web->generate ? generate_label(web->generate, href, arena) : STR_NONE;
}

bool web_is_trap(const struct web *web, struct str href)
{
    return web->generate && generate_is_trap(web->generate, href);
}

/* ---- enumeration ---- */

uint64_t web_hosts(const struct web *web)
{
    return web->generate ? generate_hosts(web->generate) : 0;
}

uint64_t web_host_pages(const struct web *web, uint64_t host)
{
    return web->generate ? generate_pages(web->generate, host) : 0;
}

struct str web_page_url(const struct web *web, uint64_t host, uint64_t page, struct arena *arena)
{
    return web->generate ? generate_url(web->generate, host, page, arena) : STR_NONE;
}

const struct world *web_world(const struct web *web)
{
    return web->generate ? generate_world(web->generate) : NULL;
}
