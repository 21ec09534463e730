#include "lab/lab_crawler.h"

#include "base/hash.h"
#include "base/vec.h"
#include "lab/runfile.h"

#include <stdlib.h>

void lab_crawler_release(struct lab_crawler *crawler)
{
    for (size_t i = 0; i < crawler->njudges; i++)
        trial_judge_free(crawler->judges[i]);
    free(crawler->judges);
}

static scent_status find_judge(struct lab_crawler *crawler, const struct trial *trial,
                               const struct experiment_model *model, struct trial_judge **out, struct errmsg *err)
{
    for (size_t i = 0; i < crawler->njudges; i++)
        if (trial_judge_fits(crawler->judges[i], trial, model)) {
            *out = crawler->judges[i];
            return SCENT_OK;
        }
    if (!vec_reserve(&crawler->judges, &crawler->room, crawler->njudges + 1, sizeof *crawler->judges))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a judge");
    SCENT_TRY(trial_judge_new(&crawler->lab->judging, trial, model, out, err));
    crawler->judges[crawler->njudges++] = *out;
    return SCENT_OK;
}

/* ---- one crawl ---- */

/* What a crawl of this trial is given; `budget` and what it may remember are the caller's. */
static scent_status prepare_crawl(struct lab_crawler *crawler, const struct trial *trial,
                                  const struct experiment_strategy *strategy, const struct experiment_traces *traces,
                                  struct replay_options *out, struct errmsg *err)
{
    const struct lab *lab = crawler->lab;
    struct trial_judge *judge;

    SCENT_TRY(find_judge(crawler, trial, &strategy->model, &judge, err));
    trial_judge_prepare(judge, strategy, lab_traces_find(lab->traces, traces));
    *out = (struct replay_options){
        .collection = lab->collection,
        .topic = trial_judge_topic(judge),
        .knowledge = trial_judge_knowledge(judge),
        .seeds = trial->starts,
        .nseeds = trial->nstarts,
        .budget = lab->room,
        .seed = hash_mix(hash_str(trial->name, lab->experiment->seed),
                         hash_str(strategy->label, (uint64_t)trial->draw << 32 | trial->repeat)),
        .judge = trial_judge_page,
        .judge_ctx = judge,
    };
    return SCENT_OK;
}

/* The crawl before the crawl. Nothing is left of it but what it learned. */
static scent_status crawl_earlier(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                  const struct experiment_strategy *strategy, struct buf *out, struct errmsg *err)
{
    const struct experiment_reuse *reuse = &strategy->reuse;
    const struct trial *earlier = reuse->same_seeds ? trial : place->earlier;
    uint32_t npages = collection_count(crawler->lab->collection);
    struct replay_options replay;
    struct replay_visit *visits;
    size_t count;
    scent_status status = prepare_crawl(crawler, earlier, strategy, &reuse->traces, &replay, err);

    if (status != SCENT_OK)
        return status;
    replay.budget = reuse->budget < npages ? reuse->budget : npages;
    replay.learned = out;
    visits = malloc((replay.budget + (size_t)1) * sizeof *visits);
    if (!visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", replay.budget);
    status = replay_run(&replay, visits, &count, err);
    free(visits);
    return status;
}

static scent_status crawl_trial(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                const struct experiment_strategy *strategy, struct lab_crawl *crawl, struct errmsg *err)
{
    struct replay_options replay;
    struct buf learned;
    scent_status status = SCENT_OK;

    buf_init(&learned, 0);
    if (strategy->reuse.wanted)
        status = crawl_earlier(crawler, place, trial, strategy, &learned, err);
    if (status == SCENT_OK)
        status = prepare_crawl(crawler, trial, strategy, &strategy->traces, &replay, err);
    if (status == SCENT_OK) {
        replay.recall = buf_str(&learned);
        replay.weight = strategy->reuse.weight;
        status = replay_run(&replay, crawl->visits, &crawl->count, err);
    }
    buf_release(&learned);
    return status;
}

/* From its file, or crawled and written there. */
static scent_status obtain_crawl(struct lab_crawler *crawler, const struct lab_trial *place, const struct trial *trial,
                                 const struct experiment_strategy *strategy, struct lab_crawl *crawl,
                                 struct errmsg *err)
{
    struct runfile file = {crawler->lab->collection, trial, place->evaluated};
    char path[4096];
    scent_status status = SCENT_E_NOTFOUND;

    crawl->draw = trial->draw;
    crawl->visits = malloc((crawler->lab->room + 1) * sizeof *crawl->visits);
    if (!crawl->visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", crawler->lab->room);
    if (crawler->dir) {
        runfile_path(crawler->dir, trial, strategy->label, path, sizeof path);
        status = runfile_read(&file, path, crawl->visits, crawler->lab->room, &crawl->count, err);
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    status = crawl_trial(crawler, place, trial, strategy, crawl, err);
    if (status == SCENT_OK && crawler->dir)
        status = runfile_write(&file, path, crawl->visits, crawl->count, err);
    return status;
}

/* ---- the best of several ---- */

/* Relevant pages up to the last point: all crawls are measured there, so this is harvest. */
static size_t count_relevant(const struct lab *lab, const struct lab_trial *place, const struct lab_crawl *crawl)
{
    size_t t = lab->experiment->points[lab->experiment->npoints - 1], count = 0;
    const bool *relevant = lab_relevant(lab, place);

    for (size_t i = 0; i < crawl->count && i < t; i++)
        count += relevant[crawl->visits[i].page];
    return count;
}

scent_status lab_crawler_run(struct lab_crawler *crawler, const struct lab_trial *place, size_t number,
                             struct errmsg *err)
{
    const struct lab *lab = crawler->lab;
    const struct experiment_strategy *strategy = &lab->experiment->strategies[number];
    struct lab_crawl *best = &place->crawls[number];
    scent_status status = obtain_crawl(crawler, place, place->trial, strategy, best, err);

    for (uint32_t i = 1; i < strategy->best_of && status == SCENT_OK; i++) {
        struct lab_crawl crawl = {0}, other;

        status = obtain_crawl(crawler, place, place->draws[i], strategy, &crawl, err);
        if (status == SCENT_OK && count_relevant(lab, place, &crawl) > count_relevant(lab, place, best)) {
            other = *best;
            *best = crawl;
            crawl = other;
        }
        free(crawl.visits);
    }
    return status;
}
