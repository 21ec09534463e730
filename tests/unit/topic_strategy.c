/* The strategy of a topic that names none. */
#include "test.h"
#include "topic/topic.h"

static struct topic *load(const char *text)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    assert_ok(topic_parse(str_of(text), "topic.yaml", &topic, &err), err);
    return topic;
}

static const char *spec_of(const struct topic *topic)
{
    static char spec[300];
    struct buf text;

    buf_init(&text, 0);
    topic_write_strategy(topic, &text);
    snprintf(spec, sizeof spec, "%s", buf_z(&text));
    buf_release(&text);
    return spec;
}

static void a_topic_that_names_none_gets_the_default(void **state)
{
    static const char *const texts[] = {
        "topic: x\nseeds: ['http://a.test/']\n",
        "topic: x\nrelevant: '\"ice hockey\"'\n",
        "topic: x\nquery: hockey\n",
        "topic: x\nexamples: {positive: p, negative: n}\n",
        "topic: x\ntaxonomy: {file: t, target: A.B}\n",
        "topic: x\nbrowsing: b\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct topic *topic = load(texts[i]);

        assert_string_equal(spec_of(topic), "adaptive");
        assert_string_equal(topic->chosen, "the topic names none");
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
    assert_string_equal(spec_of(topic), "adaptive");
    assert_non_null(topic->chosen);
    assert_ok(topic_set_strategy(topic, STR("random"), &err), err);
    assert_null(topic->chosen);
    topic_free(topic);
    topic = load("topic: x\nquery: hockey\nstrategy: default\n");
    assert_string_equal(spec_of(topic), "adaptive");
    topic_free(topic);
    assert_int_equal(topic_parse(STR("topic: x\nstrategy: {name: default, width: 5}\n"), "topic.yaml", &topic, &err),
                     SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "topic.yaml:2: strategy: default takes no options"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_topic_that_names_none_gets_the_default),
        cmocka_unit_test(a_named_strategy_stays),
    };

    return cmocka_run_group_tests_name("topic/strategy", tests, NULL, NULL);
}
