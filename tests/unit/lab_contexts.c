/* Back-links, and the quality of contexts worked out by hand. */
#include "lab_pages_fixture.h"

#include "lab/context_quality.h"
#include "lab/labels.h"

#include <math.h>

/* b is described by "puck rink cheese". In a, 5 edges do not reach the text of the inner paragraph; c says nothing, and
 * says it twice; d leads nowhere. */
static const struct pages_row PAGES[] = {
    {"a.html", "<html lang=en><body><p>hockey rink <a href=b.html>puck</a> milk</p><div><div><p>alpha bravo delta echo "
               "foxtrot golf hotel india juliet kilo</p></div></div><p>cheese</p>"},
    {"b.html", "<html lang=en><body>puck rink cheese <a href=b.html>puck</a> <a href=nowhere.html>puck</a> of the"},
    {"c.html", "<html lang=en><body><p>bread butter <a href=b.html>here</a></p><a href=b.html>milk</a>"},
    {"d.html", "<html lang=en><body>puck"},
    {0},
};

static struct context_quality measure(const struct pages_fixture *fixture, uint32_t backlinks, const bool *targets)
{
    struct context_quality_options options = {.backlinks = backlinks, .description = 3, .seed = 1, .targets = targets};
    struct context_quality quality;
    struct errmsg err = {0};

    assert_ok(context_quality_measure(fixture->collection, &options, &quality, &err), err);
    return quality;
}

static void back_links(void **state)
{
    struct pages_fixture fixture;
    struct page_graph *backlinks;
    struct page_backlink drawn[2];
    struct errmsg err = {0};
    struct rng rng;
    size_t count, first = 0;

    (void)state;
    pages_open(&fixture, PAGES);
    assert_ok(collection_graph(fixture.collection, &backlinks, &err), err);
    const struct page_backlink *items = page_graph_backlinks(backlinks, pages_find(&fixture, "b.html"), &count);

    assert_int_equal(count, 2);
    assert_int_equal(items[0].page, pages_find(&fixture, "a.html"));
    assert_int_equal(items[1].page, pages_find(&fixture, "c.html"));
    assert_int_equal(items[1].link, 0);
    page_graph_backlinks(backlinks, pages_find(&fixture, "d.html"), &count);
    assert_int_equal(count, 0);
    /* Each as likely as the other. */
    rng_seed(&rng, 1);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(page_graph_draw(backlinks, pages_find(&fixture, "b.html"), 1, &rng, drawn), 1);
        first += drawn[0].page == items[0].page;
    }
    assert_in_range(first, 400, 600);
    assert_int_equal(page_graph_draw(backlinks, pages_find(&fixture, "b.html"), 2, &rng, drawn), 2);
    assert_int_equal(drawn[0].page, items[0].page);
    page_graph_free(backlinks);
    pages_close(&fixture);
}

static void assert_row(const struct context_quality *quality, enum context_way way, double cosine, double words)
{
    const struct context_quality_row *row = &quality->rows[way];

    /* One context has this cosine, the other 0: the standard error is as large as the mean. */
    if (fabs(row->similarity - cosine / 2) > 1e-12 || fabs(row->error - cosine / 2) > 1e-9 ||
        fabs(row->words - words) > 1e-12)
        fail_msg("way %d: %.6f +- %.6f, %.1f words; want %.6f, %.1f", (int)way, row->similarity, row->error,
                 row->words, cosine / 2, words);
    assert_true(row->zero == .5);
}

static void by_hand(void **state)
{
    struct pages_fixture fixture;
    struct context_quality quality;

    (void)state;
    pages_open(&fixture, PAGES);
    quality = measure(&fixture, 10, NULL);
    assert_int_equal(quality.targets, 1);
    assert_int_equal(quality.contexts, 2);
    assert_row(&quality, CONTEXT_WAY_ANCHOR, 1 / sqrt(3), (1 + 1) / 2.);
    assert_row(&quality, CONTEXT_WAY_WINDOW_10, 2 / sqrt(11 * 3), (11 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_WINDOW_20, 3 / sqrt(15 * 3), (15 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_WINDOW_40, 3 / sqrt(15 * 3), (15 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_TAG_TREE, 2 / sqrt(4 * 3), (4 + 3) / 2.);
    assert_row(&quality, CONTEXT_WAY_LEAVES, 3 / sqrt(15 * 3), (15 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_PATH, 3 / sqrt(5 * 3), (5 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_PAGE, 3 / sqrt(15 * 3), (15 + 4) / 2.);
    assert_true(quality.rows[CONTEXT_WAY_TAG_TREE].shorts == 1); /* 4 and 3 words; of windows one has 11 */
    assert_true(quality.rows[CONTEXT_WAY_WINDOW_10].shorts == .5);
    pages_close(&fixture);
}

static void chosen(void **state)
{
    struct pages_fixture fixture;
    struct context_quality quality, again;
    bool targets[4] = {false};

    (void)state;
    pages_open(&fixture, PAGES);
    quality = measure(&fixture, 1, NULL);
    again = measure(&fixture, 1, NULL);
    assert_int_equal(quality.contexts, 1);
    assert_memory_equal(&quality, &again, sizeof quality);
    quality = measure(&fixture, 10, targets);
    assert_int_equal(quality.contexts, 0);
    targets[pages_find(&fixture, "b.html")] = true;
    quality = measure(&fixture, 10, targets);
    assert_int_equal(quality.contexts, 2);
    pages_close(&fixture);
}

/* b is described by one word now, and so is d, which nobody links to. */
static void given_descriptions(void **state)
{
    struct context_quality_options options = {.backlinks = 10, .description = 3, .seed = 1};
    struct pages_fixture fixture;
    struct context_quality quality;
    struct labels descriptions;
    struct errmsg err = {0};
    char path[600];

    (void)state;
    pages_open(&fixture, PAGES);
    snprintf(path, sizeof path, "%s/described.tsv", fixture.dir);
    assert_ok(file_replace(path, STR("http://pages.test/b.html\tThe Rinks\nhttp://pages.test/d.html\tpuck\n"), &err), err);
    assert_ok(labels_read(fixture.collection, path, NULL, &descriptions, &err), err);
    options.descriptions = &descriptions;
    assert_ok(context_quality_measure(fixture.collection, &options, &quality, &err), err);
    assert_int_equal(quality.targets, 1);
    assert_int_equal(quality.contexts, 2);
    assert_row(&quality, CONTEXT_WAY_WINDOW_10, 1 / sqrt(11), (11 + 4) / 2.);
    assert_row(&quality, CONTEXT_WAY_TAG_TREE, 1 / sqrt(4), (4 + 3) / 2.);
    labels_release(&descriptions);
    pages_close(&fixture);
}

static void told(void **state)
{
    struct context_quality_options options = {.backlinks = 1, .description = 30, .seed = 1};
    struct context_quality quality = {.targets = 7, .contexts = 8, .rows = {{.5, .25, .125, 3, .75}}};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    context_quality_print(&quality, &out);
    assert_non_null(strstr(buf_z(&out), "anchor        0.5000 +- 0.2500      12.50%        3.0      75.00%\n"));
    assert_non_null(strstr(buf_z(&out), "8 links to 7 pages"));
    buf_clear(&out);
    context_quality_write_json(&quality, &options, &out);
    assert_non_null(strstr(buf_z(&out), "{\"pages\":7,\"links\":8,\"description_words\":30,\"backlinks\":1,\"seed\":1,"
                                        "\"contexts\":[{\"context\":\"anchor\",\"similarity\":0.5,\"error\":0.25,"
                                        "\"zero\":0.125,\"words\":3,\"short\":0.75}"));
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(back_links),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(chosen),
        cmocka_unit_test(given_descriptions),
        cmocka_unit_test(told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
