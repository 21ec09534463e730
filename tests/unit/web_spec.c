/* The specification of a generated web: defaults, limits, messages. */
#include "test.h"

#include "base/file.h"
#include "conf/conf.h"
#include "web/webspec.h"

static scent_status read_spec(const char *yaml, struct webspec *out, struct errmsg *err)
{
    struct conf *conf;
    scent_status status = conf_parse(str_of(yaml), "web.yaml", &conf, err);

    if (status != SCENT_OK)
        return status;
    status = webspec_read(conf, out, err);
    conf_free(conf);
    return status;
}

static void example_is_the_defaults(void **state)
{
    struct webspec spec, defaults;
    struct errmsg err = {""};
    struct buf yaml;

    (void)state;
    buf_init(&yaml, 0);
    webspec_write_default(&yaml);
    webspec_defaults(&defaults);
    assert_ok(read_spec(buf_z(&yaml), &spec, &err), err);
    assert_memory_equal(&spec, &defaults, sizeof spec);
    buf_release(&yaml);
}

static void empty_document_is_the_defaults(void **state)
{
    struct webspec spec, defaults;
    struct errmsg err = {""};

    (void)state;
    webspec_defaults(&defaults);
    assert_ok(read_spec("", &spec, &err), err);
    assert_memory_equal(&spec, &defaults, sizeof spec);
}

/* docs/guide/generated-web.md shows it word for word. */
static void example_is_documented(void **state)
{
    struct errmsg err = {""};
    struct buf yaml, page;

    (void)state;
    buf_init(&yaml, 0);
    buf_init(&page, 0);
    webspec_write_default(&yaml);
    assert_ok(file_read(SCENT_TESTS "/../docs/guide/generated-web.md", &page, &err), err);
    assert_non_null(memmem(page.p, page.len, yaml.p, yaml.len));
    buf_release(&yaml);
    buf_release(&page);
}

static void values_arrive(void **state)
{
    struct webspec spec;
    struct errmsg err = {""};

    (void)state;
    assert_ok(read_spec("hosts: 7\ntopics: 3\nlocality: 0.25\ntunnels: {share: 0.5, length: 4}\nsuffix: gen.test\n"
                        "languages: {de: 3, ru: 1}\nrobots: {crawl_delay: 0.5}\n", &spec, &err), err);
    assert_int_equal(spec.hosts, 7);
    assert_int_equal(spec.tunnel_length, 4);
    assert_true(spec.locality == 0.25 && spec.tunnel_share == 0.5 && spec.robots_delay == 0.5);
    assert_string_equal(spec.suffix, "gen.test");
    assert_int_equal(spec.language_count, 2);
    assert_string_equal(spec.languages[1].code, "ru");
    assert_true(spec.languages[0].share == 0.75);
}

static void mistakes_are_named(void **state)
{
    static const struct {
        const char *yaml, *message;
    } cases[] = {
        {"localty: 1\n", "web.yaml:1"},
        {"localty: 1\n", "locality"},
        {"hosts: 10\ntunnels: {shar: 1}\n", "web.yaml:2"},
        {"locality: 1.5\n", "locality"},
        {"hosts: none\n", "hosts"},
        {"kind: archive\n", "expected 'generated'"},
        {"topics: 3\nwanted: 3\n", "topics 0 to 2"},
        {"hosts: 3\n", "raise hosts to 15"},
        {"errors: 0.5\nredirects: 0.5\n", "leave at least a tenth"},
        {"dead_hosts: 0.9\ntraps: 0.1\n", "leave at least a tenth"},
        {"tunnels: {share: 1}\n", "at most 0.9"},
        {"tunnels: {lead: 0.6, along: 0.5}\n", "tunnels.lead and tunnels.along sum to 1.10"},
        {"topics: 4\ntunnels: {ways: 4}\n", "none would be left"},
        {"topics: 5\ntunnels: {ways: 3, length: 2}\n", "need 4 ways"},
        {"topics: 6\nwanted: 3\ntunnels: {ways: 3, length: 1}\n", "topics 0 to 2"},
        {"languages: {tlh: 1}\n", "does not speak 'tlh'"},
        {"languages: {en: 0}\n", "sum to 0"},
        {"languages: []\n", "languages"},
        {"suffix: Gen.Test\n", "lower case"},
        {"hosts: 1000\ntopics: 1000\nvocabulary: {topic: 60000}\n", "at most"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct webspec spec;
        struct errmsg err = {""};

        assert_int_equal(read_spec(cases[i].yaml, &spec, &err), SCENT_E_INVALID);
        if (!strstr(err.text, cases[i].message)) {
            print_error("%s\ngives: %s\nwant:  %s\n", cases[i].yaml, err.text, cases[i].message);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_is_the_defaults),
        cmocka_unit_test(empty_document_is_the_defaults),
        cmocka_unit_test(example_is_documented),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(mistakes_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
