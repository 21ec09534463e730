/* reply - the head of a response, built from the lines that libcurl hands over.
 *
 * Keeps the final response only: interim ones (1xx) come and go, and what follows the head (trailers) is not part of
 * it. A status line of HTTP/2 or 3 becomes one of HTTP/1.1 with a reason phrase, and a bare LF becomes CRLF; every
 * other byte stays as it came. Pure; owner: the transfer. */
#ifndef SCENT_FETCH_REPLY_H
#define SCENT_FETCH_REPLY_H

#include "base/buf.h"

enum {
    REPLY_MIME_MAX = 127,  /* RFC 6838 section 4.2 allows 127 for each half; nobody comes near */
    REPLY_LINES_MAX = 1000 /* whoever comes later walks them one by one */
};

struct reply {
    struct buf *head;
    uint64_t seen, max; /* bytes of all lines, dropped ones too: a flood of 1xx is a flood */
    uint32_t lines;     /* likewise */
    int status;
    bool done; /* the head is complete and final */
    bool chunked;
    char mime[REPLY_MIME_MAX + 1]; /* lower case, without parameters; "" when there was none */
    size_t mime_len;
};

enum reply_result {
    REPLY_MORE,
    REPLY_COMPLETE, /* with this line the head is complete */
    REPLY_TOO_LARGE,
    REPLY_NOMEM
};

void reply_init(struct reply *reply, struct buf *head, uint64_t max);
enum reply_result reply_line(struct reply *reply, struct str line);

/* Appends to `out` what of a request's head may be kept: in HTTP/1.1 form, without the user's secrets. The values of
 * Cookie, Authorization and Proxy-Authorization are left out, for WARC files are passed on. Pure. */
void reply_keep_request(struct str head, struct buf *out);

#endif
