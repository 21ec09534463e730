/* What the parts of the viewer share: requests and archived documents (viewer.c), pages of our own (viewer_pages.c). */
#ifndef SCENT_SERVE_VIEWER_PARTS_H
#define SCENT_SERVE_VIEWER_PARTS_H

#include "serve/catalogue.h"
#include "url/url.h"

/* The kinds of content, by what a browser may do with them. */
enum content { CONTENT_HTML, CONTENT_XHTML, CONTENT_CSS, CONTENT_TEXT, CONTENT_MEDIA, CONTENT_FILE };

/* What a page of ours tells about an archived one. */
struct viewer_document {
    struct str url;        /* normalised */
    bool found;
    int status;            /* as archived */
    enum content content;
    struct str mime;       /* as archived, for people */
    size_t bytes;
    const char *token;
    uint32_t view;
};

void viewer_add_list(struct buf *out, const struct catalogue *catalogue, struct str query);
void viewer_add_hosts(struct buf *out, const struct catalogue *catalogue, struct str query);
/* While the catalogue is read: the page asks again. */
void viewer_add_wait(struct buf *out, size_t done, size_t total);
/* The whole page with bar and frame; the bar alone, as a page for the script of the former. */
void viewer_add_frame(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document);
void viewer_add_bar(struct buf *out, const struct catalogue *catalogue, const struct viewer_document *document);
/* In a frame, instead of what cannot be shown. */
void viewer_add_notice(struct buf *out, const char *title, const char *text, struct str url);

/* "/page/20261116090000/http://…" */
void viewer_add_address(struct buf *out, uint64_t date, struct str url);

extern const char viewer_style[], viewer_script[];

#endif
