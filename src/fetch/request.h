/* request - the head of a request exactly as libcurl sends it with our options, in HTTP/1.1 form.
 *
 * libcurl tells what it sent only in verbose mode, which formats a dozen messages a transfer; the head is so plain that
 * we say it ourselves, and a test compares it byte for byte with what a server received. Pure. */
#ifndef SCENT_FETCH_REQUEST_H
#define SCENT_FETCH_REQUEST_H

#include "base/buf.h"

/* `lines` are the header lines after Host, each with CRLF; `absolute`: to a proxy, the whole URL is the target. */
bool request_build(struct str url, struct str lines, bool absolute, struct buf *out) SCENT_NODISCARD;

#endif
