/* request - the head of a request as it is kept: what was sent, in HTTP/1.1 form, without the user's secrets.
 *
 * The values of Cookie, Authorization and Proxy-Authorization are left out, for WARC files are passed on. Pure. */
#ifndef SCENT_FETCH_REQUEST_H
#define SCENT_FETCH_REQUEST_H

#include "base/buf.h"

/* Appends to `out` what of `head` may be kept. */
void request_keep(struct str head, struct buf *out);

#endif
