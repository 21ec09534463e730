/* guard - which addresses a crawl may connect to. Asked for each socket, so neither a name server nor a redirect
 * gets around it. Pure. */
#ifndef SCENT_FETCH_GUARD_H
#define SCENT_FETCH_GUARD_H

#include <stdbool.h>
#include <sys/socket.h>

bool guard_is_loopback(const struct sockaddr *address); /* 127.0.0.0/8 and ::1 */

#endif
