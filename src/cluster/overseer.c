#include "cluster/overseer.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "cluster/cluster.h"
#include "cluster/pq.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LOG_ROWS = 32, /* at a time */
    BODY_BYTES = 1 << 20,
};

struct overseer {
    struct pq *pq;
};

static scent_status run(struct overseer *overseer, const char *sql, struct errmsg *err)
{
    return pq_run(overseer->pq, sql, NULL, 0, NULL, err);
}

static scent_status check_tables(struct overseer *overseer, struct errmsg *err)
{
    struct pq_rows *rows;
    bool there;

    SCENT_TRY(run(overseer, "SET client_min_messages = warning", err));
    SCENT_TRY(run(overseer, "SET statement_timeout = '60s'", err));
    SCENT_TRY(pq_run(overseer->pq, "SELECT to_regclass('scent.crawl') IS NOT NULL", NULL, 0, &rows, err));
    there = pq_count(rows) && pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    if (!there)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl yet: 'scent cluster init' makes its tables, "
                                                  "and so does the first 'scent crawl --join'");
    return run(overseer, "SET search_path = scent", err);
}

scent_status overseer_open(const char *uri, bool make, const struct log *log, struct overseer **out,
                           struct errmsg *err)
{
    struct overseer *overseer;
    scent_status status;

    SCENT_TRY(pq_check(uri, "--join", err));
    if (make) { /* checks version, clock and format, too */
        struct cluster *cluster;

        SCENT_TRY(cluster_open(uri, &clock_system, log, &cluster, err));
        cluster_close(cluster);
    }
    overseer = calloc(1, sizeof *overseer);
    SCENT_BUG_IF(!overseer);
    status = pq_open(uri, &overseer->pq, err);
    if (status == SCENT_OK)
        status = check_tables(overseer, err);
    if (status != SCENT_OK) {
        overseer_close(overseer);
        return status;
    }
    *out = overseer;
    return SCENT_OK;
}

void overseer_close(struct overseer *overseer)
{
    if (!overseer)
        return;
    pq_close(overseer->pq);
    free(overseer);
}

/* ---- looking ---- */

/* Rows with links that were sent, less those that were applied; of one partition. */
#define WAITING_ROWS                                                                                                  \
    "(SELECT count(*) FROM log WHERE log.crawl = part.crawl AND log.part = part.part AND kind = 1) - part.applied"

static scent_status keep(struct arena *arena, const struct pq_rows *rows, int row, int column, struct str *out)
{
    *out = arena_str(arena, pq_str(rows, row, column));
    return out->p ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status overseer_crawls(struct overseer *overseer, const char *name, struct arena *arena,
                             struct overseer_crawl **out, size_t *count, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    *count = 0;
    SCENT_TRY(pq_run(
        overseer->pq,
        "SELECT crawl.name, state, parts,"
        " (SELECT count(*) FROM part WHERE part.crawl = crawl.id AND owner IS NOT NULL),"
        " count(worker.id), count(worker.id) FILTER (WHERE lease_until > clock_timestamp()),"
        " coalesce(sum(pages), 0)::bigint, coalesce(sum(relevant), 0)::bigint, coalesce(sum(failed), 0)::bigint,"
        " coalesce(sum(queued), 0)::bigint, coalesce(sum(known), 0)::bigint,"
        " (coalesce(sum(sent), 0) - (SELECT sum(applied) FROM part WHERE part.crawl = crawl.id))::bigint, page_limit,"
        " (extract(epoch FROM made) * 1000000)::bigint"
        " FROM crawl LEFT JOIN worker ON worker.crawl = crawl.id WHERE $1::text IS NULL OR crawl.name = $1"
        " GROUP BY crawl.id ORDER BY crawl.name",
        (struct pq_value[]){PQ_TEXT(name)}, 1, &rows, err));
    *out = arena_zalloc(arena, ((size_t)pq_count(rows) + 1) * sizeof **out);
    if (!*out)
        status = SCENT_E_NOMEM;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++) {
        struct overseer_crawl *crawl = &(*out)[(*count)++];

        *crawl = (struct overseer_crawl){
            .parts = (uint32_t)pq_u64(rows, i, 2), .owned = (uint32_t)pq_u64(rows, i, 3),
            .workers = (uint32_t)pq_u64(rows, i, 4), .live = (uint32_t)pq_u64(rows, i, 5),
            .pages = pq_u64(rows, i, 6), .relevant = pq_u64(rows, i, 7), .failed = pq_u64(rows, i, 8),
            .queued = pq_u64(rows, i, 9), .known = pq_u64(rows, i, 10), .waiting = pq_u64(rows, i, 11),
            .page_limit = pq_u64(rows, i, 12), .made = (int64_t)pq_u64(rows, i, 13)};
        status = keep(arena, rows, i, 0, &crawl->name);
        if (status == SCENT_OK)
            status = keep(arena, rows, i, 1, &crawl->state);
    }
    pq_rows_free(rows);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory for the list of crawls");
    return name && !*count ? errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl '%s'", name) : SCENT_OK;
}

scent_status overseer_workers(struct overseer *overseer, const char *crawl, struct arena *arena,
                              struct overseer_worker **out, size_t *count, struct errmsg *err)
{
    struct pq_rows *rows;
    scent_status status = SCENT_OK;

    *count = 0;
    SCENT_TRY(pq_run(
        overseer->pq,
        "SELECT worker.name, worker.id, lease_until > clock_timestamp(), idle,"
        " (extract(epoch FROM lease_until - clock_timestamp()) * 1000000)::bigint,"
        " (SELECT count(*) FROM part WHERE part.crawl = crawl.id AND owner = worker.id),"
        " pages, relevant, failed, queued, known,"
        " coalesce((SELECT sum(" WAITING_ROWS ") FROM part"
        "  WHERE part.crawl = crawl.id AND owner = worker.id), 0)::bigint"
        " FROM worker JOIN crawl ON crawl.id = worker.crawl WHERE crawl.name = $1 ORDER BY worker.name, worker.id",
        (struct pq_value[]){PQ_TEXT(crawl)}, 1, &rows, err));
    *out = arena_zalloc(arena, ((size_t)pq_count(rows) + 1) * sizeof **out);
    if (!*out)
        status = SCENT_E_NOMEM;
    for (int i = 0; i < pq_count(rows) && status == SCENT_OK; i++) {
        struct overseer_worker *worker = &(*out)[(*count)++];

        *worker = (struct overseer_worker){
            .id = pq_u64(rows, i, 1), .live = pq_u64(rows, i, 2), .idle = pq_u64(rows, i, 3),
            .lease_us = (int64_t)pq_u64(rows, i, 4), .parts = (uint32_t)pq_u64(rows, i, 5),
            .pages = pq_u64(rows, i, 6), .relevant = pq_u64(rows, i, 7), .failed = pq_u64(rows, i, 8),
            .queued = pq_u64(rows, i, 9), .known = pq_u64(rows, i, 10), .waiting = pq_u64(rows, i, 11)};
        status = keep(arena, rows, i, 0, &worker->name);
    }
    pq_rows_free(rows);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "no memory for the list of workers");
}

static scent_status find_crawl(struct overseer *overseer, const char *name, uint64_t *id, struct errmsg *err)
{
    struct pq_rows *rows;

    SCENT_TRY(pq_run(overseer->pq, "SELECT id FROM crawl WHERE name = $1", (struct pq_value[]){PQ_TEXT(name)}, 1, &rows,
                     err));
    *id = pq_count(rows) ? pq_u64(rows, 0, 0) : 0;
    pq_rows_free(rows);
    return *id ? SCENT_OK : errmsg_fail(err, SCENT_E_NOTFOUND, "the server has no crawl '%s'", name);
}

/* ---- the log ---- */

/* Which rows of a crawl: state of workers that are not forgotten, the same with their verdicts, state that one worker
 * wrote, or all links and state that one wrote and that stands in partitions that it owns. */
#define STATE_OF_ALL "all"
#define VERDICTS_OF_ALL "verdicts"
#define STATE_OF_ONE "one"
#define LOG_OF_OWNER "owner"

struct walk {
    const char *crawl, *which, *worker; /* numbers; `worker` may be NULL for STATE_OF_ALL */
    overseer_row_fn *fn;
    void *ctx;
};

static scent_status walk_rows(const struct walk *walk, const struct pq_rows *rows, struct buf *body)
{
    for (int i = 0; i < pq_count(rows); i++) {
        bool read = batch_unpack(pq_str(rows, i, 3), CLUSTER_BODY_MAX, body) == SCENT_OK;

        SCENT_TRY(walk->fn(walk->ctx, &(struct overseer_row){.part = (uint32_t)pq_u64(rows, i, 0),
                                                             .xid = pq_u64(rows, i, 1),
                                                             .row = pq_u64(rows, i, 2),
                                                             .epoch = pq_u64(rows, i, 4),
                                                             .is_state = pq_u64(rows, i, 5) == CLUSTER_STATE,
                                                             .writer = pq_u64(rows, i, 6),
                                                             .worker = pq_str(rows, i, 7),
                                                             .damaged = !read,
                                                             .records = read ? buf_str(body) : STR_NONE}));
    }
    return SCENT_OK;
}

static scent_status walk_log(struct overseer *overseer, const struct walk *walk, struct errmsg *err)
{
    char part[24] = "-1", xid[24] = "0", id[24] = "0", room[24];
    scent_status status = SCENT_OK;
    int count = LOG_ROWS;
    struct buf body;

    snprintf(room, sizeof room, "%d", LOG_ROWS);
    buf_init(&body, CLUSTER_BODY_MAX + 1);
    while (status == SCENT_OK && count == LOG_ROWS) {
        struct pq_rows *rows;

        status = pq_run(overseer->pq,
                        "SELECT log.part, log.xid, log.id, log.body, log.epoch, log.kind, log.writer, worker.name"
                        " FROM log JOIN worker ON worker.crawl = log.crawl AND worker.id = log.writer"
                        " WHERE log.crawl = $1 AND CASE $7 WHEN '" STATE_OF_ALL "' THEN kind = 2 AND NOT forgotten"
                        "  WHEN '" VERDICTS_OF_ALL "' THEN kind > 1 AND NOT forgotten"
                        "  WHEN '" STATE_OF_ONE "' THEN kind = 2 AND writer = $2::bigint"
                        "  ELSE kind < 3 AND (writer = $2::bigint OR EXISTS (SELECT 1 FROM part"
                        "   WHERE part.crawl = log.crawl AND part.part = log.part AND part.owner = $2::bigint)) END"
                        " AND (log.part, log.xid, log.id) > ($3, $4::xid8, $5) ORDER BY 1, 2, 3 LIMIT $6",
                        (struct pq_value[]){PQ_TEXT(walk->crawl), PQ_TEXT(walk->worker), PQ_TEXT(part), PQ_TEXT(xid),
                                            PQ_TEXT(id), PQ_TEXT(room), PQ_TEXT(walk->which)},
                        7, &rows, err);
        if (status != SCENT_OK)
            break;
        count = pq_count(rows);
        status = walk_rows(walk, rows, &body);
        if (count) {
            snprintf(part, sizeof part, "%" PRIu64, pq_u64(rows, count - 1, 0));
            snprintf(xid, sizeof xid, "%" PRIu64, pq_u64(rows, count - 1, 1));
            snprintf(id, sizeof id, "%" PRIu64, pq_u64(rows, count - 1, 2));
        }
        pq_rows_free(rows);
    }
    buf_release(&body);
    return status;
}

struct verdict {
    uint64_t writer;
    struct batch_verdict last;
};

/* The last version of a page that was visited again. */
struct version {
    uint64_t url; /* its hash */
    uint64_t writer, number;
};

struct listing {
    overseer_page_fn *fn;
    void *ctx;
    struct verdict *verdicts; /* that have changed */
    size_t count, room;
    struct map by_page;
    struct version *versions;
    size_t nversions, versions_room;
    struct map by_url;
    struct errmsg *err;
};

static uint64_t key_of_page(uint64_t writer, uint64_t number)
{
    return hash_mix(writer, number);
}

/* NULL: it is that of the time when the page came. */
static struct verdict *find_verdict(const struct listing *listing, uint64_t writer, uint64_t number)
{
    struct map_walk walk = map_find(&listing->by_page, key_of_page(writer, number));

    while (map_next(&walk))
        if (listing->verdicts[walk.value].writer == writer && listing->verdicts[walk.value].last.number == number)
            return &listing->verdicts[walk.value];
    return NULL;
}

static scent_status note_verdict(struct listing *listing, uint64_t writer, const struct batch_verdict *verdict)
{
    struct verdict *known = find_verdict(listing, writer, verdict->number);

    if (known) {
        known->last = *verdict;
        return SCENT_OK;
    }
    if (!vec_reserve(&listing->verdicts, &listing->room, listing->count + 1, sizeof *listing->verdicts) ||
        map_add(&listing->by_page, key_of_page(writer, verdict->number), (uint32_t)listing->count) != SCENT_OK)
        return errmsg_no_memory(listing->err);
    listing->verdicts[listing->count++] = (struct verdict){writer, *verdict};
    return SCENT_OK;
}

/* NULL: there was but one. */
static struct version *find_version(const struct listing *listing, uint64_t url)
{
    struct map_walk walk = map_find(&listing->by_url, url);

    while (map_next(&walk))
        if (listing->versions[walk.value].url == url)
            return &listing->versions[walk.value];
    return NULL;
}

static scent_status note_version(struct listing *listing, uint64_t writer, const struct batch_page *page)
{
    struct version version = {hash_str(page->url, 0), writer, page->number};
    struct version *known = find_version(listing, version.url);

    if (known) {
        *known = version;
        return SCENT_OK;
    }
    if (!vec_reserve(&listing->versions, &listing->versions_room, listing->nversions + 1, sizeof version) ||
        map_add(&listing->by_url, version.url, (uint32_t)listing->nversions) != SCENT_OK)
        return errmsg_no_memory(listing->err);
    listing->versions[listing->nversions++] = version;
    return SCENT_OK;
}

/* The last one counts: rows of a partition, which has all versions of a page, come in the order of the log. */
static scent_status note_changes(void *ctx, const struct overseer_row *row)
{
    struct listing *listing = ctx;
    struct bytes in = bytes_of(row->records);
    struct batch_state state;

    while (batch_get_state(&in, UINT8_MAX, &state)) {
        if (state.kind == BATCH_VERDICT)
            SCENT_TRY(note_verdict(listing, row->writer, &state.verdict));
        else if (state.kind == BATCH_PAGE && state.page.again)
            SCENT_TRY(note_version(listing, row->writer, &state.page));
    }
    return SCENT_OK;
}

/* Rows that cannot be read are passed over: workers say so when they read them. */
static scent_status list_pages(void *ctx, const struct overseer_row *row)
{
    struct listing *listing = ctx;
    struct bytes in = bytes_of(row->records);
    struct batch_state state;

    while (batch_get_state(&in, UINT8_MAX, &state)) {
        const struct verdict *verdict;
        const struct version *version;

        if (state.kind != BATCH_PAGE)
            continue;
        version = find_version(listing, hash_str(state.page.url, 0));
        if (version && (version->writer != row->writer || version->number != state.page.number))
            continue;
        verdict = find_verdict(listing, row->writer, state.page.number);
        if (verdict) {
            state.page.relevant = verdict->last.relevant;
            state.page.score = verdict->last.score;
        }
        SCENT_TRY(listing->fn(listing->ctx, &(struct overseer_page){row->worker, state.page}));
    }
    return SCENT_OK;
}

scent_status overseer_pages(struct overseer *overseer, const char *crawl, overseer_page_fn *fn, void *ctx,
                            struct errmsg *err)
{
    char number[24];
    struct listing listing = {.fn = fn, .ctx = ctx, .err = err};
    struct walk walk = {.crawl = number, .which = VERDICTS_OF_ALL, .fn = note_changes, .ctx = &listing};
    scent_status status;
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    snprintf(number, sizeof number, "%" PRIu64, id);
    status = walk_log(overseer, &walk, err);
    walk.which = STATE_OF_ALL;
    walk.fn = list_pages;
    if (status == SCENT_OK)
        status = walk_log(overseer, &walk, err);
    map_release(&listing.by_page);
    map_release(&listing.by_url);
    free(listing.verdicts);
    free(listing.versions);
    return status;
}

scent_status overseer_member(struct overseer *overseer, uint64_t worker, struct arena *arena,
                             struct overseer_member *out, struct errmsg *err)
{
    char number[24], crawl[24];
    struct pq_value values[] = {PQ_TEXT(number), PQ_TEXT(crawl)};
    struct pq_rows *rows;
    scent_status status;

    snprintf(number, sizeof number, "%" PRIu64, worker);
    SCENT_TRY(pq_run(overseer->pq,
                     "SELECT crawl.id, crawl.name, key, mark, parts FROM worker JOIN crawl ON crawl.id = worker.crawl"
                     " WHERE worker.id = $1 AND NOT forgotten",
                     values, 1, &rows, err));
    if (!pq_count(rows) || pq_u64(rows, 0, 4) > CLUSTER_PARTS_MAX) {
        pq_rows_free(rows);
        return errmsg_fail(err, SCENT_E_NOTFOUND, "no crawl on the server has this worker");
    }
    *out = (struct overseer_member){.worker = worker, .crawl = pq_u64(rows, 0, 0), .key = pq_u64(rows, 0, 2),
                                    .mark = pq_u64(rows, 0, 3), .parts = (uint32_t)pq_u64(rows, 0, 4)};
    status = keep(arena, rows, 0, 1, &out->name);
    pq_rows_free(rows);
    out->epochs = arena_zalloc(arena, (out->parts + 1) * sizeof *out->epochs);
    if (status != SCENT_OK || !out->epochs)
        return errmsg_no_memory(err);
    snprintf(crawl, sizeof crawl, "%" PRIu64, out->crawl);
    SCENT_TRY(pq_run(overseer->pq, "SELECT part, epoch FROM part WHERE owner = $1 AND crawl = $2", values, 2, &rows,
                     err));
    for (int i = 0; i < pq_count(rows); i++)
        if (pq_u64(rows, i, 0) < out->parts)
            out->epochs[pq_u64(rows, i, 0)] = pq_u64(rows, i, 1);
    pq_rows_free(rows);
    return SCENT_OK;
}

scent_status overseer_log(struct overseer *overseer, const struct overseer_member *member, overseer_row_fn *fn,
                          void *ctx, struct errmsg *err)
{
    char crawl[24], worker[24];

    snprintf(crawl, sizeof crawl, "%" PRIu64, member->crawl);
    snprintf(worker, sizeof worker, "%" PRIu64, member->worker);
    return walk_log(overseer, &(struct walk){crawl, LOG_OF_OWNER, worker, fn, ctx}, err);
}

/* ---- steering ---- */

scent_status overseer_stop(struct overseer *overseer, const char *crawl, struct errmsg *err)
{
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    return pq_run(overseer->pq, "UPDATE crawl SET state = 'stopping' WHERE name = $1 AND state = 'running'",
                  (struct pq_value[]){PQ_TEXT(crawl)}, 1, NULL, err);
}

/* Ends the transaction with its success or failure. */
static scent_status end(struct overseer *overseer, scent_status status, struct errmsg *err)
{
    struct errmsg ignored;

    if (status == SCENT_OK)
        return run(overseer, "COMMIT", err);
    if (status != SCENT_E_IO && run(overseer, "ROLLBACK", &ignored) != SCENT_OK)
        return status; /* the connection is closed with its transaction */
    return status;
}

/* ---- pages that are fetched again ---- */

/* What the log gets: URLs of one partition that are queued from now on. */
struct again {
    struct overseer *overseer;
    const char *crawl, *worker;
    uint64_t key, part, pages;
    struct batch_url *urls; /* the state of a page's URL stands before it, in the same row */
    size_t room;
    struct errmsg *err;
    struct buf records, packed;
    struct http_packer *packer;
};

static scent_status put_again(struct again *again)
{
    char part[24];

    if (!again->records.len)
        return SCENT_OK;
    buf_clear(&again->packed);
    if (again->records.failed ||
        batch_pack(again->packer, buf_str(&again->records), &again->packed) != SCENT_OK)
        return errmsg_no_memory(again->err);
    buf_clear(&again->records);
    snprintf(part, sizeof part, "%" PRIu64, again->part);
    return pq_run(again->overseer->pq,
                  "INSERT INTO log(crawl, writer, part, epoch, kind, body) SELECT $1, $2, $3, epoch, 2, $4 FROM part"
                  " WHERE part.crawl = $1 AND part.part = $3",
                  (struct pq_value[]){PQ_TEXT(again->crawl), PQ_TEXT(again->worker), PQ_TEXT(part),
                                      PQ_BYTES(buf_str(&again->packed))},
                  4, NULL, again->err);
}

static scent_status queue_page(struct again *again, uint64_t part, const struct batch_page *page, size_t nurls)
{
    struct batch_url url = {.fingerprint = url_fingerprint(page->url, again->key)};

    if (part != again->part || again->records.len > BODY_BYTES)
        SCENT_TRY(put_again(again));
    for (size_t i = 0; i < nurls; i++)
        if (again->urls[i].fingerprint == url.fingerprint)
            url = again->urls[i];
    url.url = page->url;
    url.state = BATCH_QUEUED;
    url.tries = 0;
    url.error = STR_NONE;
    again->part = part;
    again->pages++;
    batch_put_url(&again->records, &url);
    return SCENT_OK;
}

static scent_status queue_pages(void *ctx, const struct overseer_row *row)
{
    struct again *again = ctx;
    struct bytes in = bytes_of(row->records);
    struct batch_state state;
    size_t nurls = 0;

    while (batch_get_state(&in, UINT8_MAX, &state)) {
        if (state.kind == BATCH_URL) {
            if (!vec_reserve(&again->urls, &again->room, nurls + 1, sizeof *again->urls))
                return errmsg_no_memory(again->err);
            again->urls[nurls++] = state.url;
        } else if (state.kind == BATCH_PAGE) {
            if (state.page.counted)
                SCENT_TRY(queue_page(again, row->part, &state.page, nurls));
            nurls = 0;
        }
    }
    return SCENT_OK;
}

/* Whoever owns a partition with such pages gets it anew, from its log. All workers are locked, so that nobody writes to
 * it in between. */
static scent_status refetch(struct overseer *overseer, const char *crawl, const char *worker,
                            struct overseer_forgotten *out, struct errmsg *err)
{
    struct again again = {.overseer = overseer, .crawl = crawl, .worker = worker, .err = err};
    struct pq_value values[] = {PQ_TEXT(crawl), PQ_TEXT(worker)};
    struct pq_rows *rows;
    scent_status status;

    SCENT_TRY(pq_run(overseer->pq, "SELECT id FROM worker WHERE crawl = $1 ORDER BY id FOR UPDATE", values, 1, NULL,
                     err));
    SCENT_TRY(pq_run(overseer->pq, "SELECT key FROM crawl WHERE id = $1", values, 1, &rows, err));
    again.key = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    buf_init(&again.records, 0);
    buf_init(&again.packed, 0);
    again.packer = batch_packer_new();
    status = walk_log(overseer, &(struct walk){crawl, STATE_OF_ONE, worker, queue_pages, &again}, err);
    if (status == SCENT_OK)
        status = put_again(&again);
    free(again.urls);
    http_packer_free(again.packer);
    buf_release(&again.records);
    buf_release(&again.packed);
    SCENT_TRY(status);
    out->pages = again.pages;
    SCENT_TRY(pq_run(overseer->pq,
                     "UPDATE part SET owner = NULL, wanted_by = NULL, epoch = epoch + 1, applied = 0 WHERE crawl = $1"
                     " AND part IN (SELECT log.part FROM log WHERE log.crawl = $1 AND kind = 2 AND writer = $2)",
                     values, 2, NULL, err));
    return pq_run(overseer->pq,
                  "UPDATE worker SET forgotten = true, idle = true, hungry = false, granted = 0, logged = 0, pages = 0,"
                  " relevant = 0, learned = NULL, census = NULL, centroid = NULL WHERE crawl = $1 AND id = $2",
                  values, 2, NULL, err);
}

/* The row of the worker is locked, as every change of its partitions needs it. */
static scent_status forget(struct overseer *overseer, const char *crawl, const char *worker, bool again,
                           struct overseer_forgotten *out, struct errmsg *err)
{
    struct pq_rows *rows;
    char id[24], number[24];
    bool live;
    int count;

    SCENT_TRY(pq_run(overseer->pq,
                     "SELECT crawl.id::bigint, worker.id, lease_until > clock_timestamp() FROM worker"
                     " JOIN crawl ON crawl.id = worker.crawl"
                     " WHERE crawl.name = $1 AND (worker.name = $2 OR worker.id::text = $2) FOR UPDATE OF worker",
                     (struct pq_value[]){PQ_TEXT(crawl), PQ_TEXT(worker)}, 2, &rows, err));
    count = pq_count(rows);
    snprintf(id, sizeof id, "%" PRIu64, count ? pq_u64(rows, 0, 0) : 0);
    snprintf(number, sizeof number, "%" PRId64, count ? (int64_t)pq_u64(rows, 0, 1) : 0);
    live = count && pq_u64(rows, 0, 2);
    pq_rows_free(rows);
    if (count != 1)
        return errmsg_fail(err, SCENT_E_NOTFOUND,
                           count ? "several workers of the crawl are called '%s': name one by its number, which 'scent "
                                   "cluster list' shows"
                                 : "no worker of the crawl is called '%s'; 'scent cluster list' shows them", worker);
    if (live)
        return errmsg_fail(err, SCENT_E_LOCKED, "worker '%s' is at work; stop it, and wait until its lease has ended",
                           worker);
    SCENT_TRY(pq_run(overseer->pq,
                     "WITH freed AS (UPDATE part SET owner = NULL, wanted_by = NULL, epoch = epoch + 1, applied = 0"
                     " WHERE crawl = $1::integer AND owner = $2::bigint RETURNING 1) SELECT count(*) FROM freed",
                     (struct pq_value[]){PQ_TEXT(id), PQ_TEXT(number)}, 2, &rows, err));
    out->parts = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    return again ? refetch(overseer, id, number, out, err) : SCENT_OK;
}

scent_status overseer_forget(struct overseer *overseer, const char *crawl, const char *worker, bool again,
                             struct overseer_forgotten *out, struct errmsg *err)
{
    uint64_t id;

    *out = (struct overseer_forgotten){0};
    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    SCENT_TRY(run(overseer, "BEGIN", err));
    return end(overseer, forget(overseer, crawl, worker, again, out, err), err);
}

static scent_status purge(struct overseer *overseer, const char *crawl, uint64_t id, struct errmsg *err)
{
    struct pq_rows *rows;
    uint64_t live;
    char sql[120];

    SCENT_TRY(pq_run(overseer->pq,
                     "SELECT count(*) FROM worker JOIN crawl ON crawl.id = worker.crawl"
                     " WHERE crawl.name = $1 AND lease_until > clock_timestamp() AND crawl.state = 'running'",
                     (struct pq_value[]){PQ_TEXT(crawl)}, 1, &rows, err));
    live = pq_u64(rows, 0, 0);
    pq_rows_free(rows);
    if (live)
        return errmsg_fail(err, SCENT_E_LOCKED, "%" PRIu64 " workers take part in '%s': 'scent cluster stop' ends them",
                           live, crawl);
    snprintf(sql, sizeof sql, "DROP TABLE IF EXISTS log_%" PRIu64, id);
    SCENT_TRY(run(overseer, sql, err));
    for (size_t i = 0; i < 3; i++) {
        static const char *const tables[] = {"part WHERE crawl", "worker WHERE crawl", "crawl WHERE id"};

        snprintf(sql, sizeof sql, "DELETE FROM %s = %" PRIu64, tables[i], id);
        SCENT_TRY(run(overseer, sql, err));
    }
    return SCENT_OK;
}

scent_status overseer_purge(struct overseer *overseer, const char *crawl, struct errmsg *err)
{
    uint64_t id;

    SCENT_TRY(find_crawl(overseer, crawl, &id, err));
    SCENT_TRY(run(overseer, "BEGIN", err));
    return end(overseer, purge(overseer, crawl, id, err), err);
}
