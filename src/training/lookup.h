/* lookup - the page of a URL in an archive, its redirects followed. */
#ifndef SCENT_TRAINING_LOOKUP_H
#define SCENT_TRAINING_LOOKUP_H

#include "training/pagefile.h"
#include "warc/archive.h"

struct lookup {
    struct buf record; /* used again and again */
};
void lookup_init(struct lookup *lookup);
void lookup_release(struct lookup *lookup);

/* SCENT_E_NOTFOUND: there is none, or no page (redirects that lead nowhere, an error of the server); what `fn` returns. */
SCENT_NODISCARD scent_status lookup_page(struct lookup *lookup, const struct archive *archive, struct str href,
                                         pagefile_fn *fn, void *ctx, struct errmsg *err);

#endif
