#include "topic/query.h"
#include "topic_sample.h"

#include <math.h>

static struct query *parse(const char *text)
{
    struct errmsg err = {{0}};
    struct query *query;

    assert_ok(query_parse(str_of(text), &query, &err), err);
    return query;
}

static void add(struct query_counts *term_counts, const char *text)
{
    struct arena arena;
    struct page page;

    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://a.test/", "en", "", text, &page);
    query_counts_add(term_counts, &page);
    arena_release(&arena);
}

static void counts_pages_that_have_a_term(void **state)
{
    struct query *query = parse("hockey #syn(rink puck) \"ice hockey\"");
    struct query_counts term_counts;
    struct query_stats *stats;

    (void)state;
    query_counts_init(&term_counts, query);
    stats = query_counts_stats(query, &term_counts, NULL);
    assert_true(stats->documents == 0 && stats->avglen == 0);
    free(stats);
    add(&term_counts, "ice hockey rink puck hockey");
    add(&term_counts, "hockeys");
    add(&term_counts, "pucks and the rinks");
    add(&term_counts, "");
    stats = query_counts_stats(query, &term_counts, NULL);
    assert_int_equal(stats->documents, 4);
    assert_true(stats->avglen == 2.5);
    assert_int_equal(stats->df[0], 2);
    assert_int_equal(stats->df[1], 2);
    assert_int_equal(stats->df[2], 1);
    assert_true(fabs(stats->idf[2] - log(4.5) / log(5)) < 1e-12);
    add(&term_counts, "hockey");
    assert_int_equal(stats->documents, 4); /* a snapshot stays as it is */
    free(stats);
    query_counts_release(&term_counts);
    query_free(query);
}

static void a_sample_counts_too(void **state)
{
    struct query *query = parse("hockey rink");
    struct query_counts pages;
    struct query_counts *sample = query_counts_new(query);
    struct query_stats *stats;

    (void)state;
    query_counts_init(&pages, query);
    add(&pages, "hockey rink hockey");
    add(sample, "hockey");
    add(sample, "soup in a pan");
    stats = query_counts_stats(query, &pages, sample);
    assert_int_equal(stats->documents, 3);
    assert_true(fabs(stats->avglen - 8. / 3) < 1e-12);
    assert_int_equal(stats->df[0], 2);
    assert_int_equal(stats->df[1], 1);
    assert_int_equal(pages.documents, 1);
    free(stats);
    stats = query_counts_stats(query, NULL, sample);
    assert_int_equal(stats->documents, 2);
    free(stats);
    query_counts_free(sample);
    query_counts_free(NULL);
    query_counts_release(&pages);
    query_free(query);
}

/* What was counted of a page gives the same counts and the same belief as its words. */
static void a_page_is_counted_once(void **state)
{
    struct query *query = parse("hockey #syn(rink puck) \"ice hockey\" curling");
    struct query_counts by_words, by_counts;
    struct query_scratch scratch;
    struct query_stats *stats;
    struct arena arena;
    struct page page;
    struct str counted;
    double length;

    (void)state;
    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://a.test/", "en", "", "ice hockey rink puck hockey and the rest", &page);
    counted = query_counted_write(query, 7, &page, &arena);
    query_counts_init(&by_words, query);
    query_counts_init(&by_counts, query);
    query_counts_add(&by_words, &page);
    assert_true(query_counts_add_counted(&by_counts, 7, counted));
    assert_true(by_counts.documents == 1 && by_counts.words == by_words.words);
    assert_memory_equal(by_counts.df, by_words.df, by_words.nterms * sizeof *by_words.df);
    stats = query_counts_stats(query, &by_words, NULL);
    assert_true(query_counted_read(query, 7, counted, &scratch, &length));
    {
        double belief = query_belief_counted(query, stats, scratch.tf, length, 0);
        struct query_text text = query_text_page(&page);

        assert_true(belief == query_belief(query, stats, &text, &scratch));
    }
    /* Another key, and any damage of the length: it is read again. */
    assert_false(query_counts_add_counted(&by_counts, 8, counted));
    for (size_t cut = 0; cut < counted.len; cut++)
        assert_false(query_counts_add_counted(&by_counts, 7, str_sub(counted, 0, cut)));
    assert_false(query_counts_add_counted(&by_counts, 7, arena_printf(&arena, "%.*s ", STR_ARG(counted))));
    assert_true(by_counts.documents == 1);
    free(stats);
    query_counts_release(&by_words);
    query_counts_release(&by_counts);
    query_free(query);
    arena_release(&arena);
}

static void snapshots_are_due(void **state)
{
    static const struct {
        uint64_t before, documents;
        bool due;
    } cases[] = {
        {0, 0, false},       {0, 15, false},       {0, 16, true},        {16, 31, false},     {16, 32, true},
        {512, 1023, false},  {512, 1024, true},    {1024, 2023, false},  {1024, 2024, true},  {5, 15, false},
        {50000, 50999, false}, {50000, 51000, true}, {999, 1997, false}, {999, 1998, true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct query_counts term_counts = {.documents = cases[i].documents};

        if (query_counts_is_due(&term_counts, cases[i].before) != cases[i].due)
            fail_msg("case %zu", i);
    }
}

static void counts_survive_writing(void **state)
{
    struct query *query = parse("hockey rink");
    struct query_counts a, b;
    struct errmsg err = {{0}};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    query_counts_init(&a, query);
    query_counts_init(&b, query);
    add(&a, "hockey rink hockey");
    add(&a, "hockey");
    add(&b, "rink");
    assert_int_equal(query_counts_write(&a, &out), SCENT_OK);
    assert_ok(query_counts_read(&b, buf_str(&out), "f", &err), err);
    assert_int_equal(b.documents, 3);
    assert_int_equal(b.words, 5);
    assert_int_equal(b.df[0], 2);
    assert_int_equal(b.df[1], 2);
    buf_release(&out);
    query_counts_release(&a);
    query_counts_release(&b);
    query_free(query);
}

static void every_damage_is_noticed(void **state)
{
    struct query *query = parse("hockey rink");
    struct query_counts a, b;
    struct errmsg err = {{0}};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    query_counts_init(&a, query);
    query_counts_init(&b, query);
    add(&a, "hockey rink hockey");
    assert_int_equal(query_counts_write(&a, &out), SCENT_OK);
    for (size_t i = 0; i < out.len; i++) {
        out.p[i] ^= 1;
        assert_int_not_equal(query_counts_read(&b, buf_str(&out), "f", &err), SCENT_OK);
        out.p[i] ^= 1;
        assert_int_not_equal(query_counts_read(&b, str_sub(buf_str(&out), 0, i), "f", &err), SCENT_OK);
    }
    assert_int_equal(b.documents, 0);
    assert_int_equal(b.df[0], 0);
    assert_int_equal(query_counts_read(&b, STR("scent-census 9\n"), "f", &err), SCENT_E_VERSION);
    assert_string_equal(err.text, "f: statistics of version 9, this scent reads version 1; make them again with 'scent "
                                  "train'");
    query_counts_release(&a);
    query_counts_release(&b);
    query_free(query);
    buf_release(&out);
}

static void another_query_is_refused(void **state)
{
    struct query *one = parse("hockey"), *other = parse("rink");
    struct query_counts a, b;
    struct errmsg err = {{0}};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    query_counts_init(&a, one);
    query_counts_init(&b, other);
    assert_int_equal(query_counts_write(&a, &out), SCENT_OK);
    assert_int_equal(query_counts_read(&b, buf_str(&out), "old.stats", &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "old.stats: these statistics were counted for another query; make them again with "
                                  "'scent train'");
    query_counts_release(&a);
    query_counts_release(&b);
    query_free(one);
    query_free(other);
    buf_release(&out);
}

static void the_background_knows_rare_words(void **state)
{
    struct query *query;
    struct query_stats *stats;
    struct errmsg err = {{0}};

    (void)state;
    assert_ok(query_parse(STR("#sum(water transistor #syn(transistor water) \"transistor water\" xqzzq)"), &query, &err), err);
    stats = query_background_stats(query);
    assert_true(stats->idf[0] < stats->idf[1]);
    assert_true(stats->idf[2] == stats->idf[0] && stats->idf[3] == stats->idf[1]);
    assert_true(stats->idf[4] > stats->idf[1] && stats->avglen > 0);
    free(stats);
    query_free(query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sample_counts_too), cmocka_unit_test(counts_pages_that_have_a_term), cmocka_unit_test(snapshots_are_due),
        cmocka_unit_test(a_page_is_counted_once),
        cmocka_unit_test(the_background_knows_rare_words),
        cmocka_unit_test(counts_survive_writing),        cmocka_unit_test(every_damage_is_noticed),
        cmocka_unit_test(another_query_is_refused),
    };

    return cmocka_run_group_tests_name("topic/census", tests, NULL, NULL);
}
