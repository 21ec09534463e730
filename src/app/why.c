#include "app/why.h"

#include "url/url.h"

void why_init(struct why *why)
{
    *why = (struct why){.url = {.id = UINT32_MAX}};
    arena_init(&why->arena, SIZE_MAX);
}

void why_release(struct why *why)
{
    arena_release(&why->arena);
}

/* ---- the URL ---- */

struct search {
    struct why *why;
    struct str want;
    size_t alike; /* bytes that `nearest` has in common with it */
};

/* From the front and from the back. */
static size_t likeness(struct str a, struct str b)
{
    size_t most = a.len < b.len ? a.len : b.len, front = 0, back = 0;

    while (front < most && a.p[front] == b.p[front])
        front++;
    while (back < most - front && a.p[a.len - 1 - back] == b.p[b.len - 1 - back])
        back++;
    return front + back;
}

static scent_status keep_url(void *ctx, const struct store_url *row)
{
    struct why *why = ctx;

    why->url = *row;
    why->url.url = arena_str(&why->arena, row->url);
    why->url.error = arena_str(&why->arena, row->error);
    return why->url.url.p && why->url.error.p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status search_nearest(void *ctx, const struct store_url *row)
{
    struct search *search = ctx;
    size_t alike = likeness(row->url, search->want);

    if (alike <= search->alike)
        return SCENT_OK;
    search->alike = alike;
    search->why->nearest = arena_str(&search->why->arena, row->url);
    return search->why->nearest.p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status keep_parent(void *ctx, const struct store_url *row)
{
    struct why *why = ctx;

    why->found_on = arena_str(&why->arena, row->url);
    return why->found_on.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* ---- its visits, and the links that lead to it ---- */

static scent_status keep_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct why *why = ctx;

    (void)url;
    why->page = *page;
    why->visits++;
    why->page.mime = arena_str(&why->arena, page->mime);
    why->page.title = arena_str(&why->arena, page->title);
    why->page.warc_file = arena_str(&why->arena, page->warc_file);
    return why->page.mime.p && why->page.title.p && why->page.warc_file.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* The page that has the link is the first of those from its number on. */
static scent_status keep_verdict(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct why_link *link = ctx;

    (void)url;
    if (link->link.page == page->number) {
        link->relevant = page->relevant;
        link->score = page->score;
    }
    return SCENT_E_END;
}

static scent_status on_link(void *ctx, const struct store_link *link, struct str from, struct str to)
{
    struct why *why = ctx;
    size_t at = why->linking < WHY_LINKS ? why->linking : WHY_LINKS;
    struct why_link kept = {.link = *link};

    (void)to;
    why->linking++;
    while (at && why->links[at - 1].link.priority < link->priority)
        at--;
    if (at == WHY_LINKS)
        return SCENT_OK;
    kept.from = arena_str(&why->arena, from);
    kept.link.anchor = arena_str(&why->arena, link->anchor);
    if (!kept.from.p || !kept.link.anchor.p)
        return SCENT_E_NOMEM;
    memmove(why->links + at + 1, why->links + at, (WHY_LINKS - at - 1) * sizeof *why->links);
    why->links[at] = kept;
    return SCENT_OK;
}

static scent_status look_around(struct why *why, struct store *store, struct errmsg *err)
{
    scent_status status = store_each_page_of(store, why->url.id, keep_page, why, err);

    if (status == SCENT_OK)
        status = store_each_link_to(store, why->url.id, on_link, why, err);
    for (size_t i = 0; i < WHY_LINKS && i < why->linking && status == SCENT_OK; i++) {
        status = store_each_page(store, why->links[i].link.page - 1, keep_verdict, &why->links[i], err);
        status = status == SCENT_E_END ? SCENT_OK : status;
    }
    if (status == SCENT_OK && why->url.parent != STORE_NO_PARENT)
        status = store_get_urls(store, &why->url.parent, 1, keep_parent, why, err);
    return status;
}

scent_status why_look_up(struct why *why, struct store *store, struct str url, struct errmsg *err)
{
    struct search search = {.why = why};
    struct url parsed, normal;
    scent_status status;

    if (url_parse(&why->arena, url, NULL, &parsed) != SCENT_OK ||
        url_normalise(&why->arena, &parsed, 0, &normal) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is no URL of http or https; write it whole, such as "
                           "https://www.example.org/page", STR_ARG(url));
    search.want = normal.href;
    status = store_find_url(store, search.want, keep_url, why, err);
    if (status == SCENT_OK && why->url.id == UINT32_MAX)
        status = store_each_url(store, search_nearest, &search, err);
    if (status != SCENT_OK)
        return status;
    return why->url.id == UINT32_MAX ? SCENT_E_NOTFOUND : look_around(why, store, err);
}
