/* perf_strategy_score [ROUNDS [STRATEGY MODEL]] - what scoring the 78 links of a page costs with each strategy: CPU microseconds
 * a page on one core, the judge's share apart. Pages of 2,000 words in paragraphs; a model trained on 300 of them, a query.
 * The links lead to 5,000 URLs, four of five to the page's own subject, and hardly two of them have the same parents: for
 * strategies that learn from parents the hardest case. All that a strategy does for a page is counted: observing it,
 * scoring its links, scoring candidates again.
 * Under callgrind the inclusive costs of judge_one and score_page tell the same in instructions (tests/perf/bench_score). */
#include "base/clock.h"
#include "base/rng.h"
#include "strategy/strategy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 400, TRAINED = 300, LINKS = 78, WORDS = 2000, PARAGRAPH = 50, VOCABULARY = 30000, TARGETS = 5000 };
enum { ROUNDS = 2000 };

static const struct {
    const char *strategy, *model;
} cases[] = {
    {"best-first", "svm"},
    {"shark", "svm"},
    {"full-page", "svm"},
    {"text-window", "svm"},
    {"text-window", "logistic"},
    {"text-window", "bayes"},
    {"text-window", "mlp"},
    {"text-window-combo", "svm"},
    {"tag-tree-combo", "svm"},
    {"hard-focus", "bayes"},
    {"query-context", "svm"},
    {"query-context, distance: path", "svm"},
    {"query-context-weighted", "svm"},
    {"intelligent", "svm"},
    {"intelligent, rescore: never", "svm"},
    {"adaptive", "svm"},
    {"adaptive, mode: exact", "svm"},
};

struct world {
    struct arena arena;
    struct page pages[PAGES];
    uint32_t targets[LINKS];
    struct strategy_score kept[TARGETS];
};

static void fail(const char *what)
{
    fprintf(stderr, "perf_strategy_score: %s\n", what);
    exit(1);
}

/* ---- pages ---- */

/* w and some syllables: a rank of Zipf's law, some of them only on pages of one kind. */
static void add_word(struct buf *out, struct rng *rng, bool positive)
{
    static const char consonants[] = "bcdfghjklmnprstv", vowels[] = "aeiou";
    uint32_t n = (uint32_t)(exp(rng_unit(rng) * log(VOCABULARY)) - 1) * 2 + (rng_unit(rng) < 0.2 ? positive : 0);

    if (rng_below(rng, 3) == 0) { /* as many stop words as English has */
        buf_addz(out, "the ");
        return;
    }
    buf_addc(out, 'w');
    for (unsigned i = 0; i < 2 || n; i++, n /= 80) {
        buf_addc(out, vowels[n % 5]);
        buf_addc(out, consonants[n / 5 % 16]);
    }
    buf_addz(out, "a ");
}

static void write_html(struct buf *html, struct rng *rng, bool positive)
{
    int links = 0;

    buf_addz(html, "<html lang=en><title>A page</title><body><div>");
    for (int i = 0; i < WORDS; i++) {
        if (i % PARAGRAPH == 0)
            buf_addz(html, "<p>");
        if (links < LINKS && i * LINKS / WORDS >= links) {
            buf_printf(html, "<a href='/%d'>", links++);
            add_word(html, rng, positive);
            buf_addz(html, "</a> ");
        } else {
            add_word(html, rng, positive);
        }
    }
}

static void make_world(struct world *world)
{
    const struct page_options options = {0};
    struct page_analyser *analyser = page_analyser_new(&options);
    struct rng rng;

    arena_init(&world->arena, SIZE_MAX);
    rng_seed(&rng, 1);
    for (size_t i = 0; i < PAGES; i++) {
        struct page_input input = {.headers = STR("Content-Type: text/html\r\n")};
        struct buf html;
        struct url url;

        buf_init(&html, 0);
        write_html(&html, &rng, i % 2);
        input.body = buf_str(&html);
        input.url = &url;
        if (url_parse(&world->arena, STR("https://www.example.org/a/page.html"), NULL, &url) != SCENT_OK ||
            page_analyse(analyser, &input, &world->arena, &world->pages[i]) != SCENT_OK ||
            world->pages[i].nlinks != LINKS)
            fail("no page");
        buf_release(&html);
    }
    page_analyser_free(analyser);
}

/* ---- the topic ---- */

static struct model *train(struct world *world, const char *kind_name)
{
    const struct str classes[] = {STR(TOPIC_NEGATIVE), STR(TOPIC_POSITIVE)};
    static struct learn_example examples[TRAINED];
    struct learn_set set = {.examples = examples, .nexamples = TRAINED, .classes = classes, .nclasses = 2};
    struct model_options options;
    enum model_kind kind;
    struct errmsg err;
    struct model *model;

    for (size_t i = 0; i < TRAINED; i++) {
        const struct page *page = &world->pages[i];
        struct text_weight *items = arena_array(&world->arena, page->nbag, sizeof *items);

        for (uint32_t t = 0; t < page->nbag; t++)
            items[t] = (struct text_weight){page->bag[t].stem, page->bag[t].tf};
        examples[i] = (struct learn_example){{items, page->nbag}, i % 2};
    }
    if (!model_kind_parse(str_of(kind_name), &kind))
        fail("no such model");
    options = model_options_default(kind);
    if (model_train(&set, &options, &model, &err) != SCENT_OK)
        fail(err.text);
    return model;
}

static struct topic *make_topic(const char *strategy, const char *model)
{
    struct errmsg err = {0};
    struct topic *topic;
    char text[1024];

    /* adaptive compares the judge with the query, or with the seeds, which costs more, where there is none. */
    snprintf(text, sizeof text,
             "topic: x\nseeds: [http://a.test/]\nexamples: {positive: a, negative: b}\nmodel: {kind: %s}\n"
             "%sstrategy: {name: %s}\n", model,
             strncmp(strategy, "adaptive", 8) == 0
                 ? "" : "query: '#sum(wababa #syn(wibaba wubaba) \"webaba wobaba\" #uw8(wacaba wicaba))'\n", strategy);
    if (topic_parse(str_of(text), "topic", &topic, &err) != SCENT_OK)
        fail(err.text);
    return topic;
}

/* ---- measuring ---- */

/* These names are known to callgrind. */
#define MEASURED __attribute__((noinline)) static

MEASURED void judge_one(const struct judge *judge, const struct judge_input *input, struct judgement *out)
{
    judge_page(judge, input, out);
}

static void rescore_stale(const struct strategy *strategy, struct strategy_score *kept)
{
    uint32_t ids[256];
    size_t n = 256;

    while (n == 256 && strategy->ops->stale) {
        n = strategy->ops->stale(strategy->state, ids, 256);
        for (uint32_t i = 0; i < (n == STRATEGY_ALL ? TARGETS : n); i++)
            (void)strategy->ops->rescore(strategy->state, n == STRATEGY_ALL ? i : ids[i],
                                         &kept[n == STRATEGY_ALL ? i : ids[i]]);
    }
}

MEASURED double score_page(const struct strategy *strategy, const struct strategy_visit *visit, struct strategy_score *kept)
{
    double sum = 0;

    if (strategy->ops->observe)
        strategy->ops->observe(strategy->state, visit);
    for (uint32_t i = 0; i < visit->page->nlinks; i++) {
        struct strategy_score score;

        strategy->ops->score(strategy->state, visit, i, &score);
        kept[visit->targets[i]].priority = score.priority;
        sum += (double)score.priority;
    }
    rescore_stale(strategy, kept);
    return sum;
}

static void run_rounds(struct world *world, const struct strategy *strategy, const struct judge *judge, int rounds,
                       double *judging, double *scoring)
{
    const uint8_t own[STRATEGY_OWN_BYTES] = {0};
    struct arena arena;
    struct rng rng;
    double sum = 0;

    arena_init(&arena, SIZE_MAX);
    rng_seed(&rng, 2);
    for (int i = 0; i < rounds; i++) {
        const struct page *page = &world->pages[TRAINED + i % (PAGES - TRAINED)];
        struct judge_input input = {.page = page, .arena = &arena};
        struct judgement judgement;
        struct strategy_visit visit = {.number = (uint64_t)i + 1, .id = (uint32_t)i % TARGETS, .page = page,
                                       .judgement = &judgement, .targets = world->targets, .seed = i == 0, .own = own};
        int64_t start, judged;

        for (uint32_t l = 0; l < LINKS; l++) { /* visits and subjects alternate */
            uint32_t subject = rng_below(&rng, 5) > 0 ? (uint32_t)i % 2 : (uint32_t)rng_below(&rng, 2);

            world->targets[l] = (uint32_t)rng_below(&rng, TARGETS / 2) * 2 + subject;
        }
        start = clock_thread_cpu_ns();
        arena_reset(&arena);
        judge_one(judge, &input, &judgement);
        judged = clock_thread_cpu_ns();
        sum += score_page(strategy, &visit, world->kept);
        *judging += (double)(judged - start) / 1e3 / rounds;
        *scoring += (double)(clock_thread_cpu_ns() - judged) / 1e3 / rounds;
    }
    if (!isfinite(sum))
        fail("a score is no number");
    arena_release(&arena);
}

static void measure(struct world *world, size_t n, int rounds)
{
    struct topic *topic = make_topic(cases[n].strategy, cases[n].model);
    struct knowledge knowledge = {.model = train(world, cases[n].model)};
    struct strategy_context context = {.topic = topic, .knowledge = &knowledge, .seed = 1};
    struct judge_basis basis = {.topic = topic, .knowledge = &knowledge, .version = 1};
    struct errmsg err = {0};
    struct strategy strategy;
    struct judge *judge;
    double judging = 0, scoring = 0;

    if (strategy_open(&context, &strategy, &err) != SCENT_OK)
        fail(err.text);
    basis.wants = strategy.ops->wants;
    judge = judge_new(&basis);
    run_rounds(world, &strategy, judge, rounds, &judging, &scoring);
    printf("%-32s %-10s %8.1f %8.1f %8.1f\n", cases[n].strategy, cases[n].model, judging, scoring, judging + scoring);
    judge_unref(judge);
    strategy_close(&strategy);
    knowledge_release(&knowledge);
    topic_free(topic);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : ROUNDS;
    static struct world world;

    make_world(&world);
    printf("%d links on %u words, CPU us a page   judge    score      sum\n", LINKS, world.pages[0].nwords);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc < 4 || (strcmp(argv[2], cases[i].strategy) == 0 && strcmp(argv[3], cases[i].model) == 0))
            measure(&world, i, rounds);
    arena_release(&world.arena);
    return 0;
}
