#include "lab/division.h"

#include "base/hash.h"
#include "url/url.h"

#include <stdlib.h>

static struct str name_of(const struct url *url, enum division_by by)
{
    switch (by) {
    case DIVIDED_BY_DOMAIN:
        return url_registered_domain(url_host_without_port(url_server(url)));
    case DIVIDED_BY_HOST:
        return url_server(url);
    default:
        return url->href;
    }
}

/* The hash of its name; 0 for what is no URL, which no collection has. */
static uint64_t hash_of(const struct collection *collection, uint32_t page, enum division_by by, struct arena *arena)
{
    struct url url;

    arena_reset(arena);
    return url_parse(arena, collection_url(collection, page), NULL, &url) == SCENT_OK ? hash_str(name_of(&url, by), 0)
                                                                                      : 0;
}

static bool has_several(const struct collection *collection, enum division_by by)
{
    struct arena arena;
    uint64_t first;
    bool several = false;

    arena_init(&arena, SIZE_MAX);
    first = hash_of(collection, 0, by, &arena);
    for (uint32_t page = 1; page < collection_count(collection) && !several; page++)
        several = hash_of(collection, page, by, &arena) != first;
    arena_release(&arena);
    return several;
}

enum division_by division_kind(const struct collection *collection)
{
    if (has_several(collection, DIVIDED_BY_DOMAIN))
        return DIVIDED_BY_DOMAIN;
    return has_several(collection, DIVIDED_BY_HOST) ? DIVIDED_BY_HOST : DIVIDED_BY_PAGE;
}

scent_status division_make(const struct collection *collection, uint32_t workers, struct division *out,
                           struct errmsg *err)
{
    enum division_by by = workers > 1 ? division_kind(collection) : DIVIDED_BY_PAGE;
    struct arena arena;

    *out = (struct division){.workers = workers};
    out->owners = calloc(collection_count(collection) + (size_t)1, sizeof *out->owners);
    if (!out->owners)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the shares of workers");
    arena_init(&arena, SIZE_MAX);
    for (uint32_t page = 0; page < collection_count(collection) && workers > 1; page++)
        out->owners[page] = (uint32_t)(hash_mix(hash_of(collection, page, by, &arena), 0) % workers);
    arena_release(&arena);
    return SCENT_OK;
}

void division_release(struct division *division)
{
    free(division->owners);
    division->owners = NULL;
}

const char *division_word(enum division_by by)
{
    static const char *const words[] = {"registered domain", "host", "page"};

    return words[by];
}
