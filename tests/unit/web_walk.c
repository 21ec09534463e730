/* Where one can get in a generated web by following its links. */
#include "web_sample.h"

enum { STEPS = 16 };

/* Layer by layer: depth is the least number of off-topic pages on the way from the seeds, plus 1. */
struct walk {
    const struct web *web;
    uint32_t wanted;
    uint64_t *first; /* the number of each host's home page among all pages */
    size_t pages, nodes;
    uint8_t *depth; /* 0: not reached */
    struct world_page *now, *next;
    size_t now_count, next_count, next_room;
    struct buf buf;
    struct arena arena;
};

/* The pages of tunnels are numbered behind the others. */
static uint8_t *depth_of(const struct walk *walk, const struct world_page *page)
{
    if (page->step)
        return &walk->depth[walk->pages + page->number * STEPS + page->step];
    return &walk->depth[walk->first[page->host.index] + page->number];
}

static void walk_open(struct walk *walk, const struct web *web)
{
    uint64_t hosts = web_hosts(web);

    *walk = (struct walk){.web = web, .wanted = (uint32_t)web_world(web)->spec.wanted};
    walk->first = calloc(hosts + 1, sizeof *walk->first);
    for (uint64_t i = 0; i < hosts; i++)
        walk->first[i + 1] = walk->first[i] + web_host_pages(web, i);
    walk->pages = walk->first[hosts];
    walk->nodes = walk->pages + hosts * STEPS;
    walk->depth = calloc(walk->nodes, 1);
    walk->now = calloc(walk->nodes, sizeof *walk->now);
    buf_init(&walk->buf, 0);
    arena_init(&walk->arena, 16 << 20);
}

static void walk_close(struct walk *walk)
{
    free(walk->first);
    free(walk->depth);
    free(walk->now);
    free(walk->next);
    buf_release(&walk->buf);
    arena_release(&walk->arena);
}

static void enter(struct walk *walk, const struct world_page *page, uint8_t depth)
{
    if (*depth_of(walk, page))
        return;
    *depth_of(walk, page) = depth;
    walk->now[walk->now_count++] = *page;
}

static void put_off(struct walk *walk, const struct world_page *page)
{
    if (walk->next_count == walk->next_room) {
        walk->next_room = walk->next_room ? walk->next_room * 2 : 1024;
        walk->next = realloc(walk->next, walk->next_room * sizeof *walk->next);
        assert_non_null(walk->next);
    }
    walk->next[walk->next_count++] = *page;
}

static void follow(struct walk *walk, const struct world_page *page)
{
    struct world_page target;
    struct url base, url;
    struct str html;
    uint8_t depth = *depth_of(walk, page);

    arena_reset(&walk->arena);
    assert_int_equal(url_parse(&walk->arena, sample_href(walk->web, page, &walk->arena), NULL, &base), SCENT_OK);
    html = sample_get(walk->web, base.href, &walk->buf).body;
    while (sample_link(&html, &base, &walk->arena, &url)) {
        if (!sample_find(walk->web, url.href, &target) || *depth_of(walk, &target))
            continue;
        if (target.topic == walk->wanted)
            enter(walk, &target, depth);
        else
            put_off(walk, &target);
    }
    if (page->kind == PAGE_REDIRECT) {
        linkage_redirect(web_world(walk->web), page, &target);
        enter(walk, &target, depth);
    }
}

static void walk_all(struct walk *walk)
{
    struct world_page page;
    uint8_t depth = 1;

    for (size_t i = 0; web_seed(walk->web, i, &walk->arena).len; i++) {
        assert_true(sample_find(walk->web, web_seed(walk->web, i, &walk->arena), &page));
        enter(walk, &page, depth);
    }
    while (walk->now_count > 0) {
        while (walk->now_count > 0) {
            page = walk->now[--walk->now_count];
            follow(walk, &page);
        }
        depth++;
        for (size_t i = 0; i < walk->next_count; i++)
            enter(walk, &walk->next[i], depth);
        walk->next_count = 0;
    }
}

struct homes {
    size_t hidden, found; /* `found`: hidden ones that are exactly so far away */
};

/* The home pages of the wanted topic: the open ones are reached without leaving it, the hidden ones behind `length`
 * pages off topic and never earlier. */
static struct homes check_homes(const struct walk *walk, unsigned length)
{
    const struct world *world = web_world(walk->web);
    struct homes homes = {0};

    for (uint64_t index = 0; index < world->topic_start[1]; index++) {
        struct world_host host;
        struct world_page home;
        uint8_t depth;

        world_host(world, index, &host);
        world_page(world, &host, 0, &home);
        depth = *depth_of(walk, &home);
        if (!world_host_is_hidden(world, &host)) {
            assert_int_equal(depth, 1);
            continue;
        }
        homes.hidden++;
        homes.found += depth == 1 + length;
        assert_true(depth == 0 || depth == 1 + length);
    }
    return homes;
}

static struct homes walk_tunnels(const char *more, unsigned length)
{
    struct homes homes;
    struct walk walk;
    struct web *web;
    char yaml[1024];

    snprintf(yaml, sizeof yaml, "gzip: 0\ndead_hosts: 0\ntraps: 0\nhosts: 120\npages_per_host: 15\n"
                                "words: 20\nlinks: 15\n"
                                "duplicates: 0.05\nredirects: 0.05\nsite_focus: 0.9\n%s, length: %u}\n", more, length);
    web = sample_open(yaml);
    walk_open(&walk, web);
    walk_all(&walk);
    homes = check_homes(&walk, length);
    walk_close(&walk);
    web_free(web);
    return homes;
}

static void tunnels_tunnel(void **state)
{
    (void)state;
    for (unsigned length = 1; length <= 3; length++) {
        struct homes homes = walk_tunnels("topics: 6\ntunnels: {share: 0.25", length);

        assert_int_equal(homes.hidden, 5);
        assert_int_equal(homes.found, 5);
    }
}

/* Through ways of their own, with many links that lead on: no shorter, and all of them are found. */
static void ways_tunnel(void **state)
{
    (void)state;
    for (unsigned length = 1; length <= 3; length++) {
        struct homes homes = walk_tunnels("topics: 12\ntunnels: {share: 0.5, ways: 9, lead: 0.6, along: 0.2", length);

        assert_true(homes.hidden >= 15);
        assert_int_equal(homes.found, homes.hidden);
    }
}

static void no_length_hides_nothing(void **state)
{
    struct homes homes = walk_tunnels("topics: 12\ntunnels: {share: 0.5, ways: 9, lead: 0.6, along: 0.2", 0);

    (void)state;
    assert_int_equal(homes.hidden, 0);
}

static double reached_share(const char *yaml)
{
    struct web *web = sample_open(yaml);
    struct walk walk;
    double reached = 0, alive = 0;

    walk_open(&walk, web);
    walk_all(&walk);
    for (uint64_t index = 0; index < web_hosts(web); index++) {
        struct world_host host;
        enum world_host_kind kind;

        world_host(web_world(web), index, &host);
        kind = world_host_kind(web_world(web), &host);
        for (uint64_t number = 0; number < host.pages; number++) {
            struct world_page page;

            world_page(web_world(web), &host, number, &page);
            reached += *depth_of(&walk, &page) > 0 && (kind == HOST_FINE || kind >= HOST_CALENDAR);
            alive += kind == HOST_FINE || kind >= HOST_CALENDAR;
        }
    }
    walk_close(&walk);
    web_free(web);
    return reached / alive;
}

/* docs/guide/generated-web.md states these shares. Large hosts have pages that nobody links to, as in life. */
static void most_pages_are_reachable(void **state)
{
    (void)state;
    assert_true(reached_share("gzip: 0\nhosts: 200\npages_per_host: 20\nwords: 20\n") > 0.97);
    assert_true(reached_share(SAMPLE_CALM "hosts: 100\npages_per_host: 20\nwords: 20\n") > 0.99);
}

/* Redirects end at a page, except for those that were asked to loop. */
static void redirects_end(void **state)
{
    struct web *web = sample_open("hosts: 200\npages_per_host: 20\nredirects: 0.4\nredirect_loops: 0.1\n");
    size_t chains = 0, redirects = 0;

    (void)state;
    for (uint64_t index = 0; index < web_hosts(web); index++) {
        struct world_host host;
        struct world_page page, target;

        world_host(web_world(web), index, &host);
        for (uint64_t number = 0; number < host.pages; number++) {
            int hops = 0;

            world_page(web_world(web), &host, number, &page);
            if (page.kind != PAGE_REDIRECT)
                continue;
            redirects++;
            for (; page.kind == PAGE_REDIRECT; page = target) {
                linkage_redirect(web_world(web), &page, &target);
                assert_int_equal(target.topic, page.topic);
                assert_true(++hops < 40);
            }
            assert_true(world_page_is_html(&page));
            chains += hops > 1;
        }
    }
    assert_true(redirects > 500 && chains > 20);
    web_free(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tunnels_tunnel),
        cmocka_unit_test(ways_tunnel),
        cmocka_unit_test(no_length_hides_nothing),
        cmocka_unit_test(most_pages_are_reachable),
        cmocka_unit_test(redirects_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
