/* cmd_crawl - `scent crawl`: prepares topic, network and what was learned before, and runs the engine. */
#include "app/command.h"
#include "app/crawl_run.h"
#include "app/permission.h"
#include "app/workspace.h"
#include "base/file.h"
#include "cluster/pq.h"
#include "crawldir/crawldir.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct crawl_options {
    const char *dir, *seeds, *strategy, *cookies, *logins, *dashboard, *join;
    struct option_list reuse;
    struct network network;
    uint64_t pages;
    uint32_t window, threads;
    int64_t time_us;
    bool json, quiet, verbose;
    int log_format; /* of log_formats */
};

static const char *const log_formats[] = {"text", "json", NULL};

static scent_status add_seeds(struct topic *topic, const char *path, struct errmsg *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct buf list;
    scent_status status;

    buf_init(&list, TOPIC_SEEDS_MAX_BYTES);
    status = file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &list, err);
    if (status == SCENT_OK)
        status = topic_add_seeds(topic, buf_str(&list), name, err);
    buf_release(&list);
    return status;
}

/* Where it is said how to reach the server, before anything is begun. */
static scent_status check_join(struct crawl_options *options, const struct workspace *workspace, struct errmsg *err)
{
    char place[4200];

    snprintf(place, sizeof place, "%s: cluster.join", workspace->path);
    if (workspace->topic->cluster.join.len) /* a password in it is an error, even where it is not used */
        SCENT_TRY(pq_check(workspace->topic->cluster.join.p, place, err));
    if (options->join)
        return pq_check(options->join, "--join", err);
    options->join = workspace->topic->cluster.join.len ? workspace->topic->cluster.join.p : NULL;
    return SCENT_OK;
}

/* Loads the topic, with what the command line says instead of it. */
static scent_status prepare_topic(struct crawl_options *options, struct workspace *workspace, struct errmsg *err)
{
    struct topic *topic;

    SCENT_TRY(topic_load(workspace->path, &workspace->topic, err));
    topic = workspace->topic;
    if (options->pages)
        topic->limits.pages = options->pages;
    if (options->time_us)
        topic->limits.time_us = options->time_us;
    if (options->window)
        topic->window = options->window;
    if (options->cookies)
        topic->network.cookies = str_of(options->cookies);
    if (options->logins)
        topic->network.logins = str_of(options->logins);
    if (options->strategy)
        SCENT_TRY(topic_set_strategy(topic, str_of(options->strategy), err));
    if (options->reuse.count)
        SCENT_TRY(topic_set_reuse(topic, options->reuse.items, options->reuse.count, err));
    if (options->seeds)
        SCENT_TRY(add_seeds(topic, options->seeds, err));
    SCENT_TRY(check_join(options, workspace, err));
    if (topic->nseeds == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: there are no seeds; add 'seeds: [URL, …]' or use --seeds FILE",
                           workspace->path);
    return SCENT_OK;
}

/* Loopback, private and other special addresses: allowed now, or when this crawl began. */
static void recall_permission(struct network *network, const char *dir, const struct log *log)
{
    if (network->from || network->proxy || network->allow_private || !permission_is_given(PERMISSION_PRIVATE, dir))
        return;
    network->allow_private = true;
    log_line(log, LOG_INFO, "private addresses are allowed: --allow-private was given for %s before", dir);
}

/* A crawl that resumes has its seeds, and the pages in which hubs were found may be gone. */
static bool has_begun(const char *dir)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/crawl.db", dir);
    return file_exists(path);
}

static void tell_choice(const struct topic *topic, const struct log *log)
{
    struct buf spec;

    if (!topic->chosen)
        return;
    buf_init(&spec, 0);
    topic_write_strategy(topic, &spec);
    log_line(log, LOG_INFO, "strategy %s, because %s", buf_z(&spec), topic->chosen);
    buf_release(&spec);
}

/* ---- the page in the browser ---- */

/* A process of its own, which cannot delay or end the crawl: `scent serve`, less important than the crawl, out of reach
 * of Ctrl-C, and gone when the crawl is. -1: it could not be started. */
static pid_t start_dashboard(const char *dir, const char *listen)
{
    bool loopback = !strchr(listen, ':') || strncmp(listen, "127.", 4) == 0 || strncmp(listen, "[::1]", 5) == 0;
    const char *arguments[] = {"scent", "serve", "--wait", "-l", listen, loopback ? "--" : "--allow-public", dir, NULL};
    pid_t pid;

    pid = fork();
    if (pid != 0)
        return pid;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpriority(PRIO_PROCESS, 0, 10);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* it prints its address; what the crawl prints may be for a program */
    execv("/proc/self/exe", (char **)(uintptr_t)arguments);
    _exit(EXIT_STORAGE);
}

/* A page that could not be shown (its port is taken) has said so; it is told again here, behind the summary. */
static void stop_dashboard(pid_t pid, const char *dir, const struct log *log)
{
    if (waitpid(pid, NULL, WNOHANG) == pid) {
        log_line(log, LOG_WARN, "the crawl was not shown in the browser; 'scent serve %s' shows it now", dir);
        return;
    }
    kill(pid, SIGTERM);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    log_line(log, LOG_INFO, "the page in the browser has ended; 'scent serve %s' shows it again", dir);
}

static int crawl(struct crawl_options *options, struct workspace *workspace)
{
    const char *slash = strrchr(workspace->path, '/');
    struct workspace_path fallback = workspace_beside(slash ? slash + 1 : workspace->path, ".crawl");
    struct crawl_run run = {
        .json = options->json,
        .quiet = options->quiet,
        .engine = {
            .topic = workspace->topic,
            .knowledge = &workspace->knowledge,
            .dir = options->dir ? options->dir : fallback.text,
            .threads = options->threads,
            .join = options->join,
            .log = workspace->log,
            .verbose = options->verbose,
            .log_json = options->log_format == 1,
        },
    };
    struct engine_report report;
    struct errmsg err = {0};
    scent_status status;
    pid_t dashboard;
    int code;

    recall_permission(&options->network, run.engine.dir, workspace->log);
    status = network_prepare(workspace->network, workspace->path, workspace->topic, &run.engine, &err);
    if (status == SCENT_OK)
        status = crawldir_make(run.engine.dir, &err);
    if (status == SCENT_OK && workspace->topic->hubs && !has_begun(run.engine.dir))
        status = workspace_add_hubs(workspace, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (options->network.allow_private)
        permission_give(PERMISSION_PRIVATE, run.engine.dir, workspace->log);
    tell_choice(workspace->topic, workspace->log);
    dashboard = options->dashboard ? start_dashboard(run.engine.dir, options->dashboard) : -1;
    code = workspace_find_knowledge(workspace, run.engine.dir, true);
    code = code == EXIT_DONE ? crawl_run_engine(&run, &report) : code;
    if (dashboard > 0)
        stop_dashboard(dashboard, run.engine.dir, workspace->log);
    return code;
}

static int run_crawl(const struct command_line *line)
{
    struct crawl_options *options = line->options;
    struct log log;
    struct workspace workspace = {
        .path = line->arguments[0], .network = &options->network, .log = &log, .quiet = options->quiet};
    struct errmsg err = {0};
    struct listen listen;
    scent_status status;
    int code;

    if (options->dashboard && !command_parse_listen(options->dashboard, &listen))
        return command_invalid(line->command, "dashboard", options->dashboard, COMMAND_LISTEN_EXPECTED);
    if (network_problem(&options->network))
        return command_misuse(line->command, "%s", network_problem(&options->network));
    log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
    status = prepare_topic(options, &workspace, &err);
    if (status == SCENT_OK)
        status = network_open(&options->network, &log, &err);
    code = status == SCENT_OK ? crawl(options, &workspace) : command_fail(status, &err);
    workspace_close(&workspace, &options->network);
    return code;
}

static const struct command_option crawl_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, dir, "output", 'o', "DIR",
                   "crawl directory (default: TOPIC.crawl here)"),
    COMMAND_OPTION(OPTION_NUMBER, struct crawl_options, pages, "pages", 0, "N", "stop after N pages in all",
                   .manual = "Pages of earlier runs count.", .min = 1),
    COMMAND_OPTION(OPTION_DURATION, struct crawl_options, time_us, "time", 0, "T",
                   "stop after this time: 90s, 2h, 1h30m"),
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, strategy, "strategy", 0, "NAME[:KEY=VALUE,…]",
                   "strategy, instead of that of the topic file",
                   .manual = "'scent strategies' lists them. Every strategy takes the key threshold: candidates of a "
                             "lower priority are not fetched."),
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, seeds, "seeds", 0, "FILE|-", "add seeds, one URL a line",
                   .manual = "A # begins a comment."),
    COMMAND_OPTION(OPTION_LIST, struct crawl_options, reuse, "reuse", 0, "DIR[:WEIGHT]",
                   "begin with what another crawl learned; repeatable", .rare = true,
                   .manual =
                       "The other crawl must have used the same strategy. Its pages count WEIGHT (above 0, at most "
                       "1; default 1). Replaces the topic's key reuse. Only at the beginning of a crawl."),
    NETWORK_OPTIONS(struct crawl_options, network),
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, cookies, "cookies", 0, "FILE",
                   "send these cookies (cookies.txt, as browsers export them)", .rare = true,
                   .manual = "Instead of the topic's ways.cookies."),
    COMMAND_OPTION(
        OPTION_STRING, struct crawl_options, logins, "logins", 0, "FILE",
        "user names and passwords for hosts and for the proxy", .rare = true,
        .manual = "Instead of the topic's ways.logins; the format is in docs/guide/topic-file.md. Both files are read "
                  "again when a crawl resumes; scent warns when other users can read them."),
    COMMAND_OPTION(OPTION_NUMBER, struct crawl_options, window, "window", 0, "N",
                   "at most N pages in flight, results in order: a repeatable crawl", .rare = true,
                   .manual = "1 is the strictly sequential crawl of the papers. With any fixed window a crawl of an "
                             "archive visits the same pages in the same order every time.",
                   .min = 1, .max = 65536),
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, join, "join", 0, "URI",
                   "crawl together with other machines, through this PostgreSQL server", .rare = true,
                   .manual = "postgresql://USER@HOST/DATABASE, as libpq takes it. Workers with the same topic file "
                             "share one crawl: each has a directory and visits hosts of its own. A password belongs "
                             "into ~/.pgpass; a server on another machine needs sslmode=verify-full, which is the "
                             "default. Also: the topic's key cluster."),
    COMMAND_OPTION(OPTION_NUMBER, struct crawl_options, threads, "threads", 0, "N",
                   "analysis threads (default: one a core)", .rare = true, .min = 1, .max = 256),
    COMMAND_OPTION(OPTION_FLAG, struct crawl_options, json, "json", 0, NULL, "print one JSON object a page",
                   .rare = true,
                   .manual = "Also one for each page that had changed when it was visited again (\"changed\": true)."),
    COMMAND_OPTION(OPTION_CHOICE, struct crawl_options, log_format, "log", 0, "FORMAT",
                   "lines of DIR/crawl.log: text or json", .rare = true,
                   .manual = "The log has what the crawl decided and why: seeds and hosts that fail, back-off, limits, "
                             "commands.", .choices = log_formats),
    COMMAND_OPTION(OPTION_FLAG, struct crawl_options, verbose, "verbose", 'v', NULL,
                   "print every line of the log on standard error too", .rare = true),
    COMMAND_OPTION(OPTION_STRING, struct crawl_options, dashboard, "dashboard", 0, "[=[ADDRESS:]PORT]",
                   "show the crawl in the browser while it runs",
                   .manual = "Prints the address on standard error (default: a free port of 127.0.0.1). 'scent serve' "
                             "shows the crawl at any other time.", .bare = "0"),
    COMMAND_OPTION(OPTION_FLAG, struct crawl_options, quiet, "quiet", 'q', NULL, "no progress line and no summary"),
    {0},
};

const struct command command_crawl = {
    .name = "crawl",
    .summary = "Crawls a topic from its seeds, or resumes a crawl",
    .arguments = "TOPIC.yaml",
    .example = "scent crawl hockey.yaml --pages 1000",
    .exits = "0 limit reached or no links left, 1 no seed could be fetched, 2 bad usage or configuration, 3 storage "
             "failed, 11 interrupted (the same command resumes).",
    .options = crawl_options,
    .size = sizeof(struct crawl_options),
    .run = run_crawl,
};
