/* overview - the crawl in numbers for whoever watches it, and what it waits for in words. */
#include "engine/crawl.h"

#include <inttypes.h>
#include <stdio.h>

#define SECOND INT64_C(1000000)
enum { SPREAD_COST = 100 }; /* of the engine's time, one part in so many may go into counting priorities */

/* ---- what it waits for ---- */

struct conf_shown overview_time(int64_t us)
{
    struct conf_shown shown;

    if (us < 10 * SECOND)
        snprintf(shown.text, sizeof shown.text, "%.1f s", us > 0 ? (double)us / 1e6 : 0.);
    else
        shown = conf_show_duration((us + SECOND - 1) / SECOND * SECOND);
    return shown;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* Hosts that were visited lately, or are in trouble. */
static void wait_for_hosts(const struct crawl *crawl, const struct frontier_waits *waits, int64_t now,
                           struct overview_wait *out)
{
    const struct politeness *politeness = crawl->access.politeness;
    struct str name = frontier_host_name(steer_frontier(crawl->steer), waits->host);
    const char *trouble = "";

    if (politeness && waits->host < politeness_hosts(politeness) && politeness_failures(politeness, waits->host))
        trouble = politeness_trouble(politeness, waits->host);
    if (*trouble)
        snprintf(out->text, sizeof out->text, "%.*s: %s, retry in %s%s", STR_ARG(name), trouble,
                 overview_time(waits->until - now).text, waits->waiting > 1 ? "; other hosts wait longer" : "");
    else
        snprintf(out->text, sizeof out->text, "the delay%s of %" PRIu32 " host%s, the next one in %s",
                 plural(waits->waiting), waits->waiting, plural(waits->waiting),
                 overview_time(waits->until - now).text);
}

static int64_t next_rest(const struct access *access)
{
    int64_t next = INT64_MAX;

    for (size_t i = 0; i < access->nresting; i++)
        next = access->resting[i].until < next ? access->resting[i].until : next;
    return next;
}

struct overview_wait overview_wait(const struct crawl *crawl)
{
    const struct clock *clock = crawl->options->clock;
    uint64_t in_flight = dispatch_in_flight(&crawl->dispatch);
    int64_t now = clock_mono(clock);
    struct overview_wait out = {""};
    struct frontier_waits waits;

    frontier_waits(steer_frontier(crawl->steer), &waits);
    if (crawl->ending.stopping)
        snprintf(out.text, sizeof out.text, "%" PRIu64 " visit%s under way, then it stops", in_flight,
                 plural(in_flight));
    else if (crawl->commands.paused)
        snprintf(out.text, sizeof out.text, "'scent control %s resume': it is paused", crawl->options->dir);
    else if (in_flight && counting_pages_per_s(&crawl->counting, now, crawl->ending.started) > 0)
        return out;
    else if (in_flight)
        snprintf(out.text, sizeof out.text, "%" PRIu64 " answer%s", in_flight, plural(in_flight));
    else if (crawl->dispatch.quiet_until > now)
        snprintf(out.text, sizeof out.text, "the delay after a restart, %s",
                 overview_time(crawl->dispatch.quiet_until - now).text);
    else if (waits.ready)
        return out;
    else if (waits.waiting)
        wait_for_hosts(crawl, &waits, now, &out);
    else if (crawl->retries.count)
        snprintf(out.text, sizeof out.text, "%zu failed visit%s to be repeated, the next one in %s",
                 crawl->retries.count, plural(crawl->retries.count),
                 overview_time(crawl->retries.heap[0].due - now).text);
    else if (crawl->access.nresting)
        snprintf(out.text, sizeof out.text, "%zu host%s that do not answer, the next try in %s",
                 crawl->access.nresting, plural(crawl->access.nresting),
                 overview_time(next_rest(&crawl->access) - now).text);
    else if (frontier_has_more(steer_frontier(crawl->steer)))
        snprintf(out.text, sizeof out.text, "URLs from the disk");
    else if (crawl->recrawl && crawl->recrawl->next != INT64_MAX)
        snprintf(out.text, sizeof out.text, "the next page to be visited again, in %s",
                 overview_time(crawl->recrawl->next - clock_wall(clock)).text);
    return out;
}

/* ---- numbers ---- */

/* At the present speed, until the nearer limit. */
static int64_t time_left(const struct crawl *crawl, double pages_per_s, int64_t elapsed_us)
{
    const struct topic_limits *limits = &crawl->topic->limits;
    int64_t left = -1, time = limits->time_us - elapsed_us;

    if (limits->pages && crawl->counts.pages >= limits->pages)
        left = 0;
    else if (limits->pages && pages_per_s > 0)
        left = (int64_t)((double)(limits->pages - crawl->counts.pages) / pages_per_s * 1e6);
    if (limits->time_us && (left < 0 || time < left))
        left = time > 0 ? time : 0;
    return left;
}

/* Counting ten million candidates takes a tenth of a second: then it is done every ten seconds. */
static void spread(struct crawl *crawl, int64_t now, struct snapshot_live *live)
{
    struct overview *overview = &crawl->overview;
    const struct frontier_spread *counted = &overview->spread;
    double width;

    if (now >= overview->next_spread) {
        steer_spread(crawl->steer, &overview->spread);
        overview->next_spread = now + SPREAD_COST * (clock_mono(crawl->options->clock) - now);
    }
    live->first = counted->first;
    live->last = counted->last;
    if (!(counted->least <= counted->greatest))
        return;
    width = (counted->greatest - counted->least) / FRONTIER_BANDS;
    live->nbands = width > 0 ? FRONTIER_BANDS : 1;
    for (size_t i = 0; i < live->nbands; i++)
        live->bands[i] = (struct snapshot_band){counted->least + width * (double)i,
                                                counted->least + width * (double)(i + 1), counted->bands[i]};
}

static void fill_live(struct crawl *crawl, struct arena *arena, struct snapshot_live *live)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    const struct counting *counting = &crawl->counting;
    const struct requisites *requisites = &crawl->requisites;
    int64_t now = clock_mono(crawl->options->clock);
    struct frontier_waits waits;

    frontier_waits(frontier, &waits);
    *live = (struct snapshot_live){
        .state = crawl->ending.stopping ? "stopping" : crawl->commands.paused ? "paused" : "crawling",
        .topic = arena_str(arena, crawl->topic->name),
        .strategy = str_of(steer_strategy(crawl->steer)->ops->name),
        .started = clock_wall(crawl->options->clock) - (now - crawl->ending.started),
        .elapsed_us = commands_elapsed(crawl, now),
        .new_pages = crawl->counts.pages - crawl->counts.first_page,
        .revisits = crawl->recrawl ? crawl->recrawl->visits : 0,
        .changes = crawl->recrawl ? crawl->recrawl->changes : 0,
        .pages_per_s = counting_pages_per_s(counting, now, crawl->ending.started),
        .recent = counting->nrecent < SNAPSHOT_RECENT ? counting->nrecent : SNAPSHOT_RECENT,
        .recent_relevant = counting->recent_relevant,
        .known = frontier_known(frontier) - requisites->known,
        .queued = frontier_queued(frontier) - (requisites->waiting + requisites->raised - requisites->in_flight),
        .in_flight = dispatch_in_flight(&crawl->dispatch),
        .hosts_ready = waits.ready,
        .hosts_waiting = waits.waiting,
        .hosts_resting = crawl->access.nresting,
        .failed = crawl->counts.failed,
        .robots_refused = counting->robots_refused,
        .back_offs = counting->back_offs,
        .hooks_dropped = hooks_dropped(crawl->hooks),
        .limits = crawl->topic->limits,
        .delay_us = crawl->topic->politeness.delay_us,
        .waits_for = arena_str(arena, str_of(overview_wait(crawl).text)),
    };
    live->left_us = time_left(crawl, live->pages_per_s, live->elapsed_us);
    spread(crawl, now, live);
}

static bool fill_blocked(const struct crawl *crawl, struct arena *arena, struct snapshot_live *live)
{
    size_t count = 0;
    struct str *names;

    while (steer_blocked(crawl->steer, count))
        count++;
    names = arena_array(arena, count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        if (!(names[i] = arena_str(arena, str_of(steer_blocked(crawl->steer, i)))).p)
            return false;
    live->blocked = names;
    live->nblocked = count;
    return names;
}

static void fill_requisites(const struct crawl *crawl, struct store_counts *counts)
{
    const struct requisites *requisites = &crawl->requisites;
    uint64_t others = requisites->waiting + requisites->raised;

    memcpy(counts->requisites, crawl->counting.requisites, sizeof counts->requisites);
    counts->requisites[STORE_QUEUED] = others;
    for (int state = 0; state < STORE_URL_STATES; state++)
        others += state == STORE_SEEN || state == STORE_QUEUED ? 0 : counts->requisites[state];
    counts->requisites[STORE_SEEN] = requisites->known > others ? requisites->known - others : 0;
}

/* As the database will have them: what is queued again for another visit is fetched there. */
static void fill_counts(const struct crawl *crawl, struct store_counts *counts)
{
    struct frontier *frontier = steer_frontier(crawl->steer);
    const struct counting *counting = &crawl->counting;
    uint64_t again = crawl->recrawl ? crawl->recrawl->queued : 0, known = frontier_known(frontier), others = 0;
    uint64_t queued = frontier_queued(frontier) + frontier_in_flight(frontier) + crawl->retries.count;

    *counts = (struct store_counts){
        .pages = crawl->counts.pages,
        .relevant = crawl->counts.relevant,
        .responses = crawl->counts.rows,
        .links = counting->links,
        .hosts = frontier_hosts(frontier),
        .waiting = counting->judge == crawl->judging.version && counting->judged < crawl->counts.pages
                       ? crawl->counts.pages - counting->judged
                   : counting->judge == crawl->judging.version ? 0
                                                            : crawl->counts.pages,
    };
    memcpy(counts->urls, counting->urls, sizeof counts->urls);
    fill_requisites(crawl, counts);
    queued -= counts->requisites[STORE_QUEUED];
    known -= crawl->requisites.known;
    counts->urls[STORE_QUEUED] = queued > again ? queued - again : 0;
    counts->urls[STORE_FETCHED] -= steer_reopened(crawl->steer) < counts->urls[STORE_FETCHED]
                                       ? steer_reopened(crawl->steer)
                                       : counts->urls[STORE_FETCHED];
    for (int state = 0; state < STORE_URL_STATES; state++)
        others += state == STORE_SEEN ? 0 : counts->urls[state];
    counts->urls[STORE_SEEN] = known > others ? known - others : 0;
}

void overview_fill(struct crawl *crawl, struct arena *arena, struct snapshot **out)
{
    struct snapshot *snapshot = arena_zalloc(arena, sizeof *snapshot);

    *out = NULL;
    if (!snapshot || counting_reasons(&crawl->counting, arena, &snapshot->reasons, &snapshot->nreasons) != SCENT_OK)
        return;
    snapshot->running = true;
    fill_counts(crawl, &snapshot->counts);
    snapshot->left_out = steer_left_out(crawl->steer);
    if (crawl->recrawl)
        snapshot->revisits = (struct store_revisit_counts){
            .pages = crawl->counts.pages, .due = crawl->recrawl->queued, .next = crawl->recrawl->next};
    snapshot->warnings = arena_str(arena, buf_str(&crawl->warnings.text));
    fill_live(crawl, arena, &snapshot->live);
    if (fill_blocked(crawl, arena, &snapshot->live) && snapshot->warnings.p && snapshot->live.topic.p &&
        snapshot->live.waits_for.p)
        *out = snapshot;
}
