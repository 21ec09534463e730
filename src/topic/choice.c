/* The strategy of a topic file that names none, by what the topic has. docs/guide/choosing-a-strategy.md shows the
 * measurements behind each row, docs/decisions/0035-choice-of-a-strategy.md and 0054-adaptive-by-default.md what was
 * not chosen. Whoever changes a row measures it first: the experiments choice-*.yaml of examples/lab have the choice as
 * the strategy `default`. */
#include "topic/choice.h"

#include "topic/predicate.h"

enum {
    HAS_EXAMPLES = 1,
    HAS_TAXONOMY = 2,
    HAS_QUERY = 4,
    HAS_BROWSING = 8,
    HAS_JUDGE = 32,
    HAS_PREDICATE = 16, /* a predicate of its own, which asks for more than the likeness to the seeds */
};

#define OPTION(key, value) {{key, sizeof key - 1}, {value, sizeof value - 1}}
static const struct topic_option taught[] = {
    OPTION("of", "text-window:words=40 + anchor-text + intelligent"), OPTION("by", "ranks")};
static const struct topic_option told[] = {OPTION("of", "anchor-text + intelligent"), OPTION("by", "fisher")};

#define OPTIONS(list) list, sizeof list / sizeof *list
#define NAME(name) {name, sizeof name - 1}

/* The first row counts that asks for nothing that the topic does not have. */
static const struct row {
    unsigned needs;
    struct topic_choice choice;
} rows[] = {
    {HAS_JUDGE, {NAME("fusion"), OPTIONS(told), "the topic has a judge of its own"}},
    {HAS_EXAMPLES, {NAME("adaptive"), NULL, 0, "the topic has examples"}},
    {HAS_TAXONOMY, {NAME("fusion"), OPTIONS(taught), "the topic has a taxonomy"}},
    {HAS_QUERY, {NAME("fusion"), OPTIONS(told), "the topic has a query"}},
    {HAS_PREDICATE, {NAME("fusion"), OPTIONS(told), "the topic has a predicate and neither examples nor a query"}},
    {HAS_BROWSING, {NAME("fusion"), OPTIONS(told), "the topic has a browsing model and nothing else"}},
    {0, {NAME("fusion"), OPTIONS(told), "the topic has seeds and nothing else"}},
};

static unsigned find_features(const struct topic *topic)
{
    enum topic_classes classes = topic_classes(topic);
    unsigned has = 0;

    has |= classes == TOPIC_TWO_CLASSES ? HAS_EXAMPLES : 0;
    has |= classes == TOPIC_CATEGORIES ? HAS_TAXONOMY : 0;
    has |= topic_has_judge(topic) ? HAS_JUDGE : 0;
    has |= topic->query ? HAS_QUERY : 0;
    has |= topic->browsing_file.len ? HAS_BROWSING : 0;
    return has | (topic->relevant_given && !predicate_asks_only(topic->predicate, VALUE_SIMILAR) ? HAS_PREDICATE : 0);
}

const struct topic_choice *topic_choice(const struct topic *topic)
{
    unsigned has = find_features(topic);
    const struct row *row = rows;

    while (row->needs & ~has)
        row++;
    return &row->choice;
}

const struct topic_choice *topic_choice_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i].choice : NULL;
}

void topic_write_strategy(const struct topic *topic, struct buf *out)
{
    buf_add(out, topic->strategy);
    for (size_t i = 0; i < topic->noptions; i++)
        buf_printf(out, "%c%.*s=%.*s", i ? ',' : ':', STR_ARG(topic->options[i].key), STR_ARG(topic->options[i].value));
}

void topic_choose_strategy(struct topic *topic)
{
    const struct topic_choice *choice = topic_choice(topic);

    topic->strategy = choice->strategy;
    topic->options = choice->options;
    topic->noptions = choice->noptions;
    topic->chosen = choice->why;
}
