/* Any bytes are what a strategy learned, or are refused. What was taken is told again, and taken again: it is the same. The
 * first byte says which strategy. */
#include "logged.h"

#include "strategy/strategy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void open_strategy(const struct topic *topic, const struct knowledge *knowledge, struct strategy *out)
{
    struct strategy_context context = {.topic = topic, .knowledge = knowledge, .seed = 1};
    struct errmsg err;

    SCENT_BUG_IF(strategy_open(&context, out, &err) != SCENT_OK);
}

/* Two people, one of whom the saved inputs know. */
static struct trace *make_trace(void)
{
    struct trace_options options = trace_options_default();
    int fd = logged_open(STR("1 a http://a.test/\n2 a http://a.test/1\n3 b http://a.test/1\n"));
    struct trace *trace;

    options.keep_users = true;
    trace = logged_import(fd, &options);
    close(fd);
    return trace;
}

/* What was recalled can be asked for. */
static void propose_all(const struct strategy *strategy)
{
    struct strategy_proposal proposal;

    while (strategy->ops->propose && strategy->ops->propose(strategy->state, true, &proposal))
        SCENT_BUG_IF(!(proposal.score.priority == proposal.score.priority));
}

static void teach(const struct topic *topic, const struct knowledge *knowledge, struct str blob)
{
    struct strategy one, two;
    struct buf told, again;
    struct errmsg err;

    buf_init(&told, 0);
    buf_init(&again, 0);
    open_strategy(topic, knowledge, &one);
    open_strategy(topic, knowledge, &two);
    if (one.ops->recall(one.state, blob, 1, &err) == SCENT_OK) {
        SCENT_BUG_IF(one.ops->learned(one.state, &told) != SCENT_OK);
        SCENT_BUG_IF(two.ops->recall(two.state, buf_str(&told), 1, &err) != SCENT_OK);
        SCENT_BUG_IF(two.ops->learned(two.state, &again) != SCENT_OK || !str_eq(buf_str(&told), buf_str(&again)));
        propose_all(&one);
    }
    strategy_close(&one);
    strategy_close(&two);
    buf_release(&told);
    buf_release(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const char *const strategies[] = {"intelligent", "query-context", "fusion:of=intelligent + query-context",
                                             "collaborative", "combined", "adaptive"};
    struct knowledge knowledge = {0};
    struct topic *topic;
    struct errmsg err;

    if (len == 0 || data[0] >= sizeof strategies / sizeof *strategies)
        return 0;
    SCENT_BUG_IF(topic_parse(STR("topic: t\nseeds: [http://a.test/]\nquery: '#sum(a b)'\n"), "t.yaml", &topic, &err) !=
                 SCENT_OK);
    SCENT_BUG_IF(topic_set_strategy(topic, str_of(strategies[data[0]]), &err) != SCENT_OK);
    knowledge.trace = make_trace();
    teach(topic, &knowledge, (struct str){(const char *)data + 1, len - 1});
    knowledge_release(&knowledge);
    topic_free(topic);
    return 0;
}
