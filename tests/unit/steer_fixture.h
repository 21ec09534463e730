/* A crawl without a network, and a strategy that does what the test says. */
#ifndef SCENT_STEER_FIXTURE_H
#define SCENT_STEER_FIXTURE_H

#include "engine/steer.h"
#include "test.h"

/* ---- a strategy that does what the test says ---- */

static struct {
    float priority[16];      /* of the i-th link */
    bool drop[16];
    uint8_t rel[16];         /* of the i-th link, enum page_rel */
    uint8_t robots;          /* of the page, enum page_robots */
    uint32_t stale[4];
    size_t nstale;
    float rescored;
    const char *proposals[4];
    size_t nproposals;
    const char *last_resort; /* proposed where nothing else is left */
    uint32_t told[4];        /* the ids of what was proposed */
    bool queued[4];
    size_t ntold;
    uint64_t observed;
    uint8_t seen_own;
} script;

static inline void observe(void *state, const struct strategy_visit *visit)
{
    (void)state;
    script.observed = visit->number;
    script.seen_own = visit->own[0];
}

static inline void score(void *state, const struct strategy_visit *visit, uint32_t link, struct strategy_score *out)
{
    (void)state, (void)visit;
    *out = (struct strategy_score){.priority = script.priority[link], .drop = script.drop[link]};
    out->own[0] = (uint8_t)(link + 1);
}

static inline size_t stale(void *state, uint32_t *ids, size_t room)
{
    size_t n = script.nstale;

    (void)state;
    script.nstale = 0;
    if (n == STRATEGY_ALL)
        return n;
    assert_true(n <= room);
    memcpy(ids, script.stale, n * sizeof *ids);
    return n;
}

static inline bool rescore(void *state, uint32_t id, struct strategy_score *out)
{
    (void)state, (void)id;
    out->priority = script.rescored;
    return true;
}

static inline bool propose(void *state, bool nothing_left, struct strategy_proposal *out)
{
    (void)state;
    if (!script.nproposals && nothing_left && script.last_resort) {
        *out = (struct strategy_proposal){.url = str_of(script.last_resort)};
        script.last_resort = NULL;
        return true;
    }
    if (!script.nproposals)
        return false;
    *out = (struct strategy_proposal){.url = str_of(script.proposals[--script.nproposals]), .score = {.priority = 9}};
    return true;
}

static inline void proposed(void *state, uint32_t id, bool queued)
{
    (void)state;
    script.told[script.ntold] = id;
    script.queued[script.ntold++] = queued;
}

static const struct strategy_ops scripted = {
    .name = "scripted", .summary = "s", .paper = "p", .observe = observe, .score = score,
    .stale = stale,     .rescore = rescore, .propose = propose, .proposed = proposed,
};

/* ---- a crawl without a network ---- */

enum { KEY = 77 };

struct fixture {
    struct topic *topic;
    struct steer *steer;
    struct arena arena;
    struct rows rows;
    int64_t now;
    uint64_t number;
};

static inline void begin(struct fixture *f, const char *topic)
{
    struct steer_options options = {.strategy = &scripted, .key = KEY};
    struct errmsg err = {0};

    memset(&script, 0, sizeof script);
    memset(f, 0, sizeof *f);
    arena_init(&f->arena, SIZE_MAX);
    rows_init(&f->rows, &f->arena);
    assert_ok(topic_parse(str_of(topic), "test.yaml", &f->topic, &err), err);
    if (!strstr(topic, "strategy:"))
        f->topic->noptions = 0; /* of the strategy that would have been chosen */
    options.topic = f->topic;
    assert_ok(steer_new(&options, &f->steer, &err), err);
    for (size_t i = 0; i < f->topic->nseeds; i++)
        assert_int_equal(steer_seed(f->steer, &f->topic->seeds[i], &f->rows, NULL), SCENT_OK);
}

static inline void end(struct fixture *f)
{
    steer_free(f->steer);
    topic_free(f->topic);
    arena_release(&f->arena);
}

static inline struct steer_visit take(struct fixture *f, const char *want)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(steer_take(f->steer, f->now, &f->rows, &taken, &wait), SCENT_OK);
    assert_str(taken.href, want);
    return (struct steer_visit){.id = taken.id, .host = taken.host, .candidate = taken.candidate, .row = ++f->number};
}

static inline void expect_nothing_left(struct fixture *f)
{
    struct frontier_taken taken;
    int64_t wait;

    assert_int_equal(steer_take(f->steer, f->now, &f->rows, &taken, &wait), SCENT_E_END);
}

/* Shows a page that links to `hrefs` (a NULL-terminated list). */
static inline void examine_again(struct fixture *f, const struct steer_visit *visit, const char *const *hrefs)
{
    struct page_link *links = arena_zalloc(&f->arena, 16 * sizeof *links);
    struct page page = {.links = links, .robots = script.robots};
    struct judgement judgement = {0};
    struct steer_visit shown = *visit;
    struct errmsg err = {0};

    for (; hrefs[page.nlinks]; page.nlinks++) {
        struct page_link *link = &links[page.nlinks];

        assert_int_equal(url_parse(&f->arena, str_of(hrefs[page.nlinks]), NULL, &link->url), SCENT_OK);
        link->fingerprint = url_fingerprint(link->url.href, KEY);
        link->rel = script.rel[page.nlinks];
    }
    shown.number = visit->row;
    shown.page = &page;
    shown.judgement = &judgement;
    assert_ok(steer_examine(f->steer, &shown, true, &f->rows, &err), err);
}

static inline void examine(struct fixture *f, const struct steer_visit *visit, const char *const *hrefs)
{
    examine_again(f, visit, hrefs);
    frontier_finish(steer_frontier(f->steer), visit->id, f->now);
    steer_count_page(f->steer, visit->host);
}

#define LINKS(...) ((const char *const[]){__VA_ARGS__, NULL})

static inline const struct store_url *added(const struct fixture *f, const char *href)
{
    for (size_t i = 0; i < f->rows.nadded; i++)
        if (str_eq(f->rows.added[i].url, str_of(href)))
            return &f->rows.added[i];
    fail_msg("no row was added for %s", href);
    return NULL;
}

static inline const struct store_url *changed(const struct fixture *f, uint32_t id)
{
    for (size_t i = f->rows.nchanged; i-- > 0;)
        if (f->rows.changed[i].id == id)
            return &f->rows.changed[i];
    return NULL;
}

static const char plain[] = "topic: t\nseeds: [http://a.test/, http://b.test/]\n";

#endif
