/* HTTP/1.1 chunked transfer coding, RFC 9112 section 7.1; a bare LF is taken for a line end, as clients do. */
#include "http/http_parts.h"

/* A line without its end off the front of *in; false when there is no line end. */
static bool take_line(struct str *in, struct str *line)
{
    size_t end = str_find(*in, '\n');

    if (end == in->len)
        return false;
    *line = str_sub(*in, 0, end > 0 && in->p[end - 1] == '\r' ? end - 1 : end);
    *in = str_sub(*in, end + 1, in->len);
    return true;
}

/* "1a2b", with spaces and extensions behind it. */
static bool parse_size(struct str line, size_t *size)
{
    size_t i = 0;

    *size = 0;
    for (; i < line.len && ascii_hex(line.p[i]) >= 0; i++) {
        if (*size > SIZE_MAX >> 8)
            return false;
        *size = *size << 4 | (size_t)ascii_hex(line.p[i]);
    }
    if (i == 0)
        return false;
    while (i < line.len && (line.p[i] == ' ' || line.p[i] == '\t'))
        i++;
    return i == line.len || line.p[i] == ';';
}

/* The end of the line behind a chunk's data. */
static enum http_end skip_line_end(struct str *in)
{
    size_t skip = in->len && in->p[0] == '\r' ? 1 : 0;

    if (skip == in->len)
        return HTTP_CUT_INPUT;
    if (in->p[skip] != '\n')
        return HTTP_CUT_ERROR;
    *in = str_sub(*in, skip + 1, in->len);
    return HTTP_WHOLE;
}

/* One chunk; *last when it was the empty one. */
static enum http_end take_chunk(struct str *in, struct str *data, bool *last)
{
    struct str line;
    size_t size;

    *data = STR_NONE;
    if (!take_line(in, &line))
        return in->len == 0 || ascii_hex(in->p[0]) >= 0 ? HTTP_CUT_INPUT : HTTP_CUT_ERROR;
    if (!parse_size(line, &size))
        return HTTP_CUT_ERROR;
    *last = size == 0;
    if (*last)
        return HTTP_WHOLE; /* trailer fields may follow; they are no part of the body */
    *data = str_sub(*in, 0, size < in->len ? size : in->len);
    *in = str_sub(*in, data->len, in->len);
    return data->len < size ? HTTP_CUT_INPUT : skip_line_end(in);
}

scent_status http_dechunk(struct str in, struct buf *out, enum http_end *end)
{
    bool last = false;

    *end = HTTP_WHOLE;
    while (!last && *end == HTTP_WHOLE) {
        struct str data;
        size_t room = http_room(out);

        *end = take_chunk(&in, &data, &last);
        if (data.len > room) {
            data.len = room;
            *end = HTTP_CUT_CAP;
        }
        if (!buf_add(out, data))
            return SCENT_E_NOMEM;
    }
    return SCENT_OK;
}
