/* guided - what the classifier-guided strategies share: the topic's model, asked about pages and link contexts. */
#ifndef SCENT_STRATEGY_GUIDED_H
#define SCENT_STRATEGY_GUIDED_H

#include "page/context.h"
#include "strategy/strategy.h"

struct guided {
    const struct model *model; /* of pages */
    const struct model *guide; /* of contexts */
    bool *wanted; /* classes whose probabilities count */
    double *p;    /* of the classes, for one text */
    struct text_weight *items; /* the words of one text */
    size_t room;
};

/* SCENT_E_INVALID: the topic has no model; the message says how to get one. */
SCENT_NODISCARD scent_status guided_init(struct guided *guided, const struct strategy_context *context,
                                         struct errmsg *err);
void guided_release(struct guided *guided);
/* The models are those of `knowledge` from now on, with the same classes. */
void guided_adopt(struct guided *guided, const struct knowledge *knowledge);
/* The model of Altingovde and Ulusoy, and of Chakrabarti: Naive Bayes whose probabilities are not flattened by length;
 * leaves of a taxonomy with fewer examples than this go into their parents. */
enum { GUIDED_PAPER_LEAF = 150 };
void guided_paper_bayes(struct model_options *options);
/* rel(u): the probability of the topic for the whole page. */
double guided_page(const struct strategy_visit *visit);
/* rel(c); an empty context has the probability of no words at all. */
double guided_context(struct guided *guided, const struct page *page, struct context context);
/* The class of a page by its decision values: flattened probabilities of Naive Bayes do not tell the best one. */
uint32_t guided_best_class(struct guided *guided, const struct page *page);

#endif
