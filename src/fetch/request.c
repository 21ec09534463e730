#include "fetch/request.h"

static bool add_target(struct str origin, struct str path, bool absolute, struct buf *out)
{
    if (absolute)
        buf_add(out, origin);
    if (path.len == 0 || path.p[0] != '/')
        buf_addc(out, '/');
    return buf_add(out, path);
}

/* http://host:port/path?query#fragment; the caller's URLs are normalised, so there are no credentials. */
bool request_build(struct str url, struct str lines, bool absolute, struct buf *out)
{
    size_t start = str_find(url, ':') + 3, end = start;
    struct str origin, path;

    if (start > url.len)
        return false;
    while (end < url.len && url.p[end] != '/' && url.p[end] != '?' && url.p[end] != '#')
        end++;
    origin = str_sub(url, 0, end);
    path = str_sub(url, end, url.len);
    path.len = str_find(path, '#');

    if (!buf_reserve(out, url.len * 2 + lines.len + 64))
        return false;
    buf_addz(out, "GET ");
    add_target(origin, path, absolute, out);
    buf_addz(out, " HTTP/1.1\r\nHost: ");
    buf_add(out, str_sub(url, start, end));
    buf_addz(out, "\r\n");
    buf_add(out, lines);
    return buf_addz(out, "\r\n");
}
