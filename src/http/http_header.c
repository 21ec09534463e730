/* Header fields and what their values mean. */
#include "base/date.h"
#include "http/http.h"

bool http_is_header(struct str line, struct str name)
{
    return line.len > name.len && line.p[name.len] == ':' && str_starts_nocase(line, name);
}

struct str http_header(struct str head, struct str name)
{
    struct str line;

    while (str_split(&head, '\n', &line))
        if (http_is_header(line, name))
            return str_trim(str_sub(line, name.len + 1, line.len));
    return STR_NONE;
}

struct str http_mime(struct str content_type)
{
    return str_trim(str_sub(content_type, 0, str_find(content_type, ';')));
}

struct str http_head_mime(struct str head)
{
    return http_mime(http_header(head, STR("content-type")));
}

static bool is_number(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.len > 0;
}

int64_t http_retry_after(struct str value, struct str date, int64_t now)
{
    const int64_t second = 1000000, most = HTTP_RETRY_AFTER_MAX * second;
    int64_t wait = 0, until;
    uint64_t seconds;

    value = str_trim(value);
    if (is_number(value)) { /* one that is too large for us is large */
        wait = str_parse_u64(value, &seconds) && seconds < HTTP_RETRY_AFTER_MAX ? (int64_t)seconds * second : most;
    } else if ((until = date_parse(value)) > 0) {
        int64_t then = date_parse(date);

        wait = until - (then ? then : now);
    }
    if (wait < 0)
        return 0;
    return wait < most ? wait : most;
}
