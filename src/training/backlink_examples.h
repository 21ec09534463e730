/* backlink_examples - what the pages that link to known pages are good for (Pant and Srinivasan, 10.4): the words
 * around the links as examples, and pages that link to several of them, hubs, as further seeds.
 *
 * The graph is that of a collection of the lab or of an archive (training/archive_graph.h). Thread: as the graph. */
#ifndef SCENT_TRAINING_BACKLINK_EXAMPLES_H
#define SCENT_TRAINING_BACKLINK_EXAMPLES_H

#include "training/archive_graph.h"
#include "training/training_set.h"

enum {
    BACKLINK_LINKS = 10,  /* of a page, at most */
    BACKLINK_WORDS = 40,  /* around a link */
    BACKLINK_HUB_SEEDS = 2 /* a hub links to so many pages, at least */
};

/* Appends as many windows at random as there are pages to items[*count …], which has room for them; fewer where fewer
 * links are known. They are copied into `arena`. `words` (may be NULL) takes the text of each stem, which grows by
 * base/vec.h and is copied, too. SCENT_E_NOMEM; SCENT_E_FORMAT: a page cannot be read. */
struct backlink_words {
    struct learn_word *items;
    size_t count, room;
};
SCENT_NODISCARD scent_status backlink_examples_add(const struct page_graph *graph, const uint32_t *pages, size_t npages,
                                                   uint32_t class, struct rng *rng, struct arena *arena,
                                                   struct backlink_words *words, struct learn_example *items,
                                                   size_t *count);

/* The examples of a set become windows around links to them, class by class. Those that `graph` does not know are left
 * out with a line in the log. SCENT_E_INVALID: fewer than two windows are left of a class. */
SCENT_NODISCARD scent_status backlink_examples_replace(struct training_set *set, const struct archive_graph *graph,
                                                       uint64_t seed, const struct log *log, struct errmsg *err);

/* Fills `hubs` with at most `room` pages that link to two of `pages` or more, those to most of them first, and returns
 * how many; none of `pages` is among them. */
size_t backlink_hubs(const struct page_graph *graph, const uint32_t *pages, size_t npages, size_t room, uint32_t *hubs);

#endif
