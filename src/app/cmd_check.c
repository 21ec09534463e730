/* cmd_check - `scent check`: prints what crawldir/check.h finds in a crawl directory. */
#include "app/command.h"
#include "crawldir/check.h"

#include <inttypes.h>

enum { EXIT_PROBLEMS = 1 };

static void print_problem(void *ctx, const char *line)
{
    (void)ctx;
    puts(line);
}

static void print_repaired(void *ctx, const char *line)
{
    (void)ctx;
    printf("repaired: %s\n", line);
}

static int report(const struct check_report *r)
{
    fprintf(stderr,
            "%" PRIu64 " URLs, %" PRIu64 " archived pages, %" PRIu64 " records in %" PRIu64 " WARC files: %" PRIu64
            " problems, %" PRIu64 " of them repaired\n",
            r->urls, r->pages, r->records, r->files, r->problems, r->repaired);
    return r->problems > r->repaired ? EXIT_PROBLEMS : EXIT_DONE;
}

struct check_arguments {
    bool repair;
};

static int run_check(const struct command_line *line)
{
    const struct check_arguments *given = line->options;
    struct check_options options = {
        .dir = line->arguments[0], .repair = given->repair, .problem = print_problem, .repaired = print_repaired};
    struct check_report result;
    struct errmsg err = {0};
    scent_status status = check_run(&options, &result, &err);

    return status == SCENT_OK ? report(&result) : command_fail(status, &err);
}

static const struct command_option check_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct check_arguments, repair, "repair", 0, NULL,
                   "repair what can be repaired without removing a row",
                   .manual =
                       "Writes the index anew, truncates the WARC files to what was committed, removes .open from "
                       "their names, and completes a purge that was interrupted."),
    {0},
};

const struct command command_check = {
    .name = "check",
    .summary = "Verifies a crawl directory: database, WARC files and index against each other",
    .arguments = "DIR",
    .description = "Each problem is a line on standard output. The crawl must not be running.",
    .example = "scent check hockey.crawl --repair",
    .exits = "0 no problem is left, 1 problems are left.",
    .options = check_options,
    .size = sizeof(struct check_arguments),
    .run = run_check,
};
