/* One strategy and one page at a time, for the tests of formulas. */
#ifndef SCENT_TESTS_STRATEGY_FIXTURE_H
#define SCENT_TESTS_STRATEGY_FIXTURE_H

#include "page_fixture.h"

#include "strategy/strategy.h"

#include <math.h>

enum { FIXTURE_LINKS = 64 };

struct strategy_fixture {
    struct topic *topic;
    struct knowledge knowledge;
    struct strategy strategy;
    struct page_fixture page;
    struct judgement judgement;
    uint8_t own[STRATEGY_OWN_BYTES];
    uint32_t targets[FIXTURE_LINKS];
    struct strategy_visit visit;
};

/* `yaml` follows the topic's name and seed: options, a query. `model` becomes the topic's; NULL: it has none. */
static inline void fixture_open_model(struct strategy_fixture *f, const char *yaml, struct model *model)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {0};
    char text[2048];

    *f = (struct strategy_fixture){.judgement = {.query = JUDGE_UNASKED, .classifier = JUDGE_UNASKED}};
    snprintf(text, sizeof text, "topic: t\nseeds: [http://site.test/]\n%s\n", yaml);
    assert_ok(topic_parse(str_of(text), "t.yaml", &f->topic, &err), err);
    f->knowledge.model = model;
    context.topic = f->topic;
    context.knowledge = &f->knowledge;
    assert_ok(strategy_open(&context, &f->strategy, &err), err);
}

static inline void fixture_open(struct strategy_fixture *f, const char *yaml)
{
    fixture_open_model(f, yaml, NULL);
}

static inline void fixture_close(struct strategy_fixture *f)
{
    strategy_close(&f->strategy);
    knowledge_release(&f->knowledge);
    topic_free(f->topic);
    fixture_release(&f->page);
}

/* The page is URL `id`; its links lead to targets 100, 101, … unless `targets` says where. The strategy is not shown
 * it, as when it is a copy of another. */
static inline void fixture_copy(struct strategy_fixture *f, const char *html, uint32_t id, bool seed,
                                const uint32_t *targets)
{
    const struct page *page;

    fixture_release(&f->page);
    page = fixture_html(&f->page, html);
    assert_true(page->nlinks <= FIXTURE_LINKS);
    for (uint32_t i = 0; i < page->nlinks; i++)
        f->targets[i] = targets ? targets[i] : 100 + i;
    f->visit = (struct strategy_visit){
        .number = f->visit.number + 1,
        .id = id,
        .page = page,
        .judgement = &f->judgement,
        .targets = f->targets,
        .seed = seed,
        .own = f->own,
    };
}

/* The same for a page that the strategy observes. */
static inline void fixture_visit(struct strategy_fixture *f, const char *html, uint32_t id, bool seed,
                                 const uint32_t *targets)
{
    fixture_copy(f, html, id, seed, targets);
    if (f->strategy.ops->observe)
        f->strategy.ops->observe(f->strategy.state, &f->visit);
}

/* The page at hand has this URL: to strategies that name pages for other workers it is another one. */
static inline void fixture_rename(struct strategy_fixture *f, const char *href)
{
    f->page.page.url.href = str_of(href);
}

static inline struct strategy_score fixture_score(struct strategy_fixture *f, uint32_t link)
{
    struct strategy_score score = {0};

    f->strategy.ops->score(f->strategy.state, &f->visit, link, &score);
    return score;
}

static inline void assert_close(double got, double want)
{
    if (fabs(got - want) > 1e-6)
        fail_msg("got %.9f, want %.9f", got, want);
}

#endif
