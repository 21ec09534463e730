/* The strategy of a topic that names none. */
#include "test.h"
#include "topic/choice.h"
#include "topic/topic.h"

static struct topic *load(const char *text)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    assert_ok(topic_parse(str_of(text), "topic.yaml", &topic, &err), err);
    return topic;
}

/* "fusion:of=a + b,by=ranks", as --strategy takes it. */
static const char *spec_of(const struct topic *topic)
{
    static char spec[300];
    size_t len = (size_t)snprintf(spec, sizeof spec, "%.*s", STR_ARG(topic->strategy));

    for (size_t i = 0; i < topic->noptions; i++)
        len += (size_t)snprintf(spec + len, sizeof spec - len, "%s%.*s=%.*s", i ? "," : ":",
                                STR_ARG(topic->options[i].key), STR_ARG(topic->options[i].value));
    return spec;
}

#define TAUGHT "fusion:of=text-window:words=40 + anchor-text + intelligent,by=ranks"
#define TOLD "fusion:of=anchor-text + intelligent,by=fisher"

static void by_what_the_topic_has(void **state)
{
    static const struct {
        const char *text, *spec, *why;
    } cases[] = {
        {"topic: x\nseeds: ['http://a.test/']\n", TOLD, "seeds"},
        {"topic: x\nseeds: ['http://a.test/']\nrelevant: similar()\n", TOLD, "seeds"},
        {"topic: x\nrelevant: '\"ice hockey\"'\n", TOLD, "predicate"},
        {"topic: x\nquery: hockey\n", TOLD, "query"},
        {"topic: x\nquery: hockey\nbrowsing: b\nrelevant: 'query() and lang = \"en\"'\n", TOLD, "query"},
        {"topic: x\nexamples: {positive: p, negative: n}\n", "adaptive", "examples"},
        {"topic: x\nexamples: {positive: p, negative: n}\nquery: hockey\nrelevant: hockey\n", "adaptive", "examples"},
        {"topic: x\ntaxonomy: {file: t, target: A.B}\n", TAUGHT, "taxonomy"},
        {"topic: x\nbrowsing: b\n", TOLD, "browsing"},
        {"topic: x\nbrowsing: b\nrelevant: hockey\n", TOLD, "predicate"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct topic *topic = load(cases[i].text);

        assert_string_equal(spec_of(topic), cases[i].spec);
        assert_non_null(topic->chosen);
        assert_non_null(strstr(topic->chosen, cases[i].why));
        topic_free(topic);
    }
}

static void a_named_strategy_stays(void **state)
{
    struct topic *topic = load("topic: x\nquery: hockey\nstrategy: {name: fish, width: 5}\n");
    struct errmsg err = {{0}};

    (void)state;
    assert_string_equal(spec_of(topic), "fish:width=5");
    assert_null(topic->chosen);
    assert_ok(topic_set_strategy(topic, STR("default"), &err), err);
    assert_string_equal(spec_of(topic), TOLD);
    assert_non_null(topic->chosen);
    assert_ok(topic_set_strategy(topic, STR("random"), &err), err);
    assert_null(topic->chosen);
    topic_free(topic);
    topic = load("topic: x\nquery: hockey\nstrategy: default\n");
    assert_string_equal(spec_of(topic), TOLD);
    topic_free(topic);
    assert_int_equal(topic_parse(STR("topic: x\nstrategy: {name: default, width: 5}\n"), "topic.yaml", &topic, &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "topic.yaml:2: strategy: default takes no options"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_what_the_topic_has),
        cmocka_unit_test(a_named_strategy_stays),
    };

    return cmocka_run_group_tests_name("topic/choice", tests, NULL, NULL);
}
