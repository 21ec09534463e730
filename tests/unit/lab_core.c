/* The core of a topic: pages that all lead to each other without leaving it, against a search from every page. */
#include "lab_fixture.h"

#include "base/rng.h"
#include "lab/trial.h"

/* Marks what `from` leads to through pages of the topic. */
static void reach(const struct collection *collection, const bool *topic, uint32_t from, bool *out)
{
    uint32_t npages = collection_count(collection), *queue = calloc(npages, sizeof *queue);
    size_t count = 1;

    memset(out, 0, npages * sizeof *out);
    queue[0] = from;
    out[from] = true;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *targets;
        const struct page *page = collection_page(collection, queue[i], &targets);

        for (uint32_t k = 0; k < page->nlinks; k++)
            if (topic[targets[k]] && !out[targets[k]]) {
                out[targets[k]] = true;
                queue[count++] = targets[k];
            }
    }
    free(queue);
}

/* leads[a * npages + b]: a leads to b. */
static size_t largest(const bool *leads, const bool *topic, size_t npages)
{
    size_t best = 0;

    for (size_t a = 0; a < npages; a++) {
        size_t size = 0;

        for (size_t b = 0; topic[a] && b < npages; b++)
            size += topic[b] && leads[a * npages + b] && leads[b * npages + a];
        best = size > best ? size : best;
    }
    return best;
}

static void check(const struct collection *collection, const bool *topic)
{
    size_t npages = collection_count(collection), count, marked = 0;
    bool *leads = calloc(npages * npages, sizeof *leads), *core = calloc(npages, sizeof *core);

    for (uint32_t i = 0; i < npages; i++)
        if (topic[i])
            reach(collection, topic, i, leads + i * npages);
    assert_int_equal(trial_mark_core(collection, topic, core, &count), SCENT_OK);
    assert_int_equal(count, largest(leads, topic, npages));
    for (size_t a = 0; a < npages; a++) {
        marked += core[a];
        assert_true(!core[a] || topic[a]);
        for (size_t b = 0; core[a] && b < npages; b++)
            assert_true(!core[b] || leads[a * npages + b]);
    }
    assert_int_equal(marked, count);
    free(leads);
    free(core);
}

/* Topics are drawn at random, thin ones too: few links remain between their pages, and many components. */
static void like_brute_force(void **state)
{
    const struct lab_fixture *fixture = *state;
    uint32_t npages = collection_count(fixture->collection);
    bool *topic = calloc(npages, sizeof *topic);
    struct rng rng;

    rng_seed(&rng, 1);
    for (unsigned every = 1; every <= 30; every++) {
        for (uint32_t i = 0; i < npages; i++)
            topic[i] = rng_below(&rng, every) == 0;
        check(fixture->collection, topic);
    }
    memset(topic, 0, npages * sizeof *topic);
    check(fixture->collection, topic);
    free(topic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_brute_force)};

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
