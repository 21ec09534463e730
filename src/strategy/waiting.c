#include "strategy/waiting.h"

#include "base/hash.h"
#include "strategy/array.h"
#include "strategy/strategy.h"

#include <stdlib.h>

void waiting_release(struct waiting *waiting)
{
    for (size_t i = 0; i < waiting->npages; i++)
        free(waiting->pages[i].links);
    free(waiting->pages);
    free(waiting->slots);
    *waiting = (struct waiting){0};
}

/* The slot of a page, or the empty one where it would be; there is always one. */
static uint32_t *slot_of(const struct waiting *waiting, uint32_t id)
{
    size_t at = hash_mix(id, 0) & (waiting->nslots - 1);

    while (waiting->slots[at] && waiting->pages[waiting->slots[at] - 1].id != id)
        at = (at + 1) & (waiting->nslots - 1);
    return &waiting->slots[at];
}

static uint32_t number_of(const struct waiting *waiting, uint32_t id)
{
    return waiting->nslots ? *slot_of(waiting, id) : 0;
}

static void grow_slots(struct waiting *waiting)
{
    free(waiting->slots);
    waiting->nslots = waiting->nslots ? 2 * waiting->nslots : 64;
    waiting->slots = calloc(waiting->nslots, sizeof *waiting->slots);
    SCENT_BUG_IF(!waiting->slots);
    for (size_t i = 0; i < waiting->npages; i++)
        *slot_of(waiting, waiting->pages[i].id) = (uint32_t)i + 1;
}

const struct waiting_page *waiting_find(const struct waiting *waiting, uint32_t id)
{
    uint32_t number = number_of(waiting, id);

    return number ? &waiting->pages[number - 1] : NULL;
}

static struct waiting_page *place_for(struct waiting *waiting, uint32_t id)
{
    uint32_t number = number_of(waiting, id);

    if (number)
        return &waiting->pages[number - 1];
    if (2 * (waiting->npages + 1) > waiting->nslots)
        grow_slots(waiting);
    waiting->pages = array_grow(waiting->pages, &waiting->pages_room, waiting->npages + 1, sizeof *waiting->pages);
    waiting->pages[waiting->npages++] = (struct waiting_page){.id = id};
    *slot_of(waiting, id) = (uint32_t)waiting->npages;
    return &waiting->pages[waiting->npages - 1];
}

static void set_links(struct waiting_page *page, const uint32_t *links, uint32_t nlinks)
{
    uint32_t most = nlinks < WAITING_LINKS ? nlinks : WAITING_LINKS;

    page->links = realloc(page->links, (most + (size_t)1) * sizeof *page->links);
    SCENT_BUG_IF(!page->links);
    page->nlinks = 0;
    for (uint32_t i = 0; i < nlinks && page->nlinks < most; i++)
        if (links[i] != STRATEGY_UNKNOWN)
            page->links[page->nlinks++] = links[i];
}

void waiting_add(struct waiting *waiting, const struct waiting_page *page, const uint32_t *links, uint32_t nlinks)
{
    struct waiting_page *kept = place_for(waiting, page->id);

    memcpy(kept->delta, page->delta, sizeof kept->delta);
    kept->worth = page->worth;
    if (!kept->chosen)
        set_links(kept, links, nlinks);
}

static void forget_oldest(struct waiting *waiting)
{
    struct waiting_page *page = &waiting->pages[waiting->recent[0]];

    free(page->links);
    page->links = NULL;
    page->nlinks = 0;
    memmove(waiting->recent, waiting->recent + 1, --waiting->nrecent * sizeof *waiting->recent);
    if (waiting->told_pages)
        waiting->told_pages--;
    else
        waiting->told_links = 0;
}

void waiting_choose(struct waiting *waiting, uint32_t id)
{
    uint32_t number = number_of(waiting, id);

    if (!number || waiting->pages[number - 1].chosen)
        return;
    if (waiting->nrecent == WAITING_RECENT)
        forget_oldest(waiting);
    waiting->pages[number - 1].chosen = true;
    waiting->recent[waiting->nrecent++] = number - 1;
}

static bool has_link(const struct waiting_page *page, uint32_t link)
{
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (page->links[i] == link)
            return true;
    return false;
}

/* The last is asked for most. */
const struct waiting_page *waiting_chosen(const struct waiting *waiting, uint32_t link)
{
    for (uint32_t i = waiting->nrecent; i-- > 0;)
        if (has_link(&waiting->pages[waiting->recent[i]], link))
            return &waiting->pages[waiting->recent[i]];
    return NULL;
}

size_t waiting_stale(struct waiting *waiting, uint32_t *ids, size_t room)
{
    size_t n = 0;

    while (n < room && waiting->told_pages < waiting->nrecent) {
        const struct waiting_page *page = &waiting->pages[waiting->recent[waiting->told_pages]];

        if (waiting->told_links < page->nlinks) {
            ids[n++] = page->links[waiting->told_links++];
        } else {
            waiting->told_pages++;
            waiting->told_links = 0;
        }
    }
    return n;
}

/* ---- keeping ---- */

static void save_page(const struct waiting_page *page, struct buf *out)
{
    bytes_put(out, page->id, 4);
    for (unsigned j = 0; j < HMM_STATES; j++)
        bytes_put_float(out, page->delta[j]);
    bytes_put_float(out, page->worth);
    bytes_put(out, page->chosen, 1);
    bytes_put(out, page->nlinks, 4);
    for (uint32_t i = 0; i < page->nlinks; i++)
        bytes_put(out, page->links[i], 4);
}

void waiting_save(const struct waiting *waiting, struct buf *out)
{
    bytes_put(out, waiting->npages, 4);
    for (size_t i = 0; i < waiting->npages; i++)
        save_page(&waiting->pages[i], out);
    bytes_put(out, waiting->nrecent, 4);
    for (uint32_t i = 0; i < waiting->nrecent; i++)
        bytes_put(out, waiting->recent[i], 4);
}

static void load_links(struct waiting_page *page, struct bytes *in)
{
    uint64_t nlinks = bytes_get(in, 4);

    if (!bytes_check(in, nlinks <= WAITING_LINKS, "a page has too many links") || !bytes_has(in, nlinks, 4))
        return;
    page->links = malloc((nlinks + 1) * sizeof *page->links);
    SCENT_BUG_IF(!page->links);
    for (; page->nlinks < nlinks; page->nlinks++)
        page->links[page->nlinks] = (uint32_t)bytes_get(in, 4);
}

static void load_page(struct waiting *waiting, struct bytes *in)
{
    uint32_t id = (uint32_t)bytes_get(in, 4);
    struct waiting_page *page;

    if (!bytes_check(in, id != STRATEGY_UNKNOWN && !waiting_find(waiting, id), "a page has no number of its own"))
        return;
    page = place_for(waiting, id);
    for (unsigned j = 0; j < HMM_STATES; j++)
        page->delta[j] = bytes_get_float(in);
    page->worth = bytes_get_float(in);
    page->chosen = bytes_get(in, 1) != 0;
    load_links(page, in);
}

void waiting_load(struct waiting *waiting, struct bytes *in)
{
    uint64_t npages = bytes_get(in, 4), nrecent;

    for (uint64_t i = 0; i < npages && !in->wrong; i++)
        load_page(waiting, in);
    nrecent = bytes_get(in, 4);
    bytes_check(in, nrecent <= WAITING_RECENT, "too many pages were chosen");
    for (uint64_t i = 0; i < nrecent && !in->wrong; i++) {
        waiting->recent[i] = (uint32_t)bytes_get(in, 4);
        bytes_check(in, waiting->recent[i] < waiting->npages, "a chosen page is unknown");
    }
    waiting->nrecent = in->wrong ? 0 : (uint32_t)nrecent;
}
