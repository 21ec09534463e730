/* The collaborative and the combined crawler against Figure 1 of the paper done by brute force: everything is counted
 * again from the raw accesses at each step. What links tell is asked of an `intelligent` beside it, which has a test of
 * its own. Traces are small enough for the strategies' bounds not to bite. */
#include "people_fixture.h"

#include <stdlib.h>

/* ---- side by side ---- */

enum mode { NEVER, BOUNDED, ALWAYS };

struct race {
    struct world world;
    struct topic *topic;
    struct knowledge knowledge;
    struct strategy strategy;
    struct strategy links; /* beside a combined one; its ops are NULL where there is none */
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

static void open_strategy(struct race *r, const char *strategy)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {0};
    char text[512];

    snprintf(text, sizeof text, "topic: t\nseeds: [http://t.test/00]\nstrategy: {name: %s}\n", strategy);
    assert_ok(topic_parse(str_of(text), "t.yaml", &r->topic, &err), err);
    r->knowledge = (struct knowledge){.trace = r->world.trace};
    context.topic = r->topic;
    context.knowledge = &r->knowledge;
    assert_ok(strategy_open(&context, &r->strategy, &err), err);
    if (str_eq(r->topic->strategy, STR("combined")))
        assert_ok(strategy_open_ops(strategy_find(STR("intelligent")), &context, &r->links, &err), err);
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

/* As the engine does. */
static void follow(struct race *r, const struct strategy_visit *visit, uint32_t link)
{
    uint32_t to = visit->targets[link];
    struct strategy_score score = {0};

    r->strategy.ops->score(r->strategy.state, visit, link, &score);
    if (r->queued[to]) {
        strategy_merge(&r->strategy, to, &r->kept[to], &score);
        r->kept[to] = score;
    } else if (!r->proposed[to] && !r->brute.crawled[to] && to != visit->id && !score.drop) {
        r->proposed[to] = ++r->nproposed;
        r->queued[to] = true;
        r->kept[to] = score;
    }
}

static void crawl_strategy(struct race *r, uint32_t x)
{
    struct judgement judgement = {.relevant = r->world.relevant[x]};
    struct strategy_visit visit = {.number = ++r->crawled, .id = x, .page = &r->world.pages[x], .judgement = &judgement,
                                   .targets = r->world.targets[x], .seed = r->crawled <= SEEDS, .own = r->kept[x].own};

    r->queued[x] = false;
    r->strategy.ops->observe(r->strategy.state, &visit);
    if (r->links.ops)
        r->links.ops->observe(r->links.state, &visit);
    for (uint32_t i = 0; i < visit.page->nlinks; i++)
        follow(r, &visit, i);
    take_proposals(r, false);
    rescore(r);
}

static void find(struct race *r, uint32_t page)
{
    if (!r->found[page] && !r->brute.crawled[page])
        r->found[page] = ++r->nfound;
}

/* log I^C + log I^L, each 0 where nothing is known. */
static float want(const struct race *r, uint32_t page)
{
    float sum = r->world.accessed[page] ? brute_score(&r->brute, page) : 0;
    struct strategy_score links = {0};

    if (r->links.ops && r->links.ops->explain(r->links.state, page, &links))
        sum += links.priority;
    return sum;
}

/* Figure 1: update K, score the descendants; and, beyond it, score all others again. */
static void crawl_brute(struct race *r, uint32_t x)
{
    struct brute *b = &r->brute;
    bool beside[PAGES] = {0};

    b->crawled[x] = true;
    recount(b);
    for (uint32_t i = 0; i < LINKS && r->links.ops; i++) {
        if (r->world.relevant[x])
            find(r, r->world.targets[x][i]);
        beside[r->world.targets[x][i]] = true;
    }
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
            r->wants[i] = want(r, i);
}

/* Nothing is queued: all pages of the trace are candidates. */
static void open_all(struct race *r)
{
    take_proposals(r, true);
    for (uint32_t i = 0; i < PAGES; i++)
        if (r->world.accessed[i] && !r->found[i] && !r->brute.crawled[i]) {
            find(r, i);
            r->wants[i] = want(r, i);
        }
}

static void close_race(struct race *r)
{
    strategy_close(&r->strategy);
    strategy_close(&r->links);
    knowledge_release(&r->knowledge);
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

static void run_race(uint64_t seed, enum mode mode, const char *strategy, bool printed, uint32_t most)
{
    struct race *r = calloc(1, sizeof *r);
    uint32_t accessed = 0;

    assert_non_null(r);
    world_init(&r->world, seed);
    r->mode = mode;
    r->brute = (struct brute){.world = &r->world, .k = {.t = 2, RATIOS_OURS}, .printed = printed, .most = most};
    if (most == USERS) { /* preset: paper */
        r->brute.k.clip = 0;
        r->brute.k.support = 1;
    }
    open_strategy(r, strategy);
    for (uint32_t x = next_page(r, true); x < PAGES; x = next_page(r, true)) {
        uint32_t theirs = next_page(r, false);

        if (theirs != x)
            fail_msg("web %u, %s: after %u pages brute force takes %u (%g), the strategy %u (%g)", (unsigned)seed, strategy,
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

enum { WEBS = 25 };

static void as_printed_it_is_figure_1(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++)
        run_race(seed, NEVER, "collaborative, preset: paper", true, USERS);
}

static void never_again_is_figure_1(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++)
        run_race(seed, NEVER, "collaborative, rescore: never", true, 20);
}

static void always_scores_everything_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++) {
        run_race(seed, ALWAYS, "collaborative, rescore: always, user_n: event", false, 20);
        run_race(seed, ALWAYS, "collaborative, rescore: always, users: 2", true, 2);
    }
}

static void combined_adds_what_links_tell(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= WEBS; seed++) {
        run_race(seed, NEVER, "combined, preset: paper", true, USERS);
        run_race(seed, NEVER, "combined, rescore: never", true, 20); /* the default */
        run_race(seed, ALWAYS, "combined, rescore: always", true, 20);
    }
}

static void combined_takes_the_options_of_both(void **state)
{
    const struct strategy_ops *combined = strategy_find(STR("combined"));
    static const char *const parts[] = {"collaborative", "intelligent"};

    (void)state;
    for (int i = 0; i < 2; i++)
        for (const struct strategy_option *o = strategy_find(str_of(parts[i]))->options; o->name; o++) {
            const struct strategy_option *same = combined->options;

            while (same->name && strcmp(same->name, o->name) != 0)
                same++;
            if (!same->name || strcmp(same->fallback, strcmp(o->name, "rescore") ? o->fallback : "never") != 0)
                fail_msg("combined has no option %s of %s, or another default", o->name, parts[i]);
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
    open_strategy(&r, "collaborative, significance: 1");
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

/* Nothing of it may be queued: the rows of a whole log do not come at once. */
static void propose_in_parts(const char *strategy, unsigned many, size_t at_once)
{
    struct race r = {0};
    struct strategy_proposal proposal;
    struct buf log;
    size_t all = 0;

    arena_init(&r.world.arena, SIZE_MAX);
    buf_init(&log, 0);
    for (unsigned i = 0; i < many; i++)
        buf_printf(&log, "%u a http://t.test/%02u\n", 1000 + i, i);
    r.world.trace = trace_of_bytes(buf_str(&log), keeping_users());
    buf_release(&log);
    open_strategy(&r, strategy);
    for (size_t parts = 0, part; parts < 3; parts++, all += part) {
        for (part = 0; r.strategy.ops->propose(r.strategy.state, parts == 2, &proposal); part++)
            r.strategy.ops->proposed(r.strategy.state, 7, false);
        assert_int_equal(part, many - all < at_once ? many - all : at_once);
    }
    assert_int_equal(all, many);
    assert_false(r.strategy.ops->propose(r.strategy.state, true, &proposal));
    close_race(&r);
}

static void a_large_trace_is_proposed_in_parts(void **state)
{
    (void)state;
    propose_in_parts("collaborative", 10000, 4096);
    propose_in_parts("collaborative, rescore: never", 70000, 65536);
    propose_in_parts("collaborative, rescore: never, memory: all", 70000, 70000);
}

static void without_traces_it_says_which_key_to_add(void **state)
{
    struct strategy_context context = {0};
    struct knowledge knowledge = {0};
    struct strategy strategy;
    struct errmsg err = {0};
    struct topic *topic;

    (void)state;
    assert_ok(topic_parse(STR("topic: t\nstrategy: collaborative\n"), "t.yaml", &topic, &err), err);
    context.topic = topic;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "collaborative learns from what people looked at; name their access logs: add "
                                  "'traces: [access.log]'");
    knowledge.trace = trace_of_text("1000 a http://t.test/00\n", keeping_users());
    context.knowledge = &knowledge;
    topic->options = &(struct topic_option){STR("signatures"), STR("categories")};
    topic->noptions = 1;
    assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "add the key 'taxonomy' or 'examples'"));
    knowledge_release(&knowledge);
    topic_free(topic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_printed_it_is_figure_1),
        cmocka_unit_test(never_again_is_figure_1),
        cmocka_unit_test(always_scores_everything_again),
        cmocka_unit_test(combined_adds_what_links_tell),
        cmocka_unit_test(combined_takes_the_options_of_both),
        cmocka_unit_test(parts_tell_with_counts_what_made_a_priority),
        cmocka_unit_test(a_large_trace_is_proposed_in_parts),
        cmocka_unit_test(without_traces_it_says_which_key_to_add),
    };

    return cmocka_run_group_tests_name("strategy/collaborative", tests, NULL, NULL);
}
