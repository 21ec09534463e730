#include "app/rulescommands.h"
#include "app/ruling.h"
#include "training/linked_pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* The paper counted its rules on 40,000 pages. */
enum { PER_CLASS = 200, PAGES = 40000 };

struct build_args {
    const char *topic, *output;
    struct reach reach;
    uint64_t per_class, pages;
    bool quiet;
};

enum { OPT_PER_CLASS = 256, OPT_PAGES };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"per-class", required_argument, NULL, OPT_PER_CLASS},
    {"pages", required_argument, NULL, OPT_PAGES},
    REACH_OPTIONS,
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* False when the value is bad. */
static bool take_option(int option, void *taken)
{
    struct build_args *args = taken;

    switch (option) {
    case 'o':
        args->output = optarg;
        return optarg[0] != 0;
    case OPT_PER_CLASS:
        return command_number(1, 1000000, &args->per_class);
    case OPT_PAGES:
        return command_number(1, 100000000, &args->pages);
    case 'q':
        return args->quiet = true;
    default:
        return reach_take_option(&args->reach, option, optarg);
    }
}

/* -1: go on; else the exit status. */
static int parse_args(int argc, char **argv, struct build_args *args)
{
    const struct command *command = &rules_build_command;
    int status = command_options(command, argc, argv, ":o:qh", longs, take_option, args);

    return status >= 0 ? status : reach_take_topic(&args->reach, command, argc, argv, &args->topic);
}

/* ---- counting ---- */

static void show_reading(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    fprintf(stderr, "\r\033[K%zu of %zu links read", done, all);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* Where the linked pages are: the taxonomy's collection, else TOPIC.linked, into which they are fetched now. */
static int fetch(const struct training *training, struct linked_pages *linked, uint64_t pages, char dir[TRAINING_PATH])
{
    const struct topic_taxonomy *taxonomy = &training->topic->taxonomy;
    struct errmsg err = {{0}};
    struct buf urls;
    uint64_t count;
    scent_status status = linked_pages_finish(linked, pages, &count);
    int code = EXIT_DONE;

    if (status == SCENT_OK && count == 0)
        status = errmsg_fail(&err, SCENT_E_INVALID, "the examples link to no other page, so there is nothing to count");
    else if (status == SCENT_OK && !training_beside(training->path, ".linked", dir))
        status = errmsg_fail(&err, SCENT_E_INVALID, "the path %s is too long", training->path);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (taxonomy->collection.len) {
        snprintf(dir, TRAINING_PATH, "%.*s", STR_ARG(taxonomy->collection));
        return EXIT_DONE;
    }
    log_line(training->log, LOG_INFO, "the examples link to %" PRIu64 " pages that are fetched now, into %s", count, dir);
    buf_init(&urls, 0);
    linked_pages_list(linked, &urls);
    code = training_fetch(training, buf_str(&urls), dir);
    buf_release(&urls);
    return code;
}

static void report(const struct build_args *args, const struct training *training, const struct rulebook *rules,
                   const struct linked_pages_reading *reading, const char *path)
{
    uint32_t silent = 0;

    for (uint32_t i = 0; i < rules->nclasses; i++)
        silent += rulebook_total(rules, i) == 0;
    if (silent)
        log_line(training->log, LOG_WARN,
                 "%" PRIu32 " of %" PRIu32 " classes have no rule: no page that their examples link to could be read",
                 silent, rules->nclasses);
    if (!args->quiet)
        printf("%s: %" PRIu64 " rules between %" PRIu32 " classes, from %" PRIu64 " linked pages (%" PRIu64
               " more could not be read)\n", path, rulebook_number(rules), rules->nclasses, reading->read,
               reading->missing);
}

static scent_status count_rules(const struct training *training, const struct linked_pages *linked,
                                const struct training_set *examples, struct linked_pages_reading *reading, struct rulebook **out, struct errmsg *err)
{
    struct model_options options = training->topic->model;
    struct model *model = NULL;
    scent_status status = model_train(&examples->set, &options, &model, err);

    *out = NULL;
    if (status == SCENT_OK)
        status = rulebook_new(examples->set.classes, examples->set.nclasses, out, err);
    reading->model = model;
    if (status == SCENT_OK)
        status = linked_pages_count(linked, reading, *out, err);
    if (status == SCENT_OK && reading->read == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "none of the %" PRIu64 " pages that the examples link to could be read from %s",
                             reading->missing, reading->archive);
    model_free(model);
    return status;
}

static int build(const struct build_args *args, const struct training *training)
{
    struct linked_pages *linked = linked_pages_new((uint32_t)args->per_class, training->topic->model.seed);
    struct linked_pages_reading reading = {.log = training->log};
    char archive[TRAINING_PATH], path[TRAINING_PATH];
    struct training_set *examples = NULL;
    struct rulebook *rules = NULL;
    struct errmsg err = {{0}};
    scent_status status = SCENT_OK;
    int code = training_gather_linked(training, linked, &examples);

    if (code == EXIT_DONE)
        code = fetch(training, linked, args->pages, archive);
    reading.archive = archive;
    reading.on_read = !args->quiet && isatty(STDERR_FILENO) ? show_reading : NULL;
    if (code == EXIT_DONE)
        status = count_rules(training, linked, examples, &reading, &rules, &err);
    if (status == SCENT_OK && !args->output && !ruling_path(args->topic, training->topic, path))
        status = errmsg_fail(&err, SCENT_E_INVALID, "the path %s is too long", args->topic);
    if (code == EXIT_DONE && status == SCENT_OK) {
        rules->fingerprint = training_fingerprint(training->topic);
        status = rulebook_save(rules, args->output ? args->output : path, &err);
    }
    if (status != SCENT_OK)
        code = command_fail(status, &err);
    else if (code == EXIT_DONE)
        report(args, training, rules, &reading, args->output ? args->output : path);
    rulebook_free(rules);
    training_set_free(examples);
    linked_pages_free(linked);
    return code;
}

static int check_topic(const struct topic *topic, const char *path)
{
    struct errmsg err = {{0}};

    if (topic_lesson(topic) == TOPIC_CATEGORIES)
        return EXIT_DONE;
    return command_fail(errmsg_fail(&err, SCENT_E_INVALID, "%s: interclass rules are about the categories of a taxonomy: "
                                    "add 'taxonomy: {file: …, target: …}'%s", path, topic->taxonomy.file.len
                                    ? " without 'examples', and with 'model: bayes'" : ""), &err);
}

static int run(int argc, char **argv)
{
    struct build_args args = {.per_class = PER_CLASS, .pages = PAGES};
    struct training training = {0};
    struct log log;
    int code = parse_args(argc, argv, &args);

    if (code >= 0)
        return code;
    log_init_stderr(&log, args.quiet ? LOG_ERROR : LOG_INFO);
    training.path = args.topic;
    training.log = &log;
    training.quiet = args.quiet;
    code = training_open(&training, &args.reach);
    if (code == EXIT_DONE)
        code = check_topic(training.topic, args.topic);
    if (code == EXIT_DONE)
        code = build(&args, &training);
    training_close(&training, &args.reach);
    return code;
}

const struct command rules_build_command = {
    .name = "rules build",
    .usage = "TOPIC.yaml [-o FILE] [options]",
    .summary = "Counts which classes of a taxonomy link to which",
    .help = "  -o, --output FILE       where to write the rules (default: what the topic's key 'rules' names, else TOPIC.rules\n"
            "                          beside TOPIC.yaml, where a crawl looks for them)\n"
            "      --per-class N       linked pages of a class that are read at most (default: 200)\n"
            "      --pages N           linked pages in all (default: 40000)\n"
            "      --from COLLECTION   take pages that have to be fetched from WARC files, or a generated web\n"
            "      --proxy-all HOST:PORT     fetch them through this HTTP proxy on loopback\n"
            "      --ca-file FILE      trust these certificate authorities\n"
            "      --dns ADDRESS[:PORT]      ask this name server instead of the system's\n"
            "      --allow-private     visit private and other special addresses too\n"
            "  -q, --quiet             say nothing but errors\n"
            "\nThe examples of the topic's taxonomy train its model. The pages that they link to are read from the taxonomy's\n"
            "collection, or fetched once into TOPIC.linked, and classified: 'A -> B (.3)' says that of the pages that examples\n"
            "of A link to three in ten are of class B.\n"
            "Exit status: 0 the rules are written, 2 the topic or its examples are not good enough, 3 storage failed,\n"
            "11 interrupted while fetching (the same command goes on).\n",
    .main = run,
};
