/* cmd_cluster - `scent cluster`: the crawls of many workers on a PostgreSQL server; and `scent status --join`. */
#include "app/command.h"
#include "app/output.h"
#include "app/cluster_report.h"
#include "cluster/overseer.h"

#include <inttypes.h>

struct cluster_arguments {
    const char *join;
    bool json, refetch;
};

/* ---- reports ---- */

static void write_worker(struct json_writer *w, const struct overseer_worker *worker)
{
    char id[24];

    snprintf(id, sizeof id, "%" PRIu64, worker->id);
    json_object_begin(w);
    json_put_str(w, "name", worker->name);
    json_put_str(w, "id", str_of(id));
    json_put_bool(w, "live", worker->live);
    json_put_bool(w, "idle", worker->idle);
    json_put_int(w, "lease_ms", worker->lease_us / 1000);
    json_put_int(w, "partitions", worker->parts);
    json_put_int(w, "pages", (int64_t)worker->pages);
    json_put_int(w, "relevant", (int64_t)worker->relevant);
    json_put_int(w, "failed", (int64_t)worker->failed);
    json_put_int(w, "queued", (int64_t)worker->queued);
    json_put_int(w, "known", (int64_t)worker->known);
    json_put_int(w, "waiting", (int64_t)worker->waiting);
    json_object_end(w);
}

static void write_crawl(const struct overseer_crawl *crawl, const struct overseer_worker *workers, size_t count)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);
    char made[32];

    clock_format_iso(crawl->made, made, sizeof made);
    json_object_begin(w);
    json_put_str(w, "name", crawl->name);
    json_put_str(w, "state", crawl->state);
    json_put_str(w, "made", str_of(made));
    json_put_int(w, "partitions", crawl->parts);
    json_put_int(w, "owned", crawl->owned);
    json_put_int(w, "live", crawl->live);
    json_put_int(w, "pages", (int64_t)crawl->pages);
    json_put_int(w, "relevant", (int64_t)crawl->relevant);
    json_put_int(w, "failed", (int64_t)crawl->failed);
    json_put_int(w, "queued", (int64_t)crawl->queued);
    json_put_int(w, "known", (int64_t)crawl->known);
    json_put_int(w, "waiting", (int64_t)crawl->waiting);
    json_put_int(w, "page_limit", (int64_t)crawl->page_limit);
    json_key(w, "workers");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        write_worker(w, &workers[i]);
    json_array_end(w);
    json_object_end(w);
    json_output_end(&output, stdout);
}

static const char *how_it_is(const struct overseer_worker *worker)
{
    return !worker->live ? "lost" : worker->idle ? "idle" : "at work";
}

static void print_crawl(const struct overseer_crawl *crawl, const struct overseer_worker *workers, size_t count)
{
    FILE *out = output_plain(stdout);

    fprintf(out, "%.*s: %.*s, %u of %u workers live, %u of %u partitions have an owner\n", STR_ARG(crawl->name),
            STR_ARG(crawl->state), crawl->live, crawl->workers, crawl->owned, crawl->parts);
    fprintf(out, "%9s %9s %8s %10s %9s %6s %8s  %-8s %s\n", "pages", "relevant", "harvest", "queued", "failed", "parts",
            "waiting", "state", "worker");
    for (size_t i = 0; i < count; i++) {
        const struct overseer_worker *worker = &workers[i];

        fprintf(out, "%9" PRIu64 " %9" PRIu64 " %8.3f %10" PRIu64 " %9" PRIu64 " %6u %8" PRIu64 "  %-8s %.*s (%" PRIu64
                     ")\n",
                worker->pages, worker->relevant,
                worker->pages ? (double)worker->relevant / (double)worker->pages : 0., worker->queued, worker->failed,
                worker->parts, worker->waiting, how_it_is(worker), STR_ARG(worker->name), worker->id);
    }
    fprintf(out, "%9" PRIu64 " %9" PRIu64 " %8.3f %10" PRIu64 " %9" PRIu64 " %6u %8" PRIu64 "  together\n",
            crawl->pages, crawl->relevant, crawl->pages ? (double)crawl->relevant / (double)crawl->pages : 0.,
            crawl->queued, crawl->failed, crawl->owned, crawl->waiting);
    fclose(out);
}

struct reporting {
    const char *name; /* NULL: all crawls */
    bool json;
};

static scent_status report(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct reporting *reporting = ctx;
    struct overseer_crawl *crawls;
    size_t ncrawls;
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = overseer_crawls(overseer, reporting->name, &arena, &crawls, &ncrawls, err);
    for (size_t i = 0; i < ncrawls && status == SCENT_OK; i++) {
        struct overseer_worker *workers;
        size_t count;

        status = overseer_workers(overseer, crawls[i].name.p, &arena, &workers, &count, err);
        if (status == SCENT_OK && reporting->json)
            write_crawl(&crawls[i], workers, count);
        else if (status == SCENT_OK)
            print_crawl(&crawls[i], workers, count);
    }
    if (status == SCENT_OK && ncrawls == 0 && !reporting->json)
        puts("the server has no crawls");
    arena_release(&arena);
    return status;
}

int cluster_oversee(const char *uri, bool make, cluster_oversee_fn *fn, const void *ctx)
{
    struct overseer *overseer;
    struct errmsg err = {0};
    struct log log;
    scent_status status;

    log_init_stderr(&log, LOG_WARN);
    status = overseer_open(uri, make, &log, &overseer, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = fn(overseer, ctx, &err);
    overseer_close(overseer);
    return command_exit(status, &err);
}

int cluster_report(const char *uri, const char *name, bool json)
{
    return cluster_oversee(uri, false, report, &(struct reporting){name, json});
}

static int run_list(const struct command_line *line)
{
    const struct cluster_arguments *given = line->options;

    return cluster_report(given->join, line->count ? line->arguments[0] : NULL, given->json);
}

/* ---- changes ---- */

/* The tables were made when the server was opened. */
static scent_status tell_ready(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    (void)overseer, (void)ctx, (void)err;
    puts("the server is ready for crawls");
    return SCENT_OK;
}

static int run_init(const struct command_line *line)
{
    const struct cluster_arguments *given = line->options;

    return cluster_oversee(given->join, true, tell_ready, NULL);
}

static scent_status stop(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct command_line *line = ctx;

    return overseer_stop(overseer, line->arguments[0], err);
}

static scent_status forget(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct command_line *line = ctx;
    const struct cluster_arguments *given = line->options;
    struct overseer_forgotten forgotten;

    SCENT_TRY(overseer_forget(overseer, line->arguments[0], line->arguments[1], given->refetch, &forgotten, err));
    printf("%" PRIu64 " partitions have no owner now; the other workers take them\n", forgotten.parts);
    if (given->refetch)
        printf("%" PRIu64 " pages are queued again\n", forgotten.pages);
    return SCENT_OK;
}

static scent_status purge(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct command_line *line = ctx;

    return overseer_purge(overseer, line->arguments[0], err);
}

static int run_change(const struct command_line *line, cluster_oversee_fn *change)
{
    const struct cluster_arguments *given = line->options;

    return cluster_oversee(given->join, false, change, line);
}

static int run_stop(const struct command_line *line)
{
    return run_change(line, stop);
}

static int run_forget(const struct command_line *line)
{
    return run_change(line, forget);
}

static int run_purge(const struct command_line *line)
{
    return run_change(line, purge);
}

/* ---- the commands ---- */

#define JOIN                                                                                                          \
    COMMAND_OPTION(OPTION_STRING, struct cluster_arguments, join, "join", 0, "URI",                                   \
                   "the server, such as postgresql://db.example.org/crawls", .required = true)

static const struct command_option join_options[] = {JOIN, {0}};
static const struct command_option list_options[] = {
    JOIN,
    COMMAND_OPTION(OPTION_FLAG, struct cluster_arguments, json, "json", 0, NULL, "one JSON object for each crawl"),
    {0},
};
static const struct command_option forget_options[] = {
    JOIN,
    COMMAND_OPTION(OPTION_FLAG, struct cluster_arguments, refetch, "refetch", 0, NULL,
                   "its pages are lost: the other workers fetch them again"),
    {0},
};
#define CLUSTER_COMMAND(options_, run_) .options = options_, .size = sizeof(struct cluster_arguments), .run = run_

static const struct command cluster_init_command = {
    .name = "cluster init",
    .summary = "Makes the tables for crawls of many workers on a PostgreSQL server",
    .description = "Also checks the server: its version, its clock, and whether it writes what it acknowledges to its "
                   "disk. Tables that are there stay. The first worker of a crawl does the same.",
    .example = "scent cluster init --join postgresql://db.example.org/crawls",
    CLUSTER_COMMAND(join_options, run_init),
};
static const struct command cluster_list_command = {
    .name = "cluster list",
    .summary = "Shows the crawls on a server, their workers, and what each has fetched",
    .arguments = "[CRAWL]",
    .example = "scent cluster list --join postgresql://db.example.org/crawls",
    CLUSTER_COMMAND(list_options, run_list),
};
static const struct command cluster_stop_command = {
    .name = "cluster stop",
    .summary = "Ends all workers of a crawl",
    .arguments = "CRAWL",
    .description = "Each worker ends after the pages that are under way, and keeps its partitions: started again with "
                   "the same directories, the crawl resumes.",
    .example = "scent cluster stop hockey --join postgresql://db.example.org/crawls",
    CLUSTER_COMMAND(join_options, run_stop),
};
static const struct command cluster_forget_command = {
    .name = "cluster forget",
    .summary = "Gives the partitions of a worker that will not come back to the others",
    .arguments = "CRAWL WORKER",
    .description = "WORKER is its name or its number. It is refused while the worker lives. With --refetch it cannot "
                   "join again; other workers read the partitions of its pages anew.",
    .example = "scent cluster forget hockey machine3 --join postgresql://db.example.org/crawls",
    CLUSTER_COMMAND(forget_options, run_forget),
};
static const struct command cluster_purge_command = {
    .name = "cluster purge",
    .summary = "Removes a crawl from a server, with its whole log",
    .arguments = "CRAWL",
    .description = "It is refused while workers take part. Their directories stay as they are; they cannot join again.",
    .example = "scent cluster purge hockey --join postgresql://db.example.org/crawls",
    CLUSTER_COMMAND(join_options, run_purge),
};

static const struct command *const cluster_parts[] = {&cluster_init_command,   &cluster_list_command,
                                                      &cluster_stop_command,   &cluster_forget_command,
                                                      &cluster_purge_command, NULL};

const struct command command_cluster = {
    .name = "cluster",
    .summary = "Shows and steers crawls of many workers on a PostgreSQL server",
    .example = "scent cluster list --join postgresql://db.example.org/crawls",
    .parts = cluster_parts,
};
