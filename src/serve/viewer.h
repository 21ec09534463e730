/* viewer - a collection for a browser: a list of its pages, and the pages themselves, replayed.
 *
 *   /?q=WORDS&host=HOST&…            the list (catalogue.h)
 *   /hosts                           the hosts
 *   /page/TIME/URL                   one page: a bar of ours above a frame
 *   /replay/TOKEN[.VIEW]/TIME/URL    what the frame and the document in it load: archived, references rewritten
 *   /file/TOKEN/TIME/URL             the same bytes as a download
 *   /bar/TOKEN.VIEW                  the bar for the document that a frame shows now
 *
 * TIME is that of the page from which a link leads; an archive has one response of a URL, which answers for any.
 *
 * An archived document is hostile. It stands in a frame with an empty sandbox (no scripts, an origin of its own, no
 * forms, no windows, no navigation of the page around it), its answer says the same once more, and the policies of both
 * let it load from /replay/TOKEN/ alone. TOKEN is drawn for each run: other sites, which can send requests to this port
 * as any page can, do not know it. Of an archived head only the kind of content is believed. docs/internals/security.md
 * tells the threats.
 *
 * VIEW numbers the frames: a frame cannot be asked what it shows, so the server remembers which document it gave to it.
 * Any thread. Memory: the catalogue, and for a request a few times the size of its record at most. */
#ifndef SCENT_SERVE_VIEWER_H
#define SCENT_SERVE_VIEWER_H

#include "base/log.h"
#include "web/web.h"

struct viewer;
/* Of an archive; `path` is what `web` was opened from, and `web` outlives the viewer. */
struct viewer *viewer_new(const struct web *web, const char *path, const struct log *log);
/* Of anything that answers as web_get() does, from any thread: without a list. */
struct viewer_source {
    scent_status (*get)(void *ctx, struct str url, struct buf *buf, struct web_response *out, struct errmsg *err);
    void *ctx;
};
struct viewer *viewer_new_of(const struct viewer_source *source);
void viewer_free(struct viewer *viewer); /* NULL is fine */

struct viewer_request {
    struct str target; /* path and query as they came */
    struct str host;   /* as the client names this server: a name or address that is known to be ours, and the port */
    struct str dest, site, mode; /* the Sec-Fetch-* fields; empty where the client does not send them */
};
/* As web_get(): strings lie in `buf`, which is cleared first. There is an answer to every request. SCENT_E_NOMEM, or
 * the archive cannot be read. */
SCENT_NODISCARD scent_status viewer_get(struct viewer *viewer, const struct viewer_request *request, struct buf *buf,
                                        struct web_response *out, struct errmsg *err);

#endif
