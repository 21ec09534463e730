#include "topic/query.h"
#include "topic_sample.h"

#include <math.h>

#define assert_near(got, want) assert_true(fabs((got) - (want)) < 1e-9)

static struct query *parse(const char *text)
{
    struct errmsg err = {{0}};
    struct query *query;

    if (query_parse(str_of(text), &query, &err) != SCENT_OK)
        fail_msg("%s\n%s", text, err.text);
    return query;
}

/* 20 words; by hand: ice 3, hockey 4, rink 1, puck 2, "ice hockey" 2. */
static const char sample_text[] = "ice hockey rink ice skating hockey puck "   /* 1 to 7 */
                                  "the players hockeys ice hockey a puck new " /* 8 to 15 */
                                  "york and old york new";                     /* 16 to 20 */

/* How often is the only term of the query on the sample? */
static const struct {
    const char *query;
    double tf;
} counts[] = {
    {"ice", 3},
    {"hockey", 4},
    {"HOCKEYS", 4},
    {"the", 1},
    {"football", 0},
    {"player", 1},
    {"\"ice hockey\"", 2},
    {"ice-hockey", 2},
    {"#1(ice hockey)", 2},
    {"#od1(ice hockey)", 2},
    {"#OD1(ice, hockey)", 2},
    {"#od1(hockey ice)", 1},
    {"#od2(ice hockey)", 3}, /* ice [skating] hockey */
    {"#2(ice hockey)", 3},
    {"#od1(\"ice hockey\" rink)", 1},
    {"#od1(ice hockey puck)", 0},
    {"#od2(ice hockey puck)", 2}, /* ice skating hockey puck; ice hockey a puck */
    {"#od3(ice puck)", 2},
    {"#od2(ice puck)", 0},
    {"#od3(rink hockey)", 1},
    {"#od1(ice)", 3},
    {"#uw2(hockey ice)", 2}, /* 1-2 and 10-11; a word belongs to one match, so 12 has no partner */
    {"#uw2(ice hockey)", 2},
    {"#uw3(ice puck)", 0}, /* 4 to 7 and 11 to 14 are four words each */
    {"#uw4(ice puck)", 2},
    {"#uw4(puck ice)", 2},
    {"#uw3(york york)", 0}, /* 16 and 19 */
    {"#uw4(york york)", 1},
    {"#uw6(new york york new)", 1},
    {"#uw5(new york york new)", 0},
    {"#od1(new york)", 1},
    {"#syn(ice hockey)", 7},
    {"#syn(hockey hockeys)", 4},        /* the same word is not counted twice */
    {"#syn(hockey \"ice hockey\")", 4}, /* nor a phrase that ends in it */
    {"#syn(rink \"ice hockey\")", 3},
    {"#syn(ice #syn(rink puck))", 6},
    {"#syn(rink #uw4(ice puck))", 3},
    {"#od1(#syn(skating ice) hockey)", 3},
    {"#od1(ice #syn(hockey skate))", 3},
    {"#uw3(#syn(rink puck) hockey)", 3},
    {"ice OR hockey", 7},
    {"(ice OR hockey)", 7},
    {"(ice OR (hockey))", 7},
    {"(rink OR \"ice hockey\" OR york)", 5},
};

static void counts_terms(void **state)
{
    struct query_scratch scratch;
    struct query_text text;
    struct arena arena;
    struct page page;

    (void)state;
    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://a.test/", "en", "", sample_text, &page);
    text = query_text_page(&page);
    assert_true(text.length == 20);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct query *query = parse(counts[i].query);

        assert_int_equal(query_terms(query), 1);
        query_count(query, &text, &scratch);
        if (scratch.tf[0] != counts[i].tf)
            fail_msg("%s: got %g, want %g", counts[i].query, scratch.tf[0], counts[i].tf);
        query_free(query);
    }
    arena_release(&arena);
}

static double count_in(const char *query_text, const char *lang, const char *words)
{
    struct query *query = parse(query_text);
    struct query_scratch scratch;
    struct query_text text;
    struct arena arena;
    struct page page;

    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://a.test/", lang, "", words, &page);
    text = query_text_page(&page);
    query_count(query, &text, &scratch);
    query_free(query);
    arena_release(&arena);
    return scratch.tf[0];
}

/* Where a nearer beginning leads nowhere a farther one may. */
static void an_ordered_window_is_not_greedy(void **state)
{
    (void)state;
    assert_true(count_in("#od3(ice puck rink)", "en", "ice puck x puck y z rink") == 1);
    assert_true(count_in("\"to be or not to be\"", "en", "to be to be or not to be or not to be") == 1);
}

static void words_follow_the_language_of_the_text(void **state)
{
    (void)state;
    assert_true(count_in("Haus", "de", "die H\xc3\xa4user am Meer") == 1);
    assert_true(count_in("maison", "fr", "les maisons bleues") == 1);
    assert_true(count_in("maison", "", "les maisons bleues") == 0);
    assert_true(count_in("maisons", "", "les maisons bleues") == 1);
    assert_true(count_in("#syn(house houses)", "en", "house houses") == 2);
    assert_true(count_in("#syn(house houses)", "xx", "house houses") == 2);
    assert_true(count_in("\xe5\x86\xb0\xe7\x90\x83", "zh", "\xe5\x86\xb0\xe7\x90\x83") == 1);
    assert_true(count_in("\xe5\x86\xb0\xe7\x90\x83\xe8\xb5\x9b", "zh", "\xe5\x86\xb0\xe7\x90\x83\xe8\xb5\x9b") == 1);
    assert_true(count_in("#uw9(\xe5\x86\xb0\xe7\x90\x83\xe8\xb5\x9b nhl)", "zh",
                         "nhl \xe5\x86\xb0\xe7\x90\x83\xe8\xb5\x9b") == 1);
}

/* D = 100, mean length 10: on the sample of 20 words a belief is .4 + .6 tf/(tf + 3.5) ln(100.5/df)/ln 101. The
 * figures were computed apart from this program. */
static const struct {
    const char *query;
    uint64_t df[4]; /* by term */
    double belief;
} beliefs[] = {
    {"hockey", {10}, 0.560000858124},
    {"rink", {0}, 0.533189955659},
    {"football", {10}, 0.400000000000},
    {"hockey rink", {10, 2}, 0.536582708010},
    {"#sum(hockey rink football)", {10, 2, 5}, 0.491055138673},
    {"#wsum(3 hockey 1 rink)", {10, 2}, 0.548291783067},
    {"#wsum(0.5 hockey 0 rink 1.5 football)", {10, 2, 5}, 0.440000214531},
    {"#and(hockey rink)", {10, 2}, 0.287372592781},
    {"#and(football soccer)", {10, 2}, 0.160000000000},
    {"#or(hockey rink)", {10, 2}, 0.785792823240},
    {"#not(hockey)", {10}, 0.439999141876},
    {"NOT football", {10}, 0.600000000000},
    {"#max(hockey rink football)", {10, 2, 5}, 0.560000858124},
    {"#max(rink hockey)", {99, 2}, 0.671594938950},
    {"#syn(ice hockey)", {12}, 0.584198966849},
    {"\"ice hockey\"", {3}, 0.566009829142},
    {"#uw4(ice puck)", {3}, 0.566009829142},
    {"puck (ice OR hockey)", {7, 12}, 0.555076211619},
    {"#sum(puck #syn(ice hockey))", {7, 12}, 0.555076211619},
    {"puck AND ice OR hockey", {7, 12}, 0.555076211619},
    {"(puck rink) OR hockey", {7, 2, 10}, 0.788606375421},
    {"#and(hockey #not(football))", {10, 5}, 0.336000514875},
    {"#sum(#max(rink puck) #1(ice hockey) football)", {2, 7, 3, 9}, 0.497321095177},
    {"hockey", {100}, 0.400345822667},
    {"hockey", {200}, 0.400345822667},
};

static struct query_stats make_stats(const uint64_t *df, size_t n, double *idf)
{
    for (size_t i = 0; i < n; i++)
        idf[i] = query_idf(100, df[i]);
    return (struct query_stats){.documents = 100, .avglen = 10, .df = df, .idf = idf};
}

static void beliefs_are_inquerys(void **state)
{
    struct query_scratch scratch;
    struct query_text text;
    struct arena arena;
    struct page page;

    (void)state;
    arena_init(&arena, 1 << 20);
    sample_page(&arena, "https://a.test/", "en", "", sample_text, &page);
    text = query_text_page(&page);
    for (size_t i = 0; i < sizeof beliefs / sizeof *beliefs; i++) {
        struct query *query = parse(beliefs[i].query);
        double idf[4], got;
        struct query_stats stats = make_stats(beliefs[i].df, 4, idf);

        assert_in_range(query_terms(query), 1, 4);
        got = query_belief(query, &stats, &text, &scratch);
        if (fabs(got - beliefs[i].belief) > 1e-9)
            fail_msg("%s: got %.12f, want %.12f", beliefs[i].query, got, beliefs[i].belief);
        query_free(query);
    }
    arena_release(&arena);
}

/* The same words in a context of their own, and with weights. */
static void ranges_and_weights(void **state)
{
    static const float weights[6] = {.5f, 1, 0, .25f, .75f, .5f}; /* of words 4 to 9: ice skating hockey puck the player */
    const uint64_t df[4] = {10, 10, 10, 10};
    struct query *query = parse("#sum(ice hockey #uw4(ice puck) #1(ice skating))");
    struct query_scratch scratch;
    struct query_text text;
    struct query_stats stats;
    struct arena arena;
    struct page page;
    double idf[4];

    (void)state;
    arena_init(&arena, 1 << 20);
    stats = make_stats(df, 4, idf);
    sample_page(&arena, "https://a.test/", "en", "", sample_text, &page);
    text = query_text_range(&page, 3, 9);
    assert_true(text.length == 6);
    query_count(query, &text, &scratch);
    assert_true(scratch.tf[0] == 1 && scratch.tf[1] == 1 && scratch.tf[2] == 1 && scratch.tf[3] == 1);
    text = query_text_weighted(&page, 3, 9, weights);
    assert_true(text.length == 3);
    query_count(query, &text, &scratch);
    assert_true(scratch.tf[0] == .5 && scratch.tf[1] == 0 && scratch.tf[2] == .25 && scratch.tf[3] == .5);
    text.avglen = 4;
    /* 1.5 * 3/4 + .5 = 1.625; ln(10.05)/ln(101) = .50000268 */
    assert_near(query_belief(query, &stats, &text, &scratch),
                (.4 + .6 * .5 / 2.125 * idf[0] + .4 + .4 + .6 * .25 / 1.875 * idf[2] + .4 + .6 * .5 / 2.125 * idf[3]) / 4);
    text.avglen = 0;
    assert_near(query_belief(query, &stats, &text, &scratch),
                (1.6 + .6 * idf[0] * (.5 / 1.45 + .25 / 1.2 + .5 / 1.45)) / 4);
    query_free(query);
    arena_release(&arena);
}

static void statistics_of_nothing_are_no_nonsense(void **state)
{
    (void)state;
    assert_near(query_idf(0, 0), log(1.5) / log(2));
    assert_near(query_idf(1, 1), log(1.5) / log(2));
    assert_near(query_idf(1000, 0), log(1000.5) / log(1001));
    assert_near(query_idf(1000, 5000), log(1.0005) / log(1001));
}

static const struct {
    const char *query, *message;
} errors[] = {
    {"", "1:1: the query is empty; write for example: hockey (nhl OR league)\n    \n    ^"},
    {" , ", "1:1: the query is empty; write for example: hockey (nhl OR league)\n     , \n    ^"},
    {"#sum(a", "1:7: expected ')', got the end\n    #sum(a\n          ^"},
    {"a)", "1:2: expected the end, got )\n    a)\n     ^"},
    {"a #foo(b)", "1:3: no such operator; there are #sum #wsum #and #or #not #max #syn #odN #uwN and #N\n    a #foo(b)\n      ^"},
    {"#(b)", "1:1: no such operator; there are #sum #wsum #and #or #not #max #syn #odN #uwN and #N\n    #(b)\n    ^"},
    {"#sum a", "1:6: expected '(' after the operator, got a\n    #sum a\n         ^"},
    {"#sum()", "1:6: expected a word, a phrase or an operator, got )\n    #sum()\n         ^"},
    {"()", "1:2: expected a word, a phrase or an operator, got )\n    ()\n     ^"},
    {"\"open", "1:1: this phrase has no closing quote\n    \"open\n    ^"},
    {"a \"\"", "1:3: there is no word in this text\n    a \"\"\n      ^"},
    {"a\n  ++", "2:3: there is no word in this text\n      ++\n      ^"},
    {"OR a", "1:1: expected a word, a phrase or an operator, got OR\n    OR a\n    ^"},
    {"a OR", "1:5: expected a word, a phrase or an operator, got the end\n    a OR\n        ^"},
    {"a AND", "1:6: expected a word, a phrase or an operator, got the end\n    a AND\n         ^"},
    {"NOT", "1:4: expected a word, a phrase or an operator, got the end\n    NOT\n       ^"},
    {"#not(a b)", "1:8: #not takes one thing; put several into #sum(…) or #or(…)\n    #not(a b)\n           ^"},
    {"#wsum(a b)", "1:7: expected a weight, as in #wsum(2 hockey 1 rink), got a\n    #wsum(a b)\n          ^"},
    {"#wsum(1 a b)", "1:11: expected a weight, as in #wsum(2 hockey 1 rink), got b\n    #wsum(1 a b)\n              ^"},
    {"#wsum(1.2.3 a)", "1:7: expected a weight, as in #wsum(2 hockey 1 rink), got 1.2.3\n    #wsum(1.2.3 a)\n          ^"},
    {"#wsum(0 a 0 b)", "1:7: all weights are 0; one must be more\n    #wsum(0 a 0 b)\n          ^"},
    {"#wsum(-1 a)", "1:7: expected a weight, as in #wsum(2 hockey 1 rink), got -1\n    #wsum(-1 a)\n          ^"},
    {"#syn(a #sum(b c))", "1:8: #syn joins words, phrases and windows; to join beliefs use #or or #max\n    #syn(a #sum(b c))\n           ^"},
    {"#od0(a b)", "1:1: the width of a window is a number from 1 to 10000, for example #od1 or #uw20\n    #od0(a b)\n    ^"},
    {"#uw(a b)", "1:1: the width of a window is a number from 1 to 10000, for example #od1 or #uw20\n    #uw(a b)\n    ^"},
    {"#uw99999(a b)", "1:1: the width of a window is a number from 1 to 10000, for example #od1 or #uw20\n    #uw99999(a b)\n    ^"},
    {"#uw2(a b c)", "1:1: this window is too narrow for its words; raise its number\n    #uw2(a b c)\n    ^"},
    {"#od1()", "1:1: a window needs words; write for example #od1(ice hockey)\n    #od1()\n    ^"},
    {"#od1(a", "1:7: expected ')', got the end\n    #od1(a\n          ^"},
    {"#uw8(\"a b\" c)", "1:6: a phrase cannot be a part of this window; give its words, or use #syn(…) of windows\n    #uw8(\"a b\" c)\n         ^"},
    {"#uw8(a #sum(b))", "1:8: expected a word or #syn of words, got #sum\n    #uw8(a #sum(b))\n           ^"},
    {"#uw8(a #syn(b \"c d\"))", "1:8: a window holds words and #syn of single words only\n    #uw8(a #syn(b \"c d\"))\n           ^"},
};

static void errors_have_position_and_fix(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct errmsg err = {{0}};
        struct query *query;

        if (query_parse(str_of(errors[i].query), &query, &err) == SCENT_OK)
            fail_msg("%s is accepted", errors[i].query);
        assert_null(query);
        assert_string_equal(err.text, errors[i].message);
    }
}

static scent_status parse_repeated(const char *part, size_t times, const char *tail, struct errmsg *err)
{
    struct query *query;
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    for (size_t i = 0; i < times; i++)
        buf_addz(&text, part);
    buf_addz(&text, tail);
    status = query_parse(buf_str(&text), &query, err);
    query_free(query);
    buf_release(&text);
    return status;
}

static void caps_hold(void **state)
{
    struct errmsg err;

    (void)state;
    assert_ok(parse_repeated("word ", 1000, "", &err), err);
    assert_int_equal(parse_repeated("word ", 1001, "", &err), SCENT_E_LIMIT);
    assert_non_null(strstr(err.text, "1:5001: more than 1000 words"));
    assert_ok(parse_repeated("\"a b\" ", 500, "", &err), err);
    assert_ok(parse_repeated("#1(a) ", 1000, "", &err), err);
    assert_int_equal(parse_repeated("#1(a) ", 1001, "", &err), SCENT_E_LIMIT);
    assert_ok(parse_repeated("NOT ", 63, "x", &err), err);
    assert_int_equal(parse_repeated("NOT ", 64, "x", &err), SCENT_E_LIMIT);
    assert_int_equal(parse_repeated("#uw2(#syn(", 5000, "", &err), SCENT_E_LIMIT);
    assert_int_equal(parse_repeated("(", 5000, "", &err), SCENT_E_LIMIT);
    assert_int_equal(parse_repeated(" ", 65537, "", &err), SCENT_E_LIMIT);
    assert_string_equal(err.text, "1:1: the query is longer than 65536 bytes");
}

static void explains_every_part(void **state)
{
    const uint64_t df[4] = {10, 2, 5, 12};
    struct query *query = parse("#sum(hockey #max(rink football) (ice OR puck))");
    struct query_text text;
    struct query_stats stats;
    struct arena arena;
    struct page page;
    struct buf out;
    double idf[4];

    (void)state;
    arena_init(&arena, 1 << 20);
    buf_init(&out, 0);
    stats = make_stats(df, 4, idf);
    sample_page(&arena, "https://a.test/", "en", "", sample_text, &page);
    text = query_text_page(&page);
    query_explain(query, &stats, &text, 2, &out);
    assert_string_equal(buf_z(&out), "  0.5452  #sum(hockey #max(rink football) (ice OR puck))\n"
                                     "       0.5600  hockey  (4 on the page, in 10 of 100 pages)\n"
                                     "       0.5132  #max(rink football)\n"
                                     "            0.5132  rink  (1 on the page, in 2 of 100 pages)\n"
                                     "            0.4000  football  (not on the page, in 5 of 100 pages)\n"
                                     "       0.5625  ice OR puck  (5 on the page, in 12 of 100 pages)\n");
    buf_release(&out);
    query_free(query);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_terms),
        cmocka_unit_test(an_ordered_window_is_not_greedy),
        cmocka_unit_test(words_follow_the_language_of_the_text),
        cmocka_unit_test(beliefs_are_inquerys),
        cmocka_unit_test(ranges_and_weights),
        cmocka_unit_test(statistics_of_nothing_are_no_nonsense),
        cmocka_unit_test(errors_have_position_and_fix),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(explains_every_part),
    };

    return cmocka_run_group_tests_name("topic/query", tests, NULL, NULL);
}
