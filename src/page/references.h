/* references - what a document loads to look as it does: stylesheets, images, scripts, fonts, frames.
 *
 * Of HTML, by the reader that rewrites documents for replay (rewrite.h), and of stylesheets. The URLs are absolute and
 * normalised, each is given once. Thread: the owner's. */
#ifndef SCENT_PAGE_REFERENCES_H
#define SCENT_PAGE_REFERENCES_H

#include "base/arena.h"
#include "url/url.h"

enum references_kind {
    REFERENCES_FILE,  /* an image, a script, a font: it loads nothing by itself */
    REFERENCES_STYLE,
    REFERENCES_FRAME
};

struct references_item {
    struct url url;
    enum references_kind kind;
};

struct references_found {
    struct references_item *items; /* in the order of the document, in the caller's arena */
    uint32_t count;
};

struct references_input {
    const struct url *url;
    struct str head, body;     /* as they came: the content encoding is undone here */
    enum references_kind kind; /* how the document was asked for; a page is a REFERENCES_FRAME */
    size_t max_bytes;          /* of the body, its content encoding undone; more is not looked at */
    uint32_t most;             /* references; others are left out */
};

struct references;
struct references *references_new(void); /* never NULL */
void references_free(struct references *references); /* NULL is fine */

/* A body that is neither HTML where a frame was asked for nor a stylesheet has no references. SCENT_E_NOMEM. */
SCENT_NODISCARD scent_status references_find(struct references *references, const struct references_input *input,
                                             struct arena *arena, struct references_found *out);

#endif
