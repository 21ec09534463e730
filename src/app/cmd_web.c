/* cmd_web - `scent web`: serves archived and generated webs, generates them, packs folders into collections. */
#include "app/command.h"
#include "serve/webserver.h"
#include "web/web.h"
#include "web/webspec.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- web serve ---- */

struct serve_options {
    const char *listen, *default_host;
    uint32_t threads;
    bool allow_public;
};

static scent_status serve(struct web *web, const char *path, const struct serve_options *options,
                          const struct listen *listen, const struct log *log, struct errmsg *err)
{
    struct webserver_options server_options = {
        .address = listen->address,
        .port = listen->port,
        .allow_public = options->allow_public,
        .threads = options->threads,
        .default_host = options->default_host,
        .log = log,
    };
    struct webserver *server;
    scent_status status;

    signals_block();
    if (web_archive(web) && !options->default_host)
        server_options.viewer = viewer_new(web, path, log);
    status = webserver_start(web, &server_options, &server, err);
    if (status == SCENT_OK) {
        /* The port on stdout, so that a script can wait for it. */
        printf(strchr(listen->address, ':') ? "http://[%s]:%u/\n" : "http://%s:%u/\n", listen->address,
               webserver_port(server));
        fflush(stdout);
        signals_wait();
        webserver_stop(server);
    }
    viewer_free(server_options.viewer);
    return status;
}

static int run_serve(const struct command_line *line)
{
    const struct serve_options *options = line->options;
    struct listen listen = {.address = "127.0.0.1"};
    struct errmsg err = {0};
    struct web *web = NULL;
    struct log log;
    scent_status status;

    if (options->listen && !command_parse_listen(options->listen, &listen))
        return command_invalid(line->command, "listen", options->listen, COMMAND_LISTEN_EXPECTED);
    log_init_stderr(&log, LOG_INFO);
    status = web_open(line->arguments[0], &log, &web, &err);
    if (status == SCENT_OK)
        status = serve(web, line->arguments[0], options, &listen, &log, &err);
    web_free(web);
    return command_exit(status, &err);
}

static const struct command_option serve_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct serve_options, listen, "listen", 'l', "[ADDRESS:]PORT",
                   "address and port (default: a free port of 127.0.0.1)"),
    COMMAND_OPTION(OPTION_STRING, struct serve_options, default_host, "default-host", 0, "HOST",
                   "host that the URL of the server stands for, instead of the list of pages"),
    COMMAND_OPTION(OPTION_NUMBER, struct serve_options, threads, "threads", 0, "N", "server threads", .min = 1,
                   .max = 256, .number = 1),
    COMMAND_OPTION(OPTION_FLAG, struct serve_options, allow_public, "allow-public", 0, NULL,
                   "allow an address that is not on loopback"),
    {0},
};

static const struct command web_serve_command = {
    .name = "web serve",
    .summary = "Shows a collection in the browser; serves it or a generated web as virtual hosts and as an HTTP proxy",
    .arguments = "COLLECTION|WEB.yaml",
    .description = "The URL of the server is printed on standard output; a browser shows the pages of a collection "
                   "there. Ctrl-C ends it.",
    .example = "scent web serve collection/ -l 8080",
    .options = serve_options,
    .size = sizeof(struct serve_options),
    .run = run_serve,
};

/* ---- web generate ---- */

struct generate_options {
    const char *url;
    uint64_t seeds;
    bool labels;
};

static int print_spec(void)
{
    struct buf text;

    buf_init(&text, 0);
    webspec_write_default(&text);
    fputs(buf_z(&text), stdout);
    buf_release(&text);
    return EXIT_DONE;
}

static scent_status print_page(const struct web *web, const char *url, struct errmsg *err)
{
    struct web_response response;
    struct buf buf;
    scent_status status;

    buf_init(&buf, 0);
    status = web_get(web, str_of(url), &buf, &response, err);
    if (status == SCENT_OK && response.fault != WEB_FINE)
        status = errmsg_fail(err, SCENT_E_NOTFOUND, "%s: this host does not answer", url);
    if (status == SCENT_OK) {
        fwrite(response.head.p, 1, response.head.len, stdout);
        fwrite(response.body.p, 1, response.body.len, stdout);
    }
    buf_release(&buf);
    return status;
}

static void print_seeds(const struct web *web, uint64_t count)
{
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (uint64_t i = 0; i < count; i++) {
        struct str seed = web_seed(web, i, &arena);

        if (!seed.len)
            break;
        printf("%.*s\n", STR_ARG(seed));
        arena_reset(&arena);
    }
    arena_release(&arena);
}

/* url<TAB>topic for every page that has one; what only links lead to (tunnels, traps) has no number and is left out. */
static void print_labels(const struct web *web)
{
    struct arena arena;

    arena_init(&arena, SIZE_MAX);
    for (uint64_t host = 0; host < web_hosts(web); host++)
        for (uint64_t page = 0; page < web_host_pages(web, host); page++) {
            struct str url = web_page_url(web, host, page, &arena), label = web_label(web, url, &arena);

            if (label.len)
                printf("%.*s\t%.*s\n", STR_ARG(url), STR_ARG(label));
            arena_reset(&arena);
        }
    arena_release(&arena);
}

static scent_status generate(const struct generate_options *options, const char *path, struct errmsg *err)
{
    struct web *web;
    struct log log;
    scent_status status;

    log_init_stderr(&log, LOG_INFO);
    status = web_open(path, &log, &web, err);
    if (status != SCENT_OK)
        return status;
    if (options->url)
        status = print_page(web, options->url, err);
    else if (options->labels)
        print_labels(web);
    else
        print_seeds(web, options->seeds);
    web_free(web);
    return status;
}

static int run_generate(const struct command_line *line)
{
    const struct generate_options *options = line->options;
    struct errmsg err = {0};

    if (line->count)
        return command_exit(generate(options, line->arguments[0], &err), &err);
    if (options->url || options->labels)
        return command_misuse(line->command, "missing argument WEB.yaml");
    return print_spec();
}

static const struct command_option generate_options[] = {
    COMMAND_OPTION(OPTION_NUMBER, struct generate_options, seeds, "seeds", 0, "N", "print N URLs to start from",
                   .min = 1, .number = 10),
    COMMAND_OPTION(OPTION_STRING, struct generate_options, url, "url", 'u', "URL", "print the response for this URL"),
    COMMAND_OPTION(OPTION_FLAG, struct generate_options, labels, "labels", 0, NULL,
                   "print the topic of every page: URL, tab, topic"),
    {0},
};

static const struct command web_generate_command = {
    .name = "web generate",
    .summary = "Generates a web from a specification; without WEB.yaml, prints a commented specification",
    .arguments = "[WEB.yaml]",
    .description = "Every page is a function of the seed and its URL: nothing is stored. To get its pages as WARC "
                   "files, crawl it: scent crawl TOPIC.yaml --from WEB.yaml",
    .example = "scent web generate > web.yaml\nscent web generate web.yaml --labels > labels.tsv",
    .options = generate_options,
    .size = sizeof(struct generate_options),
    .run = run_generate,
};

/* ---- web pack ---- */

struct pack_options {
    const char *base, *dir;
};

static int run_pack(const struct command_line *line)
{
    const struct pack_options *options = line->options;
    struct errmsg err = {0};
    struct log log;
    uint64_t packed;
    scent_status status;

    log_init_stderr(&log, LOG_INFO);
    status = web_pack_folder(line->arguments[0], options->base, options->dir, &log, &packed, &err);
    if (status == SCENT_OK)
        fprintf(stderr, "%s: %" PRIu64 " responses\n", options->dir, packed);
    return command_exit(status, &err);
}

static const struct command_option pack_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct pack_options, dir, "output", 'o', "DIR", "directory for the collection",
                   .required = true),
    COMMAND_OPTION(OPTION_STRING, struct pack_options, base, "base", 'b', "URL", "URL of the folder",
                   .fallback = "http://localhost/"),
    {0},
};

static const struct command web_pack_command = {
    .name = "web pack",
    .summary = "Packs a folder of files into a WARC collection",
    .arguments = "FOLDER",
    .example = "scent web pack site/ -o collection -b https://www.example.org/",
    .options = pack_options,
    .size = sizeof(struct pack_options),
    .run = run_pack,
};

static const struct command *const web_parts[] = {&web_serve_command, &web_generate_command, &web_pack_command, NULL};

const struct command command_web = {
    .name = "web",
    .summary = "Serves, generates and packs webs for experiments",
    .example = "scent web serve collection/ -l 8080",
    .parts = web_parts,
};
