/* link_odds - how much do the words around a link speak of the topic? Four contexts of every link, as log odds: by the
 * topic's classifier, or where it has none by its query, its predicate or its seeds (aim.h).
 *
 * With a model of two classes (but for a neural network) the words of a page are looked up once, and a context is the
 * difference of two sums: a fifth of the cost of asking the model about one context of each link. Other models are
 * asked about each context. State: 256 KiB of words and 24 bytes a word of the largest page so far, half as much again
 * at most as the array grows; and the aim's, which a model is compared with (agreement.h). Owner: the strategy that
 * keeps it. */
#ifndef SCENT_STRATEGY_LINK_ODDS_H
#define SCENT_STRATEGY_LINK_ODDS_H

#include "strategy/aim.h"
#include "strategy/guided.h"

enum link_context { LINK_WINDOW_40, LINK_WINDOW_10, LINK_ANCHOR, LINK_TAG_TREE, LINK_CONTEXTS };

struct link_odds {
    struct guided guided; /* .model NULL: the topic has none, and the aim is asked */
    struct aim aim;
    struct link_odds_word {
        uint64_t stem;
        struct model_sums adds;
    } *words; /* what the model made of them, by the end of their stems: most words of a page were met lately */
    struct model_sums *sums; /* up to each word of the page */
    size_t room;
    uint32_t known; /* words that have one */
    const struct page *page; /* whose they are: of the visit with this number */
    uint64_t number;
};

void link_odds_init(struct link_odds *odds, const struct strategy_context *context);
void link_odds_release(struct link_odds *odds);
/* The models are those of `knowledge` from now on, which has a model if there was one before. */
void link_odds_adopt(struct link_odds *odds, const struct knowledge *knowledge);
/* A page that is observed: a seed may be the aim. */
void link_odds_observe(struct link_odds *odds, const struct strategy_visit *visit);
/* Before the links of a page are asked for; again for the same visit it costs nothing. */
void link_odds_begin(struct link_odds *odds, const struct strategy_visit *visit);
/* A third of the log odds of each context, from -2 to 2. */
void link_odds_of(struct link_odds *odds, const struct strategy_visit *visit, uint32_t link, float out[LINK_CONTEXTS]);
/* The same of the page, by its judgement. */
float link_odds_page(const struct link_odds *odds, const struct strategy_visit *visit);

#endif
