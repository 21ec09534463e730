/* larger-sites-first - the next URL is one of the host on which most known URLs wait (Baeza-Yates, Castillo, Marin and
 * Rodriguez), so that no host is left with thousands of them at the end of a crawl.
 *
 * The numbers are kept as they change: a URL waits from the first page that links to it until it is fetched. Only the
 * first waiting URL of a host has the host's number as its priority; the others have 0, and the next one rises when the
 * first is gone. So a page costs a step for each of its links and 16 for the largest hosts, whatever waits.
 * first is gone. So a page costs a step for each of its links and 16 for the largest hosts, however many wait.
 * a first URL that was named as stale and was not asked for is no longer there.
 * Ties: the host that was found first; inside a host in the order of discovery.
 * State: 8 bytes a URL; 60 to 80 a host. */
#include "strategy/saved.h"
#include "strategy/strategies.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdlib.h>

enum { VERSION = 1, LARGEST = 16, NAME_SEED = 0x517e };
#define NONE UINT32_MAX

struct site {
    uint64_t key;         /* hash of its name */
    uint32_t first, last; /* of its URLs in the order of discovery; NONE: none waits */
    uint32_t waiting;
    uint32_t place; /* in the heap */
    bool touched;   /* its number or its first URL changed */
    bool named, confirmed; /* its first URL: stale() told of it, and it was asked for */
};

struct larger_sites {
    const struct scope *scope;
    struct waiting_url {
        uint32_t next; /* on the same host; NONE: it is the last */
        uint32_t site : 31, gone : 1; /* its number + 1; 0: the URL is not known */
    } *urls;           /* by id */
    size_t nurls, urls_room;
    struct site *sites;
    size_t nsites, sites_room;
    struct map by_key;
    uint32_t *heap; /* numbers of sites, the largest on top */
    size_t heap_room;
    uint32_t *touched, *named; /* sites */
    size_t ntouched, touched_room, nnamed, named_room, told;
    bool renew;    /* a page was observed */
    bool restored; /* all candidates must be seen once */
};

static scent_status open_state(const struct strategy_context *context, void **state, struct errmsg *err)
{
    struct larger_sites *sites = calloc(1, sizeof *sites);

    (void)err;
    SCENT_BUG_IF(!sites);
    sites->scope = &context->topic->scope;
    *state = sites;
    return SCENT_OK;
}

static void close_state(void *state)
{
    struct larger_sites *sites = state;

    free(sites->urls);
    free(sites->sites);
    free(sites->heap);
    free(sites->touched);
    free(sites->named);
    map_release(&sites->by_key);
    free(sites);
}

/* ---- the heap of hosts ---- */

static bool comes_before(const struct larger_sites *sites, uint32_t a, uint32_t b)
{
    uint32_t x = sites->sites[a].waiting, y = sites->sites[b].waiting;

    return x > y || (x == y && a < b);
}

static void put_at(struct larger_sites *sites, size_t place, uint32_t site)
{
    sites->heap[place] = site;
    sites->sites[site].place = (uint32_t)place;
}

/* After the number of a host has changed. */
static void settle(struct larger_sites *sites, uint32_t site)
{
    size_t at = sites->sites[site].place;

    for (; at > 0 && comes_before(sites, site, sites->heap[(at - 1) / 2]); at = (at - 1) / 2)
        put_at(sites, at, sites->heap[(at - 1) / 2]);
    for (;;) {
        size_t child = 2 * at + 1;

        if (child + 1 < sites->nsites && comes_before(sites, sites->heap[child + 1], sites->heap[child]))
            child++;
        if (child >= sites->nsites || !comes_before(sites, sites->heap[child], site))
            break;
        put_at(sites, at, sites->heap[child]);
        at = child;
    }
    put_at(sites, at, site);
}

static uint32_t add_site(struct larger_sites *sites, uint64_t key)
{
    uint32_t site = (uint32_t)sites->nsites++;

    SCENT_BUG_IF(!vec_reserve(&sites->sites, &sites->sites_room, sites->nsites, sizeof *sites->sites) ||
                 !vec_reserve(&sites->heap, &sites->heap_room, sites->nsites, sizeof *sites->heap) ||
                 map_add(&sites->by_key, key, site) != SCENT_OK);
    sites->sites[site] = (struct site){.key = key, .first = NONE, .last = NONE, .place = site};
    sites->heap[site] = site;
    settle(sites, site);
    return site;
}

static uint32_t site_of(struct larger_sites *sites, const struct url *url)
{
    uint64_t key = hash_str(url_server(url), NAME_SEED);
    struct map_walk walk = map_find(&sites->by_key, key);

    while (map_next(&walk))
        if (sites->sites[walk.value].key == key)
            return walk.value;
    return add_site(sites, key);
}

/* ---- URLs that wait ---- */

static void touch(struct larger_sites *sites, uint32_t site)
{
    if (sites->sites[site].touched)
        return;
    sites->sites[site].touched = true;
    SCENT_BUG_IF(!vec_reserve(&sites->touched, &sites->touched_room, sites->ntouched + 1, sizeof *sites->touched));
    sites->touched[sites->ntouched++] = site;
}

static struct waiting_url *know(struct larger_sites *sites, uint32_t id)
{
    SCENT_BUG_IF(!vec_reserve(&sites->urls, &sites->urls_room, (size_t)id + 1, sizeof *sites->urls));
    while (sites->nurls <= id)
        sites->urls[sites->nurls++] = (struct waiting_url){.next = NONE};
    return &sites->urls[id];
}

/* To the end of its host's URLs; `waits`: it was not fetched yet. */
static void add_url(struct larger_sites *sites, uint32_t id, const struct url *url, bool waits)
{
    uint32_t number = site_of(sites, url);
    struct site *site = &sites->sites[number];
    struct waiting_url *known = know(sites, id);

    known->site = (number + 1) & INT32_MAX;
    known->gone = !waits;
    if (!waits)
        return;
    if (site->first == NONE)
        site->first = id;
    else
        sites->urls[site->last].next = id;
    site->last = id;
    site->waiting++;
    settle(sites, number);
    touch(sites, number);
}

static void remove_url(struct larger_sites *sites, uint32_t id)
{
    struct waiting_url *url = &sites->urls[id];
    struct site *site = &sites->sites[url->site - 1];

    if (url->gone)
        return;
    url->gone = 1;
    site->waiting--;
    if (site->first == id)
        site->named = false;
    while (site->first != NONE && sites->urls[site->first].gone)
        site->first = sites->urls[site->first].next;
    if (site->first == NONE)
        site->last = NONE;
    settle(sites, url->site - 1);
    touch(sites, url->site - 1);
}

static void observe(void *state, const struct strategy_visit *visit)
{
    struct larger_sites *sites = state;
    const struct page *page = visit->page;

    if (know(sites, visit->id)->site)
        remove_url(sites, visit->id);
    else
        add_url(sites, visit->id, &page->url, false);
    for (uint32_t i = 0; i < page->nlinks; i++)
        if (visit->targets[i] != STRATEGY_UNKNOWN && !know(sites, visit->targets[i])->site &&
            scope_check(sites->scope, &page->links[i].url) == SCOPE_IN)
            add_url(sites, visit->targets[i], &page->links[i].url, true);
    sites->renew = true;
}

/* ---- scores ---- */

/* False: nothing is known of the URL. */
static bool rate(const struct larger_sites *sites, uint32_t id, struct strategy_score *out)
{
    const struct site *site;
    bool is_first;

    if (id >= sites->nurls || !sites->urls[id].site)
        return false;
    site = &sites->sites[sites->urls[id].site - 1];
    is_first = site->first == id;
    out->priority = is_first ? (float)site->waiting : 0;
    out->nparts = 2;
    out->parts[0] = (struct strategy_part){.name = "URLs of its host that wait", .value = site->waiting};
    out->parts[1] = (struct strategy_part){.name = "it is the first of them (1: yes, 0: no)", .value = is_first};
    return true;
}

static void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    *out = (struct strategy_score){0};
    (void)rate(state, visit->targets[link], out);
}

/* The new score is as good as any: both are functions of the URL. */
static void merge(void *state, uint32_t id, const struct strategy_score *kept, struct strategy_score *score)
{
    (void)state, (void)id, (void)kept, (void)score;
}

/* The largest hosts are named at each page: their first URLs may have failed. A walk from the top of the heap, always
 * to the best of the places whose parents were taken. */
static void touch_largest(struct larger_sites *sites)
{
    size_t open[LARGEST + 1] = {0}, nopen = sites->nsites ? 1 : 0;

    for (unsigned n = 0; n < LARGEST && nopen; n++) {
        size_t best = 0, place;

        for (size_t i = 1; i < nopen; i++)
            if (comes_before(sites, sites->heap[open[i]], sites->heap[open[best]]))
                best = i;
        place = open[best];
        touch(sites, sites->heap[place]);
        open[best] = open[--nopen];
        for (size_t child = 2 * place + 1; child <= 2 * place + 2; child++)
            if (child < sites->nsites)
                open[nopen++] = child;
    }
}

/* First URLs that were named and not asked for are gone. Then those of touched and of the largest hosts are named. */
static void name_anew(struct larger_sites *sites)
{
    for (size_t i = 0; i < sites->nnamed; i++) {
        struct site *site = &sites->sites[sites->named[i]];

        if (site->named && !site->confirmed)
            remove_url(sites, site->first);
        site->named = false;
    }
    touch_largest(sites);
    sites->nnamed = sites->told = 0;
    SCENT_BUG_IF(!vec_reserve(&sites->named, &sites->named_room, sites->ntouched, sizeof *sites->named));
    for (size_t i = 0; i < sites->ntouched; i++) {
        struct site *site = &sites->sites[sites->touched[i]];

        site->touched = false;
        site->named = site->first != NONE;
        site->confirmed = false;
        if (site->named)
            sites->named[sites->nnamed++] = sites->touched[i];
    }
    sites->ntouched = 0;
    sites->renew = false;
}

static size_t stale(void *state, uint32_t *ids, size_t room)
{
    struct larger_sites *sites = state;
    size_t n = 0;

    if (sites->restored) {
        sites->restored = false;
        return STRATEGY_ALL;
    }
    if (sites->renew)
        name_anew(sites);
    for (; n < room && sites->told < sites->nnamed; sites->told++)
        ids[n++] = sites->sites[sites->named[sites->told]].first;
    return n;
}

static bool rescore(void *state, uint32_t id, struct strategy_score *score)
{
    struct larger_sites *sites = state;
    float before = score->priority;

    if (!rate(sites, id, score))
        return false;
    if (sites->sites[sites->urls[id].site - 1].first == id)
        sites->sites[sites->urls[id].site - 1].confirmed = true;
    return score->priority != before;
}

static bool explain(void *state, uint32_t id, struct strategy_score *score)
{
    return rate(state, id, score);
}

/* ---- keeping: the order of the URLs of a host is that of their ids in the file ---- */

enum { NAMED = 1, CONFIRMED = 2 };

static scent_status save(void *state, struct buf *out)
{
    const struct larger_sites *sites = state;

    buf_addc(out, VERSION);
    bytes_put(out, sites->nsites, 4);
    bytes_put(out, sites->nurls, 4);
    for (size_t i = 0; i < sites->nsites; i++) {
        const struct site *site = &sites->sites[i];

        bytes_put(out, site->key, 8);
        bytes_put(out, (site->named ? NAMED : 0u) | (site->confirmed ? CONFIRMED : 0u), 1);
        bytes_put(out, site->first, 4);
        bytes_put(out, site->last, 4);
        bytes_put(out, site->waiting, 4);
    }
    for (size_t i = 0; i < sites->nurls; i++) {
        bytes_put(out, sites->urls[i].next, 4);
        bytes_put(out, sites->urls[i].site, 4);
        bytes_put(out, sites->urls[i].gone, 1);
    }
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

static void load_sites(struct larger_sites *sites, struct bytes *in, uint64_t nsites, uint64_t nurls)
{
    SCENT_BUG_IF(!vec_reserve(&sites->named, &sites->named_room, nsites, sizeof *sites->named));
    for (uint64_t i = 0; i < nsites; i++) {
        uint32_t number = add_site(sites, bytes_get(in, 8));
        struct site *site = &sites->sites[number];
        unsigned flags = (unsigned)bytes_get(in, 1);

        site->first = (uint32_t)bytes_get(in, 4);
        site->last = (uint32_t)bytes_get(in, 4);
        site->waiting = (uint32_t)bytes_get(in, 4);
        site->confirmed = flags & CONFIRMED;
        site->named = (flags & NAMED) && site->first != NONE;
        bytes_check(in, site->first == NONE || site->first < nurls, "a host begins nowhere");
        bytes_check(in, site->last == NONE ? site->first == NONE : site->last < nurls, "a host ends nowhere");
        if (site->named)
            sites->named[sites->nnamed++] = number;
        settle(sites, number);
    }
}

/* Each list runs over URLs of its host, and each URL stands in one list: a damaged state must not lead in circles. */
static void check_lists(struct larger_sites *sites, struct bytes *in)
{
    uint64_t left = sites->nurls;

    for (uint32_t i = 0; i < sites->nsites && !in->wrong; i++) {
        const struct site *site = &sites->sites[i];
        uint32_t waiting = 0, last = NONE;

        for (uint32_t id = site->first; id != NONE && !in->wrong; id = sites->urls[id].next) {
            waiting += !sites->urls[id].gone;
            last = id;
            bytes_check(in, left > 0 && sites->urls[id].site == i + 1, "a URL stands in the list of another host");
            left -= left > 0;
        }
        bytes_check(in, waiting == site->waiting, "the number of a host is not that of its URLs");
        bytes_check(in, site->first == NONE || (last == site->last && !sites->urls[site->first].gone),
                    "the ends of a list are not its host's");
    }
}

static scent_status load(void *state, struct str blob, struct errmsg *err)
{
    struct larger_sites *sites = state;
    uint64_t nsites, nurls;
    struct bytes in;

    SCENT_TRY(saved_open("larger-sites-first", VERSION, blob, &in, err));
    nsites = bytes_get(&in, 4);
    nurls = bytes_get(&in, 4);
    if (bytes_has(&in, nsites, 21) && bytes_has(&in, nurls, 9)) {
        load_sites(sites, &in, nsites, nurls);
        if (nurls && !in.wrong)
            (void)know(sites, (uint32_t)(nurls - 1));
    }
    for (size_t i = 0; i < sites->nurls; i++) {
        struct waiting_url *url = &sites->urls[i];
        uint64_t site;

        url->next = (uint32_t)bytes_get(&in, 4);
        site = bytes_get(&in, 4);
        url->gone = bytes_get(&in, 1) & 1;
        if (bytes_check(&in, (url->next == NONE || url->next < nurls) && site <= nsites, "a URL is out of place"))
            url->site = site & INT32_MAX;
    }
    check_lists(sites, &in);
    sites->restored = true;
    return saved_end("larger-sites-first", &in, err);
}

const struct strategy_ops strategy_larger_sites_first = {
    .name = "larger-sites-first",
    .summary = "a URL of the host on which most known URLs wait",
    .paper = "Baeza-Yates, Castillo, Marin and Rodriguez 2005, Crawling a Country",
    .whole_graph = "it counts the URLs that wait on a host, which only the worker of that host can",
    .idle_threshold = "priorities grow with the number of known URLs",
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
