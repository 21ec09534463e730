/* example - the words of a seed's page that asks not to be archived.
 *
 * The judge's examples are the pages of the seeds; after a restart they are read back from the WARC files. A page that is
 * not there keeps its vector (stems as hashes, and their weights) as the value "example N" of the store, N the number of
 * its url row. 16 bytes a distinct stem. */
#ifndef SCENT_ENGINE_EXAMPLE_H
#define SCENT_ENGINE_EXAMPLE_H

#include "engine/rows.h"
#include "text/text.h"

void example_keep(struct rows *rows, uint32_t url, const struct text_vector *vector);
/* In `arena`; empty when there is none. */
SCENT_NODISCARD scent_status example_load(struct store *store, uint32_t url, struct arena *arena,
                                          struct text_vector *out, struct errmsg *err);

#endif
