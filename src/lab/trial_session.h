/* trial_session - what somebody visited before a trial, and which pages were useful: what a browsing model learns from.
 *
 * Either a simulated person walked, or users of an access log did, some of whom are held out for testing. All pages of
 * the topic that were visited are useful, and no targets of the evaluation any more.
 *
 * The simulated person (key `walks`) begins each walk at any page of the web (with `begin: seeds`, at a start of the
 * trial) and looks for one page of the topic, another one each time. The person knows the way and clicks a link that
 * leads one step nearer, any of them with the same chance; but with the chance `wander` any link of the page. A walk
 * ends at its goal, after `steps` clicks, or where no link is left.
 *
 * The users (key `traces`) are those who have seen at least `interest` pages of the topic. Each is held out with the
 * chance `held_out`; the others are taken in random order, with all pages of those of their sessions that have a page
 * of the topic, until `pages` were visited. Targets are from then on the pages of the topic that held-out users have
 * seen.
 *
 * Drawn from the experiment's seed, the topic, repeat and draw. */
#ifndef SCENT_LAB_TRIAL_SESSION_H
#define SCENT_LAB_TRIAL_SESSION_H

#include "lab/collection.h"
#include "lab/trial.h"
#include "trace/trace.h"

struct trial_session {
    uint32_t *pages; /* distinct, in the order of the first visit */
    bool *useful;    /* of each */
    bool *marked;    /* the same, of every page of the collection */
    size_t count, nuseful;
};

/* Fills trial->session and trial->browsing, corrects its targets and, where relevance is by browsing, the relevant
 * pages. There is a model of browsing for each set of features that the strategies ask for, and one of the text alone.
 * Walks need `backlinks`, users a `trace`; the other may be NULL. SCENT_E_INVALID: nobody was interested, or there is
 * nothing to learn. */
SCENT_NODISCARD scent_status trial_session_make(const struct experiment *experiment,
                                                const struct collection *collection,
                                                const struct page_graph *backlinks, const struct trace *trace,
                                                struct trial *trial, struct errmsg *err);

/* The model of browsing with these features; NULL: nobody browsed. */
const struct browse *trial_session_model(const struct trial *trial, const struct browse_features *features);

#endif
