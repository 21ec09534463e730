/* cmd_check - `scent check`: prints what crawldir/check.h finds in a crawl directory. */
#include "app/cluster_check.h"
#include "app/cluster_report.h"
#include "app/command.h"
#include "app/output.h"
#include "crawldir/check.h"
#include "crawldir/several.h"

#include <inttypes.h>

enum { EXIT_PROBLEMS = 1 };

/* `ctx` is the directory, where there are several. */
static void print_line(const char *dir, const char *before, struct str line)
{
    FILE *out = output_plain(stdout); /* texts of a damaged database may hold anything */

    fprintf(out, "%s%s%s%.*s\n", dir ? dir : "", dir ? ": " : "", before, STR_ARG(line));
    fclose(out);
}

static void print_problem(void *ctx, const char *line)
{
    print_line(ctx, "", str_of(line));
}

static void print_repaired(void *ctx, const char *line)
{
    print_line(ctx, "repaired: ", str_of(line));
}

/* ---- several directories ---- */

struct together {
    struct several *several;
    size_t directory;
    const char *dir;
    uint64_t pages, twice, equal;
};

static scent_status meet_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct together *together = ctx;

    if (!store_page_is_shown(page))
        return SCENT_OK;
    together->pages++;
    switch (several_meet(together->several, together->directory, page, url->url)) {
    case SEVERAL_SAME_URL:
        together->twice++;
        print_line(together->dir, "visited by another directory, too: ", url->url);
        break;
    case SEVERAL_SAME_CONTENT:
        together->equal++;
        break;
    default:
        break;
    }
    return SCENT_OK;
}

/* Is it one collection? Pages of one URL in two directories are a problem: their owner has changed, and one of the
 * visits was lost or for nothing, unless it has found a new version. Equal pages of other URLs are mirrors. */
static scent_status check_together(const struct command_line *line, struct together *out, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    *out = (struct together){.several = several_new()};
    for (size_t i = 0; i < 2 * line->count && status == SCENT_OK; i++) {
        struct store *store;

        out->directory = i % line->count;
        out->dir = line->arguments[out->directory];
        status = store_open(out->dir, STORE_READ, &store, err);
        if (status != SCENT_OK)
            break;
        status = i < line->count ? several_look(out->several, out->directory, store, err)
                                 : store_each_page(store, 0, meet_page, out, err);
        store_close(store);
    }
    several_free(out->several);
    return status;
}

static int report(const struct check_report *r)
{
    fprintf(stderr,
            "%" PRIu64 " URLs, %" PRIu64 " archived pages, %" PRIu64 " records in %" PRIu64 " WARC files: %" PRIu64
            " problems, %" PRIu64 " of them repaired\n",
            r->urls, r->pages, r->records, r->files, r->problems, r->repaired);
    if (r->problems <= r->repaired)
        return EXIT_DONE;
    if (r->passing)
        fprintf(stderr, "the last run was interrupted: the next one, or --repair, mends %s\n",
                r->passing == r->problems ? "all of these problems" : "those that say so");
    return r->passing == r->problems ? EXIT_INTERRUPTED : EXIT_PROBLEMS;
}

struct check_arguments {
    bool repair;
    const char *join;
};

/* ---- directories and their log ---- */

/* *code: the exit status, or worse. */
static scent_status check_log(struct overseer *overseer, const char *dir, bool several, int *code, struct errmsg *err)
{
    struct cluster_check check = {.dir = dir, .problem = print_problem, .ctx = several ? (void *)dir : NULL};

    SCENT_TRY(cluster_check(overseer, &check, err));
    fprintf(stderr,
            "%s%sthe log has %" PRIu64 " URLs, %" PRIu64 " links and %" PRIu64 " pages of this worker: %" PRIu64
            " problems\n",
            several ? dir : "", several ? ": " : "", check.urls, check.links, check.pages, check.problems);
    if (check.unsent)
        fprintf(stderr, "%" PRIu64 " rows were not sent yet: the next run sends them\n", check.unsent);
    if (check.problems)
        *code = EXIT_PROBLEMS;
    return SCENT_OK;
}

struct log_check {
    const struct command_line *line;
    int *code;
};

static scent_status check_logs(struct overseer *overseer, const void *ctx, struct errmsg *err)
{
    const struct log_check *check = ctx;

    for (size_t i = 0; i < check->line->count; i++)
        SCENT_TRY(check_log(overseer, check->line->arguments[i], check->line->count > 1, check->code, err));
    return SCENT_OK;
}

/* The worse of two ends: problems, then an interrupted run. */
static int worse(int a, int b)
{
    if (a == EXIT_DONE || b == EXIT_DONE)
        return a == EXIT_DONE ? b : a;
    return a == EXIT_INTERRUPTED ? b : a;
}

static int run_check(const struct command_line *line)
{
    const struct check_arguments *given = line->options;
    bool several = line->count > 1;
    struct together together;
    struct errmsg err = {0};
    int code = EXIT_DONE, asked;
    scent_status status;

    for (size_t i = 0; i < line->count; i++) {
        struct check_options options = {.dir = line->arguments[i],
                                        .repair = given->repair,
                                        .problem = print_problem,
                                        .repaired = print_repaired,
                                        .ctx = several ? line->arguments[i] : NULL};
        struct check_report result;

        status = check_run(&options, &result, &err);
        if (status != SCENT_OK)
            return command_fail(status, &err);
        if (several)
            fprintf(stderr, "%s: ", line->arguments[i]);
        code = worse(code, report(&result));
    }
    if (several) {
        status = check_together(line, &together, &err);
        if (status != SCENT_OK)
            return command_fail(status, &err);
        fprintf(stderr,
                "together: %" PRIu64 " pages, %" PRIu64 " of them visited by two directories, %" PRIu64
                " equal to pages of another\n",
                together.pages, together.twice, together.equal);
        if (together.twice)
            code = worse(code, EXIT_PROBLEMS);
    }
    if (!given->join)
        return code;
    asked = cluster_oversee(given->join, false, check_logs, &(struct log_check){line, &code});
    return asked == EXIT_DONE ? code : asked;
}

static const struct command_option check_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct check_arguments, repair, "repair", 0, NULL,
                   "repair what can be repaired without removing a row",
                   .manual =
                       "Writes the index anew, truncates the WARC files to what was committed, removes .open from "
                       "their names, and completes a purge that was interrupted."),
    COMMAND_OPTION(OPTION_STRING, struct check_arguments, join, "join", 0, "URI",
                   "compare directories of workers with the log on their server, too",
                   .manual = "The log, replayed, must say of every URL and page what the directory says; a link that "
                             "was sent and is unknown to the owner of its host is a problem. The workers must not be "
                             "running."),
    {0},
};

const struct command command_check = {
    .name = "check",
    .summary = "Verifies a crawl directory: database, WARC files and index against each other",
    .arguments = "DIR…",
    .description = "Each problem is a line on standard output. The crawl must not be running. Without --repair nothing "
                   "is written: a directory on a read-only medium can be checked. Several directories are checked one "
                   "by one, and as one collection: a page that two of them have visited is a problem.",
    .example = "scent check hockey.crawl --repair\n"
               "scent check a.crawl b.crawl --join postgresql://db.example.org/crawls",
    .exits = "0 no problem is left, 1 problems are left, 11 the last run was interrupted and the next one mends all "
             "problems.",
    .options = check_options,
    .size = sizeof(struct check_arguments),
    .run = run_check,
};
