/* wtms - only pages near a similar page are fetched (Mukherjea's web topic management system).
 *
 * A URL is near when a similar page links to it (it is a child), or when a page that links to it also links to a
 * similar page that was fetched (it is a sibling). Parents of similar pages that were not fetched cannot be known here:
 * nobody tells who links to a page; but a fetched page that turns out to be one makes the rest of its links siblings. A
 * directory of a host is left after 25 pages of which fewer than 10% are similar. A page is similar when the topic's
 * judge finds it relevant [R].
 *
 * The priority of a near URL is .5 + .25 (the share of similar pages among those that link to it + the share of similar
 * ones among its visited siblings) [R]; of all others, and of those in a directory that was left, 0. They stay queued,
 * below the threshold of .5 that this strategy has by default, and rise when a similar sibling is found.
 * State: linkmap.h without words and tokens (80 bytes a URL, 40 a page and 4 for each of its first 256 links), 8 a URL,
 * and 40 to 60 for each of the first 262,144 directories. The work: at most 8 * 256 siblings a page, and each URL once
 * when its directory is left. */
#include "strategy/linkmap.h"
#include "strategy/option.h"
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

enum { VERSION = 1, DIRECTORIES_MAX = 1 << 18, SIBLINGS = LINKMAP_PARENTS * LINKMAP_CHILDREN, NAME_SEED = 0xd1e };
#define NEAR .5f
#define NONE UINT32_MAX

struct wtms {
    uint32_t pages; /* options: a directory is left after so many */
    double share;   /* of which fewer are similar */
    struct linkmap map;
    struct directory {
        uint64_t key; /* hash of its URL */
        uint32_t pages, similar;
        uint32_t first; /* of its URLs, the newest; NONE: none */
        bool left;
    } *directories;
    size_t ndirectories, directories_room;
    struct map by_key;
    struct listed_url {
        uint32_t directory; /* its number + 1; 0: not known */
        uint32_t next;      /* in the directory */
    } *urls;                /* by id */
    size_t nurls, urls_room;
    uint32_t siblings[SIBLINGS]; /* of the page that was observed last, whose numbers changed */
    size_t nsiblings, told;
    uint32_t leaving; /* the next URL of the directory that was just left; NONE: none */
    bool restored;    /* all candidates must be seen once */
};

static const struct strategy_option options[] = {
    {"pages", "25", "a directory is left after so many pages with few similar ones; 0: none is left",
     OPTION_WHOLE(struct wtms, pages, 0, 1000000)},
    {"share", "0.1", "the share of similar pages that a directory needs", OPTION_NUMBER(struct wtms, share, 0, 1)},
    {0},
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    SCENT_TRY(option_new_state(context, sizeof(struct wtms), state, err));
    ((struct wtms *)*state)->leaving = NONE;
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct wtms *wtms = state;

    linkmap_release(&wtms->map);
    map_release(&wtms->by_key);
    free(wtms->directories);
    free(wtms->urls);
    free(wtms);
}

/* ---- directories ---- */

static uint32_t add_directory(struct wtms *wtms, uint64_t key)
{
    uint32_t number = (uint32_t)wtms->ndirectories++;

    SCENT_BUG_IF(
        !vec_reserve(&wtms->directories, &wtms->directories_room, wtms->ndirectories, sizeof *wtms->directories) ||
        map_add(&wtms->by_key, key, number) != SCENT_OK);
    wtms->directories[number] = (struct directory){.key = key, .first = NONE};
    return number;
}

/* The URL up to the last slash of its path. NONE: there are too many directories. */
static uint32_t directory_of(struct wtms *wtms, const struct url *url)
{
    struct str path = url_path(url);
    struct map_walk walk;
    uint64_t key;

    while (path.len && path.p[path.len - 1] != '/')
        path.len--;
    key = hash_mix(hash_str(url_origin(url), NAME_SEED), hash_str(path, NAME_SEED));
    walk = map_find(&wtms->by_key, key);
    while (map_next(&walk))
        if (wtms->directories[walk.value].key == key)
            return walk.value;
    return wtms->ndirectories < DIRECTORIES_MAX ? add_directory(wtms, key) : NONE;
}

/* NULL: it has none. */
static struct directory *enter(struct wtms *wtms, uint32_t id, const struct url *url)
{
    uint32_t number;

    SCENT_BUG_IF(!vec_reserve(&wtms->urls, &wtms->urls_room, (size_t)id + 1, sizeof *wtms->urls));
    while (wtms->nurls <= id)
        wtms->urls[wtms->nurls++] = (struct listed_url){.next = NONE};
    if (wtms->urls[id].directory)
        return &wtms->directories[wtms->urls[id].directory - 1];
    number = directory_of(wtms, url);
    if (number == NONE)
        return NULL;
    wtms->urls[id] = (struct listed_url){number + 1, wtms->directories[number].first};
    wtms->directories[number].first = id;
    return &wtms->directories[number];
}

static void count_page(struct wtms *wtms, struct directory *directory, bool similar)
{
    directory->pages++;
    directory->similar += similar;
    if (directory->left || !wtms->pages || directory->pages < wtms->pages ||
        directory->similar >= wtms->share * directory->pages)
        return;
    directory->left = true;
    wtms->leaving = directory->first;
}

/* ---- pages ---- */

static void observe(void *state, const struct strategy_visit *visit)
{
    struct wtms *wtms = state;
    const struct page *page = visit->page;
    bool similar = visit->judgement->relevant;
    struct directory *directory;

    wtms->nsiblings = wtms->told = 0;
    wtms->leaving = NONE;
    if (linkmap_know(&wtms->map, visit->id)->page)
        return;
    wtms->nsiblings = linkmap_add_page(&wtms->map, visit->id, similar, wtms->siblings, SIBLINGS);
    linkmap_begin(&wtms->map);
    (void)linkmap_first(&wtms->map, visit->id); /* a link to itself is none */
    for (uint32_t i = 0; i < page->nlinks; i++) {
        uint32_t id = visit->targets[i];

        if (id == STRATEGY_UNKNOWN || !linkmap_first(&wtms->map, id))
            continue;
        linkmap_add_child(&wtms->map, id);
        (void)enter(wtms, id, &page->links[i].url);
    }
    linkmap_count_siblings(&wtms->map);
    directory = enter(wtms, visit->id, &page->url);
    if (directory)
        count_page(wtms, directory, similar);
}

/* ---- scores ---- */

static double share_of(uint32_t count, uint32_t of)
{
    return of ? (double)count / of : 0;
}

/* False: no examined page linked to it. Of a fetched page: what was known then. */
static bool rate(struct wtms *wtms, uint32_t id, struct strategy_score *out)
{
    struct linkmap_url *url = linkmap_url(&wtms->map, id);
    struct directory none = {0}, *directory = &none;
    struct linkmap_siblings siblings;
    double linking, beside;

    if (!url || !url->linking)
        return false;
    if (!url->page)
        linkmap_recount(&wtms->map, url);
    siblings = linkmap_siblings(&wtms->map, url);
    if (id < wtms->nurls && wtms->urls[id].directory)
        directory = &wtms->directories[wtms->urls[id].directory - 1];
    linking = share_of(url->relevant, url->linking);
    beside = share_of(siblings.relevant, siblings.visited);
    out->priority = directory->left || linking + beside == 0 ? 0 : NEAR + (float)((linking + beside) / 4);
    out->nparts = 3;
    out->parts[0] = (struct strategy_part){.name = "similar pages that link to it", .value = linking,
                                           .counted = "pages that link to it are similar", .count = url->relevant,
                                           .of = url->linking};
    out->parts[1] = (struct strategy_part){.name = "similar siblings", .value = beside,
                                           .counted = "visited pages beside it are similar",
                                           .count = siblings.relevant, .of = siblings.visited};
    out->parts[2] = (struct strategy_part){.name = "its directory was left (1: yes, 0: no)",
                                           .value = directory->left, .counted = "pages of it are similar",
                                           .count = directory->similar, .of = directory->pages};
    return true;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    *out = (struct strategy_score){0};
    (void)rate(state, visit->targets[link], out);
}

/* The new score knows all pages that link to it. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id, (void)kept, (void)score;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct wtms *wtms = state;
    size_t n = 0;

    if (wtms->restored) {
        wtms->restored = false;
        return STRATEGY_ALL;
    }
    for (; n < room && wtms->told < wtms->nsiblings; wtms->told++)
        ids[n++] = wtms->siblings[wtms->told];
    for (; n < room && wtms->leaving != NONE; wtms->leaving = wtms->urls[wtms->leaving].next)
        ids[n++] = wtms->leaving;
    return n;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    float before = score->priority;

    return rate(state, id, score) && score->priority != before;
}

static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    return rate(state, id, score);
}

/* ---- keeping: a directory's URLs are listed again in the order of their ids ---- */

static scent_status save(void *state, struct buf *out)
{
    const struct wtms *wtms = state;

    buf_addc(out, VERSION);
    linkmap_save(&wtms->map, out);
    bytes_put(out, wtms->ndirectories, 4);
    bytes_put(out, wtms->nurls, 4);
    for (size_t i = 0; i < wtms->ndirectories; i++) {
        bytes_put(out, wtms->directories[i].key, 8);
        bytes_put(out, wtms->directories[i].pages, 4);
        bytes_put(out, wtms->directories[i].similar, 4);
        bytes_put(out, wtms->directories[i].left, 1);
    }
    for (size_t i = 0; i < wtms->nurls; i++)
        bytes_put(out, wtms->urls[i].directory, 4);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct wtms *wtms = state;
    uint64_t ndirectories, nurls;
    struct bytes in;

    SCENT_TRY(saved_open("wtms", VERSION, blob, &in, err));
    linkmap_load(&wtms->map, &in, 0, 0, false);
    ndirectories = bytes_get(&in, 4);
    nurls = bytes_get(&in, 4);
    if (!bytes_check(&in, ndirectories <= DIRECTORIES_MAX, "it has too many directories") ||
        !bytes_has(&in, ndirectories, 17) || !bytes_has(&in, nurls, 4))
        ndirectories = nurls = 0;
    for (uint64_t i = 0; i < ndirectories; i++) {
        uint32_t number = add_directory(wtms, bytes_get(&in, 8));
        struct directory *directory = &wtms->directories[number];

        directory->pages = (uint32_t)bytes_get(&in, 4);
        directory->similar = (uint32_t)bytes_get(&in, 4);
        directory->left = bytes_get(&in, 1);
    }
    SCENT_BUG_IF(!vec_reserve(&wtms->urls, &wtms->urls_room, nurls, sizeof *wtms->urls));
    for (; wtms->nurls < nurls; wtms->nurls++) {
        uint32_t number = (uint32_t)bytes_get(&in, 4);

        if (!bytes_check(&in, number <= ndirectories, "a URL is in no directory"))
            number = 0;
        wtms->urls[wtms->nurls] =
            (struct listed_url){number, number ? wtms->directories[number - 1].first : NONE};
        if (number)
            wtms->directories[number - 1].first = (uint32_t)wtms->nurls;
    }
    wtms->restored = true;
    return saved_end("wtms", &in, err);
}

const struct strategy_ops strategy_wtms = {
    .name = "wtms",
    .summary = "only pages near a similar page: its children, and those beside it; directories without any are left",
    .paper = "Mukherjea 2000, WTMS: A System for Collecting and Analyzing Topic-Specific Web Information",
    .options = options,
    .threshold = NEAR,
    .open = open_state,
    .close = close_state,
    .observe = observe,
    .score = score,
    .merge = merge,
    .stale = stale,
    .rescore = rescore,
    .explain = explain,
    .save = save,
    .load = load,
};
