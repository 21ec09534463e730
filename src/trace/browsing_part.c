#include "trace/browsing.h"
#include "url/url.h"

#include <stdlib.h>

enum { ARENA_CAP = 1 << 20 };

static bool is_below(struct str host, struct str above)
{
    if (host.len == above.len)
        return str_eq_nocase(host, above);
    return host.len > above.len && host.p[host.len - above.len - 1] == '.' &&
           str_eq_nocase(str_sub(host, host.len - above.len, host.len), above);
}

static bool has_host(const struct browsing_limits *limits, struct str href)
{
    struct arena arena;
    bool found = false;
    struct url url;

    arena_init(&arena, ARENA_CAP);
    if (url_parse(&arena, href, NULL, &url) == SCENT_OK)
        for (size_t i = 0; i < limits->nhosts && !found; i++)
            found = is_below(url_host(&url), str_of(limits->hosts[i]));
    arena_release(&arena);
    return found;
}

static bool takes(const struct browsing_limits *limits, struct str href, int64_t time, struct browsing_left *left)
{
    if ((limits->since || limits->until) &&
        (!time || time < limits->since || (limits->until && time >= limits->until))) {
        left->dates++;
        return false;
    }
    if (limits->nhosts && !has_host(limits, href)) {
        left->hosts++;
        return false;
    }
    return true;
}

static scent_status add_visits(struct browsing *browsing, const struct browsing *all,
                               const struct browsing_limits *limits, struct browsing_left *left)
{
    uint32_t count = browsing_visits(all), *become = malloc(((size_t)count + 1) * sizeof *become);
    scent_status status = become ? SCENT_OK : SCENT_E_NOMEM;

    for (uint32_t i = 0; i < count && status == SCENT_OK; i++) {
        const struct browsing_visit *visit = browsing_at(all, i);
        struct str href = browsing_url(all, visit->page);

        become[i] = BROWSING_NONE;
        if (takes(limits, href, visit->time, left))
            status = browsing_add_visit(browsing, href, visit->time,
                                        visit->from == BROWSING_NONE ? BROWSING_NONE : become[visit->from], &become[i]);
    }
    free(become);
    return status;
}

scent_status browsing_add_part(struct browsing *browsing, const struct browsing *all,
                               const struct browsing_limits *limits, struct browsing_left *left)
{
    uint32_t pages = browsing_size(all).pages;
    scent_status status = add_visits(browsing, all, limits, left);

    for (uint32_t i = 0; i < pages && status == SCENT_OK; i++)
        if (browsing_is_useful(all, i) && takes(limits, browsing_url(all, i), browsing_marked_at(all, i), left))
            status = browsing_add_mark(browsing, browsing_url(all, i), browsing_marked_at(all, i), true);
    return status;
}
