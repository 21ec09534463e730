/* Logs become a trace: every line is an access of a person, or is left out for one reason and counted. */
#include "http/http.h"
#include "trace/logline.h"
#include "trace/trace_parts.h"
#include "url/url.h"

/* ---- is a line the look of a person at a page? ---- */

/* What programs call themselves: parts of words, in lower case. */
static const char *const bots[] = {
    "bot", "crawl", "spider", "slurp", "archiver", "scrap", "curl", "wget", "libwww", "python", "java/", "go-http",
    "okhttp", "httpclient", "headless", "monitor", "pingdom", "feedfetcher", "feedburner", "facebookexternalhit",
    "mediapartners", "lighthouse", "validator", "check_http", "perl", "ruby", "scent/",
};
static const char *const suffixes[] = {
    "png", "jpg", "jpeg", "gif", "ico", "svg", "webp", "bmp", "tif", "tiff", "avif", "css", "js", "mjs", "map", "json",
    "xml", "rss", "atom", "txt", "woff", "woff2", "ttf", "otf", "eot", "mp3", "mp4", "m4a", "m4v", "ogg", "ogv", "oga",
    "wav", "flac", "webm", "avi", "mov", "mpg", "mpeg", "wmv", "flv", "swf", "zip", "gz", "bz2", "xz", "zst", "7z",
    "rar", "tar", "tgz", "deb", "rpm", "exe", "msi", "dmg", "iso", "apk", "jar", "bin", "pdf", "ps", "doc", "docx",
    "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "csv", "tsv", "wasm", "torrent",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool has_nocase(struct str s, struct str part)
{
    for (size_t i = 0; i + part.len <= s.len; i++)
        if (str_starts_nocase(str_sub(s, i, s.len), part))
            return true;
    return false;
}

static bool is_bot(struct str agent)
{
    for (size_t i = 0; i < COUNT(bots); i++)
        if (has_nocase(agent, str_of(bots[i])))
            return true;
    return false;
}

static bool is_page_type(struct str type)
{
    type = http_mime(type);
    return str_eq_nocase(type, STR("text/html")) || str_eq_nocase(type, STR("application/xhtml+xml"));
}

/* Not by its suffix an image, a style, a script, an archive, … */
static bool is_page_path(struct str path)
{
    size_t dot = path.len;

    while (dot > 0 && path.p[dot - 1] != '.' && path.p[dot - 1] != '/')
        dot--;
    if (dot == 0 || path.p[dot - 1] != '.')
        return true;
    for (size_t i = 0; i < COUNT(suffixes); i++)
        if (str_eq_nocase(str_sub(path, dot, path.len), str_of(suffixes[i])))
            return false;
    return true;
}

/* Or not told. */
static bool is_get(struct str method)
{
    return !method.len || str_eq(method, STR("GET"));
}

/* By user agent, status and content type, or suffix where that is not told; false: *why it is not. */
static bool is_page_access(const struct logline *line, const struct url *url, enum trace_left *why)
{
    *why = TRACE_LEFT_BOT;
    if (is_bot(line->agent))
        return false;
    *why = TRACE_LEFT_STATUS;
    if (line->status >= 0 && line->status / 100 != 2 && line->status != 304)
        return false;
    *why = TRACE_LEFT_TYPE;
    return line->type.len ? is_page_type(line->type) : is_page_path(url_path(url));
}

/* ---- reading ---- */

enum { ARENA_CAP = 1 << 20 }; /* for one URL */
static const int64_t IDLE = 30 * 60 * (int64_t)1000000;

struct trace_options trace_options_default(void)
{
    return (struct trace_options){
        .idle = IDLE, .max_accesses = 50000000, .url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION};
}

struct import {
    struct trace_builder builder;
    const struct log *log;
    struct arena arena;      /* for the URL of one line */
    struct arena base_arena;
    struct url base;         /* href.len 0: none */
};

static scent_status read_base(struct import *import, struct str base, struct errmsg *err)
{
    if (!base.len)
        return SCENT_OK;
    if (url_parse(&import->base_arena, base, NULL, &import->base) == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "the base '%.*s' is not a URL of http or https; give the site of the log, "
                       "such as http://www.example.org/", STR_ARG(base));
}

/* The URL of a line as a crawl knows it. */
static scent_status read_url(struct import *import, struct str text, struct url *out, enum trace_left *why)
{
    bool has_base = import->base.href.len > 0;
    scent_status status;

    *why = TRACE_LEFT_SITE;
    if (!has_base && str_starts(text, STR("/")))
        return SCENT_E_INVALID;
    status = url_parse(&import->arena, text, has_base ? &import->base : NULL, out);
    if (status == SCENT_OK)
        status = url_normalise(&import->arena, out, import->builder.options->url_flags, out);
    *why = status == SCENT_E_LIMIT ? TRACE_LEFT_URL_LONG : TRACE_LEFT_URL;
    return status;
}

static scent_status leave_out(struct import *import, enum trace_left why)
{
    import->builder.counts.left[why]++;
    return SCENT_OK;
}

/* No room is a reason to leave a line out, not to fail. */
static scent_status or_full(struct import *import, scent_status status)
{
    return status == SCENT_E_LIMIT ? leave_out(import, TRACE_LEFT_FULL) : status;
}

static scent_status take_bot(struct import *import, const struct logline *line)
{
    scent_status status = trace_builder_bot(&import->builder, line->user);

    return status == SCENT_OK ? leave_out(import, TRACE_LEFT_BOT) : or_full(import, status);
}

static scent_status take_line(struct import *import, enum trace_format format, struct str text, int64_t *latest)
{
    struct logline line;
    struct url url;
    enum trace_left why;
    scent_status status;

    if (!logline_parse(format, text, &line, &why))
        return leave_out(import, why);
    import->builder.counts.backwards += line.time < *latest;
    *latest = line.time > *latest ? line.time : *latest;
    if (!is_get(line.method))
        return leave_out(import, TRACE_LEFT_METHOD);
    arena_reset(&import->arena);
    status = read_url(import, line.url, &url, &why);
    if (status != SCENT_OK)
        return status == SCENT_E_NOMEM ? status : leave_out(import, why);
    if (str_eq(url_path(&url), STR("/robots.txt")))
        return take_bot(import, &line);
    if (!is_page_access(&line, &url, &why))
        return leave_out(import, why);
    return or_full(import, trace_builder_add(&import->builder, line.time, line.user, url.href));
}

static scent_status read_lines(struct import *import, struct logsource *source, enum trace_format format,
                               struct errmsg *err)
{
    struct trace_counts *counts = &import->builder.counts;
    int64_t latest = 0;
    struct str line;

    for (;;) {
        scent_status status = logsource_line(source, &line, err);

        if (status == SCENT_E_END)
            return SCENT_OK;
        if (status != SCENT_OK && status != SCENT_E_LIMIT)
            return status;
        if (status == SCENT_OK && !logline_counts(line))
            continue;
        counts->lines++;
        status = status == SCENT_OK ? take_line(import, format, line, &latest) : leave_out(import, TRACE_LEFT_LONG);
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "there is no memory for more accesses; allow fewer of them");
    }
}

static scent_status read_source(struct import *import, struct logsource *source, const char *path, struct errmsg *err)
{
    enum trace_format format = import->builder.options->format;
    struct trace_counts *counts = &import->builder.counts;
    struct str head;

    if (format == TRACE_GUESS) {
        SCENT_TRY(logsource_head(source, &head, err));
        format = logline_guess(head);
    }
    if (format == TRACE_GUESS) {
        counts->unknown++;
        log_line(import->log, LOG_WARN, "%s: left out: none of its first lines is one of Squid's, of the Common or "
                 "Combined log format, or 'time user url'; name its format if it has one", path);
        return SCENT_OK;
    }
    SCENT_TRY(read_lines(import, source, format, err));
    if (logsource_damaged(source)) {
        counts->damaged++;
        log_line(import->log, LOG_WARN, "%s: the compressed data is damaged or cut off; read as far as it goes", path);
    }
    return SCENT_OK;
}

static scent_status read_log(struct import *import, const char *path, struct errmsg *err)
{
    struct logsource *source;
    scent_status status;

    SCENT_TRY(logsource_open(path, &source, err));
    import->builder.counts.files++;
    status = read_source(import, source, path, err);
    logsource_close(source);
    return status;
}

scent_status trace_import(const char *const *logs, size_t count, const struct trace_options *options,
                          const struct log *log, struct trace **out, struct errmsg *err)
{
    struct import import = {.log = log};
    scent_status status;

    *out = NULL;
    trace_builder_init(&import.builder, options);
    arena_init(&import.arena, ARENA_CAP);
    arena_init(&import.base_arena, ARENA_CAP);
    status = read_base(&import, options->base, err);
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = read_log(&import, logs[i], err);
    if (status == SCENT_OK) {
        status = trace_builder_finish(&import.builder, out);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "there is no memory to sort the accesses; allow fewer of them");
    }
    trace_builder_release(&import.builder);
    arena_release(&import.arena);
    arena_release(&import.base_arena);
    return status;
}
