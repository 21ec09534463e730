#include "topic/knowledge.h"

#include "base/hash.h"
#include "conf/conf.h"
#include "topic/external.h"
#include "topic/query.h"
#include "topic/predicate.h"
#include "trace/browse.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NEAREST = 3 };

const struct knowledge knowledge_none;

void knowledge_release(struct knowledge *knowledge)
{
    model_free((struct model *)knowledge->model);
    model_free((struct model *)knowledge->guide);
    rulebook_free((struct rulebook *)knowledge->rules);
    trace_free((struct trace *)knowledge->trace);
    browse_free((struct browse *)knowledge->browsing);
    external_free(knowledge->external);
    query_counts_free((struct query_counts *)knowledge->sample);
    free((char *)knowledge->studied.p);
    *knowledge = knowledge_none;
}

uint64_t knowledge_digest(const struct topic *topic, const struct knowledge *knowledge)
{
    uint64_t digest = hash_mix(hash_str(topic->relevant, topic->content), topic->limits.page_bytes);
    struct buf bytes;

    buf_init(&bytes, 0);
    if (topic->query)
        buf_printf(&bytes, "%" PRIx64 "\n", query_key(topic->query));
    if (knowledge->sample)
        SCENT_BUG_IF(query_counts_write(knowledge->sample, &bytes) != SCENT_OK);
    digest = hash_str(buf_str(&bytes), digest);
    buf_clear(&bytes);
    if (knowledge->model)
        SCENT_BUG_IF(model_write(knowledge->model, &bytes) != SCENT_OK);
    digest = hash_str(buf_str(&bytes), digest);
    buf_clear(&bytes);
    if (knowledge->browsing)
        SCENT_BUG_IF(browse_write(knowledge->browsing, &bytes) != SCENT_OK);
    digest = hash_str(buf_str(&bytes), digest);
    buf_release(&bytes);
    if (knowledge->external)
        digest = hash_mix(digest, external_digest(knowledge->external));
    return digest;
}

/* ---- categories ---- */

/* Of "A.B.C" the names A, A.B and A.B.C can be asked for: the nearest of them. */
static struct str nearest_node(struct str class, struct str name, size_t *edits)
{
    struct str best = class;

    *edits = str_distance(class, name);
    for (size_t i = 0; i < class.len; i++) {
        struct str node = str_sub(class, 0, i);
        size_t edits_here = class.p[i] == '.' ? str_distance(node, name) : SIZE_MAX;

        if (edits_here < *edits) {
            *edits = edits_here;
            best = node;
        }
    }
    return best;
}

struct near {
    struct str name;
    size_t edits;
};

static void insert(struct near *found, size_t *n, struct near one)
{
    size_t at = *n;

    for (size_t i = 0; i < *n; i++)
        if (str_eq(found[i].name, one.name))
            return;
    while (at > 0 && found[at - 1].edits > one.edits)
        at--;
    if (at == NEAREST)
        return;
    *n += *n < NEAREST;
    memmove(found + at + 1, found + at, (*n - at - 1) * sizeof *found);
    found[at] = one;
}

static void list_nearest(const struct model *model, struct str name, char *out, size_t room)
{
    struct near found[NEAREST];
    size_t n = 0, len = 0;

    for (uint32_t i = 0; i < model_nclasses(model); i++) {
        struct near one;

        one.name = nearest_node(model_class(model, i), name, &one.edits);
        insert(found, &n, one);
    }
    out[0] = 0;
    for (size_t i = 0; i < n && len < room; i++)
        len += (size_t)snprintf(out + len, room - len, "%s'%s'", i ? ", " : "", conf_show(found[i].name).text);
}

static scent_status check_category(const struct topic *topic, const struct model *model, uint32_t category,
                                   bool *members, struct errmsg *err)
{
    struct str name = predicate_category(topic->predicate, category);
    char nearest[NEAREST * 70], what[NEAREST * 70 + 160];
    struct errmsg why = {{0}};

    if (model_class_members(model, name, members))
        return SCENT_OK;
    list_nearest(model, name, nearest, sizeof nearest);
    snprintf(what, sizeof what, "the model has no category '%s'; the nearest it has: %s", conf_show(name).text,
             nearest);
    if (predicate_refuse(topic->predicate, VALUE_CATEGORY, category, what, &why) == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "topic '%s': relevant: %s", conf_show(topic->name).text, why.text);
}

scent_status knowledge_check_model(const struct topic *topic, const struct model *model, struct errmsg *err)
{
    bool *members = calloc(model_nclasses(model), sizeof *members);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!members);
    for (uint32_t i = 0; i < predicate_ncategories(topic->predicate) && status == SCENT_OK; i++)
        status = check_category(topic, model, i, members, err);
    free(members);
    return status;
}

uint32_t knowledge_wanted_classes(const struct topic *topic, const struct model *model, bool *wanted)
{
    uint32_t n = model_nclasses(model), count = 0;
    bool *members;

    if (topic_classes(topic) != TOPIC_CATEGORIES)
        return model_class_members(model, STR(TOPIC_POSITIVE), wanted);
    members = calloc(n, sizeof *members);
    SCENT_BUG_IF(!members);
    for (size_t i = 0; i < topic->taxonomy.ntargets; i++) {
        (void)model_class_members(model, topic->taxonomy.targets[i], members);
        for (uint32_t j = 0; j < n; j++)
            wanted[j] |= members[j];
    }
    for (uint32_t j = 0; j < n; j++)
        count += wanted[j];
    free(members);
    return count;
}

/* ---- rules ---- */

scent_status knowledge_arrange_rules(const struct model *model, const struct rulebook *rules, struct rulebook **out,
                                     struct errmsg *err)
{
    uint32_t n = model ? model_nclasses(model) : 0;
    struct str *classes;
    scent_status status;

    *out = NULL;
    if (n == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "interclass rules need a model of their classes: give the topic a taxonomy with examples");
    classes = calloc(n, sizeof *classes);
    SCENT_BUG_IF(!classes);
    for (uint32_t i = 0; i < n; i++)
        classes[i] = model_class(model, i);
    status = rulebook_arrange(rules, classes, n, out, err);
    free(classes);
    return status;
}

/* ---- is it enough? ---- */

scent_status knowledge_check(const struct topic *topic, const struct knowledge *knowledge, struct errmsg *err)
{
    bool asks =
        predicate_asks(topic->predicate, VALUE_CLASSIFIER) || predicate_asks(topic->predicate, VALUE_CATEGORY);

    if (predicate_asks(topic->predicate, VALUE_BROWSING) && !knowledge->browsing)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "topic '%s' is judged by a browsing model that was not loaded; make it with "
                           "'scent browse train'",
                           conf_show(topic->name).text);
    if (predicate_asks(topic->predicate, VALUE_JUDGE) && !knowledge->external)
        return errmsg_fail(err, SCENT_E_INVALID, "topic '%s' is judged by a program that was not opened",
                           conf_show(topic->name).text);
    if (!asks || knowledge->model)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID,
                       "topic '%s' is judged by a classifier that is not trained; run 'scent train' with its file "
                       "first",
                       conf_show(topic->name).text);
}
