/* rewrite - an archived document whose references lead back into the archive, and that does nothing but be looked at.
 *
 * A reference that can be resolved against the document's base becomes PREFIX followed by the absolute URL; one that
 * cannot, or that is of another scheme (javascript:, blob:, …), is left out. Fragments of the same document and data:
 * URLs of images and fonts stay. Scripts, event handlers, <base>, and everything by which a document reaches out
 * without being asked (preconnect, ping, manifest, its own policies) are left out.
 *
 * What is written is canonical: each tag anew from its tokens, with quoted values; every other "<" of the document
 * becomes "&lt;". So the browser's parser sees the same tags as ours, and markup that two parsers read in different
 * ways loses its second meaning. This keeps links inside the archive; what confines a hostile document is the policy
 * that the server sends with it (docs/internals/security.md).
 * Pure; any thread. One pass; memory: `out`, and the longest tag. */
#ifndef SCENT_PAGE_REWRITE_H
#define SCENT_PAGE_REWRITE_H

#include "base/buf.h"
#include "url/url.h"

/* What loads a URL, or follows it. */
enum rewrite_use { REWRITE_LINK, REWRITE_FILE, REWRITE_STYLE, REWRITE_FRAME };

struct rewrite_options {
    const struct url *url; /* of the document */
    struct str resources;  /* prefix of what the document loads: stylesheets, images, frames */
    struct str links;      /* prefix of what its reader can go to */
    bool keep_targets;     /* names of frames stay: the document stands in a frame of another one */
    bool xml;              /* it came as XHTML: <p/> is an element of its own */
    /* Where it is given nothing is written. Instead it is told what the document loads, as absolute URLs, in order,
     * duplicates included: all that a rewritten document would, and also its scripts, its preloaded files, and what
     * the documents inside of its frames (srcdoc) load. Links are not told. */
    void (*found)(void *ctx, struct str href, enum rewrite_use use);
    void *ctx;
};

/* `utf8` is clean (charset_decode). Appends; ends where out->cap is reached, between two tags: SCENT_E_LIMIT. */
SCENT_NODISCARD scent_status rewrite_html(const struct rewrite_options *options, struct str utf8, struct buf *out);
SCENT_NODISCARD scent_status rewrite_css(const struct rewrite_options *options, struct str utf8, struct buf *out);

#endif
