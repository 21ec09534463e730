/* address - where a server listens, whether a client means it, and the token that a client must know.
 *
 * Any page of the web can make a browser send requests to a port of 127.0.0.1, and a name that a resolver was made to
 * give our address (DNS rebinding) lets it read the answers. So a server answers only for names and addresses that are
 * its own. */
#ifndef SCENT_SERVE_ADDRESS_H
#define SCENT_SERVE_ADDRESS_H

#include "base/status.h"
#include "base/str.h"

#include <netinet/in.h>

union socket_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};
/* NULL: 127.0.0.1. SCENT_E_INVALID: not an address, or not of loopback and that is not allowed. */
SCENT_NODISCARD scent_status address_parse(const char *text, uint16_t port, bool allow_public,
                                           union socket_address *out, struct errmsg *err);

/* Says why a server cannot listen there, by errno, and what to do; `address` may be NULL. */
scent_status address_fail_listen(const char *address, uint16_t port, struct errmsg *err);

/* Is this value of a Host field a name of a server on `port`: loopback, or (`is_public`) any address? It holds nothing
 * then that a policy could misread. */
bool address_is_ours(struct str host, uint16_t port, bool is_public);

/* For MHD_OPTION_UNESCAPE_CALLBACK: escapes stay as they are, and the target is understood by whoever answers. */
struct MHD_Connection;
size_t address_keep_escapes(void *cls, struct MHD_Connection *connection, char *s);

enum { ADDRESS_TOKEN = 32 };
struct address_token {
    char text[ADDRESS_TOKEN + 1];
};
struct address_token address_new_token(void);
/* Takes the same time wherever they differ. */
bool address_same_token(const struct address_token *token, struct str given);

/* The decoded value of a parameter of a query, cut to the room; empty where it is absent. Of several the last one. */
struct str address_parameter(struct str query, const char *name, char *out, size_t room);

#endif
