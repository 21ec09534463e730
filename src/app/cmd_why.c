#include "app/command.h"
#include "app/why.h"

struct why_args {
    const char *dir, *url, *strategy;
    bool json;
};

enum { OPT_JSON = 256, OPT_STRATEGY };

static bool take_option(int option, void *taken)
{
    struct why_args *args = taken;

    if (option == OPT_JSON)
        return args->json = true;
    args->strategy = optarg;
    return true;
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct why_args *args)
{
    static const struct option longs[] = {
        {"json", no_argument, NULL, OPT_JSON},
        {"strategy", required_argument, NULL, OPT_STRATEGY},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int code = command_options(&command_why, argc, argv, ":h", longs, take_option, args);

    if (code >= 0)
        return code;
    if (optind + 2 != argc)
        return command_misuse(&command_why, "give a crawl directory and one URL");
    args->dir = argv[optind];
    args->url = argv[optind + 1];
    return -1;
}

static int tell(struct why *why, struct store *store, const struct why_args *args)
{
    struct errmsg err = {{0}};
    struct log log;
    scent_status status = why_look_up(why, store, str_of(args->url), &err);

    if (status == SCENT_E_NOTFOUND && why->nearest.len) {
        fprintf(stderr, "scent: the crawl in %s does not know %s; did you mean %.*s ?\n", args->dir, args->url,
                STR_ARG(why->nearest));
        return 1;
    }
    if (status == SCENT_E_NOTFOUND) {
        fprintf(stderr, "scent: the crawl in %s knows no URL yet\n", args->dir);
        return 1;
    }
    if (status != SCENT_OK)
        return command_fail(status, &err);
    log_init_stderr(&log, LOG_ERROR);
    why_explain(why, store, args->dir, args->strategy, &log);
    (args->json ? why_print_json : why_print)(why, stdout);
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct why_args args = {0};
    struct errmsg err = {{0}};
    struct store *store;
    scent_status status;
    struct why why;
    int code = parse_args(argc, argv, &args);

    if (code >= 0)
        return code;
    status = store_open(args.dir, STORE_READ, &store, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    why_init(&why);
    code = tell(&why, store, &args);
    why_release(&why);
    store_close(store);
    return code;
}

const struct command command_why = {
    .name = "why",
    .usage = "DIR URL [--json] [--strategy NAME[:k=v,…]]",
    .summary = "Tells what became of a URL in a crawl, and why",
    .help = "      --json              as one JSON object\n"
            "      --strategy NAME[:k=v,…]   the crawl was started with this one instead of its topic file's\n"
            "\nTells its state and the reason, when and with which priority it was fetched, the verdict with its reasons, what\n"
            "its score is made of, and the pages that link to it. URLs have no index: it reads the whole\n"
            "database and the WARC files. A crawl may go on meanwhile.\n"
            "Exit status: 0 told, 1 the crawl does not know the URL, 2 bad usage or no crawl directory.\n",
    .run = run,
};
