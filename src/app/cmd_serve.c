/* cmd_serve - `scent serve`: crawls and results of the lab in a browser, and for programs. */
#include "app/command.h"
#include "serve/dashboard.h"

#include <stdio.h>

struct serve_options {
    const char *listen;
    bool allow_public, wait;
};

static int run_serve(const struct command_line *line)
{
    const struct serve_options *options = line->options;
    struct listen listen = {.address = "127.0.0.1"};
    struct errmsg err = {0};
    struct dashboard *dashboard;
    struct log log;
    scent_status status;

    if (options->listen && !command_parse_listen(options->listen, &listen))
        return command_invalid(line->command, "listen", options->listen, COMMAND_LISTEN_EXPECTED);
    log_init_stderr(&log, LOG_INFO);
    signals_block();
    status = dashboard_start(&(struct dashboard_options){.address = listen.address,
                                                         .port = listen.port,
                                                         .allow_public = options->allow_public,
                                                         .dirs = (const char *const *)line->arguments,
                                                         .ndirs = line->count,
                                                         .wait = options->wait,
                                                         .log = &log},
                             &dashboard, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    /* On stdout, so that a script can wait for it. */
    printf(strchr(listen.address, ':') ? "http://[%s]:%u/#token=%s\n" : "http://%s:%u/#token=%s\n", listen.address,
           dashboard_port(dashboard), dashboard_token(dashboard));
    fflush(stdout);
    signals_wait();
    dashboard_stop(dashboard);
    return EXIT_DONE;
}

static const struct command_option serve_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct serve_options, listen, "listen", 'l', "[ADDRESS:]PORT",
                   "address and port (default: a free port of 127.0.0.1)"),
    COMMAND_OPTION(OPTION_FLAG, struct serve_options, allow_public, "allow-public", 0, NULL,
                   "allow an address that is not on loopback",
                   .manual = "Then everything needs the token, which is part of the address that is printed."),
    COMMAND_OPTION(OPTION_FLAG, struct serve_options, wait, "wait", 0, NULL,
                   "a directory that does not exist yet is that of a crawl that is about to begin"),
    {0},
};

const struct command command_serve = {
    .name = "serve",
    .summary = "Shows crawls, running or finished, and results of the lab in the browser",
    .arguments = "DIR…",
    .description = "The address is printed on standard output. Its token allows changes, such as marks of pages; "
                   "without it the page can be read only. docs/guide/dashboard.md tells what it shows. Ctrl-C ends it.",
    .example = "scent serve hockey.crawl\nscent serve *.crawl generated.results -l 8080",
    .options = serve_options,
    .size = sizeof(struct serve_options),
    .run = run_serve,
};
