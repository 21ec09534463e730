#include "app/command.h"
#include "engine/check.h"

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

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"repair", no_argument, NULL, 'r'}, {"help", no_argument, NULL, 'h'}, {0}};
    struct check_options options = {.problem = print_problem, .repaired = print_repaired};
    struct check_report result;
    int code;
    struct errmsg err = {0};
    scent_status status;

    code = command_options(&command_check, argc, argv, ":h", longs, command_switch, &options.repair);
    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_misuse(&command_check, "exactly one crawl directory is needed");
    options.dir = argv[optind];
    status = check_run(&options, &result, &err);
    return status == SCENT_OK ? report(&result) : command_fail(status, &err);
}

const struct command command_check = {
    .name = "check",
    .usage = "DIR [--repair]",
    .summary = "Verifies a crawl directory: database, WARC files and index against each other",
    .help = "  --repair   write the index anew, cut the WARC files back to what was committed,\n"
            "             bring a purge to its end; no row is removed\n"
            "\n"
            "Each problem is a line on standard output. Exit status: 0 no problem is left, 1 some are.\n",
    .run = run,
};
