/* prior - what `adaptive` believes of its features before the first page: a weight for each, and how sure it is.
 *
 * Four are built in: a plain one of a few weights, written by hand (data/priors/plain.txt), and three that 'scent lab
 * fit' has made of it with labelled webs: fitted.txt with an encyclopedia and documentation, agreed.txt with generated
 * webs, whose words tell topics apart (agreement.h), told.txt with topics that have no classifier. A text:
 *
 *   scent-priors VERSION adaptive FEATURES
 *   NAME MEAN VARIANCE MEAN VARIANCE     a line for each feature: where verdicts are exact, and where they are learned
 */
#ifndef SCENT_STRATEGY_PRIOR_H
#define SCENT_STRATEGY_PRIOR_H

#include "base/buf.h"
#include "strategy/evidence.h"
#include "strategy/posterior.h"

_Static_assert((int)POSTERIOR_DIMS == (int)EVIDENCE_FEATURES, "a weight for each feature");

enum prior_mode { PRIOR_EXACT, PRIOR_LEARNED, PRIOR_MODES };

struct prior {
    struct posterior_weight weights[PRIOR_MODES][EVIDENCE_FEATURES];
};

/* Those that are part of the program. */
enum prior_kind { PRIOR_FITTED, PRIOR_AGREED, PRIOR_TOLD, PRIOR_PLAIN, PRIOR_KINDS };
struct prior prior_built_in(enum prior_kind kind);
/* SCENT_E_FORMAT, SCENT_E_VERSION: `err` names the line and what is wrong. */
SCENT_NODISCARD scent_status prior_read(struct str text, const char *name, struct prior *out, struct errmsg *err);
void prior_write(const struct prior *prior, struct buf *out);

#endif
