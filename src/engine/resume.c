/* The hot state of a crawl, rebuilt from what the store and the WARC files hold. */
#include "engine/crawl.h"

#include "crawldir/learned.h"
#include "crawldir/purge.h"
#include "http/http.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- values ---- */

static scent_status save_number(struct store *store, const char *name, uint64_t number, struct errmsg *err)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%" PRIu64, number);

    return store_set(store, name, (struct str){text, (size_t)len}, err);
}

/* What a new crawl draws once. */
static scent_status draw_values(struct crawl *crawl, struct errmsg *err)
{
    scent_status status;

    crawl->key = rng_entropy();
    crawl->seed = crawl->topic->seed ? crawl->topic->seed : rng_entropy() >> 1;
    status = store_begin(crawl->store, err);
    if (status == SCENT_OK)
        status = save_number(crawl->store, "key", crawl->key, err);
    if (status == SCENT_OK)
        status = save_number(crawl->store, "seed", crawl->seed, err);
    return status == SCENT_OK ? store_commit(crawl->store, err) : status;
}

scent_status resume_values(struct crawl *crawl, struct errmsg *err)
{
    /* A purge that was cut off comes to its end before anything else is written. */
    scent_status status;

    SCENT_TRY(purge_finish(crawl->store, crawl->options->dir, err));
    status = crawldir_get_number(crawl->store, "key", &crawl->key, err);
    if (status == SCENT_E_NOTFOUND)
        return draw_values(crawl, err);
    crawl->resumed = true;
    return status == SCENT_OK ? crawldir_get_number(crawl->store, "seed", &crawl->seed, err) : status;
}

/* ---- rows ---- */

struct restore {
    struct crawl *crawl;
    struct errmsg *err;
};

static scent_status restore_host(void *ctx, const struct store_host *host)
{
    struct restore *restore = ctx;
    scent_status status = steer_restore_host(restore->crawl->steer, host);

    if (status == SCENT_E_FORMAT)
        errmsg_fail(restore->err, status, "host row %u of crawl.db does not fit the rows before it", host->id + 1);
    return status;
}

static scent_status restore_url(void *ctx, const struct store_url *url)
{
    struct restore *restore = ctx;
    struct store_url row = *url;

    if (url->host >= frontier_hosts(steer_frontier(restore->crawl->steer)))
        return errmsg_fail(restore->err, SCENT_E_FORMAT,
                           "crawl.db is damaged: url row %u belongs to a host that is not there; 'scent check' lists "
                           "what is wrong, a copy of the directory is the way back", url->id + 1);
    if (url->state == STORE_FETCHED && !(url->flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP)))
        steer_count_page(restore->crawl->steer, url->host);
    restore->crawl->counts.failed += url->state == STORE_FAILED || url->state == STORE_DROPPED;
    /* Without a network nobody is asked for a robots.txt: one that a crawl of the network left waits for the next. */
    if (!restore->crawl->access.politeness && url->flags & CANDIDATE_ROBOTS && url->state == STORE_QUEUED)
        row.state = STORE_SEEN;
    row.flags &= (uint8_t)~CANDIDATE_AGAIN; /* never stored */
    return steer_restore_url(restore->crawl->steer, &row, restore->err);
}

static scent_status restore_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct crawl *crawl = ((struct restore *)ctx)->crawl;

    crawl->access.last_wall = page->wall;
    crawl->counts.rows++;
    if (store_page_is_revisit(page) && !page->previous)
        (void)duplicates_count_copy(crawl->duplicates, page->duplicate_of);
    if (!page->counted && !page->replaced_by)
        return SCENT_OK;
    crawl->counts.pages += page->counted;
    crawl->counts.relevant += page->relevant && store_page_is_shown(page);
    crawl->judging.seeds += store_page_is_first(page) && url->flags & CANDIDATE_SEED;
    return duplicates_know(crawl->duplicates, page);
}

static scent_status restore_left_out(struct crawl *crawl, struct errmsg *err)
{
    uint64_t count = 0;
    scent_status status = crawldir_get_number(crawl->store, CRAWLDIR_LEFT_OUT, &count, err);

    steer_restore_left_out(crawl->steer, count);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

scent_status resume_rows(struct crawl *crawl, struct errmsg *err)
{
    struct restore restore = {crawl, err};
    struct frontier *frontier = steer_frontier(crawl->steer);
    scent_status status = store_each_host(crawl->store, restore_host, &restore, err);

    if (status == SCENT_OK)
        status = store_each_url(crawl->store, restore_url, &restore, err);
    if (status == SCENT_OK)
        status = store_each_page(crawl->store, 0, restore_page, &restore, err);
    if (status == SCENT_OK)
        status = restore_left_out(crawl, err);
    crawl->counts.first_page = crawl->counts.pages;
    frontier_committed(frontier, frontier_known(frontier));
    return status;
}

/* ---- pages, read back from the WARC files ---- */

struct reread {
    struct crawl *crawl;
    struct errmsg *err;
    struct page_analyser *analyser;
    struct arena arena;
    uint64_t pages; /* examined pages so far */
    uint64_t seeds; /* still to be found */
    bool counts;    /* the statistics of the query are counted, not only blocks */
};

static scent_status reread_page(struct reread *reread, const struct store_page *row, struct str href, struct page *out)
{
    struct crawldir_path path;
    struct warc_reader *reader;
    struct warc_record record;
    scent_status status;

    SCENT_TRY(crawldir_warc_path(reread->crawl->options->dir, row->warc_file, &path, reread->err));
    SCENT_TRY(warc_reader_open(path.text, &reader, reread->err));
    arena_reset(&reread->arena);
    status = warc_reader_seek(reader, row->warc_offset, 0, reread->err);
    if (status == SCENT_OK)
        status = warc_reader_next(reader, &record, reread->err);
    if (status == SCENT_OK)
        status = page_analyse_stored(reread->analyser, href, record.http_head, record.payload, &reread->arena, out);
    if (status != SCENT_OK)
        errmsg_fail(reread->err, status, "cannot read %.*s back from warc/%.*s", STR_ARG(href),
                    STR_ARG(row->warc_file));
    warc_reader_close(reader);
    return status;
}

/* The same with the content as it was seen then: by the blocks that were known to repeat before this page, which is
 * counted now. Seeds are examples, and are seen alone. */
static scent_status reread_content(struct reread *reread, const struct store_page *row, const struct store_url *url,
                                   struct page *out)
{
    struct repeats *repeats = reread->crawl->judging.repeats;
    struct repeats_host *host;

    SCENT_TRY(reread_page(reread, row, url->url, out));
    if (!repeats)
        return SCENT_OK;
    host = url->flags & CANDIDATE_SEED ? NULL : repeats_of(repeats, &out->url);
    repeats_apply(host, out);
    repeats_host_unref(host);
    repeats_count(repeats, out);
    return SCENT_OK;
}

/* The blocks that were known behind *row; what is not there, or of another version, begins anew: *row is 0. */
static scent_status load_repeats(struct reread *reread, uint64_t *row)
{
    struct judging *judging = &reread->crawl->judging;
    scent_status status;

    *row = 0;
    if (!judging->repeats)
        return SCENT_OK;
    repeats_free(judging->repeats);
    judging->repeats = repeats_new();
    status = checkpoint_load_repeats(reread->crawl->store, judging->repeats, row, reread->err);
    if (status != SCENT_E_NOTFOUND && status != SCENT_E_VERSION)
        return status;
    *row = 0;
    return SCENT_OK;
}

/* Those that were known at `row`, where a walk begins. */
static scent_status return_to(struct reread *reread, uint64_t row)
{
    struct judging *judging = &reread->crawl->judging;
    uint64_t known;

    SCENT_TRY(load_repeats(reread, &known));
    if (judging->repeats && known != row) {
        repeats_free(judging->repeats);
        judging->repeats = repeats_new();
    }
    return SCENT_OK;
}

/* The judge's examples are the pages of the seeds. They stand at the beginning: once all are found the walk ends. */
static scent_status relearn_seed(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct reread *reread = ctx;
    struct text_vector vector;
    struct page page;
    scent_status status;

    if (reread->seeds == 0)
        return SCENT_E_END;
    if (!store_page_is_first(row) || !(url->flags & CANDIDATE_SEED))
        return SCENT_OK;
    reread->seeds--;
    if (row->warc_length == 0) {
        arena_reset(&reread->arena);
        status = judging_load_example(reread->crawl->store, row->url, &reread->arena, &vector, reread->err);
    } else {
        status = reread_page(reread, row, url->url, &page);
        if (status == SCENT_OK)
            status = centroid_page_vector(&page, &reread->arena, &vector);
    }
    return status == SCENT_OK ? centroid_add(&reread->crawl->judging.centroid, &vector) : status;
}

/* As it was judged then; what was not kept is judged again. */
static void judge_again(struct reread *reread, const struct store_page *row, const struct store_url *url,
                        const struct page *page, struct judgement *out)
{
    struct judge_input input = {
        .page = page,
        .bytes = row->bytes,
        .depth = url->depth,
        .seed = url->flags & CANDIDATE_SEED,
        .arena = &reread->arena,
    };

    judge_page(reread->crawl->judging.judge, &input, out);
    out->relevant = row->relevant;
    out->score = row->score;
    out->version = row->judge_version;
}

static scent_status relearn_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct reread *reread = ctx;
    struct judgement judgement;
    struct page page;
    struct steer_visit visit = {.id = row->url,
                                .host = url->host,
                                .row = row->number,
                                .candidate = steer_candidate_of_row(url),
                                .page = &page,
                                .judgement = &judgement};

    if (!store_page_is_first(row))
        return SCENT_OK;
    visit.number = ++reread->pages;
    visit.candidate.priority = row->priority;
    if (row->warc_length == 0) /* it asked not to be archived: what it taught after the checkpoint is lost */
        return SCENT_OK;
    SCENT_TRY(reread_content(reread, row, url, &page));
    judge_again(reread, row, url, &page, &judgement);
    return steer_relearn(reread->crawl->steer, &visit);
}

/* ---- the statistics of the query ---- */

static scent_status recount_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct reread *reread = ctx;
    struct page page;
    scent_status status;

    if (!row->counted || row->warc_length == 0) /* it asked not to be archived */
        return SCENT_OK;
    status = reread_content(reread, row, url, &page);
    if (status == SCENT_OK && reread->counts)
        query_counts_add(&reread->crawl->judging.term_counts, &page);
    return status;
}

static scent_status recall_counts(struct crawl *crawl, struct errmsg *err)
{
    return learned_recall_counts(&crawl->judging.term_counts, crawl->topic, crawl->options->log, err);
}

/* The statistics of another query, or of another version, begin anew. */
static scent_status relearn_counts(struct reread *reread)
{
    struct crawl *crawl = reread->crawl;
    uint64_t row = 0, known;
    scent_status status = load_repeats(reread, &known);

    SCENT_TRY(status);
    if (crawl->topic->query) {
        status = checkpoint_load_counts(crawl->store, &crawl->judging.term_counts, &row, reread->err);
        reread->counts = status == SCENT_OK || status == SCENT_E_NOTFOUND;
        if (status == SCENT_E_INVALID || status == SCENT_E_VERSION || status == SCENT_E_NOTFOUND)
            status = recall_counts(crawl, reread->err);
        SCENT_TRY(status);
    }
    if (!reread->counts)
        row = known;
    else if (row != known)
        SCENT_TRY(return_to(reread, row));
    if (!reread->counts && !crawl->judging.repeats)
        return SCENT_OK;
    return store_each_page(crawl->store, row, recount_page, reread, reread->err);
}

static scent_status recall_strategy(struct crawl *crawl, struct errmsg *err)
{
    crawl->recalled = crawl->topic->nreuse > 0;
    return learned_recall(steer_strategy(crawl->steer), crawl->topic, crawl->options->log, err);
}

/* What a strategy recalled from other crawls is in its checkpoint, so that it is recalled only where there is none: in
 * a new crawl, and after a purge. */
static scent_status load_checkpoint(struct crawl *crawl, uint64_t *row, uint64_t *pages, struct errmsg *err)
{
    scent_status status = checkpoint_load_strategy(crawl->store, steer_strategy(crawl->steer), row, pages, err);

    if (status == SCENT_OK && crawl->topic->nreuse)
        log_line(crawl->options->log, LOG_INFO,
                 "continues with what it has learned; 'reuse' is for the beginning of a crawl");
    return status == SCENT_E_NOTFOUND ? recall_strategy(crawl, err) : status;
}

static scent_status relearn_strategy(struct reread *reread)
{
    struct crawl *crawl = reread->crawl;
    const struct strategy_ops *ops = steer_strategy(crawl->steer)->ops;
    uint64_t row = 0;
    scent_status status = ops->load ? load_checkpoint(crawl, &row, &reread->pages, reread->err)
                                    : recall_strategy(crawl, reread->err);

    if (status == SCENT_OK && ops->observe)
        status = return_to(reread, row);
    if (status == SCENT_OK && ops->observe)
        status = store_each_page(crawl->store, row, relearn_page, reread, reread->err);
    if (status == SCENT_OK)
        steer_settle(crawl->steer);
    return status;
}

static scent_status learn_from_others(struct crawl *crawl, struct errmsg *err)
{
    SCENT_TRY(crawl->topic->query ? recall_counts(crawl, err) : SCENT_OK);
    return recall_strategy(crawl, err);
}

scent_status resume_learning(struct crawl *crawl, struct errmsg *err)
{
    struct page_options options = {
        .key = crawl->key,
        .url_flags = topic_url_flags(crawl->topic),
        .agent = robots_agent(crawl->topic->politeness.user_agent),
        .max_bytes = crawl->topic->limits.page_bytes,
        .whole_page = crawl->topic->content == TOPIC_CONTENT_ALL,
        .pdf = pdf_reader_option(crawl->pdf),
    };
    struct reread reread = {.crawl = crawl, .err = err, .seeds = crawl->judging.seeds};
    scent_status status;

    if (!crawl->resumed)
        return learn_from_others(crawl, err);
    reread.analyser = page_analyser_new(&options);
    arena_init(&reread.arena, SIZE_MAX);
    status = store_each_page(crawl->store, 0, relearn_seed, &reread, err);
    if (status == SCENT_OK || status == SCENT_E_END)
        status = relearn_counts(&reread);
    if (status == SCENT_OK) {
        judging_renew(&crawl->judging);
        status = relearn_strategy(&reread);
    }
    page_analyser_free(reread.analyser);
    arena_release(&reread.arena);
    return status;
}
