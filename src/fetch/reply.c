/* Heads of responses line by line, and heads of requests as they are kept. */
#include "fetch/reply.h"
#include "http/http.h"

/* RFC 9110 section 15, and the few of other documents that are seen; for protocols that send no phrase. */
static const struct {
    int status;
    const char *phrase;
} phrases[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {305, "Use Proxy"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {511, "Network Authentication Required"},
};

static const char *phrase_of(int status)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (phrases[i].status == status)
            return phrases[i].phrase;
    return "Unknown";
}

void reply_init(struct reply *reply, struct buf *head, uint64_t max)
{
    buf_clear(head);
    reply->head = head;
    reply->seen = 0;
    reply->lines = 0;
    reply->max = max;
    reply->status = 0;
    reply->done = reply->chunked = false;
    reply->mime_len = 0;
    reply->mime[0] = 0;
}

/* The three digits after the version; 0 when they are not there. */
static int parse_status(struct str line)
{
    size_t at = str_find(line, ' ');
    int status = 0;

    while (at < line.len && line.p[at] == ' ')
        at++;
    for (size_t end = at + 3; at < end; at++) {
        if (at >= line.len || !ascii_is_digit(line.p[at]))
            return 0;
        status = status * 10 + (line.p[at] - '0');
    }
    return status;
}

static bool add_status_line(struct reply *reply, struct str line)
{
    reply->status = parse_status(line);
    if (str_starts(line, STR("HTTP/2")) || str_starts(line, STR("HTTP/3")))
        return buf_printf(reply->head, "HTTP/1.1 %03d %s\r\n", reply->status, phrase_of(reply->status));
    return buf_add(reply->head, line) && buf_addz(reply->head, "\r\n");
}

static void take_mime(struct reply *reply, struct str value)
{
    struct str mime = http_mime(value);

    if (reply->mime_len)
        return; /* said twice: the first counts, as for most clients */
    for (size_t i = 0; i < mime.len && i < REPLY_MIME_MAX; i++)
        reply->mime[reply->mime_len++] = ascii_lower(mime.p[i]);
    reply->mime[reply->mime_len] = 0;
}

/* Is "chunked" among the codings "gzip, chunked"? */
static bool names_chunked(struct str codings)
{
    struct str coding;

    while (str_split(&codings, ',', &coding))
        if (str_eq_nocase(str_trim(coding), STR("chunked")))
            return true;
    return false;
}

static bool add_header_line(struct reply *reply, struct str line)
{
    struct str value = line, name = STR_NONE;

    if (str_find(line, ':') < line.len)
        str_split(&value, ':', &name);
    if (str_eq_nocase(name, STR("Content-Type")))
        take_mime(reply, value);
    else if (str_eq_nocase(name, STR("Transfer-Encoding")))
        reply->chunked |= names_chunked(value);
    return buf_add(reply->head, line) && buf_addz(reply->head, "\r\n");
}

static enum reply_result end_head(struct reply *reply)
{
    if (reply->status >= 100 && reply->status < 200) {
        uint64_t seen = reply->seen;
        uint32_t lines = reply->lines;

        reply_init(reply, reply->head, reply->max);
        reply->seen = seen;
        reply->lines = lines;
        return REPLY_MORE;
    }
    if (!buf_addz(reply->head, "\r\n"))
        return REPLY_NOMEM;
    reply->done = true;
    return REPLY_COMPLETE;
}

enum reply_result reply_line(struct reply *reply, struct str line)
{
    bool added;

    reply->seen += line.len;
    if (reply->seen > reply->max || ++reply->lines > REPLY_LINES_MAX)
        return REPLY_TOO_LARGE;
    if (reply->done)
        return REPLY_MORE; /* a trailer */
    if (line.len && line.p[line.len - 1] == '\n')
        line.len--;
    if (line.len && line.p[line.len - 1] == '\r')
        line.len--;
    if (reply->head->len == 0)
        added = add_status_line(reply, line);
    else if (line.len == 0)
        return end_head(reply);
    else
        added = add_header_line(reply, line);
    return added ? REPLY_MORE : REPLY_NOMEM;
}

/* ---- requests ---- */

static bool is_secret(struct str name)
{
    return str_eq_nocase(name, STR("Cookie")) || str_eq_nocase(name, STR("Authorization")) ||
           str_eq_nocase(name, STR("Proxy-Authorization"));
}

/* The next line with its end. */
static struct str take_line(struct str *rest)
{
    size_t end = str_find(*rest, '\n');
    struct str line = str_sub(*rest, 0, end < rest->len ? end + 1 : end);

    *rest = str_sub(*rest, line.len, rest->len);
    return line;
}

static void keep_request_line(struct str line, struct buf *out)
{
    struct str text = str_sub(line, 0, str_find(line, '\r'));

    if (!str_ends(text, STR(" HTTP/2"))) {
        buf_add(out, line);
        return;
    }
    buf_add(out, str_sub(text, 0, text.len - 1));
    buf_addz(out, "1.1\r\n");
}

void reply_keep_request(struct str head, struct buf *out)
{
    keep_request_line(take_line(&head), out);
    while (head.len) {
        struct str line = take_line(&head);
        size_t colon = str_find(line, ':');

        if (colon == line.len || !is_secret(str_sub(line, 0, colon))) {
            buf_add(out, line);
            continue;
        }
        buf_add(out, str_sub(line, 0, colon + 1));
        buf_addz(out, "\r\n");
    }
}
