/* Whose browsing a trial learns from: what was visited, what was useful, and what is left as a target. */
#include "lab_trial_fixture.h"
#include "trace_fixture.h"

#include "trace/browse.h"
#include "lab/trial_session.h"

static struct experiment *experiment_of(const char *more)
{
    return lab_experiment("seeds: 4\nbudget: 50\ntopics: {level: 1, min_pages: 10}\nstrategies: [breadth-first]\n", more);
}

static scent_status make(const struct lab_fixture *fixture, const struct experiment *experiment,
                         const struct trace *trace, struct trial *trial, struct errmsg *err)
{
    struct page_graph *backlinks;
    scent_status status;

    assert_int_equal(collection_graph(fixture->collection, &backlinks, err), SCENT_OK);
    status = trial_session_make(experiment, fixture->collection, backlinks, trace, trial, err);
    page_graph_free(backlinks);
    return status;
}

static bool has(const struct trial_session *session, uint32_t page)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->pages[i] == page)
            return true;
    return false;
}

static bool is_start(const struct trial *trial, uint32_t page)
{
    for (size_t i = 0; i < trial->nstarts; i++)
        if (trial->starts[i] == page)
            return true;
    return false;
}

static bool links_to(const struct collection *collection, uint32_t from, uint32_t to)
{
    const uint32_t *targets;
    const struct page *page = collection_page(collection, from, &targets);

    for (uint32_t i = 0; i < page->nlinks; i++)
        if (targets[i] == to)
            return true;
    return false;
}

/* Whatever was visited is where a walk began, or an earlier page links to it; of the topic it is useful and no target. */
static void check_walks(const struct lab_fixture *fixture, const struct trial *trial, size_t walks)
{
    const struct trial_session *session = trial->session;
    size_t useful = 0, begun = 0;

    for (size_t i = 0; i < session->count; i++) {
        uint32_t page = session->pages[i];
        bool reached = false;

        for (size_t k = 0; k < i && !reached; k++)
            reached = session->pages[k] != page && links_to(fixture->collection, session->pages[k], page);
        begun += !reached;
        assert_int_equal(session->useful[i], trial->relevant[page]);
        assert_int_equal(session->marked[page], trial->relevant[page]);
        assert_false(trial->target[page]);
        useful += session->useful[i];
    }
    assert_int_equal(useful, session->nuseful);
    assert_true(begun >= 1 && begun <= walks);
}

static void walks(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("sessions: {walks: 6, steps: 8, wander: 0.3}\n");
    struct trial *a = lab_trial(fixture, experiment, 0), *b = lab_trial(fixture, experiment, 0), *c = lab_trial(fixture, experiment, 1);
    struct errmsg err = {0};
    size_t targets = 0, before = a->ntargets;

    assert_ok(make(fixture, experiment, NULL, a, &err), err);
    assert_ok(make(fixture, experiment, NULL, b, &err), err);
    assert_ok(make(fixture, experiment, NULL, c, &err), err);
    check_walks(fixture, a, 6);
    check_walks(fixture, c, 6);
    assert_true(a->session->nuseful >= 2 && a->session->count > a->session->nuseful && a->ntargets < before);
    for (uint32_t i = 0; i < collection_count(fixture->collection); i++)
        targets += a->target[i];
    assert_int_equal(targets, a->ntargets);
    assert_int_equal(a->session->count, b->session->count);
    assert_memory_equal(a->session->pages, b->session->pages, a->session->count * sizeof(uint32_t));
    assert_true(a->session->count != c->session->count ||
                memcmp(a->session->pages, c->session->pages, a->session->count * sizeof(uint32_t)) != 0);
    trial_free(a);
    trial_free(b);
    trial_free(c);
    experiment_free(experiment);
}

/* Who knows the way and never wanders reaches every goal: as many useful pages as walks, at least. */
static void straight(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("sessions: {walks: 5, steps: 50, wander: 0, begin: seeds}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    struct errmsg err = {0};
    size_t goals = 0;

    assert_ok(make(fixture, experiment, NULL, trial, &err), err);
    for (size_t i = 0; i < trial->session->count; i++)
        goals += trial->session->useful[i] && !is_start(trial, trial->session->pages[i]);
    assert_true(goals >= 5);
    assert_true(is_start(trial, trial->session->pages[0]));
    trial_free(trial);
    experiment_free(experiment);
}

/* Relevant is what is like a useful page: those themselves are. */
static void by_likeness(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("relevance: browsing\nsessions: {walks: 6, gamma: 0.9}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    struct errmsg err = {0};
    size_t relevant = 0;

    assert_ok(make(fixture, experiment, NULL, trial, &err), err);
    for (uint32_t i = 0; i < collection_count(fixture->collection); i++) {
        relevant += trial->relevant[i];
        assert_true(trial->relevant[i] || !trial->session->marked[i]);
    }
    assert_int_equal(relevant, trial->nrelevant);
    assert_true(relevant < collection_count(fixture->collection) / 2);
    trial_free(trial);
    experiment_free(experiment);
}

/* A model of browsing for each set of features; what is relevant is told by that of the text. */
static void features(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *plain = experiment_of("relevance: browsing\nsessions: {walks: 6, gamma: 0.9}\n");
    struct experiment *more = experiment_of("relevance: browsing\nsessions: {walks: 6, gamma: 0.9}\n"
                                            "model: {browsing: {title: 2, anchors: 1}}\n");
    struct trial *one = lab_trial(fixture, plain, 0), *two = lab_trial(fixture, more, 0);
    struct browse_features wanted = {2, 1}, unknown = {1, 1};
    struct errmsg err = {0};

    assert_ok(make(fixture, plain, NULL, one, &err), err);
    assert_ok(make(fixture, more, NULL, two, &err), err);
    assert_int_equal(one->nbrowsing, 1);
    assert_int_equal(two->nbrowsing, 2);
    assert_null(trial_session_model(one, &wanted));
    assert_null(trial_session_model(two, &unknown));
    assert_non_null(trial_session_model(two, &wanted));
    assert_memory_equal(one->relevant, two->relevant, collection_count(fixture->collection) * sizeof *one->relevant);
    trial_free(one);
    trial_free(two);
    experiment_free(plain);
    experiment_free(more);
}

/* ---- users ---- */

enum { USERS = 40 };

struct crowd {
    uint32_t users;
    uint32_t topic[USERS][2], own[USERS]; /* what each has seen: of the topic, and what nobody else has */
    uint32_t bored; /* a page that only somebody without interest has seen */
    struct trace *trace;
};

/* User i has seen two pages of the topic and one of its own; one more user has seen one of the topic. */
static void gather(struct lab_fixture *fixture, const struct trial *trial, struct crowd *crowd)
{
    uint32_t topic[1000], other[1000], ntopic = 0, nother = 0;
    struct buf log;

    for (uint32_t i = 0; i < collection_count(fixture->collection) && nother < 1000; i++)
        if (trial->relevant[i] && !is_start(trial, i))
            topic[ntopic++] = i;
        else if (!trial->relevant[i])
            other[nother++] = i;
    assert_true(ntopic >= 2 && nother > USERS);
    buf_init(&log, 0);
    crowd->users = ntopic < USERS ? ntopic : USERS;
    for (uint32_t i = 0; i < crowd->users; i++) {
        crowd->topic[i][0] = topic[i];
        crowd->topic[i][1] = topic[(i + 1) % ntopic];
        crowd->own[i] = other[i];
        for (uint32_t k = 0; k < 3; k++)
            buf_printf(&log, "%u u%u %.*s\n", 1300000000 + i * 100 + k, i,
                       STR_ARG(collection_url(fixture->collection, k < 2 ? crowd->topic[i][k] : crowd->own[i])));
    }
    crowd->bored = other[USERS];
    buf_printf(&log, "1300009000 bored %.*s\n1300009001 bored %.*s\n",
               STR_ARG(collection_url(fixture->collection, topic[0])),
               STR_ARG(collection_url(fixture->collection, crowd->bored)));
    assert_false(log.failed);
    crowd->trace = trace_of_bytes(buf_str(&log), keeping_users());
    buf_release(&log);
}

/* Who is held out has seen nothing of the session that is only hers; targets are what such users have seen and others,
 * who were followed, have not. */
static void users(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment =
        experiment_of("sessions: {traces: access.log, interest: 2, held_out: 0.7, pages: 1000}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    bool *tested = calloc(collection_count(fixture->collection), sizeof *tested);
    struct crowd crowd;
    struct errmsg err = {0};
    size_t held = 0;

    gather(fixture, trial, &crowd);
    assert_ok(make(fixture, experiment, crowd.trace, trial, &err), err);
    assert_false(has(trial->session, crowd.bored));
    for (uint32_t i = 0; i < crowd.users; i++) {
        bool followed = has(trial->session, crowd.own[i]);

        held += !followed;
        for (int k = 0; k < 2; k++) {
            assert_true(!followed || has(trial->session, crowd.topic[i][k]));
            tested[crowd.topic[i][k]] |= !followed;
        }
    }
    assert_true(held > 0 && held < crowd.users);
    for (uint32_t i = 0; i < collection_count(fixture->collection); i++)
        assert_int_equal(trial->target[i], tested[i] && !has(trial->session, i));
    trace_free(crowd.trace);
    trial_free(trial);
    experiment_free(experiment);
    free(tested);
}

static void nobody(void **state)
{
    struct lab_fixture *fixture = *state;
    struct experiment *experiment = experiment_of("sessions: {traces: access.log, interest: 3}\n");
    struct trial *trial = lab_trial(fixture, experiment, 0);
    struct crowd crowd;
    struct errmsg err = {0};

    gather(fixture, trial, &crowd);
    assert_int_equal(make(fixture, experiment, crowd.trace, trial, &err), SCENT_E_INVALID);
    assert_non_null(strstr(err.text, "e.yaml:6: sessions: topic t"));
    assert_non_null(strstr(err.text, "lower sessions.interest"));
    trace_free(crowd.trace);
    trial_free(trial);
    experiment_free(experiment);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks), cmocka_unit_test(straight), cmocka_unit_test(by_likeness),
        cmocka_unit_test(features),
        cmocka_unit_test(users), cmocka_unit_test(nobody),
    };

    return cmocka_run_group_tests(tests, lab_set_up, lab_tear_down);
}
