#include "app/webcommands.h"
#include "web/pack.h"

#include <inttypes.h>
#include <stdio.h>

struct pack_args {
    const char *base, *dir;
};

static bool take_option(int option, void *taken)
{
    struct pack_args *args = taken;

    *(option == 'b' ? &args->base : &args->dir) = optarg;
    return true;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"base", required_argument, NULL, 'b'},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct pack_args args = {.base = "http://localhost/"};
    int code = command_options(&web_pack_command, argc, argv, ":b:o:h", longs, take_option, &args);
    struct errmsg err = {0};
    struct log log;
    uint64_t packed;
    scent_status status;

    if (code >= 0)
        return code;
    if (optind + 1 != argc || !args.dir)
        return command_misuse(&web_pack_command, "give one folder, and where to put the collection with -o");
    log_init_stderr(&log, LOG_INFO);
    status = web_pack_folder(argv[optind], args.base, args.dir, &log, &packed, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    fprintf(stderr, "%s: %" PRIu64 " responses\n", args.dir, packed);
    return EXIT_DONE;
}

const struct command web_pack_command = {
    .name = "web pack",
    .usage = "FOLDER -o DIR [-b URL]",
    .summary = "Packs a folder of files into a WARC collection",
    .help = "  -b, --base URL          the URL of the folder (default http://localhost/)\n"
            "  -o, --output DIR        where the collection goes\n",
    .main = run,
};
