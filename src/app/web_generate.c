#include "app/webcommands.h"
#include "web/pack.h"
#include "web/web.h"
#include "web/webspec.h"

#include <inttypes.h>
#include <stdio.h>

struct generate_args {
    const char *spec, *url, *dir;
    uint64_t seeds, pages;
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

static scent_status pack(const struct web *web, const struct generate_args *args, struct errmsg *err)
{
    uint64_t packed;
    scent_status status = web_generate_pack(web, args->pages, args->dir, &packed, err);

    if (status == SCENT_OK)
        fprintf(stderr, "%s: %" PRIu64 " responses, labels in labels.tsv\n", args->dir, packed);
    return status;
}

static scent_status generate(const struct generate_args *args, struct errmsg *err)
{
    struct web *web;
    struct log log;
    scent_status status;

    log_init_stderr(&log, LOG_INFO);
    status = web_open(args->spec, &log, &web, err);
    if (status != SCENT_OK)
        return status;
    if (args->url)
        status = print_page(web, args->url, err);
    else if (args->dir)
        status = pack(web, args, err);
    else
        print_seeds(web, args->seeds);
    web_free(web);
    return status;
}

static bool take_option(int option, void *taken)
{
    struct generate_args *args = taken;

    switch (option) {
    case 'u':
        args->url = optarg;
        return true;
    case 'o':
        args->dir = optarg;
        return true;
    case 's':
        return command_number(1, UINT64_MAX, &args->seeds);
    default:
        return command_number(1, UINT64_MAX, &args->pages);
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"url", required_argument, NULL, 'u'},
        {"output", required_argument, NULL, 'o'},
        {"seeds", required_argument, NULL, 's'},
        {"pages", required_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct generate_args args = {.seeds = 10, .pages = 1000};
    int code = command_options(&web_generate_command, argc, argv, ":u:o:h", longs, take_option, &args);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind == argc && !args.url && !args.dir)
        return print_spec();
    if (optind + 1 != argc)
        return command_misuse(&web_generate_command, "give one web file");
    args.spec = argv[optind];
    status = generate(&args, &err);
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command web_generate_command = {
    .name = "web generate",
    .usage = "[WEB.yaml [--seeds N | --url URL | -o DIR --pages N]]",
    .summary = "A web that is a function of a seed and the URL: nothing is stored",
    .help = "  without arguments             prints a commented specification\n"
            "      --seeds N                 prints N URLs to start from (default 10)\n"
            "      --url URL                 prints the response for this URL\n"
            "  -o, --output DIR --pages N    writes N pages as a WARC collection with labels.tsv (default 1000)\n",
    .main = run,
};
