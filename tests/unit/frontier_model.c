/* Random operations on the frontier and on a model that keeps everything in plain arrays and looks through all of
 * it each time. Every answer must be the same. */
#include "frontier/frontier.h"

#include "base/rng.h"
#include "frontier/frontier_parts.h"
#include "test.h"

#include <math.h>

enum { URLS = 700, HOSTS = 12, STEPS = 6000, KINDS = 2, GATES = 4 };

struct model_url {
    enum frontier_state state;
    uint64_t fingerprint;
    uint32_t host;
    struct candidate candidate;
    char text[32];
    int64_t before[1 + KINDS], after[1 + KINDS]; /* what its visit's beginning changed: the host, its gates */
    uint32_t gates[KINDS];
};

struct model_host {
    int64_t next, delay; /* delay: negative for the default */
    uint32_t in_flight, holds, gates[KINDS];
};

struct model_gate {
    int64_t next;
    uint32_t in_flight;
};

struct world {
    struct frontier *f;
    struct frontier_options options;
    struct rng rng;
    int64_t now;
    struct model_url urls[URLS];
    struct model_host hosts[HOSTS];
    struct model_gate gates[KINDS][GATES];
    uint32_t limits[KINDS];
    struct str hrefs[URLS]; /* as they were taken */
    uint32_t nurls, nhosts;
    float floor;
    bool on_disk;           /* texts leave memory when they can */
    uint32_t committed;
    uint32_t asked[URLS], nasked;
};

/* Few different priorities, so that ties are common; every special value too. */
static float random_priority(struct rng *rng)
{
    static const float special[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1e-40f, -1e-40f};
    uint64_t n = rng_below(rng, 20);

    return n < 8 ? special[n] : (float)rng_below(rng, 9) / 4 - 1;
}

static struct candidate random_candidate(struct rng *rng)
{
    struct candidate c = {.priority = random_priority(rng),
                          .depth = (uint16_t)rng_below(rng, FRONTIER_DEPTH_MAX + 1),
                          .off_domain = (uint8_t)rng_below(rng, FRONTIER_OFF_DOMAIN_MAX + 1),
                          .redirects = (uint8_t)rng_below(rng, FRONTIER_SMALL_MAX + 1),
                          .tries = (uint8_t)rng_below(rng, FRONTIER_SMALL_MAX + 1),
                          .flags = (uint8_t)rng_below(rng, 32)};

    /* Often few or none. */
    for (size_t i = 0, n = rng_below(rng, 2) ? 0 : rng_below(rng, sizeof c.own + 1); i < n; i++)
        c.own[i] = (uint8_t)rng_next(rng);
    return c;
}

static void assert_same_candidate(const struct candidate *a, const struct candidate *b)
{
    assert_memory_equal(&a->priority, &b->priority, sizeof a->priority);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(a->off_domain, b->off_domain);
    assert_int_equal(a->redirects, b->redirects);
    assert_int_equal(a->tries, b->tries);
    assert_int_equal(a->flags, b->flags);
    assert_memory_equal(a->own, b->own, sizeof a->own);
}

static bool better(float a, float b)
{
    if (a != a)
        return false;
    return b != b || a > b;
}

/* The best candidate of a host, or URLS. */
static uint32_t best_of(const struct world *w, uint32_t host)
{
    uint32_t best = URLS;

    for (uint32_t i = 0; i < w->nurls; i++)
        if (w->urls[i].state == FRONTIER_QUEUED && w->urls[i].host == host &&
            (best == URLS || better(w->urls[i].candidate.priority, w->urls[best].candidate.priority)))
            best = i;
    return best;
}

/* May the best candidate of a host be taken at all? */
static bool is_worthy(const struct world *w, uint32_t host)
{
    uint32_t i = best_of(w, host);

    return i != URLS && (w->floor == -INFINITY || w->urls[i].candidate.priority >= w->floor);
}

/* NULL: it does not count. */
static struct model_gate *gate_of(struct world *w, uint32_t kind, uint32_t gate)
{
    return w->limits[kind] && gate != FRONTIER_UNKNOWN ? &w->gates[kind][gate] : NULL;
}

static bool host_is_free(struct world *w, uint32_t host)
{
    const struct model_host *h = &w->hosts[host];
    bool is_free = h->in_flight < w->options.per_host && h->holds == 0;

    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const struct model_gate *gate = gate_of(w, kind, h->gates[kind]);

        is_free &= !gate || gate->in_flight < w->limits[kind];
    }
    return is_free;
}

static int64_t host_time(struct world *w, uint32_t host)
{
    int64_t time = w->hosts[host].next;

    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const struct model_gate *gate = gate_of(w, kind, w->hosts[host].gates[kind]);

        if (gate && gate->next > time)
            time = gate->next;
    }
    return time;
}

/* The id that take must give, or URLS. Which texts are in memory is the frontier's affair; that they are the right
 * ones, and that it asks for what is missing, is checked elsewhere. */
static uint32_t model_best(struct world *w)
{
    uint32_t best = URLS;

    for (uint32_t h = 0; h < w->nhosts; h++) {
        uint32_t i = best_of(w, h);

        if (!is_worthy(w, h) || !host_is_free(w, h) || host_time(w, h) > w->now || !supply_has_text(w->f, i))
            continue;
        if (best == URLS || better(w->urls[i].candidate.priority, w->urls[best].candidate.priority) ||
            (i < best && !better(w->urls[best].candidate.priority, w->urls[i].candidate.priority)))
            best = i;
    }
    return best;
}

static int64_t model_wait(struct world *w)
{
    int64_t wait = INT64_MAX;

    for (uint32_t h = 0; h < w->nhosts; h++)
        if (is_worthy(w, h) && host_is_free(w, h) && supply_has_text(w->f, best_of(w, h)) &&
            host_time(w, h) - w->now < wait)
            wait = host_time(w, h) - w->now;
    return wait;
}

static uint32_t model_count(const struct world *w, enum frontier_state state)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->nurls; i++)
        n += w->urls[i].state == state;
    return n;
}

static bool model_has_more(const struct world *w)
{
    for (uint32_t h = 0; h < w->nhosts; h++)
        if (is_worthy(w, h))
            return true;
    return false;
}

static uint32_t model_below(const struct world *w)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->nurls && w->floor > -INFINITY; i++)
        n += w->urls[i].state == FRONTIER_QUEUED && !(w->urls[i].candidate.priority >= w->floor);
    return n;
}

/* A random URL in this state, or URLS. */
static uint32_t pick(struct world *w, enum frontier_state state)
{
    uint32_t n = model_count(w, state);
    uint64_t skip = n ? rng_below(&w->rng, n) : 0;

    for (uint32_t i = 0; n && i < w->nurls; i++)
        if (w->urls[i].state == state && skip-- == 0)
            return i;
    return URLS;
}

static void do_intern(struct world *w)
{
    bool is_new, old = w->nurls == URLS || (w->nurls && rng_below(&w->rng, 3) == 0);
    uint32_t known = old ? (uint32_t)rng_below(&w->rng, w->nurls) : w->nurls, id = 0;
    uint64_t fingerprint = old ? w->urls[known].fingerprint : rng_next(&w->rng);

    frontier_expect(w->f, fingerprint);
    assert_int_equal(frontier_find(w->f, fingerprint, &id), old);
    assert_int_equal(frontier_intern(w->f, fingerprint, &id, &is_new), SCENT_OK);
    assert_int_equal(is_new, !old);
    assert_int_equal(id, known);
    if (!old)
        w->urls[w->nurls++] = (struct model_url){.state = FRONTIER_SEEN, .fingerprint = fingerprint};
}

static void do_gate(struct world *w, uint32_t host, uint32_t kind)
{
    uint32_t gate = rng_below(&w->rng, 6) ? (uint32_t)rng_below(&w->rng, GATES) : FRONTIER_UNKNOWN;

    assert_int_equal(kind ? frontier_set_ip(w->f, host, gate) : frontier_set_domain(w->f, host, gate), SCENT_OK);
    w->hosts[host].gates[kind] = gate;
}

static uint32_t do_host(struct world *w)
{
    uint32_t want = (uint32_t)rng_below(&w->rng, w->nhosts < HOSTS ? w->nhosts + 1 : HOSTS), id;
    char name[32];
    bool is_new;

    snprintf(name, sizeof name, "host%u.test", want);
    assert_int_equal(frontier_host(w->f, str_of(name), &id, &is_new), SCENT_OK);
    assert_int_equal(id, want);
    assert_int_equal(is_new, want == w->nhosts);
    assert_str(frontier_host_name(w->f, id), name);
    if (is_new) {
        w->hosts[w->nhosts++] =
            (struct model_host){.next = INT64_MIN / 2, .delay = -1, .gates = {FRONTIER_UNKNOWN, FRONTIER_UNKNOWN}};
        do_gate(w, id, 0);
    }
    return id;
}

static void do_queue(struct world *w)
{
    uint32_t id = pick(w, FRONTIER_SEEN);
    struct model_url *u = &w->urls[id];
    bool on_disk;

    if (id == URLS)
        return;
    if (rng_below(&w->rng, 10) == 0) {
        frontier_mark_done(w->f, id);
        u->state = FRONTIER_DONE;
        return;
    }
    u->host = do_host(w);
    u->candidate = random_candidate(&w->rng);
    snprintf(u->text, sizeof u->text, "http://%.*s", (int)rng_below(&w->rng, 12), "abcdefghijkl");
    on_disk = w->on_disk && id < w->committed && rng_below(&w->rng, 2);
    assert_int_equal(frontier_queue(w->f, id, str_of(on_disk ? "" : u->text), u->host, &u->candidate), SCENT_OK);
    u->state = FRONTIER_QUEUED;
    assert_true(w->on_disk || supply_has_text(w->f, id));
}

static void do_update(struct world *w)
{
    uint32_t id = w->nurls ? (uint32_t)rng_below(&w->rng, w->nurls) : URLS;
    struct candidate c = random_candidate(&w->rng), got;

    if (id == URLS)
        return;
    assert_int_equal(frontier_get(w->f, id, &got), w->urls[id].state == FRONTIER_QUEUED);
    if (w->urls[id].state == FRONTIER_QUEUED) {
        assert_same_candidate(&got, &w->urls[id].candidate);
        w->urls[id].candidate = c;
    }
    frontier_update(w->f, id, &c);
}

static void do_drop(struct world *w)
{
    uint32_t id = pick(w, FRONTIER_QUEUED);

    if (id == URLS)
        return;
    frontier_drop(w->f, id);
    w->urls[id].state = FRONTIER_DONE;
}

static void begin(struct world *w, struct model_url *u)
{
    struct model_host *h = &w->hosts[u->host];

    h->in_flight++;
    u->before[KINDS] = h->next;
    u->after[KINDS] = h->next = w->now + (h->delay < 0 ? w->options.delay_us : h->delay);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        struct model_gate *gate = gate_of(w, kind, h->gates[kind]);

        u->gates[kind] = h->gates[kind];
        if (!gate)
            continue;
        gate->in_flight++;
        u->before[kind] = gate->next;
        u->after[kind] = gate->next =
            w->now + (w->options.delay_us + w->limits[kind] - 1) / (int64_t)w->limits[kind];
    }
}

static void end(struct world *w, const struct model_url *u)
{
    w->hosts[u->host].in_flight--;
    for (uint32_t kind = 0; kind < KINDS; kind++)
        if (gate_of(w, kind, u->gates[kind]))
            gate_of(w, kind, u->gates[kind])->in_flight--;
}

static void undo(struct world *w, const struct model_url *u)
{
    if (w->hosts[u->host].next == u->after[KINDS])
        w->hosts[u->host].next = u->before[KINDS];
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        struct model_gate *gate = gate_of(w, kind, u->gates[kind]);

        if (gate && gate->next == u->after[kind])
            gate->next = u->before[kind];
    }
}

static void do_take(struct world *w)
{
    uint32_t want = model_best(w);
    struct frontier_taken taken;
    int64_t wait = -1;
    scent_status status = frontier_take(w->f, w->now, &taken, &wait);
    struct model_url *u = &w->urls[want];

    if (want == URLS) {
        assert_int_equal(status, model_has_more(w) ? SCENT_E_NOTFOUND : SCENT_E_END);
        assert_true(wait > 0 && wait <= model_wait(w));
        /* With gates, or for a text, it may be woken for nothing. */
        assert_true(w->limits[0] || w->limits[1] || w->on_disk || wait == model_wait(w));
        return;
    }
    assert_int_equal(status, SCENT_OK);
    assert_int_equal(taken.id, want);
    assert_int_equal(taken.host, u->host);
    assert_str(taken.href, u->text);
    assert_same_candidate(&taken.candidate, &u->candidate);
    w->hrefs[want] = taken.href;
    u->state = FRONTIER_IN_FLIGHT;
    begin(w, u);
}

static void do_land(struct world *w)
{
    uint32_t id = pick(w, FRONTIER_IN_FLIGHT);
    struct model_url *u = &w->urls[id];
    int64_t after = (int64_t)rng_below(&w->rng, 40);

    if (id == URLS)
        return;
    assert_str(w->hrefs[id], u->text);
    end(w, u);
    if (rng_below(&w->rng, 3)) {
        frontier_finish(w->f, id, w->now);
        u->state = FRONTIER_DONE;
        return;
    }
    u->candidate = random_candidate(&w->rng);
    u->state = FRONTIER_QUEUED;
    if (rng_below(&w->rng, 3) == 0) {
        frontier_untake(w->f, id, &u->candidate);
        undo(w, u);
        return;
    }
    frontier_requeue(w->f, id, &u->candidate, w->now, after);
    if (w->now + after > w->hosts[u->host].next)
        w->hosts[u->host].next = w->now + after;
}

static void do_polite(struct world *w)
{
    uint32_t host = w->nhosts ? (uint32_t)rng_below(&w->rng, w->nhosts) : 0;
    int64_t time = w->now + (int64_t)rng_below(&w->rng, 60) - 10, delay = (int64_t)rng_below(&w->rng, 50) - 10;
    struct model_host *h = &w->hosts[host];

    if (w->nhosts == 0)
        return;
    switch (rng_below(&w->rng, 5)) {
    case 0:
        frontier_set_delay(w->f, host, delay);
        h->delay = delay;
        break;
    case 1:
        frontier_wait_until(w->f, host, time, w->now);
        h->next = time > h->next ? time : h->next;
        break;
    case 2:
        do_gate(w, host, (uint32_t)rng_below(&w->rng, KINDS));
        break;
    default:
        if (h->holds && rng_below(&w->rng, 8)) {
            frontier_release(w->f, host);
            h->holds--;
        } else if (rng_below(&w->rng, 2)) {
            frontier_hold(w->f, host);
            h->holds++;
        }
    }
}

/* ---- texts ---- */

static bool is_asked(const struct world *w, uint32_t id)
{
    for (uint32_t i = 0; i < w->nasked; i++)
        if (w->asked[i] == id)
            return true;
    return false;
}

static void do_ask(struct world *w)
{
    uint32_t ids[8];
    size_t n = frontier_wanted(w->f, ids, 1 + rng_below(&w->rng, 8));

    for (size_t i = 0; i < n; i++) {
        assert_true(w->on_disk && ids[i] < w->committed);
        assert_int_equal(w->urls[ids[i]].state, FRONTIER_QUEUED);
        assert_false(supply_has_text(w->f, ids[i]) || is_asked(w, ids[i]));
        w->asked[w->nasked++] = ids[i];
    }
}

static void do_supply(struct world *w)
{
    uint32_t i = w->nasked ? (uint32_t)rng_below(&w->rng, w->nasked) : 0, id = w->asked[i];

    if (w->nasked == 0)
        return;
    w->asked[i] = w->asked[--w->nasked];
    assert_int_equal(frontier_supply(w->f, id, str_of(w->urls[id].text)), SCENT_OK);
    assert_int_equal(supply_has_text(w->f, id), w->urls[id].state == FRONTIER_QUEUED);
}

static void do_commit(struct world *w)
{
    if (!w->on_disk)
        return;
    w->committed += (uint32_t)rng_below(&w->rng, w->nurls - w->committed + 1);
    frontier_committed(w->f, w->committed);
}

struct walk {
    struct world *w;
    uint32_t next; /* no queued id is left out below */
    unsigned change; /* of 8 */
};

static void visit(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    struct walk *walk = ctx;

    for (; walk->next < id; walk->next++)
        assert_int_not_equal(walk->w->urls[walk->next].state, FRONTIER_QUEUED);
    assert_int_equal(walk->next, id);
    walk->next++;
    assert_int_equal(walk->w->urls[id].state, FRONTIER_QUEUED);
    assert_same_candidate(candidate, &walk->w->urls[id].candidate);
    if (rng_below(&walk->w->rng, 8) >= walk->change)
        return;
    *candidate = walk->w->urls[id].candidate = random_candidate(&walk->w->rng);
    *changed = true;
}

static void do_each(struct world *w)
{
    struct walk walk = {.w = w, .change = (unsigned)rng_below(&w->rng, 9)};

    frontier_each(w->f, visit, &walk);
    for (; walk.next < w->nurls; walk.next++)
        assert_int_not_equal(w->urls[walk.next].state, FRONTIER_QUEUED);
}

static void check(const struct world *w)
{
    assert_int_equal(frontier_known(w->f), w->nurls);
    assert_int_equal(frontier_hosts(w->f), w->nhosts);
    assert_int_equal(frontier_queued(w->f), model_count(w, FRONTIER_QUEUED));
    assert_int_equal(frontier_in_flight(w->f), model_count(w, FRONTIER_IN_FLIGHT));
    assert_int_equal(frontier_has_more(w->f), model_has_more(w));
    assert_int_equal(frontier_below(w->f), model_below(w));
    for (uint32_t i = 0; i < w->nurls; i++)
        assert_int_equal(frontier_state(w->f, i), w->urls[i].state);
}

static void step(struct world *w)
{
    static void (*const often[])(struct world *) = {do_intern, do_intern, do_queue, do_queue, do_update,
                                                    do_update, do_take,   do_take,  do_land, do_polite,
                                                    do_ask,    do_supply};
    uint64_t n = rng_below(&w->rng, 100);

    if (n == 0)
        do_each(w);
    else if (n < 4)
        do_drop(w);
    else if (n < 6)
        do_commit(w);
    else if (n < 20)
        w->now += (int64_t)rng_below(&w->rng, 12);
    else
        often[rng_below(&w->rng, sizeof often / sizeof *often)](w);
}

static void set_floor(struct world *w, float floor)
{
    w->floor = floor;
    frontier_set_floor(w->f, floor);
}

/* Everything that is queued can be visited in the end. */
static void drain(struct world *w)
{
    set_floor(w, -INFINITY);
    for (uint32_t h = 0; h < w->nhosts; h++)
        for (; w->hosts[h].holds; w->hosts[h].holds--)
            frontier_release(w->f, h);
    for (int i = 0; i < 100000 && model_count(w, FRONTIER_QUEUED) + model_count(w, FRONTIER_IN_FLIGHT); i++) {
        do_ask(w);
        do_supply(w);
        do_take(w);
        do_land(w);
        w->now++;
    }
    assert_int_equal(frontier_queued(w->f) + frontier_in_flight(w->f), 0);
}

static void run(uint64_t seed)
{
    struct world *w = calloc(1, sizeof *w);

    rng_seed(&w->rng, seed);
    w->options.delay_us = seed % 3 == 0 ? 0 : (int64_t)rng_below(&w->rng, 30);
    w->options.per_host = 1 + (uint32_t)rng_below(&w->rng, 3);
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        w->limits[kind] = seed >> (1 + kind) & 1 ? 1 + (uint32_t)rng_below(&w->rng, 4) : 0;
        for (uint32_t i = 0; i < GATES; i++)
            w->gates[kind][i].next = INT64_MIN / 2;
    }
    w->options.per_domain = w->limits[0];
    w->options.per_ip = w->limits[1];
    w->on_disk = seed >> 3 & 1;
    w->options.text_bytes = w->on_disk ? 1 + rng_below(&w->rng, 2000) : 0;
    w->now = (int64_t)rng_below(&w->rng, 1000) - 500;
    w->f = frontier_new(&w->options);
    w->floor = -INFINITY;
    for (int i = 0; i < STEPS; i++) {
        step(w);
        if (seed >> 4 & 1 && i % 1000 == 0) /* the fourth time there is none again */
            set_floor(w, i == 4000 ? -INFINITY : (float)rng_below(&w->rng, 9) / 4 - 1);
        if (i % 64 == 0)
            check(w);
    }
    check(w);
    drain(w);
    frontier_free(w->f);
    free(w);
}

static void agrees_with_the_model(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++)
        run(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_model)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
