/* Where the memory goes, in bytes:
 *
 *   a known URL    11.8 to 12.4  seen       fingerprint -> id
 *                  0.4           candidates its state
 *   a queued URL   12            candidates host, depth and the like
 *                  0 to 16       candidates the strategy's own, as many as it uses
 *   (or in flight) 8             hostqueue  priority, id; to this a slack of 0.5 to 1.5
 *                  its text      supply     of the newest only: text_bytes in all (and what is not committed yet)
 *   a host         56            hosttable  its record
 *                  12            hostheap   its entry
 *                  12 + name     hosttable  name -> id
 *
 *   a domain or IP 24            gates
 *
 * Measured by tests/perf/frontier_scale (make bench-frontier), peak of all, 16 MiB of texts included, at 10^7 queued
 * URLs on 10^6 hosts with half as many domains: 47.8 bytes a URL, 63.7 when the strategy uses all of its bytes.
 *
 * Each host has a queue (hostqueue); schedule.c tells which of them may be visited, supply.c where the texts are. */
#include "frontier/frontier_parts.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

struct frontier *frontier_new(const struct frontier_options *options)
{
    struct frontier *f = calloc(1, sizeof *f);

    SCENT_BUG_IF(!f);
    f->delay_us = options->delay_us > 0 ? options->delay_us : 0;
    f->per_host = options->per_host ? options->per_host : 1;
    if (f->per_host > UINT16_MAX)
        f->per_host = UINT16_MAX;
    f->now = INT64_MIN;
    f->floor = -INFINITY;
    f->text_budget = options->text_bytes ? options->text_bytes : SUPPLY_DEFAULT_BYTES;
    seen_init(&f->seen);
    candidates_init(&f->candidates);
    hosttable_init(&f->hosts);
    gates_init(&f->gates[HOSTTABLE_DOMAIN], options->per_domain, f->delay_us);
    gates_init(&f->gates[HOSTTABLE_IP], options->per_ip, f->delay_us);
    hostheap_init(&f->ready, &f->pool, &f->hosts, HOSTTABLE_READY);
    hostheap_init(&f->starved, &f->pool, &f->hosts, HOSTTABLE_STARVED);
    hostheap_init(&f->waiting, &f->pool, &f->hosts, HOSTTABLE_WAITING);
    return f;
}

uint64_t frontier_identity(uint64_t fingerprint, uint8_t flags, const uint8_t own[FRONTIER_OWN_BYTES], uint64_t key)
{
    uint64_t origin;

    if (!(flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_REQUISITE)))
        return fingerprint;
    memcpy(&origin, own, sizeof origin);
    if (flags & CANDIDATE_ROBOTS)
        return hash_mix(fingerprint ^ key, ~origin);
    return hash_mix(fingerprint, flags & CANDIDATE_SITEMAP ? key : ~key);
}

void frontier_free(struct frontier *f)
{
    if (!f)
        return;
    hostheap_release(&f->waiting);
    hostheap_release(&f->starved);
    hostheap_release(&f->ready);
    hostheap_release_pool(&f->pool);
    gates_release(&f->gates[HOSTTABLE_DOMAIN]);
    gates_release(&f->gates[HOSTTABLE_IP]);
    hosttable_release(&f->hosts);
    supply_release(f);
    candidates_release(&f->candidates);
    seen_release(&f->seen);
    free(f);
}

/* The candidates are extended first, and one ahead of the seen map when that fails: an id has a state always. */
scent_status frontier_intern(struct frontier *f, uint64_t fingerprint, uint32_t *id, bool *is_new)
{
    if (f->candidates.ids == f->seen.count)
        SCENT_TRY(candidates_extend(&f->candidates));
    SCENT_TRY(seen_add(&f->seen, fingerprint, id, is_new));
    candidates_prefetch(&f->candidates, *id); /* its state is what one asks next */
    return SCENT_OK;
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

void frontier_set_floor(struct frontier *f, float floor)
{
    f->floor = floor;
    schedule_place_all(f);
}

bool frontier_has_more(const struct frontier *f)
{
    return schedule_has_floor(f) ? f->worthy > 0 : f->queued > 0;
}

uint32_t frontier_below(const struct frontier *f)
{
    uint32_t count = 0, hosts = frontier_hosts(f);

    for (uint32_t i = 0; schedule_has_floor(f) && i < hosts; i++) {
        const struct hosttable_host *host = hosttable_at(&f->hosts, i);

        for (uint32_t k = 0; k < host->queued; k++)
            count += !(host->queue[k].priority >= f->floor);
    }
    return count;
}

static void look_at_priority(float priority, struct frontier_spread *out)
{
    if (!(priority > out->below))
        out->last++;
    else if (priority >= out->above)
        out->first++;
    else {
        out->least = priority < out->least ? priority : out->least;
        out->greatest = priority > out->greatest ? priority : out->greatest;
    }
}

static void count_in_band(float priority, struct frontier_spread *out)
{
    double width = (out->greatest - out->least) / FRONTIER_BANDS;
    size_t band = width > 0 ? (size_t)((priority - out->least) / width) : 0;

    if (priority > out->below && priority < out->above)
        out->bands[band < FRONTIER_BANDS ? band : FRONTIER_BANDS - 1]++;
}

void frontier_spread(const struct frontier *f, struct frontier_spread *out)
{
    void (*const passes[])(float, struct frontier_spread *) = {look_at_priority, count_in_band};
    uint32_t hosts = frontier_hosts(f);

    *out = (struct frontier_spread){
        .below = out->below, .above = out->above, .least = INFINITY, .greatest = -INFINITY};
    for (size_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < hosts; i++) {
            const struct hosttable_host *host = hosttable_at(&f->hosts, i);

            for (uint32_t k = 0; k < host->queued; k++)
                passes[pass](host->queue[k].priority, out);
        }
}

size_t frontier_text_bytes(const struct frontier *f)
{
    return supply_bytes(f);
}

scent_status frontier_host(struct frontier *f, struct str name, uint32_t *host, bool *is_new)
{
    return hosttable_add(&f->hosts, name, host, is_new);
}

bool frontier_find_host(const struct frontier *f, struct str name, uint32_t *host)
{
    return hosttable_find(&f->hosts, name, host);
}

struct str frontier_host_name(const struct frontier *f, uint32_t host)
{
    return hosttable_name(&f->hosts, host);
}

uint32_t frontier_hosts(const struct frontier *f)
{
    return hosttable_count(&f->hosts);
}

/* ---- politeness ---- */

static scent_status set_gate(struct frontier *f, uint32_t host, enum hosttable_gate kind, uint32_t gate)
{
    if (f->gates[kind].limit == 0)
        return SCENT_OK;
    if (gate != HOSTTABLE_NO_GATE)
        SCENT_TRY(gates_reach(&f->gates[kind], gate));
    if (hosttable_at(&f->hosts, host)->gates[kind] != gate)
        schedule_set_gate(f, host, kind, gate);
    return SCENT_OK;
}

scent_status frontier_set_domain(struct frontier *f, uint32_t host, uint32_t domain)
{
    return set_gate(f, host, HOSTTABLE_DOMAIN, domain);
}

scent_status frontier_set_ip(struct frontier *f, uint32_t host, uint32_t ip)
{
    return set_gate(f, host, HOSTTABLE_IP, ip);
}

void frontier_share_ip(struct frontier *f, uint32_t ip, uint32_t crawlers)
{
    if (f->gates[HOSTTABLE_IP].limit)
        schedule_share_gate(f, HOSTTABLE_IP, ip, crawlers < UINT16_MAX ? (uint16_t)crawlers : UINT16_MAX);
}

uint32_t frontier_visited_ip(const struct frontier *f, uint32_t host, int64_t since)
{
    const struct hosttable_host *entry = hosttable_at(&f->hosts, host);

    return entry->queued || entry->in_flight || entry->next_us > since ? entry->gates[HOSTTABLE_IP] : FRONTIER_UNKNOWN;
}

void frontier_set_delay(struct frontier *f, uint32_t host, int64_t delay_us)
{
    hosttable_at(&f->hosts, host)->delay_us = delay_us < 0                        ? HOSTTABLE_DEFAULT
                                              : delay_us < FRONTIER_DELAY_MAX_US ? (uint32_t)delay_us
                                                                                 : (uint32_t)FRONTIER_DELAY_MAX_US;
}

void frontier_set_usual_delay(struct frontier *f, int64_t delay_us)
{
    f->delay_us = delay_us;
    for (int kind = 0; kind < HOSTTABLE_GATES; kind++)
        gates_set_delay(&f->gates[kind], delay_us);
}

void frontier_hold(struct frontier *f, uint32_t host)
{
    SCENT_BUG_IF(hosttable_at(&f->hosts, host)->holds == UINT16_MAX);
    hosttable_at(&f->hosts, host)->holds++;
    schedule_place(f, host);
}

void frontier_release(struct frontier *f, uint32_t host)
{
    SCENT_BUG_IF(hosttable_at(&f->hosts, host)->holds == 0);
    hosttable_at(&f->hosts, host)->holds--;
    schedule_place(f, host);
}

static int64_t at_most(int64_t time, int64_t now)
{
    int64_t latest = schedule_add_time(now, FRONTIER_WAIT_MAX_US);

    return time < latest ? time : latest;
}

void frontier_wait_until(struct frontier *f, uint32_t host, int64_t time, int64_t now)
{
    struct hosttable_host *at = hosttable_at(&f->hosts, host);

    schedule_advance(f, now);
    time = at_most(time, now);
    if (time > at->next_us)
        at->next_us = time;
    schedule_place(f, host);
}

/* ---- queueing ---- */

static void enqueue(struct frontier *f, uint32_t id, const struct candidate *candidate)
{
    uint32_t host = candidates_at(&f->candidates, id)->host;

    candidates_write(&f->candidates, id, candidate);
    hostqueue_insert(hosttable_at(&f->hosts, host), &f->candidates, id, candidate->priority);
    f->queued++;
}

/* Places the host if this, its best candidate now, is a new one. */
static void place_if_best(struct frontier *f, uint32_t id)
{
    const struct candidates_record *record = candidates_at(&f->candidates, id);

    if (record->position == 0)
        schedule_place(f, record->host);
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
    SCENT_TRY(schedule_reserve(f));
    SCENT_TRY(hostqueue_reserve(hosttable_at(&f->hosts, host)));
    SCENT_TRY(supply_add(f, id, href));
    status = candidates_add(&f->candidates, id, host);
    if (status != SCENT_OK) {
        supply_remove(f, id);
        return status;
    }
    enqueue(f, id, candidate);
    place_if_best(f, id);
    supply_shed(f);
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
        schedule_place(f, record->host);
}

void frontier_drop(struct frontier *f, uint32_t id)
{
    uint32_t host;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_QUEUED);
    host = candidates_at(&f->candidates, id)->host;
    hostqueue_trim(dequeue(f, id));
    candidates_remove(&f->candidates, id);
    supply_remove(f, id);
    schedule_place(f, host);
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
    if (!moved)
        return;
    for (uint32_t i = 0, hosts = frontier_hosts(f); i < hosts; i++)
        hostqueue_order(hosttable_at(&f->hosts, i), &f->candidates);
    schedule_place_all(f);
}

/* ---- visits ---- */

scent_status frontier_take(struct frontier *f, int64_t now, struct frontier_taken *out, int64_t *wait_us)
{
    struct hosttable_host *host;
    struct held_url *url;
    uint32_t host_id;

    schedule_advance(f, now);
    if (!schedule_first(f, &host_id, wait_us))
        return frontier_has_more(f) ? SCENT_E_NOTFOUND : SCENT_E_END;
    host = hosttable_at(&f->hosts, host_id);
    *out = (struct frontier_taken){.id = host->queue[0].id, .host = host_id};
    url = supply_lend(f, out->id);
    if (!url)
        return SCENT_E_NOMEM;
    *wait_us = 0;
    out->href = (struct str){url->text, url->len};
    candidates_read(&f->candidates, out->id, &out->candidate);
    out->candidate.priority = host->queue[0].priority;
    dequeue(f, out->id);
    candidates_set_in_flight(&f->candidates, out->id, true);
    f->in_flight++;
    schedule_begin(f, host_id, &url->begin);
    supply_note_visit(f, host_id);
    schedule_place(f, host_id);
    return SCENT_OK;
}

/* The visit is over; the URL is still in flight. */
static struct held_url *land(struct frontier *f, uint32_t id, uint32_t *host)
{
    struct held_url *url;

    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_IN_FLIGHT);
    url = supply_lent(f, id);
    *host = candidates_at(&f->candidates, id)->host;
    f->in_flight--;
    schedule_end(f, *host, &url->begin);
    return url;
}

size_t frontier_near(const struct frontier *f, uint32_t *hosts, size_t room)
{
    const struct hostheap *heaps[] = {&f->ready, &f->waiting};
    size_t count = 0;

    for (int kind = 0; kind < 2; kind++)
        for (uint32_t i = 0; i < heaps[kind]->count && count < room; i++)
            hosts[count++] = hostheap_peek(heaps[kind], i);
    return count;
}

void frontier_finish(struct frontier *f, uint32_t id, int64_t now)
{
    uint32_t host;

    schedule_advance(f, now);
    land(f, id, &host);
    hostqueue_trim(hosttable_at(&f->hosts, host));
    candidates_remove(&f->candidates, id);
    supply_remove(f, id);
    schedule_place(f, host);
}

/* IN_FLIGHT -> QUEUED */
static void take_back(struct frontier *f, uint32_t id, struct held_url *url, const struct candidate *candidate)
{
    url->state = HELD_LOADED;
    candidates_set_in_flight(&f->candidates, id, false);
    enqueue(f, id, candidate);
    schedule_place(f, candidates_at(&f->candidates, id)->host);
}

void frontier_requeue(struct frontier *f, uint32_t id, const struct candidate *candidate, int64_t now, int64_t after_us)
{
    struct hosttable_host *host;
    struct held_url *url;
    uint32_t host_id;
    int64_t next = schedule_add_time(now, after_us);

    schedule_advance(f, now);
    url = land(f, id, &host_id);
    host = hosttable_at(&f->hosts, host_id);
    if (next > host->next_us)
        host->next_us = next;
    take_back(f, id, url, candidate);
}

void frontier_untake(struct frontier *f, uint32_t id, const struct candidate *candidate)
{
    uint32_t host;
    struct held_url *url = land(f, id, &host);

    schedule_undo(f, host, &url->begin);
    take_back(f, id, url, candidate);
}

void frontier_mark_done(struct frontier *f, uint32_t id)
{
    SCENT_BUG_IF(frontier_state(f, id) != FRONTIER_SEEN);
    candidates_remove(&f->candidates, id);
}

void frontier_reopen(struct frontier *f, uint32_t id)
{
    SCENT_BUG_IF(id >= f->seen.count);
    candidates_reopen(&f->candidates, id);
}
