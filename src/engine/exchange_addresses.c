/* Addresses that several workers visit. Every few turns the engine makes a filter of the addresses that its hosts are
 * on, the thread tells it to the server where it has changed, and brings those of the others; then the gate of each
 * address is shared with as many workers as have it. An address that is new here may be new to others as well, who do
 * not tell it yet: it counts as everybody's until they have had the time, as far as that does not slow down a host that
 * is alone on it. */
#include "engine/exchange_parts.h"

#include "base/vec.h"
#include "cluster/addresses.h"

#include <stdlib.h>

enum {
    FIRST = 2, EVERY = 10,    /* turns: from FIRST on twice as many each time, up to EVERY … */
    BYTES_A_TURN = 64 << 10,  /* … or more, if that many were brought */
    SETTLED = 2,              /* an address that was told so often is known to others */
    SETTLED_BITS = 3, TOLD = 4,
};
#define LINGER_US (60 * INT64_C(1000000)) /* a host that was visited so long ago may be visited again */

struct exchange_addresses {
    /* the thread's */
    unsigned turns, wait;
    struct addresses_peer *known;
    size_t nknown, known_room;
    uint64_t stamp; /* of what was told; 0: nothing */
    /* the engine's */
    struct peer {
        uint64_t worker;
        struct str filter; /* allocated */
    } *peers;
    size_t npeers, room;
    uint8_t *told; /* by number of the address: how often, up to SETTLED; TOLD: it is in the filter on its way */
    size_t ntold, told_room;
    /* shared; the buffer with the lock of the exchange */
    struct buf own;
    atomic_bool wanted;
};

void exchange_addresses_open(const struct crawl *crawl, struct exchange *exchange)
{
    if (crawl->options->web) /* no network: nobody is visited */
        return;
    exchange->addresses = exchange_array(1, sizeof *exchange->addresses);
    exchange->addresses->wait = FIRST;
    buf_init(&exchange->addresses->own, 0);
}

static void forget_peers(struct exchange_addresses *addresses)
{
    for (size_t i = 0; i < addresses->npeers; i++)
        free((void *)(uintptr_t)addresses->peers[i].filter.p);
    addresses->npeers = 0;
}

void exchange_addresses_free(struct exchange_addresses *addresses)
{
    if (!addresses)
        return;
    forget_peers(addresses);
    free(addresses->peers);
    free(addresses->known);
    free(addresses->told);
    buf_release(&addresses->own);
    free(addresses);
}

/* ---- the thread ---- */

struct asking {
    struct exchange_addresses *addresses;
    struct job *job;
    size_t bytes;
};

static void take_filter(void *ctx, struct addresses_peer peer, struct str filter)
{
    struct asking *asking = ctx;
    struct job_arrived *arrived = &asking->job->arrived;
    struct str copy = arena_str(&asking->job->arena, filter);
    size_t count = arrived->nfilters++;

    arrived->filters = arena_grow(&asking->job->arena, arrived->filters, count * sizeof *arrived->filters,
                                  (count + 1) * sizeof *arrived->filters);
    SCENT_BUG_IF(!copy.p || !arrived->filters);
    arrived->filters[count] = (struct job_filter){peer.worker, peer.stamp, copy};
    asking->bytes += filter.len;
}

static void note_known(struct exchange_addresses *addresses, const struct job_arrived *arrived)
{
    SCENT_BUG_IF(!vec_reserve(&addresses->known, &addresses->known_room, arrived->nfilters, sizeof *addresses->known));
    for (size_t i = 0; i < arrived->nfilters; i++)
        addresses->known[i] = (struct addresses_peer){arrived->filters[i].worker, arrived->filters[i].stamp};
    addresses->nknown = arrived->nfilters;
}

scent_status exchange_addresses_ask(struct exchange *exchange, struct job **out, struct errmsg *err)
{
    struct exchange_addresses *addresses = exchange->addresses;
    struct asking asking = {.addresses = addresses};
    struct buf own;
    struct str changed;
    scent_status status;
    bool idle;

    *out = NULL;
    if (!addresses || ++addresses->turns < addresses->wait)
        return SCENT_OK;
    if (addresses->turns == addresses->wait) {
        atomic_store(&addresses->wanted, true);
        return SCENT_OK;
    }
    if (atomic_load(&addresses->wanted))
        return SCENT_OK; /* the engine has not come to it yet */
    pthread_mutex_lock(&exchange->lock);
    idle = exchange->told.idle; /* it visits nobody, and a job for the engine would be something to do */
    own = addresses->own;
    buf_init(&addresses->own, 0);
    pthread_mutex_unlock(&exchange->lock);
    changed = addresses_stamp(buf_str(&own)) != addresses->stamp ? buf_str(&own) : STR_NONE;
    asking.job = job_new(JOB_ARRIVED);
    asking.job->arrived.has_filters = true;
    status = addresses_exchange(exchange->cluster, changed, addresses->known, addresses->nknown, take_filter, &asking,
                                err);
    addresses->turns = 0;
    if (status == SCENT_OK) {
        addresses->stamp = addresses_stamp(buf_str(&own));
        addresses->wait = 2 * addresses->wait < EVERY ? 2 * addresses->wait : EVERY;
        if (asking.bytes / BYTES_A_TURN > addresses->wait)
            addresses->wait = (unsigned)(asking.bytes / BYTES_A_TURN);
    }
    if (status == SCENT_OK && !idle) {
        note_known(addresses, &asking.job->arrived);
        *out = asking.job;
    } else
        job_free(asking.job);
    buf_release(&own);
    return status;
}

/* ---- the engine ---- */

/* An address of which nothing is known yet. */
static uint32_t assumed(const struct crawl *crawl)
{
    uint32_t workers = atomic_load(&crawl->exchange->workers), most = crawl->topic->politeness.per_ip;

    return workers < most ? workers : most;
}

void exchange_addresses_found(struct crawl *crawl, uint32_t ip)
{
    struct exchange_addresses *addresses = crawl->exchange ? crawl->exchange->addresses : NULL;

    if (!addresses || ip < addresses->ntold)
        return;
    SCENT_BUG_IF(!vec_reserve(&addresses->told, &addresses->told_room, (size_t)ip + 1, sizeof *addresses->told));
    while (addresses->ntold <= ip)
        addresses->told[addresses->ntold++] = 0;
    frontier_share_ip(steer_frontier(crawl->steer), ip, assumed(crawl));
}

void exchange_addresses_note(struct crawl *crawl)
{
    struct exchange_addresses *addresses = crawl->exchange->addresses;
    struct frontier *frontier = steer_frontier(crawl->steer);
    int64_t since = clock_mono(crawl->options->clock) - LINGER_US;
    uint64_t *hashes;
    size_t count = 0;
    struct buf own;

    if (!addresses || !atomic_load(&addresses->wanted))
        return;
    for (size_t i = 0; i < addresses->ntold; i++)
        addresses->told[i] &= SETTLED_BITS;
    for (uint32_t host = 0; host < frontier_hosts(frontier); host++) {
        uint32_t ip = frontier_visited_ip(frontier, host, since);

        if (ip != FRONTIER_UNKNOWN && crawl->exchange->shares.mine[steer_part(crawl->steer, host)])
            addresses->told[ip] |= TOLD;
    }
    hashes = exchange_array(addresses->ntold + 1, sizeof *hashes);
    for (size_t i = 0; i < addresses->ntold; i++)
        if (addresses->told[i] & TOLD)
            hashes[count++] = crawl->access.ips.keys[i];
    buf_init(&own, 0);
    addresses_make(hashes, count, &own);
    free(hashes);
    pthread_mutex_lock(&crawl->exchange->lock);
    buf_release(&addresses->own);
    addresses->own = own;
    pthread_mutex_unlock(&crawl->exchange->lock);
    atomic_store(&addresses->wanted, false);
}

static struct str copy_filter(struct str filter)
{
    char *copy = malloc(filter.len + 1);

    SCENT_BUG_IF(!copy);
    memcpy(copy, filter.p, filter.len);
    return (struct str){copy, filter.len};
}

/* Those that live now; what has not changed stays. */
static void take_peers(struct exchange_addresses *addresses, const struct job_arrived *arrived)
{
    struct peer *peers = exchange_array(arrived->nfilters + 1, sizeof *peers);

    for (size_t i = 0; i < arrived->nfilters; i++) {
        const struct job_filter *filter = &arrived->filters[i];

        peers[i].worker = filter->worker;
        if (filter->filter.len)
            peers[i].filter = copy_filter(filter->filter);
        for (size_t j = 0; j < addresses->npeers && !filter->filter.len; j++)
            if (addresses->peers[j].worker == filter->worker) {
                peers[i].filter = addresses->peers[j].filter;
                addresses->peers[j].filter = STR_NONE;
            }
    }
    forget_peers(addresses);
    free(addresses->peers);
    addresses->peers = peers;
    addresses->npeers = arrived->nfilters;
}

void exchange_addresses_apply(struct crawl *crawl, const struct job *job)
{
    struct exchange_addresses *addresses = crawl->exchange->addresses;

    take_peers(addresses, &job->arrived);
    for (uint32_t ip = 0; ip < addresses->ntold; ip++) {
        uint8_t *told = &addresses->told[ip];
        uint32_t crawlers = 1;

        *told = !(*told & TOLD) ? 0 : (*told & SETTLED_BITS) < SETTLED ? *told + 1 : *told;
        if ((*told & SETTLED_BITS) < SETTLED)
            crawlers = assumed(crawl);
        else
            for (size_t i = 0; i < addresses->npeers; i++)
                crawlers += addresses->peers[i].filter.len &&
                            addresses_have(addresses->peers[i].filter, crawl->access.ips.keys[ip]);
        frontier_share_ip(steer_frontier(crawl->steer), ip, crawlers);
    }
}
