/* prior_fit - the priors of `adaptive` (strategy/prior.h), from crawls whose pages have labels.
 *
 * The strategy crawls the trials of experiments. Rows are what it knew of candidates at one moment, and whether they
 * were worth fetching: relevant, or a hub of the topic (a fit to relevance alone avoids the index of a topic, from
 * which the first pages come). They are of the page that is fetched, of the best candidates and of some at random, so
 * that candidates that are not chosen are seen, too. Candidates of a moment are compared with each other, since a crawl
 * chooses among these: the worthwhile ones together weigh as much as the others, every moment the same, and so does
 * every topic; the first pages have more moments. A logistic regression moves the plain prior as far as the rows ask
 * for. The bias is then set so that probabilities are as high as worthwhile candidates are frequent. The same
 * experiments give the same priors.
 * Features that are constants of a site (host, same-host, position) say nothing of other sites and stay 0. */
#ifndef SCENT_LAB_PRIOR_FIT_H
#define SCENT_LAB_PRIOR_FIT_H

#include "lab/lab.h"
#include "strategy/prior.h"

struct prior_fit {
    struct prior_fit_row {
        float x[EVIDENCE_FEATURES];
        float weight; /* all rows of a topic together: 1; 0: of a moment whose candidates were all alike */
        bool relevant;
    } *rows[PRIOR_MODES];
    size_t nrows[PRIOR_MODES], room[PRIOR_MODES], ntopics[PRIOR_MODES];
};

/* Crawls the trials of the lab with its strategy of this kind, and adds their rows. SCENT_E_INVALID: it has none. */
SCENT_NODISCARD scent_status prior_fit_add(struct prior_fit *fit, const struct lab *lab, struct errmsg *err);
/* A mode that has no rows gets the plain prior. */
struct prior prior_fit_solve(const struct prior_fit *fit);
void prior_fit_release(struct prior_fit *fit);

#endif
