/* Models that learn from the words around links, and crawls that begin at hubs. */
#include "lab_pages_fixture.h"

#include "lab/trial_model.h"

/* The seeds speak of xylophones; what links to them speaks of hockey, with 20 words on each side of the link. */
#define FILL "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "

static const struct pages_row PAGES[] = {
    {"seed1.html", "<html lang=en>xylophone"},
    {"seed2.html", "<html lang=en>xylophone"},
    {"seed3.html", "<html lang=en>xylophone <a href=other.html>milk cheese</a>"},
    {"other.html", "<html lang=en>trombone"},
    {"lonely.html", "<html lang=en>violin <a href=other.html>milk</a>"},
    {"back1.html", "<html lang=en>cello tuba flute drum " FILL "rink skate goal stick <a href=seed1.html>hockey</a> "
                   "puck puck puck " FILL "harp <a href=seed2.html>hockey</a> puck <a href=seed3.html>hockey</a> " FILL},
    {"back2.html", "<html lang=en>" FILL "<a href=seed1.html>hockey</a> puck <a href=seed2.html>hockey</a>"},
    {"back3.html", "<html lang=en>hockey puck <a href=seed1.html>stick</a>"},
    {0},
};

struct place {
    struct pages_fixture pages;
    struct page_graph *backlinks;
    uint32_t seeds[3], negatives[1];
    bool relevant[8], target[8];
    struct trial trial;
};

static int set_up(void **state)
{
    static const char *const seeds[] = {"seed1.html", "seed2.html", "seed3.html"};
    struct place *place = calloc(1, sizeof *place);
    struct errmsg err = {0};

    pages_open(&place->pages, PAGES);
    assert_ok(collection_graph(place->pages.collection, &place->backlinks, &err), err);
    for (size_t i = 0; i < 3; i++)
        place->seeds[i] = pages_find(&place->pages, seeds[i]);
    place->negatives[0] = pages_find(&place->pages, "other.html");
    place->trial = (struct trial){
        .name = STR("t"), .seeds = place->seeds, .nseeds = 3, .positives = place->seeds, .npositives = 3, .negatives = place->negatives, .nnegatives = 1,
        .starts = place->seeds, .nstarts = 3, .relevant = place->relevant, .target = place->target};
    arena_init(&place->trial.arena, SIZE_MAX);
    *state = place;
    return 0;
}

static int tear_down(void **state)
{
    struct place *place = *state;

    arena_release(&place->trial.arena);
    page_graph_free(place->backlinks);
    pages_close(&place->pages);
    free(place);
    return 0;
}

static struct model *train(struct place *place, uint64_t seed)
{
    struct experiment_model options = {.options = model_options_default(MODEL_BAYES), .backlinks = true};
    struct errmsg err = {0};
    struct trained trained;

    assert_ok(trial_model_train(place->pages.collection, place->backlinks, &place->trial, seed, &options, &trained,
                                &err), err);
    assert_null(trained.guide);
    return trained.judge;
}

/* The probability of the topic for one word of a page. */
static double ask(const struct place *place, const struct model *model, const char *page_name, const char *text)
{
    const struct page *page = collection_page(place->pages.collection, pages_find(&place->pages, page_name), NULL);
    double p[2];

    for (uint32_t i = 0; i < page->nbag; i++)
        if (str_eq(page->bag[i].text, str_of(text))) {
            model_predict(model, &(struct text_vector){&(struct text_weight){page->bag[i].stem, 1}, 1}, p);
            return p[TRIAL_TOPIC];
        }
    fail_msg("%s has no word %s", page_name, text);
    return 0;
}

static void learns_from_windows(void **state)
{
    struct place *place = *state;
    struct model *model = train(place, 1);
    double nothing;

    nothing = ask(place, model, "other.html", "trombone"); /* the example itself is not read: the prior */
    assert_true(ask(place, model, "back3.html", "hockey") > nothing);
    assert_true(ask(place, model, "seed3.html", "milk") < nothing);
    assert_true(ask(place, model, "back1.html", "cello") == nothing); /* more than 20 words before any link */
    model_free(model);
}

static void same_seed_same_model(void **state)
{
    struct place *place = *state;
    struct model *a = train(place, 7), *b = train(place, 7);
    struct buf x, y;

    buf_init(&x, 0);
    buf_init(&y, 0);
    assert_int_equal(model_write(a, &x), SCENT_OK);
    assert_int_equal(model_write(b, &y), SCENT_OK);
    assert_true(str_eq(buf_str(&x), buf_str(&y)));
    buf_release(&x);
    buf_release(&y);
    model_free(a);
    model_free(b);
}

/* One seed with three back-links: one window, whichever it is. back3's and the negative's have 3 and 1 or 2 stems. */
static void as_many_as_examples(void **state)
{
    struct place *place = *state;
    unsigned small = 0, large = 0;

    place->trial.nseeds = place->trial.npositives = 1;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct model *model = train(place, seed);
        uint32_t stems = model_nfeatures(model);

        small += stems <= 3 + 3;
        large += stems > 10;
        model_free(model);
    }
    assert_in_range(small, 5, 22); /* a third of 40 is 13 */
    assert_int_equal(small + large, 40);
}

static void nothing_links_there(void **state)
{
    struct place *place = *state;
    struct experiment_model options = {.options = model_options_default(MODEL_BAYES), .backlinks = true};
    struct errmsg err = {0};
    struct trained trained;

    place->seeds[0] = pages_find(&place->pages, "lonely.html");
    place->trial.nseeds = place->trial.npositives = 1;
    assert_int_equal(trial_model_train(place->pages.collection, place->backlinks, &place->trial, 1, &options, &trained,
                                       &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "links to the seeds"));
    assert_non_null(strstr(err.text, "train: pages"));
}

static void hubs_join_the_seeds(void **state)
{
    struct place *place = *state;
    uint32_t back1 = pages_find(&place->pages, "back1.html"), back2 = pages_find(&place->pages, "back2.html"),
             back3 = pages_find(&place->pages, "back3.html");
    struct errmsg err = {0};

    place->target[back2] = place->target[back3] = true;
    place->trial.ntargets = 2;
    assert_ok(trial_add_hubs(&place->trial, place->backlinks, 10, &err), err);
    assert_int_equal(place->trial.nstarts, 5); /* back3 links to one seed only */
    assert_int_equal(place->trial.nseeds, 3);
    assert_int_equal(place->trial.starts[0], place->seeds[0]);
    assert_int_equal(place->trial.starts[3], back1);
    assert_int_equal(place->trial.starts[4], back2);
    assert_int_equal(place->trial.ntargets, 1);
    assert_true(place->target[back3] && !place->target[back2]);
    place->trial.starts = place->seeds;
    place->trial.nstarts = 3;
    assert_ok(trial_add_hubs(&place->trial, place->backlinks, 1, &err), err);
    assert_int_equal(place->trial.nstarts, 4);
    assert_int_equal(place->trial.starts[3], back1);
}

static void in_the_file(void **state)
{
    static const char text[] = "collection: w\nmodel: {kind: svm, train: backlinks}\nhubs: 5\n"
                               "strategies: [text-window, {name: full-page, model: {train: pages, weighting: atn}}]\n";
    struct experiment *experiment;
    struct errmsg err = {0};

    (void)state;
    assert_ok(experiment_parse(str_of(text), "e.yaml", &experiment, &err), err);
    assert_int_equal(experiment->hubs, 5);
    assert_true(experiment->strategies[0].model.backlinks);
    assert_false(experiment->strategies[1].model.backlinks);
    assert_int_equal(experiment->strategies[1].model.options.kind, MODEL_SVM);
    assert_int_equal(experiment->strategies[0].model.options.weighting, TEXT_LTC);
    assert_int_equal(experiment->strategies[1].model.options.weighting, TEXT_ATN);
    experiment_free(experiment);
    assert_int_equal(experiment_parse(STR("collection: w\nmodel: {train: hubs}\nstrategies: [random]\n"), "e.yaml",
                                      &experiment, &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "e.yaml:2"));
    assert_non_null(strstr(err.text, "expected pages"));
    assert_int_equal(experiment_parse(STR("collection: w\nmodel: {weighting: tfidf}\nstrategies: [random]\n"), "e.yaml",
                                      &experiment, &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "expected ltc, atn, tf or lsc, got 'tfidf'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(learns_from_windows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(same_seed_same_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(as_many_as_examples, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_links_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hubs_join_the_seeds, set_up, tear_down),
        cmocka_unit_test(in_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
