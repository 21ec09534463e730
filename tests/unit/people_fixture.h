/* For the tests of collaborative and combined: a small web of two subjects with links, the people who looked at it, and
 * what they tell of its pages, counted anew from the raw accesses each time. */
#ifndef SCENT_TESTS_PEOPLE_FIXTURE_H
#define SCENT_TESTS_PEOPLE_FIXTURE_H

#include "base/rng.h"
#include "ratios_once.h"
#include "strategy_fixture.h"
#include "trace_fixture.h"

enum { PAGES = 40, USERS = 9, WORDS = 10, ACCESSES = 160, LINKS = 5, SEEDS = 2, MINUTE = 60 };

/* ---- a generated web, and who looked at it ---- */

struct world {
    struct arena arena;
    struct page pages[PAGES]; /* in the order of their URLs */
    bool relevant[PAGES], has[PAGES][WORDS], accessed[PAGES];
    struct access {
        unsigned time, user, page;
    } accesses[ACCESSES]; /* by user and time */
    struct trace *trace;
    uint32_t targets[PAGES][LINKS];
};

static inline void make_page(struct world *world, struct rng *rng, uint32_t i)
{
    struct page *page = &world->pages[i];

    world->relevant[i] = rng_below(rng, 3) == 0;
    assert_int_equal(url_parse(&world->arena, arena_printf(&world->arena, "http://t.test/%02u", i), NULL, &page->url),
                     SCENT_OK);
    page->bag = arena_array(&world->arena, WORDS, sizeof *page->bag);
    for (uint32_t w = 0; w < WORDS; w++) {
        world->has[i][w] = rng_unit(rng) < ((w < 4) == world->relevant[i] ? .6 : .2);
        if (world->has[i][w])
            page->bag[page->nbag++] = (struct page_term){.stem = 1000 + w, .tf = 1};
    }
}

/* Each user likes the subject more or less, and some visits stand alone. */
static inline void make_accesses(struct world *world, struct rng *rng)
{
    struct buf log;
    unsigned time = 0, user = 0;
    double likes = .5;

    buf_init(&log, 0);
    for (uint32_t i = 0; i < ACCESSES; i++) {
        struct access *access = &world->accesses[i];

        if (i * USERS / ACCESSES != user || i == 0) {
            user = i * USERS / ACCESSES;
            likes = user % 3 == 0 ? .9 : user % 3 == 1 ? .1 : .4;
            time = 100000;
        }
        time += (rng_below(rng, 6) == 0 ? 31 : 2) * MINUTE;
        *access = (struct access){time, user, 0};
        do
            access->page = (unsigned)rng_below(rng, PAGES);
        while (rng_unit(rng) > (world->relevant[access->page] ? likes : 1 - likes));
        world->accessed[access->page] = true;
        buf_printf(&log, "%u u%u %.*s\n", time, user, STR_ARG(world->pages[access->page].url.href));
    }
    world->trace = trace_of_bytes(buf_str(&log), keeping_users());
    buf_release(&log);
}

/* Links to the same subject are likelier. */
static inline void make_links(struct world *world, struct rng *rng, uint32_t i)
{
    struct page *page = &world->pages[i];

    page->links = arena_array(&world->arena, LINKS, sizeof *page->links);
    while (page->nlinks < LINKS) {
        uint32_t to = (uint32_t)rng_below(rng, PAGES);

        if (to == i || rng_unit(rng) > (world->relevant[to] == world->relevant[i] ? .9 : .4))
            continue;
        world->targets[i][page->nlinks] = to;
        page->links[page->nlinks++].url = world->pages[to].url;
    }
}

static inline void world_init(struct world *world, uint64_t seed)
{
    struct rng rng;

    *world = (struct world){0};
    arena_init(&world->arena, SIZE_MAX);
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < PAGES; i++)
        make_page(world, &rng, i);
    make_accesses(world, &rng);
    for (uint32_t i = 0; i < PAGES; i++)
        make_links(world, &rng, i);
}

/* ---- brute force ---- */

struct brute {
    const struct world *world;
    struct ratios k;
    bool printed;
    uint32_t most; /* users of a page that count */
    bool crawled[PAGES];
};

static inline void recount(struct brute *b)
{
    b->k.pages = b->k.relevant = 0;
    for (uint32_t i = 0; i < PAGES; i++) {
        b->k.pages += b->crawled[i];
        b->k.relevant += b->crawled[i] && b->world->relevant[i];
    }
}

static inline bool looked_at(const struct brute *b, unsigned user, uint32_t page)
{
    for (uint32_t i = 0; i < ACCESSES; i++)
        if (b->world->accesses[i].user == user && b->world->accesses[i].page == page)
            return true;
    return false;
}

static inline double significance(const struct brute *b, double pages, double relevant)
{
    double all = b->k.pages, good = b->k.relevant, off = relevant * all - pages * good;

    /* In whole numbers: those with the same significance are equal, and exact ties are ties. */
    return pages > 0 ? sqrt(off * off * (b->printed ? all : pages) / (pages * pages * good * (all - good))) : 0;
}

static inline void of_user(const struct brute *b, unsigned user, uint32_t *pages, uint32_t *relevant)
{
    *pages = *relevant = 0;
    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && looked_at(b, user, i)) {
            ++*pages;
            *relevant += b->world->relevant[i];
        }
}

static inline double word_ratio(const struct brute *b, uint32_t word)
{
    uint32_t pages = 0, relevant = 0;

    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && b->world->has[i][word]) {
            pages++;
            relevant += b->world->relevant[i];
        }
    return pages >= b->k.support && significance(b, pages, relevant) >= 2 ? ratios_of_event(&b->k, pages, relevant) : 0;
}

static inline double user_taste(const struct brute *b, unsigned user)
{
    double sum = 0, all = 0;

    for (uint32_t w = 0; w < WORDS; w++)
        for (uint32_t i = 0; i < PAGES; i++)
            if (b->crawled[i] && b->world->has[i][w] && looked_at(b, user, i)) {
                sum += word_ratio(b, w);
                all++;
            }
    return all > 0 ? sum / all : 0;
}

/* Is there an access of `page` within five of one of a relevant crawled page, in one session? */
static inline bool is_near(const struct brute *b, uint32_t page)
{
    const struct access *all = b->world->accesses;

    for (uint32_t i = 0; i < ACCESSES; i++)
        for (uint32_t j = i + 1; j < ACCESSES && j <= i + 5; j++) {
            bool forth = all[i].page == page && b->crawled[all[j].page] && b->world->relevant[all[j].page];
            bool back = all[j].page == page && b->crawled[all[i].page] && b->world->relevant[all[i].page];

            if (all[j].user != all[i].user || all[j].time - all[j - 1].time > 30 * MINUTE)
                break;
            if (all[i].page != all[j].page && (forth || back))
                return true;
        }
    return false;
}

static inline double locality(const struct brute *b, uint32_t page)
{
    double base = ratios_base(&b->k), pages = 0, relevant = 0;
    bool near = is_near(b, page);

    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && b->world->accessed[i] && is_near(b, i) == near) {
            pages++;
            relevant += b->world->relevant[i];
        }
    return log((relevant + base) / (pages + 1) / base);
}

static inline float brute_score(const struct brute *b, uint32_t page)
{
    double best[USERS], sum = 0;
    bool taken[USERS] = {0};

    if (!ratios_can_learn(&b->k))
        return 0;
    for (unsigned u = 0; u < USERS; u++) {
        uint32_t pages, relevant;

        of_user(b, u, &pages, &relevant);
        best[u] = looked_at(b, u, page) ? significance(b, pages, relevant) : 0;
    }
    for (uint32_t n = 0; n < b->most; n++) {
        uint32_t top = USERS, pages, relevant;

        for (unsigned u = 0; u < USERS; u++)
            if (!taken[u] && best[u] >= 2 && (top == USERS || best[u] > best[top]))
                top = u;
        if (top == USERS)
            break;
        taken[top] = true;
        of_user(b, top, &pages, &relevant);
        sum += ratios_of_event(&b->k, pages, relevant) + user_taste(b, top);
    }
    return (float)(sum + locality(b, page));
}

#endif
