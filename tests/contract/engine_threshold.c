/* The threshold is nobody's business but the frontier's: it must hold for every strategy, also for one that was written
 * without a thought of it. */
#include "world.h"

#include "engine/steer.h"

#include <math.h>

enum { CRAWL = 120 };

struct crawl {
    float priorities[CRAWL]; /* with which pages were taken */
    uint32_t ids[CRAWL];
    size_t count;
    bool ended;              /* before CRAWL pages were examined */
    uint32_t left, below;
};

struct rest {
    float threshold;
    bool broken;
};

static void look_at_rest(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    struct rest *rest = ctx;

    (void)id, (void)changed;
    rest->broken |= candidate->priority >= rest->threshold;
}

/* The page of a URL: the world has fewer pages than links. The first seed is a relevant one. */
static unsigned page_of(struct str href)
{
    unsigned n = 1;

    sscanf(href.p, "http://world.test/%u", &n);
    return n % PAGES;
}

static void examine(const struct world *world, struct steer *steer, const struct frontier_taken *taken, struct crawl *out)
{
    unsigned page = page_of(taken->href);
    struct steer_visit visit = {.id = taken->id,
                                .host = taken->host,
                                .candidate = taken->candidate,
                                .number = out->count + 1,
                                .page = &world->pages[page],
                                .judgement = &world->judgements[page]};
    struct errmsg err = {0};

    out->priorities[out->count] = taken->candidate.priority;
    out->ids[out->count++] = taken->id;
    assert_ok(steer_examine(steer, &visit, true, NULL, &err), err);
    frontier_finish(steer_frontier(steer), taken->id, (int64_t)out->count);
}

static void crawl(const struct world *plain, const struct strategy_ops *ops, float threshold, struct crawl *out)
{
    struct world prepared = *plain, *world = &prepared;
    struct topic topic = *world->topic;
    char number[32];
    struct topic_option option = {STR("threshold"), {number, 0}};
    struct steer_options options = {.topic = &topic, .knowledge = &world->knowledge, .strategy = ops, .seed = 42};
    struct rest rest = {.threshold = threshold};
    struct frontier_taken taken;
    struct errmsg err = {0};
    struct steer *steer;
    struct buf studied;
    struct url second;
    int64_t wait;

    buf_init(&studied, 0);
    world_study(world, ops, &studied);
    memset(out, 0, sizeof *out);
    option.value.len = threshold > -INFINITY ? (size_t)snprintf(number, sizeof number, "%.9g", (double)threshold)
                                             : (size_t)snprintf(number, sizeof number, "none");
    topic.options = &option;
    topic.noptions = 1;
    assert_ok(steer_new(&options, &steer, &err), err);
    assert_int_equal(steer_seed(steer, &topic.seeds[0], NULL, NULL), SCENT_OK);
    assert_int_equal(url_parse(&world->arena, STR("http://world.test/0"), NULL, &second), SCENT_OK);
    assert_int_equal(steer_seed(steer, &second, NULL, NULL), SCENT_OK); /* the one that is like the topic's centroid */
    while (out->count < CRAWL && !out->ended) {
        scent_status status = steer_take(steer, (int64_t)out->count, NULL, &taken, &wait);

        out->ended = status == SCENT_E_END;
        if (!out->ended) {
            assert_int_equal(status, SCENT_OK);
            assert_true(taken.candidate.flags & CANDIDATE_SEED || taken.candidate.priority >= threshold);
            examine(world, steer, &taken, out);
        }
    }
    out->left = frontier_queued(steer_frontier(steer));
    out->below = frontier_below(steer_frontier(steer));
    if (out->ended)
        frontier_each(steer_frontier(steer), look_at_rest, &rest);
    assert_false(rest.broken); /* it ended while there was something to take */
    assert_false(out->ended && frontier_has_more(steer_frontier(steer)));
    assert_true(!out->ended || out->left == out->below);
    steer_free(steer);
    buf_release(&studied);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

enum { SEEDS = 2, PARTS = 20 };

/* Numbers between the priorities of pages that were chosen: a twentieth of these lies below the first, two below the
 * second … Seeds are not chosen: their priority is above all. */
static void divide_priorities(const struct crawl *crawl, float borders[PARTS])
{
    size_t count = crawl->count - SEEDS;
    float sorted[CRAWL];

    memcpy(sorted, crawl->priorities, sizeof sorted);
    qsort(sorted, crawl->count, sizeof *sorted, by_size);
    for (size_t i = 0; i < PARTS; i++) {
        size_t at = count * (i + 1) / (PARTS + 1), next = at;

        while (next + 1 < count && sorted[next] == sorted[at])
            next++;
        borders[i] = (sorted[at] + sorted[next]) / 2;
    }
}

/* It fetched some, and kept others back. */
static bool was_divided(const struct crawl *crawl)
{
    return crawl->ended && crawl->left > 0 && crawl->count > SEEDS;
}

static void a_threshold_holds_for_every_strategy(void **state)
{
    size_t at_median = 0, meant = 0;

    (void)state;
    for (size_t i = 0; strategy_at(i); i++) {
        const struct strategy_ops *ops = strategy_at(i);
        struct crawl without, low, some, high;
        float borders[PARTS];
        struct world world;
        size_t divided = 0;

        world_init(&world);
        crawl(&world, ops, -INFINITY, &without);
        crawl(&world, ops, -1e30f, &low);
        assert_int_equal(without.count, low.count); /* below it is nothing: the same crawl */
        assert_memory_equal(without.ids, low.ids, sizeof low.ids);
        crawl(&world, ops, 1e30f, &high);
        assert_int_equal(high.count, SEEDS);
        assert_true(high.ended && high.left > 0 && high.left == high.below);
        divide_priorities(&without, borders);
        for (size_t k = 0; k < PARTS; k++) {
            if (k == 0 || borders[k] != borders[k - 1])
                crawl(&world, ops, borders[k], &some);
            divided += was_divided(&some);
            at_median += k == PARTS / 2 && was_divided(&some) && !ops->idle_threshold;
        }
        print_message("%s: %zu pages; %zu of %d thresholds divide them\n", ops->name, without.count, divided, PARTS);
        /* A strategy says so itself where no threshold divides its candidates; where all that it chooses have one
         * priority in this world, none can. */
        if (ops->idle_threshold)
            assert_int_equal(divided, 0);
        else if (borders[0] != borders[PARTS - 1])
            assert_true(divided > 0);
        meant += !ops->idle_threshold;
        world_release(&world);
    }
    assert_true(at_median * 2 > meant); /* in most of them the median already does */
}

static void wrong_thresholds_are_refused(void **state)
{
    static const char *const wrong[] = {"", "much", "0.5x", "nan", "inf", "1e99"};
    struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topic topic = *world.topic;
        struct topic_option option = {STR("threshold"), str_of(wrong[i])};
        struct strategy_context context = {.topic = &topic};
        struct strategy strategy;
        struct errmsg err = {0};

        topic.options = &option;
        topic.noptions = 1;
        assert_int_equal(strategy_open(&context, &strategy, &err), SCENT_E_INVALID);
        assert_non_null(strstr(err.text, "threshold must be a number or none"));
    }
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_holds_for_every_strategy),
        cmocka_unit_test(wrong_thresholds_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
