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

/* The page of a URL: the world has fewer pages than links. The seed is a relevant one. */
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
    assert_int_equal(frontier_has_more(steer_frontier(steer)), !out->ended);
    assert_true(!out->ended || out->left == out->below);
    steer_free(steer);
    buf_release(&studied);
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static float median(const struct crawl *crawl)
{
    float sorted[CRAWL];

    memcpy(sorted, crawl->priorities, sizeof sorted);
    qsort(sorted, crawl->count, sizeof *sorted, by_size);
    return sorted[crawl->count / 2];
}

static void a_threshold_holds_for_every_strategy(void **state)
{
    size_t stopped = 0, strategies = 0;

    (void)state;
    for (; strategy_at(strategies); strategies++) {
        const struct strategy_ops *ops = strategy_at(strategies);
        struct crawl without, low, half, high;
        struct world world;

        world_init(&world);
        crawl(&world, ops, -INFINITY, &without);
        crawl(&world, ops, -1e30f, &low);
        assert_int_equal(without.count, low.count); /* below it is nothing: the same crawl */
        assert_memory_equal(without.ids, low.ids, sizeof low.ids);
        crawl(&world, ops, median(&without), &half);
        crawl(&world, ops, 1e30f, &high);
        assert_int_equal(high.count, 1); /* the seed */
        assert_true(high.ended && high.left > 0 && high.left == high.below);
        stopped += half.ended && half.left > 0 && half.count > 1;
        print_message("%s: %zu pages, at or above %g %zu\n", ops->name, without.count, (double)median(&without),
                      half.count);
        world_release(&world);
    }
    assert_true(stopped * 3 > strategies); /* the median kept something back in many of them: priorities that grow with
                                              the crawl have none so high at its beginning */
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
