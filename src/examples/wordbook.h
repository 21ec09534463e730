/* wordbook - the text of each stem that examples have, for explanations; for this folder.
 *
 * The first word with a stem stands for it. At most WORDBOOK_MAX: further stems have no text. */
#ifndef SCENT_EXAMPLES_WORDBOOK_H
#define SCENT_EXAMPLES_WORDBOOK_H

#include "base/arena.h"
#include "learn/learn.h"

enum { WORDBOOK_MAX = 2000000 };

struct wordbook {
    struct learn_word *slots; /* open addressing; a text without bytes marks an empty slot */
    size_t nslots, count;
};

void wordbook_release(struct wordbook *book);
SCENT_NODISCARD scent_status wordbook_add(struct wordbook *book, uint64_t stem, struct str text, struct arena *arena);
/* Sorted by stem, in `arena`. */
SCENT_NODISCARD scent_status wordbook_list(const struct wordbook *book, struct arena *arena, struct learn_word **out);

#endif
