#include "app/browsed.h"
#include "app/command.h"
#include "app/hearing.h"
#include "app/training.h"
#include "base/file.h"
#include "topic/predicate.h"
#include "training/example_files.h"
#include "training/lookup.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_RELEVANT = 0, EXIT_IRRELEVANT = 1 };

struct judge_args {
    const char *topic, *base;
    char **what;
    int nwhat;
    struct reach reach;
    bool json, quiet;
};

struct judging {
    const struct judge_args *args;
    struct training training;
    struct hearing hearing;
    struct buf urls; /* one a line: what has to be fetched */
    uint64_t failed;
};

enum { OPT_JSON = 256 };

static const struct option longs[] = {
    {"base", required_argument, NULL, 'b'},
    REACH_OPTIONS,
    {"json", no_argument, NULL, OPT_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* False when the value is bad. */
static bool take_option(int option, void *taken)
{
    struct judge_args *args = taken;

    switch (option) {
    case 'b':
        args->base = optarg;
        return true;
    case OPT_JSON:
        return args->json = true;
    case 'q':
        return args->quiet = true;
    default:
        return reach_take_option(&args->reach, option, optarg);
    }
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct judge_args *args)
{
    int status = command_options(&command_judge, argc, argv, ":b:qh", longs, take_option, args);

    if (status >= 0)
        return status;
    if (optind + 2 > argc)
        return command_misuse(&command_judge, optind == argc ? "which topic file?" : "what is to be judged?");
    if (reach_problem(&args->reach))
        return command_misuse(&command_judge, "%s", reach_problem(&args->reach));
    if (args->base && !url_is_absolute(str_of(args->base)))
        return command_misuse(&command_judge, "--base takes an http or https URL");
    args->topic = argv[optind];
    args->what = argv + optind + 1;
    args->nwhat = argc - optind - 1;
    return -1;
}

static void complain(struct judging *judging, struct str what, const struct errmsg *why)
{
    judging->failed++;
    log_line(judging->training.log, LOG_ERROR, "%.*s: %s", STR_ARG(what), why->text);
}

/* ---- files and standard input ---- */

static void judge_stdin(struct judging *judging)
{
    struct errmsg err = {{0}};
    struct buf bytes;
    bool plain;
    scent_status status;

    buf_init(&bytes, PAGEFILE_MAX_BYTES);
    status = file_read("/dev/stdin", &bytes, &err);
    plain = bytes.len && !memchr(bytes.p, '<', bytes.len) && !str_starts(buf_str(&bytes), STR("\x1F\x8B"));
    if (status == SCENT_OK)
        status = pagefile_read_bytes(buf_str(&bytes), "-", plain, hearing_judge, &judging->hearing, &err);
    if (status != SCENT_OK)
        complain(judging, STR("standard input"), &err);
    buf_release(&bytes);
}

static void list_urls(struct judging *judging, const char *path)
{
    struct errmsg err = {{0}};
    struct buf text;

    buf_init(&text, 64 << 20);
    if (file_read(path, &text, &err) == SCENT_OK)
        buf_add(&judging->urls, buf_str(&text));
    else
        complain(judging, str_of(path), &err);
    buf_addc(&judging->urls, '\n');
    buf_release(&text);
}

static void judge_path(struct judging *judging, const char *path)
{
    struct example_files found = {0};
    struct errmsg err = {{0}};
    struct arena arena;

    arena_init(&arena, (size_t)1 << 30);
    if (example_files_add(&found, path, &arena, &err) != SCENT_OK)
        complain(judging, str_of(path), &err);
    for (size_t i = 0; i < found.count; i++) {
        struct pagefile_counts counts = {0};
        const struct example_file *file = &found.files[i];

        if (file->kind == PAGEFILE_URLS)
            list_urls(judging, file->path.p);
        else if (pagefile_read(file->path.p, file->kind, hearing_judge, &judging->hearing, &counts, &err) != SCENT_OK)
            complain(judging, file->path, &err);
    }
    arena_release(&arena);
}

/* ---- URLs ---- */

static void each_page(struct judging *judging, const char *dir, struct str urls, pagefile_fn *fn)
{
    struct archive *archive;
    struct errmsg err = {{0}};
    struct lookup lookup;
    struct str url;

    lookup_init(&lookup);
    if (archive_open(dir, judging->training.log, &archive, &err) != SCENT_OK)
        archive = NULL;
    while (pagefile_next_url(&urls, &url)) {
        scent_status status = SCENT_E_NOTFOUND;

        if (archive)
            status = lookup_page(&lookup, archive, url, fn, &judging->hearing, &err);
        if (status == SCENT_E_NOTFOUND)
            errmsg_fail(&err, status, "it could not be fetched");
        if (status != SCENT_OK)
            complain(judging, url, &err);
    }
    archive_free(archive);
    lookup_release(&lookup);
}

/* A crawl of just these pages in a folder that is gone afterwards. */
static int judge_urls(struct judging *judging)
{
    const char *tmp = getenv("TMPDIR");
    char dir[TRAINING_PATH];
    struct errmsg err = {{0}};
    int code;

    snprintf(dir, sizeof dir, "%s/scent-judge-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return command_fail(errmsg_fail(&err, SCENT_E_IO, "cannot make a folder like %s", dir), &err);
    judging->hearing.base = NULL;
    judging->training.quiet = true;
    code = training_fetch(&judging->training, buf_str(&judging->urls), dir);
    if (code == EXIT_DONE)
        each_page(judging, dir, buf_str(&judging->urls), hearing_judge);
    if (file_remove_tree(dir, &err) != SCENT_OK)
        log_line(judging->training.log, LOG_WARN, "%s", err.text);
    return code;
}

/* similar() is the likeness to the seeds: their pages are fetched once. */
static int hear_seeds(struct judging *judging)
{
    const struct topic *topic = judging->training.topic;
    char dir[TRAINING_PATH];
    struct buf urls;
    int code;

    if (!predicate_asks(topic->predicate, VALUE_SIMILAR) || topic->nseeds == 0)
        return EXIT_DONE;
    if (!training_beside(judging->args->topic, ".seeds", dir))
        return EXIT_USAGE;
    buf_init(&urls, 0);
    for (size_t i = 0; i < topic->nseeds; i++)
        buf_printf(&urls, "%.*s\n", STR_ARG(topic->seeds[i].href));
    code = training_fetch(&judging->training, buf_str(&urls), dir);
    if (code == EXIT_DONE)
        each_page(judging, dir, buf_str(&urls), hearing_add_seed);
    buf_release(&urls);
    judging->failed = 0; /* what is wrong with a seed was said; the verdicts are what was asked for */
    return code;
}

static int judge_all(struct judging *judging)
{
    const struct judge_args *args = judging->args;
    int code;

    hearing_open(&judging->hearing);
    judging->hearing.base = args->base;
    for (int i = 0; i < args->nwhat; i++) {
        if (strcmp(args->what[i], "-") == 0)
            judge_stdin(judging);
        else if (url_is_absolute(str_of(args->what[i])))
            buf_printf(&judging->urls, "%s\n", args->what[i]);
        else
            judge_path(judging, args->what[i]);
    }
    code = judging->urls.len ? judge_urls(judging) : EXIT_DONE;
    if (code != EXIT_DONE || judging->failed)
        return code != EXIT_DONE ? code : EXIT_USAGE;
    return judging->hearing.relevant ? EXIT_RELEVANT : EXIT_IRRELEVANT;
}

static int judge(struct judging *judging)
{
    struct topic *topic = judging->training.topic;
    int code;

    buf_init(&judging->urls, 256 << 20);
    hearing_init(&judging->hearing, topic, stdout);
    judging->hearing.json = judging->args->json;
    code = training_attach(&judging->training, NULL);
    if (code == EXIT_DONE)
        code = browsed_attach(topic, NULL, judging->training.log);
    if (code == EXIT_DONE)
        code = hear_seeds(judging);
    if (code == EXIT_DONE)
        code = judge_all(judging);
    hearing_release(&judging->hearing);
    buf_release(&judging->urls);
    return code;
}

static int run(int argc, char **argv)
{
    struct judge_args args = {0};
    struct judging judging = {.args = &args};
    struct log log;
    int code = parse_args(argc, argv, &args);

    if (code >= 0)
        return code;
    log_init_stderr(&log, args.quiet ? LOG_ERROR : LOG_INFO);
    judging.training.path = args.topic;
    judging.training.log = &log;
    judging.training.quiet = args.quiet;
    code = training_open(&judging.training, &args.reach);
    if (code == EXIT_DONE)
        code = judge(&judging);
    training_close(&judging.training, &args.reach);
    return code;
}

const struct command command_judge = {
    .name = "judge",
    .usage = "TOPIC.yaml URL|FILE|FOLDER|-… [options]",
    .summary = "Tells whether pages are relevant, and why",
    .help = "  -b, --base URL          take files and standard input for pages of this URL\n"
            "      --from COLLECTION   take URLs from WARC files, or a generated web\n"
            "      --proxy-all HOST:PORT     fetch them through this HTTP proxy on loopback\n"
            "      --ca-file FILE      trust these certificate authorities\n"
            "      --dns ADDRESS[:PORT]      ask this name server instead of the system's\n"
            "      --allow-private     visit private and other special addresses too\n"
            "      --json              one JSON object a page\n"
            "  -q, --quiet             on stderr nothing but errors\n"
            "\nFiles are pages (html, txt, also gzipped), WARC files and lists of URLs. Where the topic asks for similar()\n"
            "its seeds are fetched once, into TOPIC.seeds.\n"
            "Exit status: 0 something is relevant, 1 nothing is, 2 something could not be judged, 3 storage failed.\n",
    .main = run,
};
