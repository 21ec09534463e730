/* What the workers of one crawl add up, and take away again: counts of a query's terms, and the seeds' centroid. */
#include "topic/centroid.h"
#include "topic/query.h"
#include "topic_sample.h"

enum { TEXTS = 8, WORKERS = 4 };

static const char *const texts[TEXTS] = {
    "ice hockey rink puck hockey and the goal of a team", "pucks and the rinks of the north",
    "cheese is made of milk and rennet", "hockey players skate on ice with a stick and a puck",
    "a rink is a place for skating in winter", "curd becomes cheese, and milk becomes curd",
    "the puck slides; the goalkeeper of the hockey team waits", "ice melts in spring, milk turns sour"};

static void make_page(struct arena *arena, unsigned i, struct page *page)
{
    sample_page(arena, "https://a.test/", "en", "", texts[i], page);
}

static void counts_of_terms_leave_no_trace(void **state)
{
    struct query_counts all, sum, part[WORKERS];
    struct errmsg err = {0};
    struct query *query;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_ok(query_parse(STR("hockey rink #1(ice hockey) milk"), &query, &err), err);
    query_counts_init(&all, query);
    query_counts_init(&sum, query);
    for (unsigned w = 0; w < WORKERS; w++)
        query_counts_init(&part[w], query);
    for (unsigned i = 0; i < TEXTS; i++) {
        struct page page;

        make_page(&arena, i, &page);
        query_counts_add(&all, &page);
        query_counts_add(&part[i % WORKERS], &page);
    }
    for (unsigned w = 0; w < WORKERS; w++)
        query_counts_sum(&sum, &part[w]);
    assert_true(sum.documents == all.documents && sum.words == all.words);
    assert_memory_equal(sum.df, all.df, all.nterms * sizeof *all.df);
    for (unsigned w = 1; w < WORKERS; w++)
        query_counts_less(&sum, &part[w]);
    assert_true(sum.documents == part[0].documents && sum.words == part[0].words);
    assert_memory_equal(sum.df, part[0].df, all.nterms * sizeof *all.df);
    for (unsigned w = 0; w < WORKERS; w++)
        query_counts_release(&part[w]);
    query_counts_release(&all);
    query_counts_release(&sum);
    query_free(query);
    arena_release(&arena);
}

static void same_vector(const struct centroid *a, const struct centroid *b)
{
    struct text_vector x, y;
    struct arena arena;

    arena_init(&arena, 1 << 20);
    assert_int_equal(centroid_vector(a, &arena, &x), SCENT_OK);
    assert_int_equal(centroid_vector(b, &arena, &y), SCENT_OK);
    assert_int_equal(a->pages, b->pages);
    assert_int_equal(x.count, y.count);
    assert_true(x.count > 0);
    for (size_t i = 0; i < x.count; i++)
        assert_true(x.items[i].stem == y.items[i].stem && x.items[i].weight == y.items[i].weight);
    arena_release(&arena);
}

static void centroids_of_workers_sum_to_that_of_one(void **state)
{
    struct centroid all, part[WORKERS], sum, before;
    struct buf bytes[WORKERS];
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    centroid_init(&all);
    centroid_init(&sum);
    centroid_init(&before);
    for (unsigned w = 0; w < WORKERS; w++) {
        centroid_init(&part[w]);
        buf_init(&bytes[w], 0);
    }
    for (unsigned i = 0; i < TEXTS; i++) {
        struct page page;

        make_page(&arena, i, &page);
        assert_int_equal(centroid_add_page(&all, &page), SCENT_OK);
        assert_int_equal(centroid_add_page(&part[i % WORKERS], &page), SCENT_OK);
        if (i % WORKERS == 0) {
            assert_int_equal(centroid_add_page(&sum, &page), SCENT_OK);
            assert_int_equal(centroid_add_page(&before, &page), SCENT_OK);
        }
    }
    for (unsigned w = 0; w < WORKERS; w++)
        centroid_write(&part[w], &bytes[w]);
    for (unsigned w = 1; w < WORKERS; w++)
        assert_int_equal(centroid_sum(&sum, buf_str(&bytes[w]), 1), SCENT_OK);
    same_vector(&sum, &all);
    for (unsigned w = 1; w < WORKERS; w++)
        assert_int_equal(centroid_sum(&sum, buf_str(&bytes[w]), -1), SCENT_OK);
    same_vector(&sum, &before);
    /* Cut anywhere, and with a byte changed: refused with nothing added, or taken. */
    for (size_t len = 0; len < bytes[1].len; len++)
        assert_int_equal(centroid_sum(&sum, (struct str){bytes[1].p, len}, 1), SCENT_E_FORMAT);
    same_vector(&sum, &before);
    for (unsigned w = 0; w < WORKERS; w++) {
        centroid_release(&part[w]);
        buf_release(&bytes[w]);
    }
    centroid_release(&all);
    centroid_release(&sum);
    centroid_release(&before);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_terms_leave_no_trace),
        cmocka_unit_test(centroids_of_workers_sum_to_that_of_one),
    };

    return cmocka_run_group_tests_name("topic/sums", tests, NULL, NULL);
}
