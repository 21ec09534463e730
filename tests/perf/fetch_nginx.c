/* What a transfer costs the fetch thread: nginx on loopback serves a folder of real pages over and over.
 *
 *   perf_fetch_nginx FOLDER [IN_FLIGHT [TRANSFERS [HOSTS]]]
 *
 * With HOSTS the pages lie on so many names, else at an address. Prints CPU microseconds of the fetch thread and wall
 * time a transfer. */
#include "base/clock.h"
#include "fetch/fetch.h"
#include "server.h"

#include <ftw.h>
#include <stdatomic.h>

enum { MAX_PAGES = 100000 };

/* nftw() gives its callback no context. */
static struct {
    char *urls[MAX_PAGES];
    size_t count, skip;
    int port;
    size_t hosts;
} pages;

struct load {
    struct fetch *fetch;
    long left;
    size_t next;
    uint64_t bytes, failed;
    _Atomic long open;
};

static int add_page(const char *path, const struct stat *info, int kind, struct FTW *ftw)
{
    size_t len = strlen(path);
    char host[60];

    (void)info;
    (void)ftw;
    if (kind != FTW_F || len < 5 || strcmp(path + len - 5, ".html") != 0 || pages.count == MAX_PAGES)
        return 0;
    snprintf(host, sizeof host, pages.hosts ? "h%zu.localhost" : "127.0.0.1",
             pages.hosts ? pages.count % pages.hosts : 0);
    if (strpbrk(path, " %?#\"") ||
        asprintf(&pages.urls[pages.count], "http://%s:%d%s", host, pages.port, path + pages.skip) < 0)
        return 0;
    pages.count++;
    return 0;
}

static void submit_next(struct load *load)
{
    fetch_submit(load->fetch, fetch_exchange_new(NULL, pages.urls[load->next++ % pages.count]));
}

static void on_done(void *ctx, struct fetch_exchange *exchange)
{
    struct load *load = ctx;

    load->bytes += exchange->body.len;
    load->failed += exchange->outcome != FETCH_RESPONSE || exchange->status != 200 || exchange->cut != FETCH_WHOLE;
    fetch_exchange_free(exchange);
    if (load->left-- > 0)
        submit_next(load);
    else
        atomic_fetch_sub(&load->open, 1);
}

static void measure(struct load *load, int in_flight, long transfers)
{
    struct fetch_options options = {
        .user_agent = "scent-perf", .done = on_done, .done_ctx = load, .reach = FETCH_REACH_LOOPBACK};
    struct errmsg err;
    int64_t start;

    if (fetch_start(&options, &load->fetch, &err) != SCENT_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    load->left = transfers - in_flight;
    load->open = in_flight;
    start = clock_mono(&clock_system);
    for (int i = 0; i < in_flight; i++)
        fetch_submit(load->fetch, fetch_exchange_new(NULL, pages.urls[(size_t)i % pages.count]));
    while (load->open > 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
    printf("%ld transfers of %zu pages, %d in flight, %.1f KB a page, %lu failed: "
           "%.2f us CPU of the fetch thread and %.2f us wall a transfer\n",
           transfers, pages.count, in_flight, (double)load->bytes / (double)transfers / 1000,
           (unsigned long)load->failed, (double)fetch_cpu_ns(load->fetch) / 1000 / (double)transfers,
           (double)(clock_mono(&clock_system) - start) / (double)transfers);
    fetch_stop(load->fetch);
}

int main(int argc, char **argv)
{
    const char *tmp = getenv("TMPDIR");
    char folder[500], http[1200], command[600];
    struct load load = {0};
    struct server nginx;

    snprintf(folder, sizeof folder, "%s/scent-perf-XXXXXX", tmp ? tmp : "/tmp");
    if (argc < 2 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: perf_fetch_nginx FOLDER [IN_FLIGHT [TRANSFERS [HOSTS]]]\n");
        return 2;
    }
    pages.port = server_free_port();
    pages.skip = strlen(argv[1]);
    pages.hosts = argc > 4 ? (size_t)atol(argv[4]) : 0;
    nftw(argv[1], add_page, 16, FTW_PHYS);
    snprintf(http, sizeof http,
             "sendfile on; tcp_nopush on; open_file_cache max=20000 inactive=600s;\n"
             "server { listen 127.0.0.1:%d; root %s; }",
             pages.port, argv[1]);
    if (pages.count == 0 || !server_start_nginx(&nginx, folder, pages.port, http)) {
        fprintf(stderr, "no .html below %s, or no nginx\n", argv[1]);
        return 1;
    }
    measure(&load, argc > 2 ? atoi(argv[2]) : 64, argc > 3 ? atol(argv[3]) : 50000);
    server_stop(&nginx);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || load.failed > 0;
}
