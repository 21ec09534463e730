/* What the frontier costs, in time and memory, as a crawl grows.
 *
 *   perf_frontier_scale [urls hosts [own]]   without arguments: 10^4 to 10^8 URLs
 *
 * Each URL is interned and queued, with `own` (16) bytes of a strategy's own; every 1,000 their rows count as committed, so that
 * texts leave memory. Half as many domains as hosts and a tenth as many addresses are limited. Then come pages of 78
 * links, 10 of them new: intern all, queue the new ones, raise five of the known, load the texts that are wanted, take
 * one, finish one. Then all are scored again. At last a second frontier is filled as on resume: known URLs, hosts, no
 * text. Time is CPU time of the thread; memory is the peak that the kernel has seen, everything included. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "frontier/frontier.h"
#include "perf/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS = 78, NEW_LINKS = 10, RAISED = 5, COMMIT = 1000, WANTED = 64 };

struct bench {
    struct frontier *f;
    struct rng rng;
    uint32_t urls, hosts, own;
    int64_t now;
    uint64_t loaded, stalls;
};

static void must(scent_status status)
{
    SCENT_BUG_IF(status != SCENT_OK);
}

static double ns_since(int64_t start, uint64_t ops)
{
    return (double)(clock_thread_cpu_ns() - start) / (double)ops;
}

static uint64_t fingerprint_of(uint32_t n)
{
    return hash_bytes(&n, sizeof n, 99);
}

static uint32_t host_of(const struct bench *b, uint32_t n)
{
    return (uint32_t)(hash_mix(n, 5) % b->hosts);
}

static struct str text_of(const struct bench *b, uint32_t n, char buffer[128])
{
    int len = snprintf(buffer, 128, "https://www.host%u.example.org/some/folder/of/it/document-%u.html", host_of(b, n), n);

    return (struct str){buffer, (size_t)len};
}

static void open_frontier(struct bench *b)
{
    struct frontier_options options = {.delay_us = 1000000, .per_host = 1, .per_domain = 2, .per_ip = 8};

    b->f = frontier_new(&options);
    for (uint32_t i = 0; i < b->hosts; i++) {
        char name[64];
        uint32_t host;
        bool is_new;

        snprintf(name, sizeof name, "www.host%u.example.org", i);
        must(frontier_host(b->f, str_of(name), &host, &is_new));
        must(frontier_set_domain(b->f, host, host / 2));
        must(frontier_set_ip(b->f, host, host % (b->hosts / 10 + 1)));
    }
}

/* The URL of this id, which is new. */
static void queue_url(struct bench *b, uint32_t id, bool on_disk)
{
    struct candidate candidate = {.priority = (float)rng_unit(&b->rng), .depth = 3};
    uint64_t own[2] = {rng_next(&b->rng), rng_next(&b->rng)};
    char buffer[128];

    memcpy(candidate.own, own, b->own);
    must(frontier_queue(b->f, id, on_disk ? STR_NONE : text_of(b, id, buffer), host_of(b, id), &candidate));
    if (++b->urls % COMMIT == 0)
        frontier_committed(b->f, b->urls);
}

static void add_url(struct bench *b, bool on_disk)
{
    uint32_t id;
    bool is_new;

    must(frontier_intern(b->f, fingerprint_of(b->urls), &id, &is_new));
    SCENT_BUG_IF(!is_new || id != b->urls);
    queue_url(b, id, on_disk);
}

static void reinforce(struct bench *b, uint32_t id)
{
    struct candidate candidate;

    if (!frontier_get(b->f, id, &candidate))
        return;
    candidate.priority += 0.01f;
    frontier_update(b->f, id, &candidate);
}

static void page_links(struct bench *b)
{
    uint64_t fingerprints[LINKS];
    uint32_t ids[LINKS];
    bool is_new;

    for (int i = 0; i < LINKS; i++) {
        fingerprints[i] = fingerprint_of(i < NEW_LINKS ? b->urls + (uint32_t)i : (uint32_t)rng_below(&b->rng, b->urls));
        frontier_expect(b->f, fingerprints[i]);
    }
    for (int i = 0; i < LINKS; i++)
        must(frontier_intern(b->f, fingerprints[i], &ids[i], &is_new));
    for (int i = 0; i < LINKS; i++)
        if (frontier_state(b->f, ids[i]) == FRONTIER_SEEN)
            queue_url(b, ids[i], false);
        else if (i < NEW_LINKS + RAISED)
            reinforce(b, ids[i]);
}

static void load_wanted(struct bench *b)
{
    uint32_t ids[WANTED];
    size_t n = frontier_wanted(b->f, ids, WANTED);
    char buffer[128];

    for (size_t i = 0; i < n; i++)
        must(frontier_supply(b->f, ids[i], text_of(b, ids[i], buffer)));
    b->loaded += n;
}

static void visit(struct bench *b)
{
    struct frontier_taken taken;
    int64_t wait;
    scent_status status;

    load_wanted(b);
    while ((status = frontier_take(b->f, b->now, &taken, &wait)) == SCENT_E_NOTFOUND) {
        b->stalls++;
        b->now += wait == INT64_MAX ? 0 : wait;
        load_wanted(b);
    }
    must(status);
    b->now += 300;
    frontier_finish(b->f, taken.id, b->now);
}

static void measure_pages(struct bench *b, uint32_t pages)
{
    int64_t start = clock_thread_cpu_ns(), slowest = 0;

    for (uint32_t i = 0; i < pages; i++) {
        int64_t begun = clock_thread_cpu_ns(), took;

        page_links(b);
        visit(b);
        took = clock_thread_cpu_ns() - begun;
        slowest = took > slowest ? took : slowest;
    }
    printf("  page %5.1f us, slowest %5.0f, %.2f texts loaded, %.2f waits", ns_since(start, pages) / 1e3,
           (double)slowest / 1e3, (double)b->loaded / pages, (double)b->stalls / pages);
}

static void rescore(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    (void)id;
    candidate->priority = (float)rng_unit(ctx);
    *changed = true;
}

static void measure_resume(uint32_t urls, uint32_t hosts, uint32_t own)
{
    struct bench b = {.hosts = hosts, .own = own};
    double before = memory_now("VmRSS:");
    int64_t start = clock_thread_cpu_ns();

    rng_seed(&b.rng, 2);
    open_frontier(&b);
    while (b.urls < urls)
        add_url(&b, true);
    printf("  resume %5.2f s, %5.1f B/url", (double)(clock_thread_cpu_ns() - start) / 1e9,
           (memory_now("VmRSS:") - before) / urls);
    start = clock_thread_cpu_ns();
    visit(&b);
    printf(", first visit %.0f us\n", (double)(clock_thread_cpu_ns() - start) / 1e3);
    frontier_free(b.f);
}

static void measure(uint32_t urls, uint32_t hosts, uint32_t own)
{
    struct bench b = {.hosts = hosts, .own = own};
    double before = memory_now("VmHWM:");
    int64_t start;

    rng_seed(&b.rng, 1);
    open_frontier(&b);
    start = clock_thread_cpu_ns();
    while (b.urls < urls)
        add_url(&b, false);
    printf("%9u urls %8u hosts  fill %5.0f ns/url, %4.2f M/s\n", urls, hosts, ns_since(start, urls),
           1e3 / ns_since(start, urls));
    measure_pages(&b, urls / 20 < 100000 ? urls / 20 : 100000);
    start = clock_thread_cpu_ns();
    frontier_each(b.f, rescore, &b.rng);
    printf("  score again %4.0f ns/url", ns_since(start, frontier_queued(b.f)));
    start = clock_thread_cpu_ns();
    visit(&b);
    printf(", next visit %.0f us\n", (double)(clock_thread_cpu_ns() - start) / 1e3);
    printf("  peak %.1f MB, %.1f B/url, texts %.1f MB\n", (memory_now("VmHWM:") - before) / 1e6,
           (memory_now("VmHWM:") - before) / b.urls, (double)frontier_text_bytes(b.f) / 1e6);
    frontier_free(b.f);
}

/* In a process of its own, so that the memory of one does not hide that of the next. */
static void measure_apart(void (*what)(uint32_t urls, uint32_t hosts, uint32_t own), uint32_t urls, uint32_t hosts, uint32_t own)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        what(urls, hosts, own);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void measure_both(uint32_t urls, uint32_t hosts, uint32_t own)
{
    measure_apart(measure, urls, hosts, own);
    measure_apart(measure_resume, urls, hosts, own);
}

int main(int argc, char **argv)
{
    if (argc >= 3) {
        measure_both((uint32_t)atof(argv[1]), (uint32_t)atof(argv[2]), argc > 3 ? (uint32_t)atoi(argv[3]) % 17 : 16);
        return 0;
    }
    measure_both(10000, 100, 16);
    measure_both(100000, 10000, 16);
    measure_both(1000000, 100, 16);
    measure_both(1000000, 100000, 16);
    measure_both(10000000, 1, 16);
    measure_both(10000000, 1000000, 16);
    measure_both(10000000, 1000000, 0);
    measure_both(100000000, 1000000, 0);
    return 0;
}
