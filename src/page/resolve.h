/* resolve - raw hrefs to the links of a page: absolute, normalised, with fingerprints. */
#ifndef SCENT_PAGE_RESOLVE_H
#define SCENT_PAGE_RESOLVE_H

#include "page/outline.h"

struct resolve {
    uint64_t key;
    unsigned url_flags;
    struct arena scratch; /* for one URL at a time: what a page keeps is copied without the waste */
};

void resolve_init(struct resolve *resolve, const struct page_options *options);
void resolve_release(struct resolve *resolve);

/* Fills in out->url, base, canonical and links. What is not http or https, not valid, or the page itself is left
 * out. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status resolve_links(struct resolve *resolve, const struct outline *outline,
                                           const struct url *document, struct arena *arena, struct page *out);

#endif
