/* Interclass rules: the worked example of Altingovde and Ulusoy to the digit, paths against a brute force that tries all
 * sequences of classes, and the file. */
#include "base/rng.h"
#include "rulebook_sample.h"

#include <math.h>

static const struct str names[CLASSES] = {{"DH", 2}, {"CH", 2}, {"PH", 2}, {"SP", 2}};

static void assert_close(double got, double want)
{
    if (fabs(got - want) > 1e-12)
        fail_msg("got %.15f, want %.15f", got, want);
}

/* Table 2, Figures 3 and 5. */
static void the_worked_example_of_the_paper(void **state)
{
    struct rulebook *rules = count_rules(names, table_1);
    double x[CLASSES * CLASSES];
    struct rulebook_chain chain = {.x = x, .n = CLASSES, .depth = 2};

    (void)state;
    rulebook_shares(rules, x);
    assert_close(x[DH * CLASSES + CH], .8);
    assert_close(x[DH * CLASSES + PH], .1);
    assert_close(x[CH * CLASSES + DH], .2);
    assert_close(x[PH * CLASSES + PH], .3);
    assert_close(x[SP * CLASSES + SP], 1);
    assert_int_equal(rulebook_number(rules), 10);
    assert_close(rulebook_score(&chain, PH, PH), .3);           /* step 1 of Figure 3 (c): the loop, nothing else */
    assert_close(rulebook_score(&chain, DH, PH), .1 + .8 * .4); /* .42, Figure 5 (b) */
    assert_close(rulebook_score(&chain, CH, PH), .4 + .2 * .1);
    assert_true(rulebook_score(&chain, SP, PH) == 0);
    chain.depth = 1;
    assert_close(rulebook_score(&chain, CH, PH), .4); /* step 2 of Figure 3 (c) */
    assert_close(rulebook_score(&chain, DH, PH), .1);
    chain = (struct rulebook_chain){.x = x, .n = CLASSES, .depth = 2, .merge = RULEBOOK_MAX};
    assert_close(rulebook_score(&chain, DH, PH), .32);
    rulebook_free(rules);
}

static void the_paths_of_the_example_are_listed(void **state)
{
    struct rulebook *rules = count_rules(names, table_1);
    double x[CLASSES * CLASSES];
    struct rulebook_chain chain = {.x = x, .n = CLASSES, .depth = 2};
    struct rulebook_path paths[8];
    uint64_t all;

    (void)state;
    rulebook_shares(rules, x);
    assert_int_equal(rulebook_paths(&chain, DH, PH, paths, 8, &all), 2);
    assert_int_equal(all, 2);
    assert_int_equal(paths[0].nrules, 2);
    assert_int_equal(paths[0].classes[1], CH);
    assert_int_equal(paths[0].classes[2], PH);
    assert_close(paths[0].score, .32);
    assert_int_equal(paths[1].nrules, 1);
    assert_close(paths[1].score, .1);
    /* From anywhere: CH, DH-CH, PH-PH, DH, CH-DH; only the best two where there is room for two. */
    assert_int_equal(rulebook_paths(&chain, RULEBOOK_NONE, PH, paths, 8, &all), 5);
    assert_int_equal(rulebook_paths(&chain, RULEBOOK_NONE, PH, paths, 2, &all), 2);
    assert_int_equal(all, 5);
    assert_close(paths[0].score, .4);
    assert_close(paths[1].score, .32);
    rulebook_free(rules);
}

/* ---- brute force ---- */

enum { MOST = 7 };

/* Every sequence of `length` rules from..target, cycle-free but for the loop of the target itself. */
static void brute(const double *x, uint32_t n, const uint32_t *ends, unsigned length, double *sum, double *largest,
                  uint64_t *count)
{
    uint32_t middle[RULEBOOK_DEPTH_MAX] = {0};
    uint64_t all = 1;

    for (unsigned i = 1; i < length; i++)
        all *= n;
    for (uint64_t number = 0; number < all; number++) {
        uint64_t rest = number;
        uint32_t path[RULEBOOK_DEPTH_MAX + 1] = {ends[0]};
        double product = 1;
        bool simple = true;

        for (unsigned i = 1; i < length; i++, rest /= n)
            middle[i - 1] = (uint32_t)(rest % n);
        for (unsigned i = 1; i < length; i++)
            path[i] = middle[i - 1];
        path[length] = ends[1];
        for (unsigned i = 0; i <= length; i++)
            for (unsigned k = 0; k < i; k++)
                simple &= path[i] != path[k] || length == 1;
        for (unsigned i = 0; i < length; i++)
            product *= x[path[i] * n + path[i + 1]];
        if (!simple || product <= 0)
            continue;
        *sum += product;
        *largest = product > *largest ? product : *largest;
        ++*count;
    }
}

static void check_graph(const double *x, uint32_t n, uint32_t from, uint32_t target, unsigned depth)
{
    const uint32_t ends[] = {from, target};
    struct rulebook_chain chain = {.x = x, .n = n, .depth = depth};
    struct rulebook_path *paths = calloc(1000, sizeof *paths);
    double sum = 0, largest = 0, listed = 0;
    uint64_t count = 0, all;
    size_t got;

    for (unsigned length = 1; length <= (from == target ? 1 : depth); length++)
        brute(x, n, ends, length, &sum, &largest, &count);
    assert_close(rulebook_score(&chain, from, target), sum);
    chain.merge = RULEBOOK_MAX;
    assert_close(rulebook_score(&chain, from, target), largest);
    got = rulebook_paths(&chain, from, target, paths, 1000, &all);
    assert_int_equal(got, count);
    assert_int_equal(all, count);
    for (size_t i = 0; i < got; i++) {
        listed += paths[i].score;
        assert_true(i == 0 || paths[i].score <= paths[i - 1].score);
    }
    assert_close(listed, sum);
    free(paths);
}

static void paths_are_those_of_a_brute_force(void **state)
{
    struct rng rng;

    (void)state;
    rng_seed(&rng, 8);
    for (unsigned round = 0; round < 60; round++) {
        uint32_t n = 2 + (uint32_t)rng_below(&rng, MOST - 1);
        double x[MOST * MOST], density = rng_unit(&rng);

        for (uint32_t i = 0; i < n * n; i++)
            x[i] = rng_unit(&rng) < density ? rng_unit(&rng) : 0;
        for (uint32_t from = 0; from < n; from++)
            for (uint32_t target = 0; target < n; target++)
                for (unsigned depth = 1; depth <= RULEBOOK_DEPTH_MAX; depth++)
                    check_graph(x, n, from, target, depth);
    }
}

static void several_targets_add_up(void **state)
{
    struct rulebook *rules = count_rules(names, table_1);
    bool wanted[CLASSES] = {[PH] = true, [CH] = true};
    double x[CLASSES * CLASSES];
    struct rulebook_chain chain = {.x = x, .n = CLASSES, .depth = 2};

    (void)state;
    rulebook_shares(rules, x);
    assert_close(rulebook_score_all(&chain, DH, wanted), .42 + .8 + .1 * .4);
    assert_close(rulebook_score_all(&chain, PH, wanted), .3 + .4 + .3 * .8);
    rulebook_free(rules);
}

/* ---- the table ---- */

static void classes_are_refused(struct str one, struct str two, const char *why)
{
    const struct str classes[] = {one, two};
    struct errmsg err = {{0}};
    struct rulebook *rules;

    assert_int_equal(rulebook_new(classes, 2, &rules, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, why));
}

static void bad_classes_are_refused(void **state)
{
    struct errmsg err = {{0}};
    struct rulebook *rules;

    (void)state;
    classes_are_refused(STR("a"), STR("a"), "twice");
    classes_are_refused(STR("a"), STR("a\tb"), "control character");
    classes_are_refused(STR(""), STR("b"), "no name");
    assert_int_equal(rulebook_new(names, 0, &rules, &err), SCENT_E_INVALID);
    assert_int_equal(rulebook_new(names, RULEBOOK_CLASSES_MAX + 1, &rules, &err), SCENT_E_LIMIT);
}

static void rules_take_the_order_of_a_model(void **state)
{
    const struct str order[CLASSES] = {names[SP], names[PH], names[DH], names[CH]};
    const struct str other[CLASSES] = {names[SP], names[PH], names[DH], STR("XX")};
    struct rulebook *rules = count_rules(names, table_1), *arranged;
    struct errmsg err = {{0}};

    (void)state;
    rules->fingerprint = 7;
    assert_ok(rulebook_arrange(rules, order, CLASSES, &arranged, &err), err);
    assert_int_equal(arranged->counts[2 * CLASSES + 3], 8); /* DH -> CH */
    assert_int_equal(arranged->counts[1 * CLASSES + 2], 3); /* PH -> DH */
    assert_int_equal(rulebook_total(arranged, 0), 10);
    assert_int_equal(arranged->fingerprint, 7);
    rulebook_free(arranged);
    assert_int_equal(rulebook_arrange(rules, other, CLASSES, &arranged, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "'CH'"));
    assert_int_equal(rulebook_arrange(rules, order, 3, &arranged, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "'CH'"));
    rulebook_free(rules);
}

/* ---- the file ---- */

static void a_file_is_read_as_it_was_written(void **state)
{
    char *dir = test_make_dir(), path[512];
    struct rulebook *rules = count_rules(names, table_1), *again;
    struct errmsg err = {{0}};
    struct buf text;

    (void)state;
    snprintf(path, sizeof path, "%s/t.rules", dir);
    rules->fingerprint = 0xfedcba9876543210u;
    assert_ok(rulebook_save(rules, path, &err), err);
    assert_ok(rulebook_load(path, &again, &err), err);
    assert_int_equal(again->fingerprint, rules->fingerprint);
    assert_int_equal(again->nclasses, CLASSES);
    assert_memory_equal(again->counts, rules->counts, CLASSES * CLASSES * sizeof *rules->counts);
    buf_init(&text, 0);
    assert_int_equal(rulebook_write(again, &text), SCENT_OK);
    assert_non_null(strstr(buf_z(&text), "rule\tDH\tCH\t8\t0.8000\n"));
    buf_release(&text);
    rulebook_free(again);
    rulebook_free(rules);
    test_remove_dir(dir);
}

#define HEAD "scent-rules\t1\t0000000000000000\n"

static void bad_files_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
        scent_status status;
    } files[] = {
        {"", "empty", SCENT_E_FORMAT},
        {"<html>", "t.rules:1: not a file of interclass rules", SCENT_E_FORMAT},
        {"scent-rules\t9\t0000000000000000\n", "another version", SCENT_E_VERSION},
        {"scent-rules\t1\tzz\n", "first line", SCENT_E_FORMAT},
        {HEAD, "1 to 4096 classes", SCENT_E_FORMAT},
        {HEAD "class\ta\nclass\ta\n", "twice", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\tb\t1\n", "t.rules:3: a rule of a class", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t0\n", "above 0", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t-1\n", "above 0", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t99999999999\n", "above 0", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t1\nrule\ta\ta\t2\n", "t.rules:4: this rule stands here twice", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t1\nclass\tb\n", "below the first rule", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\n", "a count", SCENT_E_FORMAT},
        {HEAD "class\ta\nrule\ta\ta\t1\t1\t1\n", "expected a class or a rule", SCENT_E_FORMAT},
        {HEAD "klass\ta\n", "expected a class or a rule", SCENT_E_FORMAT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct errmsg err = {{0}};
        struct rulebook *rules;

        assert_int_equal(rulebook_read(str_of(files[i].text), "t.rules", &rules, &err), files[i].status);
        if (!strstr(err.text, files[i].why))
            fail_msg("file %zu: \"%s\" lacks \"%s\"", i, err.text, files[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_of_the_paper),
        cmocka_unit_test(the_paths_of_the_example_are_listed),
        cmocka_unit_test(paths_are_those_of_a_brute_force),
        cmocka_unit_test(several_targets_add_up),
        cmocka_unit_test(bad_classes_are_refused),
        cmocka_unit_test(rules_take_the_order_of_a_model),
        cmocka_unit_test(a_file_is_read_as_it_was_written),
        cmocka_unit_test(bad_files_are_refused),
    };

    return cmocka_run_group_tests_name("learn/rulebook", tests, NULL, NULL);
}
