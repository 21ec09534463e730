/* context - the words around a link, by which a crawler guesses what lies behind it.
 *
 * A context is a range of page->words, so nothing is copied; words are counted as they stand there, stop words too.
 * What a strategy makes of a range is a bag of stems (context_bag) or a query's text. Pure; any thread. */
#ifndef SCENT_PAGE_CONTEXT_H
#define SCENT_PAGE_CONTEXT_H

#include "page/page.h"
#include "text/text.h"

struct context {
    uint32_t first, end; /* of page->words */
};

/* The anchor text itself (empty for a link without any). */
struct context context_anchor(const struct page *page, uint32_t link);
/* The title of the page (empty where it has none). */
struct context context_title(const struct page *page);
/* T/2 words before the anchor, all of it, T/2 after; at the edge of the page the missing ones are taken from the other
 * side. */
struct context context_window(const struct page *page, uint32_t link, uint32_t words);
/* Climbs from the anchor's element while it holds at most `min` words, up to the root; cut to `max` words, centred on
 * the anchor, of which the first `max` words stay. With `skip_formatting` elements such as <b> and <font> are part of
 * their parent. */
struct context context_tag_tree(const struct page *page, uint32_t link, uint32_t min, uint32_t max,
                                bool skip_formatting);
/* The words of the text leaves that are at most `distance` leaves to the left or right of the anchor. */
struct context context_leaves(const struct page *page, uint32_t link, uint32_t distance);
/* weights[i] of word first + i: 1 - d / (distance + 1) for a word that is d leaves away; 1 in the anchor. */
void context_leaf_weights(const struct page *page, uint32_t link, uint32_t distance, struct context context,
                          float *weights);

/* The same with the distance as the length of the way through the tree: from the anchor's element to a text leaf, an
 * edge counting 1; what lies inside the anchor is 0 away. `leaf_nodes` comes from context_leaf_nodes(), once a page.
 * The range holds all that is near enough; words in it that are too far have weight 0. */
void context_leaf_nodes(const struct page *page, uint32_t *leaf_nodes); /* room for page->nleaves */
struct context context_path(const struct page *page, uint32_t link, uint32_t distance);
void context_path_weights(const struct page *page, uint32_t link, uint32_t distance, const uint32_t *leaf_nodes,
                          struct context context, float *weights);

/* The stems of the range with their frequencies, stop words left out, sorted, in `items` (room for one a word);
 * `weights` as above, or NULL. */
struct text_vector context_bag(const struct page *page, struct context context, const float *weights,
                               struct text_weight *items);

#endif
