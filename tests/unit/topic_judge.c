#include "trace/browse.h"
#include "topic/judge.h"
#include "topic/centroid.h"
#include "topic_sample.h"

#include <math.h>
#include <pthread.h>

#define assert_near(got, want) assert_true(fabs((got) - (want)) < 1e-12)

static struct page_term terms[] = {{.stem = 10, .tf = 1}, {.stem = 20, .tf = 3}, {.stem = 30, .tf = 8}};

static void a_page_becomes_a_vector_of_length_one(void **state)
{
    const struct page page = {.bag = terms, .nbag = 3}, none = {0};
    double w3 = 1 + log(3), w8 = 1 + log(8), norm = sqrt(1 + w3 * w3 + w8 * w8);
    struct text_vector v;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    assert_int_equal(centroid_page_vector(&page, &arena, &v), SCENT_OK);
    assert_int_equal(v.count, 3);
    assert_int_equal(v.items[1].stem, 20);
    assert_near(v.items[0].weight, 1 / norm);
    assert_near(v.items[2].weight, w8 / norm);
    assert_near(text_norm(&v), 1);
    assert_int_equal(centroid_page_vector(&none, &arena, &v), SCENT_OK);
    assert_int_equal(v.count, 0);
    arena_release(&arena);
}

static void no_memory_is_said(void **state)
{
    const struct page page = {.bag = terms, .nbag = 3};
    struct text_vector v;
    struct arena arena;

    (void)state;
    arena_init(&arena, 16);
    assert_int_equal(centroid_page_vector(&page, &arena, &v), SCENT_E_NOMEM);
    arena_release(&arena);
}

/* The short way must give what the long way gives, whatever the lengths. */
static void the_cosine_agrees_with_the_vectors(void **state)
{
    struct page_term bag[50];
    struct text_weight weights[3000];
    struct centroid centroid;
    struct likeness likeness;
    struct arena arena;

    (void)state;
    arena_init(&arena, 1 << 20);
    for (size_t step = 1; step < 97; step += 5) {
        struct page page = {.bag = bag, .nbag = 50};
        struct text_vector other = {weights, 3000 / step}, v;

        for (uint32_t i = 0; i < 50; i++)
            bag[i] = (struct page_term){.stem = 7 + i * step, .tf = 1 + i % 9};
        for (size_t i = 0; i < other.count; i++)
            weights[i] = (struct text_weight){.stem = 3 + i * 2, .weight = 1 + (double)(i % 5)};
        assert_int_equal(centroid_page_vector(&page, &arena, &v), SCENT_OK);
        centroid_init(&centroid);
        assert_int_equal(centroid_add(&centroid, &other), SCENT_OK);
        likeness_init(&likeness, &centroid);
        centroid_release(&centroid);
        assert_near(likeness_of(&likeness, &page), text_cosine(&v, &other));
        likeness_release(&likeness);
    }
    arena_release(&arena);
}

static void a_centroid_is_the_mean_of_its_vectors(void **state)
{
    struct text_weight a[] = {{1, 0.6}, {2, 0.8}}, b[] = {{2, 1}};
    struct text_vector va = {a, 2}, vb = {b, 1}, mean;
    struct centroid centroid;
    struct arena arena;
    double norm = sqrt(0.6 * 0.6 + 1.8 * 1.8);

    (void)state;
    arena_init(&arena, 1 << 20);
    centroid_init(&centroid);
    assert_int_equal(centroid_vector(&centroid, &arena, &mean), SCENT_OK);
    assert_int_equal(mean.count, 0);
    assert_int_equal(centroid_add(&centroid, &va), SCENT_OK);
    assert_int_equal(centroid_add(&centroid, &vb), SCENT_OK);
    assert_int_equal(centroid_vector(&centroid, &arena, &mean), SCENT_OK);
    assert_int_equal(mean.count, 2);
    assert_int_equal(mean.items[0].stem, 1);
    assert_near(mean.items[0].weight, 0.6 / norm);
    assert_near(mean.items[1].weight, 1.8 / norm);
    centroid_release(&centroid);
    arena_release(&arena);
}

static void a_large_centroid_keeps_the_heaviest(void **state)
{
    enum { MANY = 40000 };
    struct text_weight *items = calloc(MANY, sizeof *items);
    struct text_vector v = {items, MANY}, mean;
    struct centroid centroid;
    struct arena arena;

    (void)state;
    arena_init(&arena, 16 << 20);
    centroid_init(&centroid);
    for (size_t i = 0; i < MANY; i++)
        items[i] = (struct text_weight){.stem = i * 0x9E3779B97F4A7C15u, .weight = i < 100 ? 2 : 1};
    assert_int_equal(centroid_add(&centroid, &v), SCENT_OK);
    assert_int_equal(centroid_vector(&centroid, &arena, &mean), SCENT_OK);
    assert_int_equal(mean.count, CENTROID_VECTOR_MAX);
    assert_near(text_norm(&mean), 1);
    for (size_t i = 1, heavy = mean.items[0].weight > 0.01; i < mean.count; i++) {
        assert_true(mean.items[i - 1].stem < mean.items[i].stem);
        heavy += mean.items[i].weight > 0.01;
        assert_true(i + 1 < mean.count || heavy == 100);
    }
    centroid_release(&centroid);
    arena_release(&arena);
    free(items);
}

/* A topic about hockey whose centroid is one page. */
struct fixture {
    struct arena arena;
    struct topic *topic;
    struct page seed, near, far;
    struct judge *judge;
};

static void set_up(struct fixture *f, const char *relevant)
{
    char text[512];
    struct errmsg err = {{0}};
    struct centroid seeds;

    arena_init(&f->arena, 1 << 20);
    snprintf(text, sizeof text, "topic: hockey\nrelevant: '%s'\n", relevant);
    assert_ok(topic_parse(str_of(text), "t", &f->topic, &err), err);
    sample_page(&f->arena, "https://a.test/", "en", "Hockey", "ice hockey rink skates puck", &f->seed);
    sample_page(&f->arena, "https://b.test/", "en", "Hockey news", "the puck on the ice rink", &f->near);
    sample_page(&f->arena, "https://c.test/", "en", "Cooking", "potatoes and soup", &f->far);
    centroid_init(&seeds);
    assert_int_equal(centroid_add_page(&seeds, &f->seed), SCENT_OK);
    f->judge = judge_new(&(struct judge_basis){.topic = f->topic, .seeds = &seeds, .version = 7});
    centroid_release(&seeds);
}

static void tear_down(struct fixture *f)
{
    judge_unref(f->judge);
    topic_free(f->topic);
    arena_release(&f->arena);
}

static struct judgement judge_one(const struct judge *judge, const struct page *page, bool seed)
{
    struct judge_input input = {.page = page, .bytes = 500, .depth = 1, .seed = seed};
    struct judgement out;

    judge_page(judge, &input, &out);
    return out;
}

static void similar_pages_are_relevant(void **state)
{
    struct fixture f;
    struct judgement near, far, seed, same;

    (void)state;
    set_up(&f, "similar()");
    near = judge_one(f.judge, &f.near, false);
    far = judge_one(f.judge, &f.far, false);
    seed = judge_one(f.judge, &f.far, true);
    same = judge_one(f.judge, &f.seed, false);
    assert_true(near.relevant && near.similar > 0.25 && near.similar < 1);
    assert_true(near.score == near.similar);
    assert_true(!far.relevant && far.similar == 0);
    assert_true(seed.relevant && seed.similar == 1);
    assert_near(same.similar, 1);
    assert_int_equal(near.version, 7);
    tear_down(&f);
}

static void without_seeds_nothing_is_similar(void **state)
{
    struct fixture f;
    struct judge *blank;
    struct centroid none;

    (void)state;
    set_up(&f, "similar() > 0");
    blank = judge_new(&(struct judge_basis){.topic = f.topic, .version = 1});
    assert_false(judge_one(blank, &f.near, false).relevant);
    judge_unref(blank);
    centroid_init(&none);
    blank = judge_new(&(struct judge_basis){.topic = f.topic, .seeds = &none, .version = 1});
    assert_false(judge_one(blank, &f.near, false).relevant);
    judge_unref(blank);
    judge_unref(NULL);
    tear_down(&f);
}

static void the_reasons_are_given(void **state)
{
    struct fixture f;
    struct buf out;
    struct judge_input input = {.bytes = 500, .depth = 1};

    (void)state;
    set_up(&f, "similar() > 0.25 and puck");
    buf_init(&out, 0);
    input.page = &f.far;
    assert_int_equal(judge_explain(f.judge, &input, &out), SCENT_OK);
    assert_string_equal(buf_z(&out), "not relevant, score 0.0000: the likeness to the seeds\n"
                                     "no   all of:\n"
                                     "     no   similar() > 0.25  (similar() is 0)\n"
                                     "          0.0000 between 0.0012, any page by the background (0), and 0.9760, the "
                                     "seed (1); more than 0.12 is similar\n"
                                     "          it has none of the words that set the seeds apart\n"
                                     "     no   puck  (not on the page)\n");
    buf_clear(&out);
    input = (struct judge_input){.page = &f.near, .seed = true};
    assert_int_equal(judge_explain(f.judge, &input, &out), SCENT_OK);
    assert_string_equal(buf_z(&out), "relevant, score 1.0000: the likeness to the seeds (it is a seed)\n"
                                     "yes  all of:\n"
                                     "     yes  similar() > 0.25  (similar() is 1)\n"
                                     "     yes  puck  (1 on the page, the first as 'puck')\n");
    buf_release(&out);
    tear_down(&f);
}

/* Predicates meet the words as the analysis of a real document leaves them. */
static void an_analysed_page_is_judged(void **state)
{
    struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct page_input document = {
        .headers = STR("Content-Type: text/html; charset=utf-8\r\n"),
        .body = STR("<html lang=en><title>Winter sports &amp; leagues</title><body><p>The <b>ice</b> hockey players "
                    "skated.</p><script>football()</script></body></html>"),
    };
    struct fixture f;
    struct url url;
    struct page page;

    (void)state;
    set_up(&f, "title(\"sport league\") and \"ice hockey\" and skating and \"the\" and lang = \"en\" and not football");
    assert_int_equal(url_parse(&f.arena, STR("https://a.test/x"), NULL, &url), SCENT_OK);
    document.url = &url;
    assert_int_equal(page_analyse(analyser, &document, &f.arena, &page), SCENT_OK);
    assert_true(judge_one(f.judge, &page, false).relevant);
    page_analyser_free(analyser);
    tear_down(&f);
}

static void *judge_often(void *arg)
{
    struct fixture *f = arg;

    for (int i = 0; i < 2000; i++) {
        struct judge *judge = judge_ref(f->judge);

        if (!judge_one(judge, &f->near, false).relevant || judge_one(judge, &f->far, false).relevant)
            return arg;
        judge_unref(judge);
    }
    return NULL;
}

static void threads_share_a_snapshot(void **state)
{
    struct fixture f;
    pthread_t threads[4];
    void *failed;

    (void)state;
    set_up(&f, "similar() > 0.25 and url ~ \"b.test\" and title(\"news\")");
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, judge_often, &f), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    tear_down(&f);
}

/* Two pages on hockey, one of them useful, and two on cheese. */
static struct browse *browse_sample(struct arena *arena)
{
    static const char *const texts[] = {"hockey puck rink goalie", "hockey puck rink skates", "cheese milk curd", "cheese milk whey"};
    struct browse_options options = browse_options_default();
    struct browse_page input[4];
    struct errmsg err = {{0}};
    struct browse *browse;
    struct page *pages = arena_array(arena, 4, sizeof *pages);

    for (int i = 0; i < 4; i++) {
        sample_page(arena, "https://a.test/", "en", "", texts[i], &pages[i]);
        input[i] = (struct browse_page){&pages[i], i == 0};
    }
    options.cluster.clusters = 2;
    assert_ok(browse_train(&(struct browse_input){.pages = input, .npages = 4}, &options, &browse, &err), err);
    return browse;
}

static void browsing_decides_and_gives_the_score(void **state)
{
    struct judgement hockey, cheese;
    struct knowledge knowledge = {0};
    struct errmsg err = {{0}};
    struct topic *topic;
    struct judge *judge;
    struct page page;
    struct arena arena;
    struct buf out;

    (void)state;
    arena_init(&arena, 16 << 20);
    assert_ok(topic_parse(STR("topic: x\nbrowsing: f\n"), "t.yaml", &topic, &err), err);
    knowledge.browsing = browse_sample(&arena);
    assert_ok(knowledge_check(topic, &knowledge, &err), err);
    judge = judge_new(&(struct judge_basis){.topic = topic, .knowledge = &knowledge});
    sample_page(&arena, "https://b.test/", "en", "", "the puck and the rink", &page);
    judge_page(judge, &(struct judge_input){.page = &page, .arena = &arena}, &hockey);
    assert_true(hockey.relevant && hockey.browsing > .7 && hockey.score == hockey.browsing);
    assert_true(hockey.similar == JUDGE_UNASKED);
    buf_init(&out, 0);
    assert_int_equal(judge_explain(judge, &(struct judge_input){.page = &page}, &out), SCENT_OK);
    assert_non_null(strstr(buf_z(&out), "the likeness to a useful page of the browsing model\nyes  browsing() >= 0.7  (browsing() is"));
    assert_non_null(strstr(buf_z(&out), "\n     its cluster is "));
    buf_release(&out);
    sample_page(&arena, "https://c.test/", "en", "", "milk and whey", &page);
    judge_page(judge, &(struct judge_input){.page = &page, .arena = NULL}, &cheese);
    assert_true(!cheese.relevant && cheese.browsing < .3 && cheese.cluster != hockey.cluster);
    judge_unref(judge);
    knowledge_release(&knowledge);
    topic_free(topic);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(browsing_decides_and_gives_the_score),
        cmocka_unit_test(a_page_becomes_a_vector_of_length_one),
        cmocka_unit_test(no_memory_is_said),
        cmocka_unit_test(the_cosine_agrees_with_the_vectors),
        cmocka_unit_test(a_centroid_is_the_mean_of_its_vectors),
        cmocka_unit_test(a_large_centroid_keeps_the_heaviest),
        cmocka_unit_test(similar_pages_are_relevant),
        cmocka_unit_test(without_seeds_nothing_is_similar),
        cmocka_unit_test(the_reasons_are_given),
        cmocka_unit_test(an_analysed_page_is_judged),
        cmocka_unit_test(threads_share_a_snapshot),
    };

    return cmocka_run_group_tests_name("topic/judge", tests, NULL, NULL);
}
