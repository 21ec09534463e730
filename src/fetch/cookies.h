/* cookies - what a browser has exported (Netscape's cookies.txt), matched as RFC 6265 says.
 *
 * Read once, then never changed: what servers set is not kept. A request costs a binary search for each label of its
 * host. Owner: whoever read them. Any thread may look. */
#ifndef SCENT_FETCH_COOKIES_H
#define SCENT_FETCH_COOKIES_H

#include "base/buf.h"

struct cookies;
/* SCENT_E_INVALID: a line that is not a cookie; the message names it, but nothing of what stands there. */
SCENT_NODISCARD scent_status cookies_read(const char *path, struct cookies **out, struct errmsg *err);
SCENT_NODISCARD scent_status cookies_parse(struct str text, const char *name, struct cookies **out, struct errmsg *err);
void cookies_free(struct cookies *cookies); /* NULL is fine */

struct cookies_request {
    struct str host, path; /* lower case, IPv6 in brackets; the path begins with "/" */
    bool secure;           /* over https */
    int64_t now;           /* microseconds since 1970 */
};
/* Appends the value of the Cookie header, "a=1; b=2"; nothing when none is for this request. */
void cookies_for(const struct cookies *cookies, const struct cookies_request *request, struct buf *out);

#endif
