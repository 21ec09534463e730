/* collaborative - what `combined` shares with the strategy of that name: what people tell of a URL, and candidates that
 * come from a trace. The state of strategy_collaborative is a struct collaborative. */
#ifndef SCENT_STRATEGY_COLLABORATIVE_H
#define SCENT_STRATEGY_COLLABORATIVE_H

#include "strategy/strategy.h"

struct collaborative;

enum { COLLABORATIVE_OWN = 8, COLLABORATIVE_PARTS = 3 };

/* Opens it for the strategy of this name, whose options have all those of strategy_collaborative. */
SCENT_NODISCARD scent_status collaborative_open(const char *strategy, const struct strategy_context *context,
                                                struct collaborative **out, struct errmsg *err);

/* The page of the trace that this URL is; USERCOUNTS_NONE. */
uint32_t collaborative_find(struct collaborative *co, const struct url *url);
/* The page that was kept in a candidate's own bytes; USERCOUNTS_NONE. */
uint32_t collaborative_kept(const struct collaborative *co, const uint8_t *own);
/* The same of a candidate that is queued under `id`. */
uint32_t collaborative_candidate(struct collaborative *co, uint32_t id, const uint8_t *own);
/* The page is the URL `id`, which is queued or not. */
void collaborative_know(struct collaborative *co, uint32_t place, uint32_t id, bool queued);
/* Its id; STRATEGY_UNKNOWN. */
uint32_t collaborative_id(const struct collaborative *co, uint32_t place);
/* log I^C of a page, with its parts and own bytes; of USERCOUNTS_NONE 0, and none. *out comes in as kept, or empty. */
void collaborative_judge(struct collaborative *co, uint32_t place, struct strategy_score *out);

#endif
