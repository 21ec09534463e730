/* target - where a URL leads, as much as the way there needs to know. Pure.
 *
 * Reads what url_parse() has written; of anything else it may find no host, or another than libcurl does. That is
 * harmless: libcurl connects to the address that was found for this host, and to no other. */
#ifndef SCENT_FETCH_TARGET_H
#define SCENT_FETCH_TARGET_H

#include "fetch/fetch.h"

struct target {
    struct str host;    /* IPv6 with its brackets; empty: none was found */
    struct str place;   /* host, and ":port" where it is written */
    struct str path;    /* begins with "/" */
    bool secure;        /* https */
    struct fetch_ip ip; /* of a host that is an address; .len 0: it is a name */
};
bool target_is_onion(struct str host); /* RFC 7686: never a question for a name server */
void target_parse(struct str url, struct target *out);

#endif
