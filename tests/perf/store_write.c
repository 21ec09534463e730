/* What a page costs the store: one page row, 78 links, 10 new URLs, one URL that changes its state, and some that get
 * another priority. CPU of this thread, commits and the final fsync inside; then how fast it is read for a resume, and
 * by random ids through a second handle.
 *
 *   perf_store_write DIR [pages [batch [rescored]]] */
#include "base/clock.h"
#include "base/rng.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LINKS = 78, NEW_URLS = 10, HOST_EVERY = 10 };

struct bench {
    struct store *store;
    struct errmsg err;
    struct rng rng;
    uint32_t urls, hosts;
    unsigned rescored;
};

static void must(struct bench *b, scent_status status)
{
    if (status == SCENT_OK)
        return;
    fprintf(stderr, "%s\n", b->err.text);
    exit(1);
}

static void add_urls(struct bench *b, uint32_t parent)
{
    for (int i = 0; i < NEW_URLS; i++) {
        char text[128];
        int len = snprintf(text, sizeof text, "https://www.host%u.example.org/some/folder/of/it/document-%u.html",
                           b->urls / HOST_EVERY, b->urls);
        struct store_url url = {.id = b->urls++,
                                .host = b->hosts,
                                .url = {text, (size_t)len},
                                .state = STORE_QUEUED,
                                .priority = (float)rng_unit(&b->rng),
                                .depth = 3,
                                .parent = parent,
                                .own = {1}};

        must(b, store_add_url(b->store, &url, &b->err));
    }
    if (b->urls % (HOST_EVERY * NEW_URLS) == 0)
        must(b, store_add_host(b->store, b->hosts++, STR("www.hosts.example.org"), &b->err));
}

static void change_url(struct bench *b, enum store_url_state state)
{
    struct store_url url = {.id = (uint32_t)rng_below(&b->rng, b->urls),
                            .state = state,
                            .priority = (float)rng_unit(&b->rng),
                            .depth = 3,
                            .own = {1}};

    must(b, store_update_url(b->store, &url, &b->err));
}

static void add_page(struct bench *b, uint64_t number)
{
    static const char words[] = "the quick brown fox jumps over the lazy dog and returns";
    struct store_link links[LINKS];
    struct store_page page = {.number = number,
                              .url = (uint32_t)rng_below(&b->rng, b->urls),
                              .wall = 1763197080000000 + (int64_t)number,
                              .status = 200,
                              .mime = STR("text/html"),
                              .charset = STR("utf-8"),
                              .lang = STR("en"),
                              .title = STR("A title as long as titles are on the web"),
                              .digest = STR("sha1:ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
                              .ip = STR("127.0.0.1"),
                              .bytes = 23000,
                              .words = 2000,
                              .links = LINKS,
                              .took_us = 1000,
                              .counted = true,
                              .score = rng_unit(&b->rng),
                              .warc_file = STR("scent-20261115085800-00001.warc.gz"),
                              .warc_offset = number * 6000,
                              .warc_length = 6000};

    for (int i = 0; i < LINKS; i++)
        links[i] = (struct store_link){.page = number,
                                       .target = (uint32_t)rng_below(&b->rng, b->urls),
                                       .priority = (float)rng_unit(&b->rng),
                                       .anchor = {words + i % 20, 5 + (size_t)i % 30}};
    must(b, store_add_links(b->store, links, LINKS, &b->err));
    change_url(b, STORE_FETCHED);
    for (unsigned i = 0; i < b->rescored; i++)
        change_url(b, STORE_QUEUED);
    must(b, store_add_page(b->store, &page, &b->err));
}

static scent_status count_url(void *ctx, const struct store_url *url)
{
    *(uint64_t *)ctx += url->url.len;
    return SCENT_OK;
}

static void read_back(struct bench *b)
{
    int64_t wall = clock_mono(&clock_system);
    struct store_counts counts;
    uint64_t bytes = 0;

    must(b, store_each_url(b->store, count_url, &bytes, &b->err));
    printf("read %u urls: %.2f s\n", b->urls, (double)(clock_mono(&clock_system) - wall) / 1e6);
    wall = clock_mono(&clock_system);
    must(b, store_count(b->store, &counts, &b->err));
    printf("count: %.2f s\n", (double)(clock_mono(&clock_system) - wall) / 1e6);
}

/* As the loader does it: 64 ids at a time, anywhere, read-only. */
static void read_at_random(struct bench *b, const char *dir)
{
    enum { BATCH = 64, BATCHES = 4000 };
    struct store *reader;
    uint32_t ids[BATCH];
    uint64_t bytes = 0;
    int64_t wall, cpu;

    must(b, store_open(dir, STORE_READ, &reader, &b->err));
    cpu = clock_thread_cpu_ns();
    wall = clock_mono(&clock_system);
    for (int i = 0; i < BATCHES; i++) {
        for (int k = 0; k < BATCH; k++)
            ids[k] = (uint32_t)rng_below(&b->rng, b->urls);
        must(b, store_get_urls(reader, ids, BATCH, count_url, &bytes, &b->err));
    }
    printf("random urls of %u: %.2f us CPU each, %.2f us wall\n", b->urls,
           (double)(clock_thread_cpu_ns() - cpu) / 1e3 / BATCH / BATCHES,
           (double)(clock_mono(&clock_system) - wall) / BATCH / BATCHES);
    store_close(reader);
}

int main(int argc, char **argv)
{
    struct bench b = {.rescored = argc > 4 ? (unsigned)atoi(argv[4]) : 0};
    uint64_t pages = argc > 2 ? strtoull(argv[2], NULL, 10) : 20000;
    uint64_t batch = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000;
    int64_t cpu, wall;
    struct stat info;
    char path[512];

    if (argc < 2)
        return 2;
    rng_seed(&b.rng, 1);
    must(&b, store_open(argv[1], STORE_WRITE, &b.store, &b.err));
    cpu = clock_thread_cpu_ns();
    wall = clock_mono(&clock_system);
    for (uint64_t i = 1; i <= pages; i++) {
        if (i % batch == 1 || batch == 1)
            must(&b, store_begin(b.store, &b.err));
        add_urls(&b, b.urls ? 0 : STORE_NO_PARENT);
        add_page(&b, i);
        if (i % batch == 0 || i == pages)
            must(&b, store_commit(b.store, &b.err));
        if (i % (pages / 4) == 0)
            printf("%8llu pages: %.1f us CPU a page, %.1f us wall\n", (unsigned long long)i,
                   (double)(clock_thread_cpu_ns() - cpu) / 1e3 / (double)i,
                   (double)(clock_mono(&clock_system) - wall) / (double)i);
    }
    read_back(&b);
    store_close(b.store);
    printf("closed: %.1f us CPU a page in all\n", (double)(clock_thread_cpu_ns() - cpu) / 1e3 / (double)pages);
    snprintf(path, sizeof path, "%s/crawl.db", argv[1]);
    if (stat(path, &info) == 0)
        printf("%.0f bytes a page\n", (double)info.st_size / (double)pages);
    read_at_random(&b, argv[1]);
    return 0;
}
