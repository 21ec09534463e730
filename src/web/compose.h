/* compose - the HTML of a page of a generated web: valid HTML5 with head, navigation, main part and footer.
 *
 * The main part is made of lists and paragraphs, each with an aim of its own that most of its links share, so that a
 * link's surroundings tell something about its target (as much as the specification asks). */
#ifndef SCENT_WEB_COMPOSE_H
#define SCENT_WEB_COMPOSE_H

#include "web/pen.h"
#include "web/world.h"

struct compose_request {
    struct world_page page; /* whose content; of a copy, the original's */
    uint64_t variant;       /* not 0: a near copy, this is what differs */
    uint64_t session;       /* on hosts with session ids: the id in the URL, or 0 */
    const char *charset;    /* what the meta element says; NULL: no meta element */
};

void compose_page(const struct world *world, const struct compose_request *request, struct pen *pen);
void compose_href(const struct world *world, const struct world_page *page, struct pen *pen); /* absolute */

/* Running text out of the lexicon: words of a topic between words of the language, in sentences. */
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
