#include "crawldir/snapshot.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

double snapshot_harvest(const struct snapshot *snapshot)
{
    return snapshot->counts.pages ? (double)snapshot->counts.relevant / (double)snapshot->counts.pages : 0;
}

void snapshot_sum(struct snapshot *sum, const struct snapshot *more)
{
    struct store_counts *counts = &sum->counts;
    int64_t next = more->revisits.next;

    counts->pages += more->counts.pages;
    counts->relevant += more->counts.relevant;
    counts->responses += more->counts.responses;
    counts->links += more->counts.links;
    counts->hosts += more->counts.hosts;
    counts->waiting += more->counts.waiting;
    for (size_t i = 0; i < STORE_URL_STATES; i++) {
        counts->urls[i] += more->counts.urls[i];
        counts->requisites[i] += more->counts.requisites[i];
    }
    sum->left_out += more->left_out;
    sum->revisits.pages += more->revisits.pages;
    sum->revisits.due += more->revisits.due;
    sum->revisits.next = next && (!sum->revisits.next || next < sum->revisits.next) ? next : sum->revisits.next;
    sum->disk_bytes += more->disk_bytes;
    sum->disk_free = !sum->disk_free || more->disk_free < sum->disk_free ? more->disk_free : sum->disk_free;
}

/* ---- from the database ---- */

struct gathering {
    struct snapshot *out;
    struct arena *arena;
    bool failed;
};

/* They come in order; all of them are kept, since the database groups them. */
static void keep_reason(void *ctx, struct str text, uint64_t count)
{
    struct gathering *gathering = ctx;
    struct snapshot *out = gathering->out;
    size_t n = out->nreasons;
    struct snapshot_reason *grown = out->reasons;

    if ((n & (n - 1)) == 0)
        grown = arena_grow(gathering->arena, out->reasons, n * sizeof *grown, (n ? 2 * n : 1) * sizeof *grown);
    text = arena_str(gathering->arena, text);
    gathering->failed |= !grown || !text.p;
    if (gathering->failed)
        return;
    out->reasons = grown;
    out->reasons[out->nreasons++] = (struct snapshot_reason){text, count};
}

static scent_status load_warnings(struct store *store, struct gathering *gathering, struct errmsg *err)
{
    struct buf kept;
    scent_status status;

    buf_init(&kept, 0);
    status = store_get(store, CRAWLDIR_WARNINGS, &kept, err);
    gathering->out->warnings = arena_str(gathering->arena, buf_str(&kept));
    gathering->failed |= !gathering->out->warnings.p;
    buf_release(&kept);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status snapshot_load(struct store *store, int64_t now, struct arena *arena, struct snapshot *out,
                           struct errmsg *err)
{
    struct gathering gathering = {.out = out, .arena = arena};
    scent_status status;

    *out = (struct snapshot){0};
    SCENT_TRY(store_count(store, &out->counts, err));
    status = crawldir_get_number(store, CRAWLDIR_LEFT_OUT, &out->left_out, err);
    if (status != SCENT_E_NOTFOUND)
        SCENT_TRY(status);
    SCENT_TRY(store_count_revisits(store, now, &out->revisits, err));
    SCENT_TRY(load_warnings(store, &gathering, err));
    SCENT_TRY(store_each_error(store, keep_reason, &gathering, err));
    return gathering.failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the state of the crawl") : SCENT_OK;
}

void snapshot_each_warning(const struct snapshot *snapshot, void (*fn)(void *ctx, struct str text), void *ctx)
{
    struct str rest = snapshot->warnings, line, kind;

    while (str_split(&rest, '\n', &line))
        if (str_split(&line, ' ', &kind) && line.len)
            fn(ctx, line);
}

/* ---- the disk ---- */

static uint64_t size_of(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
}

void snapshot_measure_disk(const char *dir, uint64_t *bytes, uint64_t *free_bytes)
{
    struct crawldir_path folder = crawldir_path(dir, CRAWLDIR_WARC);
    struct file_list files;
    struct statvfs fs;

    *bytes = size_of(crawldir_path(dir, "crawl.db").text) + size_of(crawldir_path(dir, "crawl.db-wal").text);
    *free_bytes = statvfs(dir, &fs) == 0 ? (uint64_t)fs.f_bavail * fs.f_frsize : 0;
    if (file_list(folder.text, "", &files, NULL) != SCENT_OK)
        return;
    for (size_t i = 0; i < files.count; i++)
        *bytes += size_of(crawldir_path(folder.text, files.names[i]).text);
    file_list_release(&files);
}

/* ---- as JSON ---- */

static void put_u64(struct json_writer *w, const char *key, uint64_t n)
{
    json_put_int(w, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static void put_seconds(struct json_writer *w, const char *key, int64_t us)
{
    json_put_double(w, key, (double)us / 1e6);
}

static void put_date(struct json_writer *w, const char *key, int64_t wall)
{
    char date[32];

    clock_format_iso(wall, date, sizeof date);
    json_put_str(w, key, str_of(date));
}

static void write_warning(void *ctx, struct str text)
{
    json_str(ctx, text);
}

static void write_states(const char *key, const uint64_t counts[STORE_URL_STATES], struct json_writer *w)
{
    static const enum store_url_state states[] = {
        STORE_QUEUED, STORE_FETCHED, STORE_REDIRECTED, STORE_FAILED, STORE_DROPPED, STORE_SEEN, STORE_PURGED,
    };

    json_key(w, key);
    json_object_begin(w);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        put_u64(w, store_url_state_text(states[i]), counts[states[i]]);
    json_object_end(w);
}

static void write_counts(const struct snapshot *s, struct json_writer *w)
{
    put_u64(w, "pages", s->counts.pages);
    put_u64(w, "relevant", s->counts.relevant);
    json_put_double(w, "harvest", snapshot_harvest(s));
    put_u64(w, "waiting", s->counts.waiting);
    put_u64(w, "responses", s->counts.responses);
    put_u64(w, "links", s->counts.links);
    put_u64(w, "hosts", s->counts.hosts);
    write_states("urls", s->counts.urls, w);
    write_states("requisites", s->counts.requisites, w);
    put_u64(w, "left_out", s->left_out);
    json_key(w, "revisits");
    json_object_begin(w);
    put_u64(w, "pages", s->revisits.pages);
    put_u64(w, "due", s->revisits.due);
    if (s->revisits.pages)
        put_date(w, "next", s->revisits.next);
    json_object_end(w);
    json_key(w, "warnings");
    json_array_begin(w);
    snapshot_each_warning(s, write_warning, w);
    json_array_end(w);
    json_key(w, "errors");
    json_array_begin(w);
    for (size_t i = 0; i < s->nreasons; i++) {
        json_object_begin(w);
        json_put_str(w, "reason", s->reasons[i].text);
        put_u64(w, "count", s->reasons[i].count);
        json_object_end(w);
    }
    json_array_end(w);
    put_u64(w, "disk_bytes", s->disk_bytes);
    put_u64(w, "disk_free_bytes", s->disk_free);
}

static void write_limits(const struct snapshot_live *live, struct json_writer *w)
{
    json_key(w, "limits");
    json_object_begin(w);
    put_u64(w, "pages", live->limits.pages);
    put_seconds(w, "time", live->limits.time_us);
    put_u64(w, "depth", live->limits.depth);
    put_u64(w, "per_host", live->limits.per_host);
    put_u64(w, "per_domain", live->limits.per_domain);
    json_object_end(w);
    put_seconds(w, "delay", live->delay_us);
    json_key(w, "blocked");
    json_array_begin(w);
    for (size_t i = 0; i < live->nblocked; i++)
        json_str(w, live->blocked[i]);
    json_array_end(w);
}

static void write_frontier(const struct snapshot_live *live, struct json_writer *w)
{
    put_u64(w, "known", live->known);
    put_u64(w, "queued", live->queued);
    put_u64(w, "in_flight", live->in_flight);
    json_key(w, "priorities");
    json_object_begin(w);
    put_u64(w, "first", live->first);
    json_key(w, "bands");
    json_array_begin(w);
    for (size_t i = 0; i < live->nbands; i++) {
        json_object_begin(w);
        json_put_double(w, "from", live->bands[i].from);
        json_put_double(w, "to", live->bands[i].to);
        put_u64(w, "count", live->bands[i].count);
        json_object_end(w);
    }
    json_array_end(w);
    put_u64(w, "last", live->last);
    json_object_end(w);
    put_u64(w, "hosts_ready", live->hosts_ready);
    put_u64(w, "hosts_waiting", live->hosts_waiting);
    put_u64(w, "hosts_resting", live->hosts_resting);
}

static void write_live(const struct snapshot_live *live, struct json_writer *w)
{
    json_put_str(w, "state", str_of(live->state));
    json_put_str(w, "topic", live->topic);
    json_put_str(w, "strategy", live->strategy);
    put_date(w, "started", live->started);
    put_seconds(w, "seconds", live->elapsed_us);
    json_key(w, "seconds_left");
    if (live->left_us < 0)
        json_none(w);
    else
        json_double(w, (double)live->left_us / 1e6);
    put_u64(w, "new_pages", live->new_pages);
    put_u64(w, "visited_again", live->revisits);
    put_u64(w, "changed", live->changes);
    json_put_double(w, "pages_per_s", live->pages_per_s);
    put_u64(w, "recent_pages", live->recent);
    json_put_double(w, "recent_harvest", live->recent ? (double)live->recent_relevant / (double)live->recent : 0);
    write_frontier(live, w);
    put_u64(w, "failed", live->failed);
    put_u64(w, "robots_refused", live->robots_refused);
    put_u64(w, "back_offs", live->back_offs);
    write_limits(live, w);
    put_u64(w, "hooks_dropped", live->hooks_dropped);
    json_put_str(w, "waits_for", live->waits_for);
}

void snapshot_write(const struct snapshot *snapshot, struct json_writer *w)
{
    json_object_begin(w);
    json_put_bool(w, "running", snapshot->running);
    write_counts(snapshot, w);
    if (snapshot->running)
        write_live(&snapshot->live, w);
    json_object_end(w);
}
