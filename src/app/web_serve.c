#include "app/stopping.h"
#include "app/webcommands.h"
#include "serve/webserver.h"
#include "web/web.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct serve_args {
    char address[64];
    uint16_t port;
    bool allow_public;
    uint32_t threads;
    const char *default_host;
};

/* "PORT", "ADDRESS:PORT" or "[::1]:PORT" */
static bool parse_listen(const char *text, struct serve_args *args)
{
    const char *colon = strrchr(text, ':');
    struct str host = colon ? (struct str){text, (size_t)(colon - text)} : STR("127.0.0.1");
    uint64_t port;

    if (!str_parse_u64(str_of(colon ? colon + 1 : text), &port) || port > 65535)
        return false;
    if (host.len >= 2 && host.p[0] == '[' && host.p[host.len - 1] == ']')
        host = str_sub(host, 1, host.len - 1);
    if (host.len == 0 || host.len >= sizeof args->address)
        return false;
    snprintf(args->address, sizeof args->address, "%.*s", STR_ARG(host));
    args->port = (uint16_t)port;
    return true;
}

static bool take_option(int option, void *taken)
{
    struct serve_args *args = taken;
    uint64_t n;

    switch (option) {
    case 'l':
        return parse_listen(optarg, args);
    case 't':
        if (!command_number(1, 256, &n))
            return false;
        args->threads = (uint32_t)n;
        return true;
    case 'd':
        args->default_host = optarg;
        return true;
    default:
        return args->allow_public = true;
    }
}

static scent_status serve(struct web *web, const struct serve_args *args, const struct log *log, struct errmsg *err)
{
    struct webserver_options options = {
        .address = args->address,
        .port = args->port,
        .allow_public = args->allow_public,
        .threads = args->threads,
        .default_host = args->default_host,
        .log = log,
    };
    struct webserver *server;
    scent_status status;

    stopping_block();
    status = webserver_start(web, &options, &server, err);
    if (status != SCENT_OK)
        return status;
    /* The port on stdout, so that a script can wait for it. */
    printf("http://%s:%u/\n", args->address, webserver_port(server));
    fflush(stdout);
    stopping_wait();
    webserver_stop(server);
    return SCENT_OK;
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"listen", required_argument, NULL, 'l'},
        {"threads", required_argument, NULL, 't'},
        {"default-host", required_argument, NULL, 'd'},
        {"allow-public", no_argument, NULL, 'p'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct serve_args args = {.address = "127.0.0.1"};
    int code = command_options(&web_serve_command, argc, argv, ":l:h", longs, take_option, &args);
    struct errmsg err = {0};
    struct web *web = NULL;
    struct log log;
    scent_status status;

    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_misuse(&web_serve_command, "give one collection or web file");
    log_init_stderr(&log, LOG_INFO);
    status = web_open(argv[optind], &log, &web, &err);
    if (status == SCENT_OK)
        status = serve(web, &args, &log, &err);
    web_free(web);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command web_serve_command = {
    .name = "web serve",
    .usage = "COLLECTION|WEB.yaml [-l [ADDRESS:]PORT]",
    .summary = "Serves a collection or a generated web as many virtual hosts on one port, and as an HTTP proxy",
    .help = "  -l, --listen [ADDRESS:]PORT   default: a free port of 127.0.0.1; the URL goes to standard output\n"
            "      --default-host HOST       which host the listening address itself stands for\n"
            "      --threads N               default 1\n"
            "      --allow-public            listen on other than loopback\n"
            "\nEnds on Ctrl-C.\n",
    .main = run,
};
