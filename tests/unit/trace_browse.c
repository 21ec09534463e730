/* A browsing model of a web that is small enough to count. */
#include "browse_fixture.h"

#include <math.h>

#define assert_near(got, want)                                          \
    do {                                                                \
        double got_ = (got), want_ = (want);                            \
        if (!(fabs(got_ - want_) <= 1e-12)) {                           \
            print_error("%s is %.17g, not %.17g\n", #got, got_, want_); \
            _fail(__FILE__, __LINE__);                                  \
        }                                                               \
    } while (0)

/* Pages of each label, links from label to label. */
static void count_labels(const struct browse *browse, uint32_t pages[4], uint32_t links[4][4])
{
    const struct browse_concepts *concepts = browse_concepts(browse);

    memset(pages, 0, 4 * sizeof *pages);
    memset(links, 0, 16 * sizeof **links);
    for (uint32_t from = 0; from < BROWSE_NODES; from++) {
        pages[from / CLUSTER_MAX] += concepts->pages[from];
        for (uint32_t to = 0; to < BROWSE_NODES; to++)
            links[from / CLUSTER_MAX][to / CLUSTER_MAX] += concepts->links[from][to];
    }
}

static void test_graph(void **state)
{
    static const uint32_t want_pages[4] = {3, 2, 1, 2};
    static const uint32_t want_links[4][4] = {{1, 0, 1, 0}, {3, 0, 0, 0}, {0, 2, 0, 1}, {0, 0, 1, 2}};
    uint32_t pages[4], links[4][4];
    struct browse *browse;
    struct web web;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    count_labels(browse, pages, links);
    assert_memory_equal(pages, want_pages, sizeof pages);
    assert_memory_equal(links, want_links, sizeof links);
    browse_free(browse);
    web_release(&web);
}

static void test_matrices(void **state)
{
    const struct hmm *hmm;
    struct browse *browse;
    struct web web;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    hmm = browse_hmm(browse);
    assert_near(hmm->pi[0], 3.5 / 10);
    assert_near(hmm->pi[2], 1.5 / 10);
    assert_near(hmm->a[1][0], 3.5 / 5);
    assert_near(hmm->a[2][1], 2.5 / 4.5);
    assert_near(hmm->a[3][3], 2.5 / 4);
    assert_near(hmm->a[2][0], 0);
    assert_int_equal(hmm->nsymbols, browse_nclusters(browse));
    browse_free(browse);
    web_release(&web);
}

/* Goals, lists and cheese are three clusters; new pages find theirs, and their likeness to a goal. */
static void test_new_pages(void **state)
{
    struct page hockey, dairy, table, nothing, stranger;
    struct browse *browse;
    struct web web;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    web_analyse(&web.arena, "a", "puck rink", &hockey);
    web_analyse(&web.arena, "b", "milk cheese whey", &dairy);
    web_analyse(&web.arena, "c", "league clubs", &table);
    web_analyse(&web.arena, "d", "zebra", &nothing);
    web_analyse(&web.arena, "e", "puck zebra lion tiger giraffe elephant", &stranger);
    assert_int_equal(web_ask(browse, &hockey).cluster, web_ask(browse, &web.pages[6]).cluster);
    assert_int_equal(web_ask(browse, &dairy).cluster, web_ask(browse, &web.pages[3]).cluster);
    assert_int_equal(web_ask(browse, &table).cluster, web_ask(browse, &web.pages[1]).cluster);
    assert_true(web_ask(browse, &hockey).cluster != web_ask(browse, &dairy).cluster);
    assert_true(web_ask(browse, &hockey).similar > .8);
    assert_true(web_ask(browse, &dairy).similar < .2);
    assert_near(web_ask(browse, &nothing).similar, 0);
    assert_near(web_ask(browse, &web.pages[5]).similar, 1);
    assert_true(web_ask(browse, &nothing).strange && web_ask(browse, &stranger).strange);
    assert_false(web_ask(browse, &hockey).strange || web_ask(browse, &dairy).strange || web_ask(browse, &web.pages[5]).strange);
    browse_free(browse);
    web_release(&web);
}

static void test_telling_words(void **state)
{
    struct browse *browse;
    struct web web;
    uint32_t dairy;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    dairy = web_ask(browse, &web.pages[3]).cluster;
    assert_true(str_eq(browse_telling(browse, dairy, 0), STR("cheese")) ||
                str_eq(browse_telling(browse, dairy, 0), STR("milk")));
    assert_true(browse_telling(browse, dairy, BROWSE_TELLING).len == 0);
    browse_free(browse);
    web_release(&web);
}

/* ---- sessions ---- */

struct shelf {
    const struct web *web;
    const char *missing; /* a part of the URLs that are not there; NULL: all are */
};

/* "http://web.test/old" was moved to goal3. */
static const struct page *find_page(void *ctx, struct str url)
{
    const struct shelf *shelf = ctx;
    char path[64];

    snprintf(path, sizeof path, "%.*s", STR_ARG(str_sub(url, sizeof "http://web.test/" - 1, url.len)));
    if (shelf->missing && strstr(path, shelf->missing))
        return NULL;
    for (int i = 0; i < WEB_PAGES; i++)
        if (strcmp(web_pages[i].path, strcmp(path, "old") == 0 ? "goal3" : path) == 0)
            return &shelf->web->pages[i];
    return NULL;
}

static struct browsing *record(const char *const *paths, size_t count, const char *useful)
{
    struct browsing *browsing = browsing_new();
    char url[100];
    uint32_t visit;

    for (size_t i = 0; i < count; i++) {
        snprintf(url, sizeof url, "http://web.test/%s", paths[i]);
        assert_int_equal(browsing_add_visit(browsing, str_of(url), 0, BROWSING_NONE, &visit), SCENT_OK);
        if (useful && strstr(paths[i], useful))
            assert_int_equal(browsing_add_mark(browsing, str_of(url), 0, true), SCENT_OK);
    }
    return browsing;
}

static scent_status learn(struct browsing *browsing, const struct web *web, const char *missing, struct browse **out,
                          struct browse_met *met, struct errmsg *err)
{
    struct shelf shelf = {web, missing};
    struct browse_source source = {find_page, &shelf};
    struct browse_options options = browse_options_default();

    return browse_learn(browsing, &source, &options, out, met, err);
}

static const char *const all[] = {"hub", "list1", "goal1", "goal2", "list2", "goal3", "old", "cheese", "curd", "lost"};

/* The page behind a redirect counts once, and the mark of either name counts; what is lost is told. */
static void test_sessions(void **state)
{
    uint32_t pages[4], links[4][4];
    struct browsing *browsing = record(all, 10, "l");
    struct browse_met met;
    struct browse *browse;
    struct errmsg err;
    struct web web;

    (void)state;
    web_init(&web);
    assert_ok(learn(browsing, &web, NULL, &browse, &met, &err), err);
    assert_int_equal(met.pages, 8);
    assert_int_equal(met.useful, 5); /* goals and lists: all with an l, the moved page once */
    assert_int_equal(met.unread, 1);
    assert_int_equal(met.useful_unread, 1);
    assert_str(met.first_unread, "http://web.test/lost");
    count_labels(browse, pages, links);
    assert_int_equal(pages[0], 5);
    assert_int_equal(links[0][0], 4); /* lists to goals, a goal to the next; not goal3 to its other name */
    browse_free(browse);
    browsing_free(browsing);
    web_release(&web);
}

/* Somebody went from the curd to a goal by a form: no link says so. Then curd is one step before a target; with links
 * alone it is far from all of them. */
static void test_recorded_ways(void **state)
{
    static const char *const seen[] = {"hub", "list1", "goal1", "goal2", "cheese", "curd"};
    struct browse_options options = browse_options_default();
    struct web web;
    uint32_t near[2];

    (void)state;
    web_init(&web);
    for (int links_only = 0; links_only < 2; links_only++) {
        struct browsing *browsing = record(seen, 6, "goal");
        struct shelf shelf = {&web, NULL};
        struct browse_source source = {find_page, &shelf};
        uint32_t pages[4], links[4][4], visit;
        struct browse_met met;
        struct browse *browse;
        struct errmsg err;

        assert_int_equal(browsing_add_visit(browsing, STR("http://web.test/goal1"), 0, 5, &visit), SCENT_OK);
        options.links_only = links_only;
        assert_ok(browse_learn(browsing, &source, &options, &browse, &met, &err), err);
        count_labels(browse, pages, links);
        near[links_only] = pages[1];
        browse_free(browse);
        browsing_free(browsing);
    }
    assert_int_equal(near[0], near[1] + 1);
    web_release(&web);
}

static void assert_refused(struct browsing *browsing, const struct web *web, const char *missing, const char *why)
{
    struct browse_met met;
    struct browse *browse;
    struct errmsg err = {{0}};

    assert_int_equal(learn(browsing, web, missing, &browse, &met, &err), SCENT_E_INVALID);
    assert_null(browse);
    if (!strstr(err.text, why))
        fail_msg("\"%s\" does not say \"%s\"", err.text, why);
    browsing_free(browsing);
}

static void test_refusals(void **state)
{
    static const char *const one[] = {"goal1"}, *const twice[] = {"goal1", "hub"};
    struct web web;

    (void)state;
    web_init(&web);
    assert_refused(record(NULL, 0, NULL), &web, NULL, "no page was visited");
    assert_refused(record(all, 10, NULL), &web, NULL, "have no useful page");
    assert_refused(record(one, 1, "goal"), &web, NULL, "one page is not enough");
    assert_refused(record(twice, 2, "goal"), &web, "hub", "one page is not enough");
    assert_refused(record(all, 6, "goal"), &web, "", "none of the 6 pages of the sessions could be read");
    assert_refused(record(all, 6, "goal"), &web, "goal", "none of the 3 useful pages could be read");
    web_release(&web);
}

/* Pages that are the same, or empty: nothing to learn. Fewer than five: fewer clusters. */
static void test_little_to_learn(void **state)
{
    struct browse_input input = {.npages = 3};
    struct browse_options options = browse_options_default();
    struct browse_page pages[3];
    struct page texts[4];
    struct browse *browse;
    struct errmsg err;
    struct web web;

    (void)state;
    web_init(&web);
    web_analyse(&web.arena, "1", "one two", &texts[0]);
    web_analyse(&web.arena, "2", "one two", &texts[1]);
    web_analyse(&web.arena, "3", "", &texts[2]);
    web_analyse(&web.arena, "4", "other words", &texts[3]);
    input.pages = pages;
    for (int i = 0; i < 3; i++)
        pages[i] = (struct browse_page){&texts[i / 2], i == 0};
    assert_int_equal(browse_train(&input, &options, &browse, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "do not differ in any word"));
    pages[0] = (struct browse_page){&texts[2], true};
    pages[1].page = &texts[0];
    pages[2].page = &texts[3];
    assert_int_equal(browse_train(&input, &options, &browse, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "no useful page has words"));
    pages[1].useful = true;
    assert_ok(browse_train(&input, &options, &browse, &err), err);
    assert_true(browse_nclusters(browse) <= 3);
    browse_free(browse);
    web_release(&web);
}

/* ---- features beside the text ---- */

/* All four pages have the word hockey; where it stands tells them apart. */
static void learn_places(struct web *web, struct browse_features features, struct browse **out)
{
    static const char *const pages[] = {
        "<title>hockey</title> ice rink <a href=/l1>hockey</a>", "<title>hockey</title> ice puck <a href=/l2>hockey</a>",
        "<title>dairy</title> milk hockey <a href=/l3>cheese</a>", "<title>dairy</title> whey hockey <a href=/l4>cheese</a>"};
    struct browse_page input[4];
    struct browse_options options = browse_options_default();
    struct errmsg err;

    memset(web, 0, sizeof *web);
    arena_init(&web->arena, (size_t)1 << 30);
    for (int i = 0; i < 4; i++) {
        web_analyse(&web->arena, pages[i] + 14, pages[i], &web->pages[i]);
        input[i] = (struct browse_page){&web->pages[i], i < 2};
    }
    options.cluster.clusters = 2;
    options.features = features;
    assert_ok(browse_train(&(struct browse_input){.pages = input, .npages = 4}, &options, out, &err), err);
}

static void test_features(void **state)
{
    static const struct browse_features wanted[] = {{0, 0}, {2, 0}, {0, 3}, {2, 3}};

    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct page titled, linked, plain;
        struct browse *browse, *again;
        struct buf bytes;
        struct errmsg err;
        struct web web;

        learn_places(&web, wanted[i], &browse);
        web_analyse(&web.arena, "a", "<title>hockey</title>", &titled);
        web_analyse(&web.arena, "b", "<a href=/x>hockey</a>", &linked);
        web_analyse(&web.arena, "c", "hockey", &plain);
        buf_init(&bytes, 0);
        assert_int_equal(browse_write(browse, &bytes), SCENT_OK);
        assert_int_equal(bytes.p[8], i == 0 ? 1 : 2); /* the version: models of the text are those of before */
        assert_ok(browse_read(buf_str(&bytes), "test", &again, &err), err);
        assert_near(web_ask(again, &plain).similar, 0);
        if (wanted[i].title > 0)
            assert_true(web_ask(again, &titled).similar > .8);
        else
            assert_near(web_ask(again, &titled).similar, 0);
        if (wanted[i].anchors > 0)
            assert_true(web_ask(again, &linked).similar > .8);
        else
            assert_near(web_ask(again, &linked).similar, 0);
        assert_true(browse_telling(again, 0, 0).len > 0 && browse_telling(again, 1, 0).len > 0);
        assert_near(web_ask(again, &titled).familiar, web_ask(again, &plain).familiar); /* by the text alone */
        buf_release(&bytes);
        browse_free(again);
        browse_free(browse);
        web_release(&web);
    }
}

/* ---- keeping ---- */

static void test_file(void **state)
{
    struct browse *browse, *again = NULL;
    struct buf one, two;
    struct errmsg err;
    struct web web;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    buf_init(&one, 0);
    buf_init(&two, 0);
    assert_int_equal(browse_write(browse, &one), SCENT_OK);
    assert_ok(browse_read(buf_str(&one), "test", &again, &err), err);
    assert_int_equal(browse_write(again, &two), SCENT_OK);
    assert_true(str_eq(buf_str(&one), buf_str(&two)));
    assert_memory_equal(browse_hmm(browse), browse_hmm(again), sizeof(struct hmm));
    assert_memory_equal(browse_concepts(browse), browse_concepts(again), sizeof(struct browse_concepts));
    for (int i = 0; i < WEB_PAGES; i++) {
        assert_int_equal(web_ask(browse, &web.pages[i]).cluster, web_ask(again, &web.pages[i]).cluster);
        assert_near(web_ask(browse, &web.pages[i]).similar, web_ask(again, &web.pages[i]).similar);
        assert_int_equal(web_ask(browse, &web.pages[i]).strange, web_ask(again, &web.pages[i]).strange);
    }
    assert_true(str_eq(browse_telling(browse, 0, 0), browse_telling(again, 0, 0)));
    browse_free(again);
    browse_free(browse);
    buf_release(&one);
    buf_release(&two);
    web_release(&web);
}

static void test_damaged_file(void **state)
{
    struct browse *browse, *again;
    struct errmsg err = {{0}};
    struct buf file;
    struct web web;

    (void)state;
    web_init(&web);
    browse = web_train(&web);
    buf_init(&file, 0);
    assert_int_equal(browse_write(browse, &file), SCENT_OK);
    for (size_t i = 0; i < file.len; i += 1 + i / 9) {
        assert_true(browse_read((struct str){file.p, i}, "cut", &again, &err) != SCENT_OK);
        file.p[i] ^= 4;
        assert_true(browse_read(buf_str(&file), "bad.browsing", &again, &err) != SCENT_OK);
        assert_null(again);
        assert_non_null(strstr(err.text, "bad.browsing"));
        file.p[i] ^= 4;
    }
    browse_free(browse);
    buf_release(&file);
    web_release(&web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_matrices),
        cmocka_unit_test(test_new_pages),
        cmocka_unit_test(test_telling_words),
        cmocka_unit_test(test_sessions),
        cmocka_unit_test(test_recorded_ways),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_little_to_learn),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_damaged_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
