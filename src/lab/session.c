#include "lab/session.h"

#include "base/rng.h"
#include "browse/browse.h"

#include <stdlib.h>

enum { SALT = 0x5e55 };

void session_visit(struct session *session, const struct trial *trial, bool *seen, uint32_t page)
{
    if (seen[page])
        return;
    seen[page] = true;
    session->useful[session->count] = trial->relevant[page];
    session->marked[page] = trial->relevant[page];
    session->nuseful += trial->relevant[page];
    session->pages[session->count++] = page;
}

/* ---- learning ---- */

static scent_status learn(const struct collection *collection, struct trial *trial, uint32_t clusters,
                          struct errmsg *err)
{
    const struct session *session = trial->session;
    struct browse_options options = browse_options_default();
    struct browse_page *pages = calloc(session->count + 1, sizeof *pages);
    struct browse_input input = {.pages = pages, .npages = session->count};
    scent_status status;

    if (!pages)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the pages that were visited");
    options.cluster.clusters = clusters;
    for (size_t i = 0; i < session->count; i++)
        pages[i] = (struct browse_page){collection_page(collection, session->pages[i], NULL), session->useful[i]};
    status = browse_train(&input, &options, &trial->browse, err);
    free(pages);
    return status;
}

/* Relevant is what is as like a useful page as gamma says (Liu, section 3). */
static scent_status mark_similar(const struct collection *collection, struct trial *trial, double gamma,
                                 struct errmsg *err)
{
    uint32_t npages = collection_count(collection);
    struct arena arena;
    scent_status status = SCENT_OK;

    arena_init(&arena, SIZE_MAX);
    trial->nrelevant = 0;
    for (uint32_t i = 0; i < npages && status == SCENT_OK; i++) {
        const struct page *page = collection_page(collection, i, NULL);
        struct browse_sense sense = {0};
        struct text_vector tf;

        arena_reset(&arena);
        status = page ? trial_page_tf(page, &arena, &tf) : SCENT_E_FORMAT;
        if (status == SCENT_OK)
            browse_ask(trial->browse, &tf, &arena, &sense);
        trial->relevant[i] = sense.similar >= gamma;
        trial->nrelevant += trial->relevant[i];
    }
    arena_release(&arena);
    return status == SCENT_OK
               ? SCENT_OK
               : errmsg_fail(err, status, "the pages' likeness cannot be told: %s", scent_status_text(status));
}

/* ---- targets ---- */

/* What was marked is known; with users, targets are what held-out ones have seen. */
static scent_status correct_targets(struct trial *trial, const bool *tested, size_t npages, struct errmsg *err)
{
    const struct session *session = trial->session;

    for (size_t i = 0; i < session->count; i++)
        trial->target[session->pages[i]] = false;
    trial->ntargets = 0;
    for (size_t i = 0; i < npages; i++) {
        trial->target[i] &= !tested || tested[i];
        trial->ntargets += trial->target[i];
    }
    return trial->ntargets
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_INVALID, "no page of the topic is left as a target: all were visited");
}

/* ---- the session ---- */

static scent_status make_room(struct trial *trial, size_t npages, bool **seen, bool **tested, struct errmsg *err)
{
    struct session *session = arena_zalloc(&trial->arena, sizeof *session);

    *seen = calloc(2 * npages + 1, sizeof **seen);
    *tested = *seen + npages;
    if (session) {
        session->pages = arena_array(&trial->arena, npages, sizeof *session->pages);
        session->useful = arena_array(&trial->arena, npages, sizeof *session->useful);
        session->marked = arena_zalloc(&trial->arena, npages * sizeof *session->marked);
    }
    trial->session = session;
    return *seen && session && session->pages && session->useful && session->marked
               ? SCENT_OK
               : errmsg_fail(err, SCENT_E_NOMEM, "no memory for sessions");
}

static scent_status walk_and_learn(const struct experiment *experiment, const struct collection *collection,
                                   const struct trace *trace, struct trial *trial, bool *seen, bool *tested,
                                   struct errmsg *err)
{
    const struct experiment_sessions *wanted = &experiment->sessions;
    size_t npages = collection_count(collection);
    bool users = wanted->kind == SESSIONS_OF_USERS;
    struct rng rng;
    scent_status status;

    rng_seed(&rng,
             hash_mix(hash_str(trial->name, experiment->seed ^ SALT), (uint64_t)trial->draw << 32 | trial->repeat));
    status = users ? session_of_users(experiment, collection, trace, trial, &rng, trial->session, seen, tested, err)
                   : session_walk(wanted, collection, trial, &rng, trial->session, seen, err);
    if (status == SCENT_OK)
        status = correct_targets(trial, users ? tested : NULL, npages, err);
    if (status == SCENT_OK)
        status = learn(collection, trial, wanted->clusters, err);
    if (status == SCENT_OK && experiment->relevance == RELEVANT_BY_BROWSING)
        status = mark_similar(collection, trial, wanted->gamma, err);
    return status;
}

scent_status session_make(const struct experiment *experiment, const struct collection *collection,
                          const struct trace *trace, struct trial *trial, struct errmsg *err)
{
    bool *seen = NULL, *tested = NULL;
    struct errmsg why = {0};
    scent_status status = make_room(trial, collection_count(collection), &seen, &tested, &why);

    if (status == SCENT_OK)
        status = walk_and_learn(experiment, collection, trace, trial, seen, tested, &why);
    free(seen);
    return status == SCENT_OK ? SCENT_OK
                              : errmsg_fail(err, status, "%.*s:%d: sessions: topic %.*s: %s", STR_ARG(experiment->file),
                                            experiment->sessions.line, STR_ARG(trial->name), why.text);
}
