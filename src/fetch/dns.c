/* One c-ares channel on the fetch thread's epoll: which names are asked for, and what an answer means. */
#include "fetch/dns.h"

#include "fetch/route.h"
#include "url/url.h"

#include <ares.h>
#include <netinet/in.h>
#include <stdlib.h>

enum {
    ASKED_MAX = 128, /* names at once, more wait: two datagrams each still fit the usual socket buffer of a server */
    TRIES = 3,
    TICK_US = 50 * 1000, /* how often c-ares looks for time-outs; asking it for the next one costs more */
    SOCKETS_MAX = 64
};

struct name_queue {
    struct dnsname *first, *last;
};

struct dns {
    const struct fetch_options *options;
    struct poller *poller;
    ares_channel channel;
    struct dnscache cache;
    struct name_queue queued, answered;
    size_t asked;
    int64_t tick; /* when the last was */
    int sockets[SOCKETS_MAX];
    size_t nsockets;
    struct dnsname *localhost, *nonsense; /* not in the cache */
};

/* What c-ares brings back. */
struct question {
    struct dns *dns;
    struct dnsname *name;
};

static int64_t now_us(void)
{
    return clock_mono(&clock_system); /* c-ares and epoll live in real time */
}

static void enqueue(struct name_queue *queue, struct dnsname *name, enum dnsname_state state)
{
    name->state = (uint8_t)state;
    name->queue = NULL;
    *(queue->last ? &queue->last->queue : &queue->first) = name;
    queue->last = name;
}

static struct dnsname *dequeue(struct name_queue *queue)
{
    struct dnsname *name = queue->first;

    if (!name)
        return NULL;
    queue->first = name->queue;
    if (!queue->first)
        queue->last = NULL;
    name->queue = NULL;
    name->state = DNSNAME_IDLE;
    return name;
}

/* ---- sockets ---- */

bool dns_owns(const struct dns *dns, int fd)
{
    for (size_t i = 0; i < dns->nsockets; i++)
        if (dns->sockets[i] == fd)
            return true;
    return false;
}

/* c-ares wants to read or write, or will close: then neither. */
static void on_socket(void *ctx, ares_socket_t fd, int readable, int writable)
{
    struct dns *dns = ctx;
    size_t i = 0;

    poller_want(dns->poller, fd, (readable ? POLLER_IN : 0) | (writable ? POLLER_OUT : 0));
    while (i < dns->nsockets && dns->sockets[i] != fd)
        i++;
    if (!readable && !writable && i < dns->nsockets)
        dns->sockets[i] = dns->sockets[--dns->nsockets];
    else if ((readable || writable) && i == dns->nsockets && i < SOCKETS_MAX)
        dns->sockets[dns->nsockets++] = fd;
}

void dns_ready(struct dns *dns, const struct poller_event *event)
{
    bool in = event->in || event->error;

    ares_process_fd(dns->channel, in ? event->fd : ARES_SOCKET_BAD, event->out ? event->fd : ARES_SOCKET_BAD);
}

int64_t dns_timer_due(const struct dns *dns)
{
    if (dns->answered.first)
        return 0;
    return dns->asked ? dns->tick + TICK_US : INT64_MAX;
}

void dns_run_timer(struct dns *dns, int64_t now)
{
    if (!dns->asked || dns->tick + TICK_US > now)
        return;
    dns->tick = now;
    ares_process_fd(dns->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
}

/* ---- answers ---- */

/* The addresses of one family, as they came, at most FETCH_ADDRESSES_MAX. */
static size_t collect(const struct ares_addrinfo *info, int family, struct fetch_ip *out)
{
    size_t count = 0;

    for (const struct ares_addrinfo_node *node = info->nodes; node && count < FETCH_ADDRESSES_MAX;
         node = node->ai_next) {
        if (node->ai_family == family)
            out[count++] = fetch_ip_of(node->ai_addr);
    }
    return count;
}

/* By turns, IPv4 first: should one of the protocols lead nowhere, the second try takes the other. */
static size_t interleave(const struct ares_addrinfo *info, struct fetch_ip *out)
{
    struct fetch_ip four[FETCH_ADDRESSES_MAX], six[FETCH_ADDRESSES_MAX];
    size_t nfour = collect(info, AF_INET, four), nsix = collect(info, AF_INET6, six), count = 0;

    for (size_t i = 0; i < FETCH_ADDRESSES_MAX; i++) {
        if (i < nfour && count < FETCH_ADDRESSES_MAX)
            out[count++] = four[i];
        if (i < nsix && count < FETCH_ADDRESSES_MAX)
            out[count++] = six[i];
    }
    return count;
}

static int64_t shortest_ttl(const struct ares_addrinfo *info)
{
    int ttl = INT32_MAX;

    for (const struct ares_addrinfo_node *node = info->nodes; node; node = node->ai_next)
        ttl = node->ai_ttl < ttl ? node->ai_ttl : ttl;
    for (const struct ares_addrinfo_cname *cname = info->cnames; cname; cname = cname->next)
        ttl = cname->ttl < ttl ? cname->ttl : ttl;
    return ttl;
}

static enum fetch_name_failure failure_of(int status)
{
    switch (status) {
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:
        return FETCH_NAME_UNKNOWN;
    case ARES_SUCCESS: /* but without an address */
    case ARES_ENODATA:
        return FETCH_NAME_EMPTY;
    case ARES_ETIMEOUT:
        return FETCH_NAME_SILENT;
    default:
        return FETCH_NAME_FAILED;
    }
}

static void on_answer(void *ctx, int status, int timeouts, struct ares_addrinfo *info)
{
    struct question *question = ctx;
    struct dns *dns = question->dns;
    struct dnsname *name = question->name;
    struct fetch_ip addresses[FETCH_ADDRESSES_MAX];
    size_t count = status == ARES_SUCCESS ? interleave(info, addresses) : 0;

    (void)timeouts;
    free(question);
    dns->asked--;
    if (count == 0 || !dnscache_answer(&dns->cache, name, addresses, count, shortest_ttl(info)))
        dnscache_fail(&dns->cache, name, failure_of(count ? ARES_ENOMEM : status));
    ares_freeaddrinfo(info);
    enqueue(&dns->answered, name, DNSNAME_ANSWERED);
}

/* The answer may come before this returns: from /etc/hosts, or because no socket could be opened. */
static void ask(struct dns *dns, struct dnsname *name)
{
    struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = ARES_AI_NOSORT};
    struct question *question = malloc(sizeof *question);

    SCENT_BUG_IF(!question);
    *question = (struct question){dns, name};
    if (dns->asked == 0)
        dns->tick = now_us();
    dns->asked++;
    name->state = DNSNAME_ASKED;
    ares_getaddrinfo(dns->channel, name->name, NULL, &hints, on_answer, question);
}

struct dnsname *dns_next_answered(struct dns *dns)
{
    struct dnsname *queued;

    while (!dns->answered.first && dns->asked < ASKED_MAX && (queued = dequeue(&dns->queued)))
        ask(dns, queued); /* the answers have made room */
    return dequeue(&dns->answered);
}

struct dnsname *dns_next_unanswered(struct dns *dns)
{
    if (dns->asked)
        ares_cancel(dns->channel);
    return dns->answered.first ? dequeue(&dns->answered) : dequeue(&dns->queued);
}

/* ---- questions ---- */

/* Letters, digits, "-" and "_" in labels of 1 to 63. */
static bool is_host_name(struct str name)
{
    struct str label;

    if (name.len == 0 || name.len > DNSCACHE_NAME_MAX || name.p[name.len - 1] == '.')
        return false;
    while (str_split(&name, '.', &label)) {
        if (label.len == 0 || label.len > 63)
            return false;
        for (size_t i = 0; i < label.len; i++)
            if (!ascii_is_alpha(label.p[i]) && !ascii_is_digit(label.p[i]) && label.p[i] != '-' && label.p[i] != '_')
                return false;
    }
    return true;
}

static bool find_lower(struct dns *dns, struct str host, struct dnsname **out)
{
    struct dnsname *name = *out = dnscache_get(&dns->cache, host);

    if (!name)
        return true;
    if (name->state == DNSNAME_IDLE && !dnscache_is_fresh(&dns->cache, name)) {
        if (dns->asked < ASKED_MAX)
            ask(dns, name);
        else
            enqueue(&dns->queued, name, DNSNAME_QUEUED);
    }
    return name->state == DNSNAME_IDLE || name->state == DNSNAME_ANSWERED;
}

bool dns_find(struct dns *dns, struct str host, struct dnsname **out)
{
    char lower[DNSCACHE_NAME_MAX];

    if (host.len > 1 && host.p[host.len - 1] == '.')
        host.len--;
    if (!is_host_name(host) || target_is_onion(host)) {
        *out = dns->nonsense;
        return true;
    }
    for (size_t i = 0; i < host.len; i++)
        lower[i] = ascii_lower(host.p[i]);
    host.p = lower;
    if (url_host_is_loopback(host)) {
        *out = dns->localhost;
        return true;
    }
    return find_lower(dns, host, out);
}

bool dns_is_idle(const struct dns *dns)
{
    return !dns->asked && !dns->queued.first && !dns->answered.first;
}

void dns_describe(const struct dns *dns, const struct dnsname *name, struct fetch_name *out)
{
    dnscache_describe(&dns->cache, name, out);
}

/* ---- beginning and end ---- */

static struct dnsname *fixed_name(enum fetch_name_failure failure)
{
    struct dnsname *name = calloc(1, sizeof *name + 1);

    SCENT_BUG_IF(!name);
    name->failure = (uint8_t)failure;
    if (failure != FETCH_NAME_OK)
        return name;
    name->addresses = calloc(2, sizeof *name->addresses);
    SCENT_BUG_IF(!name->addresses);
    fetch_ip_parse(STR("127.0.0.1"), &name->addresses[0]);
    fetch_ip_parse(STR("::1"), &name->addresses[1]);
    name->naddresses = 2;
    return name;
}

static void free_fixed_name(struct dnsname *name)
{
    free(name->addresses);
    free(name);
}

static scent_status open_channel(struct dns *dns, struct errmsg *err)
{
    const struct fetch_options *options = dns->options;
    struct ares_options ares = {
        .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES,
        .timeout = (int)(options->dns_timeout_us / 1000),
        .tries = TRIES,
        .lookups = (char *)"fb", /* files before the network */
        .sock_state_cb = on_socket,
        .sock_state_cb_data = dns,
    };
    int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
    int status = ares_init_options(&dns->channel, &ares, mask);

    if (status != ARES_SUCCESS) {
        dns->channel = NULL;
        return errmsg_fail(err, SCENT_E_IO, "cannot set up name look-ups: %s", ares_strerror(status));
    }
    if (options->dns_server && ares_set_servers_ports_csv(dns->channel, options->dns_server) != ARES_SUCCESS)
        return errmsg_fail(err, SCENT_E_INVALID, "\"%s\" is not a name server: write an address or address:port",
                           options->dns_server);
    return SCENT_OK;
}

static void take_known(struct dns *dns)
{
    struct fetch_name known = {0};

    while (dns->options->known && dns->options->known(dns->options->names_ctx, &known)) {
        dnscache_load(&dns->cache, &known);
        known = (struct fetch_name){0};
    }
}

scent_status dns_new(const struct fetch_options *options, struct poller *poller, struct dns **out, struct errmsg *err)
{
    struct dns *dns = calloc(1, sizeof *dns);
    scent_status status;

    SCENT_BUG_IF(!dns);
    SCENT_BUG_IF(ares_library_init(ARES_LIB_INIT_ALL) != ARES_SUCCESS);
    dns->options = options;
    dns->poller = poller;
    dns->localhost = fixed_name(FETCH_NAME_OK);
    dns->nonsense = fixed_name(FETCH_NAME_UNKNOWN);
    dnscache_init(&dns->cache, options->clock, DNSCACHE_NAMES);
    status = open_channel(dns, err);
    if (status != SCENT_OK) {
        dns_free(dns);
        return status;
    }
    take_known(dns);
    *out = dns;
    return SCENT_OK;
}

void dns_free(struct dns *dns)
{
    if (!dns)
        return;
    if (dns->channel)
        ares_destroy(dns->channel);
    dnscache_release(&dns->cache);
    free_fixed_name(dns->localhost);
    free_fixed_name(dns->nonsense);
    free(dns);
    ares_library_cleanup();
}
