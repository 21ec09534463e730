#include "crawldir/rejudge.h"

#include "base/hash.h"
#include "base/vec.h"
#include "frontier/frontier.h"
#include "topic/external.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 512, ARENA_CAP = 512 << 20 };

/* What is done with the pages of a walk. */
enum task {
    TASK_RECORD, /* their blocks are noted, where an older version has not done so */
    TASK_COUNT,  /* the words of the query are counted */
    TASK_MOVED,  /* pages of this judge whose content is seen differently are judged */
    TASK_JUDGE   /* pages of other judges are */
};

struct item {
    struct store_page row;
    struct str url;
    uint32_t host;
    uint16_t depth;
    bool seed;
    bool due;          /* to be judged, counted or recorded */
    bool is_done;      /* by what was counted of it */
    bool read;         /* from the WARC files */
    struct str counted; /* what was counted of it; .p NULL: nothing, or its content is seen differently now */
    struct str record; /* of its blocks, if they are looked at: as stored, then as seen now; .p NULL: none */
    scent_status status;
    struct errmsg err;
    bool relevant, is_unanswered;
    double score;
};

struct worker {
    struct rejudge *rejudge;
    struct reread *reread;
    struct query_counts counts;
    struct arena arena; /* of what a batch keeps */
    pthread_t thread;
};

struct judge_id {
    uint32_t id;
    uint64_t digest;
};

struct rejudge {
    const struct rejudge_options *options;
    struct rejudge_report *report;
    struct errmsg *err;
    uint64_t key;
    struct knowledge knowledge; /* with the crawl's own background sample */
    struct query_counts *sample;

    struct worker *workers;
    uint32_t nworkers;

    /* what the judge knows */
    struct repeats_host **hosts; /* by host: what repeats there; NULL: nothing */
    size_t nhosts, hosts_room;
    uint64_t *moved; /* numbers of pages whose content is seen differently, in order */
    size_t nmoved, moved_room, next_moved;
    struct query_counts counts;
    uint64_t counted_key; /* of the topic's query */
    struct centroid seeds;
    struct judge *judge;
    struct store_judge now;
    bool is_last; /* the last row of `judge` is this one */
    struct store_judged all; /* pages */
    struct judge_id *ids; /* of all judges there were */
    size_t nids, ids_room;

    /* a batch */
    enum task task;
    struct item items[BATCH];
    struct item *at; /* whose blocks are read */
    size_t count;
    uint64_t last; /* number of its last row */
    struct arena arena;
    atomic_size_t next;
};

static bool looks_at_content(const struct rejudge *rejudge)
{
    return rejudge->options->topic->content == TOPIC_CONTENT_MAIN;
}

static bool is_judging(const struct rejudge *rejudge)
{
    return rejudge->task == TASK_MOVED || rejudge->task == TASK_JUDGE;
}

/* ---- one page, in the thread of a worker ---- */

static struct repeats_host *host_at(const struct rejudge *rejudge, uint32_t host)
{
    return host < rejudge->nhosts ? rejudge->hosts[host] : NULL;
}

static void work_on(struct worker *worker, struct item *item)
{
    struct rejudge *rejudge = worker->rejudge;
    struct judgement judgement;
    struct arena *arena;
    struct page page;

    item->read = true;
    item->status = reread_page(worker->reread, &item->row, item->url, &page, &arena, &item->err);
    if (item->status != SCENT_OK)
        return;
    if (looks_at_content(rejudge)) {
        /* Seeds are examples, and are seen alone. */
        repeats_apply(rejudge->task == TASK_RECORD || item->seed ? NULL : host_at(rejudge, item->host), &page);
        item->record = repeats_record(&page, item->record, &worker->arena);
        if (!item->record.p)
            item->status = SCENT_E_NOMEM;
    }
    if (rejudge->options->topic->query && rejudge->task != TASK_RECORD) {
        item->counted = query_counted_write(rejudge->options->topic->query, rejudge->counted_key, &page,
                                            &worker->arena);
        if (!item->counted.p)
            item->status = SCENT_E_NOMEM;
    }
    if (rejudge->task == TASK_COUNT)
        query_counts_add(&worker->counts, &page);
    if (!is_judging(rejudge))
        return;
    judge_page(rejudge->judge, &(struct judge_input){.page = &page, .bytes = item->row.bytes, .depth = item->depth,
                                                     .seed = item->seed, .arena = arena}, &judgement);
    item->is_unanswered = judgement.is_unanswered;
    item->relevant = judgement.relevant;
    item->score = judgement.score;
}

/* Without its words, by what was counted of it: so little that no thread is needed. False: it must be read. */
static bool work_on_counted(struct worker *worker, struct item *item)
{
    const struct rejudge *rejudge = worker->rejudge;
    struct judge_input input = {.bytes = item->row.bytes, .depth = item->depth, .seed = item->seed,
                                .counted = item->counted};
    struct judgement judgement;

    if (!item->counted.p)
        return false;
    if (rejudge->task == TASK_COUNT)
        return query_counts_add_counted(&worker->counts, rejudge->counted_key, item->counted);
    if (!is_judging(rejudge) || !judge_counted(rejudge->judge, &input, &judgement))
        return false;
    item->relevant = judgement.relevant;
    item->score = judgement.score;
    return true;
}

static void *run_worker(void *arg)
{
    struct worker *worker = arg;
    struct rejudge *rejudge = worker->rejudge;
    size_t i;

    while ((i = atomic_fetch_add(&rejudge->next, 1)) < rejudge->count)
        if (rejudge->items[i].due && !rejudge->items[i].is_done)
            work_on(worker, &rejudge->items[i]);
    return NULL;
}

/* A thread that cannot be started is not missed: this one works too. */
static void run_workers(struct rejudge *rejudge)
{
    uint32_t started = 0;

    atomic_store(&rejudge->next, 0);
    for (uint32_t i = 0; i < rejudge->nworkers; i++)
        arena_reset(&rejudge->workers[i].arena);
    for (uint32_t i = 1; i < rejudge->nworkers; i++, started++)
        if (pthread_create(&rejudge->workers[i].thread, NULL, run_worker, &rejudge->workers[i]))
            break;
    run_worker(&rejudge->workers[0]);
    for (uint32_t i = 1; i <= started; i++)
        pthread_join(rejudge->workers[i].thread, NULL);
}

/* ---- batches ---- */

static int by_id(const void *a, const void *b)
{
    const struct judge_id *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static bool is_same_judge(const struct rejudge *rejudge, uint32_t id)
{
    struct judge_id key = {.id = id};
    const struct judge_id *found =
        rejudge->nids ? bsearch(&key, rejudge->ids, rejudge->nids, sizeof key, by_id) : NULL;

    return found && found->digest == rejudge->now.digest;
}

static bool has_moved(const struct rejudge *rejudge, uint64_t number)
{
    return rejudge->nmoved && bsearch(&number, rejudge->moved, rejudge->nmoved, sizeof number, order_u64);
}

static scent_status keep_record(void *ctx, const struct store_blocks *blocks)
{
    struct rejudge *rejudge = ctx;

    rejudge->at->record = arena_str(&rejudge->arena, blocks->blocks);
    return rejudge->at->record.p ? SCENT_OK : SCENT_E_NOMEM;
}

static scent_status read_record(struct rejudge *rejudge, struct item *item)
{
    rejudge->at = item;
    return store_get_blocks(rejudge->options->store, item->row.number, keep_record, rejudge, rejudge->err);
}

static scent_status keep_counted(void *ctx, const struct store_blocks *counted)
{
    struct rejudge *rejudge = ctx;

    rejudge->at->counted = arena_str(&rejudge->arena, counted->blocks);
    return rejudge->at->counted.p ? SCENT_OK : SCENT_E_NOMEM;
}

/* Before the words are counted, what was counted of pages whose content is seen differently does not hold. */
static scent_status read_counted(struct rejudge *rejudge, struct item *item)
{
    if (!rejudge->options->topic->query || (rejudge->task == TASK_COUNT && has_moved(rejudge, item->row.number)))
        return SCENT_OK;
    rejudge->at = item;
    return store_get_counted(rejudge->options->store, item->row.number, keep_counted, rejudge, rejudge->err);
}

static scent_status add_item(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct rejudge *rejudge = ctx;
    struct item *item = &rejudge->items[rejudge->count];

    rejudge->last = row->number;
    if (!row->counted || row->warc_length == 0 ||
        (rejudge->task == TASK_MOVED && row->judge_version != rejudge->now.id))
        return SCENT_OK;
    *item = (struct item){.row = {.number = row->number, .relevant = row->relevant, .score = row->score,
                                  .judge_version = row->judge_version, .bytes = row->bytes,
                                  .robots = row->robots, .warc_offset = row->warc_offset,
                                  .warc_length = row->warc_length},
                          .url = arena_str(&rejudge->arena, url->url),
                          .host = url->host, .depth = url->depth, .seed = url->flags & CANDIDATE_SEED};
    item->row.warc_file = arena_str(&rejudge->arena, row->warc_file);
    if (!item->url.p || !item->row.warc_file.p)
        return SCENT_E_NOMEM;
    return ++rejudge->count == BATCH ? SCENT_E_END : SCENT_OK;
}

static scent_status read_rows(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;
    scent_status status = SCENT_OK;

    switch (rejudge->task) {
    case TASK_RECORD:
    case TASK_COUNT:
        return store_each_page(store, rejudge->last, add_item, rejudge, rejudge->err);
    case TASK_MOVED:
        while (rejudge->next_moved < rejudge->nmoved && status == SCENT_OK)
            status = store_get_page(store, rejudge->moved[rejudge->next_moved++], add_item, rejudge, rejudge->err);
        return status;
    case TASK_JUDGE:
        break;
    }
    return store_each_stale_page(store, rejudge->last, rejudge->now.id, add_item, rejudge, rejudge->err);
}

static scent_status read_batch(struct rejudge *rejudge)
{
    scent_status status;

    arena_reset(&rejudge->arena);
    rejudge->count = 0;
    status = read_rows(rejudge);
    if (status != SCENT_OK && status != SCENT_E_END)
        return status;
    for (size_t i = 0; i < rejudge->count; i++) {
        struct item *item = &rejudge->items[i];

        item->due = rejudge->task != TASK_JUDGE || !is_same_judge(rejudge, item->row.judge_version) ||
                    has_moved(rejudge, item->row.number);
        if (item->due && rejudge->task != TASK_RECORD) {
            SCENT_TRY(read_counted(rejudge, item));
            item->is_done = work_on_counted(&rejudge->workers[0], item);
        }
        if (item->due && !item->is_done && looks_at_content(rejudge))
            SCENT_TRY(read_record(rejudge, item));
        if (rejudge->task == TASK_RECORD)
            item->due = !item->record.p;
    }
    return SCENT_OK;
}

static scent_status write_verdict(struct rejudge *rejudge, const struct item *item)
{
    struct rejudge_report *report = rejudge->report;
    struct store *store = rejudge->options->store;

    if (item->read && item->status != SCENT_OK)
        return SCENT_OK;
    if (item->read && item->is_unanswered) {
        report->unanswered++;
        return SCENT_OK;
    }
    if (!item->due)
        return store_stamp_page(store, item->row.number, rejudge->now.id, rejudge->err);
    report->read++;
    if (!(item->row.robots & STORE_NOINDEX)) {
        report->gained += item->relevant && !item->row.relevant;
        report->lost += !item->relevant && item->row.relevant;
    }
    SCENT_TRY(store_judge_page(store, item->row.number, item->relevant, item->score, rejudge->now.id, rejudge->err));
    if (!rejudge->options->on_verdict || (item->relevant == item->row.relevant && item->score == item->row.score))
        return SCENT_OK;
    return rejudge->options->on_verdict(
        rejudge->options->ctx,
        &(struct rejudge_verdict){item->row.number, item->url, item->relevant, item->score}, rejudge->err);
}

/* What was seen of a page that was read: its blocks, and the words of the query that go with them. */
static scent_status write_seen(struct rejudge *rejudge, const struct item *item)
{
    struct store *store = rejudge->options->store;

    if (looks_at_content(rejudge))
        SCENT_TRY(store_put_blocks(store, &(struct store_blocks){item->row.number, item->host, item->record},
                                   rejudge->err));
    return item->counted.p ? store_put_counted(store, item->row.number, item->counted, rejudge->err) : SCENT_OK;
}

static scent_status write_item(struct rejudge *rejudge, const struct item *item)
{
    if (item->read && item->status == SCENT_E_NOMEM)
        return errmsg_fail(rejudge->err, SCENT_E_NOMEM, "out of memory for a page that is judged again");
    if (item->read && item->status == SCENT_OK) {
        SCENT_TRY(write_seen(rejudge, item));
    } else if (item->read && rejudge->task != TASK_COUNT) { /* it is told once */
        rejudge->report->damaged++;
        log_line(rejudge->options->log, LOG_WARN, "%s; it keeps its verdict", item->err.text);
    }
    return is_judging(rejudge) ? write_verdict(rejudge, item) : SCENT_OK;
}

static scent_status write_batch(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;
    scent_status status = SCENT_OK;

    SCENT_TRY(store_begin(store, rejudge->err));
    for (size_t i = 0; i < rejudge->count && status == SCENT_OK; i++)
        status = write_item(rejudge, &rejudge->items[i]);
    if (status == SCENT_OK)
        return store_commit(store, rejudge->err);
    store_rollback(store);
    return status;
}

/* SCENT_E_END: it was stopped. */
static scent_status walk(struct rejudge *rejudge, enum task task, uint64_t pages)
{
    static const char *const words[] = {"reading blocks", "counting words", "judging again", "judging again"};
    struct rejudge_progress progress = {words[task], 0, pages};

    rejudge->task = task;
    rejudge->last = 0;
    do {
        if (rejudge->options->stop && atomic_load(rejudge->options->stop))
            return SCENT_E_END;
        SCENT_TRY(read_batch(rejudge));
        if (rejudge->count) {
            run_workers(rejudge);
            SCENT_TRY(write_batch(rejudge));
            if (rejudge->knowledge.external && external_has_failed(rejudge->knowledge.external, rejudge->err))
                return SCENT_E_INVALID;
        }
        progress.done += rejudge->count;
        if (rejudge->options->on_progress)
            rejudge->options->on_progress(rejudge->options->ctx, &progress);
    } while (rejudge->count == BATCH);
    return SCENT_OK;
}

/* ---- what repeats ---- */

static scent_status size_blocks(void *ctx, const struct store_blocks *blocks)
{
    return repeats_tally_size(ctx, blocks->host, blocks->blocks);
}

static scent_status tally_blocks(void *ctx, const struct store_blocks *blocks)
{
    return repeats_tally_add(ctx, blocks->host, blocks->blocks);
}

static scent_status keep_host(void *ctx, uint32_t host, struct str blocks)
{
    struct rejudge *rejudge = ctx;

    if (!vec_reserve(&rejudge->hosts, &rejudge->hosts_room, host + (size_t)1, sizeof(struct repeats_host *)))
        return SCENT_E_NOMEM;
    while (rejudge->nhosts <= host)
        rejudge->hosts[rejudge->nhosts++] = NULL;
    rejudge->hosts[host] = repeats_host_new(blocks);
    return store_put_blocks(rejudge->options->store, &(struct store_blocks){.host = host, .blocks = blocks},
                            rejudge->err);
}

static scent_status tally_all(struct rejudge *rejudge, struct repeats_tally *tally)
{
    struct store *store = rejudge->options->store;

    SCENT_TRY(store_each_blocks(store, size_blocks, tally, rejudge->err));
    if (tally->records < rejudge->all.pages) {
        SCENT_TRY(walk(rejudge, TASK_RECORD, rejudge->all.pages - tally->records));
        repeats_tally_release(tally);
        SCENT_TRY(store_each_blocks(store, size_blocks, tally, rejudge->err));
    }
    do {
        SCENT_TRY(store_each_blocks(store, tally_blocks, tally, rejudge->err));
        SCENT_TRY(repeats_tally_end_part(tally));
    } while (tally->part < repeats_tally_parts(tally));
    SCENT_TRY(store_begin(store, rejudge->err));
    SCENT_TRY(store_clear_repeated(store, rejudge->err));
    SCENT_TRY(repeats_tally_each(tally, keep_host, rejudge));
    return store_commit(store, rejudge->err);
}

static scent_status compare_blocks(void *ctx, const struct store_blocks *blocks)
{
    struct rejudge *rejudge = ctx;

    if (repeats_agree(host_at(rejudge, blocks->host), blocks->blocks))
        return SCENT_OK;
    if (!vec_reserve(&rejudge->moved, &rejudge->moved_room, rejudge->nmoved + 1, sizeof *rejudge->moved))
        return SCENT_E_NOMEM;
    rejudge->moved[rejudge->nmoved++] = blocks->page;
    return SCENT_OK;
}

/* Pages that can be read, and are not seeds, which are seen alone. */
static scent_status confirm_moved(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct rejudge *rejudge = ctx;

    if (row->counted && row->warc_length && !(url->flags & CANDIDATE_SEED))
        rejudge->moved[rejudge->nmoved++] = row->number;
    return SCENT_OK;
}

static scent_status find_moved(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;
    size_t count;

    SCENT_TRY(store_each_blocks(store, compare_blocks, rejudge, rejudge->err));
    count = rejudge->nmoved;
    rejudge->nmoved = 0;
    for (size_t i = 0; i < count; i++)
        SCENT_TRY(store_get_page(store, rejudge->moved[i], confirm_moved, rejudge, rejudge->err));
    return SCENT_OK;
}

/* Which blocks repeat on the hosts, by all pages, and on which pages that makes a difference. */
static scent_status find_repeated(struct rejudge *rejudge)
{
    struct repeats_tally tally = {0};
    scent_status status = tally_all(rejudge, &tally);

    repeats_tally_release(&tally);
    if (status != SCENT_OK)
        store_rollback(rejudge->options->store);
    if (status == SCENT_OK)
        status = find_moved(rejudge);
    return status == SCENT_E_NOMEM ? errmsg_fail(rejudge->err, status, "out of memory for blocks") : status;
}

/* ---- the statistics of the query ---- */

static scent_status save_counts(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;
    struct buf text;
    char at[64];
    int len = snprintf(at, sizeof at, "%" PRIu64 " %" PRIu64, rejudge->last, rejudge->counts.documents);
    scent_status status;

    buf_init(&text, 0);
    status = query_counts_write(&rejudge->counts, &text);
    if (status == SCENT_OK)
        status = store_begin(store, rejudge->err);
    if (status == SCENT_OK)
        status = store_set(store, JUDGED_COUNTS, buf_str(&text), rejudge->err);
    if (status == SCENT_OK)
        status = store_set(store, JUDGED_COUNTS_AT, (struct str){at, (size_t)len}, rejudge->err);
    status = status == SCENT_OK ? store_commit(store, rejudge->err) : status;
    buf_release(&text);
    return status;
}

/* The live counts are the sum over all pages, unless the content of one is seen differently now, the query is another
 * one, or not all that they have counted is here to be judged. */
static scent_status find_counts(struct rejudge *rejudge)
{
    uint64_t pages = rejudge->all.pages;
    struct query_counts *counts = &rejudge->counts;
    struct store *store = rejudge->options->store;
    struct errmsg none;
    struct query_counts recalled;
    scent_status status;

    query_counts_init(&recalled, counts->query);
    status = judged_load_counts(store, JUDGED_RECALLED, &recalled, &none);
    if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
        status = judged_load_counts(store, JUDGED_COUNTS, counts, &none);
    if (status == SCENT_OK && !rejudge->nmoved && counts->documents == recalled.documents + pages) {
        query_counts_release(&recalled);
        return SCENT_OK;
    }
    query_counts_release(counts);
    *counts = recalled;
    SCENT_TRY(walk(rejudge, TASK_COUNT, pages));
    for (uint32_t i = 0; i < rejudge->nworkers; i++)
        query_counts_sum(counts, &rejudge->workers[i].counts);
    return save_counts(rejudge);
}

/* ---- the judge ---- */

static scent_status note_judge(void *ctx, const struct store_judge *judge)
{
    struct rejudge *rejudge = ctx;

    if (!vec_reserve(&rejudge->ids, &rejudge->ids_room, rejudge->nids + 1, sizeof *rejudge->ids))
        return SCENT_E_NOMEM;
    rejudge->ids[rejudge->nids++] = (struct judge_id){judge->id, judge->digest};
    rejudge->now.id = judge->id;
    rejudge->is_last = judge->digest == rejudge->now.digest;
    return SCENT_OK;
}

/* The last judge of the crawl, if it is this one; else a new row. Numbers of judges that an older version gave stand in
 * page rows alone. */
static scent_status enter_judge(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;

    SCENT_TRY(store_each_judge(store, note_judge, rejudge, rejudge->err));
    if (rejudge->is_last)
        return SCENT_OK;
    rejudge->now.id = (rejudge->all.most > rejudge->now.id ? rejudge->all.most : rejudge->now.id) + 1;
    rejudge->now.made = clock_wall(rejudge->options->clock);
    SCENT_TRY(store_begin(store, rejudge->err));
    SCENT_TRY(store_add_judge(store, &rejudge->now, rejudge->err));
    return store_commit(store, rejudge->err);
}

static scent_status make_judge(struct rejudge *rejudge)
{
    const struct rejudge_options *options = rejudge->options;
    struct judge_basis basis = {
        .topic = options->topic,
        .knowledge = &rejudge->knowledge,
        .term_counts = options->topic->query ? &rejudge->counts : NULL,
        .digest = knowledge_digest(options->topic, &rejudge->knowledge),
    };

    rejudge->judge = judge_new(&basis);
    if (judge_uses_seeds(rejudge->judge)) {
        SCENT_TRY(reread_seeds(rejudge->workers[0].reread, options->store, UINT64_MAX, true, &rejudge->seeds,
                               rejudge->err));
        basis.seeds = &rejudge->seeds;
    }
    SCENT_TRY(judged_sum_all(options->store, options->topic->query ? &rejudge->counts : NULL,
                             basis.seeds ? &rejudge->seeds : NULL, options->share, options->ctx, rejudge->err));
    judge_unref(rejudge->judge);
    rejudge->judge = judge_new(&basis);
    return judged_describe(rejudge->judge, options->topic, &rejudge->knowledge, basis.term_counts, &rejudge->arena,
                            &rejudge->now);
}

/* ---- all of it ---- */

static scent_status begin_anew(struct rejudge *rejudge)
{
    struct store *store = rejudge->options->store;

    SCENT_TRY(store_begin(store, rejudge->err));
    SCENT_TRY(store_settle_pages(store, rejudge->err));
    SCENT_TRY(store_unset(store, JUDGED_STRATEGY, rejudge->err));
    return store_commit(store, rejudge->err);
}

static scent_status judge_all(struct rejudge *rejudge)
{
    SCENT_TRY(store_count_judged(rejudge->options->store, &rejudge->all, rejudge->err));
    rejudge->report->pages = rejudge->all.pages;
    rejudge->report->unkept = rejudge->all.unkept;
    if (looks_at_content(rejudge))
        SCENT_TRY(find_repeated(rejudge));
    if (rejudge->options->topic->query)
        SCENT_TRY(find_counts(rejudge));
    SCENT_TRY(make_judge(rejudge));
    SCENT_TRY(enter_judge(rejudge));
    rejudge->report->judge = rejudge->now.id;
    rejudge->report->digest = rejudge->now.digest;
    SCENT_TRY(walk(rejudge, TASK_MOVED, rejudge->nmoved));
    SCENT_TRY(walk(rejudge, TASK_JUDGE, rejudge->all.pages));
    return rejudge->options->anew ? begin_anew(rejudge) : SCENT_OK;
}

static void start(struct rejudge *rejudge)
{
    const struct rejudge_options *options = rejudge->options;

    rejudge->nworkers = external_threads(rejudge->knowledge.external, options->threads);
    rejudge->workers = calloc(rejudge->nworkers, sizeof *rejudge->workers);
    SCENT_BUG_IF(!rejudge->workers);
    for (uint32_t i = 0; i < rejudge->nworkers; i++) {
        struct worker *worker = &rejudge->workers[i];

        worker->rejudge = rejudge;
        worker->reread = rejudge->knowledge.external || rejudge->knowledge.browsing /* which look at links */
                             ? reread_new(options->dir, options->topic, rejudge->key, options->pdf)
                             : reread_words_new(options->dir, options->topic, options->pdf);
        arena_init(&worker->arena, ARENA_CAP);
        if (options->topic->query)
            query_counts_init(&worker->counts, options->topic->query);
    }
    if (options->topic->query) {
        query_counts_init(&rejudge->counts, options->topic->query);
        rejudge->counted_key = judge_counted_key(options->topic);
    }
    arena_init(&rejudge->arena, ARENA_CAP);
    centroid_init(&rejudge->seeds);
}

static void end(struct rejudge *rejudge)
{
    for (uint32_t i = 0; i < rejudge->nworkers; i++) {
        reread_free(rejudge->workers[i].reread);
        arena_release(&rejudge->workers[i].arena);
        query_counts_release(&rejudge->workers[i].counts);
    }
    for (size_t i = 0; i < rejudge->nhosts; i++)
        repeats_host_unref(rejudge->hosts[i]);
    judge_unref(rejudge->judge);
    query_counts_release(&rejudge->counts);
    query_counts_free(rejudge->sample);
    centroid_release(&rejudge->seeds);
    arena_release(&rejudge->arena);
    free(rejudge->workers);
    free(rejudge->hosts);
    free(rejudge->moved);
    free(rejudge->ids);
    free(rejudge);
}

scent_status rejudge_crawl(const struct rejudge_options *options, struct rejudge_report *out, struct errmsg *err)
{
    struct rejudge *rejudge = calloc(1, sizeof *rejudge);
    scent_status status;

    SCENT_BUG_IF(!rejudge);
    *out = (struct rejudge_report){0};
    rejudge->options = options;
    rejudge->report = out;
    rejudge->err = err;
    rejudge->knowledge = options->knowledge ? *options->knowledge : knowledge_none;
    status = crawldir_get_number(options->store, "key", &rejudge->key, err);
    start(rejudge);
    if (status == SCENT_OK && options->topic->query && !rejudge->knowledge.sample) {
        status = judged_load_sample(options->store, options->topic->query, &rejudge->sample, err);
        rejudge->knowledge.sample = rejudge->sample;
    }
    if (status == SCENT_OK)
        status = judge_all(rejudge);
    out->stopped = status == SCENT_E_END;
    end(rejudge);
    return status == SCENT_E_END ? SCENT_OK : status;
}
