/* The list of strategies; opening and closing one; options that every strategy takes. */
#include "strategy/strategies.h"

#include "conf/conf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const struct strategy_ops *const all[] = {
    &strategy_breadth_first,
    &strategy_random,
    &strategy_best_first,
    &strategy_best_n_first,
    &strategy_fish,
    &strategy_shark,
    &strategy_anchor_text,
    &strategy_in_degree,
    &strategy_pagerank,
    &strategy_hot_queue,
    &strategy_opic,
    &strategy_larger_sites_first,
    &strategy_tunnel,
    &strategy_wtms,
    &strategy_bingo,
    &strategy_full_page,
    &strategy_text_window,
    &strategy_text_window_combo,
    &strategy_tag_tree_combo,
    &strategy_soft_focus,
    &strategy_hard_focus,
    &strategy_classifier,
    &strategy_query_context,
    &strategy_query_context_weighted,
    &strategy_fusion,
    &strategy_intelligent,
    &strategy_collaborative,
    &strategy_combined,
    &strategy_adaptive,
    &strategy_rules,
    &strategy_hmm,
    &strategy_context_graph,
    &strategy_cora,
    &strategy_apprentice,
    &strategy_infospiders,
};

const struct strategy_ops *strategy_at(size_t i)
{
    return i < sizeof all / sizeof *all ? all[i] : NULL;
}

const struct strategy_ops *strategy_find(struct str name)
{
    for (size_t i = 0; strategy_at(i); i++)
        if (str_eq(str_of(strategy_at(i)->name), name))
            return strategy_at(i);
    return str_eq(name, str_of(strategy_plugin.name)) ? &strategy_plugin : NULL;
}

static scent_status fail_unknown_strategy(struct str name, struct errmsg *err)
{
    const char *names[sizeof all / sizeof *all + 1] = {0}, *nearest;
    struct buf list;
    scent_status status;

    for (size_t i = 0; strategy_at(i); i++)
        names[i] = strategy_at(i)->name;
    nearest = conf_nearest(name, names);
    if (nearest)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "there is no strategy '%.*s'; did you mean '%s'? 'scent strategies' lists all of them",
                           STR_ARG(name), nearest);
    buf_init(&list, 0);
    for (size_t i = 0; strategy_at(i); i++)
        buf_printf(&list, "%s%s", i ? ", " : "", strategy_at(i)->name);
    status = errmsg_fail(err, SCENT_E_INVALID, "there is no strategy '%.*s'; choose one of: %s", STR_ARG(name),
                         buf_z(&list));
    buf_release(&list);
    return status;
}

const struct strategy_option strategy_common_options[] = {
    {"threshold", "none", "a candidate whose priority is below this number is not fetched; it may rise later",
     .kind = STRATEGY_TEXT},
    {0},
};

static bool has_option(const struct strategy_option *options, struct str name)
{
    for (const struct strategy_option *o = options; o && o->name; o++)
        if (str_eq(str_of(o->name), name))
            return true;
    return false;
}

/* Every strategy knows a preset "paper"; where its defaults are what is printed, there is nothing to do. */
static bool is_plain_preset(const struct topic_option *option)
{
    return str_eq(option->key, STR("preset")) &&
           (str_eq(option->value, STR("paper")) || str_eq(option->value, STR("ours")));
}

static bool is_as_printed(const struct topic_option *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(options[i].key, STR("preset")) && str_eq(options[i].value, STR("paper")))
            return true;
    return false;
}

void strategy_preset_model(const struct strategy_ops *ops, const struct topic_option *options, size_t count,
                           struct model_options *model)
{
    if (!is_as_printed(options, count))
        return;
    if (ops->paper_model)
        ops->paper_model(model);
    model->weak = 0;  /* papers have examples of both classes, or draw them, … */
    model->prior = 0; /* … and probabilities as these say */
}

uint32_t strategy_preset_leaf(const struct strategy_ops *ops, const struct topic_option *options, size_t count)
{
    return is_as_printed(options, count) ? ops->paper_leaf : 0;
}

static scent_status check_options(const struct strategy_ops *ops, const struct topic *topic, struct errmsg *err)
{
    for (size_t i = 0; !ops->takes_any_option && i < topic->noptions; i++)
        if (!has_option(ops->options, topic->options[i].key) &&
            !has_option(strategy_common_options, topic->options[i].key) && !is_plain_preset(&topic->options[i]))
            return errmsg_fail(err, SCENT_E_INVALID,
                               "strategy %s has no option '%.*s'; 'scent strategies' lists what each one takes",
                               ops->name, STR_ARG(topic->options[i].key));
    return SCENT_OK;
}

static scent_status read_threshold(const struct strategy_ops *ops, const struct topic *topic, float *out,
                                   struct errmsg *err)
{
    *out = ops->threshold > 0 ? ops->threshold : -INFINITY;
    for (size_t i = 0; i < topic->noptions; i++) {
        struct str value = topic->options[i].value;
        char text[64], *end = text;

        if (!str_eq(topic->options[i].key, STR("threshold")))
            continue;
        *out = -INFINITY;
        if (str_eq(value, STR("none")))
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(value.len < 63 ? value.len : 63), value.p);
        *out = strtof(text, &end);
        if (end == text || *end || !isfinite(*out))
            return errmsg_fail(err, SCENT_E_INVALID, "%s: threshold must be a number or none, got '%s'", ops->name,
                               text);
    }
    return SCENT_OK;
}

scent_status strategy_open_ops(const struct strategy_ops *ops, const struct strategy_context *context,
                               struct strategy *out, struct errmsg *err)
{
    struct strategy_context complete = *context;
    struct strategy opened = {.ops = ops};

    *out = (struct strategy){0};
    complete.ops = ops;
    SCENT_TRY(check_options(ops, context->topic, err));
    SCENT_TRY(read_threshold(ops, context->topic, &opened.threshold, err));
    if (!complete.knowledge)
        complete.knowledge = &knowledge_none;
    SCENT_TRY(ops->open ? ops->open(&complete, &opened.state, err) : SCENT_OK);
    *out = opened;
    return SCENT_OK;
}

scent_status strategy_open(const struct strategy_context *context, struct strategy *out, struct errmsg *err)
{
    const struct strategy_ops *ops = strategy_find(context->topic->strategy);

    *out = (struct strategy){0};
    if (!ops)
        return fail_unknown_strategy(context->topic->strategy, err);
    return strategy_open_ops(ops, context, out, err);
}

scent_status strategy_study(const struct strategy_context *context, const struct strategy_known *known, struct buf *out,
                            struct errmsg *err)
{
    struct strategy_context complete = *context;

    complete.ops = strategy_find(context->topic->strategy);
    SCENT_BUG_IF(!complete.ops || !complete.ops->study);
    SCENT_TRY(check_options(complete.ops, context->topic, err));
    if (!complete.knowledge)
        complete.knowledge = &knowledge_none;
    return complete.ops->study(&complete, known, out, err);
}

void strategy_close(struct strategy *strategy)
{
    if (strategy->ops && strategy->ops->close)
        strategy->ops->close(strategy->state);
    *strategy = (struct strategy){0};
}

bool strategy_adopt_judgements(void *state, const struct knowledge *knowledge)
{
    (void)state, (void)knowledge;
    return true;
}

const char *strategy_undivided(const struct strategy *strategy)
{
    return strategy->ops->undivided ? strategy->ops->undivided(strategy->state) : strategy->ops->whole_graph;
}

void strategy_merge(const struct strategy *strategy, uint32_t id, const struct strategy_score *kept,
                    struct strategy_score *score)
{
    if (strategy->ops->merge)
        strategy->ops->merge(strategy->state, id, kept, score);
    else if (score->drop || !(score->priority > kept->priority))
        *score = *kept;
}
