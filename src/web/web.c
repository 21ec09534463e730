#include "web/web.h"

#include "base/clock.h"
#include "base/file.h"
#include "conf/conf.h"
#include "http/http.h"
#include "url/url.h"
#include "warc/archive.h"
#include "warc/warc.h"
#include "web/generate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { URL_ARENA = 256 * 1024, HEAD_MAX = 1024 * 1024 };

struct web { /* one of them */
    struct archive *archive;
    struct generate *generate;
};

/* ---- opening ---- */

/* By its first bytes: gzip, "WARC/", or "filedesc:" of the older ARC; anything else should be YAML. */
scent_status web_sniff(const char *path, bool *is_archive, struct errmsg *err)
{
    char start[16] = "";
    struct str bytes;
    ssize_t len;
    int fd;

    *is_archive = file_is_dir(path);
    if (*is_archive)
        return SCENT_OK;
    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err));
    len = read(fd, start, sizeof start);
    close(fd);
    if (len < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: %s", path, strerror(errno));
    bytes = (struct str){start, (size_t)len};
    *is_archive = str_starts(bytes, STR("\x1f\x8b")) || http_is_zstd_frame(bytes) || http_is_zstd_skippable(bytes) ||
                  str_starts(bytes, STR("WARC/")) || str_starts(bytes, STR("filedesc:"));
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
    scent_status status = web_sniff(path, &is_archive, err);

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

    SCENT_TRY(conf_parse(yaml, name, &conf, err));
    SCENT_TRY(open_generated(conf, name, &generate, err));
    *out = new_web(NULL, generate);
    return SCENT_OK;
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

const struct archive *web_archive(const struct web *web)
{
    return web->archive;
}

/* ---- packing: the writer ---- */

enum { PACK_LEVEL = 6, FLUSH_BYTES = 1024 * 1024 };

struct packer {
    struct warc_writer *writer;
    struct http_packer *packer;
    struct rng rng;
    struct clock clock;
    int64_t wall;
    struct buf records; /* not yet written */
    uint64_t count;
};

static int64_t tell_wall(void *ctx)
{
    return *(const int64_t *)ctx;
}

static scent_status refuse_used(const char *dir, struct errmsg *err)
{
    static const char *const none[] = {NULL};
    struct file_list list;
    scent_status status;

    if (!file_is_dir(dir))
        return SCENT_OK;
    status = file_list(dir, ".warc.gz", &list, err);
    if (status == SCENT_OK && list.count > 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s already holds a collection (%s); name a new folder", dir,
                             list.names[0]);
    file_list_release(&list);
    return status == SCENT_OK ? file_expect_only(dir, none, "new folder", err) : status;
}

scent_status packer_open(const char *dir, int64_t wall, struct packer **out, struct errmsg *err)
{
    struct warc_writer_options options = {.dir = dir, .prefix = "web", .software = "scent/" SCENT_VERSION,
                                          .level = PACK_LEVEL};
    struct packer *packer;
    scent_status status = refuse_used(dir, err);

    if (status != SCENT_OK)
        return status;
    packer = calloc(1, sizeof *packer);
    SCENT_BUG_IF(!packer);
    packer->wall = wall;
    packer->clock = (struct clock){tell_wall, tell_wall, &packer->wall};
    options.clock = &packer->clock;
    rng_seed(&packer->rng, 1);
    buf_init(&packer->records, 0);
    status = warc_writer_open(&options, NULL, &packer->rng, &packer->writer, err);
    if (status != SCENT_OK) {
        free(packer);
        return status;
    }
    packer->packer = http_packer_new(HTTP_GZIP, PACK_LEVEL);
    *out = packer;
    return SCENT_OK;
}

static scent_status flush_records(struct packer *packer, struct errmsg *err)
{
    struct warc_position at;
    scent_status status = SCENT_OK;

    if (packer->records.len > 0)
        status = warc_writer_append(packer->writer, buf_str(&packer->records), &at, err);
    buf_clear(&packer->records);
    return status;
}

scent_status packer_add(struct packer *packer, struct str url, int64_t wall, struct str head, struct str body,
                        struct errmsg *err)
{
    struct warc_exchange exchange = {.url = url, .wall = wall, .protocol = STR("http/1.1"), .response_head = head,
                                     .body = body};
    struct warc_span span;
    char digest[33];
    scent_status status =
        warc_build_exchange(&exchange, &packer->rng, packer->packer, &packer->records, &span, digest);

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the record of %.*s", STR_ARG(url));
    packer->count++;
    return packer->records.len < FLUSH_BYTES ? SCENT_OK : flush_records(packer, err);
}

scent_status packer_close(struct packer *packer, struct errmsg *err)
{
    struct warc_position end;
    scent_status status, closed;

    if (!packer)
        return SCENT_OK;
    status = flush_records(packer, err);
    closed = warc_writer_close(packer->writer, &end, status == SCENT_OK ? err : NULL);
    http_packer_free(packer->packer);
    buf_release(&packer->records);
    free(packer);
    return status != SCENT_OK ? status : closed;
}

/* ---- packing: folders ---- */

enum { FILE_MAX_BYTES = 64 * 1024 * 1024, DEPTH_MAX = 64, PACK_ARENA = 64 * 1024 };

struct walk {
    const struct log *log;
    char root[PATH_MAX]; /* without symbolic links */
    int64_t wall;        /* the folder's own time, for the WARC file itself */
    struct packer *packer;
    struct buf url;  /* of where we are */
    struct buf path; /* in the file system */
    struct buf file; /* content */
};

static const struct {
    const char *ending, *type;
} types[] = {
    {".html", "text/html"}, {".htm", "text/html"}, {".xhtml", "application/xhtml+xml"}, {".txt", "text/plain"},
    {".md", "text/markdown"}, {".css", "text/css"}, {".js", "text/javascript"}, {".mjs", "text/javascript"},
    {".json", "application/json"}, {".xml", "application/xml"}, {".rss", "application/rss+xml"},
    {".atom", "application/atom+xml"}, {".svg", "image/svg+xml"}, {".png", "image/png"}, {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"}, {".gif", "image/gif"}, {".webp", "image/webp"}, {".ico", "image/vnd.microsoft.icon"},
    {".pdf", "application/pdf"}, {".ps", "application/postscript"}, {".epub", "application/epub+zip"},
    {".zip", "application/zip"}, {".gz", "application/gzip"}, {".woff", "font/woff"}, {".woff2", "font/woff2"},
    {".ttf", "font/ttf"}, {".mp3", "audio/mpeg"}, {".mp4", "video/mp4"}, {".csv", "text/csv"},
};

static const char *type_of(struct str name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct str ending = str_of(types[i].ending);

        if (name.len > ending.len && str_eq_nocase(str_sub(name, name.len - ending.len, name.len), ending))
            return types[i].type;
    }
    return NULL;
}

/* Copies of wikis and of many other sites have pages without an ending. */
static const char *type_by_content(struct str content)
{
    struct str start = str_trim(content);

    return str_starts_nocase(start, STR("<!doctype html")) || str_starts_nocase(start, STR("<html"))
               ? "text/html" : "application/octet-stream";
}

/* One spelling of each name: what RFC 3986 does not allow in a path segment is escaped, "%" and "?" too. */
static void add_segment(struct buf *url, struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.p[i];

        if (ascii_is_alpha((char)c) || ascii_is_digit((char)c) || (c < 0x80 && strchr("-._~!$&'()*+,;=:@", c)))
            buf_addc(url, (char)c);
        else
            buf_printf(url, "%%%02X", c);
    }
}

static void format_date(time_t when, char *out, size_t room)
{
    struct tm tm;

    if (!gmtime_r(&when, &tm) || strftime(out, room, "%a, %d %b %Y %H:%M:%S GMT", &tm) == 0)
        snprintf(out, room, "Thu, 01 Jan 1970 00:00:00 GMT");
}

/* The form under which an archive knows the URL. */
static scent_status add_response(struct walk *walk, const char *type, time_t mtime, struct errmsg *err)
{
    char date[64], head[512];
    struct arena arena;
    struct url url;
    int len;
    scent_status status;

    format_date(mtime, date, sizeof date);
    len = snprintf(head, sizeof head,
                   "HTTP/1.1 200 OK\r\nDate: %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                   "Last-Modified: %s\r\n\r\n",
                   date, type, walk->file.len, date);
    arena_init(&arena, PACK_ARENA);
    status = url_parse(&arena, buf_str(&walk->url), NULL, &url);
    if (status == SCENT_OK)
        status = url_normalise(&arena, &url, 0, &url);
    if (status == SCENT_OK)
        status = packer_add(walk->packer, url.href, (int64_t)mtime * 1000000, (struct str){head, (size_t)len},
                            buf_str(&walk->file), err);
    else
        status = errmsg_fail(err, status, "%s gives no URL", buf_z(&walk->path));
    arena_release(&arena);
    return status;
}

static bool is_index(struct str name)
{
    return str_eq(name, STR("index.html")) || str_eq(name, STR("index.htm"));
}

/* A file that cannot be read is left out: the rest is worth packing. */
static scent_status pack_file(struct walk *walk, struct str name, const struct stat *st, struct errmsg *err)
{
    size_t url_len = walk->url.len;
    const char *type = type_of(name);
    struct errmsg why;
    scent_status status;

    buf_clear(&walk->file);
    status = file_read(buf_z(&walk->path), &walk->file, &why);
    if (status != SCENT_OK) {
        log_line(walk->log, LOG_WARN, "left out: %s", why.text);
        return status == SCENT_E_NOMEM ? status : SCENT_OK;
    }
    if (!type)
        type = type_by_content(buf_str(&walk->file));
    if (is_index(name) && (status = add_response(walk, type, st->st_mtime, err)) != SCENT_OK)
        return status;
    add_segment(&walk->url, name);
    status = add_response(walk, type, st->st_mtime, err);
    walk->url.len = url_len;
    return status;
}

static bool is_inside(const struct walk *walk, const char *path)
{
    char real[PATH_MAX];
    struct str root = str_of(walk->root);

    return realpath(path, real) && str_starts(str_of(real), root) && (real[root.len] == '/' || root.len == 1);
}

static scent_status pack_folder(struct walk *walk, int depth, struct errmsg *err);

static scent_status pack_entry(struct walk *walk, struct str name, int depth, struct errmsg *err)
{
    const char *path = buf_z(&walk->path);
    struct stat link, st;
    size_t url_len = walk->url.len;
    scent_status status;

    if (lstat(path, &link) || stat(path, &st) || (S_ISLNK(link.st_mode) && !is_inside(walk, path))) {
        log_line(walk->log, LOG_WARN, "left out: %s is a link that leads nowhere or outside", path);
        return SCENT_OK;
    }
    if (S_ISREG(st.st_mode))
        return pack_file(walk, name, &st, err);
    if (!S_ISDIR(link.st_mode) || depth == DEPTH_MAX) { /* a link to a folder could be a circle */
        log_line(walk->log, LOG_WARN, "left out: %s is not a file, or too deep", path);
        return SCENT_OK;
    }
    add_segment(&walk->url, name);
    buf_addc(&walk->url, '/');
    status = pack_folder(walk, depth + 1, err);
    walk->url.len = url_len;
    return status;
}

static scent_status pack_folder(struct walk *walk, int depth, struct errmsg *err)
{
    struct file_list list;
    size_t path_len = walk->path.len;
    scent_status status = file_list(buf_z(&walk->path), "", &list, err);

    for (size_t i = 0; status == SCENT_OK && i < list.count; i++) {
        buf_addc(&walk->path, '/');
        buf_addz(&walk->path, list.names[i]);
        if (walk->path.failed || walk->url.failed)
            status = errmsg_fail(err, SCENT_E_LIMIT, "the names below %s are too long", walk->root);
        else
            status = pack_entry(walk, str_of(list.names[i]), depth, err);
        walk->path.len = path_len;
    }
    file_list_release(&list);
    return status;
}

static scent_status start_walk(struct walk *walk, const char *folder, const char *base_url, struct errmsg *err)
{
    struct file_list list;
    struct stat st;
    struct arena arena;
    struct url url;
    bool is_empty;
    scent_status status;

    if (!realpath(folder, walk->root) || stat(walk->root, &st))
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot open %s: %s", folder, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not a folder", folder);
    SCENT_TRY(file_list(folder, "", &list, err));
    is_empty = list.count == 0;
    file_list_release(&list);
    if (is_empty)
        return errmsg_fail(err, SCENT_E_INVALID, "%s has no files to pack", folder);
    walk->wall = (int64_t)st.st_mtime * 1000000;
    arena_init(&arena, PACK_ARENA);
    status = url_parse(&arena, str_of(base_url), NULL, &url);
    if (status != SCENT_OK || url.query_end != url.path_end || url.href.len != url.query_end) {
        status = errmsg_fail(err, SCENT_E_INVALID, "'%s' is not a base URL; use one like http://docs.test/", base_url);
    } else {
        buf_add(&walk->url, url.href);
        if (!str_ends(url.href, STR("/")))
            buf_addc(&walk->url, '/');
        buf_addz(&walk->path, walk->root);
    }
    arena_release(&arena);
    return status;
}

scent_status web_pack_folder(const char *folder, const char *base_url, const char *out_dir, const struct log *log,
                             uint64_t *packed, struct errmsg *err)
{
    struct walk walk = {.log = log};
    scent_status status, closed;

    buf_init(&walk.url, SCENT_URL_MAX);
    buf_init(&walk.path, PATH_MAX);
    buf_init(&walk.file, FILE_MAX_BYTES);
    status = start_walk(&walk, folder, base_url, err);
    if (status == SCENT_OK)
        status = packer_open(out_dir, walk.wall, &walk.packer, err);
    if (status == SCENT_OK)
        status = pack_folder(&walk, 0, err);
    *packed = walk.packer ? walk.packer->count : 0;
    closed = packer_close(walk.packer, status == SCENT_OK ? err : NULL);
    buf_release(&walk.url);
    buf_release(&walk.path);
    buf_release(&walk.file);
    return status != SCENT_OK ? status : closed;
}
