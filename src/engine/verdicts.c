/* All pages by one judge: when a crawl resumes with another topic, and when it ends. */
#include "engine/crawl.h"

#include "crawldir/crawldir.h"
#include "crawldir/rejudge.h"

#include <inttypes.h>

enum { MANY = 20000 }; /* pages: it may take more than some seconds */

/* The background sample that the crawl began with: a file beside the topic may be gone. */
static scent_status find_sample(struct crawl *crawl, struct errmsg *err)
{
    struct judging *judging = &crawl->judging;
    scent_status status;

    if (!crawl->topic->query || judging->knowledge.sample)
        return SCENT_OK;
    judging->sample = query_counts_new(crawl->topic->query);
    status = judged_load_counts(crawl->store, JUDGED_SAMPLE, judging->sample, err);
    if (status == SCENT_E_NOTFOUND) {
        query_counts_free(judging->sample);
        judging->sample = NULL;
        return SCENT_OK;
    }
    judging_replace(judging, &judging->knowledge);
    return status;
}

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
             "%" PRIu64 " pages were judged again: %" PRIu64 " are relevant now and were not, %" PRIu64
             " were and are no longer",
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
        return SCENT_OK;
    if (crawl->counts.pages >= MANY)
        log_line(crawl->options->log, LOG_INFO,
                 "the crawl has ended; its pages are judged by all that it has learned (a signal leaves that to the "
                 "next run)");
    SCENT_TRY(judge_all(crawl, false, &report, err));
    crawl->counts.relevant += report.gained - report.lost;
    out->judged_again = report.read;
    out->gained = report.gained;
    out->lost = report.lost;
    if (report.stopped || !warnings_end(&crawl->warnings, crawl->counts.pages, crawl->counts.relevant,
                                        topic_default_relevant(crawl->topic)))
        return SCENT_OK;
    return keep_warnings(crawl, err);
}
