/* The key `sessions`: whose browsing a trial learns from. */
#include "lab/experiment_read.h"
#include "learn/cluster.h"

static scent_status read_walks(struct experiment_sessions *out, const struct conf_node *node, struct errmsg *err)
{
    static const char *const places[] = {"anywhere", "seeds", NULL};
    unsigned place = 0;
    scent_status status = experiment_read_u32(conf_get(node, "walks"), 1, 10000, &out->walks, err);

    if (status == SCENT_OK)
        status = experiment_read_choice(conf_get(node, "begin"), places, &place, err);
    out->at_seeds = place;
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "steps"), 1, 10000, &out->steps, err);
    return status == SCENT_OK ? conf_double(conf_get(node, "wander"), 0, 1, &out->wander, err) : status;
}

static scent_status read_users(struct experiment *experiment, struct experiment_sessions *out,
                               const struct conf_node *node, struct errmsg *err)
{
    scent_status status = experiment_read_traces(experiment, conf_get(node, "traces"), &out->traces, err);

    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "interest"), 1, 1000000, &out->interest, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "held_out"), .01, .99, &out->held_out, err);
    return status == SCENT_OK ? experiment_read_u32(conf_get(node, "pages"), 2, 4000, &out->pages, err) : status;
}

scent_status experiment_read_sessions(struct experiment *experiment, const struct conf_node *node, struct errmsg *err)
{
    static const char *const of_walks[] = {"walks", "steps", "wander", "begin", "clusters", "gamma", NULL};
    static const char *const of_users[] = {"traces", "interest", "held_out", "pages", "clusters", "gamma", NULL};
    struct experiment_sessions *out = &experiment->sessions;
    scent_status status;

    *out = (struct experiment_sessions){.walks = 40,
                                        .steps = 20,
                                        .wander = .5,
                                        .interest = 2,
                                        .held_out = .3,
                                        .pages = 200,
                                        .clusters = 5,
                                        .gamma = .7};
    if (!node)
        return SCENT_OK;
    out->line = conf_line(node);
    if (conf_kind(node) != CONF_MAP || (!conf_get(node, "walks") && !conf_get(node, "traces")))
        return conf_fail(node, err,
                         "whose sessions? Write {traces: access.log} for the users of a log, or {walks: 40} for a "
                         "simulated person");
    out->kind = conf_get(node, "traces") ? SESSIONS_OF_USERS : SESSIONS_OF_WALKS;
    status = conf_expect_map(node, out->kind == SESSIONS_OF_USERS ? of_users : of_walks, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "gamma"), 0, 1, &out->gamma, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(node, "clusters"), 1, CLUSTER_MAX, &out->clusters, err);
    if (status != SCENT_OK)
        return status;
    return out->kind == SESSIONS_OF_USERS ? read_users(experiment, out, node, err) : read_walks(out, node, err);
}
