/* A small world for what all strategies must keep: pages of two subjects that link to each other, a topic with seeds, a
 * classifier and a query, and the judgement of each page. */
#ifndef SCENT_TESTS_CONTRACT_WORLD_H
#define SCENT_TESTS_CONTRACT_WORLD_H

#include "trace/browse.h"
#include "page/page_graph.h"
#include "strategy/strategy.h"
#include "test.h"
#include "topic/centroid.h"
#include "unit/trace_fixture.h"

enum { PAGES = 40, LINKS = 6, URLS = 200 };

struct world {
    struct topic *topic;
    struct knowledge knowledge;
    struct judge *judge;
    struct arena arena;
    struct page pages[PAGES];
    struct judgement judgements[PAGES];
    uint32_t targets[PAGES][LINKS];
};

static inline void write_page(struct buf *html, unsigned i)
{
    static const char *const subjects[2][4] = {{"hockey", "rink", "skates", "puck"}, {"cheese", "milk", "rennet", "curd"}};
    const char *const *words = subjects[i % 3 == 0];

    buf_printf(html, "<html lang=en><title>%s %u</title><body>", words[i % 4], i);
    for (unsigned w = 0; w < 30 + i; w++)
        buf_printf(html, "%s page%u ", words[(w * 7 + i) % 4], (w + i) % 11);
    /* One page without links, one whose links are all there is. */
    for (unsigned l = 0; l < LINKS && i != 5; l++)
        buf_printf(html, "<p>see <a href='/%u'>%s</a> more", (i * 13 + l * 17 + 1) % URLS, words[l % 4]);
    if (i == 7)
        buf_clear(html);
}

static inline void make_page(struct world *world, struct page_analyser *analyser, unsigned i)
{
    struct page_input input = {.headers = STR("Content-Type: text/html; charset=utf-8\r\n")};
    struct buf html;
    struct url url;

    buf_init(&html, 0);
    write_page(&html, i);
    assert_int_equal(url_parse(&world->arena, arena_printf(&world->arena, "http://world.test/%u", 1000 + i), NULL, &url),
                     SCENT_OK);
    input.url = &url;
    input.body = buf_str(&html);
    assert_int_equal(page_analyse(analyser, &input, &world->arena, &world->pages[i]), SCENT_OK);
    assert_true(world->pages[i].nlinks <= LINKS);
    for (uint32_t l = 0; l < world->pages[i].nlinks; l++)
        world->targets[i][l] = (i * 13 + l * 17 + 1) % URLS;
    buf_release(&html);
}

/* A classifier that knows the two subjects, for the strategies that are guided by one. */
static inline struct model *train(struct world *world)
{
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    struct learn_example examples[PAGES];
    struct learn_set set = {.examples = examples, .classes = classes, .nclasses = 2};
    struct model_options options = model_options_default(MODEL_BAYES);
    struct errmsg err = {0};
    struct model *model;

    for (unsigned i = 0; i < PAGES; i++) {
        const struct page *page = &world->pages[i];
        struct learn_example *example = &examples[set.nexamples];

        if (page->nbag == 0)
            continue;
        *example = (struct learn_example){.class = i % 3 != 0};
        example->tf = (struct text_vector){arena_array(&world->arena, page->nbag, sizeof *example->tf.items), page->nbag};
        for (uint32_t k = 0; k < page->nbag; k++)
            example->tf.items[k] = (struct text_weight){page->bag[k].stem, page->bag[k].tf};
        set.nexamples++;
    }
    assert_ok(model_train(&set, &options, &model, &err), err);
    return model;
}

/* Which subject links to which, for the strategy that goes by interclass rules. */
/* Who looked at what: people who like one of the subjects, or both. Some pages nobody will visit. */
static inline struct trace *trace_world(void)
{
    struct trace *trace;
    struct buf log;

    buf_init(&log, 0);
    for (unsigned i = 0; i < 300; i++) {
        unsigned user = i % 11, page = user < 8 ? 1000 + (i * 3 + (user > 3)) % PAGES : i % URLS;

        buf_printf(&log, "%u u%u http://world.test/%u\n", 1000 + i * 40, user, page);
    }
    trace = trace_of_bytes(buf_str(&log), keeping_users());
    buf_release(&log);
    return trace;
}

static inline const struct rulebook *count_rules(const struct model *model)
{
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    struct errmsg err = {0};
    struct rulebook *rules, *arranged;

    assert_ok(rulebook_new(classes, 2, &rules, &err), err);
    rulebook_add(rules, 0, 0, 6);
    rulebook_add(rules, 0, 1, 2);
    rulebook_add(rules, 1, 1, 5);
    assert_ok(knowledge_arrange_rules(model, rules, &arranged, &err), err);
    rulebook_free(rules);
    return arranged;
}

/* A model of browsing: all pages were visited, every other hockey page was useful. */
static inline struct browse *train_browsing(const struct world *world)
{
    struct browse_options options = browse_options_default();
    struct browse_page pages[PAGES];
    struct errmsg err = {0};
    struct browse *browse;

    for (unsigned i = 0; i < PAGES; i++)
        pages[i] = (struct browse_page){&world->pages[i], i % 6 == 1};
    assert_ok(browse_train(&(struct browse_input){.pages = pages, .npages = PAGES}, &options, &browse, &err), err);
    return browse;
}

/* What a topic can have: seeds, examples and a query. */
static const char TOPIC[] = "topic: contract\nstrategy: best-first\nseeds: [http://world.test/]\nquery: '#sum(hockey #1(ice rink))'\n"
                            "browsing: of-somebody\nexamples: {positive: here, negative: there}\n";

/* The pages as a graph that is known before the crawl: a link to URL n leads to page n modulo their number. */
static inline const struct page *page_of_world(void *ctx, uint32_t number, const uint32_t **targets)
{
    static _Thread_local uint32_t known[LINKS];
    const struct world *world = ctx;

    for (uint32_t l = 0; l < LINKS; l++)
        known[l] = world->targets[number][l] % PAGES;
    if (targets)
        *targets = known;
    return &world->pages[number];
}

static inline void world_init(struct world *world)
{
    struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct centroid seeds;
    struct judge_basis basis = {
        .knowledge = &world->knowledge,
        .seeds = &seeds,
        .wants = JUDGE_COSINE | JUDGE_QUERY | JUDGE_CLASSES | JUDGE_BROWSING,
        .version = 1};
    struct errmsg err = {0};

    memset(world, 0, sizeof *world);
    arena_init(&world->arena, SIZE_MAX);
    assert_ok(topic_parse(str_of(TOPIC), "contract.yaml", &world->topic, &err), err);
    for (unsigned i = 0; i < PAGES; i++)
        make_page(world, analyser, i);
    page_analyser_free(analyser);
    world->knowledge.model = train(world);
    world->knowledge.rules = count_rules(world->knowledge.model);
    world->knowledge.trace = trace_world();
    world->knowledge.browsing = train_browsing(world);
    centroid_init(&seeds);
    assert_int_equal(centroid_add_page(&seeds, &world->pages[0]), SCENT_OK);
    basis.topic = world->topic;
    world->judge = judge_new(&basis);
    centroid_release(&seeds);
    for (unsigned i = 0; i < PAGES; i++) {
        struct judge_input question = {.page = &world->pages[i], .seed = i == 0, .arena = &world->arena};

        judge_page(world->judge, &question, &world->judgements[i]);
    }
}

/* What the strategy learns before the crawl from the world's own pages; the first hockey pages are the examples. */
static inline void world_study(struct world *world, const struct strategy_ops *ops, struct buf *out)
{
    static const uint32_t examples[] = {1, 2, 4};
    struct strategy_context context = {
        .topic = world->topic, .knowledge = &world->knowledge, .seed = 42, .ops = ops};
    struct page_graph_source source = {PAGES, page_of_world, world};
    struct strategy_known known = {.examples = examples, .nexamples = 3};
    struct page_graph *graph;
    struct errmsg err = {0};

    if (!ops->study)
        return;
    assert_ok(page_graph_new(&source, &graph, &err), err);
    known.graph = graph;
    assert_ok(ops->study(&context, &known, out, &err), err);
    page_graph_free(graph);
    world->knowledge.studied = buf_str(out);
}

static inline void world_release(struct world *world)
{
    judge_unref(world->judge);
    topic_free(world->topic);
    knowledge_release(&world->knowledge);
    arena_release(&world->arena);
}

#endif
