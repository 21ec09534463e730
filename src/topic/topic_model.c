/* What a topic can be judged by: its query and its model. */
#include "topic/predicate.h"
#include "topic/topic_read.h"

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
