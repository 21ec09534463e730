/* Which kind a file is, one page a file, many pages a record each, and the page of one URL in an archive. */
#include "warc/pagefile.h"

#include "base/file.h"
#include "http/http.h"
#include "warc/warc.h"
#include "url/url.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PEEK = 4096, REDIRECTS_MAX = 10 };

/* ---- kinds ---- */

bool pagefile_next_url(struct str *rest, struct str *url)
{
    struct str line;

    while (str_split(rest, '\n', &line)) {
        size_t end = 0;

        if (str_starts(line, STR("\xEF\xBB\xBF")))
            line = str_sub(line, 3, line.len);
        line = str_trim(line);
        while (end < line.len && !ascii_is_space(line.p[end]))
            end++;
        *url = str_sub(line, 0, end);
        if (url->len && url->p[0] != '#')
            return true;
    }
    return false;
}

static const struct {
    const char *ending;
    enum pagefile_kind kind;
} endings[] = {
    {".html", PAGEFILE_HTML}, {".htm", PAGEFILE_HTML},  {".xhtml", PAGEFILE_HTML}, {".shtml", PAGEFILE_HTML},
    {".php", PAGEFILE_HTML},  {".asp", PAGEFILE_HTML},  {".aspx", PAGEFILE_HTML},  {".jsp", PAGEFILE_HTML},
    {".txt", PAGEFILE_TEXT},  {".text", PAGEFILE_TEXT}, {".md", PAGEFILE_TEXT},    {".urls", PAGEFILE_TEXT},
    {".lst", PAGEFILE_TEXT},  {".list", PAGEFILE_TEXT}, {".warc", PAGEFILE_WARC},  {".arc", PAGEFILE_WARC},
    {".open", PAGEFILE_WARC}, /* a crawl's, while it is written: x.warc.gz.open */
    /* What a browser saves with a page, and tables and programs: text that is not a page. */
    {".png", PAGEFILE_OTHER}, {".jpg", PAGEFILE_OTHER}, {".jpeg", PAGEFILE_OTHER}, {".gif", PAGEFILE_OTHER},
    {".css", PAGEFILE_OTHER}, {".js", PAGEFILE_OTHER},  {".mjs", PAGEFILE_OTHER},  {".map", PAGEFILE_OTHER},
    {".json", PAGEFILE_OTHER}, {".svg", PAGEFILE_OTHER}, {".csv", PAGEFILE_OTHER}, {".tsv", PAGEFILE_OTHER},
    {".yaml", PAGEFILE_OTHER}, {".log", PAGEFILE_OTHER}, {".cdxj", PAGEFILE_OTHER}, {".census", PAGEFILE_OTHER},
};

static bool ends_nocase(struct str s, struct str end)
{
    return s.len > end.len && str_eq_nocase(str_sub(s, s.len - end.len, s.len), end);
}

/* False: it does not tell. */
static bool kind_by_name(struct str name, enum pagefile_kind *out)
{
    if (ends_nocase(name, STR(".gz")))
        name.len -= 3;
    else if (ends_nocase(name, STR(".warc.zst"))) /* no other file is read that is packed with zstd */
        name.len -= 4;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_nocase(name, str_of(endings[i].ending))) {
            *out = endings[i].kind;
            return true;
        }
    return false;
}

/* UTF-16 and UTF-32 have zeros, and a mark. */
static bool has_mark(struct str body)
{
    return str_starts(body, STR("\xFF\xFE")) || str_starts(body, STR("\xFE\xFF")) ||
           str_starts(body, STR("\0\0\xFE\xFF"));
}

static bool is_control(char c)
{
    unsigned char byte = (unsigned char)c;

    return byte < 0x20 && !strchr("\t\n\f\r\x1B", c ? c : 1);
}

/* A picture or a program with the name of a page would teach noise. A tenth of the bytes of a packed file are control
 * characters; a text has a few of them by accident. */
static bool is_binary(struct str body)
{
    size_t start = body.len < PEEK ? body.len : PEEK, controls = 0;

    if (has_mark(body))
        return false;
    for (size_t i = 0; i < start; i++)
        controls += is_control(body.p[i]);
    return str_starts(body, STR("%PDF-")) || controls * 20 > start;
}

/* Are the first lines URLs, all of them? The last line may be cut. */
static bool is_url_list(struct str text)
{
    struct str url;
    size_t count = 0;

    while (pagefile_next_url(&text, &url) && (count == 0 || text.len)) {
        if (!url_is_absolute(url))
            return false;
        count++;
    }
    return count > 0;
}

/* Of a file whose name does not tell. Packed ones are unpacked when they are read, and looked at then. */
static enum pagefile_kind kind_by_bytes(struct str start)
{
    if (str_starts(start, STR("WARC/")))
        return PAGEFILE_WARC;
    if (str_starts(start, STR("\x1F\x8B")))
        return PAGEFILE_HTML;
    return start.len && is_binary(start) ? PAGEFILE_OTHER : PAGEFILE_HTML; /* page_analyse() tells HTML from text */
}

enum pagefile_kind pagefile_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    enum pagefile_kind kind;
    bool named = kind_by_name(str_of(slash ? slash + 1 : path), &kind);
    char bytes[PEEK];
    ssize_t got = 0;
    int fd;

    if (named && kind != PAGEFILE_TEXT)
        return kind;
    if (file_open(path, FILE_REGULAR, &fd, NULL) == SCENT_OK) {
        got = read(fd, bytes, sizeof bytes);
        close(fd);
    }
    if (got > 0 && is_url_list((struct str){bytes, (size_t)got}))
        return PAGEFILE_URLS;
    return named ? kind : kind_by_bytes((struct str){bytes, got > 0 ? (size_t)got : 0});
}

/* ---- one page a file ---- */

/* At most PAGEFILE_MAX_BYTES of the file: the rest of a longer one would not be read of a web page either. */
static scent_status read_start(const char *path, struct buf *out, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    size_t got = 1;
    int fd;

    SCENT_TRY(file_open(path, FILE_STREAM, &fd, err));
    while (status == SCENT_OK && got > 0 && out->len < PAGEFILE_MAX_BYTES && buf_reserve(out, 64 << 10)) {
        size_t room = PAGEFILE_MAX_BYTES - out->len;

        status = file_take(fd, path, out->p + out->len, room < 64 << 10 ? room : 64 << 10, &got, err);
        out->len += got;
    }
    close(fd);
    return status;
}

static void add_file_url(struct buf *url, struct str path)
{
    buf_addz(url, "http://file.invalid");
    if (!path.len || path.p[0] != '/')
        buf_addc(url, '/');
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.p[i];

        if (ascii_is_alpha((char)c) || ascii_is_digit((char)c) || (c < 0x80 && c && strchr("-._~/", c)))
            buf_addc(url, (char)c);
        else
            buf_printf(url, "%%%02X", c);
    }
}

/* The few control characters of a text would make it look like a binary to those who read it. */
static scent_status blank_controls(struct str *body, struct buf *room)
{
    size_t first = 0;

    while (first < body->len && !is_control(body->p[first]))
        first++;
    if (first == body->len || has_mark(*body))
        return SCENT_OK;
    if (body->p != room->p)
        buf_add(room, *body);
    if (room->failed)
        return SCENT_E_NOMEM;
    for (size_t i = first; i < room->len; i++)
        if (is_control(room->p[i]))
            room->p[i] = ' ';
    *body = buf_str(room);
    return SCENT_OK;
}

scent_status pagefile_read_bytes(struct str bytes, const char *name, bool plain_text, pagefile_fn *fn, void *ctx,
                                 struct errmsg *err)
{
    struct pagefile_page page = {.name = str_of(name), .body = bytes};
    struct buf url, unpacked;
    scent_status status;

    buf_init(&url, 0);
    buf_init(&unpacked, PAGEFILE_MAX_BYTES);
    if (str_starts(bytes, STR("\x1F\x8B"))) {
        enum http_end end;

        status = http_decode(STR("gzip"), bytes, &unpacked, &end);
        page.body = buf_str(&unpacked);
        if (status != SCENT_OK || (end != HTTP_WHOLE && !unpacked.len)) {
            status = errmsg_fail(err, SCENT_E_FORMAT, "%s is damaged: it cannot be unpacked", name);
            goto done;
        }
    }
    if (is_binary(page.body)) {
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s is neither HTML nor text", name);
        goto done;
    }
    status = blank_controls(&page.body, &unpacked);
    if (status != SCENT_OK) {
        errmsg_fail(err, status, "%s: out of memory", name);
        goto done;
    }
    if (plain_text)
        page.headers = STR("Content-Type: text/plain\r\n");
    add_file_url(&url, page.name);
    page.url = buf_str(&url);
    status = fn(ctx, &page, err);
done:
    buf_release(&url);
    buf_release(&unpacked);
    return status;
}

static scent_status read_page(const char *path, bool plain_text, pagefile_fn *fn, void *ctx, struct errmsg *err)
{
    struct buf bytes;
    scent_status status;

    buf_init(&bytes, 0);
    status = read_start(path, &bytes, err);
    if (status == SCENT_OK)
        status = pagefile_read_bytes(buf_str(&bytes), path, plain_text, fn, ctx, err);
    buf_release(&bytes);
    return status;
}

/* ---- archives ---- */

static bool is_readable_type(struct str mime)
{
    return mime.len == 0 || str_eq_nocase(mime, STR("text/html")) || str_eq_nocase(mime, STR("text/plain")) ||
           str_eq_nocase(mime, STR("application/xhtml+xml"));
}

static bool is_page(const struct warc_record *record)
{
    if (record->type == WARC_RESPONSE)
        return record->http_status / 100 == 2 && is_readable_type(http_head_mime(record->http_head));
    return record->type == WARC_RESOURCE && is_readable_type(http_head_mime(record->headers)) && record->payload.len;
}

static scent_status read_archive(const char *path, pagefile_fn *fn, void *ctx, struct pagefile_counts *counts,
                                 struct errmsg *err)
{
    struct warc_reader *reader;
    struct warc_record record;
    scent_status status = SCENT_OK;

    SCENT_TRY(warc_reader_open(path, &reader, err));
    while (status == SCENT_OK && (status = warc_reader_next(reader, &record, err)) == SCENT_OK) {
        counts->damaged += record.damaged;
        if (!is_page(&record))
            continue;
        counts->pages++;
        status = fn(ctx,
                    &(struct pagefile_page){
                        .name = record.url,
                        .url = record.url,
                        .headers = record.type == WARC_RESPONSE ? record.http_head : record.headers,
                        .body = record.payload,
                    },
                    err);
    }
    warc_reader_close(reader);
    return status == SCENT_E_END ? SCENT_OK : status;
}

scent_status pagefile_read(const char *path, enum pagefile_kind kind, pagefile_fn *fn, void *ctx,
                           struct pagefile_counts *counts, struct errmsg *err)
{
    if (kind == PAGEFILE_WARC)
        return read_archive(path, fn, ctx, counts, err);
    counts->pages++;
    return read_page(path, kind == PAGEFILE_TEXT, fn, ctx, err);
}

/* ---- one URL ---- */

/* The last response behind `href`; *url is where it was found. */
static scent_status follow(const struct archive *archive, struct str href, struct arena *arena, struct buf *room,
                           struct url *url, struct archive_response *out, struct errmsg *err)
{
    scent_status status = SCENT_E_NOTFOUND;

    if (url_parse(arena, href, NULL, url) != SCENT_OK || url_normalise(arena, url, 0, url) != SCENT_OK)
        return errmsg_fail(err, status, "it is not a URL");
    status = archive_get(archive, url->href, room, out, err);
    for (int hops = 0; status == SCENT_OK && out->status / 100 == 3; hops++) {
        struct str location = http_header(out->head, STR("location"));

        if (hops == REDIRECTS_MAX || !location.len || url_parse(arena, location, url, url) != SCENT_OK ||
            url_normalise(arena, url, 0, url) != SCENT_OK)
            return errmsg_fail(err, SCENT_E_NOTFOUND, "its redirects lead nowhere");
        status = archive_get(archive, url->href, room, out, err);
    }
    if (status == SCENT_OK && out->status / 100 != 2)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "http %d", out->status);
    return status;
}

scent_status pagefile_find(const struct archive *archive, struct str href, struct buf *room, pagefile_fn *fn, void *ctx,
                           struct errmsg *err)
{
    struct archive_response response;
    struct arena arena;
    struct url url;
    scent_status status;

    arena_init(&arena, 1 << 20);
    status = follow(archive, href, &arena, room, &url, &response, err);
    if (status == SCENT_OK)
        status = fn(ctx, &(struct pagefile_page){href, url.href, response.head, response.body}, err);
    arena_release(&arena);
    return status;
}
