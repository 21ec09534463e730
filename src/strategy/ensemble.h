/* ensemble - the strategies that are fused, each with its options and the ranks of its scores.
 *
 * Owner: fusion. An error leaves what was opened before it, for ensemble_close(). */
#ifndef SCENT_STRATEGY_ENSEMBLE_H
#define SCENT_STRATEGY_ENSEMBLE_H

#include "base/arena.h"
#include "strategy/lanes.h"
#include "strategy/ranks.h"
#include "strategy/strategy.h"

struct ensemble {
    struct ensemble_part {
        struct topic topic; /* a copy that names the part's strategy and options */
        struct strategy strategy;
        struct ranks ranks;
    } *parts;
    size_t count; /* 2 to LANES_MAX */
    struct arena arena;
};

/* `of` names them, such as "full-page + text-window:words=10". */
SCENT_NODISCARD scent_status ensemble_open(struct ensemble *ensemble, struct str of,
                                           const struct strategy_context *context, struct errmsg *err);
void ensemble_close(struct ensemble *ensemble);

/* The mean of the ranks of one score a part. */
float ensemble_rank(const struct ensemble *ensemble, const float *scores);

/* As in strategy_ops, for all parts; ensemble_load() is given what is behind fusion's own state. */
void ensemble_save(const struct ensemble *ensemble, struct buf *out);
SCENT_NODISCARD scent_status ensemble_load(struct ensemble *ensemble, struct str blob, struct errmsg *err);
SCENT_NODISCARD scent_status ensemble_learned(const struct ensemble *ensemble, struct buf *out);
SCENT_NODISCARD scent_status ensemble_recall(struct ensemble *ensemble, struct str blob, double weight,
                                             struct errmsg *err);
/* For states that do not fit these strategies. */
scent_status ensemble_fail(struct errmsg *err);

#endif
