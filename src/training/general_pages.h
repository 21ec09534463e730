/* general_pages - pages about nothing in particular, drawn from how common words are (text/background.h).
 *
 * For topics without a negative example: a term stands in such a page with the probability that it stands in any, and
 * as often as it does there on the average. They are as good as real pages nobody has looked at
 * (docs/decisions/0012-models.md). The same random numbers give the same pages. */
#ifndef SCENT_TRAINING_GENERAL_PAGES_H
#define SCENT_TRAINING_GENERAL_PAGES_H

#include "base/arena.h"
#include "base/rng.h"
#include "learn/model.h"
#include "text/background.h"

struct general_pages {
    const struct background_term *terms;
    size_t nterms;
    double documents; /* that df is out of */
    double stems;     /* distinct ones of a page that are expected: those of the examples, on the average */
};
struct general_pages general_pages_of(const struct background *background, double stems);

/* One page, in `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status general_pages_draw(const struct general_pages *general, struct rng *rng,
                                                struct arena *arena, struct text_vector *out);
/* Of a text, the stems that general pages can have. Whoever learns from both must not see the others: the names and the
 * habits of a site would tell its pages from general ones better than any topic does (with 10 positives on Wikispeedia
 * AUC .89 with them, .97 without). In `arena`. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status general_pages_known(const struct background *background, struct arena *arena,
                                                 struct text_vector *tf);
/* The mean number of distinct stems of examples[0 .. n) of class 1. */
double general_pages_length(const struct learn_example *examples, size_t n);

#endif
