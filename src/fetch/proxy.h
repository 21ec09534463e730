/* proxy - what the user calls a proxy, taken apart. Pure.
 *
 * "127.0.0.1:8080", "http://proxy.example:3128", "socks5://user:word@127.0.0.1:1080". Names go to the proxy as they
 * are, with SOCKS too. The credentials are kept apart, so that no message can hold them. */
#ifndef SCENT_FETCH_PROXY_H
#define SCENT_FETCH_PROXY_H

#include "base/status.h"

struct proxy {
    char *url; /* as libcurl wants it, without credentials; NULL: there is no proxy */
    char *user, *password;
};

/* `scheme` ("http", "socks5") is meant where none is written. `what` names the option in an error. */
SCENT_NODISCARD scent_status proxy_parse(const char *text, const char *scheme, const char *what, struct proxy *out,
                                         struct errmsg *err);
void proxy_release(struct proxy *proxy); /* twice is fine */

#endif
