#include "engine/recrawl.h"

#include <stdlib.h>

/* ---- pages ---- */

struct recrawl *recrawl_new(void)
{
    struct recrawl *recrawl = calloc(1, sizeof *recrawl);

    SCENT_BUG_IF(!recrawl);
    recrawl->answers = queue_new(1);
    return recrawl;
}

void recrawl_free(struct recrawl *recrawl)
{
    if (!recrawl)
        return;
    for (size_t i = 0; i < 256; i++)
        while (recrawl->buckets[i])
            recrawl_drop(recrawl, recrawl->buckets[i], false);
    queue_free(recrawl->answers);
    free(recrawl);
}

static struct recrawl_page **bucket(const struct recrawl *recrawl, uint32_t host)
{
    return (struct recrawl_page **)&recrawl->buckets[host % 256];
}

static struct str copy(char **to, struct str text)
{
    struct str own = {*to, text.len};

    if (text.len)
        memcpy(*to, text.p, text.len);
    (*to)[text.len] = 0;
    *to += text.len + 1;
    return own;
}

scent_status recrawl_add(struct recrawl *recrawl, const struct store_revisit *known, const struct candidate *candidate,
                         uint32_t host)
{
    struct recrawl_page **head = bucket(recrawl, host);
    struct recrawl_page *page =
        malloc(sizeof *page + known->digest.len + known->etag.len + known->last_modified.len + 3);
    char *text = (char *)(page + 1);

    if (!page)
        return SCENT_E_NOMEM;
    *page = (struct recrawl_page){.next = *head, .known = *known, .candidate = *candidate, .host = host};
    page->known.digest = copy(&text, known->digest);
    page->known.etag = copy(&text, known->etag);
    page->known.last_modified = copy(&text, known->last_modified);
    *head = page;
    recrawl->queued++;
    return SCENT_OK;
}

struct recrawl_page *recrawl_find(const struct recrawl *recrawl, uint32_t host, uint32_t id)
{
    struct recrawl_page *page = *bucket(recrawl, host);

    while (page && page->known.url != id)
        page = page->next;
    return page;
}

size_t recrawl_count(const struct recrawl *recrawl, uint32_t host)
{
    size_t count = 0;

    for (const struct recrawl_page *page = *bucket(recrawl, host); page; page = page->next)
        count += page->host == host;
    return count;
}

void recrawl_drop(struct recrawl *recrawl, struct recrawl_page *page, bool was_in_flight)
{
    struct recrawl_page **at = bucket(recrawl, page->host);

    while (*at != page)
        at = &(*at)->next;
    *at = page->next;
    recrawl->queued--;
    recrawl->in_flight -= was_in_flight;
    free(page);
}

/* ---- batches ---- */

struct reading {
    struct recrawl_batch *batch;
    struct arena *arena;
};

static bool keep_text(struct arena *arena, struct str *text)
{
    *text = arena_str(arena, *text);
    return text->p;
}

static scent_status read_due(void *ctx, const struct store_revisit *revisit, const struct store_url *url)
{
    struct reading *reading = ctx;
    struct recrawl_batch *batch = reading->batch;
    struct store_revisit *to = &batch->pages[batch->count];
    struct store_url *row = &batch->urls[batch->count];

    if (revisit->next > batch->until || batch->count == batch->room) {
        batch->later = revisit->next;
        return SCENT_E_END;
    }
    *to = *revisit;
    *row = *url;
    row->error = STR_NONE;
    if (!keep_text(reading->arena, &to->digest) || !keep_text(reading->arena, &to->etag) ||
        !keep_text(reading->arena, &to->last_modified) || !keep_text(reading->arena, &row->url))
        return SCENT_E_NOMEM;
    batch->count++;
    return SCENT_OK;
}

scent_status recrawl_read(struct recrawl_batch *batch, struct arena *arena, struct store *store, struct errmsg *err)
{
    struct reading reading = {batch, arena};
    scent_status status;

    batch->later = INT64_MAX;
    batch->pages = arena_array(arena, batch->room, sizeof *batch->pages);
    batch->urls = arena_array(arena, batch->room, sizeof *batch->urls);
    if (!batch->pages || !batch->urls)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that are due");
    status = store_each_due(store, &batch->after, read_due, &reading, err);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that are due");
    return status == SCENT_E_END ? SCENT_OK : status;
}
