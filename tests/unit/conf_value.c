#include "conf/conf.h"
#include "test.h"

#include <inttypes.h>

static const struct conf_node *load(const char *text, struct conf **conf)
{
    struct errmsg err = {{0}};

    assert_ok(conf_parse(str_of(text), "topic.yaml", conf, &err), err);
    return conf_root(*conf);
}

/* Reads `v` of the one-line document as `type` and gives what is said about it. */
static void read_as(const char *type, const char *text, struct errmsg *err)
{
    struct conf *conf;
    const struct conf_node *node = conf_get(load(text, &conf), "v");
    scent_status status = SCENT_OK;
    struct str s;
    bool b;
    uint64_t n;
    int64_t t;
    double d;

    snprintf(err->text, sizeof err->text, "ok");
    if (strcmp(type, "str") == 0)
        status = conf_str(node, &s, err);
    else if (strcmp(type, "bool") == 0)
        status = conf_bool(node, &b, err);
    else if (strcmp(type, "u64") == 0)
        status = conf_u64(node, 1, 100, &n, err);
    else if (strcmp(type, "double") == 0)
        status = conf_double(node, 0, 1, &d, err);
    else if (strcmp(type, "bytes") == 0)
        status = conf_bytes(node, &n, err);
    else
        status = conf_duration(node, &t, err);
    assert_int_equal(status == SCENT_OK, strcmp(err->text, "ok") == 0);
    conf_free(conf);
}

static void says_what_was_expected(void **state)
{
    static const struct {
        const char *type, *text, *message;
    } cases[] = {
        {"u64", "v: many", "topic.yaml:1: v: expected a whole number, got 'many'"},
        {"u64", "v: 1.5", "topic.yaml:1: v: expected a whole number, got '1.5'"},
        {"u64", "v: -3", "topic.yaml:1: v: expected a whole number, got '-3'"},
        {"u64", "v: 0", "topic.yaml:1: v: must be at least 1, got 0"},
        {"u64", "v: 101", "topic.yaml:1: v: must be at most 100, got 101"},
        {"u64", "v: 100", "ok"},
        {"u64", "w: 100", "ok"},
        {"u64", "\n\nv: [1]", "topic.yaml:3: v: expected a whole number, got a list"},
        {"u64", "v:", "topic.yaml:1: v: expected a whole number, got nothing; give a value or remove the key"},
        {"str", "v: ~", "topic.yaml:1: v: expected a text, got nothing; give a value or remove the key"},
        {"str", "v: null", "topic.yaml:1: v: expected a text, got nothing; give a value or remove the key"},
        {"str", "v: 'null'", "ok"},
        {"str", "v: ''", "ok"},
        {"str", "v: {a: 1}", "topic.yaml:1: v: expected a text, got a map"},
        {"bool", "v: maybe", "topic.yaml:1: v: expected true or false, got 'maybe'"},
        {"bool", "v: 1", "topic.yaml:1: v: expected true or false, got '1'"},
        {"bool", "v: Yes", "ok"},
        {"double", "v: nan", "topic.yaml:1: v: expected a number, got 'nan'"},
        {"double", "v: 0x1", "topic.yaml:1: v: expected a number, got '0x1'"},
        {"double", "v: 1e999", "topic.yaml:1: v: expected a number, got '1e999'"},
        {"double", "v: \"1\\0\"", "topic.yaml:1: v: expected a number, got '1?'"},
        {"double", "v: 1.25", "topic.yaml:1: v: must be at most 1, got 1.25"},
        {"double", "v: -0.5", "topic.yaml:1: v: must be at least 0, got -0.5"},
        {"double", "v: 5e-1", "ok"},
        {"bytes", "v: 2 megs", "topic.yaml:1: v: expected a size such as 2MiB, 10kB or 512, got '2 megs'"},
        {"duration", "v: 30", "topic.yaml:1: v: expected a duration such as 250ms, 30s, 2h or 1h30m, got '30'"},
        {"u64", "v: \"\\x1b[31mred\\a\"", "topic.yaml:1: v: expected a whole number, got '?[31mred?'"},
        {"u64", "v: 0123456789012345678901234567890123456789012345678901234567890123456789",
         "topic.yaml:1: v: expected a whole number, got '012345678901234567890123456789012345678901234567890123456…'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err;

        read_as(cases[i].type, cases[i].text, &err);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void an_absent_key_leaves_the_default(void **state)
{
    struct errmsg err;
    struct str s = STR("default");
    uint64_t n = 7;
    int64_t t = 8;
    double d = 0.5;
    bool b = true;

    (void)state;
    assert_ok(conf_str(NULL, &s, &err), err);
    assert_ok(conf_u64(NULL, 0, 1, &n, &err), err);
    assert_ok(conf_bytes(NULL, &n, &err), err);
    assert_ok(conf_duration(NULL, &t, &err), err);
    assert_ok(conf_double(NULL, 0, 1, &d, &err), err);
    assert_ok(conf_bool(NULL, &b, &err), err);
    assert_ok(conf_expect_map(NULL, (const char *const[]){NULL}, &err), err);
    assert_str(s, "default");
    assert_true(n == 7 && t == 8 && d == 0.5 && b);
}

static void unknown_keys_name_the_nearest(void **state)
{
    static const char *const known[] = {"topic", "seeds", "seeds_file", "strategy", "limits", "seed", NULL};
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"topic: x\nseeds: y\n", "ok"},
        {"topic: x\nseds: y\n", "topic.yaml:2: seds: unknown key; did you mean 'seeds'?"},
        {"tpc: y\n", "topic.yaml:1: tpc: unknown key; did you mean 'topic'?"},
        {"sedes: y\n", "topic.yaml:1: sedes: unknown key; did you mean 'seeds'?"},
        {"startegy: y\n", "topic.yaml:1: startegy: unknown key; did you mean 'strategy'?"},
        {"Topic: y\n", "topic.yaml:1: Topic: unknown key; did you mean 'topic'?"},
        {"limit: y\n", "topic.yaml:1: limit: unknown key; did you mean 'limits'?"},
        {"zzz: y\n",
         "topic.yaml:1: zzz: unknown key; the keys here are topic, seeds, seeds_file, strategy, limits, seed"},
        {"? ''\n: y\n",
         "topic.yaml:1: unknown key; the keys here are topic, seeds, seeds_file, strategy, limits, seed"},
        {"- topic\n", "topic.yaml:1: expected a map (key: value), got a list"},
        {"hello\n", "topic.yaml:1: expected a map (key: value), got 'hello'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {"ok"};
        struct conf *conf;
        const struct conf_node *root = load(cases[i].text, &conf);
        scent_status status = conf_expect_map(root, known, &err);

        assert_int_equal(status == SCENT_OK, strcmp(cases[i].message, "ok") == 0);
        assert_string_equal(err.text, cases[i].message);
        conf_free(conf);
    }
}

static void paths_name_maps_and_items(void **state)
{
    struct conf *conf;
    const struct conf_node *root = load("a:\n  b:\n    - x\n    - {c: 1}\n", &conf);
    const struct conf_node *list = conf_get(conf_get(root, "a"), "b");
    struct errmsg err;

    (void)state;
    assert_int_equal(conf_fail(conf_item(list, 0), &err, "no %s", "good"), SCENT_E_INVALID);
    assert_string_equal(err.text, "topic.yaml:3: a.b #1: no good");
    assert_int_equal(conf_fail(conf_get(conf_item(list, 1), "c"), &err, "bad"), SCENT_E_INVALID);
    assert_string_equal(err.text, "topic.yaml:4: a.b #2.c: bad");
    conf_free(conf);
}

static void sizes(void **state)
{
    static const struct {
        const char *text;
        int64_t want; /* -1: refused */
    } cases[] = {
        {"512", 512},
        {"0", 0},
        {"2MiB", 2 << 20},
        {"10kB", 10000},
        {"10 kB", 10000},
        {"10KB", 10000},
        {"1GiB", 1 << 30},
        {"1.5KiB", 1536},
        {"0.25MB", 250000},
        {"7B", 7},
        {"1TiB", 1ll << 40},
        {"", -1},
        {"k", -1},
        {"5M", -1},
        {"1.B", -1},
        {"1.5", -1},
        {"-1", -1},
        {"1e3", -1},
        {"2MiB2", -1},
        {"99999999999999999999", -1},
        {"99999999999TiB", -1},
        {"1.1234567MB", -1},
        {"0x10", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t got = 99;
        bool ok = conf_parse_bytes(str_of(cases[i].text), &got);

        if (ok != (cases[i].want >= 0) || (ok && got != (uint64_t)cases[i].want))
            fail_msg("'%s' gave %d, %" PRIu64, cases[i].text, ok, got);
        assert_true(ok || got == 99);
    }
}

static void durations(void **state)
{
    static const struct {
        const char *text;
        int64_t want;
    } cases[] = {
        {"0", 0},
        {"250ms", 250000},
        {"1s", 1000000},
        {"2h", 7200000000},
        {"1h30m", 5400000000},
        {"1h 30m", 5400000000},
        {"1.5s", 1500000},
        {"5us", 5},
        {"1w", 604800000000},
        {"2d12h", 216000000000},
        {"", -1},
        {"5", -1},
        {"h", -1},
        {"30m1h", -1},
        {"1h1h", -1},
        {"1x", -1},
        {"-1s", -1},
        {"1.5us", -1},
        {"1H", -1},
        {"99999999999999999999s", -1},
        {"9999999999999h", -1},
        {"1s5", -1},
        {"15250285w", -1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t got = 99;
        bool ok = conf_parse_duration(str_of(cases[i].text), &got);

        if (ok != (cases[i].want >= 0) || (ok && got != cases[i].want))
            fail_msg("'%s' gave %d, %" PRId64, cases[i].text, ok, got);
        assert_true(ok || got == 99);
    }
}

static void shown_values_stay_within_bounds(void **state)
{
    char text[200];

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text + 55, "€€", 6);
    assert_true(strlen(conf_show((struct str){text, sizeof text}).text) < 64);
    assert_string_equal(conf_show(STR("a\xFF-\xC3-\xE2\x82")).text, "a?-?-??");
    assert_string_equal(conf_show(STR_NONE).text, "");
    memset(text, 1, sizeof text);
    assert_int_equal(strlen(conf_show((struct str){text, sizeof text}).text), 57 + strlen("…"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_was_expected),
        cmocka_unit_test(an_absent_key_leaves_the_default),
        cmocka_unit_test(unknown_keys_name_the_nearest),
        cmocka_unit_test(paths_name_maps_and_items),
        cmocka_unit_test(sizes),
        cmocka_unit_test(durations),
        cmocka_unit_test(shown_values_stay_within_bounds),
    };

    return cmocka_run_group_tests_name("conf/value", tests, NULL, NULL);
}
