/* generate - the answers of a generated web: a pure function of seed, specification and URL.
 *
 * Nothing is stored but the lexicon. Thread: all functions are safe from many threads at once. */
#ifndef SCENT_WEB_GENERATE_H
#define SCENT_WEB_GENERATE_H

#include "web/web.h"
#include "web/webspec.h"

struct generate;
SCENT_NODISCARD scent_status generate_new(const struct webspec *spec, struct generate **out);
void generate_free(struct generate *generate);

/* As web_get, web_seed, web_label and web_is_trap. */
SCENT_NODISCARD scent_status generate_get(const struct generate *generate, struct str href, struct buf *buf,
                                          struct web_response *out);
struct str generate_seed(const struct generate *generate, size_t i, struct arena *arena);
struct str generate_label(const struct generate *generate, struct str href, struct arena *arena);
bool generate_is_trap(const struct generate *generate, struct str href);

/* Every ordinary page, by number; the pages of tunnels come on top. */
uint64_t generate_hosts(const struct generate *generate);
uint64_t generate_pages(const struct generate *generate, uint64_t host);
struct str generate_url(const struct generate *generate, uint64_t host, uint64_t page, struct arena *arena);

/* The plan, for tests that compare what is served with what was meant. */
struct world;
const struct world *generate_world(const struct generate *generate);

#endif
