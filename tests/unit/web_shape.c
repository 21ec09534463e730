/* The generated web has the shape that its specification asks for. */
#include "web_sample.h"

struct counts {
    enum world_page_kind kind; /* only these are counted */
    double pages, links, same_topic, outside, menu;
};

/* The links in the main part of a page, and those of its menu. */
static void count_links(const struct web *web, const struct world_page *page, struct buf *buf, struct arena *arena,
                        void *ctx)
{
    struct counts *sum = ctx;
    struct url base, url;
    struct world_page target;
    struct str html, main;

    if (page->kind != sum->kind)
        return;
    sum->pages++;
    assert_int_equal(url_parse(arena, sample_href(web, page, arena), NULL, &base), SCENT_OK);
    html = sample_get(web, base.href, buf).body;
    main = sample_between(html, "<main>", "</main>");
    while (sample_link(&main, &base, arena, &url)) {
        assert_true(sample_find(web, url.href, &target));
        sum->links++;
        sum->same_topic += target.topic == page->topic;
        sum->outside += target.host.index != page->host.index;
    }
    html = sample_between(html, "<nav>", "</nav>");
    while (sample_link(&html, &base, arena, &url))
        sum->menu++;
}

static struct counts count_kind(const struct web *web, enum world_page_kind kind)
{
    struct counts sum = {.kind = kind};

    sample_each_page(web, 50, count_links, &sum);
    return sum;
}

static void links_have_locality(void **state)
{
    static const double localities[] = {0.2, 0.55, 0.9};

    (void)state;
    for (int i = 0; i < 3; i++) {
        char yaml[1024];
        struct counts sum;
        struct web *web;

        snprintf(yaml, sizeof yaml, SAMPLE_CALM "hosts: 120\npages_per_host: 40\nwords: 30\nlinks: 20\nexternal: 0.3\n"
                                                "boilerplate: 0.25\ntunnels: {share: 0}\nhub_locality: 0.95\n"
                                                "locality: %g\n", localities[i]);
        web = sample_open(yaml);
        sum = count_kind(web, PAGE_PLAIN);
        assert_near("locality", sum.same_topic / sum.links, localities[i], 0.03);
        assert_near("external", sum.outside / sum.links, 0.34, 0.05); /* small hosts lack some topics */
        assert_near("links", (sum.links + sum.menu) / sum.pages, 20, 1);
        assert_near("menu", sum.menu / sum.pages, 5, 0.01);
        sum = count_kind(web, PAGE_HUB);
        assert_near("hub locality", sum.same_topic / sum.links, 0.95, 0.03);
        assert_near("hub links", sum.links / sum.pages, 4 * 15, 6);
        web_free(web);
    }
}

/* The links of a tunnel's page: to the next step (at the end, into hidden hosts of the topic), to the same step. */
static void count_ways(const struct web *web, uint64_t hidden, uint32_t step, struct buf *buf, struct arena *arena,
                       double *lead, double *along, double *links)
{
    const struct world *world = web_world(web);
    struct world_page page, target;
    uint32_t goal = world_topic_of(world, hidden);
    struct url base, url;
    struct str main;

    arena_reset(arena);
    world_tunnel(world, hidden, step, &page);
    assert_int_equal(page.topic, 3 + goal * 3 + step - 1); /* each topic has ways of its own, in their order */
    assert_int_equal(url_parse(arena, sample_href(web, &page, arena), NULL, &base), SCENT_OK);
    main = sample_between(sample_get(web, base.href, buf).body, "<main>", "</main>");
    assert_true(sample_link(&main, &base, arena, &url)); /* the way that every tunnel has */
    while (sample_link(&main, &base, arena, &url)) {
        assert_true(sample_find(web, url.href, &target));
        *lead += step < 3 ? target.step == step + 1 : target.topic == goal && world_host_is_hidden(world, &target.host);
        *along += target.step == step;
        assert_true(target.step == 0 || (target.step <= step + 1 && world_topic_of(world, target.number) == goal));
        ++*links;
    }
}

static void tunnels_lead_through_their_ways(void **state)
{
    struct web *web = sample_open(SAMPLE_CALM "hosts: 400\npages_per_host: 5\ntopics: 12\nwords: 20\nlinks: 20\n"
                                              "tunnels: {share: 0.5, length: 3, ways: 9, lead: 0.5, along: 0.3}\n");
    const struct world *world = web_world(web);
    double lead = 0, along = 0, links = 0;
    struct arena arena;
    struct buf buf;

    (void)state;
    arena_init(&arena, 4 << 20);
    buf_init(&buf, 0);
    assert_int_equal(world_goals(world), 3);
    for (uint64_t topic = 0; topic < 12; topic++) {
        double hosts = (double)(world->topic_start[topic + 1] - world->topic_start[topic]);

        assert_near("hosts", hosts, topic < 3 ? 1 + 388 / 3.45 : 1 + 388 * 0.05 / 3.45, 1.01);
        for (uint64_t hidden = world->topic_hidden[topic]; hidden < world->topic_start[topic + 1]; hidden++)
            for (uint32_t step = 1; step <= 3; step++)
                count_ways(web, hidden, step, &buf, &arena, &lead, &along, &links);
    }
    assert_true(links > 5000);
    assert_near("lead", lead / links, 0.5, 0.02);
    assert_near("along", along / links, 0.3, 0.02);
    buf_release(&buf);
    arena_release(&arena);
    web_free(web);
}

/* Counted on the plan: the answers follow it (labels_are_the_plan, answers_follow_the_plan). */
static void shares_of_pages(void **state)
{
    struct web *web = sample_open("hosts: 3000\npages_per_host: 40\nsite_focus: 0.6\nhubs: 0.1\nerrors: 0.1\n"
                                  "redirects: 0.05\nredirect_loops: 0.03\nduplicates: 0.06\nnear_duplicates: 0.04\n"
                                  "other_types: 0.08\n");
    double kinds[9] = {0}, pages = 0, focused = 0, all = 0;

    (void)state;
    for (uint64_t index = 0; index < web_hosts(web); index++) {
        struct world_host host;
        struct world_page page;

        world_host(web_world(web), index, &host);
        all += (double)host.pages;
        for (uint64_t number = 1; number < host.pages; number++) {
            world_page(web_world(web), &host, number, &page);
            kinds[page.kind]++;
            focused += page.topic == host.topic;
            pages++;
        }
    }
    assert_near("pages a host", all / 3000, 40, 4);
    assert_near("site focus", focused / pages, 0.6, 0.01);
    assert_near("errors", kinds[PAGE_ERROR] / pages, 0.1, 0.005);
    assert_near("redirects", kinds[PAGE_REDIRECT] / pages, 0.05, 0.005);
    assert_near("loops", kinds[PAGE_LOOP] / pages, 0.03, 0.005);
    assert_near("duplicates", kinds[PAGE_COPY] / pages, 0.06, 0.005);
    assert_near("near duplicates", kinds[PAGE_NEAR_COPY] / pages, 0.04, 0.005);
    assert_near("other types", (kinds[PAGE_PDF] + kinds[PAGE_PNG]) / pages, 0.08, 0.005);
    assert_near("hubs", kinds[PAGE_HUB] / (kinds[PAGE_HUB] + kinds[PAGE_PLAIN]), 0.1, 0.005);
    web_free(web);
}

static void shares_of_hosts(void **state)
{
    struct web *web = sample_open("hosts: 20000\ndead_hosts: 0.1\ntraps: 0.06\nslow_hosts: {share: 0.2}\n"
                                  "sitemaps: 0.5\n"
                                  "robots: {share: 0.7}\ntunnels: {share: 0.3}\nlanguages: {en: 3, fr: 1}\n");
    const struct world *world = web_world(web);
    double kinds[8] = {0}, slow = 0, maps = 0, robots = 0, hidden = 0, french = 0;

    (void)state;
    for (uint64_t index = 0; index < 20000; index++) {
        struct world_host host;

        world_host(world, index, &host);
        kinds[world_host_kind(world, &host)]++;
        slow += world_host_is_slow(world, &host);
        maps += world_host_has_sitemap(world, &host);
        robots += world_host_has_robots(world, &host);
        hidden += world_host_is_hidden(world, &host);
        french += strcmp(world_host_tongue(world, &host)->code, "fr") == 0;
    }
    assert_near("fine", kinds[HOST_FINE] / 20000, 0.84, 0.01);
    for (int kind = HOST_REFUSES; kind <= HOST_HAS_NO_ADDRESS; kind++)
        assert_near("dead", kinds[kind] / 20000, 0.025, 0.005);
    for (int kind = HOST_CALENDAR; kind <= HOST_DEEP; kind++)
        assert_near("trap", kinds[kind] / 20000, 0.02, 0.005);
    assert_near("slow", slow / 20000, 0.2, 0.01);
    assert_near("sitemaps", maps / 20000, 0.5, 0.01);
    assert_near("robots", robots / 20000, 0.7, 0.01);
    assert_near("hidden", hidden / 20000, 0.3, 0.01);
    assert_near("french", french / 20000, 0.25, 0.01);
    web_free(web);
}

static void topics_can_be_skewed(void **state)
{
    struct web *web = sample_open("hosts: 10000\ntopics: 4\ntopic_skew: 1\n");
    const struct world *world = web_world(web);

    (void)state;
    /* 1 : 1/2 : 1/3 : 1/4 */
    assert_near("largest", (double)world->topic_start[1] / 10000, 12.0 / 25, 0.01);
    assert_near("smallest", (double)(10000 - world->topic_start[3]) / 10000, 3.0 / 25, 0.01);
    web_free(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_have_locality),
        cmocka_unit_test(tunnels_lead_through_their_ways),
        cmocka_unit_test(shares_of_pages),
        cmocka_unit_test(shares_of_hosts),
        cmocka_unit_test(topics_can_be_skewed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
