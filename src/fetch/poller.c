/* Interest in sockets, collected by descriptor and told to epoll before each wait. */
#include "fetch/poller.h"

#include "base/vec.h"
#include "fetch/fetch.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

scent_status poller_init(struct poller *poller, struct errmsg *err)
{
    struct epoll_event event = {.events = EPOLLIN};

    *poller = (struct poller){.epoll = epoll_create1(EPOLL_CLOEXEC), .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    event.data.fd = poller->wake;
    if (poller->epoll >= 0 && poller->wake >= 0 && epoll_ctl(poller->epoll, EPOLL_CTL_ADD, poller->wake, &event) == 0)
        return SCENT_OK;
    poller_release(poller);
    return errmsg_fail(err, SCENT_E_IO, "cannot set up epoll: %s", strerror(errno));
}

void poller_release(struct poller *poller)
{
    if (poller->epoll >= 0)
        close(poller->epoll);
    if (poller->wake >= 0)
        close(poller->wake);
    free(poller->sockets);
    free(poller->dirty);
    *poller = (struct poller){.epoll = -1, .wake = -1};
}

static struct poller_socket *socket_at(struct poller *poller, int fd)
{
    size_t before = poller->nsockets;

    SCENT_BUG_IF(!vec_reserve(&poller->sockets, &poller->nsockets, (size_t)fd + 1, sizeof *poller->sockets));
    if (poller->nsockets > before)
        memset(poller->sockets + before, 0, (poller->nsockets - before) * sizeof *poller->sockets);
    return &poller->sockets[fd];
}

static void set_registered(struct poller *poller, int fd, struct poller_socket *socket, unsigned events)
{
    struct epoll_event event = {.data.fd = fd};
    int op = !events ? EPOLL_CTL_DEL : socket->registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

    if (socket->registered == events)
        return;
    event.events = (events & POLLER_IN ? (uint32_t)EPOLLIN : 0) | (events & POLLER_OUT ? (uint32_t)EPOLLOUT : 0);
    if (epoll_ctl(poller->epoll, op, fd, &event) != 0 && events) {
        /* The number belongs to another file than we thought: libcurl closes its resolver's sockets unasked. */
        op = errno == EEXIST ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
        SCENT_BUG_IF(epoll_ctl(poller->epoll, op, fd, &event) != 0 && errno != ENOMEM && errno != ENOSPC);
    }
    socket->registered = (uint8_t)events;
}

/* A new life for the number; only its place in the list of changes stays. */
static void reset_socket(struct poller_socket *socket, bool ours)
{
    *socket = (struct poller_socket){.ours = ours, .dirty = socket->dirty};
}

void poller_opened(struct poller *poller, int fd)
{
    reset_socket(socket_at(poller, fd), true);
    poller->open++;
}

void poller_closed(struct poller *poller, int fd)
{
    reset_socket(socket_at(poller, fd), false); /* close() takes it out of epoll */
    poller->open--;
}

static void mark_dirty(struct poller *poller, int fd, struct poller_socket *socket)
{
    if (socket->dirty)
        return;
    SCENT_BUG_IF(!vec_reserve(&poller->dirty, &poller->dirty_room, poller->ndirty + 1, sizeof *poller->dirty));
    poller->dirty[poller->ndirty++] = fd;
    socket->dirty = true;
}

void poller_want(struct poller *poller, int fd, unsigned events)
{
    struct poller_socket *socket = socket_at(poller, fd);

    socket->wanted = (uint8_t)events;
    if (socket->ours)
        mark_dirty(poller, fd, socket);
    else
        set_registered(poller, fd, socket, events);
}

static void apply_changes(struct poller *poller)
{
    for (size_t i = 0; i < poller->ndirty; i++) {
        int fd = poller->dirty[i];
        struct poller_socket *socket = &poller->sockets[fd];

        socket->dirty = false;
        /* Unwanted but readable at most: it may stay, it is silent until the server closes it. */
        if (socket->ours && (socket->wanted || socket->registered & POLLER_OUT))
            set_registered(poller, fd, socket, socket->wanted);
    }
    poller->ndirty = 0;
}

static int milliseconds(int64_t usec)
{
    int64_t ms = (usec + 999) / 1000; /* upwards: a wake-up just before the time would be idle */

    return usec < 0 ? -1 : ms > INT_MAX ? INT_MAX : (int)ms;
}

static void drain_wake(const struct poller *poller)
{
    uint64_t count;

    while (read(poller->wake, &count, sizeof count) < 0 && errno == EINTR)
        ;
}

size_t poller_wait(struct poller *poller, int64_t timeout_us, struct poller_event events[POLLER_BATCH])
{
    struct epoll_event ready[POLLER_BATCH];
    size_t count = 0;
    int n;

    apply_changes(poller);
    n = epoll_wait(poller->epoll, ready, POLLER_BATCH, milliseconds(timeout_us));
    for (int i = 0; i < n; i++) {
        int fd = ready[i].data.fd;
        uint32_t bits = ready[i].events;

        if (fd == poller->wake)
            drain_wake(poller);
        else if (!poller->sockets[fd].wanted)
            set_registered(poller, fd, &poller->sockets[fd], 0);
        else
            events[count++] = (struct poller_event){
                .fd = fd, .in = bits & (EPOLLIN | EPOLLHUP), .out = bits & EPOLLOUT, .error = bits & EPOLLERR};
    }
    return count;
}

void poller_wake(const struct poller *poller)
{
    uint64_t one = 1;

    while (write(poller->wake, &one, sizeof one) < 0 && errno == EINTR)
        ;
}

/* ---- floods: bytes are counted by the port of our end, and the socket with that port is shut ---- */

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
    return flood->barren ? SCENT_OK : errmsg_no_memory(err);
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
