/* What a page costs the collaborative crawler, by the size of its trace, and what bounded re-scoring loses.
 *
 *   perf_engine_people [PAGES [STRATEGY]]     (default: a table of several)
 *
 * The trace is generated: people who like a subject more or less and look at 20 pages each, a few pages being much more
 * popular than others. A twentieth of the pages is relevant. Pages have 100 stems. CPU time of steer_examine() a page:
 * learning, proposals, scoring again. */
#include "base/file.h"
#include "base/rng.h"
#include "engine/steer.h"
#include "trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { CRAWL = 3000, BETWEEN = 1000, EACH = 20, STEMS = 100, KEY = 5 };

static bool is_relevant(uint64_t page)
{
    return page * 0x9E3779B97F4A7C15u >> 32 < UINT32_MAX / 20;
}

/* Popular pages are looked at often. */
static uint64_t draw_page(struct rng *rng, uint64_t pages)
{
    double unit = rng_unit(rng);

    return (uint64_t)((double)pages * unit * unit * unit);
}

static void write_log(FILE *log, uint64_t pages)
{
    struct rng rng;

    rng_seed(&rng, 1);
    for (uint64_t user = 0; user < pages / 4; user++) {
        double likes = user % 10 == 0 ? 1 : .1;
        uint64_t time = 1000000;

        for (int i = 0; i < EACH; i++) {
            bool wanted = rng_unit(&rng) < likes / 2;
            uint64_t page = draw_page(&rng, pages);

            for (int tries = 0; tries < 30 && is_relevant(page) != wanted; tries++)
                page = draw_page(&rng, pages);
            time += rng_below(&rng, 5) ? 60 : 3600;
            fprintf(log, "%llu u%llu http://h%llu.test/%llu\n", (unsigned long long)time, (unsigned long long)user,
                    (unsigned long long)page % 1000, (unsigned long long)page);
        }
    }
}

static struct trace *make_trace(uint64_t pages)
{
    char path[] = "/tmp/people-XXXXXX";
    FILE *log = fdopen(mkstemp(path), "w");
    struct trace_options options = trace_options_default();
    struct trace *trace = NULL;
    struct errmsg err = {{0}};
    struct log quiet;

    SCENT_BUG_IF(!log);
    write_log(log, pages);
    fclose(log);
    log_init_stderr(&quiet, LOG_ERROR);
    options.keep_users = true;
    SCENT_BUG_IF(trace_import((const char *[]){path}, 1, &options, &quiet, &trace, &err) != SCENT_OK);
    unlink(path);
    return trace;
}

static void make_page(struct page *page, struct page_term *bag, struct arena *arena, struct str href, uint64_t number)
{
    struct rng rng;

    *page = (struct page){.bag = bag, .nbag = STEMS};
    rng_seed(&rng, number);
    for (uint32_t i = 0; i < STEMS; i++)
        bag[i] = (struct page_term){.stem = 1 + rng_below(&rng, 2000) + (is_relevant(number) && i < 20 ? 5000 : 0),
                                    .tf = 1 + (uint32_t)rng_below(&rng, 4)};
    SCENT_BUG_IF(url_parse(arena, href, NULL, &page->url) != SCENT_OK);
}

static double cpu_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void crawl(struct steer *steer, const char *strategy, uint64_t pages)
{
    struct page_term bag[STEMS];
    double spent[CRAWL / BETWEEN] = {0};
    size_t relevant = 0, n;
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (n = 0; n < CRAWL; n++) {
        struct frontier_taken taken;
        struct judgement judgement = {0};
        struct errmsg err = {{0}};
        struct steer_visit visit;
        struct page page;
        char href[200];
        int64_t wait;
        double before;

        if (steer_take(steer, (int64_t)n, NULL, &taken, &wait) != SCENT_OK)
            break;
        arena_reset(&arena);
        snprintf(href, sizeof href, "%.*s", STR_ARG(taken.href));
        make_page(&page, bag, &arena, str_of(href), strtoull(strrchr(href, '/') + 1, NULL, 10));
        judgement.relevant = is_relevant(strtoull(strrchr(href, '/') + 1, NULL, 10));
        relevant += judgement.relevant;
        visit = (struct steer_visit){taken.id, taken.host, taken.candidate, n + 1, n + 1, &page, &judgement, STR("")};
        before = cpu_us();
        SCENT_BUG_IF(steer_examine(steer, &visit, true, NULL, &err) != SCENT_OK);
        spent[n / BETWEEN] += cpu_us() - before;
        frontier_finish(steer_frontier(steer), taken.id, (int64_t)n);
    }
    printf("%9llu  %-34s %8.0f %8.0f %8.0f   %10u   %.4f\n", (unsigned long long)pages, strategy, spent[0] / BETWEEN,
           spent[1] / BETWEEN, spent[2] / BETWEEN, frontier_queued(steer_frontier(steer)), (double)relevant / (double)n);
    fflush(stdout);
    arena_release(&arena);
}

static void run(uint64_t pages, const char *strategy)
{
    struct steer_options options = {.key = KEY, .seed = 1};
    struct knowledge knowledge = {0};
    struct errmsg err = {{0}};
    struct steer *steer;
    struct topic *topic;
    char text[600];

    snprintf(text, sizeof text, "topic: people\nseeds: ['http://h0.test/0', 'http://h1.test/1', 'http://h2.test/2']\n"
                                "limits: {per_pattern: 0}\nstrategy: {name: %s}\n", strategy);
    SCENT_BUG_IF(topic_parse(str_of(text), "people", &topic, &err) != SCENT_OK);
    knowledge.trace = make_trace(pages);
    options.topic = topic;
    options.knowledge = &knowledge;
    SCENT_BUG_IF(steer_new(&options, &steer, &err) != SCENT_OK);
    for (size_t i = 0; i < topic->nseeds; i++)
        SCENT_BUG_IF(steer_seed(steer, &topic->seeds[i], NULL, NULL) != SCENT_OK);
    crawl(steer, strategy, pages);
    steer_free(steer);
    knowledge_release(&knowledge);
    topic_free(topic);
}

int main(int argc, char **argv)
{
    static const uint64_t sizes[] = {10000, 100000, 1000000};

    printf("pages of   strategy                           CPU us a page, of each thousand   candidates   harvest\n"
           "the trace\n");
    if (argc > 1) {
        run(strtoull(argv[1], NULL, 10), argc > 2 ? argv[2] : "collaborative");
        return 0;
    }
    run(sizes[0], "collaborative, rescore: always");
    run(sizes[0], "collaborative, rescore: never");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        run(sizes[i], "collaborative");
    return 0;
}
