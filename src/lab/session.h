/* session - what somebody visited before a trial, and which pages were useful: what a browsing model learns from.
 *
 * Either a simulated person walked, or users of an access log did, some of whom are held out for testing. All pages of
 * the topic that were visited are useful, and no targets of the evaluation any more.
 *
 * The simulated person (key `walks`) begins each walk at any page of the web (with `begin: seeds`, at a start of the trial)
 * and is after one page of the topic, another one each time. She knows the way: she clicks a link that brings her one step
 * nearer, any of them with the same chance; but with the chance `wander` she clicks any link of the page. A walk ends at its
 * goal, after `steps` clicks, or where no link is left.
 *
 * The users (key `traces`) are those who have seen at least `interest` pages of the topic. Each is held out with the
 * chance `held_out`; the others are taken in random order, with all pages of those of their sessions that have a page of
 * the topic, until `pages` were visited. Targets are from then on the pages of the topic that held-out users have seen.
 *
 * Drawn from the experiment's seed, the topic, repeat and draw. */
#ifndef SCENT_LAB_SESSION_H
#define SCENT_LAB_SESSION_H

#include "lab/trial.h"
#include "trace/trace.h"

struct rng;

struct session {
    uint32_t *pages; /* distinct, in the order of the first visit */
    bool *useful;    /* of each */
    bool *marked;    /* the same, of every page of the collection */
    size_t count, nuseful;
};

/* Fills trial->session and trial->browse, corrects its targets and, where relevance is by browsing, what is relevant.
 * `trace` is NULL where a simulated person walks. SCENT_E_INVALID: nobody was interested, or there is nothing to learn. */
SCENT_NODISCARD scent_status session_make(const struct experiment *experiment, const struct collection *collection,
                                          const struct trace *trace, struct trial *trial, struct errmsg *err);

/* ---- its two kinds; they fill `session`, which has room for all pages of the collection, and `seen` of every page ---- */

SCENT_NODISCARD scent_status session_walk(const struct experiment_sessions *wanted, const struct collection *collection,
                                          const struct trial *trial, struct rng *rng, struct session *session,
                                          bool *seen, struct errmsg *err);
/* `tested`: what held-out users have seen of the topic. */
SCENT_NODISCARD scent_status session_of_users(const struct experiment *experiment, const struct collection *collection,
                                              const struct trace *trace, const struct trial *trial, struct rng *rng,
                                              struct session *session, bool *seen, bool *tested, struct errmsg *err);
/* Notes a visit. */
void session_visit(struct session *session, const struct trial *trial, bool *seen, uint32_t page);

#endif
