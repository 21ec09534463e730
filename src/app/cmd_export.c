#include "app/command.h"
#include "app/export.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    export_fn *write;
} formats[] = {
    {"jsonl", export_jsonl}, {"csv", export_csv},         {"urls", export_urls},
    {"cdxj", export_cdxj},   {"graphml", export_graphml},
};

static export_fn *find_format(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            return formats[i].write;
    return NULL;
}

static int export_store(const char *dir, export_fn *write, bool only_relevant)
{
    struct export out = {.file = stdout, .only_relevant = only_relevant};
    struct errmsg err = {0};
    struct store *store;
    scent_status status = store_open(dir, STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = write(store, &out, &err);
    store_close(store);
    if (status == SCENT_OK && (fflush(stdout) || ferror(stdout)))
        status = errmsg_fail(&err, SCENT_E_IO, "cannot write to standard output");
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

struct export_args {
    const char *format;
    bool only_relevant;
};

static bool take_option(int option, void *taken)
{
    struct export_args *args = taken;

    if (option == 'r')
        return args->only_relevant = true;
    args->format = optarg;
    return true;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"format", required_argument, NULL, 'f'},
        {"relevant", no_argument, NULL, 'r'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct export_args args = {.format = "jsonl"};
    int code = command_options(&command_export, argc, argv, ":f:h", longs, take_option, &args);
    export_fn *write;

    if (code >= 0)
        return code;
    write = find_format(args.format);
    if (!write)
        return command_misuse(&command_export, "there is no format '%s'; choose jsonl, csv, urls, cdxj or graphml",
                              args.format);
    if (optind + 1 != argc)
        return command_misuse(&command_export, "give one crawl directory");
    return export_store(argv[optind], write, args.only_relevant);
}

const struct command command_export = {
    .name = "export",
    .usage = "DIR [-f FORMAT] [--relevant]",
    .summary = "Writes the pages of a crawl to standard output",
    .help = "  -f, --format FORMAT     jsonl (default), csv, urls, cdxj, graphml\n"
            "      --relevant          only the relevant pages\n",
    .run = run,
};
