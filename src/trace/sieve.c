#include "trace/sieve.h"
#include "http/http.h"

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

bool sieve_method(struct str method)
{
    return !method.len || str_eq(method, STR("GET"));
}

bool sieve_line(const struct logline *line, const struct url *url, enum trace_left *why)
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
