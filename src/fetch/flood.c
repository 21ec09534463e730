/* Counts bytes by the port of our end, and shuts the socket with that port. */
#include "fetch/flood.h"

#include "fetch/fetch.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

enum { BARREN_MAX = 4 * 1024 * 1024, PORTS = 65536 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static long port_of(const union address *address)
{
    return ntohs(address->any.sa_family == AF_INET ? address->v4.sin_port : address->v6.sin6_port);
}

static bool is_at(const union address *address, const struct fetch_ip *ip, long port)
{
    struct fetch_ip own = fetch_ip_of(&address->any);

    return port_of(address) == port && fetch_ip_eq(&own, ip);
}

static bool connects(int fd, long our_port, const struct fetch_ip *ip, long port)
{
    union address here, there;
    socklen_t here_len = sizeof here, there_len = sizeof there;

    return getsockname(fd, &here.any, &here_len) == 0 && port_of(&here) == our_port &&
           getpeername(fd, &there.any, &there_len) == 0 && is_at(&there, ip, port);
}

static void shut(const struct poller *poller, CURL *easy, long our_port)
{
    struct fetch_ip ip;
    char *text = NULL;
    long port = 0;

    curl_easy_getinfo(easy, CURLINFO_PRIMARY_IP, &text);
    curl_easy_getinfo(easy, CURLINFO_PRIMARY_PORT, &port);
    if (!text || !fetch_ip_parse(str_of(text), &ip))
        return;
    for (size_t fd = 0; fd < poller->nsockets; fd++)
        if (poller->sockets[fd].ours && connects((int)fd, our_port, &ip, port))
            shutdown((int)fd, SHUT_RDWR);
}

scent_status flood_init(struct flood *flood, struct errmsg *err)
{
    *flood = (struct flood){.barren = calloc(PORTS, sizeof *flood->barren)};
    return flood->barren ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

void flood_release(struct flood *flood)
{
    free(flood->barren);
    flood->barren = NULL;
}

/* 0, which no connection has, where libcurl does not know. */
static uint16_t our_port(CURL *easy)
{
    long port = 0;

    curl_easy_getinfo(easy, CURLINFO_LOCAL_PORT, &port);
    return (uint16_t)port;
}

void flood_useful(struct flood *flood, CURL *easy)
{
    flood->barren[our_port(easy)] = 0;
}

void flood_barren(struct flood *flood, const struct poller *poller, CURL *easy, size_t bytes)
{
    uint16_t port = our_port(easy);
    uint32_t *barren = &flood->barren[port];

    *barren += (uint32_t)bytes; /* of one record: 16 bits */
    if (*barren <= BARREN_MAX)
        return;
    shut(poller, easy, port);
    *barren = 0; /* the port's next connection is not to blame */
}
