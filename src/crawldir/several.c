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
    free(several);
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

    if (is_elsewhere(several, directory, by_url))
        return SEVERAL_SAME_URL;
    if (page->digest.len && is_elsewhere(several, directory, by_digest))
        return SEVERAL_SAME_CONTENT;
    add(several, directory, by_url);
    if (page->digest.len)
        add(several, directory, by_digest);
    return SEVERAL_NEW;
}
