#include "strategy/proposals.h"

#include "base/vec.h"
#include "strategy/usercounts.h"

#include <stdlib.h>

uint32_t proposals_with_key(const struct proposals *proposals, uint64_t key)
{
    struct map_walk walk = map_find(&proposals->by_url, key);

    while (map_next(&walk))
        if (usercounts_key(trace_url(proposals->trace, walk.value)) == key)
            return walk.value;
    return PROPOSALS_NONE;
}

uint32_t proposals_find(const struct proposals *proposals, struct str url)
{
    return proposals_with_key(proposals, usercounts_key(url));
}

void proposals_init(struct proposals *proposals, const struct trace *trace, bool again)
{
    struct trace_size size = trace_size(trace);

    *proposals = (struct proposals){.trace = trace, .npages = size.pages, .again = again};
    proposals->ids = calloc((size_t)size.pages + 1, sizeof *proposals->ids);
    proposals->pages = calloc((size_t)size.pages + 1, sizeof *proposals->pages);
    proposals->requested = calloc((size_t)size.users + 1, sizeof *proposals->requested);
    SCENT_BUG_IF(!proposals->ids || !proposals->pages || !proposals->requested ||
                 map_reserve(&proposals->by_url, size.pages) != SCENT_OK);
    rounds_init(&proposals->met, size.pages);
    for (uint32_t i = 0; i < size.pages; i++) {
        uint64_t key = usercounts_key(trace_url(trace, i));

        proposals->ids[i] = PROPOSALS_NONE;
        SCENT_BUG_IF(map_add(&proposals->by_url, key, i) != SCENT_OK);
    }
}

void proposals_release(struct proposals *proposals)
{
    map_release(&proposals->by_url);
    free(proposals->ids);
    free(proposals->pages);
    rounds_release(&proposals->met);
    free(proposals->requested);
    free(proposals->waiting);
}

void proposals_know(struct proposals *proposals, uint32_t page, uint32_t id, bool queued)
{
    proposals->ids[page] = id;
    proposals->pages[page].proposed |= queued;
}

void proposals_begin(struct proposals *proposals)
{
    rounds_begin(&proposals->met);
}

/* ---- proposals ---- */

static void request_user(struct proposals *proposals, uint32_t user)
{
    if (proposals->requested[user] && !proposals->again)
        return;
    proposals->requested[user] = true;
    SCENT_BUG_IF(!vec_reserve(&proposals->waiting, &proposals->waiting_room, proposals->nwaiting + 1,
                              sizeof *proposals->waiting));
    proposals->waiting[proposals->nwaiting++] = user;
}

void proposals_forget_waiting(struct proposals *proposals)
{
    proposals->nwaiting = proposals->done = 0;
    proposals->at = 0;
}

void proposals_examined(struct proposals *proposals, uint32_t page)
{
    uint32_t count, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(proposals->trace, page, &count);

    proposals->pages[page].examined = 1;
    if (proposals->done == proposals->nwaiting)
        proposals_forget_waiting(proposals);
    if (proposals->again)
        proposals_begin(proposals); /* what this page leads to is proposed once */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = trace_at(proposals->trace, positions[i])->user;

        if (user != last)
            request_user(proposals, user);
        last = user;
    }
}

void proposals_open_all(struct proposals *proposals)
{
    proposals->opened = true;
}

static bool is_wanted(struct proposals *proposals, uint32_t page)
{
    if (proposals->pages[page].examined)
        return false;
    return proposals->again ? rounds_first(&proposals->met, page) : !proposals->pages[page].proposed;
}

static bool next_of_users(struct proposals *proposals, uint32_t *page)
{
    for (; proposals->done < proposals->nwaiting; proposals->done++, proposals->at = 0) {
        struct trace_range range = trace_of_user(proposals->trace, proposals->waiting[proposals->done]);

        while (proposals->at < range.end - range.begin) {
            *page = trace_at(proposals->trace, range.begin + proposals->at++)->page;
            if (is_wanted(proposals, *page))
                return true;
        }
    }
    return false;
}

bool proposals_next(struct proposals *proposals, uint32_t *page)
{
    bool found = next_of_users(proposals, page);

    while (!found && proposals->opened && proposals->next < proposals->npages) {
        *page = proposals->next++;
        found = !proposals->pages[*page].examined && !proposals->pages[*page].proposed;
    }
    if (found)
        proposals->pages[*page].proposed = 1;
    return found;
}

/* ---- candidates that are there ---- */

static size_t take_page(struct proposals *proposals, uint32_t page, uint32_t *ids, size_t count, size_t room)
{
    uint32_t id = proposals->ids[page];

    if (id == PROPOSALS_NONE || proposals->pages[page].examined || count == room ||
        !rounds_first(&proposals->met, page))
        return count;
    ids[count] = id;
    return count + 1;
}

size_t proposals_of_users(struct proposals *proposals, uint32_t page, size_t looks, uint32_t *ids, size_t room)
{
    uint32_t npositions, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(proposals->trace, page, &npositions);
    size_t count = 0;

    for (uint32_t i = 0; i < npositions && looks && count < room; i++) {
        uint32_t user = trace_at(proposals->trace, positions[i])->user;
        struct trace_range range = trace_of_user(proposals->trace, user);

        if (user == last)
            continue;
        last = user;
        for (uint32_t at = range.begin; at < range.end && looks && count < room; at++, looks--)
            count = take_page(proposals, trace_at(proposals->trace, at)->page, ids, count, room);
    }
    return count;
}

size_t proposals_in_turn(struct proposals *proposals, size_t looks, uint32_t *ids, size_t room)
{
    size_t count = 0;

    if (looks > proposals->npages)
        looks = proposals->npages;
    for (; looks && count < room; looks--) {
        count = take_page(proposals, proposals->cursor, ids, count, room);
        proposals->cursor = proposals->cursor + 1 < proposals->npages ? proposals->cursor + 1 : 0;
    }
    return count;
}
