/* What a topic can be judged by: its query and its model. */
#include "trace/browse.h"
#include "topic/census.h"
#include "topic/predicate.h"
#include "topic/topic_read.h"
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>

enum { NEAREST = 3, NAME_MAX_COMPARED = 80 };

enum topic_lesson topic_lesson(const struct topic *topic)
{
    if (topic->examples.npositive)
        return TOPIC_TWO_CLASSES;
    if (!topic->taxonomy.file.len)
        return TOPIC_NO_MODEL;
    /* Naive Bayes lives on all the categories; the others learn one thing against the rest (STRATEGIES: Chakrabarti,
     * Pant). */
    return topic->taxonomy.ntargets && topic->model.kind != MODEL_BAYES ? TOPIC_TWO_CLASSES : TOPIC_CATEGORIES;
}

/* Does the topic say what the classifier is to look for? */
static bool has_classifier(const struct topic *topic)
{
    enum topic_lesson lesson = topic_lesson(topic);

    return lesson == TOPIC_TWO_CLASSES || (lesson == TOPIC_CATEGORIES && topic->taxonomy.ntargets);
}

struct str topic_default_predicate(const struct topic *topic)
{
    if (has_classifier(topic))
        return STR("classifier() > 0.5");
    if (topic->query)
        return STR("query() > 0.45");
    return topic->browsing_file.len ? STR("browsing() >= 0.7") : STR("similar() > 0.25");
}

void topic_choose_strategy(struct topic *topic)
{
    bool is_taught = topic->query || topic_lesson(topic) != TOPIC_NO_MODEL;

    if (!is_taught && topic->browsing_file.len)
        topic->strategy = STR("hmm");
    if (!is_taught)
        return;
    topic->options = arena_array(&topic->arena, 1, sizeof *topic->options);
    SCENT_BUG_IF(!topic->options);
    topic->options[0] = (struct topic_option){STR("by"), STR("score")};
    topic->noptions = 1;
}

scent_status topic_check_measures(const struct topic *topic, struct errmsg *err)
{
    static const char no_query[] = "query() needs a query; add the key 'query' to the topic file";
    static const char no_model[] = "classifier() needs examples to learn from; add the key 'examples' to the topic file";
    static const char no_target[] = "classifier() needs the wanted categories; add taxonomy.target, or ask for "
                                    "category(\"…\") instead";
    static const char no_classes[] = "category() needs categories to learn; add the key 'taxonomy' to the topic file";
    static const char one_class[] = "category() needs a model of all categories, and this topic's learns one against the "
                                    "rest; write 'model: bayes', or ask for classifier()";
    static const char no_browsing[] = "browsing() needs a model of somebody's browsing; add the key 'browsing' with a "
                                      "file that 'scent browse train' made";
    enum topic_lesson lesson = topic_lesson(topic);
    scent_status status = SCENT_OK;

    if (!topic->browsing_file.len)
        status = predicate_refuse(topic->predicate, VALUE_BROWSING, 0, no_browsing, err);
    if (status == SCENT_OK && !topic->query)
        status = predicate_refuse(topic->predicate, VALUE_QUERY, 0, no_query, err);
    if (status == SCENT_OK && !has_classifier(topic))
        status = predicate_refuse(topic->predicate, VALUE_CLASSIFIER, 0,
                                  lesson == TOPIC_NO_MODEL ? no_model : no_target, err);
    if (status == SCENT_OK && lesson != TOPIC_CATEGORIES)
        status = predicate_refuse(topic->predicate, VALUE_CATEGORY, UINT32_MAX,
                                  topic->taxonomy.file.len ? one_class : no_classes, err);
    return status;
}

/* Edits that turn a into b, case left out; names longer than what is compared are cut. */
static unsigned distance(struct str a, struct str b)
{
    unsigned row[NAME_MAX_COMPARED + 1];

    a.len = a.len < NAME_MAX_COMPARED ? a.len : NAME_MAX_COMPARED;
    b.len = b.len < NAME_MAX_COMPARED ? b.len : NAME_MAX_COMPARED;
    for (size_t j = 0; j <= b.len; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned corner = row[0];

        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned change = corner + (ascii_lower(a.p[i - 1]) != ascii_lower(b.p[j - 1]));
            unsigned less = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

            corner = row[j];
            row[j] = change < less ? change : less;
        }
    }
    return row[b.len];
}

/* Of "A.B.C" the names A, A.B and A.B.C can be asked for: the nearest of them. */
static struct str nearest_node(struct str class, struct str name, unsigned *edits)
{
    struct str best = class;

    *edits = distance(class, name);
    for (size_t i = 0; i < class.len; i++) {
        struct str node = str_sub(class, 0, i);
        unsigned d = class.p[i] == '.' ? distance(node, name) : UINT32_MAX;

        if (d < *edits) {
            *edits = d;
            best = node;
        }
    }
    return best;
}

struct near {
    struct str name;
    unsigned edits;
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

static scent_status check_model(struct topic *topic, const struct model *model, struct errmsg *err)
{
    bool *members = arena_zalloc(&topic->arena, model_nclasses(model));
    scent_status status = members ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");

    for (uint32_t i = 0; i < predicate_ncategories(topic->predicate) && status == SCENT_OK; i++)
        status = check_category(topic, model, i, members, err);
    return status;
}

static void set_model(struct topic *topic, const struct model *model, bool lent)
{
    if (!topic->lent)
        model_free((struct model *)topic->trained);
    topic->trained = model;
    topic->lent = lent;
}

scent_status topic_attach_model(struct topic *topic, struct model *model, struct errmsg *err)
{
    scent_status status = check_model(topic, model, err);

    if (status == SCENT_OK)
        set_model(topic, model, false);
    else
        model_free(model);
    return status;
}

scent_status topic_lend_model(struct topic *topic, const struct model *model, struct errmsg *err)
{
    scent_status status = check_model(topic, model, err);

    if (status == SCENT_OK)
        set_model(topic, model, true);
    return status;
}

scent_status topic_attach_rules(struct topic *topic, const struct rulebook *rules, struct errmsg *err)
{
    uint32_t n = topic->trained ? model_nclasses(topic->trained) : 0;
    struct str *classes = arena_array(&topic->arena, n + 1, sizeof *classes);
    struct rulebook *arranged;
    scent_status status;

    if (!classes)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    if (n == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "interclass rules need a model of their classes: give the topic a taxonomy with examples");
    for (uint32_t i = 0; i < n; i++)
        classes[i] = model_class(topic->trained, i);
    status = rulebook_arrange(rules, classes, n, &arranged, err);
    if (status != SCENT_OK)
        return status;
    rulebook_free((struct rulebook *)topic->rules);
    topic->rules = arranged;
    return SCENT_OK;
}

void topic_attach_sample(struct topic *topic, struct census *sample)
{
    census_free((struct census *)topic->sample);
    topic->sample = sample;
}

void topic_attach_browsing(struct topic *topic, struct browse *browsing)
{
    browse_free((struct browse *)topic->browsing);
    topic->browsing = browsing;
}

void topic_attach_trace(struct topic *topic, struct trace *trace)
{
    trace_free((struct trace *)topic->trace);
    topic->trace = trace;
}

scent_status topic_check_trained(const struct topic *topic, struct errmsg *err)
{
    bool asks =
        predicate_asks(topic->predicate, VALUE_CLASSIFIER) || predicate_asks(topic->predicate, VALUE_CATEGORY);

    if (predicate_asks(topic->predicate, VALUE_BROWSING) && !topic->browsing)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "topic '%s' is judged by a browsing model that was not loaded; make it with "
                           "'scent browse train'",
                           conf_show(topic->name).text);
    if (!asks || topic->trained)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID,
                       "topic '%s' is judged by a classifier that is not trained; run 'scent train' with its file first",
                       conf_show(topic->name).text);
}

uint32_t topic_wanted_classes(const struct topic *topic, bool *wanted)
{
    uint32_t n = model_nclasses(topic->trained), count = 0;
    bool *members;

    if (topic_lesson(topic) != TOPIC_CATEGORIES)
        return model_class_members(topic->trained, STR(TOPIC_POSITIVE), wanted);
    members = calloc(n, sizeof *members);
    SCENT_BUG_IF(!members);
    for (size_t i = 0; i < topic->taxonomy.ntargets; i++) {
        (void)model_class_members(topic->trained, topic->taxonomy.targets[i], members);
        for (uint32_t j = 0; j < n; j++)
            wanted[j] |= members[j];
    }
    for (uint32_t j = 0; j < n; j++)
        count += wanted[j];
    free(members);
    return count;
}
