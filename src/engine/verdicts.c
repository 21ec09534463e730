/* All pages by one judge: when a crawl resumes with another topic, and when it ends. */
#include "engine/crawl.h"

#include "crawldir/rejudge.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- what was judged by ---- */

/* What a crawl was judged by when it ran last, as values of the store: name, and what people call it. */
static const struct {
    const char *name, *what;
} parts[] = {
    {"judged relevant", "what is relevant"},
    {"judged query", "the query"},
    {"judged content", "the part of pages that is looked at"},
    {"judged knowledge", "the model or the background sample"},
};
enum { NPARTS = sizeof parts / sizeof *parts };

static void describe_parts(const struct crawl *crawl, struct str now[NPARTS], char digest[17])
{
    const struct topic *topic = crawl->topic;

    snprintf(digest, 17, "%016" PRIx64, crawl->judging.digest);
    now[0] = topic->relevant;
    now[1] = topic->query ? query_source(topic->query) : STR_NONE;
    now[2] = topic->content == TOPIC_CONTENT_MAIN ? STR("main") : STR("all");
    now[3] = (struct str){digest, 16};
}

/* Tells what has changed since the last run, and writes what is now. The digest is of the other parts too: it is told
 * where none of them says why. */
static scent_status compare_parts(struct crawl *crawl, bool *changed, struct errmsg *err)
{
    struct str now[NPARTS];
    char digest[17];
    struct buf before;
    scent_status status = SCENT_OK;

    *changed = false;
    describe_parts(crawl, now, digest);
    buf_init(&before, 0);
    for (size_t i = 0; i < NPARTS && status == SCENT_OK; i++) {
        buf_clear(&before);
        status = store_get(crawl->store, parts[i].name, &before, err);
        if (status == SCENT_OK && !str_eq(buf_str(&before), now[i]) && (i + 1 < NPARTS || !*changed)) {
            *changed = true;
            log_line(crawl->options->log, LOG_WARN,
                     i + 1 < NPARTS ? "%s has changed: it was '%.*s', and is '%.*s'"
                                    : "%s has changed since this crawl was judged",
                     parts[i].what, STR_ARG(buf_str(&before)), STR_ARG(now[i]));
        }
        if (status == SCENT_OK || status == SCENT_E_NOTFOUND)
            status = store_set(crawl->store, parts[i].name, now[i], err);
    }
    buf_release(&before);
    return status;
}

/* The background sample that the crawl began with: a file beside the topic may be gone. */
static scent_status keep_sample(struct crawl *crawl, struct errmsg *err)
{
    const struct query_counts *sample = crawl->judging.knowledge.sample;
    struct buf text;
    scent_status status = SCENT_OK;

    if (!sample)
        return SCENT_OK;
    buf_init(&text, 0);
    if (query_counts_write(sample, &text) != SCENT_OK)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the background sample");
    if (status == SCENT_OK)
        status = store_set(crawl->store, REJUDGE_SAMPLE, buf_str(&text), err);
    buf_release(&text);
    return status;
}

static scent_status find_sample(struct crawl *crawl, struct errmsg *err)
{
    struct judging *judging = &crawl->judging;
    scent_status status;

    if (!crawl->topic->query || judging->knowledge.sample)
        return SCENT_OK;
    judging->sample = query_counts_new(crawl->topic->query);
    status = rejudge_load_counts(crawl->store, REJUDGE_SAMPLE, judging->sample, err);
    if (status == SCENT_E_NOTFOUND) {
        query_counts_free(judging->sample);
        judging->sample = NULL;
        return SCENT_OK;
    }
    judging_replace(judging, &judging->knowledge);
    return status;
}

/* ---- judging again ---- */

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
    SCENT_TRY(store_begin(crawl->store, err));
    SCENT_TRY(compare_parts(crawl, &changed, err));
    SCENT_TRY(keep_sample(crawl, err));
    SCENT_TRY(store_commit(crawl->store, err));
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

scent_status verdicts_end(struct crawl *crawl, struct engine_report *out, struct errmsg *err)
{
    struct rejudge_report report;

    if (crawl->counts.pages == 0 || (crawl->options->stop && atomic_load(crawl->options->stop)))
        return SCENT_OK;
    SCENT_TRY(judge_all(crawl, false, &report, err));
    crawl->counts.relevant += report.gained - report.lost;
    out->judged_again = report.read;
    out->gained = report.gained;
    out->lost = report.lost;
    return SCENT_OK;
}
