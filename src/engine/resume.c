/* The hot state of a crawl, rebuilt from what the store and the WARC files hold. */
#include "engine/crawl.h"

#include "crawldir/crawldir.h"
#include "crawldir/learned.h"
#include "crawldir/purge.h"
#include "crawldir/rejudge.h"
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

    crawl->key = crawl->exchange ? exchange_key(crawl->exchange) : rng_entropy();
    crawl->seed = crawl->exchange   ? exchange_seed(crawl->exchange)
                  : crawl->topic->seed ? crawl->topic->seed
                                       : rng_entropy() >> 1;
    status = store_begin(crawl->store, err);
    if (status == SCENT_OK && crawl->exchange)
        status = save_number(crawl->store, CRAWLDIR_WORKER, exchange_worker(crawl->exchange), err);
    if (status == SCENT_OK)
        status = save_number(crawl->store, "key", crawl->key, err);
    if (status == SCENT_OK)
        status = save_number(crawl->store, "seed", crawl->seed, err);
    return status == SCENT_OK ? store_commit(crawl->store, err) : status;
}

/* A directory is a worker's, of one crawl, for ever. */
static scent_status check_worker(struct crawl *crawl, struct errmsg *err)
{
    uint64_t worker;
    scent_status status = crawldir_get_number(crawl->store, CRAWLDIR_WORKER, &worker, err);

    if (crawl->exchange && crawl->key != exchange_key(crawl->exchange))
        return errmsg_fail(err, SCENT_E_INVALID, "%s belongs to another crawl than that of this server; use a new "
                           "directory", crawl->options->dir);
    if (status == SCENT_OK && !crawl->exchange)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s is one worker's of a crawl of several: its hosts are divided among them; resume it with "
                           "--join", crawl->options->dir);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
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
    if (status == SCENT_OK)
        status = check_worker(crawl, err);
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
    bool is_requisite;

    if (url->host >= frontier_hosts(steer_frontier(restore->crawl->steer)))
        return errmsg_fail(restore->err, SCENT_E_FORMAT,
                           "crawl.db is damaged: url row %u belongs to a host that is not there; 'scent check' lists "
                           "what is wrong, a copy of the directory is the way back", url->id + 1);
    is_requisite = (url->flags & (CANDIDATE_ROBOTS | CANDIDATE_REQUISITE)) == CANDIDATE_REQUISITE;
    if (url->state == STORE_FETCHED && !(url->flags & (CANDIDATE_ROBOTS | CANDIDATE_SITEMAP | CANDIDATE_REQUISITE)))
        steer_count_page(restore->crawl->steer, url->host);
    if (!is_requisite)
        restore->crawl->counts.failed += url->state == STORE_FAILED;
    else if (!requisites_restore_url(restore->crawl, url) && url->state == STORE_QUEUED)
        row.state = STORE_SEEN;
    counting_url(&restore->crawl->counting, url);
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
    if (page->judge_version > crawl->judging.version)
        crawl->judging.version = page->judge_version;
    crawl->counts.rows++;
    if (url->flags & CANDIDATE_REQUISITE)
        return requisites_restore_page(crawl, page);
    if (store_page_is_revisit(page) && !page->previous)
        (void)duplicates_count_copy(crawl->duplicates, page->duplicate_of);
    if (!page->counted && !page->replaced_by)
        return SCENT_OK;
    crawl->counts.pages += page->counted;
    crawl->counts.relevant += page->relevant && store_page_is_shown(page);
    if (page->counted)
        counting_page(&crawl->counting, page->judge_version, page->relevant);
    crawl->judging.seeds += store_page_is_first(page) && url->flags & CANDIDATE_SEED;
    return duplicates_know(crawl->duplicates, page);
}

static scent_status restore_judge(void *ctx, const struct store_judge *judge)
{
    struct judging *judging = &((struct restore *)ctx)->crawl->judging;

    judging->version = judge->id > judging->version ? judge->id : judging->version;
    return SCENT_OK;
}

static scent_status restore_left_out(struct crawl *crawl, struct errmsg *err)
{
    uint64_t count = 0;
    scent_status status = crawldir_get_number(crawl->store, CRAWLDIR_LEFT_OUT, &count, err);

    steer_restore_left_out(crawl->steer, count);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static scent_status restore_visits(struct crawl *crawl, struct errmsg *err)
{
    uint64_t visits = 0;
    scent_status status = crawl->is_repeatable ? crawldir_get_number(crawl->store, CRAWLDIR_VISITS, &visits, err)
                                               : SCENT_OK;

    crawl->dispatch.sent = crawl->dispatch.applied = visits;
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static scent_status restore_warnings(struct crawl *crawl, struct errmsg *err)
{
    struct buf kept;
    scent_status status;

    buf_init(&kept, 0);
    status = store_get(crawl->store, CRAWLDIR_WARNINGS, &kept, err);
    warnings_restore(&crawl->warnings, buf_str(&kept));
    buf_release(&kept);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static scent_status restore_parts(struct crawl *crawl, struct errmsg *err)
{
    struct buf names;
    scent_status status;

    buf_init(&names, 0);
    status = store_get(crawl->store, CRAWLDIR_PARTS, &names, err);
    steer_restore_parts(crawl->steer, buf_str(&names));
    buf_release(&names);
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
        status = store_each_judge(crawl->store, restore_judge, &restore, err);
    if (status == SCENT_OK)
        status = restore_left_out(crawl, err);
    if (status == SCENT_OK)
        status = restore_visits(crawl, err);
    if (status == SCENT_OK)
        status = restore_parts(crawl, err);
    if (status == SCENT_OK)
        status = store_count_links(crawl->store, &crawl->counting.links, err);
    if (status == SCENT_OK)
        status = restore_warnings(crawl, err);
    crawl->counts.first_page = crawl->counts.pages;
    frontier_committed(frontier, frontier_known(frontier));
    return status;
}

/* ---- pages, read back from the WARC files ---- */

struct relearn {
    struct crawl *crawl;
    struct errmsg *err;
    struct reread *reread;
    struct arena *arena; /* of the page that was read */
    uint64_t pages; /* examined pages so far */
    uint64_t known, counted; /* page rows up to these are known to the blocks that repeat, and to the statistics */
};

/* As it was judged then; what was not kept is judged again. */
static void judge_again(struct relearn *relearn, const struct store_page *row, const struct store_url *url,
                        const struct page *page, struct judgement *out)
{
    struct judge_input input = {
        .page = page,
        .bytes = row->bytes,
        .depth = url->depth,
        .seed = url->flags & CANDIDATE_SEED,
        .arena = relearn->arena,
    };

    judge_page(relearn->crawl->judging.judge, &input, out);
    out->relevant = row->first_relevant;
    out->score = row->first_score;
    out->version = row->first_judge;
}

static scent_status relearn_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct relearn *relearn = ctx;
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
    visit.number = ++relearn->pages;
    visit.candidate.priority = row->priority;
    if (row->warc_length == 0) /* it asked not to be archived: what it taught after the checkpoint is lost */
        return SCENT_OK;
    SCENT_TRY(reread_content(relearn->reread, relearn->crawl->store, row, url->url, &page, &relearn->arena,
                             relearn->err));
    judge_again(relearn, row, url, &page, &judgement);
    return steer_relearn(relearn->crawl->steer, &visit);
}

/* ---- the statistics of the query ---- */

static scent_status recount_page(void *ctx, const struct store_page *row, const struct store_url *url)
{
    struct relearn *relearn = ctx;
    struct judging *judging = &relearn->crawl->judging;
    struct page page;
    scent_status status;

    if (!row->counted || row->warc_length == 0) /* it asked not to be archived */
        return SCENT_OK;
    status = reread_content(relearn->reread, relearn->crawl->store, row, url->url, &page, &relearn->arena,
                            relearn->err);
    if (status == SCENT_OK && judging->repeats && row->number > relearn->known)
        repeats_count(judging->repeats, &page);
    if (status == SCENT_OK && judging->topic->query && row->number > relearn->counted)
        judging_recount(judging, &page);
    return status;
}

static scent_status recall_counts(struct crawl *crawl, struct errmsg *err)
{
    return learned_recall_counts(&crawl->judging.term_counts, crawl->topic, crawl->options->log, err);
}

/* What is not there, or of another query or version, begins anew: its *row is 0. */
static scent_status relearn_counts(struct relearn *relearn)
{
    struct crawl *crawl = relearn->crawl;
    struct judging *judging = &crawl->judging;
    scent_status status = SCENT_OK;

    relearn->known = relearn->counted = UINT64_MAX;
    if (judging->repeats)
        status = checkpoint_load_repeats(crawl->store, judging->repeats, &relearn->known, relearn->err);
    if (status == SCENT_E_NOTFOUND || status == SCENT_E_VERSION)
        relearn->known = 0;
    else
        SCENT_TRY(status);
    status = SCENT_OK;
    if (crawl->topic->query)
        status = checkpoint_load_counts(crawl->store, judging, &relearn->counted, relearn->err);
    if (status == SCENT_E_INVALID || status == SCENT_E_VERSION || status == SCENT_E_NOTFOUND) {
        relearn->counted = 0;
        status = recall_counts(crawl, relearn->err);
    }
    SCENT_TRY(status);
    return store_each_page(crawl->store, relearn->known < relearn->counted ? relearn->known : relearn->counted,
                           recount_page, relearn, relearn->err);
}

static scent_status recall_strategy(struct crawl *crawl, struct errmsg *err)
{
    crawl->recalled = crawl->topic->nreuse > 0;
    return learned_recall(steer_strategy(crawl->steer), crawl->topic, crawl->options->log, err);
}

/* Another strategy, or another version of it: the pages teach it what they taught the one before. */
static scent_status begin_anew(struct crawl *crawl, uint64_t *row, uint64_t *pages, struct errmsg *err)
{
    log_line(crawl->options->log, LOG_WARN, "%s", err->text);
    log_line(crawl->options->log, LOG_WARN, "it learns anew, from the pages of the crawl");
    *row = *pages = 0;
    SCENT_TRY(steer_begin_anew(crawl->steer, err));
    return recall_strategy(crawl, err);
}

/* What a strategy recalled from other crawls is in its checkpoint, so that it is recalled only where there is none: in
 * a new crawl, and after a purge. */
static scent_status load_checkpoint(struct crawl *crawl, uint64_t *row, uint64_t *pages, struct errmsg *err)
{
    scent_status status = checkpoint_load_strategy(crawl->store, steer_strategy(crawl->steer), row, pages, err);

    if (status == SCENT_OK && crawl->topic->nreuse)
        log_line(crawl->options->log, LOG_INFO,
                 "continues with what it has learned; 'reuse' is for the beginning of a crawl");
    if (status == SCENT_E_VERSION)
        return begin_anew(crawl, row, pages, err);
    return status == SCENT_E_NOTFOUND ? recall_strategy(crawl, err) : status;
}

static scent_status relearn_strategy(struct relearn *relearn)
{
    struct crawl *crawl = relearn->crawl;
    const struct strategy_ops *ops = steer_strategy(crawl->steer)->ops;
    uint64_t row = 0;
    bool restored;
    scent_status status = ops->load ? load_checkpoint(crawl, &row, &relearn->pages, relearn->err)
                                    : recall_strategy(crawl, relearn->err);

    if (status == SCENT_OK && ops->observe)
        status = store_each_page(crawl->store, row, relearn_page, relearn, relearn->err);
    if (status == SCENT_OK)
        status = checkpoint_load_scores(crawl->store, crawl->steer, crawl->counts.rows, &restored, relearn->err);
    if (status == SCENT_OK)
        steer_settle(crawl->steer, restored);
    return status;
}

/* What was recalled is part of the statistics, however often the pages are counted. */
static scent_status keep_recalled(struct crawl *crawl, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    status = query_counts_write(&crawl->judging.term_counts, &text);
    if (status == SCENT_OK)
        status = store_begin(crawl->store, err);
    if (status == SCENT_OK)
        status = store_set(crawl->store, JUDGED_RECALLED, buf_str(&text), err);
    if (status == SCENT_OK)
        status = store_commit(crawl->store, err);
    buf_release(&text);
    return status;
}

static scent_status learn_from_others(struct crawl *crawl, struct errmsg *err)
{
    SCENT_TRY(crawl->topic->query ? recall_counts(crawl, err) : SCENT_OK);
    SCENT_TRY(crawl->judging.term_counts.documents ? keep_recalled(crawl, err) : SCENT_OK);
    query_counts_sum(&crawl->judging.recalled, crawl->topic->query ? &crawl->judging.term_counts : NULL);
    return recall_strategy(crawl, err);
}

/* Other crawls and other workers. */
static scent_status restore_others(struct crawl *crawl, struct errmsg *err)
{
    struct judging *judging = &crawl->judging;
    scent_status status = SCENT_OK;

    if (crawl->topic->query)
        status = judged_load_counts(crawl->store, JUDGED_RECALLED, &judging->recalled, err);
    if (status != SCENT_OK && status != SCENT_E_NOTFOUND)
        return status;
    return judged_add_others(crawl->store, crawl->topic->query ? &judging->others : NULL, &judging->other_seeds, err);
}

scent_status resume_learning(struct crawl *crawl, struct errmsg *err)
{
    struct relearn relearn = {.crawl = crawl, .err = err};
    scent_status status;

    if (!crawl->resumed) {
        status = learn_from_others(crawl, err);
        judging_renew(&crawl->judging);
        return status;
    }
    relearn.reread = reread_new(crawl->options->dir, crawl->topic, crawl->key, pdf_reader_option(crawl->pdf));
    status = reread_seeds(relearn.reread, crawl->store, crawl->judging.seeds, false, &crawl->judging.centroid, err);
    if (status == SCENT_OK)
        status = restore_others(crawl, err);
    if (status == SCENT_OK)
        status = relearn_counts(&relearn);
    if (status == SCENT_OK) {
        judging_restore(&crawl->judging);
        status = relearn_strategy(&relearn);
    }
    reread_free(relearn.reread);
    return status;
}
