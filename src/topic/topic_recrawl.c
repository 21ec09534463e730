#include "topic/topic_read.h"

#define SHORTEST_US ((int64_t)1000000)
#define LONGEST_US  (3650 * TOPIC_DAY_US)

static scent_status read_policy(const struct conf_node *node, enum topic_recrawl_policy *out, struct errmsg *err)
{
    static const char *const names[] = {
        [TOPIC_RECRAWL_NONE] = "none",
        [TOPIC_RECRAWL_FIXED] = "fixed",
        [TOPIC_RECRAWL_ADAPTIVE] = "adaptive",
    };
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (!node || status != SCENT_OK)
        return status;
    for (int i = 0; i < 3; i++)
        if (str_eq(text, str_of(names[i]))) {
            *out = (enum topic_recrawl_policy)i;
            return SCENT_OK;
        }
    return conf_fail(node, err, "expected none, fixed or adaptive, got '%s'", conf_show(text).text);
}

static scent_status read_interval(const struct conf_node *node, int64_t *out, struct errmsg *err)
{
    scent_status status = conf_duration(node, out, err);

    if (status == SCENT_OK && node && (*out < SHORTEST_US || *out > LONGEST_US))
        return conf_fail(node, err, "must lie between 1s and 3650d");
    return status;
}

/* What has no effect is a mistake. */
static scent_status refuse_idle(const struct topic_recrawl *recrawl, const struct conf_node *node, struct errmsg *err)
{
    static const char *const keys[] = {"interval", "min", "max", "wait"};

    for (size_t i = 0; i < 4; i++) {
        const struct conf_node *given = conf_get(node, keys[i]);
        bool of_adaptive = i == 1 || i == 2;

        if (given && recrawl->policy == TOPIC_RECRAWL_NONE)
            return conf_fail(given, err, "has no effect without a policy; add 'policy: fixed' or 'policy: adaptive'");
        if (given && of_adaptive && recrawl->policy == TOPIC_RECRAWL_FIXED)
            return conf_fail(given, err, "has no effect with 'policy: fixed'; remove it, or write 'policy: adaptive'");
    }
    return SCENT_OK;
}

static scent_status check_order(const struct topic_recrawl *recrawl, const struct conf_node *node, struct errmsg *err)
{
    if (recrawl->policy != TOPIC_RECRAWL_ADAPTIVE)
        return SCENT_OK;
    if (recrawl->min_us > recrawl->max_us)
        return conf_fail(node, err, "min is longer than max (1h and 90d unless given); swap or change them");
    if (recrawl->interval_us < recrawl->min_us || recrawl->interval_us > recrawl->max_us)
        return conf_fail(node, err, "interval (7d unless given) must lie between min (1h) and max (90d)");
    return SCENT_OK;
}

scent_status topic_read_recrawl(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    static const char *const known[] = {"policy", "interval", "min", "max", "wait", NULL};
    struct topic_recrawl *recrawl = &topic->recrawl;
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK)
        status = read_policy(conf_get(node, "policy"), &recrawl->policy, err);
    if (status == SCENT_OK)
        status = read_interval(conf_get(node, "interval"), &recrawl->interval_us, err);
    if (status == SCENT_OK)
        status = read_interval(conf_get(node, "min"), &recrawl->min_us, err);
    if (status == SCENT_OK)
        status = read_interval(conf_get(node, "max"), &recrawl->max_us, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(node, "wait"), &recrawl->wait, err);
    if (status == SCENT_OK)
        status = refuse_idle(recrawl, node, err);
    return status == SCENT_OK ? check_order(recrawl, node, err) : status;
}
