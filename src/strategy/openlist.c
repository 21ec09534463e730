#include "strategy/openlist.h"

#include "base/hash.h"
#include "base/vec.h"
#include "strategy/strategy.h"

#include <stdlib.h>

void openlist_release(struct openlist *list)
{
    for (size_t i = 0; i < list->npages; i++)
        free(list->pages[i].links);
    free(list->pages);
    map_release(&list->by_id);
    *list = (struct openlist){0};
}

/* The number of the page with this id, + 1; 0: there is none. */
static uint32_t number_of(const struct openlist *list, uint32_t id)
{
    struct map_walk walk = map_find(&list->by_id, hash_mix(id, 0));

    while (map_next(&walk))
        if (list->pages[walk.value].id == id)
            return walk.value + 1;
    return 0;
}

const struct openlist_page *openlist_find(const struct openlist *list, uint32_t id)
{
    uint32_t number = number_of(list, id);

    return number ? &list->pages[number - 1] : NULL;
}

static struct openlist_page *place_for(struct openlist *list, uint32_t id)
{
    uint32_t number = number_of(list, id);

    if (number)
        return &list->pages[number - 1];
    SCENT_BUG_IF(!vec_reserve(&list->pages, &list->pages_room, list->npages + 1, sizeof *list->pages) ||
                 map_add(&list->by_id, hash_mix(id, 0), (uint32_t)list->npages) != SCENT_OK);
    list->pages[list->npages++] = (struct openlist_page){.id = id};
    return &list->pages[list->npages - 1];
}

static void set_links(struct openlist_page *page, const uint32_t *links, uint32_t nlinks)
{
    uint32_t most = nlinks < OPENLIST_LINKS ? nlinks : OPENLIST_LINKS;

    free(page->links);
    page->links = malloc((most + (size_t)1) * sizeof *page->links);
    SCENT_BUG_IF(!page->links);
    page->nlinks = 0;
    for (uint32_t i = 0; i < nlinks && page->nlinks < most; i++)
        if (links[i] != STRATEGY_UNKNOWN)
            page->links[page->nlinks++] = links[i];
}

void openlist_add(struct openlist *list, const struct openlist_page *page, const uint32_t *links, uint32_t nlinks)
{
    struct openlist_page *kept = place_for(list, page->id);

    memcpy(kept->delta, page->delta, sizeof kept->delta);
    kept->worth = page->worth;
    if (!kept->expanded)
        set_links(kept, links, nlinks);
}

static void forget_oldest(struct openlist *list)
{
    struct openlist_page *page = &list->pages[list->recent[0]];

    free(page->links);
    page->links = NULL;
    page->nlinks = 0;
    memmove(list->recent, list->recent + 1, --list->nrecent * sizeof *list->recent);
    if (list->told_pages)
        list->told_pages--;
    else
        list->told_links = 0;
}

void openlist_expand(struct openlist *list, uint32_t id)
{
    uint32_t number = number_of(list, id);

    if (!number || list->pages[number - 1].expanded)
        return;
    if (list->nrecent == OPENLIST_RECENT)
        forget_oldest(list);
    list->pages[number - 1].expanded = true;
    list->recent[list->nrecent++] = number - 1;
}

static bool has_link(const struct openlist_page *page, uint32_t link)
{
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (page->links[i] == link)
            return true;
    return false;
}

/* The last is asked for most. */
const struct openlist_page *openlist_expanded(const struct openlist *list, uint32_t link)
{
    for (uint32_t i = list->nrecent; i-- > 0;)
        if (has_link(&list->pages[list->recent[i]], link))
            return &list->pages[list->recent[i]];
    return NULL;
}

size_t openlist_stale(struct openlist *list, uint32_t *ids, size_t room)
{
    size_t n = 0;

    while (n < room && list->told_pages < list->nrecent) {
        const struct openlist_page *page = &list->pages[list->recent[list->told_pages]];

        if (list->told_links < page->nlinks) {
            ids[n++] = page->links[list->told_links++];
        } else {
            list->told_pages++;
            list->told_links = 0;
        }
    }
    return n;
}

/* ---- keeping ---- */

static void save_page(const struct openlist_page *page, struct buf *out)
{
    bytes_put(out, page->id, 4);
    for (unsigned j = 0; j < HMM_STATES; j++)
        bytes_put_float(out, page->delta[j]);
    bytes_put_float(out, page->worth);
    bytes_put(out, page->expanded, 1);
    bytes_put(out, page->nlinks, 4);
    for (uint32_t i = 0; i < page->nlinks; i++)
        bytes_put(out, page->links[i], 4);
}

void openlist_save(const struct openlist *list, struct buf *out)
{
    bytes_put(out, list->npages, 4);
    for (size_t i = 0; i < list->npages; i++)
        save_page(&list->pages[i], out);
    bytes_put(out, list->nrecent, 4);
    for (uint32_t i = 0; i < list->nrecent; i++)
        bytes_put(out, list->recent[i], 4);
}

static void load_links(struct openlist_page *page, struct bytes *in)
{
    uint64_t nlinks = bytes_get(in, 4);

    if (!bytes_check(in, nlinks <= OPENLIST_LINKS, "a page has too many links") || !bytes_has(in, nlinks, 4))
        return;
    page->links = malloc((nlinks + 1) * sizeof *page->links);
    SCENT_BUG_IF(!page->links);
    for (; page->nlinks < nlinks; page->nlinks++)
        page->links[page->nlinks] = (uint32_t)bytes_get(in, 4);
}

static void load_page(struct openlist *list, struct bytes *in)
{
    uint32_t id = (uint32_t)bytes_get(in, 4);
    struct openlist_page *page;

    if (!bytes_check(in, id != STRATEGY_UNKNOWN && !openlist_find(list, id), "a page has no number of its own"))
        return;
    page = place_for(list, id);
    for (unsigned j = 0; j < HMM_STATES; j++)
        page->delta[j] = bytes_get_float(in);
    page->worth = bytes_get_float(in);
    page->expanded = bytes_get(in, 1) != 0;
    load_links(page, in);
}

void openlist_load(struct openlist *list, struct bytes *in)
{
    uint64_t npages = bytes_get(in, 4), nrecent;

    for (uint64_t i = 0; i < npages && !in->wrong; i++)
        load_page(list, in);
    nrecent = bytes_get(in, 4);
    bytes_check(in, nrecent <= OPENLIST_RECENT, "too many pages were chosen");
    for (uint64_t i = 0; i < nrecent && !in->wrong; i++) {
        list->recent[i] = (uint32_t)bytes_get(in, 4);
        bytes_check(in, list->recent[i] < list->npages, "a chosen page is unknown");
    }
    list->nrecent = in->wrong ? 0 : (uint32_t)nrecent;
}
