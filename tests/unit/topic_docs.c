/* Every YAML block of docs/guide/topic-file.md must load: people copy them. */
#include "base/file.h"
#include "topic/topic.h"
#include "test.h"

static void load_block(struct str block, size_t line)
{
    struct errmsg err = {{0}};
    struct topic *topic;

    if (topic_parse(block, "block", &topic, &err) != SCENT_OK)
        fail_msg("the block of line %zu: %s", line, err.text);
    topic_free(topic);
}

static void every_example_loads(void **state)
{
    struct errmsg err = {{0}};
    struct buf text;
    struct str rest, line;
    const char *begin = NULL;
    size_t n = 0, blocks = 0;

    (void)state;
    buf_init(&text, 1 << 20);
    assert_ok(file_read(SCENT_TESTS "/../docs/guide/topic-file.md", &text, &err), err);
    for (rest = buf_str(&text); str_split(&rest, '\n', &line); n++) {
        if (str_eq(line, STR("```yaml"))) {
            begin = line.p + line.len + 1;
        } else if (begin && str_eq(line, STR("```"))) {
            load_block((struct str){begin, (size_t)(line.p - begin)}, n);
            begin = NULL;
            blocks++;
        }
    }
    assert_true(blocks >= 20); /* the guide has not lost them */
    buf_release(&text);
}

/* The document names every key that the reader knows. */
static void every_key_is_documented(void **state)
{
    static const char *const keys[] = {
        "topic",         "seeds",  "seeds_file", "scope",          "relevant",   "strategy", "window",
        "seed",          "limits", "politeness", "strip_tracking", "include",    "exclude",  "hops_off_domain",
        "types",         "pages",  "time",       "depth",          "page_bytes", "per_host", "per_domain",
        "query",         "min_free_disk", "delay",  "per_ip",     "retries",        "user_agent", "recrawl", "policy", "interval", "wait",
        "ways",     "proxy", "hooks", "on_page", "on_relevant",
        "onion",         "cookies", "logins",  "text_memory", "traces", "browsing", "file", "base", "reuse", "from", "weight",
    };
    struct errmsg err = {{0}};
    struct buf text;

    (void)state;
    buf_init(&text, 1 << 20);
    assert_ok(file_read(SCENT_TESTS "/../docs/guide/topic-file.md", &text, &err), err);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char row[64];

        snprintf(row, sizeof row, "\n| `%s` |", keys[i]);
        if (!strstr(buf_z(&text), row))
            fail_msg("%s has no row", keys[i]);
    }
    buf_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_loads),
        cmocka_unit_test(every_key_is_documented),
    };

    return cmocka_run_group_tests_name("topic/docs", tests, NULL, NULL);
}
