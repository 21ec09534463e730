/* cmd_demo - `scent demo`: a crawl in a minute: a generated web behind a real socket, crawled by three strategies. */
#include "app/command.h"
#include "app/crawl_run.h"
#include "base/file.h"
#include "serve/webserver.h"
#include "topic/topic.h"
#include "web/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEMO_POINTS = 5, DEMO_SEEDS = 5, DEMO_PAGES = 1000 };

static const char web_yaml[] =
    "# The web of the demonstration: 400 hosts, 20 topics; links prefer their own topic.\n"
    "kind: generated\n"
    "seed: 7\n"
    "hosts: 400\n"
    "pages_per_host: 50\n"
    "topics: 20\n"
    "slow_hosts: {share: 0}    # nobody likes to wait in a demonstration\n"
    "dead_hosts: 0\n";

static const char *const demo_strategies[] = {"breadth-first", "best-first", "default"};
enum { NSTRATEGIES = sizeof demo_strategies / sizeof *demo_strategies };

struct demo {
    char dir[1024];
    uint64_t pages;
    struct web *web;
    struct webserver *server;
    struct str label;    /* of the wanted topic */
    struct arena arena;
    struct log log;
    uint64_t points[DEMO_POINTS];
};

/* The pages that one strategy found, by the labels of the generator. */
struct demo_run {
    const struct demo *demo;
    struct arena arena;
    uint64_t seen, relevant;
    uint64_t relevant_at[DEMO_POINTS];
    struct engine_report report;
};

static void count_page(void *ctx, const struct engine_page *page)
{
    struct demo_run *run = ctx;

    arena_reset(&run->arena);
    run->seen++;
    run->relevant += str_eq(web_label(run->demo->web, page->url, &run->arena), run->demo->label);
    for (int i = 0; i < DEMO_POINTS; i++)
        if (run->seen <= run->demo->points[i])
            run->relevant_at[i] = run->relevant;
}

/* ---- the files ---- */

static scent_status choose_dir(const char *wanted, char *out, size_t room, struct errmsg *err)
{
    snprintf(out, room, "%s", wanted ? wanted : "demo");
    for (int i = 2; !wanted && file_exists(out) && i < 10000; i++)
        snprintf(out, room, "demo-%d", i);
    if (file_exists(out))
        return errmsg_fail(err, SCENT_E_INVALID, "%s exists already; choose another directory with -o", out);
    return file_make_dir(out, err);
}

static scent_status write_file(const struct demo *demo, const char *name, struct str text, struct errmsg *err)
{
    char path[1200];

    snprintf(path, sizeof path, "%s/%s", demo->dir, name);
    return file_replace(path, text, err);
}

static scent_status write_topic(const struct demo *demo, struct errmsg *err)
{
    struct arena arena;
    struct buf text;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    buf_init(&text, 0);
    buf_addz(&text, "topic: demo\nseeds:\n");
    for (size_t i = 0; i < DEMO_SEEDS; i++) {
        struct str seed = web_seed(demo->web, i, &arena);

        if (seed.len)
            buf_printf(&text, "  - %.*s\n", STR_ARG(seed));
    }
    buf_printf(&text,
               "relevant: similar() > 0.5   # more than usual: nobody knows how common these words are in general\n"
               "limits: {pages: %" PRIu64 ", min_free_disk: 64MiB}\n"
               "politeness: {delay: 0, per_host: 4}    # our own server on loopback: no need to wait\n"
               "window: 8\n",
               demo->pages);
    status = write_file(demo, "topic.yaml", buf_str(&text), err);
    buf_release(&text);
    arena_release(&arena);
    return status;
}

static scent_status set_up(struct demo *demo, struct errmsg *err)
{
    struct webserver_options server = {.log = &demo->log};
    char path[1200];

    SCENT_TRY(write_file(demo, "web.yaml", str_of(web_yaml), err));
    snprintf(path, sizeof path, "%s/web.yaml", demo->dir);
    SCENT_TRY(web_open(path, &demo->log, &demo->web, err));
    SCENT_TRY(write_topic(demo, err));
    SCENT_TRY(webserver_start(demo->web, &server, &demo->server, err));
    demo->label = web_label(demo->web, web_seed(demo->web, 0, &demo->arena), &demo->arena);
    for (int i = 0; i < DEMO_POINTS; i++)
        demo->points[i] = demo->pages * (uint64_t)(i + 1) / DEMO_POINTS;
    return SCENT_OK;
}

/* ---- the crawls ---- */

static int crawl_once(const struct demo *demo, const char *strategy, struct demo_run *run)
{
    char topic_path[1200], dir[1200], proxy[64];
    struct crawl_run crawl = {.quiet = false, .on_page = count_page, .ctx = run};
    struct errmsg err = {0};
    struct topic *topic;
    scent_status status;
    int code;

    *run = (struct demo_run){.demo = demo};
    arena_init(&run->arena, SIZE_MAX);
    snprintf(topic_path, sizeof topic_path, "%s/topic.yaml", demo->dir);
    snprintf(dir, sizeof dir, "%s/%s.crawl", demo->dir, strategy);
    snprintf(proxy, sizeof proxy, "127.0.0.1:%u", webserver_port(demo->server));
    status = topic_load(topic_path, &topic, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = topic_set_strategy(topic, str_of(strategy), &err);
    if (status == SCENT_OK)
        status = file_make_dir(dir, &err);
    crawl.engine = (struct engine_options){
        .topic = topic,
        .dir = dir,
        .proxy = proxy,
        .reach = FETCH_REACH_LOOPBACK,
        .clock = &clock_system,
        .log = &demo->log,
    };
    code = status == SCENT_OK ? crawl_run_engine(&crawl, &run->report) : command_fail(status, &err);
    topic_free(topic);
    arena_release(&run->arena);
    return code;
}

/* After `make demo` the program is not on the path, and commands that are pasted would not be found. */
static bool is_on_path(void)
{
    struct str rest = str_of(getenv("PATH")), folder;
    char path[4096];

    while (str_split(&rest, ':', &folder)) {
        snprintf(path, sizeof path, "%.*s/scent", STR_ARG(folder));
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

static void print_next(const struct demo *demo)
{
    char program[4096] = "";

    printf("\nNext:\n");
    if (!is_on_path() && readlink("/proc/self/exe", program, sizeof program - 1) > 0)
        printf("  export PATH=\"%.*s:$PATH\"   # or: sudo make install\n", (int)(strrchr(program, '/') - program),
               program);
    printf("  scent serve %s/default.crawl    # the crawl in a browser: harvest, pages, search, why\n"
           "  scent web serve %s              # the pages themselves\n"
           "  scent init NAME URL…            # a topic of your own; URL is a page about it\n",
           demo->dir, demo->dir);
}

static void print_comparison(const struct demo *demo, const struct demo_run *runs)
{
    printf("\nHarvest rate: the share of fetched pages that are on the topic (by the generator's own labels)\n\n");
    printf("  %-16s", "after pages");
    for (int i = 0; i < DEMO_POINTS; i++)
        printf("%9" PRIu64, demo->points[i]);
    putchar('\n');
    for (size_t s = 0; s < NSTRATEGIES; s++) {
        printf("  %-16s", demo_strategies[s]);
        for (int i = 0; i < DEMO_POINTS; i++)
            printf("%9.3f", (double)runs[s].relevant_at[i] / (double)demo->points[i]);
        putchar('\n');
    }
    printf("\nThe files are in %s/:\n"
           "  web.yaml             the web: 'scent web serve %s/web.yaml' serves it again\n"
           "  topic.yaml           the topic\n"
           "  *.crawl/crawl.db     everything known about each crawl: sqlite3 %s/default.crawl/crawl.db\n"
           "  *.crawl/warc/        the pages, as WARC files\n"
           "  *.crawl/index.cdxj   their index\n",
           demo->dir, demo->dir, demo->dir);
    print_next(demo);
}

static int run_demo(struct demo *demo)
{
    struct demo_run runs[NSTRATEGIES];
    int code = EXIT_DONE;

    fprintf(stderr, "a generated web of 400 hosts is served on http://127.0.0.1:%u/ as an HTTP proxy\n",
            webserver_port(demo->server));
    for (size_t i = 0; i < NSTRATEGIES && code == EXIT_DONE; i++)
        code = crawl_once(demo, demo_strategies[i], &runs[i]);
    if (code == EXIT_DONE)
        print_comparison(demo, runs);
    return code;
}

struct demo_options {
    const char *dir;
    uint64_t pages;
};

static int run_command(const struct command_line *line)
{
    const struct demo_options *options = line->options;
    struct demo demo = {.pages = options->pages};
    struct errmsg err = {0};
    scent_status status;
    int code;

    log_init_stderr(&demo.log, LOG_INFO);
    arena_init(&demo.arena, SIZE_MAX);
    status = choose_dir(options->dir, demo.dir, sizeof demo.dir, &err);
    if (status == SCENT_OK)
        status = set_up(&demo, &err);
    code = status == SCENT_OK ? run_demo(&demo) : command_fail(status, &err);
    webserver_stop(demo.server);
    web_free(demo.web);
    arena_release(&demo.arena);
    return code;
}

static const struct command_option demo_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct demo_options, dir, "output", 'o', "DIR",
                   "directory for the crawls (default: demo, or demo-2, …)"),
    COMMAND_OPTION(OPTION_NUMBER, struct demo_options, pages, "pages", 0, "N", "pages that each crawl fetches",
                   .min = DEMO_POINTS, .number = DEMO_PAGES),
    {0},
};

const struct command command_demo = {
    .name = "demo",
    .summary = "Crawls a small generated web on this machine with three strategies and compares them",
    .example = "scent demo",
    .options = demo_options,
    .size = sizeof(struct demo_options),
    .run = run_command,
};
