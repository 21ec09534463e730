/* The header lines of a response: values lie inside of them, and what robots are told is told by one of the lines. */
#include "page/page.h"
#include "http/http.h"

static void check_inside(struct str part, struct str whole)
{
    SCENT_BUG_IF(part.len && (part.p < whole.p || part.p + part.len > whole.p + whole.len));
    SCENT_BUG_IF(memchr(part.len ? part.p : "", '\n', part.len));
}

static unsigned robots_by_line(struct str headers, struct str agent)
{
    unsigned flags = 0;
    int64_t until = 0;
    struct str line;

    while (str_split(&headers, '\n', &line))
        flags |= page_header_robots(line, agent, &until);
    return flags;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const names[] = {"content-type", "retry-after", "etag", "x-robots-tag", ""};
    struct str headers = {(const char *)data, len};
    int64_t until = 0;
    unsigned flags = page_header_robots(headers, STR("scent"), &until);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct str value = http_header(headers, str_of(names[i]));

        check_inside(value, headers);
        SCENT_BUG_IF(str_trim(value).len != value.len);
    }
    check_inside(http_head_mime(headers), headers);
    SCENT_BUG_IF(flags & ~(unsigned)(PAGE_NOINDEX | PAGE_NOFOLLOW | PAGE_NOARCHIVE));
    SCENT_BUG_IF(until < 0);
    SCENT_BUG_IF(flags != robots_by_line(headers, STR("scent")));
    return 0;
}
