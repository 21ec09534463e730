/* What the frontier costs, in time and memory, as a crawl grows.
 *
 *   perf_frontier_scale [urls hosts [0]]   without arguments: 10^4 to 10^7 URLs on 10^2 to 10^6 hosts; 0: no text
 *
 * Each URL is interned and queued; then come pages of 78 links, 10 of them new: find all, queue the new ones, raise
 * five of the known, take one, finish one; then all are scored again. Resident memory is read from the kernel; the
 * text of URLs, which moves to disk later, is counted apart. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"
#include "frontier/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINKS = 78, NEW_LINKS = 10, RAISED = 5 };

struct bench {
    struct frontier *f;
    struct rng rng;
    uint32_t urls, hosts;
    int64_t now;
    bool no_text;
};

static void must(scent_status status)
{
    SCENT_BUG_IF(status != SCENT_OK);
}

static int64_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long size, resident;

    SCENT_BUG_IF(!file || fscanf(file, "%ld %ld", &size, &resident) != 2);
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
}

static double ns_since(int64_t start, uint64_t ops)
{
    return (double)(clock_thread_cpu_ns() - start) / (double)ops;
}

static uint64_t fingerprint_of(uint32_t n)
{
    return hash_bytes(&n, sizeof n, 99);
}

static void add_hosts(struct bench *b)
{
    for (uint32_t i = 0; i < b->hosts; i++) {
        char name[64];
        uint32_t host;
        bool is_new;

        snprintf(name, sizeof name, "www.host%u.example.org", i);
        must(frontier_host(b->f, str_of(name), &host, &is_new));
    }
}

/* The next URL that nobody knows. */
static void add_url(struct bench *b)
{
    struct candidate candidate = {.priority = (float)rng_unit(&b->rng), .depth = 3};
    uint32_t n = b->urls, id, host = (uint32_t)rng_below(&b->rng, b->hosts);
    char text[128];
    int len;
    bool is_new;

    must(frontier_intern(b->f, fingerprint_of(n), &id, &is_new));
    SCENT_BUG_IF(!is_new || id != n);
    len = snprintf(text, sizeof text, "https://www.host%u.example.org/some/folder/of/it/document-%u.html", host, n);
    must(frontier_queue(b->f, id, (struct str){text, b->no_text ? 0 : (size_t)len}, host, &candidate));
    b->urls++;
}

static void page_links(struct bench *b)
{
    uint64_t fingerprints[LINKS];
    uint32_t id = 0;

    for (int i = NEW_LINKS; i < LINKS; i++) {
        fingerprints[i] = fingerprint_of((uint32_t)rng_below(&b->rng, b->urls));
        frontier_expect(b->f, fingerprints[i]);
    }
    for (int i = NEW_LINKS; i < LINKS; i++) {
        struct candidate candidate;

        SCENT_BUG_IF(!frontier_find(b->f, fingerprints[i], &id));
        if (i < NEW_LINKS + RAISED && frontier_get(b->f, id, &candidate)) {
            candidate.priority += 0.01f;
            frontier_update(b->f, id, &candidate);
        }
    }
    for (int i = 0; i < NEW_LINKS; i++)
        add_url(b);
}

static void visit(struct bench *b)
{
    struct frontier_taken taken;
    int64_t wait;
    scent_status status = frontier_take(b->f, b->now, &taken, &wait);

    if (status == SCENT_E_NOTFOUND) {
        b->now += wait;
        status = frontier_take(b->f, b->now, &taken, &wait);
    }
    must(status);
    b->now += 300;
    frontier_finish(b->f, taken.id, b->now);
}

static void rescore(void *ctx, uint32_t id, struct candidate *candidate, bool *changed)
{
    (void)id;
    candidate->priority = (float)rng_unit(ctx);
    *changed = true;
}

static void measure(uint32_t urls, uint32_t hosts, bool no_text)
{
    struct frontier_options options = {.delay_us = 1000000, .per_host = 1};
    struct bench b = {.hosts = hosts, .no_text = no_text};
    uint32_t pages = urls / 20 < 100000 ? urls / 20 : 100000;
    int64_t before = resident_bytes(), slowest = 0, start, memory, text;
    double filled, page, each;

    rng_seed(&b.rng, 1);
    b.f = frontier_new(&options);
    add_hosts(&b);
    start = clock_thread_cpu_ns();
    while (b.urls < urls)
        add_url(&b);
    filled = ns_since(start, urls);
    text = (int64_t)frontier_text_bytes(b.f);
    memory = resident_bytes() - before;
    printf("%9u urls %8u hosts  fill %5.0f ns/url  memory %6.1f B/url + text %5.1f\n", urls, hosts, filled,
           (double)(memory - text) / urls, (double)text / urls);
    start = clock_thread_cpu_ns();
    for (uint32_t i = 0; i < pages; i++) {
        int64_t begun = clock_thread_cpu_ns(), took;

        page_links(&b);
        visit(&b);
        took = clock_thread_cpu_ns() - begun;
        slowest = took > slowest ? took : slowest;
    }
    page = ns_since(start, pages);
    start = clock_thread_cpu_ns();
    frontier_each(b.f, rescore, &b.rng);
    each = ns_since(start, frontier_queued(b.f));
    text = (int64_t)frontier_text_bytes(b.f);
    printf("%41s page %5.1f us, slowest %6.0f  score again %5.0f ns/url  memory %6.1f B/url\n", "", page / 1e3,
           (double)slowest / 1e3, each, (double)(resident_bytes() - before - text) / b.urls);
    frontier_free(b.f);
}

/* In a process of its own, so that the memory of one does not hide that of the next. */
static void measure_apart(uint32_t urls, uint32_t hosts)
{
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        measure(urls, hosts, false);
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc >= 3) {
        measure((uint32_t)atof(argv[1]), (uint32_t)atof(argv[2]), argc > 3);
        return 0;
    }
    measure_apart(10000, 100);
    measure_apart(100000, 10000);
    measure_apart(1000000, 100);
    measure_apart(1000000, 100000);
    measure_apart(10000000, 100);
    measure_apart(10000000, 1000000);
    return 0;
}
