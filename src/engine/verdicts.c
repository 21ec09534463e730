/* All pages by one judge: when a crawl resumes with another topic, and when it ends. */
#include "engine/crawl.h"

#include "crawldir/crawldir.h"
#include "crawldir/rejudge.h"

#include <inttypes.h>

enum { MANY = 20000 }; /* pages: it may take more than some seconds */

static scent_status find_sample(struct crawl *crawl, struct errmsg *err)
{
    struct judging *judging = &crawl->judging;

    if (!crawl->topic->query || judging->knowledge.sample)
        return SCENT_OK;
    SCENT_TRY(judged_load_sample(crawl->store, crawl->topic->query, &judging->sample, err));
    if (judging->sample)
        judging_replace(judging, &judging->knowledge);
    return SCENT_OK;
}

/* Other workers judge with us at the end alone: in the beginning they are at work. */
static scent_status judge_all(struct crawl *crawl, bool anew, struct rejudge_report *report, struct errmsg *err)
{
    struct rejudge_options options = {
        .dir = crawl->options->dir,
        .store = crawl->store,
        .topic = crawl->topic,
        .knowledge = &crawl->judging.knowledge,
        .pdf = pdf_reader_option(crawl->pdf),
        .anew = anew,
        .clock = crawl->options->clock,
        .log = crawl->options->log,
        .stop = crawl->options->stop,
        .threads = crawl->options->threads,
        .share = crawl->exchange && !anew ? exchange_share_sums : NULL,
        .on_verdict = crawl->exchange ? exchange_note_verdict : NULL,
        .on_progress = crawl->exchange ? exchange_stay : NULL,
        .ctx = crawl,
    };

    return rejudge_crawl(&options, report, err);
}

scent_status verdicts_begin(struct crawl *crawl, struct errmsg *err)
{
    struct rejudge_report report;
    bool changed;

    SCENT_TRY(find_sample(crawl, err));
    SCENT_TRY(judged_compare(crawl->store, crawl->topic, &crawl->judging.knowledge, crawl->options->log, &changed,
                              err));
    if (!changed)
        return SCENT_OK;
    log_line(crawl->options->log, LOG_WARN, "all pages are judged again, and the strategy learns from them anew");
    SCENT_TRY(judge_all(crawl, true, &report, err));
    log_line(crawl->options->log, LOG_WARN,
             "%" PRIu64 " pages were judged again: %" PRIu64 " became relevant, %" PRIu64 " are no longer relevant",
             report.read, report.gained, report.lost);
    return SCENT_OK;
}

/* After the writer. */
static scent_status keep_warnings(struct crawl *crawl, struct errmsg *err)
{
    SCENT_TRY(store_begin(crawl->store, err));
    SCENT_TRY(store_set(crawl->store, CRAWLDIR_WARNINGS, buf_str(&crawl->warnings.text), err));
    return store_commit(crawl->store, err);
}

scent_status verdicts_end(struct crawl *crawl, struct engine_report *out, struct errmsg *err)
{
    struct rejudge_report report;

    if (crawl->counts.pages == 0 || ending_was_asked(crawl))
        return exchange_end(crawl, NULL, err);
    if (crawl->counts.pages >= MANY)
        log_line(crawl->options->log, LOG_INFO,
                 "the crawl has ended; its pages are judged by all that it has learned (a signal leaves that to the "
                 "next run)");
    SCENT_TRY(judge_all(crawl, false, &report, err));
    crawl->counts.relevant += report.gained - report.lost;
    out->judged_again = report.read;
    out->gained = report.gained;
    out->lost = report.lost;
    if (!report.stopped && warnings_end(&crawl->warnings, crawl->counts.pages, crawl->counts.relevant,
                                        topic_default_relevant(crawl->topic)))
        SCENT_TRY(keep_warnings(crawl, err));
    return exchange_end(crawl, report.stopped ? NULL : &report.digest, err);
}
