/* cmd_why - `scent why`: what a crawl knows about one URL. */
#include "app/command.h"
#include "app/why.h"

struct why_options {
    const char *strategy;
    bool json;
};

static int tell(struct why *why, struct store *store, const struct why_options *options, const char *dir, const char *url)
{
    struct errmsg err = {{0}};
    struct log log;
    scent_status status = why_look_up(why, store, str_of(url), &err);

    if (status == SCENT_E_NOTFOUND && why->nearest.len) {
        fprintf(stderr, "scent: the crawl in %s does not know %s; did you mean %.*s ?\n", dir, url,
                STR_ARG(why->nearest));
        return 1;
    }
    if (status == SCENT_E_NOTFOUND) {
        fprintf(stderr, "scent: the crawl in %s knows no URL yet\n", dir);
        return 1;
    }
    if (status != SCENT_OK)
        return command_fail(status, &err);
    log_init_stderr(&log, LOG_ERROR);
    why_explain(why, store, dir, options->strategy, &log);
    (options->json ? why_print_json : why_print)(why, stdout);
    return EXIT_DONE;
}

static int run_why(const struct command_line *line)
{
    const char *dir = line->arguments[0], *url = line->arguments[1];
    struct errmsg err = {{0}};
    struct store *store;
    struct why why;
    int code;
    scent_status status = store_open(dir, STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    why_init(&why);
    code = tell(&why, store, line->options, dir, url);
    why_release(&why);
    store_close(store);
    return code;
}

static const struct command_option why_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct why_options, json, "json", 0, NULL, "print one JSON object"),
    COMMAND_OPTION(OPTION_STRING, struct why_options, strategy, "strategy", 0, "NAME[:KEY=VALUE,…]",
                   "score with this strategy instead of that of the last run"),
    {0},
};

const struct command command_why = {
    .name = "why",
    .summary = "Explains what happened to a URL in a crawl",
    .arguments = "DIR URL",
    .description = "Shows the state of the URL and the reason, when and with which priority it was fetched, the verdict "
                   "with its reasons, the parts of its score, and the pages that link to it. There is no index of "
                   "URLs: the whole database and the WARC files are read. The crawl may be running.",
    .example = "scent why hockey.crawl https://example.org/players",
    .exits = "0 explained, 1 the crawl does not know the URL, 2 bad usage or no crawl directory.",
    .options = why_options,
    .size = sizeof(struct why_options),
    .run = run_why,
};
