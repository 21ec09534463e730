/* guard - which addresses a crawl may connect to. Asked for each socket, so neither a name server nor a redirect
 * gets around it; asked for each DNS answer too, so that what is refused costs no socket. Pure, any thread. */
#ifndef SCENT_FETCH_GUARD_H
#define SCENT_FETCH_GUARD_H

#include <stddef.h>
#include <sys/socket.h>

enum fetch_reach {
    FETCH_REACH_LOOPBACK, /* 127.0.0.0/8 and ::1 alone */
    FETCH_REACH_PUBLIC,   /* none of the special ranges of the IANA registries (RFC 6890), nor what is not assigned */
    FETCH_REACH_ANY
};

struct guard_verdict {
    const char *range;  /* why it is refused: "private", "loopback", …; NULL: it is allowed */
    const char *inside; /* the IPv6 form that held the refused IPv4 address: "NAT64", …; NULL: it came as it is */
};
struct guard_verdict guard_check(enum fetch_reach reach, const struct sockaddr *address);

/* "10.0.0.1 is private", "64:ff9b::a00:1 is private in NAT64". */
void guard_explain(const struct guard_verdict *verdict, const struct sockaddr *address, char *out, size_t room);

#endif
