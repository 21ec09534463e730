/* frontier - which URL next?
 *
 * THE LIFE OF A URL
 *
 *   unknown --intern--> seen --queue--> QUEUED --take--> IN_FLIGHT --finish--> DONE
 *                        |                ^  |              |
 *                        |                |  +--drop--------|--------------> DONE
 *                        |                +----- requeue ---+   (retry; or untake: the visit did not begin)
 *                        +--(out of scope, dropped by the strategy)--> stays seen, never queued
 *   DONE --reopen--> seen (it is to be visited once more)
 *
 *   unknown   nobody has linked to it
 *   seen      it has an id; that is all that is known of it
 *   QUEUED    a candidate with a priority, in the queue of its host
 *   IN_FLIGHT taken; its host is busy with it
 *   DONE      examined, failed for good, redirected (the target is a URL of its own) or given up; what
 *             came of it is in the store
 *
 * Ids are dense, from 0 in the order of discovery (the store uses them as rowids).
 * `take` gives the best candidate (largest priority; among equals the smallest id: first found first) among the
 * hosts that may be visited now (see politeness below).
 * NaN counts as the lowest priority. A transition that the picture does not show is a bug and aborts.
 * Cost: one probe to intern, O(log n) to queue, update, take. Memory per known URL is stated in frontier.c.
 * Thread: the engine's, no locks. Time is passed in: monotonic microseconds. */
#ifndef SCENT_FRONTIER_FRONTIER_H
#define SCENT_FRONTIER_FRONTIER_H

#include "base/status.h"
#include "base/str.h"

enum frontier_state { FRONTIER_SEEN, FRONTIER_QUEUED, FRONTIER_IN_FLIGHT, FRONTIER_DONE };

enum { FRONTIER_OWN_BYTES = 16 };

/* What is kept with a queued URL; depth, off_domain, redirects and tries up to these (more is kept as that). */
enum { FRONTIER_DEPTH_MAX = 4095, FRONTIER_OFF_DOMAIN_MAX = 127, FRONTIER_SMALL_MAX = 15 };
struct candidate {
    float priority;
    uint16_t depth;      /* links from a seed */
    uint8_t off_domain;  /* links since the last page on a seed's registered domain */
    uint8_t redirects;   /* length of the redirect chain that led here */
    uint8_t tries;       /* fetches begun so far */
    uint8_t flags;       /* enum candidate_flags: five bits */
    uint8_t own[FRONTIER_OWN_BYTES]; /* the strategy's; zeros at the end cost no memory */
};
enum candidate_flags {
    CANDIDATE_SEED = 1,
    CANDIDATE_ROBOTS = 2, /* a host's robots.txt */
    CANDIDATE_AGAIN = 4,  /* a page that was fetched before; never stored */
    CANDIDATE_SITEMAP = 8,
    CANDIDATE_REQUISITE = 16 /* a file that a page needs to look as it did; with CANDIDATE_ROBOTS: a robots.txt that is
                                asked for on behalf of one */
};

static inline bool candidate_is_requisite(const struct candidate *candidate)
{
    return (candidate->flags & (CANDIDATE_ROBOTS | CANDIDATE_REQUISITE)) == CANDIDATE_REQUISITE;
}

/* What the seen map knows a candidate by, where `fingerprint` is that of its URL under `key`. A robots.txt, or where it
 * redirects to, is known by its own bytes as well (the origin that it speaks for), and a sitemap or a requisite as
 * such: so the same URL can be asked for by several origins, and be a page beside that. */
uint64_t frontier_identity(uint64_t fingerprint, uint8_t flags, const uint8_t own[FRONTIER_OWN_BYTES], uint64_t key);

struct frontier_options {
    int64_t delay_us;    /* between the beginnings of two visits to a host */
    uint32_t per_host;   /* visits to a host at once; 0: 1; at most 65,535 */
    uint32_t per_domain; /* visits to a registered domain at once, and beginnings within delay_us; 0: no limit */
    uint32_t per_ip;     /* and to an IP address */
    size_t text_bytes;   /* for texts whose rows are committed; 0: 16 MiB */
};

struct frontier;
struct frontier *frontier_new(const struct frontier_options *options); /* never NULL */
void frontier_free(struct frontier *frontier);

/* The id of the URL with this fingerprint; *is_new when it was unknown (it is `seen` from now on). */
SCENT_NODISCARD scent_status frontier_intern(struct frontier *f, uint64_t fingerprint, uint32_t *id, bool *is_new);
/* false when unknown */
bool frontier_find(const struct frontier *f, uint64_t fingerprint, uint32_t *id);
enum frontier_state frontier_state(const struct frontier *f, uint32_t id);
/* Begins to load what an intern or find of this fingerprint will read: call it for all links of a page, then intern
 * them. Optional. */
void frontier_expect(const struct frontier *f, uint64_t fingerprint);
uint32_t frontier_known(const struct frontier *f);  /* ids given out */
uint32_t frontier_queued(const struct frontier *f);
uint32_t frontier_in_flight(const struct frontier *f);

/* Candidates whose priority is below the floor are not taken: they stay queued, and may rise. A host whose best is
 * below is in nobody's way. From the beginning the floor is -Inf: nothing is below, NaN neither, and it costs nothing.
 * A new one costs a look at every host. */
void frontier_set_floor(struct frontier *f, float floor);
bool frontier_has_more(const struct frontier *f);   /* is anything queued that is not below the floor? */
uint32_t frontier_below(const struct frontier *f);  /* how many are below; looks at all of them */

/* How the priorities of what is queued are spread, for people: equal bands between the least and the greatest of those
 * between `below` and `above`, the others beside them. Looks at all of them twice. */
enum { FRONTIER_BANDS = 10 };
struct frontier_spread {
    float below, above;    /* the caller's */
    double least, greatest; /* of what the bands hold */
    uint32_t bands[FRONTIER_BANDS];
    uint32_t first, last;  /* at or above `above`; at or below `below`, or NaN */
};
void frontier_spread(const struct frontier *f, struct frontier_spread *out);

/* Hosts are interned by name ("example.org:8080" where the port is not the default). */
SCENT_NODISCARD scent_status frontier_host(struct frontier *f, struct str name, uint32_t *host, bool *is_new);
bool frontier_find_host(const struct frontier *f, struct str name, uint32_t *host); /* false: unknown */
struct str frontier_host_name(const struct frontier *f, uint32_t host);
uint32_t frontier_hosts(const struct frontier *f);

/* ---- politeness ----
 *
 * A host may be visited when it is not held, fewer than per_host visits to it are in flight, its delay has passed since
 * the last began, and its domain and its IP, where they are known and limited to N, have fewer than N visits in flight
 * and the last began delay_us / N ago. After a restart nobody knows when the last visit to a domain or an IP began:
 * let delay_us pass before the first take. */

/* Domains and IPs are numbered by the caller, densely from 0. Either may change at any time: visits in flight
 * count for where they went. FRONTIER_UNKNOWN: none. On error nothing changes. */
#define FRONTIER_UNKNOWN UINT32_MAX
SCENT_NODISCARD scent_status frontier_set_domain(struct frontier *f, uint32_t host, uint32_t domain);
SCENT_NODISCARD scent_status frontier_set_ip(struct frontier *f, uint32_t host, uint32_t ip);
/* So many crawlers visit this IP, which some host has: from its next visit on each waits so many times as long between
 * two of them, and has its part of the visits at once, at least one. At most 65,535. */
void frontier_share_ip(struct frontier *f, uint32_t ip, uint32_t crawlers);
/* The IP of a host that has something to visit, or would have had to wait at `since`: it was visited a moment before.
 * FRONTIER_UNKNOWN: none, or nobody goes there. */
uint32_t frontier_visited_ip(const struct frontier *f, uint32_t host, int64_t since);

/* Replaces the delay of this host from the next visit on (negative: the default again); at most 4,294 seconds. */
#define FRONTIER_DELAY_MAX_US ((int64_t)UINT32_MAX - 1)
void frontier_set_delay(struct frontier *f, uint32_t host, int64_t delay_us);
/* Replaces the delay of frontier_options from the next visits on. */
void frontier_set_usual_delay(struct frontier *f, int64_t delay_us);

/* No visits begin while a host is held. Holds are counted: as many releases as holds. */
void frontier_hold(struct frontier *f, uint32_t host);
void frontier_release(struct frontier *f, uint32_t host);

/* No visit begins before `time`, nor earlier than was said before; a day after `now` at most. */
#define FRONTIER_WAIT_MAX_US ((int64_t)86400 * 1000000)
void frontier_wait_until(struct frontier *f, uint32_t host, int64_t time, int64_t now);

/* ---- queueing ---- */

/* seen -> QUEUED. An empty text means that it is on disk (see texts). SCENT_E_LIMIT: longer than 65,535 bytes. */
SCENT_NODISCARD scent_status frontier_queue(struct frontier *f, uint32_t id, struct str href, uint32_t host,
                                            const struct candidate *candidate);
/* Of a QUEUED url; false for others. */
bool frontier_get(const struct frontier *f, uint32_t id, struct candidate *out);
/* Replaces what is kept with a QUEUED url (its priority may go up or down); ignored for others. */
void frontier_update(struct frontier *f, uint32_t id, const struct candidate *candidate);
/* QUEUED -> DONE without a visit. */
void frontier_drop(struct frontier *f, uint32_t id);
/* Calls back for every QUEUED url, in order of id; the callback may update that candidate (not queue or take). */
void frontier_each(struct frontier *f,
                   void (*fn)(void *ctx, uint32_t id, struct candidate *candidate, bool *changed), void *ctx);

/* ---- texts ----
 *
 * The text of a queued URL stays in memory until its row is committed; later only while there is room. What is on disk
 * and will soon be needed is asked for by frontier_wanted, which is to be called again and again (after takes, and
 * when take finds nothing), and comes back by frontier_supply, at any time and in any order.
 * A host whose best candidate has no text yet waits for it and is not visited for its second best; meanwhile others
 * are, even with worse candidates. */

/* The rows of all ids below `end_id` are in the store, with their texts. */
void frontier_committed(struct frontier *f, uint32_t end_id);
/* Ids whose texts are to be loaded, the most urgent first; returns how many. Each is given out once, until it is
 * supplied or no longer queued (or was loaded, made room for others, and is needed again). */
size_t frontier_wanted(struct frontier *f, uint32_t *ids, size_t room);
/* The text of a wanted URL; ignored when nobody waits for it. A URL whose text cannot be found must be dropped. An
 * error (no memory; too long; empty) leaves it wanted, but it is not given out again. */
SCENT_NODISCARD scent_status frontier_supply(struct frontier *f, uint32_t id, struct str text);

/* ---- visits ---- */

struct frontier_taken {
    uint32_t id, host;
    struct str href; /* valid until the URL is done */
    struct candidate candidate;
};
/* QUEUED -> IN_FLIGHT. SCENT_E_NOTFOUND: no host may be visited now; *wait_us says for how long at most (INT64_MAX:
 * until something else happens: a visit ends, a host is released, a text is supplied). SCENT_E_END: nothing is queued,
 * or all that is lies below the floor. */
SCENT_NODISCARD scent_status frontier_take(struct frontier *f, int64_t now, struct frontier_taken *out,
                                           int64_t *wait_us);
/* Hosts that may be visited now, and those that wait for a time: how many, and which is the first of these, when. */
struct frontier_waits {
    uint32_t ready, waiting;
    uint32_t host; /* if any waits */
    int64_t until;
};
void frontier_waits(const struct frontier *f, struct frontier_waits *out);
/* Hosts that will soon be visited: those that may be now, then those that wait for a time; the next ones early, but not
 * in strict order. Returns how many. Costs what it gives. */
size_t frontier_near(const struct frontier *f, uint32_t *hosts, size_t room);
/* IN_FLIGHT -> DONE; the host may take another. */
void frontier_finish(struct frontier *f, uint32_t id, int64_t now);
/* IN_FLIGHT -> QUEUED: it will be tried again, not before `now + after_us` (the host waits). */
void frontier_requeue(struct frontier *f, uint32_t id, const struct candidate *candidate, int64_t now,
                      int64_t after_us);
/* IN_FLIGHT -> QUEUED as if it had never been taken: the beginning does not count. (Where other visits to the same
 * host, domain or IP have begun since, these count, and so does the time they had to wait.) */
void frontier_untake(struct frontier *f, uint32_t id, const struct candidate *candidate);

/* DONE -> seen: it may be queued again (robots.txt once a day, a page that is visited again). */
void frontier_reopen(struct frontier *f, uint32_t id);

/* For resume: marks a `seen` id as DONE. */
void frontier_mark_done(struct frontier *f, uint32_t id);

/* Memory that holds texts, for the figures. */
size_t frontier_text_bytes(const struct frontier *f);

#endif
