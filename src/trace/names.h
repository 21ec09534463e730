/* names - strings with dense numbers, in the order in which they came.
 *
 * 16 to 28 bytes a name and its text (4 bytes where names are only appended), at most NAMES_TEXT_MAX bytes of it.
 * Owner: whoever initialised it. */
#ifndef SCENT_TRACE_NAMES_H
#define SCENT_TRACE_NAMES_H

#include "base/buf.h"
#include "base/map.h"

#define NAMES_TEXT_MAX ((size_t)1 << 31) /* offsets have 32 bits */

struct names {
    struct buf text;
    uint32_t *ends; /* where each name ends in the text */
    uint32_t count;
    size_t room;
    struct map map; /* the numbers of names that were added, not appended */
    uint64_t seed;  /* so that no log can be made to collide */
};

void names_init(struct names *names, uint64_t seed);
void names_release(struct names *names);
struct str names_at(const struct names *names, uint32_t i);
/* The number of `s`, which is added where it is new. SCENT_E_LIMIT: too much text; nothing changes. */
SCENT_NODISCARD scent_status names_add(struct names *names, struct str s, uint32_t *out);
/* Bytes of memory, at most. */
size_t names_memory(const struct names *names);
/* The number of `s` among names that names_add() has added. */
bool names_find(const struct names *names, struct str s, uint32_t *out);
/* Adds without looking: for names that are known to differ. Not to be mixed with names_add. */
SCENT_NODISCARD scent_status names_append(struct names *names, struct str s);
/* The names are sorted: where is `s`? */
bool names_search(const struct names *names, struct str s, uint32_t *out);

#endif
