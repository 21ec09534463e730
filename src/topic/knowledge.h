/* knowledge - what was learned for a topic, beside the topic itself: models, rules, accesses, statistics.
 *
 * A struct topic is the user's file and does not change; what programs made for it is gathered here and handed on as a
 * `const struct knowledge *` to judges and strategies. It is a set of pointers, and a zeroed struct is "nothing was
 * learned". Who made the parts frees them, with knowledge_release() where all of them are the caller's; they outlive
 * every judge and strategy that was given them. Immutable then: any thread. */
#ifndef SCENT_TOPIC_KNOWLEDGE_H
#define SCENT_TOPIC_KNOWLEDGE_H

#include "base/status.h"
#include "learn/model.h"
#include "learn/rulebook.h"
#include "topic/topic.h"

struct knowledge {
    const struct model *model;     /* of the examples or the taxonomy: the judge of pages */
    const struct model *guide;     /* of link contexts, with the same classes; NULL: the judge: knowledge_guide() */
    const struct learn_set *examples; /* what the judge learned from, and … */
    const struct learn_set *whole;    /* … these pages with all their words; NULL: a crawl does not train it again.
                                         knowledge_release() leaves both alone */
    double auc; /* of the judge of pages on held-out ones, before it was trained again; 0: not measured */
    const struct rulebook *rules;  /* interclass rules, in the order of the model's classes */
    const struct trace *trace;     /* who looked at which page: all the topic's traces as one */
    const struct browse *browsing; /* a model of somebody's browsing */
    struct external *external;     /* a program of the user's that judges */
    const struct query_counts *sample;   /* the query's terms in a background sample */
    struct str studied; /* what the topic's strategy made of pages that were known before the crawl (strategy.h: study);
                           from malloc(); empty: nothing */
};

extern const struct knowledge knowledge_none;
void knowledge_release(struct knowledge *knowledge); /* frees all parts */

/* The model that is asked about texts that are not pages; NULL: there is none. */
static inline const struct model *knowledge_guide(const struct knowledge *knowledge)
{
    return knowledge->guide ? knowledge->guide : knowledge->model;
}

/* Of all that a verdict depends on before the first page: what the topic calls relevant, its query, which part of
 * pages it looks at, and what was learned for it. A pass over the models: ask once. */
uint64_t knowledge_digest(const struct topic *topic, const struct knowledge *knowledge);

/* Does the model know the categories that the topic's predicate asks for? The message names the nearest. */
SCENT_NODISCARD scent_status knowledge_check_model(const struct topic *topic, const struct model *model,
                                                   struct errmsg *err);
/* Was everything learned that the topic's predicate asks for? The message says what to do. */
SCENT_NODISCARD scent_status knowledge_check(const struct topic *topic, const struct knowledge *knowledge,
                                             struct errmsg *err);
/* A copy of these rules in the order of the model's classes. SCENT_E_INVALID: there is no model (NULL), or they are
 * about other classes. */
SCENT_NODISCARD scent_status knowledge_arrange_rules(const struct model *model, const struct rulebook *rules,
                                                     struct rulebook **out, struct errmsg *err);
/* wanted[model_nclasses()]: the classes whose probabilities classifier() adds up; returns their number. */
uint32_t knowledge_wanted_classes(const struct topic *topic, const struct model *model, bool *wanted);

#endif
