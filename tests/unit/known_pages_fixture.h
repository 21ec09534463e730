/* Pages that are known before a crawl, written by the test, and a strategy that has learned from them. */
#ifndef SCENT_TESTS_KNOWN_PAGES_FIXTURE_H
#define SCENT_TESTS_KNOWN_PAGES_FIXTURE_H

#include "strategy_fixture.h"

enum { KNOWN_MAX = 16 };

/* A page and the numbers of the pages that its links lead to, in their order. */
struct known_row {
    const char *html;
    uint32_t targets[8];
};

struct known_fixture {
    const struct known_row *rows;
    struct page_fixture pages[KNOWN_MAX];
    uint32_t count;
};

static inline const struct page *known_page(void *ctx, uint32_t number, const uint32_t **targets)
{
    struct known_fixture *known = ctx;

    if (targets)
        *targets = known->rows[number].targets;
    return &known->pages[number].page;
}

/* Opens the strategy of `yaml` with what it learns from the rows; the first `examples` of them are the examples. */
static inline scent_status known_open(struct strategy_fixture *f, const char *yaml, const struct known_row *rows,
                                      uint32_t count, uint32_t examples, struct errmsg *err)
{
    static const uint32_t numbers[KNOWN_MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct known_fixture fixture = {.rows = rows, .count = count};
    struct page_graph_source source = {count, known_page, &fixture};
    struct strategy_known known = {.examples = numbers, .nexamples = examples};
    struct strategy_context context = {.seed = 1};
    struct page_graph *graph;
    struct buf studied;
    char text[512];
    scent_status status;

    *f = (struct strategy_fixture){.judgement = {.query = JUDGE_UNASKED, .classifier = JUDGE_UNASKED}};
    snprintf(text, sizeof text, "topic: t\nseeds: [http://site.test/]\n%s\n", yaml);
    assert_ok(topic_parse(str_of(text), "t.yaml", &f->topic, err), *err);
    for (uint32_t i = 0; i < count; i++)
        fixture_html(&fixture.pages[i], rows[i].html);
    assert_ok(page_graph_new(&source, &graph, err), *err);
    known.graph = graph;
    context.topic = f->topic;
    context.knowledge = &f->knowledge;
    buf_init(&studied, 0);
    status = strategy_study(&context, &known, &studied, err);
    if (status == SCENT_OK) {
        f->knowledge.studied = (struct str){studied.p, studied.len};
        assert_ok(strategy_open(&context, &f->strategy, err), *err);
    } else {
        buf_release(&studied);
        topic_free(f->topic);
    }
    page_graph_free(graph);
    for (uint32_t i = 0; i < count; i++)
        fixture_release(&fixture.pages[i]);
    return status;
}

#endif
