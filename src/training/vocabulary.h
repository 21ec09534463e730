/* vocabulary - the text of each stem that examples have, for explanations; for this folder.
 *
 * The first word with a stem stands for it. At most VOCABULARY_MAX: further stems have no text. */
#ifndef SCENT_TRAINING_VOCABULARY_H
#define SCENT_TRAINING_VOCABULARY_H

#include "base/arena.h"
#include "learn/learn.h"

enum { VOCABULARY_MAX = 2000000 };

struct vocabulary {
    struct learn_word *slots; /* open addressing; a text without bytes marks an empty slot */
    size_t nslots, count;
};

void vocabulary_release(struct vocabulary *book);
SCENT_NODISCARD scent_status vocabulary_add(struct vocabulary *book, uint64_t stem, struct str text, struct arena *arena);
/* Sorted by stem, in `arena`. */
SCENT_NODISCARD scent_status vocabulary_list(const struct vocabulary *book, struct arena *arena, struct learn_word **out);

#endif
