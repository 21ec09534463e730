#include "app/command.h"
#include "engine/purge.h"

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
    fprintf(stderr, "nothing is known of %s\n", name);
}

static int report(const struct purge_report *r, bool dry_run)
{
    fprintf(stderr, "%s %" PRIu64 " URLs, %" PRIu64 " hosts, %" PRIu64 " records in %" PRIu64 " WARC files\n",
            dry_run ? "would remove" : "removed", r->urls, r->hosts, r->records, r->files);
    return r->unknown ? EXIT_UNKNOWN : EXIT_DONE;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"dry-run", no_argument, NULL, 'n'}, {"help", no_argument, NULL, 'h'}, {0}};
    bool dry_run = false;
    struct log log;
    struct purge_options options = {.item = print_item, .unknown = print_unknown, .ctx = &dry_run, .log = &log};
    struct purge_report result;
    int code;
    struct errmsg err = {0};
    scent_status status;

    code = command_options(&command_purge, argc, argv, ":hn", longs, command_switch, &dry_run);
    if (code >= 0)
        return code;
    if (optind + 2 > argc)
        return command_misuse(&command_purge, "a crawl directory and at least one URL or host are needed");
    log_init_stderr(&log, LOG_WARN);
    options.dir = argv[optind];
    options.names = argv + optind + 1;
    options.count = (size_t)(argc - optind - 1);
    options.dry_run = dry_run;
    status = purge_run(&options, &result, &err);
    return status == SCENT_OK ? report(&result, dry_run) : command_fail(status, &err);
}

const struct command command_purge = {
    .name = "purge",
    .usage = "DIR URL|HOST… [--dry-run]",
    .summary = "Removes URLs and hosts from a crawl: database, WARC files and index",
    .help = "  -n, --dry-run   only list what would go\n"
            "\n"
            "A host is named without http://, and means all its ports: example.org; example.org:8080 only that\n"
            "one. Subdomains are hosts of their own. Exit status: 0 done, 1 nothing is known of one of the names.\n",
    .run = run,
};
