#include "lab/trial_session.h"

#include "base/hash.h"
#include "base/rng.h"
#include "trace/browse.h"
#include "lab/trial_model.h"

#include <stdlib.h>

enum { SALT = 0x5e55 };

/* A session in the making. */
struct browsing {
    const struct experiment_sessions *wanted;
    const struct collection *collection;
    uint32_t npages;
    struct trial *trial;
    struct trial_session *session;
    bool *seen;   /* of every page: visited already */
    bool *tested; /* seen by users who are held out, of the topic */
    struct rng rng;
};

static void visit(struct browsing *browsing, uint32_t page)
{
    struct trial_session *session = browsing->session;
    bool relevant = browsing->trial->relevant[page];

    if (browsing->seen[page])
        return;
    browsing->seen[page] = true;
    session->useful[session->count] = session->marked[page] = relevant;
    session->nuseful += relevant;
    session->pages[session->count++] = page;
}

/* ---- the users of an access log ---- */

struct users {
    struct browsing *browsing;
    const struct trace *trace;
    uint32_t *page;  /* of the collection, of every page of the trace */
    uint32_t *stamp; /* of every page of the trace: the last user who was seen there, plus 1 */
    uint32_t *taken; /* users who are interested and not held out */
    size_t ntaken, nheld;
};

static bool is_relevant(const struct users *users, uint32_t at)
{
    return users->browsing->trial->relevant[users->page[trace_at(users->trace, at)->page]];
}

/* How many pages of the topic has the user seen? */
static uint32_t count_interest(struct users *users, uint32_t user)
{
    struct trace_range range = trace_of_user(users->trace, user);
    uint32_t count = 0;

    for (uint32_t at = range.begin; at < range.end; at++) {
        uint32_t *stamp = &users->stamp[trace_at(users->trace, at)->page];

        if (*stamp == user + 1 || !is_relevant(users, at))
            continue;
        *stamp = user + 1;
        count++;
    }
    return count;
}

/* Whether a user is held out depends on the name and the seed alone: in all topics the same. */
static void divide_users(struct users *users, uint64_t seed)
{
    const struct experiment_sessions *wanted = users->browsing->wanted;

    for (uint32_t user = 0; user < trace_size(users->trace).users; user++) {
        struct trace_range range = trace_of_user(users->trace, user);

        if (count_interest(users, user) < wanted->interest)
            continue;
        if ((double)(hash_str(trace_user_name(users->trace, user), seed) >> 32) / 4294967296. >= wanted->held_out) {
            users->taken[users->ntaken++] = user;
            continue;
        }
        users->nheld++;
        for (uint32_t at = range.begin; at < range.end; at++)
            users->browsing->tested[users->page[trace_at(users->trace, at)->page]] |= is_relevant(users, at);
    }
}

/* All pages of the sessions that have a page of the topic. */
static void follow_user(struct users *users, uint32_t user)
{
    struct browsing *browsing = users->browsing;
    struct trace_range range = trace_of_user(users->trace, user);
    uint32_t end;

    for (uint32_t begin = range.begin; begin < range.end; begin = end) {
        bool on_topic = is_relevant(users, begin);

        for (end = begin + 1;
             end < range.end && trace_at(users->trace, end)->session == trace_at(users->trace, begin)->session; end++)
            on_topic |= is_relevant(users, end);
        for (uint32_t at = begin; on_topic && at < end && browsing->session->count < browsing->wanted->pages; at++)
            visit(browsing, users->page[trace_at(users->trace, at)->page]);
    }
}

static scent_status follow_users(struct users *users, uint64_t seed, struct errmsg *err)
{
    struct browsing *browsing = users->browsing;

    if (!users->page || !users->stamp || !users->taken)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the users of the log");
    for (uint32_t i = 0; i < trace_size(users->trace).pages; i++) /* named as in the collection: lab_traces.h */
        if (!collection_find(browsing->collection, trace_url(users->trace, i), &users->page[i]))
            return errmsg_fail(err, SCENT_E_FORMAT, "the trace has pages that the collection does not have");
    divide_users(users, seed);
    if (!users->ntaken || !users->nheld)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%zu users have seen %u of its pages and %zu more are held out; some are needed on both "
                           "sides: lower sessions.interest, or change held_out",
                           users->ntaken, browsing->wanted->interest, users->nheld);
    while (users->ntaken && browsing->session->count < browsing->wanted->pages) {
        size_t at = rng_below(&browsing->rng, users->ntaken);

        follow_user(users, users->taken[at]);
        users->taken[at] = users->taken[--users->ntaken];
    }
    return SCENT_OK;
}

static scent_status browse_as_users(struct browsing *browsing, const struct trace *trace, uint64_t seed,
                                    struct errmsg *err)
{
    struct trace_size size = trace_size(trace);
    struct users users = {
        .browsing = browsing,
        .trace = trace,
        .page = calloc(size.pages + (size_t)1, sizeof *users.page),
        .stamp = calloc(size.pages + (size_t)1, sizeof *users.stamp),
        .taken = calloc(size.users + (size_t)1, sizeof *users.taken),
    };
    scent_status status = follow_users(&users, seed, err);

    free(users.page);
    free(users.stamp);
    free(users.taken);
    return status;
}

/* ---- the simulated person ---- */

/* One of the links that lead nearer to the goal, or any; false: there is none. */
static bool click(struct browsing *browsing, uint32_t *page, const uint32_t *distance)
{
    const uint32_t *targets;
    const struct page *content = collection_page(browsing->collection, *page, &targets);
    bool wander = rng_unit(&browsing->rng) < browsing->wanted->wander;
    uint32_t here = *page, nearer = 0;

    if (!content || content->nlinks == 0)
        return false;
    if (wander) {
        *page = targets[rng_below(&browsing->rng, content->nlinks)];
        return true;
    }
    for (uint32_t k = 0; k < content->nlinks; k++)
        if (distance[targets[k]] < distance[here] && rng_below(&browsing->rng, ++nearer) == 0)
            *page = targets[k];
    return nearer > 0;
}

static void walk(struct browsing *browsing, const uint32_t *distance)
{
    const struct trial *trial = browsing->trial;
    uint32_t page = browsing->wanted->at_seeds ? trial->starts[rng_below(&browsing->rng, trial->nstarts)]
                                               : (uint32_t)rng_below(&browsing->rng, browsing->npages);

    visit(browsing, page);
    for (uint32_t step = 0; step < browsing->wanted->steps && distance[page] != 0; step++) {
        if (!click(browsing, &page, distance))
            return;
        visit(browsing, page);
    }
}

/* A goal for every walk: pages of the topic that are no starts, each once if there are enough. */
static scent_status browse_by_walks(struct browsing *browsing, const struct page_graph *backlinks, struct errmsg *err)
{
    const struct trial *trial = browsing->trial;
    uint32_t npages = browsing->npages, walks = browsing->wanted->walks;
    uint32_t *goals = calloc(walks + (size_t)npages + 1, sizeof *goals), *distance;
    bool *from = calloc(npages + (size_t)1, sizeof *from);
    scent_status status = SCENT_OK;
    size_t ngoals;

    if (!goals || !from) {
        free(goals);
        free(from);
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the walks");
    }
    distance = goals + walks;
    memcpy(from, trial->relevant, npages * sizeof *from);
    for (size_t i = 0; i < trial->nstarts; i++)
        from[trial->starts[i]] = false;
    ngoals = trial_draw(from, npages, walks, &browsing->rng, goals);
    for (uint32_t i = 0; i < walks && ngoals && status == SCENT_OK; i++) {
        status = page_graph_distances(backlinks, &goals[i % ngoals], 1, UINT32_MAX, distance);
        if (status == SCENT_OK)
            walk(browsing, distance);
    }
    free(goals);
    free(from);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "no memory for the walks");
}

/* ---- what is learned from it ---- */

const struct browse *trial_session_model(const struct trial *trial, const struct browse_features *features)
{
    for (size_t i = 0; i < trial->nbrowsing; i++) {
        struct browse_features has = browse_features(trial->browsing[i]);

        if (has.title == features->title && has.anchors == features->anchors)
            return trial->browsing[i];
    }
    return NULL;
}

static scent_status learn(struct browsing *browsing, const struct experiment *experiment, struct errmsg *err)
{
    const struct trial_session *session = browsing->session;
    struct trial *trial = browsing->trial;
    struct browse_options options = browse_options_default();
    struct browse_page *pages = calloc(session->count + 1, sizeof *pages);
    struct browse_input input = {.pages = pages, .npages = session->count};
    scent_status status = SCENT_OK;

    trial->browsing = arena_array(&trial->arena, experiment->nstrategies + 1, sizeof *trial->browsing);
    if (!pages || !trial->browsing) {
        free(pages);
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that were visited");
    }
    options.cluster.clusters = browsing->wanted->clusters;
    for (size_t i = 0; i < session->count; i++)
        pages[i] = (struct browse_page){collection_page(browsing->collection, session->pages[i], NULL),
                                        session->useful[i]};
    for (size_t i = 0; i <= experiment->nstrategies && status == SCENT_OK; i++) {
        if (i > 0)
            options.features = experiment->strategies[i - 1].model.browsing;
        if (trial_session_model(trial, &options.features))
            continue;
        status = browse_train(&input, &options, &trial->browsing[trial->nbrowsing], err);
        trial->nbrowsing += status == SCENT_OK;
    }
    free(pages);
    return status;
}

/* Relevant is what is as like a useful page as gamma says (Liu, section 3). */
static scent_status mark_similar(struct browsing *browsing, struct errmsg *err)
{
    struct trial *trial = browsing->trial;
    struct arena arena;
    scent_status status = SCENT_OK;

    arena_init(&arena, SIZE_MAX);
    trial->nrelevant = 0;
    for (uint32_t i = 0; i < browsing->npages && status == SCENT_OK; i++) {
        const struct page *page = collection_page(browsing->collection, i, NULL);
        struct browse_sense sense = {0};
        struct text_vector tf;

        arena_reset(&arena);
        status = page ? page_frequencies(page, &arena, &tf) : SCENT_E_FORMAT;
        if (status == SCENT_OK)
            browse_ask(trial->browsing[0], page, &tf, &arena, &sense);
        trial->relevant[i] = sense.similar >= browsing->wanted->gamma;
        trial->nrelevant += trial->relevant[i];
    }
    arena_release(&arena);
    return status == SCENT_OK
               ? SCENT_OK
               : errmsg_fail(err, status, "the pages' likeness cannot be told: %s", scent_status_text(status));
}

/* Pages that were visited are no targets; with users, targets are what held-out ones have seen. */
static scent_status correct_targets(struct browsing *browsing, struct errmsg *err)
{
    struct trial *trial = browsing->trial;

    trial->ntargets = 0;
    for (size_t i = 0; i < browsing->npages; i++) {
        trial->target[i] &= !browsing->seen[i] &&
                            (browsing->wanted->kind != SESSIONS_OF_USERS || browsing->tested[i]);
        trial->ntargets += trial->target[i];
    }
    return trial->ntargets
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_INVALID, "no page of the topic is left as a target: all were visited");
}

static scent_status browse_and_learn(struct browsing *browsing, const struct experiment *experiment,
                                     const struct page_graph *backlinks, const struct trace *trace, struct errmsg *err)
{
    struct trial *trial = browsing->trial;
    struct trial_session *session = arena_zalloc(&trial->arena, sizeof *session);
    size_t npages = browsing->npages;

    if (session) {
        session->pages = arena_array(&trial->arena, npages, sizeof *session->pages);
        session->useful = arena_array(&trial->arena, npages, sizeof *session->useful);
        session->marked = arena_zalloc(&trial->arena, npages * sizeof *session->marked);
    }
    if (!browsing->seen || !session || !session->pages || !session->useful || !session->marked)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for sessions");
    browsing->tested = browsing->seen + npages;
    browsing->session = trial->session = session;
    rng_seed(&browsing->rng,
             hash_mix(hash_str(trial->name, experiment->seed ^ SALT), (uint64_t)trial->draw << 32 | trial->repeat));
    SCENT_TRY(browsing->wanted->kind == SESSIONS_OF_USERS ? browse_as_users(browsing, trace, experiment->seed, err)
                                                          : browse_by_walks(browsing, backlinks, err));
    SCENT_TRY(correct_targets(browsing, err));
    SCENT_TRY(learn(browsing, experiment, err));
    return experiment->relevance == RELEVANT_BY_BROWSING ? mark_similar(browsing, err) : SCENT_OK;
}

scent_status trial_session_make(const struct experiment *experiment, const struct collection *collection,
                                const struct page_graph *backlinks, const struct trace *trace, struct trial *trial,
                                struct errmsg *err)
{
    uint32_t npages = collection_count(collection);
    struct browsing browsing = {
        .wanted = &experiment->sessions,
        .collection = collection,
        .npages = npages,
        .trial = trial,
        .seen = calloc(2 * (size_t)npages + 1, sizeof *browsing.seen),
    };
    struct errmsg why = {0};
    scent_status status = browse_and_learn(&browsing, experiment, backlinks, trace, &why);

    free(browsing.seen);
    return status == SCENT_OK ? SCENT_OK
                              : errmsg_fail(err, status, "%.*s:%d: sessions: topic %.*s: %s", STR_ARG(experiment->file),
                                            experiment->sessions.line, STR_ARG(trial->name), why.text);
}
