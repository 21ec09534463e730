#include "lab/replay.h"

#include "engine/steer.h"
#include "url/url.h"

#include <stdlib.h>

struct replay {
    const struct replay_options *options;
    struct steer *steer;
    struct replay_visit *visits;
    size_t count;
    struct frontier_taken *batch; /* taken and not yet examined */
    size_t nbatch;
};

static scent_status plant_seeds(struct replay *replay, struct errmsg *err)
{
    const struct replay_options *options = replay->options;
    scent_status status = SCENT_OK;
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < options->nseeds && status == SCENT_OK; i++) {
        const char *refused = NULL;
        struct url url;

        status = url_parse(&arena, collection_url(options->collection, options->seeds[i]), NULL, &url);
        if (status == SCENT_OK)
            status = steer_seed(replay->steer, &url, NULL, &refused);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "a seed cannot be queued: %s", scent_status_text(status));
        else if (refused)
            status = errmsg_fail(err, SCENT_E_INVALID, "seed %.*s: %s", STR_ARG(url.href), refused);
    }
    arena_release(&arena);
    return status;
}

static scent_status examine(struct replay *replay, const struct frontier_taken *taken, struct errmsg *err)
{
    const struct replay_options *options = replay->options;
    struct steer_visit visit = {.id = taken->id, .host = taken->host, .candidate = taken->candidate};
    bool seed = taken->candidate.flags & CANDIDATE_SEED;
    const struct judgement *judgement;
    const struct page *page;
    uint32_t number;
    scent_status status;

    if (!collection_find_print(options->collection, url_fingerprint(taken->href, COLLECTION_KEY), &number) ||
        !(page = collection_page(options->collection, number, NULL)))
        return errmsg_fail(err, SCENT_E_FORMAT,
                           "the file of analysed pages is damaged at %.*s: remove it, it is made anew",
                           STR_ARG(taken->href));
    judgement = options->judge(options->judge_ctx, number, page, seed);
    replay->visits[replay->count++] = (struct replay_visit){
        .page = number,
        .priority = steer_shown_priority(&taken->candidate),
        .relevant = judgement->relevant,
        .score = judgement->score,
    };
    if (options->watch)
        options->watch(options->watch_ctx, steer_strategy(replay->steer), steer_frontier(replay->steer), taken->id,
                       number);
    visit.number = replay->count;
    visit.page = page;
    visit.judgement = judgement;
    status = steer_examine(replay->steer, &visit, true, NULL, err);
    frontier_finish(steer_frontier(replay->steer), taken->id, (int64_t)replay->count);
    return status;
}

/* The next page; where nothing is queued, the strategy may know more. */
static scent_status take_one(struct replay *replay, struct frontier_taken *out)
{
    int64_t now = (int64_t)replay->count, wait;
    scent_status status = steer_take(replay->steer, now, NULL, out, &wait);
    bool any = !frontier_in_flight(steer_frontier(replay->steer));

    while (status == SCENT_E_END && any) {
        status = steer_propose(replay->steer, NULL, &any);
        if (status == SCENT_OK)
            status = steer_take(replay->steer, now, NULL, out, &wait);
    }
    return status;
}

/* The next page, or as many as the strategy takes at once. */
static scent_status take(struct replay *replay)
{
    const struct strategy *strategy = steer_strategy(replay->steer);
    size_t left = replay->options->budget - replay->count;
    size_t want = strategy->ops->batch ? strategy->ops->batch(strategy->state) : 1;
    scent_status status = SCENT_OK;

    if (want == 0)
        want = 1;
    replay->nbatch = 0;
    while (replay->nbatch < want && replay->nbatch < left) {
        status = take_one(replay, &replay->batch[replay->nbatch]);
        if (status != SCENT_OK)
            break;
        replay->nbatch++;
    }
    return replay->nbatch ? SCENT_OK : status;
}

static scent_status crawl(struct replay *replay, struct errmsg *err)
{
    scent_status status = plant_seeds(replay, err);

    while (status == SCENT_OK && replay->count < replay->options->budget) {
        status = take(replay);
        if (status == SCENT_E_END)
            return SCENT_OK;
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "cannot take a URL: %s", scent_status_text(status));
        for (size_t i = 0; i < replay->nbatch && status == SCENT_OK; i++)
            status = examine(replay, &replay->batch[i], err);
    }
    return status;
}

static scent_status remember(const struct replay *replay, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(replay->steer);
    const struct replay_options *options = replay->options;

    return options->recall.len ? strategy->ops->recall(strategy->state, options->recall, options->weight, err)
                               : SCENT_OK;
}

static scent_status report(const struct replay *replay, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(replay->steer);
    scent_status status = SCENT_OK;

    if (replay->options->learned)
        status = strategy->ops->learned(strategy->state, replay->options->learned);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "what the crawl learned cannot be kept: %s",
                                                       scent_status_text(status));
}

scent_status replay_run(const struct replay_options *options, struct replay_visit *visits, size_t *count,
                        struct errmsg *err)
{
    struct steer_options steer = {.topic = options->topic,
                                  .knowledge = options->knowledge,
                                  .key = COLLECTION_KEY,
                                  .seed = options->seed};
    struct replay replay = {.options = options, .visits = visits};
    scent_status status = steer_new(&steer, &replay.steer, err);

    *count = 0;
    if (status != SCENT_OK)
        return status;
    replay.batch = malloc((options->budget + 1) * sizeof *replay.batch);
    SCENT_BUG_IF(!replay.batch);
    status = remember(&replay, err);
    if (status == SCENT_OK)
        status = crawl(&replay, err);
    if (status == SCENT_OK)
        status = report(&replay, err);
    free(replay.batch);
    steer_free(replay.steer);
    *count = replay.count;
    return status;
}

/* ---- the oracle ---- */

/* First in, first out; a page enters one of them, once. */
struct line {
    uint32_t *pages;
    size_t first, end;
};

static void line_init(struct line *line, size_t room)
{
    *line = (struct line){.pages = malloc((room + 1) * sizeof *line->pages)};
    SCENT_BUG_IF(!line->pages);
}

static bool line_take(struct line *line, uint32_t *page)
{
    if (line->first == line->end)
        return false;
    *page = line->pages[line->first++];
    return true;
}

size_t replay_oracle(const struct collection *collection, const uint32_t *seeds, size_t nseeds, const bool *relevant,
                     size_t budget, uint32_t *pages)
{
    size_t npages = collection_count(collection), count = 0;
    bool *known = calloc(npages, sizeof *known);
    struct line good, other;
    uint32_t page;

    SCENT_BUG_IF(!known);
    line_init(&good, npages);
    line_init(&other, npages);
    for (size_t i = 0; i < nseeds; i++) {
        known[seeds[i]] = true;
        good.pages[good.end++] = seeds[i];
    }
    while (count < budget && (line_take(&good, &page) || line_take(&other, &page))) {
        const uint32_t *targets = NULL;
        const struct page *content = collection_page(collection, page, &targets);

        pages[count++] = page;
        for (uint32_t i = 0; content && i < content->nlinks; i++) {
            struct line *line = relevant[targets[i]] ? &good : &other;

            if (known[targets[i]])
                continue;
            known[targets[i]] = true;
            line->pages[line->end++] = targets[i];
        }
    }
    free(good.pages);
    free(other.pages);
    free(known);
    return count;
}
