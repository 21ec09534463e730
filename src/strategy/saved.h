/* saved - a strategy as bytes: its state, for the same crawl, and what it learned, for other crawls.
 *
 * Both begin with a version in one byte and are read through a struct bytes (base/bytes.h), little-endian and without
 * gaps. A state of another version is refused, not converted. What was learned says in a text behind the version which
 * options change the meaning of its counts, such as "tokens: fine", and is refused where they differ.
 *
 * A count is a number of pages, links or the like. It is whole in a crawl that began fresh; old evidence counts less,
 * by the weight that it is recalled with: so it is a double, exact for whole numbers up to 2^53. Workers of one crawl
 * recall each other's counts and forget them again: see saved_weigh(). */
#ifndef SCENT_STRATEGY_SAVED_H
#define SCENT_STRATEGY_SAVED_H

#include "base/bytes.h"

/* ---- states ---- */

/* *in is what stands behind the version. SCENT_E_VERSION: it is another one. `of` names whose state it is. */
SCENT_NODISCARD scent_status saved_open(const char *of, unsigned version, struct str blob, struct bytes *in,
                                        struct errmsg *err);
/* After all was read: SCENT_E_FORMAT where something was wrong, or more is left. */
SCENT_NODISCARD scent_status saved_end(const char *of, struct bytes *in, struct errmsg *err);

/* Numbers of `size` bytes each, as they lie in memory: nothing but numbers, and no structs. */
void saved_put_array(struct buf *out, const void *numbers, size_t count, size_t size);
void saved_get_array(struct bytes *in, void *numbers, size_t count, size_t size);
/* The same, allocated for the caller; NULL where they are not all there, which `in` notes. */
void *saved_take_array(struct bytes *in, uint64_t count, size_t size);

/* For a strategy that is made of others: what one of them writes (save, learned), behind its length in 8 bytes, for
 * saved_get_part(). NULL: it writes nothing. */
typedef scent_status saved_write(void *state, struct buf *out);
SCENT_NODISCARD scent_status saved_put_part(saved_write *write, void *state, struct buf *out);
struct str saved_get_part(struct bytes *in);

/* ---- what was learned ---- */

#define SAVED_COUNT_MAX 1e15
/* What can be added up and taken away again without a trace: a count of this crawl that is not whole, to the nearest
 * 2^-20, and `weight` times a count that was recalled, to the nearest 2^-30 where the weight is a fraction. Sums are
 * exact below 2^33, or 2^23. */
double saved_round(double count);
double saved_weigh(double count, double weight);
void saved_put_count(struct buf *out, double count); /* 1 to 8 bytes for a whole number, 9 for others */
double saved_get_count(struct bytes *in);            /* 0 to SAVED_COUNT_MAX: anything else is wrong */
bool saved_is_count(double count);

void saved_begin_learned(struct buf *out, unsigned version, const char *meaning);
/* SCENT_E_INVALID: it was learned under other options; the message tells both. */
SCENT_NODISCARD scent_status saved_open_learned(const char *strategy, unsigned version, const char *meaning,
                                                struct bytes *in, struct errmsg *err);
/* After all was read: SCENT_E_FORMAT where something was wrong, or more is left. */
SCENT_NODISCARD scent_status saved_end_learned(const char *strategy, struct bytes *in, struct errmsg *err);

#endif
