#include "lab/replay.h"

#include "base/vec.h"
#include "engine/steer.h"
#include "url/url.h"

#include <math.h>
#include <stdlib.h>

#define DAMAGED "the file of analysed pages is damaged at %.*s: remove it, it is made anew"

/* A link on its way to the worker that owns its page. */
struct message {
    uint32_t page;
    struct candidate candidate;
};

struct worker {
    struct steer *steer;
    struct message *inbox;
    size_t ninbox, inbox_room;
    float *sent;     /* of every page: its priority when it was sent; NAN: it was not. NULL: there is nobody else */
    struct buf told; /* what the others have recalled of it */
};

struct replay {
    const struct replay_options *options;
    struct worker *workers;
    uint32_t nworkers;
    struct replay_visit *visits;
    size_t count;
    struct frontier_taken *batch; /* taken and not yet examined */
    size_t nbatch;
};

static uint32_t owner_of(const struct replay *replay, uint32_t page)
{
    return replay->nworkers > 1 ? replay->options->division->owners[page] : 0;
}

static bool owns(const struct replay *replay, const struct worker *worker, uint32_t page)
{
    return &replay->workers[owner_of(replay, page)] == worker;
}

static scent_status plant_seeds(struct replay *replay, struct errmsg *err)
{
    const struct replay_options *options = replay->options;
    scent_status status = SCENT_OK;
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < options->nseeds && status == SCENT_OK; i++) {
        struct steer *steer = replay->workers[owner_of(replay, options->seeds[i])].steer;
        const char *refused = NULL;
        struct url url;

        status = url_parse(&arena, collection_url(options->collection, options->seeds[i]), NULL, &url);
        if (status == SCENT_OK)
            status = steer_seed(steer, &url, NULL, &refused);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "a seed cannot be queued: %s", scent_status_text(status));
        else if (refused)
            status = errmsg_fail(err, SCENT_E_INVALID, "seed %.*s: %s", STR_ARG(url.href), refused);
    }
    arena_release(&arena);
    return status;
}

static scent_status find_page(const struct replay *replay, struct str href, uint32_t *number, struct errmsg *err)
{
    return collection_find_print(replay->options->collection, url_fingerprint(href, COLLECTION_KEY), number)
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_FORMAT, DAMAGED, STR_ARG(href));
}

/* ---- links between workers ---- */

static void send(struct replay *replay, struct worker *from, uint32_t page, const struct candidate *candidate)
{
    struct worker *to = &replay->workers[owner_of(replay, page)];

    if (from->sent[page] >= candidate->priority) /* false where it was not sent */
        return;
    from->sent[page] = candidate->priority;
    SCENT_BUG_IF(!vec_reserve(&to->inbox, &to->inbox_room, to->ninbox + 1, sizeof *to->inbox));
    to->inbox[to->ninbox++] = (struct message){page, *candidate};
}

/* The links of an examined page to pages of others. They stay queued here, so that the strategy treats them as it does
 * its own; whoever takes one lets it go. */
static void send_links(struct replay *replay, struct worker *from, const struct frontier_taken *taken, uint32_t number)
{
    struct frontier *frontier = steer_frontier(from->steer);
    const uint32_t *targets = NULL;
    const struct page *page = collection_page(replay->options->collection, number, &targets);

    for (uint32_t i = 0; page && i < page->nlinks; i++) {
        struct candidate candidate;
        uint32_t id;

        if (owns(replay, from, targets[i]) || !frontier_find(frontier, page->links[i].fingerprint, &id) ||
            !frontier_get(frontier, id, &candidate))
            continue;
        candidate.off_domain = taken->candidate.off_domain; /* the owner counts from there */
        send(replay, from, targets[i], &candidate);
    }
}

static scent_status deliver(struct replay *replay, struct worker *to, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (size_t i = 0; i < to->ninbox && status == SCENT_OK; i++) {
        struct str href = collection_url(replay->options->collection, to->inbox[i].page);
        const char *refused;
        struct url url;

        arena_reset(&arena);
        status = url_parse(&arena, href, NULL, &url);
        if (status == SCENT_OK)
            status = steer_arrive(to->steer, &url, to->inbox[i].candidate, NULL, &refused);
    }
    arena_release(&arena);
    to->ninbox = 0;
    return status == SCENT_OK ? SCENT_OK
                              : errmsg_fail(err, status, "a link does not arrive: %s", scent_status_text(status));
}

/* ---- pages ---- */

static scent_status examine(struct replay *replay, struct worker *worker, const struct frontier_taken *taken,
                            struct errmsg *err)
{
    const struct replay_options *options = replay->options;
    struct steer *steer = worker->steer;
    struct steer_visit visit = {.id = taken->id, .host = taken->host, .candidate = taken->candidate};
    bool seed = taken->candidate.flags & CANDIDATE_SEED;
    const struct judgement *judgement;
    const struct page *page;
    uint32_t number;
    scent_status status;

    SCENT_TRY(find_page(replay, taken->href, &number, err));
    page = collection_page(options->collection, number, NULL);
    if (!page)
        return errmsg_fail(err, SCENT_E_FORMAT, DAMAGED, STR_ARG(taken->href));
    judgement = options->judge(options->judge_ctx, number, page, seed);
    replay->visits[replay->count++] = (struct replay_visit){
        .page = number,
        .priority = steer_shown_priority(&taken->candidate),
        .relevant = judgement->relevant,
        .score = judgement->score,
    };
    if (options->watch)
        options->watch(options->watch_ctx, steer_strategy(steer), steer_frontier(steer), taken->id, number);
    visit.number = replay->count;
    visit.page = page;
    visit.judgement = judgement;
    status = steer_examine(steer, &visit, true, NULL, err);
    frontier_finish(steer_frontier(steer), taken->id, (int64_t)replay->count);
    if (status == SCENT_OK && replay->nworkers > 1)
        send_links(replay, worker, taken, number);
    return status;
}

/* The next page that is its own: others were sent when they were found, or are now (proposals). */
static scent_status take_own(struct replay *replay, struct worker *worker, struct frontier_taken *out,
                             struct errmsg *err)
{
    int64_t now = (int64_t)replay->count, wait;

    for (;;) {
        scent_status status = steer_take(worker->steer, now, NULL, out, &wait);
        uint32_t number;

        if (status == SCENT_E_END || (status == SCENT_OK && replay->nworkers == 1))
            return status;
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "cannot take a URL: %s", scent_status_text(status));
        SCENT_TRY(find_page(replay, out->href, &number, err));
        if (owns(replay, worker, number))
            return SCENT_OK;
        if (isnan(worker->sent[number]))
            send(replay, worker, number, &out->candidate);
        steer_refuse(worker->steer, out, STORE_DROPPED, STR("another worker's"), NULL);
    }
}

/* The next page; where nobody has anything queued, the strategy may know more. */
static scent_status take_one(struct replay *replay, struct worker *worker, bool last_chance,
                             struct frontier_taken *out, struct errmsg *err)
{
    scent_status status = take_own(replay, worker, out, err);
    bool any = last_chance && !frontier_in_flight(steer_frontier(worker->steer));

    while (status == SCENT_E_END && any) {
        status = steer_propose(worker->steer, NULL, &any);
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "the strategy cannot propose: %s", scent_status_text(status));
        status = take_own(replay, worker, out, err);
    }
    return status;
}

/* The next page, or as many as the strategy takes at once. */
static scent_status take(struct replay *replay, struct worker *worker, bool last_chance, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(worker->steer);
    size_t left = replay->options->budget - replay->count;
    size_t want = strategy->ops->batch ? strategy->ops->batch(strategy->state) : 1;
    scent_status status = SCENT_OK;

    if (want == 0)
        want = 1;
    replay->nbatch = 0;
    while (replay->nbatch < want && replay->nbatch < left) {
        status = take_one(replay, worker, last_chance, &replay->batch[replay->nbatch], err);
        if (status != SCENT_OK)
            break;
        replay->nbatch++;
    }
    return status == SCENT_E_END && replay->nbatch ? SCENT_OK : status;
}

/* Each worker in turn. *any: something was fetched or sent. */
static scent_status crawl_round(struct replay *replay, bool last_chance, bool *any, struct errmsg *err)
{
    *any = false;
    for (uint32_t i = 0; i < replay->nworkers && replay->count < replay->options->budget; i++) {
        struct worker *worker = &replay->workers[i];
        scent_status status = take(replay, worker, last_chance, err);

        if (status == SCENT_E_END)
            continue;
        SCENT_TRY(status);
        *any = true;
        for (size_t k = 0; k < replay->nbatch; k++)
            SCENT_TRY(examine(replay, worker, &replay->batch[k], err));
    }
    for (uint32_t i = 0; i < replay->nworkers; i++) {
        *any |= replay->workers[i].ninbox > 0;
        SCENT_TRY(deliver(replay, &replay->workers[i], err));
    }
    return SCENT_OK;
}

/* ---- sums of what was learned ---- */

static scent_status recall(const struct worker *worker, struct str blob, double weight, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(worker->steer);

    return blob.len ? strategy->ops->recall(strategy->state, blob, weight, err) : SCENT_OK;
}

static scent_status recall_others(struct replay *replay, double weight, struct errmsg *err)
{
    for (uint32_t i = 0; i < replay->nworkers; i++)
        for (uint32_t k = 0; k < replay->nworkers; k++)
            if (k != i)
                SCENT_TRY(recall(&replay->workers[i], buf_str(&replay->workers[k].told), weight, err));
    return SCENT_OK;
}

static scent_status tell(const struct worker *worker, struct buf *out, struct errmsg *err)
{
    const struct strategy *strategy = steer_strategy(worker->steer);
    scent_status status;

    buf_clear(out);
    status = strategy->ops->learned(strategy->state, out);
    return status == SCENT_OK ? SCENT_OK : errmsg_fail(err, status, "what the crawl learned cannot be kept: %s",
                                                       scent_status_text(status));
}

static scent_status exchange(struct replay *replay, struct errmsg *err)
{
    SCENT_TRY(recall_others(replay, -1, err));
    for (uint32_t i = 0; i < replay->nworkers; i++)
        SCENT_TRY(tell(&replay->workers[i], &replay->workers[i].told, err));
    SCENT_TRY(recall_others(replay, 1, err));
    for (uint32_t i = 0; i < replay->nworkers; i++)
        steer_settle(replay->workers[i].steer, false);
    return SCENT_OK;
}

static scent_status crawl(struct replay *replay, struct errmsg *err)
{
    uint32_t every = replay->nworkers > 1 ? replay->options->exchange : 0;
    bool any = true, last_chance = false;

    SCENT_TRY(plant_seeds(replay, err));
    for (uint32_t round = 1; replay->count < replay->options->budget && (any || !last_chance); round++) {
        last_chance = !any || replay->nworkers == 1;
        SCENT_TRY(crawl_round(replay, last_chance, &any, err));
        if (every && round % every == 0)
            SCENT_TRY(exchange(replay, err));
    }
    return SCENT_OK;
}

/* ---- from the workers' beginning to their end ---- */

static scent_status open_worker(struct replay *replay, uint32_t number, struct errmsg *err)
{
    const struct replay_options *options = replay->options;
    struct worker *worker = &replay->workers[number];
    size_t npages = collection_count(options->collection);
    struct steer_options steer = {.topic = options->topic,
                                  .knowledge = options->knowledge,
                                  .key = COLLECTION_KEY,
                                  .seed = options->seed + number};

    buf_init(&worker->told, 0);
    if (replay->nworkers > 1) {
        worker->sent = malloc((npages + 1) * sizeof *worker->sent);
        SCENT_BUG_IF(!worker->sent);
        for (size_t i = 0; i < npages; i++)
            worker->sent[i] = NAN;
    }
    SCENT_TRY(steer_new(&steer, &worker->steer, err));
    return recall(worker, options->recall, options->weight, err);
}

static void close_worker(struct worker *worker)
{
    steer_free(worker->steer);
    free(worker->inbox);
    free(worker->sent);
    buf_release(&worker->told);
}

scent_status replay_run(const struct replay_options *options, struct replay_visit *visits, size_t *count,
                        struct errmsg *err)
{
    struct replay replay = {.options = options, .visits = visits, .nworkers = 1};
    scent_status status = SCENT_OK;

    *count = 0;
    if (options->division)
        replay.nworkers = options->division->workers;
    replay.workers = calloc(replay.nworkers, sizeof *replay.workers);
    replay.batch = malloc((options->budget + 1) * sizeof *replay.batch);
    SCENT_BUG_IF(!replay.workers || !replay.batch);
    for (uint32_t i = 0; i < replay.nworkers && status == SCENT_OK; i++)
        status = open_worker(&replay, i, err);
    if (status == SCENT_OK)
        status = crawl(&replay, err);
    if (status == SCENT_OK && options->learned)
        status = tell(&replay.workers[0], options->learned, err);
    for (uint32_t i = 0; i < replay.nworkers; i++)
        close_worker(&replay.workers[i]);
    free(replay.workers);
    free(replay.batch);
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
            struct line *line = relevant && relevant[targets[i]] ? &good : &other;

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
