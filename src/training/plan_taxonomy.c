#include "training/taxonomy_read.h"
#include "training/training_plan.h"

#include <inttypes.h>

static const struct str *copy_name(struct training_plan *plan, struct str *to, const char *name)
{
    *to = arena_str(&plan->arena, str_of(name));
    return to->p ? to : NULL;
}

/* The numbers of the wanted categories. */
static scent_status find_targets(const struct training_plan *plan, const struct taxonomy *taxonomy, int32_t *out,
                                 struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;

    for (size_t i = 0; i < wish->ntargets; i++) {
        out[i] = taxonomy_find(taxonomy, wish->targets[i]);
        if (out[i] == TAXONOMY_NONE)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "taxonomy.target: %s has no category '%.*s'; one that it has is '%s'%s", wish->file.p,
                               STR_ARG(wish->targets[i]), taxonomy->categories[0].name,
                               wish->levels ? " (mind taxonomy.levels)" : "");
        if (taxonomy->categories[out[i]].dead)
            return errmsg_fail(err, SCENT_E_INVALID,
                               "taxonomy.target: the category '%.*s' has fewer than %" PRIu32
                               " examples and went into its parent; lower taxonomy.min_leaf or name another",
                               STR_ARG(wish->targets[i]), wish->min_leaf);
    }
    return SCENT_OK;
}

static bool is_target(const struct taxonomy *taxonomy, uint32_t category, const int32_t *targets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (taxonomy_is_below(taxonomy, category, targets[i]))
            return true;
    return false;
}

static scent_status add_items(struct training_plan *plan, struct plan_list *list,
                              const struct taxonomy_category *category, uint32_t class)
{
    scent_status status = SCENT_OK;

    for (uint32_t k = 0; k < category->count && status == SCENT_OK; k++)
        status = plan_list_add(list, &plan->arena, str_of(category->items[k].text), class);
    return status;
}

/* Targets are what is wanted, unless the user gave examples; all others are what negatives are drawn from. */
static scent_status plan_two(struct training_plan *plan, const struct taxonomy *taxonomy, const int32_t *targets,
                             struct errmsg *err)
{
    size_t ntargets = plan->topic->taxonomy.ntargets;
    bool own = plan->topic->examples.npositive > 0;
    scent_status status = SCENT_OK;

    for (uint32_t i = 0; i < taxonomy->count && status == SCENT_OK; i++) {
        bool wanted = is_target(taxonomy, i, targets, ntargets);

        if (!wanted)
            status = add_items(plan, &plan->draws, &taxonomy->categories[i], 0);
        else if (!own)
            status = add_items(plan, &plan->given, &taxonomy->categories[i], 1);
    }
    if (!own)
        plan->npositive = plan->given.count;
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s: out of memory", plan->topic->taxonomy.file.p);
    if (plan->npositive == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "taxonomy.target: the wanted categories have no examples");
    if (plan->draws.count == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "taxonomy: every category is wanted, none is left to draw negative examples from");
    return SCENT_OK;
}

static scent_status plan_all(struct training_plan *plan, const struct taxonomy *taxonomy, struct errmsg *err)
{
    struct str *classes = arena_array(&plan->arena, taxonomy->count, sizeof *classes);
    scent_status status = classes ? SCENT_OK : SCENT_E_NOMEM;

    plan->nclasses = 0;
    for (uint32_t i = 0; i < taxonomy->count && status == SCENT_OK; i++) {
        const struct taxonomy_category *category = &taxonomy->categories[i];

        if (category->dead || category->count == 0)
            continue;
        status = copy_name(plan, &classes[plan->nclasses], category->name) ? SCENT_OK : SCENT_E_NOMEM;
        if (status == SCENT_OK)
            status = add_items(plan, &plan->given, category, plan->nclasses++);
    }
    plan->classes = classes;
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s: out of memory", plan->topic->taxonomy.file.p);
    if (plan->nclasses < 2)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: a model needs two categories with examples, there %s%s",
                           plan->topic->taxonomy.file.p, plan->nclasses ? "is one" : "are none",
                           plan->topic->taxonomy.min_leaf ? "; lower taxonomy.min_leaf" : "");
    return SCENT_OK;
}

static scent_status plan_read(struct training_plan *plan, struct taxonomy *taxonomy, struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;
    int32_t *targets = arena_array(&plan->arena, wish->ntargets + 1, sizeof *targets);
    struct errmsg why = {{0}};
    uint64_t dropped;
    scent_status status = taxonomy_read(taxonomy, wish->file.p, plan->log, &why);

    if (status != SCENT_OK || !targets)
        return errmsg_fail(err, targets ? status : SCENT_E_NOMEM, "taxonomy: %s", why.text);
    if (wish->min_leaf) {
        dropped = taxonomy_merge_leaves(taxonomy, wish->min_leaf);
        if (dropped)
            log_line(plan->log, LOG_INFO, "taxonomy: %" PRIu64 " pages of inner categories are left out (min_leaf "
                                                               "%" PRIu32 ")",
                     dropped, wish->min_leaf);
    }
    status = find_targets(plan, taxonomy, targets, err);
    if (status != SCENT_OK)
        return status;
    return plan->lesson == TOPIC_CATEGORIES ? plan_all(plan, taxonomy, err) : plan_two(plan, taxonomy, targets, err);
}

scent_status plan_taxonomy(struct training_plan *plan, struct errmsg *err)
{
    const struct topic_taxonomy *wish = &plan->topic->taxonomy;
    struct taxonomy_options options = {
        .levels = wish->levels, .per_class = wish->per_class, .seed = plan->topic->model.seed};
    struct taxonomy *taxonomy = taxonomy_new(&options);
    scent_status status = plan_read(plan, taxonomy, err);

    taxonomy_free(taxonomy);
    return status;
}
