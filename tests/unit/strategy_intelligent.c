/* The learning crawler against Figure 1 of the paper done by brute force: everything is counted again from the raw
 * history at each step. Webs are small enough for the strategy's bounds not to bite: bounded re-scoring reaches all
 * candidates of a web of 9 pages, after each page,, and must do there what scoring all of them again does. */
#include "base/rng.h"
#include "strategy/learner.h"
#include "ratios_once.h"
#include "strategy_fixture.h"

#include <stdlib.h>

enum { PAGES = 48, FEW = 9, WORDS = 14, LINKS = 9, SEEDS = 2, FACTORS = 4 };

/* ---- a generated web ---- */

struct web {
    struct arena arena;
    uint32_t size; /* pages that are linked */
    struct page pages[PAGES];
    uint32_t targets[PAGES][LINKS];
    bool relevant[PAGES], has[PAGES][WORDS], links[PAGES][PAGES];
};

static void make_words(struct web *web, struct rng *rng, uint32_t i)
{
    struct page *page = &web->pages[i];

    page->bag = arena_array(&web->arena, WORDS, sizeof *page->bag);
    for (uint32_t w = 0; w < WORDS; w++) {
        web->has[i][w] = rng_unit(rng) < ((w < 4) == web->relevant[i] ? .6 : .15);
        if (web->has[i][w])
            page->bag[page->nbag++] = (struct page_term){.stem = 1000 + w, .tf = 1 + (uint32_t)rng_below(rng, 3)};
    }
}

/* Links to the same subject are likelier; nobody has more parents than are kept, `most` of them. Some pages name a target twice. */
static void make_links(struct web *web, struct rng *rng, uint32_t i, uint32_t *parents, uint32_t most)
{
    struct page *page = &web->pages[i];

    page->links = arena_array(&web->arena, LINKS, sizeof *page->links);
    for (uint32_t tries = 0; tries < 30 && page->nlinks < LINKS - 3; tries++) {
        uint32_t to = (uint32_t)rng_below(rng, web->size);

        if (to == i || (!web->links[i][to] && parents[to] == most) ||
            rng_unit(rng) > (web->relevant[to] == web->relevant[i] ? .9 : .4))
            continue;
        parents[to] += !web->links[i][to];
        web->links[i][to] = true;
        web->targets[i][page->nlinks] = to;
        page->links[page->nlinks++].url = web->pages[to].url;
    }
}

static void web_init(struct web *web, uint32_t size, uint32_t most, uint64_t seed)
{
    uint32_t parents[PAGES] = {0};
    struct rng rng;

    *web = (struct web){.size = size};
    arena_init(&web->arena, SIZE_MAX);
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < PAGES; i++) {
        web->relevant[i] = rng_below(&rng, 3) == 0;
        assert_int_equal(url_parse(&web->arena,
                                   arena_printf(&web->arena, "http://h%u.test/%s/%u.html", (unsigned)rng_below(&rng, 3),
                                                rng_unit(&rng) < (web->relevant[i] ? .7 : .2) ? "ski" : "sea", i),
                                   NULL, &web->pages[i].url),
                         SCENT_OK);
        make_words(web, &rng, i);
    }
    for (uint32_t i = 0; i < size; i++)
        make_links(web, &rng, i, parents, most);
}

/* ---- brute force ---- */

struct brute {
    const struct web *web;
    struct ratios k; /* t and the options; the counts are made anew each time */
    uint32_t at[PAGES]; /* when a page was crawled: 1, 2, …; 0: not yet */
    uint32_t crawled;
    double weight[FACTORS];
    bool each; /* seed counts; else all of them are one page */
};

/* Words and tokens count it. */
static bool teaches(const struct brute *b, uint32_t x)
{
    return b->at[x] && (b->each || x >= SEEDS);
}

/* u was crawled before v was, and links to it. */
static bool is_parent(const struct brute *b, uint32_t u, uint32_t v)
{
    return u != v && b->at[u] && b->web->links[u][v] && (!b->at[v] || b->at[u] < b->at[v]);
}

static void recount(struct brute *b)
{
    double seeds = 0, good = 0;

    b->k.pages = b->k.relevant = 0;
    memset(b->k.links, 0, sizeof b->k.links);
    for (uint32_t u = 0; u < PAGES; u++) {
        b->k.pages += teaches(b, u);
        b->k.relevant += teaches(b, u) && b->web->relevant[u];
        seeds += b->at[u] && !teaches(b, u);
        good += b->at[u] && !teaches(b, u) && b->web->relevant[u];
        for (uint32_t v = 0; v < PAGES; v++)
            if (b->at[u] && b->at[v] && b->web->links[u][v])
                b->k.links[(b->web->relevant[u] ? 0 : 2) + (b->web->relevant[v] ? 0 : 1)]++;
    }
    b->k.pages += seeds > 0;
    b->k.relevant += seeds > 0 ? good / seeds : 0;
}

static bool parents_say(const struct brute *b, uint32_t v, uint32_t word)
{
    for (uint32_t u = 0; u < PAGES; u++)
        if (is_parent(b, u, v) && b->web->has[u][word])
            return true;
    return false;
}

static double brute_content(const struct brute *b, uint32_t v)
{
    double sum = 0;

    for (uint32_t w = 0; w < WORDS; w++) {
        uint64_t pages = 0, relevant = 0;

        if (!parents_say(b, v, w))
            continue;
        for (uint32_t x = 0; x < PAGES; x++)
            if (teaches(b, x) && parents_say(b, x, w)) {
                pages++;
                relevant += b->web->relevant[x];
            }
        sum += ratios_if_significant(&b->k, pages, relevant);
    }
    return sum;
}

static bool url_has(const struct brute *b, uint32_t v, const char *token)
{
    char url[128], *save = NULL;

    snprintf(url, sizeof url, "%.*s", STR_ARG(b->web->pages[v].url.href));
    for (char *t = strtok_r(url + strlen("http://"), "./", &save); t; t = strtok_r(NULL, "./", &save))
        if (strcmp(t, token) == 0)
            return true;
    return false;
}

static double brute_tokens(const struct brute *b, uint32_t v)
{
    char url[128], *save = NULL;
    double sum = 0;

    snprintf(url, sizeof url, "%.*s", STR_ARG(b->web->pages[v].url.href));
    for (char *t = strtok_r(url + strlen("http://"), "./", &save); t; t = strtok_r(NULL, "./", &save)) {
        uint64_t pages = 0, relevant = 0;

        for (uint32_t x = 0; x < PAGES; x++)
            if (teaches(b, x) && url_has(b, x, t)) {
                pages++;
                relevant += b->web->relevant[x];
            }
        sum += ratios_if_significant(&b->k, pages, relevant);
    }
    return sum;
}

static double brute_links(const struct brute *b, uint32_t v)
{
    uint64_t pages = 0, relevant = 0;

    for (uint32_t u = 0; u < PAGES; u++)
        if (is_parent(b, u, v)) {
            pages++;
            relevant += b->web->relevant[u];
        }
    return ratios_of_links(&b->k, pages, relevant);
}

static bool are_siblings(const struct brute *b, uint32_t v, uint32_t x)
{
    for (uint32_t u = 0; u < PAGES; u++)
        if (is_parent(b, u, v) && b->web->links[u][x])
            return v != x;
    return false;
}

static double brute_siblings(const struct brute *b, uint32_t v)
{
    uint64_t pages = 0, relevant = 0;

    for (uint32_t x = 0; x < PAGES; x++)
        if (b->at[x] && are_siblings(b, v, x)) {
            pages++;
            relevant += b->web->relevant[x];
        }
    return ratios_of_siblings(&b->k, pages, relevant);
}

static void brute_factors(const struct brute *b, uint32_t v, double *logs)
{
    logs[0] = brute_content(b, v);
    logs[1] = brute_tokens(b, v);
    logs[2] = brute_links(b, v);
    logs[3] = brute_siblings(b, v);
}

static float brute_score(const struct brute *b, uint32_t v)
{
    double logs[FACTORS], sum = 0;

    brute_factors(b, v, logs);
    for (int i = 0; i < FACTORS; i++)
        sum += b->weight[i] * logs[i];
    return (float)sum;
}

static void brute_balance(struct brute *b)
{
    double mean[FACTORS] = {0}, logs[FACTORS], n = 0;

    for (uint32_t v = 0; v < PAGES; v++) {
        bool named = false;

        for (uint32_t u = 0; u < PAGES; u++)
            named |= is_parent(b, u, v);
        if (b->at[v] || !named)
            continue;
        n++;
        brute_factors(b, v, logs);
        for (int i = 0; i < FACTORS; i++)
            mean[i] += fabs(logs[i]);
    }
    for (int i = 0; i < FACTORS; i++)
        b->weight[i] = mean[i] > 0 ? 1 / (mean[i] / n) : 1;
}

/* ---- side by side ---- */

enum mode { NEVER, ALWAYS };

struct race {
    struct web web;
    struct strategy_fixture f;
    struct brute brute;
    enum mode mode;
    bool balanced;
    struct strategy_score kept[PAGES]; /* what the strategy says */
    float wants[PAGES];                /* what brute force says */
    uint32_t found[PAGES];             /* in which order; 0: not yet */
    uint32_t nfound;
};

static bool is_queued(const struct race *r, uint32_t v)
{
    return r->found[v] && !r->brute.at[v];
}

/* Sums are made in another order, so that the last bits differ: ties are those that are equal to 1/4096. */
static long grade(float priority)
{
    return lround((double)priority * 4096);
}

static uint32_t best(const struct race *r, bool by_brute)
{
    uint32_t first = PAGES;

    for (uint32_t v = 0; v < PAGES; v++) {
        long mine = grade(by_brute ? r->wants[v] : r->kept[v].priority), top;

        if (!is_queued(r, v))
            continue;
        top = first == PAGES ? 0 : grade(by_brute ? r->wants[first] : r->kept[first].priority);
        if (first == PAGES || mine > top || (mine == top && r->found[v] < r->found[first]))
            first = v;
    }
    return first;
}

static void rescore_strategy(struct race *r)
{
    const struct strategy *s = &r->f.strategy;
    uint32_t ids[4];
    size_t n;

    do {
        n = s->ops->stale(s->state, ids, 4);
        for (uint32_t i = 0; i < (n == STRATEGY_ALL ? PAGES : n); i++) {
            uint32_t id = n == STRATEGY_ALL ? i : ids[i];

            if (is_queued(r, id))
                (void)s->ops->rescore(s->state, id, &r->kept[id]);
        }
    } while (n == 4);
}

static void crawl_strategy(struct race *r, uint32_t x)
{
    struct judgement judgement = {.relevant = r->web.relevant[x]};
    struct strategy_visit visit = {.number = r->brute.crawled + 1, .id = x, .page = &r->web.pages[x],
                                   .judgement = &judgement, .targets = r->web.targets[x], .seed = x < SEEDS,
                                   .own = r->f.own};
    const struct strategy *s = &r->f.strategy;

    s->ops->observe(s->state, &visit);
    for (uint32_t i = 0; i < visit.page->nlinks; i++) {
        uint32_t to = visit.targets[i];
        struct strategy_score score = {0};

        s->ops->score(s->state, &visit, i, &score);
        if (is_queued(r, to))
            strategy_merge(s, to, &r->kept[to], &score);
        if (!r->found[to])
            r->found[to] = ++r->nfound;
        r->kept[to] = score;
    }
    rescore_strategy(r);
}

/* Figure 1: update K, score the descendants; and, beyond it, score all others again. */
static void crawl_brute(struct race *r, uint32_t x)
{
    struct brute *b = &r->brute;

    b->at[x] = ++b->crawled;
    recount(b);
    if (r->balanced)
        brute_balance(b);
    for (uint32_t v = 0; v < PAGES; v++)
        if (!b->at[v] && (r->web.links[x][v] || r->mode == ALWAYS))
            r->wants[v] = brute_score(b, v);
}

static void assert_alike(const struct race *r)
{
    for (uint32_t v = 0; v < PAGES; v++)
        if (is_queued(r, v) && fabs((double)(r->kept[v].priority - r->wants[v])) > 1e-4)
            fail_msg("after %u pages candidate %u has %f, by brute force %f", r->brute.crawled, v,
                     (double)r->kept[v].priority, (double)r->wants[v]);
}

struct setup {
    const char *options;
    enum mode mode;
    bool balanced;
    struct ratios k; /* its options */
    bool each;       /* seed is a page, and all parents and words count */
    uint32_t size;
};

static uint32_t race(const struct setup *setup, uint64_t seed)
{
    static struct race r; /* large */
    char yaml[256];
    uint32_t moved = 0;

    memset(&r, 0, sizeof r);
    web_init(&r.web, setup->size, setup->each ? PAGES : LINKMAP_PARENTS, seed);
    snprintf(yaml, sizeof yaml, "strategy: {name: intelligent%s}", setup->options);
    fixture_open(&r.f, yaml);
    r.mode = setup->mode;
    r.balanced = setup->balanced;
    r.brute = (struct brute){.web = &r.web, .weight = {1, 1, 1, 1}, .k = setup->k, .each = setup->each};
    for (uint32_t x = 0; x < PAGES;) {
        crawl_strategy(&r, x);
        crawl_brute(&r, x);
        assert_alike(&r);
        x = x + 1 < SEEDS ? x + 1 : best(&r, false);
        if (r.brute.crawled >= SEEDS) {
            assert_int_equal(x, best(&r, true));
            moved += x < PAGES && r.wants[x] != 0;
        }
    }
    fixture_close(&r.f);
    arena_release(&r.web.arena);
    return moved;
}

#define OURS {.t = 2, RATIOS_OURS}
#define BOTH {.t = 2, .siblings = RATIOS_SIBLINGS_BOTH, RATIOS_OURS}
#define PRINTED \
    {.t = 2, .n = RATIOS_N_RELEVANT, .siblings = RATIOS_SIBLINGS_ABOVE, .smoothing = 1, .support = 1}
#define HALF {.t = 2, .n = RATIOS_N_RELEVANT, .siblings = RATIOS_SIBLINGS_ABOVE, .smoothing = .5, .support = 1}

static void crawls_as_brute_force_does(void **state)
{
    static const struct setup setups[] = {
        {", rescore: never", NEVER, false, OURS, false, PAGES},
        {", preset: paper", NEVER, false, PRINTED, true, PAGES},
        {", preset: paper, smoothing: 0.5", NEVER, false, HALF, true, PAGES},
        {", rescore: always, weights: equal", ALWAYS, false, OURS, false, PAGES},
        {", rescore: always", ALWAYS, true, OURS, false, PAGES},
        {", rescore: always, siblings: both", ALWAYS, true, BOTH, false, PAGES},
        {", weights: equal", ALWAYS, false, OURS, false, FEW},
        {", preset: paper, rescore: bounded", ALWAYS, false, PRINTED, true, FEW},
    };

    (void)state;
    for (size_t i = 0; i < sizeof setups / sizeof *setups; i++) {
        uint32_t moved = 0;

        for (uint64_t seed = 1; seed <= 12; seed++)
            moved += race(&setups[i], seed);
        assert_true(moved > setups[i].size); /* it learned something, and went on */
    }
}

/* ---- bounds and details ---- */

static void what_is_kept_is_bounded(void **state)
{
    struct linkmap map = {0};
    uint32_t siblings[1];

    (void)state;
    linkmap_add_page(&map, 0, true, siblings, 1);
    for (uint32_t i = 1; i <= 300; i++)
        linkmap_add_child(&map, i);
    for (uint32_t i = 0; i < 70; i++)
        linkmap_add_word(&map, i);
    assert_int_equal(linkmap_children(&map, 0).count, LINKMAP_CHILDREN);
    assert_int_equal(linkmap_words(&map, 0).count, LINKMAP_WORDS);
    assert_int_equal(linkmap_url(&map, 300)->nparents, 1); /* not listed as a child, and related all the same */
    assert_int_equal(linkmap_url(&map, 300)->linking, 1);
    for (uint32_t p = 400; p < 410; p++) {
        linkmap_add_page(&map, p, p % 2, siblings, 1);
        linkmap_add_child(&map, 7);
    }
    assert_int_equal(linkmap_url(&map, 7)->nparents, LINKMAP_PARENTS);
    assert_int_equal(linkmap_url(&map, 7)->linking, 11);
    assert_int_equal(linkmap_url(&map, 7)->relevant, 6);
    linkmap_release(&map);
}

/* A hub of 400 links, of which 50 are visited: 40 relevant ones of the last hundred, and 10 others of the first. Every
 * candidate has the same siblings, wherever its link stands; after a restart too. */
static void siblings_at_a_large_hub(void **state)
{
    enum { OUT = 400, HUB = 1000, OTHERS = 10, GOOD = 40 };
    struct learner *learner = calloc(1, sizeof *learner), *resumed = calloc(1, sizeof *resumed);
    struct judgement judgement = {0};
    static const uint32_t candidates[] = {20, 255, 256, 257, 299, 340, 399};
    uint32_t targets[OUT], siblings[1];
    struct page_link links[OUT] = {0};
    struct arena arena;
    struct bytes in;
    struct buf blob;
    size_t count;

    (void)state;
    assert_true(learner && resumed);
    learner->known = resumed->known = (struct ratios){.siblings = RATIOS_SIBLINGS_BOTH, RATIOS_OURS};
    arena_init(&arena, SIZE_MAX);
    for (uint32_t i = 0; i < OUT; i++) {
        targets[i] = i;
        assert_int_equal(url_parse(&arena, STR("http://h.test/"), NULL, &links[i].url), SCENT_OK);
    }
    for (uint32_t i = 0; i <= OTHERS + GOOD; i++) {
        struct page page = {.url = links[0].url, .links = links, .nlinks = i ? 0 : OUT};
        struct strategy_visit visit = {.id = i == 0 ? HUB : i <= OTHERS ? i : 300 + i - OTHERS - 1, .page = &page,
                                       .judgement = &judgement, .targets = targets};

        judgement.relevant = i > OTHERS;
        assert_true(learner_observe(learner, &visit, siblings, 1, &count));
    }
    buf_init(&blob, 0);
    learner_save(learner, &blob);
    in = bytes_of(buf_str(&blob));
    learner_load(resumed, &in, false);
    assert_null(in.wrong);
    for (size_t i = 0; i < 2 * sizeof candidates / sizeof *candidates; i++) {
        struct learner *asked = i % 2 ? resumed : learner;
        struct strategy_part parts[LEARNER_FACTORS];

        learner_explain(asked, learner_url(asked, candidates[i / 2]), parts);
        assert_int_equal(parts[LEARNER_SIBLINGS].count, GOOD);
        assert_int_equal(parts[LEARNER_SIBLINGS].of, GOOD + OTHERS);
        assert_close(parts[LEARNER_SIBLINGS].value, log((GOOD + 40. / 51) / (51 * 40. / 51)));
    }
    buf_release(&blob);
    arena_release(&arena);
    learner_release(learner);
    learner_release(resumed);
    free(learner);
    free(resumed);
}

/* The paper's own numbers, from the strategy and without smoothing: P(C) = .1, and .07 of the links between crawled pages
 * lead from relevant to relevant pages, so that one relevant linking page gives a ratio of 7; 9 of 15 visited siblings
 * are relevant, which gives 6. 100 pages, of which the first 10 are relevant, and 100 links between them: 7 from relevant
 * pages to page 7, 15 of a hub (page 10), and 78 to the hub. */
static void the_papers_numbers(void **state)
{
    enum { GOOD = 10, ALL = 100, OTHERS = 50, FIRST = 900, SECOND = 901 };
    struct strategy_fixture f;
    struct strategy_score score = {0};

    (void)state;
    fixture_open(&f, "strategy: {name: intelligent, preset: paper, smoothing: 0}");
    for (uint32_t id = 0; id < ALL; id++) {
        char html[4096] = "";
        uint32_t targets[ALL], n = 0;
        size_t len = 0;

        /* 0 to 6: relevant, each with a link to page 7, which is relevant too, and comes after them */
        if (id < 7)
            targets[n++] = 7;
        if (id == 8) /* relevant: a link to a candidate that nobody else names */
            targets[n++] = FIRST;
        if (id == 10) /* not relevant: 15 children that are crawled, 9 of them relevant, and the second candidate */
            for (uint32_t to = 0; to < 15; to++)
                targets[n++] = to < 9 ? to : OTHERS + to;
        if (id == 10)
            targets[n++] = SECOND;
        if (id >= 11 && id < 11 + 78) /* one link each to page 10 */
            targets[n++] = 10;
        for (uint32_t i = 0; i < n; i++)
            len += (size_t)snprintf(html + len, sizeof html - len, "<a href=/%u>x</a> ", targets[i]);
        f.judgement.relevant = id < GOOD;
        fixture_visit(&f, html, id, false, targets);
    }
    /* 7 + 15 + 78 = 100 links, 7 of them from relevant to relevant pages */
    assert_true(f.strategy.ops->explain(f.strategy.state, FIRST, &score));
    assert_close(score.parts[2].value, log(7));
    assert_int_equal(score.parts[2].count, 1);
    assert_true(f.strategy.ops->explain(f.strategy.state, SECOND, &score));
    assert_close(score.parts[3].value, log(6));
    assert_int_equal(score.parts[3].count, 9);
    assert_int_equal(score.parts[3].of, 15);
    fixture_close(&f);
}

/* With memory: all, a candidate of 20 linking pages of 50 words each has all 1,000 words, after a restart too; and one
 * of 8 pages of 32 words by default. */
static void all_of_it_is_kept(void **state)
{
    static const char *const memory[] = {"bounded", "all"};

    (void)state;
    for (int all = 0; all < 2; all++) {
        struct strategy_fixture f, g;
        struct strategy_score score = {0};
        struct errmsg err = {0};
        struct buf blob;
        char yaml[128];

        snprintf(yaml, sizeof yaml, "strategy: {name: intelligent, memory: %s}", memory[all]);
        fixture_open(&f, yaml);
        fixture_open(&g, yaml);
        for (uint32_t id = 0; id < 20; id++) {
            char html[1024];
            uint32_t to = 99;
            size_t len = (size_t)snprintf(html, sizeof html, "<html lang=en><a href=/99>1</a>");

            for (unsigned w = 0; w < 50; w++)
                len += (size_t)snprintf(html + len, sizeof html - len, " q%ux%u", id, w);
            f.judgement.relevant = id % 2;
            fixture_visit(&f, html, id, false, &to);
        }
        buf_init(&blob, 0);
        assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
        assert_ok(g.strategy.ops->load(g.strategy.state, buf_str(&blob), &err), err);
        assert_true(g.strategy.ops->explain(g.strategy.state, 99, &score));
        assert_int_equal(score.parts[2].of, 20);
        if (all) /* and the text of the link */
            assert_true(score.parts[0].of >= 1000 && score.parts[0].of <= 1001);
        else
            assert_int_equal(score.parts[0].of, LINKMAP_PARENTS * LINKMAP_WORDS);
        buf_release(&blob);
        fixture_close(&f);
        fixture_close(&g);
    }
}

static size_t bytes_of_features(const struct features *e)
{
    return e->room * (sizeof *e->counts + sizeof *e->marks + sizeof *e->at) + e->by_key.nslots * sizeof *e->by_key.slots;
}

static size_t bytes_of_learner(const struct learner *l)
{
    return bytes_of_features(&l->words) + bytes_of_features(&l->tokens) + l->map.urls_room * sizeof *l->map.urls +
           l->map.pages_room * sizeof *l->map.pages +
           (l->map.children_room + l->map.words_room + l->map.tokens_room + 2 * l->map.more_room) * sizeof(uint32_t);
}

/* Pages of 300 links to URLs of 20 tokens, with 100 stems, none of which stands anywhere else: the most there can
 * be. */
static void the_state_is_as_small_as_it_says(void **state)
{
    enum { MANY = 40, OUT = 300, BAG = 100, PAGE_BYTES = 4200, URL_BYTES = 1400 };
    struct learner *learner = calloc(1, sizeof *learner);
    struct judgement judgement = {0};
    uint32_t targets[OUT], siblings[1], next = MANY;
    struct page_link links[OUT];
    struct page_term bag[BAG];
    struct arena arena;
    size_t count;

    (void)state;
    assert_non_null(learner);
    arena_init(&arena, SIZE_MAX);
    for (uint32_t id = 0; id < MANY; id++) {
        struct page page = {.links = links, .nlinks = OUT, .bag = bag, .nbag = BAG};
        struct strategy_visit visit = {.id = id, .page = &page, .judgement = &judgement, .targets = targets};

        for (uint32_t i = 0; i < OUT + 1; i++) {
            struct buf text;

            buf_init(&text, 0);
            buf_addz(&text, "http://h.test/");
            for (unsigned t = 0; t < 20; t++)
                buf_printf(&text, "%x-%x/", next, t);
            assert_int_equal(url_parse(&arena, buf_str(&text), NULL, i < OUT ? &links[i].url : &page.url), SCENT_OK);
            buf_release(&text);
            if (i < OUT)
                targets[i] = next++;
        }
        for (uint32_t i = 0; i < BAG; i++)
            bag[i] = (struct page_term){.stem = id * BAG + i + 1, .tf = 1};
        assert_true(learner_observe(learner, &visit, siblings, 1, &count));
    }
    assert_true(bytes_of_learner(learner) <= MANY * PAGE_BYTES + (size_t)next * URL_BYTES);
    assert_true(bytes_of_learner(learner) > (size_t)next * URL_BYTES / 3); /* it did count */
    learner_release(learner);
    free(learner);
    arena_release(&arena);
}

/* 33 stems, the first of which is the rarest: 32 are kept, and it is not among them. */
static void the_most_frequent_stems_are_kept(void **state)
{
    struct page_term bag[LINKMAP_WORDS + 1], rare = {.stem = 1, .tf = 1};
    struct web web;
    struct strategy_fixture f;
    struct judgement judgement = {0};
    struct strategy_visit visit = {.judgement = &judgement, .own = f.own};
    struct strategy_score score = {0};
    uint32_t hub[] = {10, 11, 12, 13, 14}, other[] = {20, 21, 22, 23, 14};
    struct ratios k = {.pages = 10, .relevant = 4, .t = 2, RATIOS_OURS};

    (void)state;
    web_init(&web, PAGES, LINKMAP_PARENTS, 1);
    fixture_open(&f, "strategy: {name: intelligent, rescore: never}");
    for (uint32_t i = 0; i < LINKMAP_WORDS + 1; i++)
        bag[i] = (struct page_term){.stem = 1 + i, .tf = 1 + (i > 0)};
    for (uint32_t x = 0; x < 2; x++) { /* two hubs; the second has the rare stem alone */
        struct page page = {.url = web.pages[x].url, .bag = x ? &rare : bag, .nbag = x ? 1 : LINKMAP_WORDS + 1,
                            .links = web.pages[9].links, .nlinks = 5};

        visit.id = x;
        visit.page = &page;
        visit.targets = x ? other : hub;
        f.strategy.ops->observe(f.strategy.state, &visit);
    }
    for (uint32_t x = 0; x < 8; x++) {
        struct page page = {.url = web.pages[2].url};

        judgement.relevant = x < 4;
        visit.id = x < 4 ? hub[x] : other[x - 4];
        visit.page = &page;
        f.strategy.ops->observe(f.strategy.state, &visit);
    }
    visit.id = 99; /* a copy */
    visit.page = &(struct page){.links = web.pages[9].links, .nlinks = 1};
    visit.targets = &hub[4];
    f.strategy.ops->score(f.strategy.state, &visit, 0, &score);
    /* 32 stems on four relevant pages; the rare one tells nothing: had it taken the place of another, 31 would. */
    assert_close(score.parts[0].value, (double)(float)(LINKMAP_WORDS * ratios_of_event(&k, 4, 4)));
    assert_int_equal(score.parts[2].count, 0); /* two hubs link to 14, neither of them relevant */
    assert_int_equal(score.parts[2].of, 2);
    assert_int_equal(score.parts[3].count, 4); /* and all of the pages */
    assert_int_equal(score.parts[3].of, 8);
    assert_true(f.strategy.ops->explain(f.strategy.state, hub[4], &score));
    assert_int_equal(score.parts[0].count, LINKMAP_WORDS);
    assert_int_equal(score.parts[0].of, LINKMAP_WORDS + 1);
    fixture_close(&f);
    arena_release(&web.arena);
}

static void a_copys_link_is_scored_by_its_tokens(void **state)
{
    static const char html[] = "<a href=/ski/new.html>1</a>";
    struct strategy_fixture f;
    uint32_t far = 5000;

    (void)state;
    fixture_open(&f, "strategy: {name: intelligent, weights: manual, url: 3}");
    for (uint32_t i = 0; i < 8; i++) { /* children of one page each; those under /ski/ are relevant */
        uint32_t to = 100 + i;
        char text[64];

        snprintf(text, sizeof text, "<a href=/%s/%u.html>x</a>", i < 4 ? "ski" : "sea", i);
        f.judgement.relevant = false;
        fixture_visit(&f, text, i, false, &to);
        f.judgement.relevant = i < 4;
        fixture_visit(&f, "none", to, false, NULL);
    }
    fixture_copy(&f, html, 900, false, &far);
    struct ratios k = {.pages = 16, .relevant = 4, .t = 2, RATIOS_OURS};
    struct strategy_score score = fixture_score(&f, 0);
    assert_close(score.parts[1].value, ratios_if_significant(&k, 4, 4)); /* "site", "test" and "html" do not tell */
    assert_true(score.parts[1].value > 1);
    assert_close(score.priority, (float)(3 * score.parts[1].value));
    assert_int_equal(score.parts[2].of, 0); /* nobody links to it */
    fixture_close(&f);
}

static void assert_refused(const char *options, const char *says)
{
    struct strategy_context context = {0};
    struct strategy strategy;
    struct errmsg err = {0};
    struct topic *topic;
    char text[256];

    snprintf(text, sizeof text, "topic: t\nseeds: [http://site.test/]\nstrategy: {name: intelligent, %s}\n", options);
    assert_ok(topic_parse(str_of(text), "t.yaml", &topic, &err), err);
    context.topic = topic;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    strategy_close(&strategy); /* as 'scent why' does */
    assert_non_null(strstr(err.text, says));
    topic_free(topic);
}

static void wrong_options_are_refused(void **state)
{
    (void)state;
    assert_refused("rescore: sometimes", "never or bounded or always");
    assert_refused("significance: -1", "significance");
    assert_refused("links: 2", "weights: manual");
}

/* Every byte of the state turned once: it is refused or taken, and then scores on without harm. */
static void a_damaged_state_does_no_harm(void **state)
{
    struct strategy_fixture f, g;
    struct errmsg err = {0};
    struct buf blob;
    uint32_t refused = 0;

    (void)state;
    fixture_open(&f, "strategy: intelligent");
    for (uint32_t i = 0; i < 6; i++) {
        f.judgement.relevant = i % 2;
        fixture_visit(&f, "<html lang=en>snow ice <a href=/a/b>1</a> <a href=/c.d>2</a>", i ? 99 + i : 0, i == 0, NULL);
    }
    buf_init(&blob, 0);
    assert_int_equal(f.strategy.ops->save(f.strategy.state, &blob), SCENT_OK);
    for (size_t i = 0; i < blob.len; i += 3) {
        fixture_open(&g, "strategy: intelligent");
        blob.p[i] = (char)~blob.p[i];
        if (g.strategy.ops->load(g.strategy.state, buf_str(&blob), &err) != SCENT_OK)
            refused++;
        else {
            fixture_visit(&g, "<html lang=en>snow <a href=/a/b>1</a> <a href=/x>2</a>", 104, false, NULL);
            assert_false(isnan(fixture_score(&g, 0).priority));
        }
        blob.p[i] = (char)~blob.p[i];
        fixture_close(&g);
    }
    assert_true(refused > blob.len / 30);
    buf_release(&blob);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crawls_as_brute_force_does),
        cmocka_unit_test(what_is_kept_is_bounded),
        cmocka_unit_test(siblings_at_a_large_hub),
        cmocka_unit_test(the_papers_numbers),
        cmocka_unit_test(all_of_it_is_kept),
        cmocka_unit_test(the_state_is_as_small_as_it_says),
        cmocka_unit_test(the_most_frequent_stems_are_kept),
        cmocka_unit_test(a_copys_link_is_scored_by_its_tokens),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(a_damaged_state_does_no_harm),
    };

    return cmocka_run_group_tests_name("strategy/intelligent", tests, NULL, NULL);
}
