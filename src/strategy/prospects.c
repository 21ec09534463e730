#include "strategy/prospects.h"

#include "strategy/array.h"
#include "strategy/crowd.h"

#include <stdlib.h>

static uint32_t *find_slot(const struct prospects *prospects, uint64_t key)
{
    size_t i = key & (prospects->nslots - 1);

    while (prospects->slots[i] && crowd_key(trace_url(prospects->trace, prospects->slots[i] - 1)) != key)
        i = (i + 1) & (prospects->nslots - 1);
    return &prospects->slots[i];
}

void prospects_init(struct prospects *prospects, const struct trace *trace, bool again)
{
    struct trace_size size = trace_size(trace);

    *prospects = (struct prospects){.trace = trace, .npages = size.pages, .again = again, .nslots = 64};
    while (prospects->nslots < (size_t)size.pages * 2)
        prospects->nslots *= 2;
    prospects->slots = calloc(prospects->nslots, sizeof *prospects->slots);
    prospects->ids = calloc((size_t)size.pages + 1, sizeof *prospects->ids);
    prospects->pages = calloc((size_t)size.pages + 1, sizeof *prospects->pages);
    prospects->asked = calloc((size_t)size.users + 1, sizeof *prospects->asked);
    SCENT_BUG_IF(!prospects->slots || !prospects->ids || !prospects->pages || !prospects->asked);
    rounds_init(&prospects->met, size.pages);
    for (uint32_t i = 0; i < size.pages; i++) {
        prospects->ids[i] = PROSPECTS_NONE;
        *find_slot(prospects, crowd_key(trace_url(trace, i))) = i + 1;
    }
}

void prospects_release(struct prospects *prospects)
{
    free(prospects->slots);
    free(prospects->ids);
    free(prospects->pages);
    rounds_release(&prospects->met);
    free(prospects->asked);
    free(prospects->waiting);
}

uint32_t prospects_with_key(const struct prospects *prospects, uint64_t key)
{
    return *find_slot(prospects, key) - 1; /* 0 - 1 is PROSPECTS_NONE */
}

uint32_t prospects_find(const struct prospects *prospects, struct str url)
{
    return prospects_with_key(prospects, crowd_key(url));
}

void prospects_know(struct prospects *prospects, uint32_t page, uint32_t id, bool queued)
{
    prospects->ids[page] = id;
    prospects->pages[page].proposed |= queued;
}

void prospects_begin(struct prospects *prospects)
{
    rounds_begin(&prospects->met);
}

/* ---- proposals ---- */

static void ask_user(struct prospects *prospects, uint32_t user)
{
    if (prospects->asked[user] && !prospects->again)
        return;
    prospects->asked[user] = true;
    prospects->waiting =
        array_grow(prospects->waiting, &prospects->waiting_room, prospects->nwaiting + 1, sizeof *prospects->waiting);
    prospects->waiting[prospects->nwaiting++] = user;
}

void prospects_forget_waiting(struct prospects *prospects)
{
    prospects->nwaiting = prospects->done = 0;
    prospects->at = 0;
}

void prospects_examined(struct prospects *prospects, uint32_t page)
{
    uint32_t count, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(prospects->trace, page, &count);

    prospects->pages[page].examined = 1;
    if (prospects->done == prospects->nwaiting)
        prospects_forget_waiting(prospects);
    if (prospects->again)
        prospects_begin(prospects); /* what this page leads to is proposed once */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t user = trace_at(prospects->trace, positions[i])->user;

        if (user != last)
            ask_user(prospects, user);
        last = user;
    }
}

void prospects_open(struct prospects *prospects)
{
    prospects->opened = true;
}

static bool is_wanted(struct prospects *prospects, uint32_t page)
{
    if (prospects->pages[page].examined)
        return false;
    return prospects->again ? rounds_first(&prospects->met, page) : !prospects->pages[page].proposed;
}

static bool next_of_users(struct prospects *prospects, uint32_t *page)
{
    for (; prospects->done < prospects->nwaiting; prospects->done++, prospects->at = 0) {
        struct trace_range range = trace_of_user(prospects->trace, prospects->waiting[prospects->done]);

        while (prospects->at < range.end - range.begin) {
            *page = trace_at(prospects->trace, range.begin + prospects->at++)->page;
            if (is_wanted(prospects, *page))
                return true;
        }
    }
    return false;
}

bool prospects_next(struct prospects *prospects, uint32_t *page)
{
    bool found = next_of_users(prospects, page);

    while (!found && prospects->opened && prospects->next < prospects->npages) {
        *page = prospects->next++;
        found = !prospects->pages[*page].examined && !prospects->pages[*page].proposed;
    }
    if (found)
        prospects->pages[*page].proposed = 1;
    return found;
}

/* ---- candidates that are there ---- */

static size_t take(struct prospects *prospects, uint32_t page, uint32_t *ids, size_t count, size_t room)
{
    uint32_t id = prospects->ids[page];

    if (id == PROSPECTS_NONE || prospects->pages[page].examined || count == room ||
        !rounds_first(&prospects->met, page))
        return count;
    ids[count] = id;
    return count + 1;
}

size_t prospects_beside(struct prospects *prospects, uint32_t page, size_t looks, uint32_t *ids, size_t room)
{
    uint32_t npositions, last = UINT32_MAX;
    const uint32_t *positions = trace_of_page(prospects->trace, page, &npositions);
    size_t count = 0;

    for (uint32_t i = 0; i < npositions && looks && count < room; i++) {
        uint32_t user = trace_at(prospects->trace, positions[i])->user;
        struct trace_range range = trace_of_user(prospects->trace, user);

        if (user == last)
            continue;
        last = user;
        for (uint32_t at = range.begin; at < range.end && looks && count < room; at++, looks--)
            count = take(prospects, trace_at(prospects->trace, at)->page, ids, count, room);
    }
    return count;
}

size_t prospects_turn(struct prospects *prospects, size_t looks, uint32_t *ids, size_t room)
{
    size_t count = 0;

    if (looks > prospects->npages)
        looks = prospects->npages;
    for (; looks && count < room; looks--) {
        count = take(prospects, prospects->cursor, ids, count, room);
        prospects->cursor = prospects->cursor + 1 < prospects->npages ? prospects->cursor + 1 : 0;
    }
    return count;
}
