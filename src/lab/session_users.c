/* The users of an access log. */
#include "base/hash.h"
#include "base/rng.h"
#include "lab/session.h"

#include <stdlib.h>

struct readers {
    const struct experiment_sessions *wanted;
    const struct trial *trial;
    const struct trace *trace;
    uint32_t *page;  /* of the collection, of every page of the trace */
    uint32_t *stamp; /* of every page of the trace: the last user who was seen there, plus 1 */
    uint32_t *users; /* who are interested, and not held out */
    size_t nusers, nheld;
};

/* How many pages of the topic has she seen? */
static uint32_t interest(struct readers *readers, uint32_t user)
{
    struct trace_range range = trace_of_user(readers->trace, user);
    uint32_t count = 0;

    for (uint32_t at = range.begin; at < range.end; at++) {
        uint32_t page = trace_at(readers->trace, at)->page;

        if (readers->stamp[page] == user + 1 || !readers->trial->relevant[readers->page[page]])
            continue;
        readers->stamp[page] = user + 1;
        count++;
    }
    return count;
}

static void note_tested(const struct readers *readers, uint32_t user, bool *tested)
{
    struct trace_range range = trace_of_user(readers->trace, user);

    for (uint32_t at = range.begin; at < range.end; at++) {
        uint32_t page = readers->page[trace_at(readers->trace, at)->page];

        tested[page] |= readers->trial->relevant[page];
    }
}

/* Whether somebody is held out depends on her name and the seed alone: in all topics the same. */
static void divide(struct readers *readers, uint64_t seed, bool *tested)
{
    for (uint32_t user = 0; user < trace_size(readers->trace).users; user++) {
        if (interest(readers, user) < readers->wanted->interest)
            continue;
        if ((double)(hash_str(trace_user_name(readers->trace, user), seed) >> 32) / 4294967296. <
            readers->wanted->held_out) {
            note_tested(readers, user, tested);
            readers->nheld++;
        } else {
            readers->users[readers->nusers++] = user;
        }
    }
}

/* Accesses [begin, end) of one session: has it a page of the topic? */
static bool is_on_topic(const struct readers *readers, uint32_t begin, uint32_t end)
{
    for (uint32_t at = begin; at < end; at++)
        if (readers->trial->relevant[readers->page[trace_at(readers->trace, at)->page]])
            return true;
    return false;
}

static void follow(const struct readers *readers, uint32_t user, struct session *session, bool *seen)
{
    struct trace_range range = trace_of_user(readers->trace, user);
    uint32_t end;

    for (uint32_t begin = range.begin; begin < range.end; begin = end) {
        end = begin + 1;
        while (end < range.end && trace_at(readers->trace, end)->session == trace_at(readers->trace, begin)->session)
            end++;
        if (!is_on_topic(readers, begin, end))
            continue;
        for (uint32_t at = begin; at < end && session->count < readers->wanted->pages; at++)
            session_visit(session, readers->trial, seen, readers->page[trace_at(readers->trace, at)->page]);
    }
}

static void follow_some(struct readers *readers, struct rng *rng, struct session *session, bool *seen)
{
    while (readers->nusers && session->count < readers->wanted->pages) {
        size_t at = rng_below(rng, readers->nusers);

        follow(readers, readers->users[at], session, seen);
        readers->users[at] = readers->users[--readers->nusers];
    }
}

/* The trace's pages have the names that the collection gives them (lab_traces.h). */
static bool find_pages(struct readers *readers, const struct collection *collection)
{
    uint32_t npages = trace_size(readers->trace).pages;
    bool found = true;

    for (uint32_t i = 0; i < npages && found; i++)
        found = collection_find(collection, trace_url(readers->trace, i), &readers->page[i]);
    return found;
}

static scent_status read_all(struct readers *readers, const struct experiment *experiment,
                             const struct collection *collection, struct rng *rng, struct session *session, bool *seen,
                             bool *tested, struct errmsg *err)
{
    if (!readers->page || !readers->stamp || !readers->users)
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for the users of the log");
    if (!find_pages(readers, collection))
        return errmsg_fail(err, SCENT_E_FORMAT, "the trace has pages that the collection does not have");
    divide(readers, experiment->seed, tested);
    if (!readers->nusers || !readers->nheld)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%zu users have seen %u of its pages and %zu more are held out; some are needed on both "
                           "sides: "
                           "lower sessions.interest, or change held_out", readers->nusers, readers->wanted->interest,
                           readers->nheld);
    follow_some(readers, rng, session, seen);
    return SCENT_OK;
}

scent_status session_of_users(const struct experiment *experiment, const struct collection *collection,
                              const struct trace *trace, const struct trial *trial, struct rng *rng,
                              struct session *session, bool *seen, bool *tested, struct errmsg *err)
{
    struct trace_size size = trace_size(trace);
    struct readers readers = {
        .wanted = &experiment->sessions,
        .trial = trial,
        .trace = trace,
        .page = calloc(size.pages + (size_t)1, sizeof *readers.page),
        .stamp = calloc(size.pages + (size_t)1, sizeof *readers.stamp),
        .users = calloc(size.users + (size_t)1, sizeof *readers.users),
    };
    scent_status status = read_all(&readers, experiment, collection, rng, session, seen, tested, err);

    free(readers.page);
    free(readers.stamp);
    free(readers.users);
    return status;
}
