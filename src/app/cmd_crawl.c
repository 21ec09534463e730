#include "app/browsed.h"
#include "app/command.h"
#include "app/reach.h"
#include "app/ruling.h"
#include "app/session.h"
#include "app/tracing.h"
#include "app/training.h"
#include "base/file.h"
#include "conf/conf.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REUSE_MAX = 100 };

struct crawl_args {
    const char *topic, *dir, *seeds, *strategy, *cookies, *logins;
    const char *reuse[REUSE_MAX];
    size_t nreuse;
    struct reach reach;
    uint64_t pages, window, threads;
    int64_t time_us;
    bool json, quiet;
};

enum { OPT_PAGES = 256, OPT_TIME, OPT_STRATEGY, OPT_SEEDS, OPT_COOKIES, OPT_LOGINS, OPT_WINDOW, OPT_THREADS, OPT_REUSE,
       OPT_JSON };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"pages", required_argument, NULL, OPT_PAGES},
    {"time", required_argument, NULL, OPT_TIME},
    {"strategy", required_argument, NULL, OPT_STRATEGY},
    {"seeds", required_argument, NULL, OPT_SEEDS},
    {"cookies", required_argument, NULL, OPT_COOKIES},
    {"logins", required_argument, NULL, OPT_LOGINS},
    {"window", required_argument, NULL, OPT_WINDOW},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"reuse", required_argument, NULL, OPT_REUSE},
    REACH_OPTIONS,
    {"json", no_argument, NULL, OPT_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* One option; false when its value is bad. */
static bool take_option(int option, void *taken)
{
    struct crawl_args *args = taken;

    switch (option) {
    case 'o':
        args->dir = optarg;
        return optarg[0] != 0;
    case OPT_PAGES:
        return command_number(1, UINT64_MAX, &args->pages);
    case OPT_TIME:
        return conf_parse_duration(str_of(optarg), &args->time_us) && args->time_us > 0;
    case OPT_STRATEGY:
        args->strategy = optarg;
        return true;
    case OPT_SEEDS:
        args->seeds = optarg;
        return true;
    case OPT_COOKIES:
        args->cookies = optarg;
        return optarg[0] != 0;
    case OPT_LOGINS:
        args->logins = optarg;
        return optarg[0] != 0;
    case OPT_WINDOW:
        return command_number(1, 65536, &args->window);
    case OPT_THREADS:
        return command_number(1, 256, &args->threads);
    case OPT_REUSE:
        if (args->nreuse == REUSE_MAX || !optarg[0])
            return false;
        args->reuse[args->nreuse++] = optarg;
        return true;
    case OPT_JSON:
        return args->json = true;
    case 'q':
        return args->quiet = true;
    default:
        return reach_take_option(&args->reach, option, optarg);
    }
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct crawl_args *args)
{
    int status = command_options(&command_crawl, argc, argv, ":o:qh", longs, take_option, args);

    return status >= 0 ? status : reach_take_topic(&args->reach, &command_crawl, argc, argv, &args->topic);
}

/* "hockey.crawl" beside where we are, for some/where/hockey.yaml */
static void default_dir(const char *topic, char *out, size_t room)
{
    const char *base = strrchr(topic, '/');
    size_t len;

    base = base ? base + 1 : topic;
    len = strlen(base);
    if (str_ends(str_of(base), STR(".yaml")))
        len -= 5;
    else if (str_ends(str_of(base), STR(".yml")))
        len -= 4;
    snprintf(out, room, "%.*s.crawl", (int)len, base);
}

static scent_status add_seeds(struct topic *topic, const char *path, struct errmsg *err)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    struct buf list;
    scent_status status;

    buf_init(&list, (size_t)1 << 30);
    status = file_read(strcmp(path, "-") == 0 ? "/dev/stdin" : path, &list, err);
    if (status == SCENT_OK)
        status = topic_add_seeds(topic, buf_str(&list), name, err);
    buf_release(&list);
    return status;
}

static scent_status prepare_topic(const struct crawl_args *args, struct topic **out, struct errmsg *err)
{
    struct topic *topic;
    scent_status status = topic_load(args->topic, &topic, err);

    if (status != SCENT_OK)
        return status;
    if (args->pages)
        topic->limits.pages = args->pages;
    if (args->time_us)
        topic->limits.time_us = args->time_us;
    if (args->window)
        topic->window = (uint32_t)args->window;
    if (args->cookies)
        topic->ways.cookies = str_of(args->cookies);
    if (args->logins)
        topic->ways.logins = str_of(args->logins);
    if (args->strategy)
        status = topic_set_strategy(topic, str_of(args->strategy), err);
    if (status == SCENT_OK && args->nreuse)
        status = topic_set_reuse(topic, args->reuse, args->nreuse, err);
    if (status == SCENT_OK && args->seeds)
        status = add_seeds(topic, args->seeds, err);
    if (status == SCENT_OK && topic->nseeds == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "%s: there are no seeds; add 'seeds: [URL, …]' or use --seeds FILE",
                             args->topic);
    if (status != SCENT_OK) {
        topic_free(topic);
        return status;
    }
    *out = topic;
    return SCENT_OK;
}

static int crawl(const struct crawl_args *args, struct topic *topic, const struct log *log)
{
    char fallback[4096];
    struct training training = {args->topic, topic, &args->reach, log, args->quiet};
    struct session session = {
        .json = args->json,
        .quiet = args->quiet,
        .engine = {
            .topic = topic,
            .dir = args->dir ? args->dir : fallback,
            .threads = (uint32_t)args->threads,
            .log = log,
        },
    };
    struct engine_report report;
    struct errmsg err = {0};
    scent_status status;
    int code;

    default_dir(args->topic, fallback, sizeof fallback);
    status = reach_prepare(&args->reach, args->topic, topic, &session.engine, &err);
    if (status == SCENT_OK)
        status = file_make_dir(session.engine.dir, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    code = training_attach(&training, session.engine.dir);
    if (code == EXIT_DONE)
        code = ruling_attach(&training, session.engine.dir);
    if (code == EXIT_DONE)
        code = tracing_attach(topic, session.engine.dir, log);
    if (code == EXIT_DONE)
        code = tracing_keep(topic, session.engine.dir, log);
    if (code == EXIT_DONE)
        code = browsed_attach(topic, session.engine.dir, log);
    return code == EXIT_DONE ? session_run(&session, &report) : code;
}

static int run(int argc, char **argv)
{
    struct crawl_args args = {0};
    struct errmsg err = {0};
    struct topic *topic = NULL;
    struct log log;
    scent_status status;
    int code = parse_args(argc, argv, &args);

    if (code >= 0)
        return code;
    log_init_stderr(&log, args.quiet ? LOG_ERROR : LOG_INFO);
    status = prepare_topic(&args, &topic, &err);
    if (status == SCENT_OK)
        status = reach_open(&args.reach, &log, &err);
    code = status == SCENT_OK ? crawl(&args, topic, &log) : command_fail(status, &err);
    reach_close(&args.reach);
    topic_free(topic);
    return code;
}

const struct command command_crawl = {
    .name = "crawl",
    .usage = "TOPIC.yaml [-o DIR] [options]",
    .summary = "Crawls a topic from its seeds; goes on where DIR stopped",
    .help = "  -o, --output DIR        the crawl directory (default: TOPIC.crawl here)\n"
            "      --pages N           stop after N pages in all\n"
            "      --time T            stop after this long: 90s, 2h\n"
            "      --strategy NAME[:k=v,…]   instead of the topic file's\n"
            "      --seeds FILE|-      more seeds, one URL a line\n"
            "      --reuse DIR[:WEIGHT]      begin with what another crawl learned (several: repeat it)\n"
            "      --from COLLECTION   crawl a folder of WARC files, or a generated web, instead of the network\n"
            "      --proxy-all HOST:PORT     fetch everything through this HTTP proxy on loopback\n"
            "      --cookies FILE      send these cookies, as browsers export them (cookies.txt)\n"
            "      --logins FILE       user names and passwords for hosts\n"
            "      --ca-file FILE      trust these certificate authorities\n"
            "      --dns ADDRESS[:PORT]      ask this name server instead of the system's\n"
            "      --window N          at most N pages out at once, results in order: a run that can be repeated\n"
            "      --threads N         of analysis (default: one a core)\n"
            "      --allow-private     visit private and other special addresses too; from seeds on loopback, loopback only\n"
            "      --json              one JSON object a page on standard output\n"
            "  -q, --quiet             no progress and no summary\n"
            "\nExit status: 0 limit reached or no links left, 1 no seed could be fetched, 2 bad usage or configuration,\n"
            "3 storage failed, 11 interrupted (the same command goes on).\n",
    .main = run,
};
