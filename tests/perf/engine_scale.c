/* What a whole crawl costs as it grows: time, memory, and the time to resume.
 *
 *   perf_engine_scale FOLDER [KNOWN [HOSTS [STRATEGY]]]   10^7, 10^6, best-first; a crawl that is there is only resumed
 *
 * A generated web of that many hosts is crawled in process: fetched, analysed, judged, written to WARC and
 * store with every sync. Each time that ten times more URLs are known, the next pages are measured: CPU of all threads,
 * and the peak of resident memory. Then the crawl is resumed in a new process: time from its start to the first page.
 * At last each thing that grows is built alone, to say what it takes an item. */
#include "base/clock.h"
#include "base/hash.h"
#include "engine/duplicates.h"
#include "engine/engine.h"
#include "engine/hosts.h"
#include "engine/politeness.h"
#include "frontier/caps.h"
#include "frontier/frontier.h"
#include "perf/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define HTTP(number) ((struct politeness_origin){.host = (number)})

enum { SEEDS = 20, SMALLEST = 10000, STEPS = 8, FIRST_PAGES = 2000, PAGES = 20000 };

struct step {
    uint64_t known;                      /* begins when so many are known */
    uint64_t begin_known, end_known;     /* as they were */
    uint64_t begin_page, end_page, hosts;
    double begin_cpu, end_cpu, peak; /* seconds, bytes */
    double begin_wall, end_wall;
};

struct bench {
    uint64_t known, hosts;
    const char *strategy;
    char dir[4096];
    struct clock clock;
    struct log log;
    atomic_int stop;
    struct step steps[STEPS];
    int step, nsteps;
    uint64_t end_known, pages, first_pages; /* first_pages: stop after so many; 0: when the last step is over */
    double start_wall, start_cpu, first_wall, first_cpu;
};

static void must(scent_status status, const struct errmsg *err)
{
    if (status == SCENT_OK)
        return;
    fprintf(stderr, "%s (%s)\n", err ? err->text : "", scent_status_text(status));
    exit(1);
}

/* ---- measuring ---- */

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double wall_seconds(const struct bench *bench)
{
    return (double)clock_mono(&bench->clock) / 1e6;
}

static void count_page(void *ctx, const struct engine_page *page)
{
    struct bench *bench = ctx;

    (void)page;
    if (bench->pages++ == 0) {
        bench->first_wall = wall_seconds(bench);
        bench->first_cpu = cpu_seconds();
    }
    if (bench->first_pages && bench->pages >= bench->first_pages)
        atomic_store(&bench->stop, 1);
}

static void begin_step(struct bench *bench, struct step *step, const struct engine_progress *progress)
{
    step->begin_known = progress->known;
    step->begin_page = bench->pages;
    step->begin_cpu = cpu_seconds();
    step->begin_wall = wall_seconds(bench);
}

static void end_step(struct bench *bench, struct step *step, const struct engine_progress *progress)
{
    double pages, cpu;

    step->end_known = progress->known;
    step->end_page = bench->pages;
    step->hosts = progress->hosts;
    step->end_cpu = cpu_seconds();
    step->end_wall = wall_seconds(bench);
    step->peak = memory_now("VmHWM:");
    pages = (double)(step->end_page - step->begin_page);
    cpu = step->end_cpu - step->begin_cpu;
    printf("%10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %8.0f %9.1f %8.3f %8.0f %8.1f\n", step->begin_known, step->hosts,
           step->begin_page, pages, (double)(step->end_known - step->begin_known) / pages, cpu * 1e3 / pages,
           pages / (step->end_wall - step->begin_wall), step->peak / (1 << 20));
    fflush(stdout);
    bench->step++;
    if (bench->step == bench->nsteps)
        atomic_store(&bench->stop, 1);
}

static void watch(void *ctx, const struct engine_progress *progress)
{
    struct bench *bench = ctx;
    struct step *step = &bench->steps[bench->step];

    if (bench->step == bench->nsteps || progress->known < step->known)
        return;
    if (step->begin_cpu == 0)
        begin_step(bench, step, progress);
    else if (bench->pages - step->begin_page >= (bench->step ? PAGES : FIRST_PAGES))
        end_step(bench, step, progress);
}

/* ---- the crawl ---- */

static struct web *open_web(const struct bench *bench)
{
    struct errmsg err = {0};
    struct buf spec;
    struct web *web;

    buf_init(&spec, 0);
    buf_printf(&spec,
               "kind: generated\nhosts: %" PRIu64 "\npages_per_host: 1000\nlinks: 72\nwords: 300\nexternal: 0.5\n"
               "hubs: 0\ntraps: 0\ndead_hosts: 0\ntunnels: {share: 0}\nlarge: {share: 0}\n",
               bench->hosts);
    must(web_open_spec(buf_str(&spec), "web", &web, &err), &err);
    buf_release(&spec);
    return web;
}

static struct topic *open_topic(const struct web *web, const char *strategy)
{
    struct errmsg err = {0};
    struct arena arena;
    struct topic *topic;
    struct buf text;

    arena_init(&arena, SIZE_MAX);
    buf_init(&text, 0);
    buf_printf(&text, "topic: scale\nstrategy: %s\nscope: {hops_off_domain: 1000}\nlimits: {depth: 4000}\nseeds:\n",
               strategy);
    for (size_t i = 0; i < SEEDS; i++) {
        struct str seed = web_seed(web, i, &arena);

        if (seed.len)
            buf_printf(&text, "  - %.*s\n", STR_ARG(seed));
    }
    must(topic_parse(buf_str(&text), "scale", &topic, &err), &err);
    buf_release(&text);
    arena_release(&arena);
    return topic;
}

static void print_stages(const struct engine_cpu *cpu, uint64_t count)
{
    double pages = (double)count;

    printf("ms a page: source %.3f, analyse %.3f, judge %.3f, engine %.3f, WARC %.3f, store %.3f\n", cpu->source / pages,
           cpu->analyse / pages, cpu->judge / pages, cpu->engine / pages, cpu->warc / pages, cpu->store / pages);
}

static void crawl(struct bench *bench)
{
    struct web *web = open_web(bench);
    struct topic *topic = open_topic(web, bench->strategy);
    struct engine_options options = {
        .topic = topic,
        .dir = bench->dir,
        .web = web,
        .clock = &bench->clock,
        .log = &bench->log,
        .stop = &bench->stop,
        .on_page = count_page,
        .on_progress = watch,
        .ctx = bench,
    };
    struct engine_report report;
    struct errmsg err = {0};

    bench->start_wall = wall_seconds(bench);
    bench->start_cpu = cpu_seconds();
    must(engine_run(&options, &report, &err), &err);
    bench->end_known = report.totals.known;
    print_stages(&report.cpu, bench->pages);
    topic_free(topic);
    web_free(web);
}

static void grow(struct bench *bench)
{
    const struct step *first = &bench->steps[0], *last;

    printf("%10s %9s %9s %8s %9s %8s %8s %8s\n", "known", "hosts", "page", "measured", "new/page", "ms/page", "pages/s",
           "peak MiB");
    for (uint64_t known = SMALLEST; known <= bench->known && bench->nsteps < STEPS; known *= 10)
        bench->steps[bench->nsteps++].known = known;
    crawl(bench);
    if (bench->step < bench->nsteps)
        printf("the crawl ended before %" PRIu64 " URLs were known\n", bench->steps[bench->nsteps - 1].known);
    if (bench->step < 2)
        return;
    last = &bench->steps[bench->step - 1];
    printf("CPU a page, largest to smallest: %.2f\n",
           (last->end_cpu - last->begin_cpu) / (double)(last->end_page - last->begin_page) /
               ((first->end_cpu - first->begin_cpu) / (double)(first->end_page - first->begin_page)));
    printf("peak memory grew by %.1f bytes a known URL\n",
           (last->peak - first->peak) / (double)(last->end_known - first->end_known));
    fflush(stdout);
}

static void resume(struct bench *bench)
{
    bench->first_pages = PAGES;
    crawl(bench);
    printf("resume at %" PRIu64 " known URLs, to the first page: %.1f s, CPU %.1f s; peak %.0f MiB\n", bench->end_known,
           bench->first_wall - bench->start_wall, bench->first_cpu - bench->start_cpu, memory_now("VmHWM:") / (1 << 20));
    fflush(stdout);
}

/* ---- what grows, each alone ---- */

struct thing {
    const char *name, *item;
    uint32_t count;
    void (*build)(uint32_t count);
};

static struct frontier *some_frontier(void)
{
    struct frontier_options options = {.delay_us = 1000000};

    return frontier_new(&options);
}

static void intern_all(struct frontier *f, uint32_t count)
{
    uint32_t id;
    bool is_new;

    for (uint32_t i = 0; i < count; i++)
        must(frontier_intern(f, hash_mix(i, 3), &id, &is_new), NULL);
}

static void build_known(uint32_t count)
{
    intern_all(some_frontier(), count);
}

static void add_frontier_hosts(struct frontier *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        uint32_t host;
        bool is_new;
        int len = snprintf(name, sizeof name, "www.plunora%u.test", i);

        must(frontier_host(f, (struct str){name, (size_t)len}, &host, &is_new), NULL);
    }
}

static void build_queued(uint32_t count)
{
    struct frontier *f = some_frontier();
    struct candidate candidate = {.depth = 3};

    add_frontier_hosts(f, count / 10);
    intern_all(f, count);
    for (uint32_t i = 0; i < count; i++) {
        candidate.priority = (float)(hash_mix(i, 9) >> 40);
        must(frontier_queue(f, i, STR_NONE, (uint32_t)(hash_mix(i, 5) % (count / 10)), &candidate), NULL);
    }
}

static void build_frontier_hosts(uint32_t count)
{
    add_frontier_hosts(some_frontier(), count);
}

static void build_hosts(uint32_t count)
{
    struct hosts *hosts = hosts_new(false);

    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        int len = snprintf(name, sizeof name, "www.plunora%u.test", i);

        must(hosts_add(hosts, i, (struct str){name, (size_t)len}), NULL);
    }
}

static void build_manners(uint32_t count)
{
    struct politeness_options options = {.user_agent = STR("scent"), .delay_us = 1000000, .give_up_after = 3};
    struct politeness *politeness = politeness_new(&options);

    for (uint32_t i = 0; i < count; i++) {
        must(politeness_reserve(politeness, i + 1), NULL);
        politeness_robots_none(politeness, HTTP(i), 0);
    }
}

static void build_addresses(uint32_t count)
{
    static struct numbering numbers;
    uint32_t number;

    numbering_init(&numbers);
    for (uint32_t i = 0; i < count; i++)
        must(numbering_find(&numbers, hash_mix(i, 7), &number), NULL);
}

static void build_duplicates(uint32_t count)
{
    struct duplicates *duplicates = duplicates_new(0);

    for (uint32_t i = 0; i < count; i++) {
        must(duplicates_add_exact(duplicates, hash_mix(i, 11), i), NULL);
        must(duplicates_add_near(duplicates, hash_mix(i, 12), i), NULL);
    }
}

static void build_caps(uint32_t count)
{
    static struct caps caps;

    caps_init(&caps);
    for (uint32_t i = 0; i < count; i++)
        caps_take(&caps, hash_mix(i, 13), 2000);
}

static void build_one(const struct thing *thing)
{
    double before = memory_now("VmRSS:"), after;

    thing->build(thing->count);
    after = memory_now("VmHWM:");
    printf("%-34s %10u %-12s %7.1f bytes each, %6.1f MiB\n", thing->name, thing->count, thing->item,
           (after - before) / thing->count, (after - before) / (1 << 20));
    fflush(stdout);
}

/* ---- each in a process of its own ---- */

static void apart(void (*fn)(struct bench *), struct bench *bench)
{
    int status = 0;
    pid_t child = fork();

    SCENT_BUG_IF(child < 0);
    if (child == 0) {
        fn(bench);
        exit(0);
    }
    if (waitpid(child, &status, 0) != child || status)
        exit(1);
}

static void build_all(uint32_t known, uint32_t hosts)
{
    const struct thing things[] = {
        {"frontier: known", "URLs", known, build_known},
        {"frontier: known and queued, hosts", "URLs", known, build_queued},
        {"frontier: hosts", "hosts", hosts, build_frontier_hosts},
        {"hosts: host and domain", "hosts", hosts, build_hosts},
        {"politeness: robots.txt 404 (network)", "hosts", hosts, build_manners},
        {"addresses (network)", "addresses", hosts, build_addresses},
        {"duplicates", "pages", hosts, build_duplicates},
        {"caps", "patterns", known, build_caps},
    };

    for (size_t i = 0; i < sizeof things / sizeof *things; i++) {
        pid_t child = fork();

        SCENT_BUG_IF(child < 0);
        if (child == 0) {
            build_one(&things[i]);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    printf("fixed: 64 MiB of SQLite pages for the writer, 2 for the loader, 16 of texts (limits.text_memory)\n");
}

int main(int argc, char **argv)
{
    static struct bench bench;
    char path[4200];

    if (argc < 2) {
        fprintf(stderr, "usage: perf_engine_scale FOLDER [KNOWN [HOSTS [STRATEGY]]]\n");
        return 2;
    }
    bench.known = argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000;
    bench.hosts = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
    bench.strategy = argc > 4 ? argv[4] : "best-first";
    bench.clock = clock_system;
    log_init_stderr(&bench.log, LOG_ERROR);
    snprintf(bench.dir, sizeof bench.dir, "%s", argv[1]);
    snprintf(path, sizeof path, "%s/crawl.db", bench.dir);
    if (access(path, F_OK) != 0)
        apart(grow, &bench);
    apart(resume, &bench);
    build_all((uint32_t)bench.known, (uint32_t)bench.hosts);
    return 0;
}
