/* The collaborative crawler against Figure 1 of the paper done by brute force: everything is counted again from the raw
 * accesses at each step. Traces are small enough for the strategy's bounds not to bite. */
#include "base/rng.h"
#include "strategy/interest.h"
#include "strategy_fixture.h"
#include "trace_fixture.h"

#include <stdlib.h>

enum { PAGES = 40, USERS = 9, WORDS = 10, ACCESSES = 160, SEEDS = 2, MINUTE = 60 };

/* ---- a generated web, and who looked at it ---- */

struct world {
    struct arena arena;
    struct page pages[PAGES]; /* in the order of their URLs */
    bool relevant[PAGES], has[PAGES][WORDS], accessed[PAGES];
    struct access {
        unsigned time, user, page;
    } accesses[ACCESSES]; /* by user and time */
    struct trace *trace;
};

static void make_page(struct world *world, struct rng *rng, uint32_t i)
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
static void make_accesses(struct world *world, struct rng *rng)
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

static void world_init(struct world *world, uint64_t seed)
{
    struct rng rng;

    *world = (struct world){0};
    arena_init(&world->arena, SIZE_MAX);
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < PAGES; i++)
        make_page(world, &rng, i);
    make_accesses(world, &rng);
}

/* ---- brute force ---- */

struct brute {
    const struct world *world;
    struct interest k;
    bool printed;
    uint32_t most; /* users of a page that count */
    bool crawled[PAGES];
};

static void recount(struct brute *b)
{
    b->k.pages = b->k.relevant = 0;
    for (uint32_t i = 0; i < PAGES; i++) {
        b->k.pages += b->crawled[i];
        b->k.relevant += b->crawled[i] && b->world->relevant[i];
    }
}

static bool looked_at(const struct brute *b, unsigned user, uint32_t page)
{
    for (uint32_t i = 0; i < ACCESSES; i++)
        if (b->world->accesses[i].user == user && b->world->accesses[i].page == page)
            return true;
    return false;
}

static double significance(const struct brute *b, double pages, double relevant)
{
    double base = interest_base(&b->k);

    return pages > 0 ? fabs(relevant / pages - base) / sqrt(base * (1 - base) / (b->printed ? (double)b->k.pages : pages))
                     : 0;
}

static void of_user(const struct brute *b, unsigned user, uint32_t *pages, uint32_t *relevant)
{
    *pages = *relevant = 0;
    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && looked_at(b, user, i)) {
            ++*pages;
            *relevant += b->world->relevant[i];
        }
}

static double word_ratio(const struct brute *b, uint32_t word)
{
    uint32_t pages = 0, relevant = 0;

    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && b->world->has[i][word]) {
            pages++;
            relevant += b->world->relevant[i];
        }
    return pages >= 3 && significance(b, pages, relevant) >= 2 ? interest_of_event(&b->k, pages, relevant) : 0;
}

static double user_taste(const struct brute *b, unsigned user)
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
static bool is_near(const struct brute *b, uint32_t page)
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

static double locality(const struct brute *b, uint32_t page)
{
    double base = interest_base(&b->k), pages = 0, relevant = 0;
    bool near = is_near(b, page);

    for (uint32_t i = 0; i < PAGES; i++)
        if (b->crawled[i] && b->world->accessed[i] && is_near(b, i) == near) {
            pages++;
            relevant += b->world->relevant[i];
        }
    return log((relevant + base) / (pages + 1) / base);
}

static float brute_score(const struct brute *b, uint32_t page)
{
    double best[USERS], sum = 0;
    bool taken[USERS] = {0};

    if (!interest_can_learn(&b->k))
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
        sum += interest_of_event(&b->k, pages, relevant) + user_taste(b, top);
    }
    return (float)(sum + locality(b, page));
}

/* ---- side by side ---- */

enum mode { NEVER, BOUNDED, ALWAYS };

struct race {
    struct world world;
    struct topic *topic;
    struct strategy strategy;
    struct brute brute;
    enum mode mode;
    struct strategy_score kept[PAGES]; /* what the strategy says */
    bool queued[PAGES];
    float wants[PAGES];                /* what brute force says */
    uint32_t found[PAGES], nfound;     /* in which order, by brute force; 0: not yet */
    uint32_t proposed[PAGES], nproposed; /* and by the strategy */
    uint32_t crawled;
};

/* Sums are made in another order, so that the last bits differ: ties are those that are equal to 1/4096. */
static long grade(float priority)
{
    return lround((double)priority * 4096);
}

static uint32_t best_of(const struct race *r, bool brute)
{
    const uint32_t *order = brute ? r->found : r->proposed;
    uint32_t first = PAGES;

    for (uint32_t i = 0; i < PAGES; i++) {
        long mine = grade(brute ? r->wants[i] : r->kept[i].priority), top;

        if (!order[i] || r->brute.crawled[i])
            continue;
        top = first == PAGES ? 0 : grade(brute ? r->wants[first] : r->kept[first].priority);
        if (first == PAGES || mine > top || (mine == top && order[i] < order[first]))
            first = i;
    }
    return first;
}

static void open_strategy(struct race *r, const char *options)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {0};
    char text[512];

    snprintf(text, sizeof text, "topic: t\nseeds: [http://t.test/00]\nstrategy: {name: collaborative, %s}\n", options);
    assert_ok(topic_parse(str_of(text), "t.yaml", &r->topic, &err), err);
    topic_attach_trace(r->topic, r->world.trace);
    context.topic = r->topic;
    assert_ok(strategy_open(&context, &r->strategy, &err), err);
}

static uint32_t number_of(struct str url)
{
    uint64_t number;

    assert_true(str_parse_u64(str_sub(url, strlen("http://t.test/"), url.len), &number) && number < PAGES);
    return (uint32_t)number;
}

static void take_proposals(struct race *r, bool nothing_left)
{
    const struct strategy_ops *ops = r->strategy.ops;
    struct strategy_proposal proposal;

    while (ops->propose(r->strategy.state, nothing_left, &proposal)) {
        uint32_t id = number_of(proposal.url);

        if (!r->proposed[id])
            r->proposed[id] = ++r->nproposed;
        else if (r->queued[id])
            strategy_merge(&r->strategy, id, &r->kept[id], &proposal.score);
        r->queued[id] = !r->brute.crawled[id];
        r->kept[id] = proposal.score;
        ops->proposed(r->strategy.state, id, r->queued[id]);
    }
}

static void rescore(struct race *r)
{
    const struct strategy_ops *ops = r->strategy.ops;
    uint32_t ids[4];
    size_t n;

    do {
        n = ops->stale(r->strategy.state, ids, 4);
        for (uint32_t i = 0; i < (n == STRATEGY_ALL ? PAGES : n); i++) {
            uint32_t id = n == STRATEGY_ALL ? i : ids[i];

            if (r->queued[id])
                (void)ops->rescore(r->strategy.state, id, &r->kept[id]);
        }
    } while (n == 4);
}

static void crawl_strategy(struct race *r, uint32_t x)
{
    struct judgement judgement = {.relevant = r->world.relevant[x]};
    struct strategy_visit visit = {.number = ++r->crawled, .id = x, .page = &r->world.pages[x], .judgement = &judgement,
                                   .seed = r->crawled <= SEEDS, .own = r->kept[x].own};

    r->queued[x] = false;
    r->strategy.ops->observe(r->strategy.state, &visit);
    take_proposals(r, false);
    rescore(r);
}

static void find(struct race *r, uint32_t page)
{
    if (!r->found[page] && !r->brute.crawled[page])
        r->found[page] = ++r->nfound;
}

/* Figure 1: update K, score the descendants; and, beyond it, score all others again. */
static void crawl_brute(struct race *r, uint32_t x)
{
    struct brute *b = &r->brute;
    bool beside[PAGES] = {0};

    b->crawled[x] = true;
    recount(b);
    for (uint32_t i = 0; i < ACCESSES; i++)
        if (looked_at(b, r->world.accesses[i].user, x)) {
            find(r, r->world.accesses[i].page);
            beside[r->world.accesses[i].page] = true;
        }
    for (uint32_t i = 0; i < PAGES && b->k.relevant == 0; i++)
        if (r->world.accessed[i])
            find(r, i);
    for (uint32_t i = 0; i < PAGES; i++)
        if (r->found[i] && !b->crawled[i] && (beside[i] || r->mode == ALWAYS))
            r->wants[i] = brute_score(b, i);
}

/* Nothing is queued: all pages of the trace are candidates. */
static void open_all(struct race *r)
{
    take_proposals(r, true);
    for (uint32_t i = 0; i < PAGES; i++)
        if (r->world.accessed[i] && !r->found[i] && !r->brute.crawled[i]) {
            find(r, i);
            r->wants[i] = brute_score(&r->brute, i);
        }
}

static void close_race(struct race *r)
{
    strategy_close(&r->strategy);
    topic_free(r->topic);
    arena_release(&r->world.arena);
}

static uint32_t next_page(struct race *r, bool brute)
{
    if (r->crawled < SEEDS)
        return r->crawled;
    if (best_of(r, true) == PAGES && best_of(r, false) == PAGES)
        open_all(r);
    return best_of(r, brute);
}

static void run_race(uint64_t seed, enum mode mode, const char *options, bool printed, uint32_t most)
{
    struct race *r = calloc(1, sizeof *r);
    uint32_t accessed = 0;

    assert_non_null(r);
    world_init(&r->world, seed);
    r->mode = mode;
    r->brute = (struct brute){.world = &r->world, .k = {.t = 2}, .printed = printed, .most = most};
    open_strategy(r, options);
    for (uint32_t x = next_page(r, true); x < PAGES; x = next_page(r, true)) {
        uint32_t theirs = next_page(r, false);

        if (theirs != x)
            fail_msg("web %u, %s: after %u pages brute force takes %u (%g), the strategy %u (%g)", (unsigned)seed, options,
                     r->crawled, x, (double)r->wants[x], theirs, theirs < PAGES ? (double)r->kept[theirs].priority : NAN);
        crawl_strategy(r, x);
        crawl_brute(r, x);
        for (uint32_t i = 0; i < PAGES; i++)
            assert_true(!r->queued[i] || fabs((double)(r->kept[i].priority - r->wants[i])) < 1e-4);
    }
    for (uint32_t i = 0; i < PAGES; i++)
        accessed += r->world.accessed[i] && !r->brute.crawled[i];
    assert_int_equal(accessed, 0);
    close_race(r);
    free(r);
}

enum { WEBS = 40 };

static void as_printed_it_is_figure_1(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++)
        run_race(seed, NEVER, "preset: paper", true, USERS);
}

static void never_again_is_figure_1(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++)
        run_race(seed, NEVER, "rescore: never", false, 20);
}

static void always_scores_everything_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++) {
        run_race(seed, ALWAYS, "rescore: always", false, 20);
        run_race(seed, ALWAYS, "rescore: always, user_n: all, users: 2", true, 2);
    }
}

/* ---- by hand ---- */

static struct strategy_score proposal_of(struct race *r, const char *url)
{
    struct strategy_proposal proposal;
    struct strategy_score found = {.priority = -99};

    while (r->strategy.ops->propose(r->strategy.state, false, &proposal))
        if (str_eq(proposal.url, str_of(url)))
            found = proposal.score;
    return found;
}

static void parts_tell_with_counts_what_made_a_priority(void **state)
{
    struct race r = {0};
    struct strategy_score score;

    (void)state;
    arena_init(&r.world.arena, SIZE_MAX);
    for (uint32_t i = 0; i < 3; i++) {
        struct rng rng;

        rng_seed(&rng, i);
        make_page(&r.world, &rng, i);
        r.world.relevant[i] = i == 0;
    }
    r.world.trace = trace_of_text("1000 a http://t.test/00\n1001 a http://t.test/07\n1002 b http://t.test/07\n"
                                  "1003 b http://t.test/08\n", keeping_users());
    open_strategy(&r, "significance: 1");
    crawl_strategy(&r, 0);
    assert_true(r.proposed[7] == 1 && r.kept[7].priority == 0); /* one page, and relevant: nothing can be learned */
    crawl_strategy(&r, 2);                                      /* not in the trace, not relevant: P = 1/2 */
    score = r.kept[7];
    assert_true(r.strategy.ops->explain(r.strategy.state, 7, &score));
    assert_int_equal(score.nparts, 3);
    assert_string_equal(score.parts[0].name, "users");
    assert_int_equal(score.parts[0].count, 1); /* a; of a and b, who looked at no crawled page */
    assert_int_equal(score.parts[0].of, 2);
    assert_close(score.parts[0].value, log(1.5 / 2 / .5));
    assert_string_equal(score.parts[2].name, "near relevant accesses");
    assert_int_equal(score.parts[2].of, 0);
    assert_true(score.parts[2].value == 0);
    assert_true(score.priority == (float)log(1.5) && r.kept[7].priority == score.priority);
    assert_true(proposal_of(&r, "http://t.test/08").priority == -99); /* b is not beside an examined page */
    close_race(&r);
}

static void without_traces_it_says_which_key_to_add(void **state)
{
    struct strategy_context context = {0};
    struct strategy strategy;
    struct errmsg err = {0};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: t\nstrategy: collaborative\n"), "t.yaml", &topic, &err), err);
    context.topic = topic;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "collaborative learns from what people looked at; name their access logs in the topic "
                                  "file: add 'traces: [access.log]'");
    topic_attach_trace(topic, trace_of_text("1000 a http://t.test/00\n", keeping_users()));
    topic->options = &(struct topic_option){STR("signatures"), STR("categories")};
    topic->noptions = 1;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "add the key 'taxonomy' or 'examples'"));
    topic_free(topic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_printed_it_is_figure_1),
        cmocka_unit_test(never_again_is_figure_1),
        cmocka_unit_test(always_scores_everything_again),
        cmocka_unit_test(parts_tell_with_counts_what_made_a_priority),
        cmocka_unit_test(without_traces_it_says_which_key_to_add),
    };

    return cmocka_run_group_tests_name("strategy/collaborative", tests, NULL, NULL);
}
