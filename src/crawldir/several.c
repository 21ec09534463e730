#include "crawldir/several.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

enum { BY_URL = 1, BY_DIGEST };

struct several {
    struct several_key {
        uint64_t hash;
        size_t directory;
    } *keys;
    size_t count, room;
    struct map by_hash;
    struct several_version {
        uint64_t hash; /* of the URL */
        size_t directory;
        int64_t wall;
    } *versions; /* that took the place of older ones */
    size_t nversions, versions_room;
    struct map by_url;
    size_t looking; /* in this directory */
};

struct several *several_new(void)
{
    struct several *several = calloc(1, sizeof *several);

    SCENT_BUG_IF(!several);
    return several;
}

void several_free(struct several *several)
{
    if (!several)
        return;
    free(several->keys);
    map_release(&several->by_hash);
    free(several->versions);
    map_release(&several->by_url);
    free(several);
}

static struct several_version *find_version(const struct several *several, uint64_t hash)
{
    struct map_walk walk = map_find(&several->by_url, hash);

    while (map_next(&walk))
        if (several->versions[walk.value].hash == hash)
            return &several->versions[walk.value];
    return NULL;
}

static scent_status note_version(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct several *several = ctx;
    struct several_version version = {hash_str(url->url, BY_URL), several->looking, page->wall}, *known;

    if (!page->counted || !page->previous)
        return SCENT_OK;
    known = find_version(several, version.hash);
    if (known) {
        *known = known->wall < version.wall ? version : *known;
        return SCENT_OK;
    }
    if (!vec_reserve(&several->versions, &several->versions_room, several->nversions + 1, sizeof version))
        return SCENT_E_NOMEM;
    several->versions[several->nversions] = version;
    return map_add(&several->by_url, version.hash, (uint32_t)several->nversions++);
}

scent_status several_look(struct several *several, size_t directory, struct store *store, struct errmsg *err)
{
    several->looking = directory;
    return store_each_page(store, 0, note_version, several, err);
}

static bool is_elsewhere(const struct several *several, size_t directory, uint64_t hash)
{
    struct map_walk walk = map_find(&several->by_hash, hash);

    while (map_next(&walk))
        if (several->keys[walk.value].hash == hash)
            return several->keys[walk.value].directory != directory;
    return false;
}

static void add(struct several *several, size_t directory, uint64_t hash)
{
    SCENT_BUG_IF(!vec_reserve(&several->keys, &several->room, several->count + 1, sizeof *several->keys) ||
                 map_add(&several->by_hash, hash, (uint32_t)several->count) != SCENT_OK);
    several->keys[several->count++] = (struct several_key){hash, directory};
}

enum several_page several_meet(struct several *several, size_t directory, const struct store_page *page,
                               struct str url)
{
    uint64_t by_url = hash_str(url, BY_URL), by_digest = hash_str(page->digest, BY_DIGEST);
    const struct several_version *version = find_version(several, by_url);

    if (version && version->directory != directory && version->wall > page->wall)
        return SEVERAL_OLD;
    if (is_elsewhere(several, directory, by_url))
        return SEVERAL_SAME_URL;
    if (page->digest.len && is_elsewhere(several, directory, by_digest))
        return SEVERAL_SAME_CONTENT;
    add(several, directory, by_url);
    if (page->digest.len)
        add(several, directory, by_digest);
    return SEVERAL_NEW;
}
