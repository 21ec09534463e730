/* cmd_purge - `scent purge`: removes URLs and hosts from a crawl directory. */
#include "app/command.h"
#include "crawldir/purge.h"

#include <inttypes.h>

enum { EXIT_UNKNOWN = 1 };

static void print_item(void *ctx, const char *kind, struct str text)
{
    const bool *dry_run = ctx;

    if (*dry_run)
        printf("%s %.*s\n", kind, STR_ARG(text));
}

static void print_unknown(void *ctx, const char *name)
{
    (void)ctx;
    fprintf(stderr, "the crawl does not know %s\n", name);
}

static int report(const struct purge_report *r, bool dry_run)
{
    fprintf(stderr, "%s %" PRIu64 " URLs, %" PRIu64 " hosts, %" PRIu64 " records in %" PRIu64 " WARC files\n",
            dry_run ? "would remove" : "removed", r->urls, r->hosts, r->records, r->files);
    return r->unknown ? EXIT_UNKNOWN : EXIT_DONE;
}

struct purge_arguments {
    bool dry_run;
};

static int run_purge(const struct command_line *line)
{
    struct purge_arguments *given = line->options;
    struct log log;
    struct purge_options options = {
        .dir = line->arguments[0],
        .names = line->arguments + 1,
        .count = line->count - 1,
        .dry_run = given->dry_run,
        .item = print_item,
        .unknown = print_unknown,
        .ctx = &given->dry_run,
        .log = &log,
    };
    struct purge_report result;
    struct errmsg err = {0};
    scent_status status;

    log_init_stderr(&log, LOG_WARN);
    status = purge_run(&options, &result, &err);
    return status == SCENT_OK ? report(&result, given->dry_run) : command_fail(status, &err);
}

static const struct command_option purge_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct purge_arguments, dry_run, "dry-run", 'n', NULL,
                   "list what would be removed, and remove nothing"),
    {0},
};

const struct command command_purge = {
    .name = "purge",
    .summary = "Removes URLs and hosts from a crawl: database, WARC files and index",
    .arguments = "DIR URL|HOST…",
    .description = "A host is written without http:// and means all its ports: example.org; example.org:8080 is one "
                   "port. Subdomains are separate hosts.",
    .example = "scent purge hockey.crawl https://example.org/private example.net",
    .exits = "0 done, 1 the crawl does not know one of the names.",
    .options = purge_options,
    .size = sizeof(struct purge_arguments),
    .run = run_purge,
};
