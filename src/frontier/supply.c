#include "frontier/supply.h"

#include "frontier/schedule.h"

enum { EVICTION_STEPS = 64 };

static const struct held_url *held_in(const struct frontier *f, uint32_t id, enum held_state state)
{
    const struct held_url *url = held_find(&f->held, id);

    return url && url->state == state ? url : NULL;
}

bool supply_has_text(const struct frontier *f, uint32_t id)
{
    return urltext_get(&f->texts, id).len || held_in(f, id, HELD_LOADED);
}

bool supply_was_asked(const struct frontier *f, uint32_t id)
{
    return held_in(f, id, HELD_ASKED);
}

scent_status supply_add(struct frontier *f, uint32_t id, struct str text)
{
    if (text.len > URLTEXT_MAX)
        return SCENT_E_LIMIT;
    /* Below the window everything is committed. */
    if (text.len == 0 || id < urltext_low(&f->texts))
        return SCENT_OK;
    return urltext_add(&f->texts, id, text);
}

void supply_remove(struct frontier *f, uint32_t id)
{
    if (held_find(&f->held, id))
        held_remove(&f->held, id);
    urltext_remove(&f->texts, id);
}

/* The queue's best candidate of some host, which has a heap's place for it? */
static bool is_needed_soon(const struct frontier *f, uint32_t id, uint32_t *host)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);
    unsigned place;

    *host = record->host;
    place = hosttable_at(&f->hosts, record->host)->place;
    return record->position == 0 && (place == HOSTTABLE_READY || place == HOSTTABLE_WAITING);
}

/* ---- the window ---- */

static uint32_t held_apart(const struct frontier *f)
{
    return f->held.count - f->in_flight;
}

/* The text leaves the window. What a ready host needs is kept. */
static void leave_window(struct frontier *f, uint32_t id)
{
    struct str text = urltext_get(&f->texts, id);
    uint32_t host;
    bool needed;

    if (text.len == 0 || candidates_state(&f->candidates, id) != FRONTIER_QUEUED)
        return;
    needed = is_needed_soon(f, id, &host);
    if (needed && held_apart(f) < SUPPLY_HELD && held_add(&f->held, id, HELD_LOADED, text))
        return;
    urltext_remove(&f->texts, id);
    if (needed)
        schedule_place(f, host);
}

void supply_shed(struct frontier *f)
{
    while (f->texts.bytes > f->text_budget && (uint64_t)urltext_low(&f->texts) + URLTEXT_STEP <= f->committed) {
        uint32_t low = urltext_low(&f->texts);

        for (uint32_t id = low; id < low + URLTEXT_STEP; id++)
            leave_window(f, id);
        urltext_shift(&f->texts);
    }
}

void frontier_committed(struct frontier *f, uint32_t end_id)
{
    SCENT_BUG_IF(end_id > f->seen.count);
    if (end_id <= f->committed)
        return;
    f->committed = end_id;
    urltext_skip(&f->texts, end_id);
    supply_shed(f);
}

/* ---- what is needed singly ---- */

/* Looks for a text that is needed later than the candidate of this key. */
static bool make_room(struct frontier *f, uint64_t key)
{
    for (int i = 0; i < EVICTION_STEPS; i++) {
        const struct held_url *url = held_next(&f->held);
        uint32_t host, id;
        bool needed;

        if (!url || url->state != HELD_LOADED || url->id >= f->committed)
            continue;
        id = url->id;
        needed = is_needed_soon(f, id, &host);
        if (needed && hostqueue_best(hosttable_at(&f->hosts, host)) <= key)
            continue;
        held_remove(&f->held, id);
        if (needed)
            schedule_place(f, host);
        return true;
    }
    return false;
}

static bool ask(struct frontier *f, uint32_t id, uint64_t key)
{
    if (held_apart(f) >= SUPPLY_HELD && !make_room(f, key))
        return false;
    return held_add(&f->held, id, HELD_ASKED, STR_NONE) != NULL;
}

void supply_note_visit(struct frontier *f, uint32_t host)
{
    struct supply_recent *recent = &f->recent;

    recent->hosts[recent->next] = host;
    recent->looked[recent->next] = false;
    recent->next = (recent->next + 1) % SUPPLY_RECENT;
    if (recent->count < SUPPLY_RECENT)
        recent->count++;
}

/* How many of the last visits went to this host: it will need so many texts soon. 0 while a quarter of them was not
 * made since the last look: the list need not be made for every visit. */
static uint32_t share_of(const struct supply_recent *recent, uint32_t host)
{
    uint32_t share = 0, fresh = 0;

    for (uint32_t i = 0; i < recent->count; i++)
        if (recent->hosts[i] == host) {
            share++;
            fresh += !recent->looked[i];
        }
    return fresh * 4 < share ? 0 : share;
}

static void mark_looked(struct supply_recent *recent, uint32_t host)
{
    for (uint32_t i = 0; i < recent->count; i++)
        recent->looked[i] |= recent->hosts[i] == host;
}

/* Where there is no room for all the rest follows in the next call. */
static size_t look_ahead(struct frontier *f, uint32_t host, uint32_t *ids, size_t room)
{
    uint32_t best[HOSTQUEUE_LIST], share = share_of(&f->recent, host);
    size_t count = share ? hostqueue_list(hosttable_at(&f->hosts, host), best, share) : 0, n = 0;

    for (size_t i = 0; i < count; i++) {
        if (supply_has_text(f, best[i]) || held_find(&f->held, best[i]))
            continue;
        if (n == room || !ask(f, best[i], UINT64_MAX))
            return n;
        ids[n++] = best[i];
    }
    if (share)
        mark_looked(&f->recent, host);
    return n;
}

size_t frontier_wanted(struct frontier *f, uint32_t *ids, size_t room)
{
    uint32_t host;
    uint64_t key;
    size_t n = 0;

    while (n < room && hostheap_first(&f->starved, &host, &key)) {
        uint32_t id = hosttable_at(&f->hosts, host)->queue[0].id;

        if (!ask(f, id, key))
            return n;
        ids[n++] = id;
        schedule_place(f, host);
    }
    for (uint32_t i = 0; i < f->recent.count && n < room; i++)
        if (!f->recent.looked[i])
            n += look_ahead(f, f->recent.hosts[i], ids + n, room - n);
    return n;
}

scent_status frontier_supply(struct frontier *f, uint32_t id, struct str text)
{
    const struct candidates_record *record;

    if (id >= f->seen.count || !supply_was_asked(f, id))
        return SCENT_OK;
    if (text.len == 0)
        return SCENT_E_INVALID;
    if (text.len > URLTEXT_MAX)
        return SCENT_E_LIMIT;
    if (!held_load(&f->held, id, text))
        return SCENT_E_NOMEM;
    record = candidates_at(&f->candidates, id);
    if (record->position == 0)
        schedule_place(f, record->host);
    return SCENT_OK;
}

struct held_url *supply_lend(struct frontier *f, uint32_t id)
{
    struct held_url *url = held_find(&f->held, id);

    if (!url)
        url = held_add(&f->held, id, HELD_LENT, urltext_get(&f->texts, id));
    if (!url)
        return NULL;
    url->state = HELD_LENT;
    urltext_remove(&f->texts, id);
    return url;
}
