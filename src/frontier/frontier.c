/* Where the memory goes, in bytes:
 *
 *   a known URL    11.8 to 12.4  seen       fingerprint -> id
 *                  0.4           candidates its state
 *   a queued URL   28            candidates host, depth and the like, the strategy's 16 bytes
 *   (or in flight) 8             hostqueue  priority, id; to this a slack of 0.5 to 1.5
 *                  its text      urltext    goes to disk in a later version
 *   a host         32            hosttable  its record
 *                  12            hostheap   its entry
 *                  12 + name     hosttable  name -> id
 *
 * Each host has a queue (hostqueue). A host with candidates, a free visit and no delay to wait for is in the heap
 * `ready`, under the key of its best candidate; one that has to wait is in `waiting`, under its time; others are
 * in neither. place() holds every host to that after each change. */
#include "frontier/frontier.h"

#include "frontier/candidates.h"
#include "frontier/hostheap.h"
#include "frontier/hostqueue.h"
#include "frontier/hosttable.h"
#include "frontier/seen.h"
#include "frontier/urltext.h"

#include <stdlib.h>

struct frontier {
    int64_t delay_us, now; /* now: the latest time that was passed in */
    uint32_t per_host;
    uint32_t queued, in_flight;
    struct seen seen;
    struct candidates candidates;
    struct urltext texts;
    struct hosttable hosts;
    struct hostheap_pool pool;
    struct hostheap ready, waiting;
};

struct frontier *frontier_new(const struct frontier_options *options)
{
    struct frontier *f = calloc(1, sizeof *f);

    SCENT_BUG_IF(!f);
    f->delay_us = options->delay_us > 0 ? options->delay_us : 0;
    f->per_host = options->per_host ? options->per_host : 1;
    if (f->per_host > UINT16_MAX)
        f->per_host = UINT16_MAX;
    f->now = INT64_MIN;
    seen_init(&f->seen);
    candidates_init(&f->candidates);
    urltext_init(&f->texts);
    hosttable_init(&f->hosts);
    hostheap_init(&f->ready, &f->pool, &f->hosts, HOSTTABLE_READY);
    hostheap_init(&f->waiting, &f->pool, &f->hosts, HOSTTABLE_WAITING);
    return f;
}

void frontier_free(struct frontier *f)
{
    if (!f)
        return;
    hostheap_release(&f->waiting);
    hostheap_release(&f->ready);
    hostheap_release_pool(&f->pool);
    hosttable_release(&f->hosts);
    urltext_release(&f->texts);
    candidates_release(&f->candidates);
    seen_release(&f->seen);
    free(f);
}

/* The candidates are extended first, and one ahead of the seen map when that fails: an id has a state always. */
scent_status frontier_intern(struct frontier *f, uint64_t fingerprint, uint32_t *id, bool *is_new)
{
    if (f->candidates.ids == f->seen.count) {
        scent_status status = candidates_extend(&f->candidates);

        if (status != SCENT_OK)
            return status;
    }
    return seen_add(&f->seen, fingerprint, id, is_new);
}

bool frontier_find(const struct frontier *f, uint64_t fingerprint, uint32_t *id)
{
    return seen_find(&f->seen, fingerprint, id);
}

void frontier_expect(const struct frontier *f, uint64_t fingerprint)
{
    seen_prefetch(&f->seen, fingerprint);
}

enum frontier_state frontier_state(const struct frontier *f, uint32_t id)
{
    SCENT_BUG_IF(id >= f->seen.count);
    return candidates_state(&f->candidates, id);
}

uint32_t frontier_known(const struct frontier *f)
{
    return f->seen.count;
}

uint32_t frontier_queued(const struct frontier *f)
{
    return f->queued;
}

uint32_t frontier_in_flight(const struct frontier *f)
{
    return f->in_flight;
}

size_t frontier_text_bytes(const struct frontier *f)
{
    return urltext_bytes(&f->texts);
}

scent_status frontier_host(struct frontier *f, struct str name, uint32_t *host, bool *is_new)
{
    return hosttable_add(&f->hosts, name, host, is_new);
}

struct str frontier_host_name(const struct frontier *f, uint32_t host)
{
    return hosttable_name(&f->hosts, host);
}

uint32_t frontier_hosts(const struct frontier *f)
{
    return hosttable_count(&f->hosts);
}

static enum hosttable_place place_of(const struct frontier *f, const struct hosttable_host *host)
{
    if (host->queued == 0 || host->in_flight >= f->per_host)
        return HOSTTABLE_NOWHERE;
    return host->next_us > f->now ? HOSTTABLE_WAITING : HOSTTABLE_READY;
}

/* Times may be negative: the middle moves to the middle of the unsigned numbers. */
static uint64_t waiting_key(const struct hosttable_host *host)
{
    return (uint64_t)host->next_us ^ (uint64_t)1 << 63;
}

/* Holds the heaps to what the host's record says. */
static void place(struct frontier *f, uint32_t id)
{
    struct hosttable_host *host = hosttable_at(&f->hosts, id);
    enum hosttable_place where = place_of(f, host);

    if (where != HOSTTABLE_READY)
        hostheap_remove(&f->ready, id);
    if (where != HOSTTABLE_WAITING)
        hostheap_remove(&f->waiting, id);
    if (where == HOSTTABLE_READY)
        hostheap_set(&f->ready, id, hostqueue_best(host));
    if (where == HOSTTABLE_WAITING)
        hostheap_set(&f->waiting, id, waiting_key(host));
}

/* The hosts whose time has come become ready. */
static void advance(struct frontier *f, int64_t now)
{
    uint32_t host;
    uint64_t key;

    if (now > f->now)
        f->now = now;
    while (hostheap_first(&f->waiting, &host, &key) && hosttable_at(&f->hosts, host)->next_us <= f->now)
        place(f, host);
}

static int64_t add_time(int64_t time, int64_t more)
{
    int64_t sum;

    if (more < 0)
        more = 0;
    return __builtin_add_overflow(time, more, &sum) ? INT64_MAX : sum;
}

static void enqueue(struct frontier *f, uint32_t id, const struct candidate *candidate)
{
    uint32_t host = candidates_at(&f->candidates, id)->host;

    candidates_write(&f->candidates, id, candidate);
    hostqueue_insert(hosttable_at(&f->hosts, host), &f->candidates, id, candidate->priority);
    f->queued++;
    place(f, host);
}

/* Takes a QUEUED url out of its host's queue. */
static struct hosttable_host *dequeue(struct frontier *f, uint32_t id)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);
    struct hosttable_host *host = hosttable_at(&f->hosts, record->host);

    hostqueue_remove(host, &f->candidates, record->position);
    f->queued--;
    return host;
}

scent_status frontier_queue(struct frontier *f, uint32_t id, struct str href, uint32_t host,
                            const struct candidate *candidate)
{
    scent_status status;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_SEEN || host >= frontier_hosts(f));
    status = hostheap_reserve(&f->ready);
    if (status == SCENT_OK)
        status = hostheap_reserve(&f->waiting);
    if (status == SCENT_OK)
        status = hostqueue_reserve(hosttable_at(&f->hosts, host));
    if (status == SCENT_OK)
        status = urltext_add(&f->texts, id, href);
    if (status != SCENT_OK)
        return status;
    status = candidates_add(&f->candidates, id, host);
    if (status != SCENT_OK) {
        urltext_remove(&f->texts, id);
        return status;
    }
    enqueue(f, id, candidate);
    return SCENT_OK;
}

/* Of a QUEUED url: where its priority is. */
static struct hostqueue_entry *entry_of(const struct frontier *f, uint32_t id)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);

    return &hosttable_at(&f->hosts, record->host)->queue[record->position];
}

bool frontier_get(const struct frontier *f, uint32_t id, struct candidate *out)
{
    if (frontier_state(f, id) != FRONTIER_QUEUED)
        return false;
    candidates_read(&f->candidates, id, out);
    out->priority = entry_of(f, id)->priority;
    return true;
}

void frontier_update(struct frontier *f, uint32_t id, const struct candidate *candidate)
{
    const struct candidates_record *record;
    struct hosttable_host *host;
    uint64_t best;

    if (frontier_state(f, id) != FRONTIER_QUEUED)
        return;
    candidates_write(&f->candidates, id, candidate);
    record = candidates_at(&f->candidates, id);
    host = hosttable_at(&f->hosts, record->host);
    best = hostqueue_best(host);
    hostqueue_change(host, &f->candidates, record->position, candidate->priority);
    if (hostqueue_best(host) != best)
        place(f, record->host);
}

void frontier_drop(struct frontier *f, uint32_t id)
{
    uint32_t host;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_QUEUED);
    host = candidates_at(&f->candidates, id)->host;
    hostqueue_trim(dequeue(f, id));
    candidates_remove(&f->candidates, id);
    urltext_remove(&f->texts, id);
    place(f, host);
}

/* All queues and both heaps, in linear time. */
static void order_all(struct frontier *f)
{
    hostheap_clear(&f->ready);
    hostheap_clear(&f->waiting);
    for (uint32_t i = 0, hosts = frontier_hosts(f); i < hosts; i++) {
        struct hosttable_host *host = hosttable_at(&f->hosts, i);
        enum hosttable_place where = place_of(f, host);

        hostqueue_order(host, &f->candidates);
        if (where == HOSTTABLE_READY)
            hostheap_append(&f->ready, i, hostqueue_best(host));
        if (where == HOSTTABLE_WAITING)
            hostheap_append(&f->waiting, i, waiting_key(host));
    }
    hostheap_order(&f->ready);
    hostheap_order(&f->waiting);
}

void frontier_each(struct frontier *f, void (*fn)(void *ctx, uint32_t id, struct candidate *candidate, bool *changed),
                   void *ctx)
{
    bool moved = false;

    for (uint32_t id = 0; (id = candidates_next(&f->candidates, id)) != CANDIDATES_NONE; id++) {
        struct hostqueue_entry *entry = entry_of(f, id);
        struct candidate candidate;
        bool changed = false;

        candidates_read(&f->candidates, id, &candidate);
        candidate.priority = entry->priority;
        fn(ctx, id, &candidate, &changed);
        if (!changed)
            continue;
        candidates_write(&f->candidates, id, &candidate);
        moved |= hostqueue_key(candidate.priority, id) != hostqueue_key(entry->priority, id);
        entry->priority = candidate.priority;
    }
    /* The walk has read all of them anyway, so that putting all in order beats moving them singly. */
    if (moved)
        order_all(f);
}

/* What to say when no host is ready. */
static scent_status nothing_ready(const struct frontier *f, int64_t *wait_us)
{
    uint32_t host;
    uint64_t key;

    *wait_us = INT64_MAX;
    if (f->queued == 0)
        return SCENT_E_END;
    if (hostheap_first(&f->waiting, &host, &key) &&
        __builtin_sub_overflow(hosttable_at(&f->hosts, host)->next_us, f->now, wait_us))
        *wait_us = INT64_MAX;
    return SCENT_E_NOTFOUND;
}

scent_status frontier_take(struct frontier *f, int64_t now, struct frontier_taken *out, int64_t *wait_us)
{
    struct hosttable_host *host;
    uint32_t host_id, loan;
    uint64_t key;

    advance(f, now);
    if (!hostheap_first(&f->ready, &host_id, &key))
        return nothing_ready(f, wait_us);
    host = hosttable_at(&f->hosts, host_id);
    *out = (struct frontier_taken){.id = host->queue[0].id, .host = host_id};
    if (urltext_lend(&f->texts, out->id, &loan, &out->href) != SCENT_OK)
        return SCENT_E_NOMEM;
    *wait_us = 0;
    candidates_read(&f->candidates, out->id, &out->candidate);
    out->candidate.priority = host->queue[0].priority;
    dequeue(f, out->id);
    candidates_set_in_flight(&f->candidates, out->id, true);
    candidates_at(&f->candidates, out->id)->position = loan;
    f->in_flight++;
    host->in_flight++;
    host->next_us = add_time(f->now, f->delay_us);
    place(f, host_id);
    return SCENT_OK;
}

/* The visit is over. */
static struct hosttable_host *land(struct frontier *f, uint32_t id)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);
    struct hosttable_host *host = hosttable_at(&f->hosts, record->host);

    urltext_return(&f->texts, record->position);
    f->in_flight--;
    host->in_flight--;
    return host;
}

void frontier_finish(struct frontier *f, uint32_t id, int64_t now)
{
    uint32_t host;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_IN_FLIGHT);
    host = candidates_at(&f->candidates, id)->host;
    hostqueue_trim(land(f, id));
    candidates_remove(&f->candidates, id);
    urltext_remove(&f->texts, id);
    advance(f, now);
    place(f, host);
}

void frontier_requeue(struct frontier *f, uint32_t id, const struct candidate *candidate, int64_t now, int64_t after_us)
{
    struct hosttable_host *host;
    int64_t next;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_IN_FLIGHT);
    advance(f, now);
    host = land(f, id);
    next = add_time(now, after_us);
    if (next > host->next_us)
        host->next_us = next;
    candidates_set_in_flight(&f->candidates, id, false);
    enqueue(f, id, candidate);
}

void frontier_mark_done(struct frontier *f, uint32_t id)
{
    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_SEEN);
    candidates_remove(&f->candidates, id);
}
