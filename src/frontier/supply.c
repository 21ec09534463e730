/* supply - where the text of a queued URL is: in memory, or on disk.
 *
 * The texts of the newest URLs are in a window on the ids, those that are about to be needed are held singly, all
 * others are on disk. A row that is not committed is never on disk.
 * What is asked for, in this order: the best candidate of each starved host, the best host first; then, for a host
 * that was visited lately, as many of its next candidates as it had of the last SUPPLY_RECENT visits: so a single rich
 * host is supplied 64 ahead, and each of many hosts one ahead while it waits for its delay.
 * At most HELD_MAX texts are held besides those in flight; then one that is needed later makes room for a host that is
 * better than all that are ready. */
#include "frontier/frontier_parts.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdlib.h>

enum { EVICTION_STEPS = 16 };

/* ---- the window: texts of the URLs that were found lately, by id ----
 *
 * It ends with the newest id and begins where the texts still fit the budget. The texts of 64 consecutive ids lie in
 * one allocation, in order of id, and a text that is removed gives its bytes back. They move when others come and go.
 * Memory: the text, 2.5 bytes for its length and place, and at most a fifth of slack.
 * Cost: removing or adding moves half a chunk in the mean, about 3 KB. */

enum { TEXT_MAX = UINT16_MAX, CHUNK_IDS = 64, FIRST_MAX = 1024 };

struct urltext_chunk {
    uint32_t used, room;
    uint16_t lengths[CHUNK_IDS]; /* 0: no text */
    char text[];
};

/* The first id of the window, a multiple of CHUNK_IDS. */
static uint32_t urltext_low(const struct urltext *texts)
{
    return (texts->base + texts->first) * CHUNK_IDS;
}

/* Where the chunk of this id is kept; NULL when it is outside of the window. */
static struct urltext_chunk **place_of(const struct urltext *texts, uint32_t id)
{
    uint32_t i = id / CHUNK_IDS - texts->base;

    return id < urltext_low(texts) || i >= texts->nchunks ? NULL : &texts->chunks[i];
}

static size_t offset_of(const struct urltext_chunk *chunk, uint32_t id)
{
    size_t offset = 0;

    for (uint32_t i = 0; i < id % CHUNK_IDS; i++)
        offset += chunk->lengths[i];
    return offset;
}

/* Makes chunks[index] a place that can be written. */
static bool reach_chunk(struct urltext *texts, uint32_t index)
{
    if (!vec_reserve(&texts->chunks, &texts->room, (size_t)index + 1, sizeof *texts->chunks))
        return false;
    while (texts->nchunks <= index)
        texts->chunks[texts->nchunks++] = NULL;
    return true;
}

static void free_chunk(struct urltext *texts, struct urltext_chunk **at)
{
    texts->bytes -= *at ? sizeof **at + (*at)->room : 0;
    free(*at);
    *at = NULL;
}

/* The window begins CHUNK_IDS ids later; their texts are gone. */
static void urltext_shift(struct urltext *texts)
{
    if (texts->first == texts->nchunks) {
        texts->base++;
        return;
    }
    free_chunk(texts, &texts->chunks[texts->first++]);
    if (texts->first < FIRST_MAX || texts->first * 2 < texts->nchunks)
        return;
    texts->nchunks -= texts->first;
    memmove(texts->chunks, texts->chunks + texts->first, texts->nchunks * sizeof *texts->chunks);
    texts->base += texts->first;
    texts->first = 0;
}

/* An empty window begins with the chunk of this id, where it began earlier. */
static void urltext_skip(struct urltext *texts, uint32_t id)
{
    uint32_t base = id / CHUNK_IDS;

    if (texts->first != texts->nchunks || base <= texts->base + texts->first)
        return;
    texts->base = base;
    texts->first = texts->nchunks = 0;
}

static bool resize_chunk(struct urltext *texts, struct urltext_chunk **at, size_t room)
{
    size_t before = *at ? sizeof **at + (*at)->room : 0;
    bool is_new = !*at;

    if (!vec_fit(at, sizeof **at + room, 1))
        return false;
    if (is_new)
        memset(*at, 0, sizeof **at);
    (*at)->room = (uint32_t)room;
    texts->bytes += sizeof **at + room - before;
    return true;
}

/* The id must have none yet, and not be below the window. */
static scent_status urltext_add(struct urltext *texts, uint32_t id, struct str text)
{
    struct urltext_chunk **at, *chunk;
    size_t need, offset;

    SCENT_BUG_IF(id < urltext_low(texts));
    if (text.len > TEXT_MAX)
        return SCENT_E_LIMIT;
    if (!reach_chunk(texts, id / CHUNK_IDS - texts->base))
        return SCENT_E_NOMEM;
    at = place_of(texts, id);
    need = (*at ? (*at)->used : 0) + text.len;
    if ((!*at || need > (*at)->room) && !resize_chunk(texts, at, need + need / 8 + 128))
        return SCENT_E_NOMEM;
    chunk = *at;
    SCENT_BUG_IF(chunk->lengths[id % CHUNK_IDS]);
    offset = offset_of(chunk, id);
    memmove(chunk->text + offset + text.len, chunk->text + offset, chunk->used - offset);
    if (text.len)
        memcpy(chunk->text + offset, text.p, text.len);
    chunk->used += (uint32_t)text.len;
    chunk->lengths[id % CHUNK_IDS] = (uint16_t)text.len;
    return SCENT_OK;
}

/* Nothing happens when it has none. */
static void urltext_remove(struct urltext *texts, uint32_t id)
{
    struct urltext_chunk **at = place_of(texts, id), *chunk = at ? *at : NULL;
    size_t offset, len;

    if (!chunk || !chunk->lengths[id % CHUNK_IDS])
        return;
    offset = offset_of(chunk, id);
    len = chunk->lengths[id % CHUNK_IDS];
    memmove(chunk->text + offset, chunk->text + offset + len, chunk->used - offset - len);
    chunk->used -= (uint32_t)len;
    chunk->lengths[id % CHUNK_IDS] = 0;
    if (chunk->used == 0)
        free_chunk(texts, at);
    else if (chunk->room > chunk->used + chunk->used / 4 + 256)
        (void)!resize_chunk(texts, at, chunk->used + chunk->used / 8); /* a failure to shrink is none */
}

/* Valid until the next add or remove; empty when it has none. */
static struct str urltext_get(const struct urltext *texts, uint32_t id)
{
    struct urltext_chunk **at = place_of(texts, id), *chunk = at ? *at : NULL;

    if (!chunk || !chunk->lengths[id % CHUNK_IDS])
        return (struct str){"", 0};
    return (struct str){chunk->text + offset_of(chunk, id), chunk->lengths[id % CHUNK_IDS]};
}

/* ---- texts that are needed singly: asked for, loaded from disk, or in flight ----
 *
 * Memory: about 120 bytes and the text; at most HELD_MAX of them and those in flight. Cost: one probe. */

#define NOT_HELD UINT32_MAX

static uint32_t held_place(const struct held *held, uint32_t id)
{
    struct map_walk walk = map_find(&held->by_id, hash_mix(id, 7));

    while (map_next(&walk))
        if (held->urls[walk.value]->id == id)
            return walk.value;
    return NOT_HELD;
}

/* NULL: it is not held. */
static struct held_url *held_find(const struct held *held, uint32_t id)
{
    uint32_t place = held_place(held, id);

    return place == NOT_HELD ? NULL : held->urls[place];
}

static size_t held_size(size_t text_len)
{
    return sizeof(struct held_url) + text_len + 1;
}

static void set_text(struct held_url *url, struct str text)
{
    url->len = (uint16_t)text.len;
    if (text.len)
        memcpy(url->text, text.p, text.len);
    url->text[text.len] = '\0';
}

/* The id must not be there yet. NULL: no memory. */
static struct held_url *held_add(struct held *held, uint32_t id, enum held_state state, struct str text)
{
    uint32_t place = held->ngone ? held->gone[held->ngone - 1] : (uint32_t)held->nurls;
    struct held_url *url;

    if (!vec_reserve(&held->urls, &held->urls_room, (size_t)place + 1, sizeof *held->urls) ||
        !vec_reserve(&held->gone, &held->gone_room, held->nurls + 1, sizeof *held->gone))
        return NULL;
    url = malloc(held_size(text.len));
    if (!url)
        return NULL;
    if (map_add(&held->by_id, hash_mix(id, 7), place) != SCENT_OK) {
        free(url);
        return NULL;
    }
    url->id = id;
    url->state = (uint8_t)state;
    set_text(url, text);
    held->urls[place] = url;
    if (held->ngone)
        held->ngone--;
    else
        held->nurls++;
    held->count++;
    held->bytes += held_size(text.len);
    return url;
}

/* Gives an asked one its text: it is loaded. False: no memory. */
static bool held_load(struct held *held, uint32_t id, struct str text)
{
    struct held_url **url = &held->urls[held_place(held, id)];

    if (!vec_fit(url, held_size(text.len), 1))
        return false;
    held->bytes += text.len;
    set_text(*url, text);
    (*url)->state = HELD_LOADED;
    return true;
}

/* Goes round all of them; NULL: the place is empty. */
static struct held_url *held_next(struct held *held)
{
    if (held->nurls == 0)
        return NULL;
    held->hand = held->hand + 1 < held->nurls ? held->hand + 1 : 0;
    return held->urls[held->hand];
}

static void held_remove(struct held *held, uint32_t id)
{
    uint32_t place = held_place(held, id);

    SCENT_BUG_IF(place == NOT_HELD);
    held->bytes -= held_size(held->urls[place]->len);
    map_remove(&held->by_id, hash_mix(id, 7), place);
    free(held->urls[place]);
    held->urls[place] = NULL;
    held->gone[held->ngone++] = place;
    held->count--;
}

/* ---- both ---- */

void supply_release(struct frontier *f)
{
    for (uint32_t i = f->texts.first; i < f->texts.nchunks; i++)
        free(f->texts.chunks[i]);
    free(f->texts.chunks);
    for (size_t i = 0; i < f->held.nurls; i++)
        free(f->held.urls[i]);
    free(f->held.urls);
    free(f->held.gone);
    map_release(&f->held.by_id);
}

size_t supply_bytes(const struct frontier *f)
{
    return f->texts.bytes + f->texts.room * sizeof *f->texts.chunks + f->held.bytes;
}

struct held_url *supply_lent(const struct frontier *f, uint32_t id)
{
    return held_find(&f->held, id);
}

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
    if (text.len > TEXT_MAX)
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

/* Is it the best candidate of a host whose turn may come soon? */
static bool is_needed_soon(const struct frontier *f, uint32_t id, uint32_t *host)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);
    unsigned place;

    if (record->position != 0)
        return false;
    *host = record->host;
    place = hosttable_at(&f->hosts, record->host)->place;
    return place == HOSTTABLE_READY || place == HOSTTABLE_WAITING;
}

/* ---- texts leave the window ---- */

static uint32_t held_apart(const struct frontier *f)
{
    return f->held.count - f->in_flight;
}

/* The text leaves the window. What a ready host needs is kept. */
static void leave_window(struct frontier *f, uint32_t id)
{
    struct str text = urltext_get(&f->texts, id);
    uint32_t host = 0;
    bool needed;

    if (text.len == 0 || candidates_state(&f->candidates, id) != FRONTIER_QUEUED)
        return;
    needed = is_needed_soon(f, id, &host);
    if (needed && held_apart(f) < HELD_MAX && held_add(&f->held, id, HELD_LOADED, text))
        return;
    urltext_remove(&f->texts, id);
    if (needed)
        schedule_place(f, host);
}

void supply_shed(struct frontier *f)
{
    while (f->texts.bytes > f->text_budget && (uint64_t)urltext_low(&f->texts) + CHUNK_IDS <= f->committed) {
        uint32_t low = urltext_low(&f->texts);

        for (uint32_t id = low; id < low + CHUNK_IDS; id++)
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

/* A starved host is urgent when it is better than all that are ready: only then others lose their text to it. Were it
 * enough to be better than one of them, each that came in would drive out another, which would come back, and so on. */
static uint64_t urgency(const struct frontier *f, uint64_t key)
{
    uint32_t host;
    uint64_t first;

    return hostheap_first(&f->ready, &host, &first) && first < key ? UINT64_MAX : key;
}

/* Looks for a text that is not needed soon, or later than the candidate of this key. */
static bool make_room(struct frontier *f, uint64_t key)
{
    for (int i = 0; i < EVICTION_STEPS; i++) {
        const struct held_url *url = held_next(&f->held);
        uint32_t host = 0, id;
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

static bool ask_for(struct frontier *f, uint32_t id, uint64_t key)
{
    if (held_apart(f) >= HELD_MAX && !make_room(f, key))
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
        if (n == room || !ask_for(f, best[i], UINT64_MAX))
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

        if (!ask_for(f, id, urgency(f, key)))
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
    if (text.len > TEXT_MAX)
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
