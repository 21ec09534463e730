#include "app/cluster_check.h"

#include "base/map.h"
#include "base/vec.h"
#include "cluster/cluster.h"
#include "crawldir/crawldir.h"
#include "engine/rows.h"
#include "engine/shares.h"
#include "frontier/frontier.h"

#include <float.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A URL as the log has it; or a page, by its number. */
struct known {
    uint64_t key;    /* its fingerprint; its number */
    float priority;
    uint32_t digest; /* of what the strategy keeps; of a page's URL, status and content */
    uint16_t depth;
    uint8_t off_domain, redirects, tries;
    uint8_t state;   /* of a page: is it counted? */
    bool seed;
    bool met;        /* the directory has it */
};
struct knowns {
    struct known *items;
    size_t count, room;
    struct map map;
};

struct replay {
    struct cluster_check *check;
    struct overseer_member member;
    struct shares shares;
    struct store_place *places; /* by partition, as the directory has read them */
    uint32_t *parts;            /* by host */
    size_t nparts, parts_room;
    struct knowns urls, pages;
    uint64_t *links; /* fingerprints of those that were applied */
    size_t nlinks, links_room;
    bool naming;     /* the log is read again, for the texts of what the directory has not */
    bool left_out;   /* a limit has turned links away, without a row for each */
    struct errmsg *err;
};

static void blame(struct replay *replay, const char *fmt, ...) SCENT_PRINTF(2, 3);
static void blame(struct replay *replay, const char *fmt, ...)
{
    char line[BATCH_URL_MAX + 200];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    replay->check->problems++;
    replay->check->problem(replay->check->ctx, line);
}

static struct known *find(const struct knowns *knowns, uint64_t key)
{
    struct map_walk walk = map_find(&knowns->map, key);

    while (map_next(&walk))
        if (knowns->items[walk.value].key == key)
            return &knowns->items[walk.value];
    return NULL;
}

/* The last record of a key counts. */
static scent_status put(struct replay *replay, struct knowns *knowns, struct known known)
{
    struct known *there = find(knowns, known.key);

    if (there) {
        *there = known;
        return SCENT_OK;
    }
    if (knowns->count >= MAP_NUMBER_MAX ||
        !vec_reserve(&knowns->items, &knowns->room, knowns->count + 1, sizeof *knowns->items) ||
        map_add(&knowns->map, known.key, (uint32_t)knowns->count) != SCENT_OK)
        return errmsg_no_memory(replay->err);
    knowns->items[knowns->count++] = known;
    return SCENT_OK;
}

/* ---- what must be the same ---- */

/* Of seeds and of URLs that a sitemap names, priorities are beyond all numbers, and workers write that differently. */
static float priority_of(float priority, bool seed)
{
    return !seed && priority > -FLT_MAX / 4 && priority < FLT_MAX / 4 ? priority : 0;
}

static struct known known_url(const struct batch_url *url)
{
    return (struct known){.key = url->fingerprint,
                          .priority = priority_of(url->priority, url->seed),
                          .digest = (uint32_t)hash_bytes(url->own, sizeof url->own, 0),
                          .depth = url->depth,
                          .off_domain = url->off_domain,
                          .redirects = url->redirects,
                          .tries = url->tries,
                          .state = url->state,
                          .seed = url->seed};
}

static void compare_url(struct replay *replay, const struct store_url *row, const struct known *known)
{
    float priority = priority_of(row->priority, row->flags & CANDIDATE_SEED);
    const struct {
        const char *what;
        double here, there;
    } numbers[] = {{"priority", (double)priority, (double)known->priority},
                   {"depth", row->depth, known->depth},
                   {"distance from the topic's hosts", row->off_domain, known->off_domain},
                   {"redirects", row->redirects, known->redirects},
                   {"tries", row->tries, known->tries},
                   {"seed", (row->flags & CANDIDATE_SEED) != 0, known->seed}};

    if (known->state != row->state) {
        blame(replay, "%.*s: %s in the directory, %s in the log", STR_ARG(row->url), store_url_state_text(row->state),
              store_url_state_text((enum store_url_state)known->state));
        return;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].here < numbers[i].there || numbers[i].here > numbers[i].there)
            blame(replay, "%.*s: %s %.9g in the directory, %.9g in the log", STR_ARG(row->url), numbers[i].what,
                  numbers[i].here, numbers[i].there);
    if (known->digest != (uint32_t)hash_bytes(row->own, sizeof row->own, 0))
        blame(replay, "%.*s: what the strategy keeps of it differs in the log", STR_ARG(row->url));
}

static uint32_t digest_of_page(uint64_t fingerprint, uint32_t status, struct str digest)
{
    return (uint32_t)hash_mix(hash_str(digest, fingerprint), status);
}

/* ---- the log ---- */

static bool is_owned(const struct replay *replay, uint32_t part)
{
    return part < replay->member.parts && replay->member.epochs[part] &&
           replay->places[part].epoch == replay->member.epochs[part];
}

static scent_status take_state(struct replay *replay, const struct batch_state *state, bool applied, bool own)
{
    const struct batch_page *page = &state->page;
    struct known *known;

    if (state->kind == BATCH_URL && applied && !replay->naming)
        return put(replay, &replay->urls, known_url(&state->url));
    if (state->kind == BATCH_URL && applied && state->url.url.len) {
        known = find(&replay->urls, state->url.fingerprint);
        if (known && !known->met)
            blame(replay, "%.*s: in the log, %s, and not in the directory", STR_ARG(state->url.url),
                  store_url_state_text((enum store_url_state)known->state));
        if (known)
            known->met = true;
    }
    if (state->kind != BATCH_PAGE || !own)
        return SCENT_OK;
    if (!replay->naming)
        return put(replay, &replay->pages,
                   (struct known){.key = page->number,
                                  .digest = digest_of_page(url_fingerprint(page->url, replay->member.key),
                                                           page->status, page->digest),
                                  .state = page->counted});
    known = find(&replay->pages, page->number);
    if (known && !known->met)
        blame(replay, "%.*s: in the log as page %" PRIu64 ", and not in the directory", STR_ARG(page->url),
              page->number);
    return SCENT_OK;
}

static scent_status take_records(struct replay *replay, uint32_t part, struct str records, bool applied, bool own)
{
    struct bytes in = bytes_of(records);
    struct batch_state state;

    while (batch_get_state(&in, STORE_URL_STATES, &state))
        SCENT_TRY(take_state(replay, &state, applied, own));
    if (in.wrong && !replay->naming)
        blame(replay, "partition %u: a row with state is damaged: %s", part, in.wrong);
    return SCENT_OK;
}

static scent_status take_links(struct replay *replay, uint32_t part, struct str records)
{
    struct bytes in = bytes_of(records);
    struct batch_link link;

    while (batch_get_link(&in, &link)) {
        uint64_t fingerprint = url_fingerprint(link.url, replay->member.key);
        const struct known *known = find(&replay->urls, fingerprint); /* what its state says is told there */

        if (replay->naming && !known)
            blame(replay, "%.*s: was sent to this worker, and it does not know it", STR_ARG(link.url));
        if (replay->naming)
            continue;
        if (!vec_reserve(&replay->links, &replay->links_room, replay->nlinks + 1, sizeof *replay->links))
            return errmsg_no_memory(replay->err);
        replay->links[replay->nlinks++] = fingerprint;
    }
    if (in.wrong && !replay->naming)
        blame(replay, "partition %u: a row with links is damaged: %s", part, in.wrong);
    return SCENT_OK;
}

/* What a former owner wrote is in the directory as far as it has read, what it wrote itself since it has the partition
 * from the beginning. */
static scent_status take_row(void *ctx, const struct overseer_row *row)
{
    struct replay *replay = ctx;
    bool owned = is_owned(replay, row->part), read;

    if (row->part >= replay->member.parts)
        return SCENT_OK;
    if (row->damaged) {
        if (!replay->naming)
            blame(replay, "partition %u: a row of the log is damaged", row->part);
        return SCENT_OK;
    }
    read = row->xid < replay->places[row->part].xid ||
           (row->xid == replay->places[row->part].xid && row->row <= replay->places[row->part].row);
    if (!row->is_state)
        return owned && read && !replay->left_out ? take_links(replay, row->part, row->records) : SCENT_OK;
    return take_records(replay, row->part, row->records,
                        owned && (read || row->epoch == replay->places[row->part].epoch),
                        row->writer == replay->member.worker);
}

/* ---- the directory ---- */

static scent_status take_outgoing(void *ctx, const struct store_outgoing *row)
{
    struct replay *replay = ctx;

    replay->check->unsent += !replay->naming;
    return row->kind == CLUSTER_STATE ? take_records(replay, row->part, row->body, is_owned(replay, row->part), true)
                                      : SCENT_OK;
}

static scent_status take_place(void *ctx, const struct store_place *place)
{
    struct replay *replay = ctx;

    if (place->part < replay->member.parts)
        replay->places[place->part] = *place;
    return SCENT_OK;
}

static scent_status take_host(void *ctx, const struct store_host *host)
{
    struct replay *replay = ctx;

    if (!vec_reserve(&replay->parts, &replay->parts_room, host->id + 1u, sizeof *replay->parts))
        return errmsg_no_memory(replay->err);
    while (replay->nparts <= host->id)
        replay->parts[replay->nparts++] = UINT32_MAX;
    if (!host->purged)
        replay->parts[host->id] = shares_part(&replay->shares, host->name);
    return SCENT_OK;
}

static scent_status meet_url(void *ctx, const struct store_url *row)
{
    struct replay *replay = ctx;
    unsigned untold = CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_AGAIN | CANDIDATE_REQUISITE;
    uint64_t key = row->state == STORE_PURGED ? row->purged : url_fingerprint(row->url, replay->member.key);
    struct known *known = find(&replay->urls, key);
    bool owned = row->host < replay->nparts && is_owned(replay, replay->parts[row->host]);

    if (row->state == STORE_PURGED || row->flags & untold) {
        if (known)
            known->met = true;
        return known ? SCENT_OK : put(replay, &replay->urls, (struct known){.key = key, .met = true});
    }
    if (!owned || (row->state == STORE_SEEN && str_eq(row->error, STR(STEER_FOREIGN))))
        return SCENT_OK;
    replay->check->urls++;
    if (!known) {
        blame(replay, "%.*s: %s in the directory, and not in the log", STR_ARG(row->url),
              store_url_state_text(row->state));
        return put(replay, &replay->urls, (struct known){.key = key, .met = true});
    }
    known->met = true;
    compare_url(replay, row, known);
    return SCENT_OK;
}

static scent_status meet_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct replay *replay = ctx;
    struct known *known = find(&replay->pages, page->number);
    bool counted = page->counted || page->replaced_by;

    replay->check->pages += page->counted;
    if (!known) {
        if (page->counted)
            blame(replay, "%.*s: page %" PRIu64 " of the directory is not in the log", STR_ARG(url->url), page->number);
        return SCENT_OK;
    }
    known->met = true;
    if (url->state == STORE_PURGED)
        return SCENT_OK;
    if (known->state != counted || known->digest != digest_of_page(url_fingerprint(url->url, replay->member.key),
                                                                   (uint32_t)page->status, page->digest))
        blame(replay, "%.*s: page %" PRIu64 " of the directory is another one in the log", STR_ARG(url->url),
              page->number);
    return SCENT_OK;
}

/* ---- both ---- */

static bool must_name(const struct replay *replay)
{
    for (size_t i = 0; i < replay->urls.count; i++)
        if (!replay->urls.items[i].met)
            return true;
    for (size_t i = 0; i < replay->pages.count; i++)
        if (!replay->pages.items[i].met)
            return true;
    for (size_t i = 0; i < replay->nlinks; i++)
        if (!find(&replay->urls, replay->links[i]))
            return true;
    return false;
}

static scent_status read_log(struct replay *replay, struct overseer *overseer, struct store *store)
{
    SCENT_TRY(overseer_log(overseer, &replay->member, take_row, replay, replay->err));
    return store_each_outgoing(store, replay->member.mark, take_outgoing, replay, replay->err);
}

static scent_status compare(struct replay *replay, struct overseer *overseer, struct store *store)
{
    struct errmsg *err = replay->err;
    uint64_t last, left_out;

    SCENT_TRY(store_last_outgoing(store, &last, err));
    if (last < replay->member.mark)
        blame(replay, "the directory is older than what the server knows of it (a copy?)");
    replay->left_out = crawldir_get_number(store, CRAWLDIR_LEFT_OUT, &left_out, err) == SCENT_OK && left_out;
    SCENT_TRY(store_each_place(store, take_place, replay, err));
    SCENT_TRY(store_each_host(store, take_host, replay, err));
    SCENT_TRY(read_log(replay, overseer, store));
    SCENT_TRY(store_each_url(store, meet_url, replay, err));
    SCENT_TRY(store_each_page(store, 0, meet_page, replay, err));
    replay->check->links = replay->nlinks;
    replay->naming = true;
    return must_name(replay) ? read_log(replay, overseer, store) : SCENT_OK;
}

scent_status cluster_check(struct overseer *overseer, struct cluster_check *check, struct errmsg *err)
{
    struct replay replay = {.check = check, .err = err};
    struct arena arena;
    struct store *store;
    uint64_t worker;
    scent_status status;

    check->urls = check->links = check->pages = check->unsent = check->problems = 0;
    SCENT_TRY(store_open(check->dir, STORE_READ, &store, err));
    arena_init(&arena, SIZE_MAX);
    status = crawldir_get_number(store, CRAWLDIR_WORKER, &worker, err);
    if (status == SCENT_E_NOTFOUND)
        status = errmsg_fail(err, status, "%s is not the directory of a worker", check->dir);
    if (status == SCENT_OK)
        status = overseer_member(overseer, worker, &arena, &replay.member, err);
    if (status == SCENT_OK) {
        replay.shares = (struct shares){.parts = replay.member.parts, .key = replay.member.key};
        replay.places = arena_zalloc(&arena, (replay.member.parts + 1) * sizeof *replay.places);
        status = replay.places ? compare(&replay, overseer, store) : errmsg_no_memory(err);
    }
    free(replay.parts);
    free(replay.links);
    free(replay.urls.items);
    free(replay.pages.items);
    map_release(&replay.urls.map);
    map_release(&replay.pages.map);
    arena_release(&arena);
    store_close(store);
    return status;
}
