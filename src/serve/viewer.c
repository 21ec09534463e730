/* Requests, policies, and archived documents on their way to a frame. */
#include "serve/viewer.h"

#include "http/http.h"
#include "page/charset.h"
#include "page/media.h"
#include "page/rewrite.h"
#include "serve/address.h"
#include "serve/viewer_parts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    VIEWS = 256,                /* frames that are remembered */
    TEXT_MAX = 16 << 20,        /* of a document or stylesheet, decoded; the rest is not shown */
    REWRITTEN_MAX = 64 << 20,   /* and rewritten */
    FILE_MAX = 128 << 20,       /* of anything else, decoded */
    RECORD_MAX = 128 << 20,
    ANSWER_MAX = 256 << 20,
    URL_ARENA = 256 * 1024
};

struct view {
    uint32_t number;
    char *url; /* of the document that the frame shows; NULL: none yet */
};

struct viewer {
    struct viewer_source source;
    struct catalogue *catalogue; /* NULL: there is no list */
    struct address_token token;
    pthread_mutex_t lock; /* of the views */
    struct view views[VIEWS];
    uint32_t last_view;
};

static struct viewer *new_viewer(void)
{
    struct viewer *viewer = calloc(1, sizeof *viewer);

    SCENT_BUG_IF(!viewer || pthread_mutex_init(&viewer->lock, NULL) != 0);
    viewer->token = address_new_token();
    return viewer;
}

static scent_status get_from_web(void *ctx, struct str url, struct buf *buf, struct web_response *out,
                                 struct errmsg *err)
{
    return web_get(ctx, url, buf, out, err);
}

struct viewer *viewer_new(const struct web *web, const char *path, const struct log *log)
{
    struct viewer *viewer = new_viewer();

    viewer->source = (struct viewer_source){get_from_web, (void *)(uintptr_t)web};
    viewer->catalogue = catalogue_start(web_archive(web), path, log);
    return viewer;
}

struct viewer *viewer_new_of(const struct viewer_source *source)
{
    struct viewer *viewer = new_viewer();

    viewer->source = *source;
    return viewer;
}

void viewer_free(struct viewer *viewer)
{
    if (!viewer)
        return;
    catalogue_stop(viewer->catalogue);
    for (size_t i = 0; i < VIEWS; i++)
        free(viewer->views[i].url);
    pthread_mutex_destroy(&viewer->lock);
    free(viewer);
}

/* ---- which document a frame shows ---- */

static uint32_t new_view(struct viewer *viewer)
{
    struct view *view;
    uint32_t number;

    pthread_mutex_lock(&viewer->lock);
    number = ++viewer->last_view;
    view = &viewer->views[number % VIEWS];
    free(view->url);
    *view = (struct view){.number = number};
    pthread_mutex_unlock(&viewer->lock);
    return number;
}

static void set_view(struct viewer *viewer, uint32_t number, struct str url)
{
    struct view *view = &viewer->views[number % VIEWS];

    pthread_mutex_lock(&viewer->lock);
    if (view->number == number) {
        free(view->url);
        view->url = str_dup(url);
    }
    pthread_mutex_unlock(&viewer->lock);
}

static bool get_view(struct viewer *viewer, uint32_t number, struct buf *url)
{
    struct view *view = &viewer->views[number % VIEWS];
    bool found;

    pthread_mutex_lock(&viewer->lock);
    found = view->number == number && view->url && buf_addz(url, view->url);
    pthread_mutex_unlock(&viewer->lock);
    return found;
}

/* ---- answers ---- */

/* One request on its way. The body is written to `body`, the head behind it once its length is known. */
struct answer {
    struct viewer *viewer;
    const struct viewer_request *request;
    struct buf *body;
    struct buf head;
    int status;
    struct errmsg *err;
};

static void add_header(struct answer *answer, const char *name, const char *value)
{
    buf_printf(&answer->head, "%s: %s\r\n", name, value);
}

/* A page of ours: nothing is loaded but our own style and script, and the frame where there is one. */
static void begin_own(struct answer *answer, int status, uint32_t view)
{
    const struct viewer_request *request = answer->request;

    answer->status = status;
    add_header(answer, "Content-Type", "text/html; charset=utf-8");
    buf_printf(&answer->head,
               "Content-Security-Policy: default-src 'none'; style-src http://%.*s/-/style.css; "
               "img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", STR_ARG(request->host));
    if (view)
        buf_printf(&answer->head,
                   "; script-src http://%.*s/-/view.js; connect-src http://%.*s/bar/; frame-src "
                   "http://%.*s/replay/%s.%u/", STR_ARG(request->host), STR_ARG(request->host), STR_ARG(request->host),
                   answer->viewer->token.text, view);
    buf_addz(&answer->head, "\r\n");
    add_header(answer, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(answer, "Cross-Origin-Opener-Policy", "same-origin");
    add_header(answer, "Cache-Control", "no-store");
}

/* Something archived: it loads from the archive alone, and runs nothing. That it has an origin of its own is why fonts
 * are asked for across origins; whoever asks knows the token. Objects are images here, or documents as in a frame: a
 * sandbox has no plugins. */
static void begin_archived(struct answer *answer, int status, const char *type, bool may_cache)
{
    static const char *const kinds[] = {"img-src", "style-src", "font-src", "media-src", "frame-src", "object-src"};

    answer->status = status;
    add_header(answer, "Content-Type", type);
    buf_addz(&answer->head, "Content-Security-Policy: sandbox; default-src 'none'; script-src 'none'; base-uri 'none'; "
                            "form-action 'none'");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        buf_printf(&answer->head, "; %s http://%.*s/replay/%s/%s", kinds[i], STR_ARG(answer->request->host),
                   answer->viewer->token.text, i == 1 ? " 'unsafe-inline'" : i < 4 ? " data:" : "");
    buf_addz(&answer->head, "\r\n");
    add_header(answer, "Access-Control-Allow-Origin", "*");
    add_header(answer, "Cache-Control", may_cache ? "private, max-age=3600" : "no-store");
}

static void answer_own_text(struct answer *answer, const char *type, const char *text)
{
    answer->status = 200;
    add_header(answer, "Content-Type", type);
    add_header(answer, "Cross-Origin-Resource-Policy", "same-origin");
    add_header(answer, "Cache-Control", "no-cache");
    buf_addz(answer->body, text);
}

static void redirect(struct answer *answer, struct str to)
{
    answer->status = 302;
    buf_printf(&answer->head, "Location: %.*s\r\nCache-Control: no-store\r\n", STR_ARG(to));
}

static void refuse(struct answer *answer, int status, const char *text)
{
    answer->status = status;
    add_header(answer, "Content-Type", "text/plain; charset=utf-8");
    add_header(answer, "Cache-Control", "no-store");
    buf_addz(answer->body, text);
}

/* ---- archived responses ---- */

/* A response as it was archived, with its content encoding undone. */
struct loaded {
    struct web_response response;
    struct str mime, body;
    enum content content;
    struct buf record, decoded;
    char mime_lower[128];
};

static void release_loaded(struct loaded *loaded)
{
    buf_release(&loaded->record);
    buf_release(&loaded->decoded);
}

/* `dest` is what the browser will do with it: a stylesheet is one, whatever a server called it. */
static enum content find_content(struct str mime, struct str dest, struct str body)
{
    static const char *const media[] = {"image/", "audio/", "video/", "font/", "application/font", "application/x-font",
                                        "application/vnd.ms-fontobject", "application/ogg"};
    static const char *const texts[] = {"text/", "application/json", "application/xml", "application/javascript",
                                        "application/x-javascript", "application/rss", "application/atom",
                                        "application/ld+json"};

    if (str_eq(dest, STR("style")) || str_eq(mime, STR("text/css")))
        return CONTENT_CSS;
    if (str_eq(mime, STR("application/xhtml+xml")))
        return CONTENT_XHTML;
    if (str_eq(mime, STR("text/html")))
        return CONTENT_HTML;
    for (size_t i = 0; i < sizeof media / sizeof *media; i++)
        if (str_starts(mime, str_of(media[i])))
            return CONTENT_MEDIA;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (str_starts(mime, str_of(texts[i])))
            return CONTENT_TEXT;
    if (!mime.len && media_of(mime, body, STR("")) == MEDIA_TEXT)
        return str_starts(str_trim(body), STR("<")) ? CONTENT_HTML : CONTENT_TEXT;
    return CONTENT_FILE;
}

/* In lower case, and nothing but what a type can hold: it goes into a header. */
static struct str clean_mime(struct str mime, char *out, size_t room)
{
    size_t len = 0;

    for (; len < mime.len && len < room - 1; len++) {
        char c = ascii_lower(mime.p[len]);

        if (!ascii_is_alpha(c) && !ascii_is_digit(c) && !memchr("/+-._", c, 5))
            return STR("");
        out[len] = c;
    }
    out[len] = 0;
    return (struct str){out, len};
}

/* The caller releases it in any case. */
static scent_status load(struct answer *answer, struct str url, struct loaded *out)
{
    enum http_end end;

    *out = (struct loaded){0};
    buf_init(&out->record, RECORD_MAX);
    buf_init(&out->decoded, FILE_MAX);
    SCENT_TRY(answer->viewer->source.get(answer->viewer->source.ctx, url, &out->record, &out->response, answer->err));
    if (http_decode_body(out->response.head, out->response.body, &out->decoded, &out->body, &end) != SCENT_OK)
        out->body = out->response.body;
    out->mime = clean_mime(http_head_mime(out->response.head), out->mime_lower, sizeof out->mime_lower);
    out->content = find_content(out->mime, answer->request->dest, out->body);
    return SCENT_OK;
}

static bool is_redirect(const struct loaded *loaded)
{
    int status = loaded->response.status;

    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Where a redirect leads, as a URL of the archive; false: nowhere that we know. */
static bool find_location(const struct loaded *loaded, const struct url *base, struct arena *arena, struct url *out)
{
    struct str location = http_header(loaded->response.head, STR("Location"));

    return is_redirect(loaded) && location.len && url_parse(arena, location, base, out) == SCENT_OK;
}

/* ---- documents for a frame ---- */

/* What was asked for: /replay/TOKEN[.VIEW]/TIME/URL, or with another word before. */
struct place {
    uint32_t view; /* 0: none */
    uint64_t date;
    struct str time;
    struct url url; /* normalised, but for its fragment */
};

static void add_prefix(struct buf *out, const struct answer *answer, const struct place *place, bool with_view)
{
    buf_printf(out, "/replay/%s", answer->viewer->token.text);
    if (with_view && place->view)
        buf_printf(out, ".%u", place->view);
    buf_printf(out, "/%.*s/", STR_ARG(place->time));
}

/* Text as UTF-8 into the body: rewritten, or as it is. */
static scent_status add_text(struct answer *answer, const struct place *place, const struct loaded *loaded,
                             struct str mime_field)
{
    struct charset *charset = charset_new();
    struct str body = loaded->body, text;
    struct charset_choice choice;
    struct buf utf8, resources, links;
    struct rewrite_options options = {.url = &place->url, .keep_targets = !place->view,
                                      .xml = loaded->content == CONTENT_XHTML};
    scent_status status;

    body.len = body.len < TEXT_MAX ? body.len : TEXT_MAX;
    buf_init(&utf8, 0);
    buf_init(&resources, 256);
    buf_init(&links, 256);
    choice = charset_choose(charset, mime_field, body);
    status = charset_decode(charset, choice.name, str_sub(body, choice.bom, body.len), &utf8, &text);
    add_prefix(&resources, answer, place, false);
    add_prefix(&links, answer, place, true);
    options.resources = buf_str(&resources);
    options.links = buf_str(&links);
    if (status == SCENT_OK) {
        answer->body->cap = REWRITTEN_MAX;
        if (loaded->content == CONTENT_CSS)
            status = rewrite_css(&options, text, answer->body);
        else if (loaded->content == CONTENT_TEXT)
            status = buf_add(answer->body, text) ? SCENT_OK : SCENT_E_LIMIT;
        else
            status = rewrite_html(&options, text, answer->body);
        answer->body->cap = ANSWER_MAX;
        answer->body->failed = false;
    }
    buf_release(&utf8);
    buf_release(&resources);
    buf_release(&links);
    charset_free(charset);
    return status == SCENT_E_LIMIT ? SCENT_OK : status; /* what fits is shown */
}

static bool is_document(const struct viewer_request *request)
{
    return !request->dest.len || str_eq(request->dest, STR("iframe")) || str_eq(request->dest, STR("frame")) ||
           str_eq(request->dest, STR("document"));
}

static void answer_absent(struct answer *answer, const struct place *place)
{
    begin_archived(answer, 404, "text/html; charset=utf-8", false);
    if (is_document(answer->request))
        viewer_add_notice(answer->body, "Not in this collection", "The collection has no page under this address:",
                          place->url.href);
}

static scent_status answer_replay(struct answer *answer, const struct place *place, struct loaded *loaded)
{
    struct str field = http_header(loaded->response.head, STR("Content-Type"));
    int status = loaded->response.status;
    bool document = is_document(answer->request);
    struct arena arena;
    struct url target;
    struct buf to;

    if (place->view && document)
        set_view(answer->viewer, place->view, place->url.href);
    if (loaded->response.fault != WEB_FINE || loaded->response.absent) {
        answer_absent(answer, place);
        return SCENT_OK;
    }
    arena_init(&arena, URL_ARENA);
    if (find_location(loaded, &place->url, &arena, &target)) {
        buf_init(&to, 2 * SCENT_URL_MAX);
        add_prefix(&to, answer, place, true);
        buf_add(&to, target.href);
        redirect(answer, buf_str(&to));
        add_header(answer, "Access-Control-Allow-Origin", "*");
        buf_release(&to);
        arena_release(&arena);
        return SCENT_OK;
    }
    arena_release(&arena);
    status = status >= 200 && status < 600 && status != 204 && status != 304 ? status : 200;
    switch (loaded->content) {
    case CONTENT_HTML:
    case CONTENT_XHTML:
        begin_archived(answer, status, "text/html; charset=utf-8", false);
        return add_text(answer, place, loaded, field);
    case CONTENT_CSS:
        begin_archived(answer, status, "text/css; charset=utf-8", true);
        return add_text(answer, place, loaded, field);
    case CONTENT_TEXT:
        begin_archived(answer, status, "text/plain; charset=utf-8", !document);
        return add_text(answer, place, loaded, field);
    case CONTENT_MEDIA:
        begin_archived(answer, status, loaded->mime_lower, !document);
        return buf_add(answer->body, loaded->body) ? SCENT_OK : SCENT_E_NOMEM;
    default:
        if (document) {
            begin_archived(answer, 200, "text/html; charset=utf-8", false);
            viewer_add_notice(answer->body, "This file cannot be shown here",
                              "The bar above has a link to download it.", place->url.href);
            return SCENT_OK;
        }
        begin_archived(answer, status, "application/octet-stream", true);
        return buf_add(answer->body, loaded->body) ? SCENT_OK : SCENT_E_NOMEM;
    }
}

/* ---- pages of ours about a document ---- */

static struct viewer_document describe(const struct answer *answer, const struct loaded *loaded, struct str url,
                                       uint32_t view)
{
    return (struct viewer_document){
        .url = url,
        .found = loaded->response.fault == WEB_FINE && !loaded->response.absent,
        .status = loaded->response.status,
        .content = loaded->content,
        .mime = loaded->mime,
        .bytes = loaded->body.len,
        .token = answer->viewer->token.text,
        .view = view,
    };
}

/* Until the catalogue is there, pages are shown without what it knows. */
static const struct catalogue *ready_catalogue(const struct answer *answer)
{
    size_t done, total;

    return answer->viewer->catalogue && catalogue_is_ready(answer->viewer->catalogue, &done, &total)
               ? answer->viewer->catalogue : NULL;
}

static scent_status answer_page(struct answer *answer, const struct place *place, struct loaded *loaded)
{
    struct viewer_document document;
    struct arena arena;
    struct url target;
    struct buf to;

    arena_init(&arena, URL_ARENA);
    if (find_location(loaded, &place->url, &arena, &target)) {
        buf_init(&to, 2 * SCENT_URL_MAX);
        viewer_add_address(&to, place->date, target.href);
        redirect(answer, buf_str(&to));
        buf_release(&to);
    } else {
        uint32_t view = new_view(answer->viewer);

        document = describe(answer, loaded, place->url.href, view);
        begin_own(answer, document.found ? 200 : 404, view);
        viewer_add_frame(answer->body, ready_catalogue(answer), &document);
    }
    arena_release(&arena);
    return SCENT_OK;
}

static scent_status answer_file(struct answer *answer, const struct place *place, struct loaded *loaded)
{
    struct str path = url_path(&place->url), name = path;
    size_t start = name.len;

    if (loaded->response.fault != WEB_FINE || loaded->response.absent) {
        answer_absent(answer, place);
        return SCENT_OK;
    }
    while (start && name.p[start - 1] != '/')
        start--;
    name = str_sub(path, start, path.len);
    begin_archived(answer, 200, "application/octet-stream", false);
    buf_addz(&answer->head, "Content-Disposition: attachment; filename=\"");
    for (size_t i = 0; i < name.len && i < 128; i++) /* no quote, no backslash, no "%": nothing to misread */
        buf_addc(&answer->head, ascii_is_alpha(name.p[i]) || ascii_is_digit(name.p[i]) ||
                                memchr("-._", name.p[i], 3) ? name.p[i] : '_');
    buf_addz(&answer->head, name.len ? "\"\r\n" : "file\"\r\n");
    return buf_add(answer->body, loaded->body) ? SCENT_OK : SCENT_E_NOMEM;
}

/* ---- routes ---- */

static bool take_segment(struct str *rest, struct str *segment)
{
    size_t slash = str_find(*rest, '/');

    if (slash == rest->len)
        return false;
    *segment = str_sub(*rest, 0, slash);
    *rest = str_sub(*rest, slash + 1, rest->len);
    return true;
}

/* "TOKEN" or "TOKEN.VIEW". */
static bool is_token(const struct viewer *viewer, struct str segment, uint32_t *view)
{
    uint64_t number = 0;

    if (!str_starts(segment, str_of(viewer->token.text)))
        return false;
    segment = str_sub(segment, ADDRESS_TOKEN, segment.len);
    if (segment.len && (segment.p[0] != '.' || !str_parse_u64(str_sub(segment, 1, segment.len), &number) ||
                        number > UINT32_MAX))
        return false;
    *view = (uint32_t)number;
    return true;
}

/* TIME/URL */
static bool read_place(struct arena *arena, struct str rest, struct place *out)
{
    struct url url;

    if (!take_segment(&rest, &out->time) || out->time.len > 17 || !str_parse_u64(out->time, &out->date))
        return false;
    return url_parse(arena, rest, NULL, &url) == SCENT_OK && url_normalise(arena, &url, 0, &out->url) == SCENT_OK;
}

typedef scent_status answer_fn(struct answer *answer, const struct place *place, struct loaded *loaded);

static scent_status answer_about(struct answer *answer, struct str rest, uint32_t view, answer_fn *fn)
{
    struct place place = {.view = view};
    struct loaded loaded;
    struct arena arena;
    scent_status status;

    arena_init(&arena, URL_ARENA);
    if (read_place(&arena, rest, &place)) {
        status = load(answer, place.url.href, &loaded);
        if (status == SCENT_OK)
            status = fn(answer, &place, &loaded);
        release_loaded(&loaded);
    } else {
        refuse(answer, 404, "not an address of an archived page\n");
        status = SCENT_OK;
    }
    arena_release(&arena);
    return status;
}

/* Behind /replay/ or /file/. What a person opens by itself gets its bar. */
static scent_status answer_with_token(struct answer *answer, struct str rest, answer_fn *fn)
{
    struct buf to;
    struct str token;
    uint32_t view;

    if (!take_segment(&rest, &token) || !is_token(answer->viewer, token, &view)) {
        refuse(answer, 403, "this address was of another run of the server; start from its first page\n");
        return SCENT_OK;
    }
    if (fn == answer_replay && str_eq(answer->request->dest, STR("document"))) {
        buf_init(&to, 2 * SCENT_URL_MAX);
        buf_addz(&to, "/page/");
        buf_add(&to, rest);
        redirect(answer, buf_str(&to));
        buf_release(&to);
        return SCENT_OK;
    }
    return answer_about(answer, rest, view, fn);
}

static scent_status answer_bar(struct answer *answer, struct str segment)
{
    struct viewer_document document;
    struct loaded loaded;
    struct buf url;
    scent_status status = SCENT_OK;
    uint32_t view;

    buf_init(&url, SCENT_URL_MAX);
    if (is_token(answer->viewer, segment, &view) && get_view(answer->viewer, view, &url)) {
        status = load(answer, buf_str(&url), &loaded);
        if (status == SCENT_OK) {
            document = describe(answer, &loaded, buf_str(&url), view);
            begin_own(answer, 200, 0);
            viewer_add_bar(answer->body, ready_catalogue(answer), &document);
        }
        release_loaded(&loaded);
    } else {
        refuse(answer, 404, "no such frame\n");
    }
    buf_release(&url);
    return status;
}

/* A list needs the catalogue. */
static void answer_list(struct answer *answer, struct str query,
                        void (*add)(struct buf *out, const struct catalogue *catalogue, struct str query))
{
    size_t done, total;

    if (!answer->viewer->catalogue) {
        refuse(answer, 404, "the list of pages is at the address that scent serve printed\n");
        return;
    }
    begin_own(answer, 200, 0);
    if (catalogue_is_ready(answer->viewer->catalogue, &done, &total))
        add(answer->body, answer->viewer->catalogue, query);
    else
        viewer_add_wait(answer->body, done, total);
}

static scent_status route(struct answer *answer)
{
    struct str target = answer->request->target, path, query = {"", 0};
    size_t mark = str_find(target, '?');

    path = str_sub(target, 0, mark);
    if (mark < target.len)
        query = str_sub(target, mark + 1, target.len);
    if (str_starts(target, STR("/replay/")))
        return answer_with_token(answer, str_sub(target, 8, target.len), answer_replay);
    if (str_starts(target, STR("/file/")))
        return answer_with_token(answer, str_sub(target, 6, target.len), answer_file);
    /* Other sites may lead here, but may not look. */
    if (str_eq(answer->request->site, STR("cross-site")) && !str_eq(answer->request->mode, STR("navigate")))
        refuse(answer, 403, "not for other sites\n");
    else if (str_starts(target, STR("/page/")))
        return answer_about(answer, str_sub(target, 6, target.len), 0, answer_page);
    else if (str_starts(target, STR("/bar/")))
        return answer_bar(answer, str_sub(target, 5, target.len));
    else if (str_eq(path, STR("/")))
        answer_list(answer, query, viewer_add_list);
    else if (str_eq(path, STR("/hosts")))
        answer_list(answer, query, viewer_add_hosts);
    else if (str_eq(path, STR("/-/style.css")))
        answer_own_text(answer, "text/css; charset=utf-8", viewer_style);
    else if (str_eq(path, STR("/-/view.js")))
        answer_own_text(answer, "text/javascript; charset=utf-8", viewer_script);
    else
        refuse(answer, 404, "no such page\n");
    return SCENT_OK;
}

scent_status viewer_get(struct viewer *viewer, const struct viewer_request *request, struct buf *buf,
                        struct web_response *out, struct errmsg *err)
{
    struct answer answer = {.viewer = viewer, .request = request, .body = buf, .err = err};
    scent_status status;
    size_t body;

    buf_clear(buf);
    buf->cap = ANSWER_MAX;
    buf_init(&answer.head, 64 * 1024);
    status = route(&answer);
    add_header(&answer, "X-Content-Type-Options", "nosniff");
    add_header(&answer, "Referrer-Policy", "no-referrer");
    add_header(&answer, "X-DNS-Prefetch-Control", "off");
    body = buf->len;
    if (status == SCENT_OK && (!buf_printf(buf, "HTTP/1.1 %d -\r\n", answer.status) ||
                               !buf_add(buf, buf_str(&answer.head)) || !buf_addz(buf, "\r\n")))
        status = SCENT_E_NOMEM;
    buf_release(&answer.head);
    if (status != SCENT_OK)
        return status;
    *out = (struct web_response){.status = answer.status, .head = str_sub(buf_str(buf), body, buf->len),
                                 .body = {buf->p, body}};
    return SCENT_OK;
}
