/* cmd_check - `scent check`: prints what crawldir/check.h finds in a crawl directory. */
#include "app/command.h"
#include "app/output.h"
#include "crawldir/check.h"

#include <inttypes.h>

enum { EXIT_PROBLEMS = 1 };

static void print_problem(void *ctx, const char *line)
{
    FILE *out = output_plain(stdout); /* texts of a damaged database may hold anything */

    (void)ctx;
    fprintf(out, "%s\n", line);
    fclose(out);
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
    if (r->problems <= r->repaired)
        return EXIT_DONE;
    if (r->passing)
        fprintf(stderr, "the last run was interrupted: the next one, or --repair, mends %s\n",
                r->passing == r->problems ? "all of these problems" : "those that say so");
    return r->passing == r->problems ? EXIT_INTERRUPTED : EXIT_PROBLEMS;
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
    .description = "Each problem is a line on standard output. The crawl must not be running. Without --repair nothing "
                   "is written: a directory on a read-only medium can be checked.",
    .example = "scent check hockey.crawl --repair",
    .exits = "0 no problem is left, 1 problems are left, 11 the last run was interrupted and the next one mends all "
             "problems.",
    .options = check_options,
    .size = sizeof(struct check_arguments),
    .run = run_check,
};
