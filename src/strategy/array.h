/* array - arrays that grow, and their way into a strategy's state and back. */
#ifndef SCENT_STRATEGY_ARRAY_H
#define SCENT_STRATEGY_ARRAY_H

#include "base/buf.h"

/* `items` with room for at least `want` of `size` bytes each. */
void *array_grow(void *items, size_t *room, size_t want, size_t size);
void array_put(struct buf *out, const void *p, size_t size);
/* A copy of the first `count` items of *rest, which is then behind them; the caller has looked that they are there. */
void *array_take(struct str *rest, size_t count, size_t size);
/* The same into *out, which has room for `size` bytes; false: they are not there, and nothing changed. */
SCENT_NODISCARD bool array_get(struct str *rest, void *out, size_t size);

#endif
