/* perf_strategy_scale [CANDIDATES [STRATEGY]] - does a page cost more the more candidates a learning crawl has?
 *
 * A crawl of pages with 78 links each, half of them to new URLs, grows to the number of candidates (without an argument
 * 10^4, 10^5 and 10^6); then 400 pages more are measured: CPU microseconds a page, the whole of the growth amortised and
 * the last pages alone, and what the strategy keeps: the bytes that it saves, those that it takes from the allocator
 * after the first page, and those that are resident (without the room into which arrays will grow, and with tables of
 * fixed size), all by known URLs, of which a page brings 39. Anchors have six words, more
 * than most: for strategies that keep the words of a URL the worst case. Under callgrind the inclusive costs of grow_page and measured_page
 * tell the same in instructions (tests/perf/bench_score). */
#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "perf/memory.h"
#include "strategy/strategy.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 78, SUBJECTS = 8, STEMS = 2000, BAG = 300, MEASURED = 400, NEAR = 4000 };
enum { ANCHOR = 6, APART = 6, WORDS = LINKS * (ANCHOR + APART) };

struct world {
    struct strategy strategy;
    struct rng rng;
    struct arena arena;
    struct page page;
    struct page_link links[LINKS];
    struct page_term bag[BAG];
    struct page_word words[WORDS];
    uint32_t targets[LINKS];
    struct strategy_score score; /* of the one that is scored again: to clear it each time is not the strategy's work */
    float *kept;       /* priority of each URL */
    uint8_t *examined; /* of each URL */
    uint32_t known, candidates, room;
    uint64_t pages;
};

static void fail(const char *what)
{
    fprintf(stderr, "perf_strategy_scale: %s\n", what);
    exit(1);
}

static uint32_t subject_of(uint32_t id)
{
    return id % SUBJECTS;
}

static void make_url(struct world *world, uint32_t id, struct url *out)
{
    struct str text = arena_printf(&world->arena, "http://host%u.test/part%u/page%u.html", id / 64, subject_of(id), id);

    if (!text.p || url_parse(&world->arena, text, NULL, out) != SCENT_OK)
        fail("no URL");
}

/* Half new, a quarter near, a quarter anywhere; mostly of the page's own subject. */
static uint32_t draw_target(struct world *world, uint32_t subject)
{
    uint32_t kind = (uint32_t)rng_below(&world->rng, 4), span = world->known < NEAR ? world->known : NEAR, id;

    if (kind < 2 || world->known < LINKS) {
        world->candidates++;
        return world->known++;
    }
    id = kind == 2 ? world->known - 1 - (uint32_t)rng_below(&world->rng, span) : (uint32_t)rng_below(&world->rng, world->known);
    if (rng_below(&world->rng, 5) && id - id % SUBJECTS + subject < world->known)
        id = id - id % SUBJECTS + subject;
    return id;
}

/* Of all subjects (0) or of one, by Zipf's law: the most frequent ones of a page are those of most pages. */
/* Stems are hashes. */
static struct page_term draw_word(struct world *world, uint32_t subject)
{
    double rank = exp(rng_unit(&world->rng) * log(STEMS));

    return (struct page_term){.stem = hash_mix(1 + subject * STEMS + (uint64_t)rank, 0),
                              .tf = 1 + (uint32_t)(20 / rank + rng_unit(&world->rng) * 4)};
}

static void make_page(struct world *world, uint32_t id)
{
    arena_reset(&world->arena);
    world->page = (struct page){.links = world->links, .nlinks = LINKS, .bag = world->bag, .nbag = BAG,
                                .words = world->words, .nwords = WORDS};
    make_url(world, id, &world->page.url);
    for (uint32_t i = 0; i < LINKS; i++) {
        world->targets[i] = draw_target(world, subject_of(id));
        make_url(world, world->targets[i], &world->links[i].url);
        world->links[i].node = PAGE_NONE;
        world->links[i].first_word = i * (ANCHOR + APART) + APART / 2;
        world->links[i].end_word = world->links[i].first_word + ANCHOR;
    }
    for (uint32_t i = 0; i < WORDS; i++) {
        uint64_t stem = draw_word(world, i % 2 ? 1 + subject_of(id) : 0).stem;

        world->words[i] = (struct page_word){.word = stem, .stem = stem};
    }
    for (uint32_t i = 0; i < BAG; i++)
        world->bag[i] = draw_word(world, i % 2 ? 1 + subject_of(id) : 0);
}

static void rescore(struct world *world, uint32_t id)
{
    struct strategy_score *score = &world->score;

    score->priority = world->kept[id];
    if (!world->examined[id] && world->strategy.ops->rescore(world->strategy.state, id, score))
        world->kept[id] = score->priority;
}

/* All that the strategy does for a page. */
static void work(struct world *world, const struct strategy_visit *visit)
{
    const struct strategy_ops *ops = world->strategy.ops;
    uint32_t ids[256];
    size_t n = 256;

    ops->observe(world->strategy.state, visit);
    for (uint32_t i = 0; i < LINKS; i++) {
        struct strategy_score score;

        ops->score(world->strategy.state, visit, i, &score);
        world->kept[visit->targets[i]] = score.priority;
    }
    while (n == 256) {
        n = ops->stale(world->strategy.state, ids, 256);
        for (uint32_t i = 0; i < (n == STRATEGY_ALL ? world->known : n); i++)
            rescore(world, n == STRATEGY_ALL ? i : ids[i]);
    }
}

/* These names are known to callgrind. */
#define NAMED __attribute__((noinline)) static

NAMED void grow_page(struct world *world, const struct strategy_visit *visit)
{
    work(world, visit);
}

NAMED void measured_page(struct world *world, const struct strategy_visit *visit)
{
    work(world, visit);
}

/* The best of sixteen candidates: enough for the crawl to follow what it learned. */
static uint32_t choose(struct world *world)
{
    uint32_t best = 0;

    for (int found = 0; found < 16 && world->known;) {
        uint32_t id = (uint32_t)rng_below(&world->rng, world->known);

        if (world->examined[id])
            continue;
        best = found++ == 0 || world->kept[id] > world->kept[best] ? id : best;
    }
    return best;
}

static double crawl_page(struct world *world, void (*how)(struct world *, const struct strategy_visit *))
{
    static const uint8_t own[STRATEGY_OWN_BYTES];
    uint32_t id = world->pages ? choose(world) : world->known++;
    struct judgement judgement = {.relevant = subject_of(id) == 0 && rng_below(&world->rng, 10)};
    struct strategy_visit visit = {.number = ++world->pages, .id = id, .page = &world->page, .judgement = &judgement,
                                   .targets = world->targets, .seed = world->pages == 1, .own = own};
    int64_t start;

    world->examined[id] = 1;
    world->candidates -= world->candidates > 0;
    make_page(world, id);
    start = clock_thread_cpu_ns();
    how(world, &visit);
    return (double)(clock_thread_cpu_ns() - start) / 1e3;
}

static void open_world(struct world *world, uint32_t candidates, const char *strategy, struct topic **topic)
{
    struct strategy_context context = {.seed = 1};
    struct errmsg err = {0};
    char text[256];

    *world = (struct world){.room = 2 * candidates + 100 * LINKS * MEASURED};
    snprintf(text, sizeof text, "topic: x\nseeds: [http://a.test/]\nstrategy: {name: %s}\n", strategy);
    if (topic_parse(str_of(text), "topic", topic, &err) != SCENT_OK)
        fail(err.text);
    context.topic = *topic;
    if (strategy_open(&context, &world->strategy, &err) != SCENT_OK)
        fail(err.text);
    if (!world->strategy.ops->observe || !world->strategy.ops->stale)
        fail("its scores do not drift");
    rng_seed(&world->rng, 7);
    arena_init(&world->arena, SIZE_MAX);
    world->kept = calloc(world->room, sizeof *world->kept);
    world->examined = calloc(world->room, 1);
    if (!world->kept || !world->examined)
        fail("no memory");
}

/* What was taken from the allocator and not given back. */
static double bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
}

static void measure(uint32_t candidates, const char *strategy)
{
    double growing = 0, last = 0, longest = 0, before, taken, resident;
    struct topic *topic;
    struct world world;
    uint64_t grown;
    struct buf state;

    open_world(&world, candidates, strategy, &topic);
    before = bytes_in_use();
    resident = memory_now("VmRSS");
    while (world.candidates < candidates)
        growing += crawl_page(&world, grow_page);
    grown = world.pages;
    for (int i = 0; i < MEASURED; i++) {
        double took = crawl_page(&world, measured_page);

        last += took;
        longest = took > longest ? took : longest;
    }
    taken = bytes_in_use() - before;
    resident = memory_now("VmRSS") - resident - (double)world.known * (sizeof *world.kept + sizeof *world.examined);
    buf_init(&state, 0);
    if (world.strategy.ops->save && world.strategy.ops->save(world.strategy.state, &state) != SCENT_OK)
        fail("it does not save");
    printf("%-28s %9u %8u %10.1f %10.1f %10.1f %8.0f %8.0f %8.0f\n", strategy, candidates, (unsigned)grown, growing / (double)grown,
           last / MEASURED, longest, (double)state.len / world.known, taken / world.known, resident / world.known);
    buf_release(&state);
    strategy_close(&world.strategy);
    topic_free(topic);
    arena_release(&world.arena);
    free(world.kept);
    free(world.examined);
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {10000, 100000, 1000000};
    const char *strategy = argc > 2 ? argv[2] : "intelligent";

    printf("%-28s candidates  pages   us a page:  then %d: the longest  bytes a URL: saved, taken, resident\n", "78 links a page", MEASURED);
    for (size_t i = 0; i < (argc > 1 ? 1 : 3); i++)
        measure(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : sizes[i], strategy);
    return 0;
}
