/* What one crawl teaches another: counts by names that both know, weighed, added and kept. */
#include "base/hash.h"
#include "strategy/saved.h"
#include "strategy/features.h"
#include "ratios_once.h"
#include "strategy_fixture.h"

static void counts_come_back(void **state)
{
    static const double counts[] = {0, 1, 63, 64, 1e6, 1e15, .5, 1e-9, 12345.25};
    static const char *const wrong[] = {"\x03", "\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"};
    struct bytes in;
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        saved_put_count(&out, counts[i]);
    in = bytes_of(buf_str(&out));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        assert_true(saved_get_count(&in) == counts[i]);
    assert_null(in.wrong);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        in = bytes_of(str_of(wrong[i]));
        assert_true(saved_get_count(&in) == 0);
        assert_non_null(in.wrong);
    }
    buf_clear(&out);
    bytes_put_varint(&out, 1);
    bytes_put_double(&out, -1);
    in = bytes_of(buf_str(&out));
    assert_true(saved_get_count(&in) == 0);
    assert_string_equal(in.wrong, "a count is out of range");
    buf_release(&out);
}

/* Tokens of URLs differ by more than case, whatever their length; what was learned of small letters stays known. */
static void tokens_are_folded(void **state)
{
    char large[1501], small[1501];
    struct str one = STR("h.test/Ice_Hockey/%C3%A9t%C3%A9.HTML"), two = STR("h.test/ice_hockey/%c3%a9t%c3%a9.html");
    uint64_t a, b;

    (void)state;
    for (size_t i = 0; i < sizeof large; i++) {
        small[i] = (char)('a' + i % 26);
        large[i] = (char)('A' + i % 26);
    }
    for (int i = 0; i < 5; i++) {
        assert_true(features_token(&one, false, &a) && features_token(&two, false, &b));
        assert_true(a == b);
    }
    assert_false(features_token(&one, false, &a));
    for (size_t len = 1; len <= sizeof small; len += 1 + len / 7) {
        one = (struct str){large, len};
        two = (struct str){small, len};
        assert_true(features_token(&one, true, &a) && features_token(&two, true, &b));
        assert_true(a == b && (len > 256 || a == hash_str((struct str){small, len}, 0)));
    }
}

static void count(struct features *features, uint64_t key, uint32_t pages, uint32_t relevant)
{
    uint32_t feature = features_number(features, key);

    features->counts[feature].pages += pages;
    features->counts[feature].relevant += relevant;
}

static void assert_sum(const struct features *features, uint64_t key, double pages, double relevant)
{
    uint32_t feature = features_find(features, key);
    struct features_seen sum;

    assert_true(feature != FEATURES_NONE);
    sum = features_sum(features, feature);
    assert_true(sum.pages == pages && sum.relevant == relevant);
}

static void recall(struct features *features, const struct buf *lesson, double weight)
{
    struct bytes in = bytes_of(buf_str(lesson));

    features_recall(features, &in, weight);
    assert_null(in.wrong);
    assert_int_equal(bytes_left(&in), 0);
}

static void old_evidence_is_weighed_and_added(void **state)
{
    struct features one = {0}, two = {0}, sum = {0}, loaded = {0};
    struct buf first, second, saved;
    struct bytes rest;

    (void)state;
    buf_init(&first, 0);
    buf_init(&second, 0);
    buf_init(&saved, 0);
    count(&one, 7, 5, 3);
    count(&one, 8, 1, 0);
    (void)features_number(&one, 9); /* met, never counted: no evidence */
    count(&two, 10, 4, 4);
    count(&two, 7, 2, 1);
    features_learned(&one, &first);
    features_learned(&two, &second);
    recall(&sum, &first, .5);
    assert_sum(&sum, 7, 2.5, 1.5);
    assert_sum(&sum, 8, .5, 0);
    assert_true(features_find(&sum, 9) == FEATURES_NONE);
    recall(&sum, &second, 1);
    assert_sum(&sum, 7, 4.5, 2.5);
    assert_sum(&sum, 10, 4, 4);
    count(&sum, 7, 1, 1);
    count(&sum, 11, 1, 1);
    assert_sum(&sum, 7, 5.5, 3.5);
    assert_sum(&sum, 11, 1, 1);
    features_save(&sum, &saved);
    rest = bytes_of(buf_str(&saved));
    features_load(&loaded, &rest);
    assert_null(rest.wrong);
    assert_int_equal(bytes_left(&rest), 0);
    assert_sum(&loaded, 7, 5.5, 3.5);
    assert_sum(&loaded, 11, 1, 1);
    features_release(&one);
    features_release(&two);
    features_release(&sum);
    features_release(&loaded);
    buf_release(&first);
    buf_release(&second);
    buf_release(&saved);
}

static void lies_are_refused(void **state)
{
    struct features features = {0};
    struct bytes in;
    struct buf lie;

    (void)state;
    buf_init(&lie, 0);
    bytes_put_varint(&lie, 1);
    bytes_put(&lie, 7, 8);
    saved_put_count(&lie, 1);
    saved_put_count(&lie, 2); /* more relevant pages than pages */
    in = bytes_of(buf_str(&lie));
    features_recall(&features, &in, 0);
    assert_non_null(in.wrong);
    buf_clear(&lie);
    bytes_put_varint(&lie, (uint64_t)1 << 60); /* memory for so many is not even asked for */
    in = bytes_of(buf_str(&lie));
    features_recall(&features, &in, 1);
    assert_string_equal(in.wrong, "it is shorter than it says");
    assert_int_equal(features.count, 0);
    buf_release(&lie);
    features_release(&features);
}

/* ---- a crawl, and another that begins with what it learned ---- */

/* Twelve pages below /ski/, all but two relevant, and twelve below /sea/, none of them. */
static void crawl(struct strategy_fixture *f)
{
    for (uint32_t i = 0; i < 24; i++) {
        char html[256];

        snprintf(html, sizeof html, "<base href=http://site.test/%s/%u.html><p>snow", i < 12 ? "ski" : "sea", i);
        f->judgement.relevant = i < 10;
        fixture_copy(f, html, i, false, NULL);
        ((struct page *)f->visit.page)->url = f->visit.page->base;
        f->strategy.ops->observe(f->strategy.state, &f->visit);
    }
}

/* The URL tokens' share of the score of a link that nobody has seen. */
static double of_tokens(struct strategy_fixture *f, const char *url)
{
    struct strategy_score score;
    char html[256];

    snprintf(html, sizeof html, "<a href=%s>x</a>", url);
    fixture_copy(f, html, 50, false, (uint32_t[]){60});
    score = fixture_score(f, 0);
    return score.parts[1].value;
}

#define INTELLIGENT "strategy: {name: intelligent, weights: equal}"

static void a_lesson_gives_the_same_ratios(void **state)
{
    const struct ratios half = {.pages = 12, .relevant = 5, .t = 2, RATIOS_OURS};
    struct strategy_fixture old, new;
    struct errmsg err = {0};
    double ski, sea;
    struct buf lesson;

    (void)state;
    buf_init(&lesson, 0);
    fixture_open(&old, INTELLIGENT);
    crawl(&old);
    ski = of_tokens(&old, "http://other.example/ski");
    sea = of_tokens(&old, "http://other.example/sea");
    assert_true(ski > 0 && sea < 0);
    assert_ok(old.strategy.ops->learned(old.strategy.state, &lesson), err);

    fixture_open(&new, INTELLIGENT);
    assert_close(of_tokens(&new, "http://other.example/ski"), 0);
    assert_ok(new.strategy.ops->recall(new.strategy.state, buf_str(&lesson), 1, &err), err);
    assert_close(of_tokens(&new, "http://other.example/ski"), ski);
    assert_close(of_tokens(&new, "http://other.example/sea"), sea);
    assert_close(of_tokens(&new, "http://other.example/never-seen"), 0);
    fixture_close(&new);

    fixture_open(&new, INTELLIGENT);
    assert_ok(new.strategy.ops->recall(new.strategy.state, buf_str(&lesson), .5, &err), err);
    assert_close(of_tokens(&new, "http://other.example/ski"), ratios_if_significant(&half, 6, 5));
    assert_true(ratios_if_significant(&half, 6, 5) > 0);
    fixture_close(&new);
    fixture_close(&old);
    buf_release(&lesson);
}

/* Two crawls teach what one would that had seen both. */
static void two_lessons_are_one(void **state)
{
    struct strategy_fixture twice, both, old;
    struct errmsg err = {0};
    struct buf lesson, sum, want;

    (void)state;
    buf_init(&lesson, 0);
    buf_init(&sum, 0);
    buf_init(&want, 0);
    fixture_open(&old, INTELLIGENT);
    fixture_open(&twice, INTELLIGENT);
    fixture_open(&both, INTELLIGENT);
    crawl(&old);
    crawl(&both);
    assert_ok(old.strategy.ops->learned(old.strategy.state, &lesson), err);
    for (int i = 0; i < 2; i++)
        assert_ok(twice.strategy.ops->recall(twice.strategy.state, buf_str(&lesson), 1, &err), err);
    assert_ok(both.strategy.ops->recall(both.strategy.state, buf_str(&lesson), 1, &err), err);
    assert_ok(twice.strategy.ops->learned(twice.strategy.state, &sum), err);
    assert_ok(both.strategy.ops->learned(both.strategy.state, &want), err);
    assert_true(str_eq(buf_str(&sum), buf_str(&want)));
    fixture_close(&old);
    fixture_close(&twice);
    fixture_close(&both);
    buf_release(&lesson);
    buf_release(&sum);
    buf_release(&want);
}

static void assert_refused(const char *from, const char *to, scent_status want, const char *says)
{
    struct strategy_fixture old, new;
    struct errmsg err = {0};
    struct buf lesson;

    buf_init(&lesson, 0);
    fixture_open(&old, from);
    fixture_open(&new, to);
    assert_ok(old.strategy.ops->learned(old.strategy.state, &lesson), err);
    if (want == SCENT_E_VERSION)
        lesson.p[0] = 99;
    assert_int_equal(new.strategy.ops->recall(new.strategy.state, buf_str(&lesson), 1, &err), want);
    if (!strstr(err.text, says))
        fail_msg("%s", err.text);
    fixture_close(&old);
    fixture_close(&new);
    buf_release(&lesson);
}

#define QUERY "query: '#sum(ice hockey)'\n"

static void what_means_something_else_is_refused(void **state)
{
    (void)state;
    assert_refused(INTELLIGENT, "strategy: {name: intelligent, tokens: fine}", SCENT_E_INVALID,
                   "learned there with tokens: plain and is to crawl here with tokens: fine");
    assert_refused(INTELLIGENT, INTELLIGENT, SCENT_E_VERSION, "has version 99");
    assert_refused(QUERY "strategy: {name: query-context, nodes: 3}", QUERY "strategy: query-context", SCENT_E_INVALID,
                   "nodes: 3, distance: leaves");
    assert_refused("strategy: {name: fusion, of: 'best-first + intelligent'}",
                   "strategy: {name: fusion, of: 'intelligent + best-first'}", SCENT_E_INVALID, "of best-first intelligent");
}

/* A part that refuses its share keeps the others from learning theirs. */
static void fusion_asks_all_of_its_parts(void **state)
{
    static const char of[] = QUERY "strategy: {name: fusion, of: 'intelligent + query-context%s'}";
    struct strategy_fixture old, new;
    char one[200], other[200];
    struct errmsg err = {0};
    struct buf lesson, fresh, after;

    (void)state;
    buf_init(&lesson, 0);
    buf_init(&fresh, 0);
    buf_init(&after, 0);
    snprintf(one, sizeof one, of, "");
    snprintf(other, sizeof other, of, ":nodes=2");
    fixture_open(&old, one);
    fixture_open(&new, other);
    crawl(&old);
    assert_ok(old.strategy.ops->learned(old.strategy.state, &lesson), err);
    assert_ok(new.strategy.ops->learned(new.strategy.state, &fresh), err);
    assert_int_equal(new.strategy.ops->recall(new.strategy.state, buf_str(&lesson), 1, &err), SCENT_E_INVALID);
    assert_ok(new.strategy.ops->learned(new.strategy.state, &after), err);
    assert_true(str_eq(buf_str(&fresh), buf_str(&after)));
    fixture_close(&old);
    fixture_close(&new);
    buf_release(&lesson);
    buf_release(&fresh);
    buf_release(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_come_back),
        cmocka_unit_test(tokens_are_folded),
        cmocka_unit_test(old_evidence_is_weighed_and_added),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(a_lesson_gives_the_same_ratios),
        cmocka_unit_test(two_lessons_are_one),
        cmocka_unit_test(what_means_something_else_is_refused),
        cmocka_unit_test(fusion_asks_all_of_its_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
