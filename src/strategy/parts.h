/* parts - what a priority was made of when it was given, as bytes that are kept with the URL.
 *
 * A strategy learns, and what it would say of a URL later is not why the URL had its place: `scent why` shows what was
 * kept. A part takes 5 bytes, its counts 2 to 10 more and a weight 4; its words stand once, in the names of a crawl.
 * Numbers are kept as 32 bits, as priorities are. Nothing read from a crawl is trusted.
 * Owner: the caller. Thread: the owner's. */
#ifndef SCENT_STRATEGY_PARTS_H
#define SCENT_STRATEGY_PARTS_H

#include "base/buf.h"
#include "strategy/strategy.h"

enum { PARTS_NAMES = 64, PARTS_NAME_BYTES = 80 };

/* Which parts a crawl has had, in the order in which they came. */
struct parts_names {
    struct parts_name {
        char name[PARTS_NAME_BYTES], counted[PARTS_NAME_BYTES];
        const char *from, *from_counted; /* as a strategy gave them last: the same pointers are the same words */
        bool is_log;
    } items[PARTS_NAMES];
    size_t count;
    struct buf written;
};
void parts_names_init(struct parts_names *names);
void parts_names_release(struct parts_names *names);

/* The parts of a score; its names are added. Empty: it has none, or one has a name that does not fit. Valid until the
 * next call. */
struct str parts_write(struct parts_names *names, const struct strategy_score *score);
/* Sets the parts of *score, with words that are those of `names`. False: there are none, or they are damaged; *score
 * has none then. */
bool parts_read(const struct parts_names *names, struct str bytes, struct strategy_score *score);

/* The names as bytes, and back, into fresh ones; what is damaged ends them. */
void parts_names_write(const struct parts_names *names, struct buf *out);
void parts_names_read(struct parts_names *names, struct str bytes);

#endif
