/* Visits and marks in memory: arrays by number, and the URLs as names. */
#include "trace/browsing.h"

#include "base/rng.h"
#include "base/vec.h"
#include "trace/names.h"
#include "url/url.h"

#include <stdlib.h>

enum { ARENA_CAP = 1 << 20 }; /* for one URL */

struct page {
    int64_t marked; /* when */
    uint32_t last_visit;
    bool useful;
};

struct browsing {
    struct names urls;
    struct page *pages; /* by number */
    struct browsing_visit *visits;
    uint32_t nvisits;
    size_t visits_room, pages_room;
};

struct browsing *browsing_new(void)
{
    struct browsing *browsing = calloc(1, sizeof *browsing);

    SCENT_BUG_IF(!browsing);
    names_init(&browsing->urls, rng_entropy());
    return browsing;
}

void browsing_free(struct browsing *browsing)
{
    if (!browsing)
        return;
    names_release(&browsing->urls);
    free(browsing->pages);
    free(browsing->visits);
    free(browsing);
}

scent_status browsing_href(struct arena *arena, struct str url, struct str *out)
{
    struct url parsed;
    scent_status status = url_parse(arena, url, NULL, &parsed);

    if (status == SCENT_OK)
        status = url_normalise(arena, &parsed, URL_STRIP_TRACKING | URL_STRIP_SESSION, &parsed);
    *out = status == SCENT_OK ? parsed.href : STR_NONE;
    return status == SCENT_E_UNSUPPORTED ? SCENT_E_INVALID : status;
}

bool browsing_is_full(const struct browsing *browsing)
{
    return browsing->nvisits * sizeof *browsing->visits + browsing->urls.count * sizeof *browsing->pages +
               names_memory(&browsing->urls) >= BROWSING_MEMORY_MAX;
}

/* `href` is normalised. */
static scent_status add_page(struct browsing *browsing, struct str href, uint32_t *page)
{
    uint32_t known = browsing->urls.count;

    if (browsing_is_full(browsing))
        return SCENT_E_LIMIT;
    if (!vec_reserve(&browsing->pages, &browsing->pages_room, known + 1, sizeof *browsing->pages))
        return SCENT_E_NOMEM;
    SCENT_TRY(names_add(&browsing->urls, href, page));
    if (*page == known)
        browsing->pages[known] = (struct page){.last_visit = BROWSING_NONE};
    return SCENT_OK;
}

static scent_status add_url(struct browsing *browsing, struct str url, uint32_t *page)
{
    struct arena arena;
    scent_status status;
    struct str href;

    arena_init(&arena, ARENA_CAP);
    status = browsing_href(&arena, url, &href);
    if (status == SCENT_OK)
        status = add_page(browsing, href, page);
    arena_release(&arena);
    return status;
}

scent_status browsing_add_visit(struct browsing *browsing, struct str url, int64_t time, uint32_t from, uint32_t *visit)
{
    uint32_t page;

    SCENT_BUG_IF(from != BROWSING_NONE && from >= browsing->nvisits);
    if (!vec_reserve(&browsing->visits, &browsing->visits_room, browsing->nvisits + 1, sizeof *browsing->visits))
        return SCENT_E_NOMEM;
    SCENT_TRY(add_url(browsing, url, &page));
    *visit = browsing->nvisits;
    browsing->pages[page].last_visit = *visit;
    browsing->visits[browsing->nvisits++] = (struct browsing_visit){.time = time, .page = page, .from = from};
    return SCENT_OK;
}

scent_status browsing_add_mark(struct browsing *browsing, struct str url, int64_t time, bool useful)
{
    uint32_t page;

    if (!useful && !browsing_find_page(browsing, url, &page))
        return SCENT_OK;
    SCENT_TRY(add_url(browsing, url, &page));
    browsing->pages[page].useful = useful;
    browsing->pages[page].marked = useful ? time : 0;
    return SCENT_OK;
}

static void widen_times(struct browsing_size *size, int64_t time)
{
    if (!time)
        return;
    size->first = !size->first || time < size->first ? time : size->first;
    size->last = time > size->last ? time : size->last;
}

struct browsing_size browsing_size(const struct browsing *browsing)
{
    struct browsing_size size = {.visits = browsing->nvisits, .pages = browsing->urls.count};

    for (uint32_t i = 0; i < browsing->nvisits; i++) {
        size.linked += browsing->visits[i].from != BROWSING_NONE;
        widen_times(&size, browsing->visits[i].time);
    }
    for (uint32_t i = 0; i < size.pages; i++) {
        size.useful += browsing->pages[i].useful;
        size.only_marked += browsing->pages[i].useful && browsing->pages[i].last_visit == BROWSING_NONE;
    }
    return size;
}

uint32_t browsing_visits(const struct browsing *browsing)
{
    return browsing->nvisits;
}

const struct browsing_visit *browsing_at(const struct browsing *browsing, uint32_t visit)
{
    SCENT_BUG_IF(visit >= browsing->nvisits);
    return &browsing->visits[visit];
}

struct str browsing_url(const struct browsing *browsing, uint32_t page)
{
    SCENT_BUG_IF(page >= browsing->urls.count);
    return names_at(&browsing->urls, page);
}

static const struct page *page_of(const struct browsing *browsing, uint32_t page)
{
    SCENT_BUG_IF(page >= browsing->urls.count);
    return &browsing->pages[page];
}

bool browsing_is_useful(const struct browsing *browsing, uint32_t page)
{
    return page_of(browsing, page)->useful;
}

int64_t browsing_marked_at(const struct browsing *browsing, uint32_t page)
{
    return page_of(browsing, page)->marked;
}

uint32_t browsing_last_visit(const struct browsing *browsing, uint32_t page)
{
    return page_of(browsing, page)->last_visit;
}

bool browsing_find_page(const struct browsing *browsing, struct str url, uint32_t *page)
{
    struct arena arena;
    struct str href;
    bool found;

    arena_init(&arena, ARENA_CAP);
    found = browsing_href(&arena, url, &href) == SCENT_OK && names_find(&browsing->urls, href, page);
    arena_release(&arena);
    return found;
}

/* ---- a part of it ---- */

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

static bool is_in_limits(const struct browsing_limits *limits, struct str href, int64_t time,
                         struct browsing_left *left)
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
        if (is_in_limits(limits, href, visit->time, left))
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

    SCENT_TRY(add_visits(browsing, all, limits, left));
    for (uint32_t i = 0; i < pages; i++)
        if (browsing_is_useful(all, i) && is_in_limits(limits, browsing_url(all, i), browsing_marked_at(all, i), left))
            SCENT_TRY(browsing_add_mark(browsing, browsing_url(all, i), browsing_marked_at(all, i), true));
    return SCENT_OK;
}
