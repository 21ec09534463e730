/* known_pages - what strategies need of the pages that are known before a crawl: those around the examples of the
 * topic, layer by layer, and the bytes that a strategy made of them.
 *
 * Layer 0 is the examples; the pages of layer n lead to an example by n links and by no fewer. */
#ifndef SCENT_STRATEGY_KNOWN_PAGES_H
#define SCENT_STRATEGY_KNOWN_PAGES_H

#include "base/bytes.h"
#include "strategy/strategy.h"

enum { KNOWN_LAYERS_MAX = 8 };

struct known_layers {
    uint32_t *pages;                         /* layer by layer */
    size_t starts[KNOWN_LAYERS_MAX + 3]; /* of each layer in `pages`; one more for the end */
    uint32_t count;                          /* of layers: 0 to count - 1 */
};

/* At most `each` pages of the layers 0 to `layers`, at random. With `rest` the pages beyond are one more layer, which
 * may be empty; without it all of them have pages, and there may be fewer. SCENT_E_INVALID: the graph has no example,
 * or no page that links to one. */
SCENT_NODISCARD scent_status known_layers_draw(const struct strategy_context *context,
                                               const struct strategy_known *known, uint32_t layers, uint32_t each,
                                               bool rest, struct known_layers *out, struct errmsg *err);
void known_layers_release(struct known_layers *layers);

/* Opens context->knowledge->studied, behind its version and `meaning` (strategy/saved.h). SCENT_E_INVALID: there is
 * nothing, and the message says how a graph is given; or it was made with other options. */
SCENT_NODISCARD scent_status known_pages_open(const struct strategy_context *context, unsigned version,
                                              const char *meaning, struct bytes *in, struct errmsg *err);

/* The option that names the graph: the program reads it and gives the strategy what it has made of it. */
#define KNOWN_GRAPH_OPTION                                                                                          \
    {"graph", "none", "the pages to learn from: the directory of an earlier crawl, or a folder of WARC files",      \
     OPTION_TEXT}

#endif
