#include "conf/conf.h"
#include "test.h"

static const struct conf_node *load(const char *text, struct conf **conf)
{
    struct errmsg err = {{0}};

    assert_ok(conf_parse(str_of(text), "t.yaml", conf, &err), err);
    return conf_root(*conf);
}

static void reads_scalars_lists_and_maps(void **state)
{
    struct conf *conf;
    const struct conf_node *root = load("topic: hockey\nseeds: [a, 'b c', \"d\\n\"]\nlimits:\n  pages: 5\n", &conf);
    const struct conf_node *seeds = conf_get(root, "seeds");
    struct errmsg err;
    struct str s;

    (void)state;
    assert_int_equal(conf_kind(root), CONF_MAP);
    assert_int_equal(conf_count(root), 3);
    assert_str(conf_key(root, 2), "limits");
    assert_int_equal(conf_kind(seeds), CONF_LIST);
    assert_int_equal(conf_count(seeds), 3);
    assert_ok(conf_str(conf_item(seeds, 1), &s, &err), err);
    assert_str(s, "b c");
    assert_ok(conf_str(conf_item(seeds, 2), &s, &err), err);
    assert_str(s, "d\n");
    assert_int_equal(conf_line(conf_get(conf_get(root, "limits"), "pages")), 4);
    assert_int_equal(conf_line(conf_get(root, "limits")), 3);
    assert_null(conf_get(root, "absent"));
    assert_null(conf_get(NULL, "absent"));
    assert_null(conf_get(seeds, "absent"));
    conf_free(conf);
}

static void an_empty_document_has_no_root(void **state)
{
    static const char *const empty[] = {"", "# only a comment\n", "\n\n", "\xEF\xBB\xBF"};
    struct conf *conf;

    (void)state;
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_null(load(empty[i], &conf));
        conf_free(conf);
    }
    conf_free(NULL);
}

static void a_byte_order_mark_is_skipped(void **state)
{
    struct conf *conf;

    (void)state;
    assert_non_null(conf_get(load("\xEF\xBB\xBFtopic: x\n", &conf), "topic"));
    conf_free(conf);
}

static void refuses_with_position_and_fix(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a: b: c\n", "t.yaml:1:5: a ':' stands where no key can be; put a text that contains ': ' in quotes, or check "
                      "the indentation"},
        {"a: [1, 2\nb: 3\n",
         "t.yaml:2:2: expected ',' or ']'; a list in brackets is not closed (what is being read began "
         "on line 1)"},
        {"a: {b: 1\n", "t.yaml:2:1: expected ',' or '}'; a map in braces is not closed (what is being read began on "
                       "line 1)"},
        {"a: 'open\n",
         "t.yaml:2:1: a text in quotes is not closed before the end of the file (what is being read began "
         "on line 1)"},
        {"a: \"\\.uk\"\n", "t.yaml:1:5: an unknown escape in a text in double quotes; use single quotes, where a "
                           "backslash is only a backslash"},
        {"a:\n\tb: 1\n", "t.yaml:2:1: this character cannot begin a value; indent with spaces instead of tabs, and put "
                         "@, `, % in quotes"},
        {"a: @x\n",
         "t.yaml:1:4: this character cannot begin a value; indent with spaces instead of tabs, and put @, `, "
         "% in quotes"},
        {"a: *x\n", "t.yaml:1:4: aliases (*name) are not supported; write the value out, or put it in quotes"},
        {"a: *.org\n",
         "t.yaml:1:5: '&' and '*' have a special meaning at the start of a value; put the text in quotes"},
        {"a: !!int 5\n", "t.yaml:1:4: tags (!) are not supported; put a text that begins with '!' in quotes"},
        {"a: !t [5]\n", "t.yaml:1:4: tags (!) are not supported; remove this one"},
        {"a: 1\n---\nb: 2\n", "t.yaml:2:1: a second document begins here; only one is read, remove the '---'"},
        {"[a]: 1\n", "t.yaml:1:1: a key must be a word, not a list or a map"},
        {"x\xFFy: 1\n", "t.yaml:1:2: this is not UTF-8 text; save the file as UTF-8"},
        {"a: 1\nb: \x01\n", "t.yaml:2:4: a control character; remove it, or write it as an escape in double quotes"},
        {"a: 1\nb: 2\nc: 3\nb: 4\na: 5\n", "t.yaml:4: b: this key stands on line 2 already; remove one of them"},
        {"x:\n  a: 1\n  a: 2\n", "t.yaml:3: x.a: this key stands on line 2 already; remove one of them"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct errmsg err = {{0}};
        struct conf *conf;

        assert_int_equal(conf_parse(str_of(cases[i].text), "t.yaml", &conf, &err), SCENT_E_INVALID);
        assert_null(conf);
        assert_string_equal(err.text, cases[i].message);
    }
}

static struct str repeat(char *out, size_t room, const char *part, size_t times)
{
    size_t len = strlen(part);

    assert_true(len * times <= room);
    for (size_t i = 0; i < times; i++)
        memcpy(out + i * len, part, len);
    return (struct str){out, len * times};
}

static void caps_hold(void **state)
{
    static char text[17 << 20];
    struct errmsg err;
    struct conf *conf;

    (void)state;
    assert_int_equal(conf_parse(repeat(text, sizeof text, "[", 64), "t", &conf, &err), SCENT_E_INVALID);
    assert_null(strstr(err.text, "nested"));
    assert_int_equal(conf_parse(repeat(text, sizeof text, "[", 100000), "t", &conf, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "t:1:65: lists and maps are nested more than 64 deep");
    assert_ok(conf_parse(repeat(text, sizeof text, "- [{}]\n", 100), "t", &conf, &err), err);
    conf_free(conf);
    assert_ok(conf_parse(repeat(text, sizeof text, "- x\n", 99999), "t", &conf, &err), err);
    assert_int_equal(conf_count(conf_root(conf)), 99999);
    conf_free(conf);
    assert_int_equal(conf_parse(repeat(text, sizeof text, "- x\n", 100000), "t", &conf, &err), SCENT_E_INVALID);
    assert_string_equal(err.text, "t:100000:3: the file has more than 100,000 values");
    assert_int_equal(conf_parse(repeat(text, sizeof text, "#", sizeof text), "t", &conf, &err), SCENT_E_LIMIT);
    assert_string_equal(err.text, "t is larger than 16777216 bytes");
}

static void load_names_the_file(void **state)
{
    struct errmsg err;
    struct conf *conf;

    (void)state;
    assert_int_equal(conf_load("no/such.yaml", &conf, &err), SCENT_E_NOTFOUND);
    assert_string_equal(err.text, "cannot open no/such.yaml: No such file or directory");
    assert_null(conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_scalars_lists_and_maps),
        cmocka_unit_test(an_empty_document_has_no_root),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(refuses_with_position_and_fix),
        cmocka_unit_test(caps_hold),
        cmocka_unit_test(load_names_the_file),
    };

    return cmocka_run_group_tests_name("conf/document", tests, NULL, NULL);
}
