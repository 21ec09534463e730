#include "lab/arm.h"

#include "base/hash.h"
#include "lab/runfile.h"

#include <stdlib.h>

/* ---- guides ---- */

void arm_desk_release(struct arm_desk *desk)
{
    for (size_t i = 0; i < desk->nguides; i++)
        guide_free(desk->guides[i]);
    free(desk->guides);
}

static scent_status find_guide(struct arm_desk *desk, const struct trial *trial, const struct experiment_model *model,
                               struct guide **out, struct errmsg *err)
{
    const struct lab *lab = desk->lab;
    struct guide **grown;
    scent_status status;

    for (size_t i = 0; i < desk->nguides; i++)
        if (guide_trial(desk->guides[i]) == trial && guide_fits(desk->guides[i], model)) {
            *out = desk->guides[i];
            return SCENT_OK;
        }
    status = guide_new(lab->experiment, lab->collection, lab->backlinks, trial, model, out, err);
    if (status != SCENT_OK)
        return status;
    grown = realloc(desk->guides, (desk->nguides + 1) * sizeof *grown);
    SCENT_BUG_IF(!grown);
    desk->guides = grown;
    desk->guides[desk->nguides++] = *out;
    return SCENT_OK;
}

/* ---- one crawl ---- */

/* What a crawl of this trial is given; `budget` and what it may remember are the caller's. */
static scent_status prepare(struct arm_desk *desk, const struct trial *trial,
                            const struct experiment_strategy *strategy, const struct experiment_traces *traces,
                            struct replay_options *out, struct errmsg *err)
{
    const struct lab *lab = desk->lab;
    struct guide *guide;
    scent_status status = find_guide(desk, trial, &strategy->model, &guide, err);

    if (status != SCENT_OK)
        return status;
    *out = (struct replay_options){
        .collection = lab->collection,
        .topic = guide_topic(guide, strategy, lab_traces_find(lab->traces, traces)),
        .seeds = trial->starts,
        .nseeds = trial->nstarts,
        .budget = lab->room,
        .seed = hash_mix(hash_str(trial->name, lab->experiment->seed),
                         hash_str(strategy->label, (uint64_t)trial->draw << 32 | trial->repeat)),
        .judge = guide_judge,
        .judge_ctx = guide,
    };
    return SCENT_OK;
}

/* The crawl before the crawl. Nothing is left of it but what it learned. */
static scent_status learn(struct arm_desk *desk, const struct lab_trial *place, const struct trial *trial,
                          const struct experiment_strategy *strategy, struct buf *out, struct errmsg *err)
{
    const struct experiment_reuse *reuse = &strategy->reuse;
    const struct trial *earlier = reuse->same_seeds ? trial : place->earlier;
    uint32_t npages = collection_count(desk->lab->collection);
    struct replay_options replay;
    struct replay_visit *visits;
    size_t count;
    scent_status status = prepare(desk, earlier, strategy, &reuse->traces, &replay, err);

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

static scent_status crawl(struct arm_desk *desk, const struct lab_trial *place, const struct trial *trial,
                          const struct experiment_strategy *strategy, struct lab_run *run, struct errmsg *err)
{
    struct replay_options replay;
    struct buf learned;
    scent_status status = SCENT_OK;

    buf_init(&learned, 0);
    if (strategy->reuse.wanted)
        status = learn(desk, place, trial, strategy, &learned, err);
    if (status == SCENT_OK)
        status = prepare(desk, trial, strategy, &strategy->traces, &replay, err);
    if (status == SCENT_OK) {
        replay.recall = buf_str(&learned);
        replay.weight = strategy->reuse.weight;
        status = replay_run(&replay, run->visits, &run->count, err);
    }
    buf_release(&learned);
    return status;
}

/* From its file, or crawled and written there. */
static scent_status fetch_run(struct arm_desk *desk, const struct lab_trial *place, const struct trial *trial,
                              const struct experiment_strategy *strategy, struct lab_run *run, struct errmsg *err)
{
    struct runfile file = {desk->lab->collection, trial, place->committee};
    char path[4096];
    scent_status status = SCENT_E_NOTFOUND;

    run->draw = trial->draw;
    run->visits = malloc((desk->lab->room + 1) * sizeof *run->visits);
    if (!run->visits)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a crawl of %u pages", desk->lab->room);
    if (desk->dir) {
        runfile_path(desk->dir, trial, strategy->label, path, sizeof path);
        status = runfile_read(&file, path, run->visits, desk->lab->room, &run->count, err);
    }
    if (status != SCENT_E_NOTFOUND)
        return status;
    status = crawl(desk, place, trial, strategy, run, err);
    if (status == SCENT_OK && desk->dir)
        status = runfile_write(&file, path, run->visits, run->count, err);
    return status;
}

/* ---- the best of several ---- */

/* Relevant pages up to the last point: all crawls are measured there, so this is harvest. */
static size_t count_relevant(const struct lab *lab, const struct lab_trial *place, const struct lab_run *run)
{
    size_t t = lab->experiment->points[lab->experiment->npoints - 1], count = 0;
    const bool *relevant = lab_relevant(lab, place);

    for (size_t i = 0; i < run->count && i < t; i++)
        count += relevant[run->visits[i].page];
    return count;
}

scent_status arm_run(struct arm_desk *desk, const struct lab_trial *place, size_t number, struct errmsg *err)
{
    const struct experiment_strategy *strategy = &desk->lab->experiment->strategies[number];
    struct lab_run *best = &place->runs[number];
    scent_status status = fetch_run(desk, place, place->trial, strategy, best, err);

    for (uint32_t i = 1; i < strategy->best_of && status == SCENT_OK; i++) {
        struct lab_run run = {0}, other;

        status = fetch_run(desk, place, place->draws[i], strategy, &run, err);
        if (status == SCENT_OK && count_relevant(desk->lab, place, &run) > count_relevant(desk->lab, place, best)) {
            other = *best;
            *best = run;
            run = other;
        }
        free(run.visits);
    }
    return status;
}
