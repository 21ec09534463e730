/* prose - running text out of the lexicon: words of a topic between words of the language, in sentences. */
#ifndef SCENT_WEB_PROSE_H
#define SCENT_WEB_PROSE_H

#include "web/pen.h"
#include "web/world.h"

struct prose {
    const struct world *world;
    const struct lexicon_tongue *tongue;
    struct dice dice;
    uint32_t left; /* words until the next comma or stop */
    bool fresh;    /* a sentence begins */
};

void prose_begin(struct prose *prose, const struct world *world, const struct lexicon_tongue *tongue, uint64_t key);
/* `count` words, of `topic` with these odds, with a space (where the language has them) before each but the first of
 * a paragraph. */
void prose_words(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count);
/* The full stop. */
void prose_end(struct prose *prose, struct pen *pen);
/* A few words without punctuation: titles, anchors, menus. */
void prose_label(struct prose *prose, struct pen *pen, uint32_t topic, uint64_t odds, uint64_t count);

#endif
