#include "page/repeats.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/rng.h"
#include "base/vec.h"
#include "page/content.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SAVED_VERSION = 2, BLOCK_BYTES = 8 };

struct repeats_host {
    atomic_uint refs;
    uint32_t count;
    uint64_t blocks[]; /* sorted */
};

struct counted {
    uint64_t block;
    uint32_t pages, last; /* on so many; the number of the last, so that a page counts once */
};

struct host {
    uint64_t hash;
    uint32_t pages, known_pages; /* in all, and when `known` was made */
    struct repeats_host *known;
    struct map map; /* of `blocks` */
    struct counted *blocks;
    size_t count, room;
    bool is_full; /* of blocks that must stay, while a page is counted */
};

struct repeats {
    struct map map; /* of `hosts` */
    struct host *hosts;
    size_t count, room;
};

struct repeats *repeats_new(void)
{
    struct repeats *repeats = calloc(1, sizeof *repeats);

    SCENT_BUG_IF(!repeats);
    return repeats;
}

static void host_release(struct host *host)
{
    repeats_host_unref(host->known);
    map_release(&host->map);
    free(host->blocks);
}

static void forget_all(struct repeats *repeats)
{
    for (size_t i = 0; i < repeats->count; i++)
        host_release(&repeats->hosts[i]);
    map_release(&repeats->map);
    free(repeats->hosts);
    *repeats = (struct repeats){0};
}

void repeats_free(struct repeats *repeats)
{
    if (!repeats)
        return;
    forget_all(repeats);
    free(repeats);
}

/* ---- snapshots ---- */

static struct host *find_host(const struct repeats *repeats, uint64_t hash)
{
    struct map_walk walk = map_find(&repeats->map, hash);

    while (map_next(&walk))
        if (repeats->hosts[walk.value].hash == hash)
            return &repeats->hosts[walk.value];
    return NULL;
}

static uint64_t host_hash(const struct url *url)
{
    return hash_str(url_server(url), SAVED_VERSION);
}

struct repeats_host *repeats_of(const struct repeats *repeats, const struct url *url)
{
    const struct host *found = find_host(repeats, host_hash(url));

    if (!found || !found->known)
        return NULL;
    atomic_fetch_add_explicit(&found->known->refs, 1, memory_order_relaxed);
    return found->known;
}

void repeats_host_unref(struct repeats_host *host)
{
    if (host && atomic_fetch_sub_explicit(&host->refs, 1, memory_order_acq_rel) == 1)
        free(host);
}

void repeats_apply(const struct repeats_host *host, struct page *page)
{
    for (uint32_t i = 0; i < page->nblocks; i++)
        page->blocks[i].fingerprint =
            page->blocks[i].is_boilerplate ? 0 : content_fingerprint(page, &page->blocks[i]);
    if (host)
        content_drop_repeated(page, host->blocks, host->count);
}

static bool does_repeat(const struct host *host, const struct counted *counted)
{
    return counted->pages >= REPEATS_PAGES && (uint64_t)counted->pages * REPEATS_SHARE >= host->pages;
}

/* The old snapshot stays where memory is short. */
static void renew(struct host *host)
{
    struct repeats_host *known;
    size_t count = 0;

    for (size_t i = 0; i < host->count; i++)
        count += does_repeat(host, &host->blocks[i]);
    host->known_pages = host->pages;
    known = malloc(sizeof *known + count * sizeof *known->blocks);
    if (!known)
        return;
    atomic_init(&known->refs, 1);
    known->count = 0;
    for (size_t i = 0; i < host->count; i++)
        if (does_repeat(host, &host->blocks[i]))
            known->blocks[known->count++] = host->blocks[i].block;
    qsort(known->blocks, known->count, sizeof *known->blocks, order_u64);
    repeats_host_unref(host->known);
    host->known = known;
}

/* ---- counting ---- */

static struct counted *find_block(struct host *host, uint64_t block)
{
    struct map_walk walk = map_find(&host->map, block);

    while (map_next(&walk))
        if (host->blocks[walk.value].block == block)
            return &host->blocks[walk.value];
    return NULL;
}

/* Blocks that have stood on one page, not on this, or on too few. */
static void make_room_for_blocks(struct host *host)
{
    size_t kept = 0;

    map_clear(&host->map);
    for (size_t i = 0; i < host->count; i++) {
        const struct counted *counted = &host->blocks[i];

        if (counted->last == host->pages ||
            (counted->pages > 1 && (uint64_t)counted->pages * REPEATS_SHARE >= host->pages))
            host->blocks[kept++] = *counted;
    }
    host->count = 0;
    for (size_t i = 0; i < kept; i++)
        if (map_add(&host->map, host->blocks[i].block, (uint32_t)host->count) == SCENT_OK)
            host->blocks[host->count++] = host->blocks[i];
}

static void add_block(struct host *host, uint64_t block, uint32_t pages)
{
    if (host->count == REPEATS_BLOCKS ||
        !vec_reserve(&host->blocks, &host->room, host->count + 1, sizeof *host->blocks) ||
        map_add(&host->map, block, (uint32_t)host->count) != SCENT_OK)
        return;
    host->blocks[host->count++] = (struct counted){block, pages, host->pages};
}

static void make_room_for_hosts(struct repeats *repeats)
{
    size_t kept = 0;

    map_clear(&repeats->map);
    for (size_t i = 0; i < repeats->count; i++) {
        if (repeats->hosts[i].pages > 1)
            repeats->hosts[kept++] = repeats->hosts[i];
        else
            host_release(&repeats->hosts[i]);
    }
    repeats->count = 0;
    for (size_t i = 0; i < kept; i++) {
        if (map_add(&repeats->map, repeats->hosts[i].hash, (uint32_t)repeats->count) == SCENT_OK)
            repeats->hosts[repeats->count++] = repeats->hosts[i];
        else
            host_release(&repeats->hosts[i]);
    }
}

static struct host *add_host(struct repeats *repeats, uint64_t hash)
{
    if (repeats->count == REPEATS_HOSTS)
        make_room_for_hosts(repeats);
    if (repeats->count == REPEATS_HOSTS ||
        !vec_reserve(&repeats->hosts, &repeats->room, repeats->count + 1, sizeof *repeats->hosts) ||
        map_add(&repeats->map, hash, (uint32_t)repeats->count) != SCENT_OK)
        return NULL;
    repeats->hosts[repeats->count] = (struct host){.hash = hash};
    return &repeats->hosts[repeats->count++];
}

void repeats_count(struct repeats *repeats, const struct page *page)
{
    uint64_t hash = host_hash(&page->url);
    struct host *host = find_host(repeats, hash);

    if (!host && !(host = add_host(repeats, hash)))
        return;
    host->pages++;
    for (uint32_t i = 0; i < page->nblocks; i++) {
        uint64_t fingerprint = page->blocks[i].fingerprint;
        struct counted *counted = fingerprint ? find_block(host, fingerprint) : NULL;

        if (counted && counted->last != host->pages) {
            counted->pages++;
            counted->last = host->pages;
        } else if (fingerprint && !counted) {
            if (host->count == REPEATS_BLOCKS && !host->is_full)
                make_room_for_blocks(host);
            host->is_full = host->count == REPEATS_BLOCKS;
            add_block(host, fingerprint, 1);
        }
    }
    host->is_full = false;
    if (host->pages >= REPEATS_PAGES && host->pages - host->known_pages > host->known_pages / 4)
        renew(host);
}

/* ---- judging again ---- */

static uint64_t block_at(struct str blocks, size_t i)
{
    uint64_t block = 0;

    for (size_t k = 0; k < BLOCK_BYTES; k++)
        block |= (uint64_t)(unsigned char)blocks.p[i * BLOCK_BYTES + k] << (8 * k);
    return block;
}

struct repeats_host *repeats_host_new(struct str blocks)
{
    size_t count = blocks.len / BLOCK_BYTES;
    struct repeats_host *host;

    if (!count || count > REPEATS_BLOCKS || !(host = malloc(sizeof *host + count * sizeof *host->blocks)))
        return NULL;
    atomic_init(&host->refs, 1);
    host->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        host->blocks[i] = block_at(blocks, i);
        if (i && host->blocks[i - 1] >= host->blocks[i]) {
            free(host);
            return NULL;
        }
    }
    return host;
}

static bool has_block(const struct repeats_host *host, uint64_t block)
{
    return host && bsearch(&block, host->blocks, host->count, sizeof *host->blocks, order_u64);
}

static uint64_t block_of(uint64_t marked)
{
    return marked & ~(uint64_t)(REPEATS_NOW | REPEATS_FIRST);
}

/* The bits of a block in a record; 0: it is not there. *at moves on to it: blocks are asked about in order. */
static unsigned bits_in(struct str record, size_t *at, uint64_t block)
{
    uint64_t here = 0;

    while (*at < record.len / BLOCK_BYTES && block_of(here = block_at(record, *at)) < block)
        ++*at;
    return *at < record.len / BLOCK_BYTES && block_of(here) == block ? (unsigned)(here - block) : 0;
}

struct str repeats_record(const struct page *page, struct str before, struct arena *arena)
{
    uint64_t *blocks = arena_array(arena, page->nblocks + (size_t)1, sizeof *blocks);
    char *bytes = arena_alloc(arena, (page->nblocks + (size_t)1) * BLOCK_BYTES);
    size_t count = 0, kept = 0, at = 0;

    if (!blocks || !bytes)
        return STR_NONE;
    for (uint32_t i = 0; i < page->nblocks; i++)
        if (page->blocks[i].fingerprint)
            blocks[count++] = page->blocks[i].fingerprint | (page->blocks[i].repeats ? REPEATS_NOW : 0);
    qsort(blocks, count, sizeof *blocks, order_u64);
    for (size_t i = 0; i < count; i++) {
        uint64_t block = blocks[i];

        if (i && block == blocks[i - 1])
            continue;
        if (before.p ? bits_in(before, &at, block_of(block)) & REPEATS_FIRST : block & REPEATS_NOW)
            block |= REPEATS_FIRST;
        for (size_t k = 0; k < BLOCK_BYTES; k++)
            bytes[kept * BLOCK_BYTES + k] = (char)(block >> (8 * k));
        kept++;
    }
    return (struct str){bytes, kept * BLOCK_BYTES};
}

struct repeats_host *repeats_host_of(struct str record, enum repeats_bit bit)
{
    size_t count = record.len / BLOCK_BYTES;
    struct repeats_host *host = malloc(sizeof *host + count * sizeof *host->blocks);

    if (!host)
        return NULL;
    atomic_init(&host->refs, 1);
    host->count = 0;
    for (size_t i = 0; i < count; i++)
        if (block_at(record, i) & bit)
            host->blocks[host->count++] = block_of(block_at(record, i));
    return host;
}

bool repeats_agree(const struct repeats_host *host, struct str record)
{
    for (size_t i = 0; i < record.len / BLOCK_BYTES; i++) {
        uint64_t block = block_at(record, i);

        if (has_block(host, block_of(block)) != (block & REPEATS_NOW))
            return false;
    }
    return true;
}

struct repeats_pair {
    uint64_t block;
    uint32_t host, pages;
};

static int by_host(const void *a, const void *b)
{
    const struct repeats_pair *x = a, *y = b;

    if (x->host != y->host)
        return x->host < y->host ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

static int by_pages(const void *a, const void *b)
{
    const struct repeats_pair *x = a, *y = b;

    return x->pages != y->pages ? (x->pages < y->pages ? 1 : -1) : by_host(a, b);
}

void repeats_tally_release(struct repeats_tally *tally)
{
    map_release(&tally->map);
    free(tally->pages);
    free(tally->pairs);
    free(tally->found);
    *tally = (struct repeats_tally){0};
}

scent_status repeats_tally_size(struct repeats_tally *tally, uint32_t host, struct str record)
{
    if (!vec_reserve(&tally->pages, &tally->hosts_room, host + (size_t)1, sizeof *tally->pages))
        return SCENT_E_NOMEM;
    while (tally->hosts <= host)
        tally->pages[tally->hosts++] = 0;
    tally->pages[host]++;
    if (!tally->records++)
        tally->seed = rng_entropy();
    tally->blocks += record.len / BLOCK_BYTES;
    return SCENT_OK;
}

uint64_t repeats_tally_parts(const struct repeats_tally *tally)
{
    return tally->blocks / REPEATS_PART + 1;
}

/* The pair with no page yet, where it is new. NULL: memory is short. */
static struct repeats_pair *find_pair(struct repeats_tally *tally, uint32_t host, uint64_t block)
{
    uint64_t hash = hash_mix(hash_mix(block, tally->seed), host); /* pages choose their blocks, but not the seed */
    struct map_walk walk = map_find(&tally->map, hash);

    while (map_next(&walk))
        if (tally->pairs[walk.value].block == block && tally->pairs[walk.value].host == host)
            return &tally->pairs[walk.value];
    if (!vec_reserve(&tally->pairs, &tally->room, tally->count + 1, sizeof *tally->pairs) ||
        map_add(&tally->map, hash, (uint32_t)tally->count) != SCENT_OK)
        return NULL;
    tally->pairs[tally->count] = (struct repeats_pair){block, host, 0};
    return &tally->pairs[tally->count++];
}

/* A record has each block once. */
scent_status repeats_tally_add(struct repeats_tally *tally, uint32_t host, struct str record)
{
    size_t count = record.len / BLOCK_BYTES;
    uint64_t parts = repeats_tally_parts(tally);

    SCENT_BUG_IF(host >= tally->hosts);
    if (tally->pages[host] < REPEATS_PAGES)
        return SCENT_OK;
    for (size_t i = 0; i < count; i++) {
        uint64_t block = block_of(block_at(record, i));
        struct repeats_pair *pair;

        if (parts > 1 && (block >> 2) % parts != tally->part)
            continue;
        pair = find_pair(tally, host, block);
        if (!pair)
            return SCENT_E_NOMEM;
        pair->pages++;
    }
    return SCENT_OK;
}

scent_status repeats_tally_end_part(struct repeats_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++) {
        const struct repeats_pair *pair = &tally->pairs[i];
        struct host host = {.pages = tally->pages[pair->host]};

        if (!does_repeat(&host, &(struct counted){.pages = pair->pages}))
            continue;
        if (!vec_reserve(&tally->found, &tally->found_room, tally->nfound + 1, sizeof *tally->found))
            return SCENT_E_NOMEM;
        tally->found[tally->nfound++] = *pair;
    }
    map_clear(&tally->map);
    tally->count = 0;
    tally->part++;
    return SCENT_OK;
}

scent_status repeats_tally_each(struct repeats_tally *tally, repeats_fn *fn, void *ctx)
{
    struct repeats_pair *found = tally->found;
    unsigned char bytes[REPEATS_BLOCKS * BLOCK_BYTES];
    size_t end;

    if (tally->nfound)
        qsort(found, tally->nfound, sizeof *found, by_host);
    for (size_t i = 0; i < tally->nfound; i = end) {
        size_t count;

        for (end = i + 1; end < tally->nfound && found[end].host == found[i].host; end++)
            ;
        count = end - i;
        if (count > REPEATS_BLOCKS) {
            qsort(found + i, count, sizeof *found, by_pages);
            count = REPEATS_BLOCKS;
            qsort(found + i, count, sizeof *found, by_host);
        }
        for (size_t k = 0; k < count * BLOCK_BYTES; k++)
            bytes[k] = (unsigned char)(found[i + k / BLOCK_BYTES].block >> (8 * (k % BLOCK_BYTES)));
        SCENT_TRY(fn(ctx, found[i].host, (struct str){(char *)bytes, count * BLOCK_BYTES}));
    }
    return SCENT_OK;
}

/* ---- kept with the crawl ---- */

static void save_host(const struct host *host, struct buf *out)
{
    uint32_t known = host->known ? host->known->count : 0;

    bytes_put(out, host->hash, 8);
    bytes_put(out, host->pages, 4);
    bytes_put(out, host->known_pages, 4);
    bytes_put(out, host->count, 4);
    bytes_put(out, known, 4);
    for (size_t i = 0; i < host->count; i++) {
        bytes_put(out, host->blocks[i].block, 8);
        bytes_put(out, host->blocks[i].pages | (uint64_t)host->blocks[i].last << 32, 8);
    }
    for (uint32_t i = 0; i < known; i++)
        bytes_put(out, host->known->blocks[i], 8);
}

void repeats_save(const struct repeats *repeats, struct buf *out)
{
    bytes_put(out, SAVED_VERSION, 4);
    for (size_t i = 0; i < repeats->count; i++)
        save_host(&repeats->hosts[i], out);
}

static struct repeats_host *load_known(struct bytes *in, uint32_t count)
{
    struct repeats_host *known = malloc(sizeof *known + count * sizeof *known->blocks);

    if (!bytes_check(in, known, "no memory"))
        return NULL;
    atomic_init(&known->refs, 1);
    known->count = count;
    for (uint32_t i = 0; i < count; i++) {
        known->blocks[i] = bytes_get(in, 8);
        (void)bytes_check(in, i == 0 || known->blocks[i - 1] < known->blocks[i], "blocks are not in order");
    }
    return known;
}

static void load_host(struct repeats *repeats, struct bytes *in)
{
    uint64_t hash = bytes_get(in, 8);
    uint32_t pages = (uint32_t)bytes_get(in, 4), known_pages = (uint32_t)bytes_get(in, 4);
    uint32_t count = (uint32_t)bytes_get(in, 4), known = (uint32_t)bytes_get(in, 4);
    struct host *host;

    if (!bytes_check(in, pages && known_pages <= pages && count <= REPEATS_BLOCKS && known <= REPEATS_BLOCKS &&
                             repeats->count < REPEATS_HOSTS && !find_host(repeats, hash), "a host is wrong"))
        return;
    host = add_host(repeats, hash);
    if (!bytes_check(in, host, "no memory"))
        return;
    host->known_pages = known_pages;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t block = bytes_get(in, 8);
        uint32_t on = (uint32_t)bytes_get(in, 4);

        host->pages = (uint32_t)bytes_get(in, 4); /* its last page, for add_block() */
        if (!bytes_check(in, block && on && on <= pages && host->pages <= pages && !find_block(host, block),
                         "a block is wrong"))
            return;
        add_block(host, block, on);
    }
    host->pages = pages;
    host->known = known_pages ? load_known(in, known) : NULL;
}

bool repeats_load(struct repeats *repeats, struct str saved)
{
    struct bytes in = bytes_of(saved);

    forget_all(repeats);
    (void)bytes_check(&in, bytes_get(&in, 4) == SAVED_VERSION, "another version");
    while (!in.wrong && bytes_left(&in))
        load_host(repeats, &in);
    if (in.wrong)
        forget_all(repeats);
    return !in.wrong;
}
