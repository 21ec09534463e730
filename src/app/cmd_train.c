#include "app/command.h"
#include "app/quality.h"
#include "app/training.h"
#include "training/model_file.h"

#include <stdlib.h>

enum { FOLDS = 10 };

struct train_args {
    const char *topic, *output;
    struct reach reach;
    bool json, quiet;
};

enum { OPT_JSON = 256 };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    REACH_OPTIONS,
    {"json", no_argument, NULL, OPT_JSON},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

/* False when the value is bad. */
static bool take_option(int option, void *taken)
{
    struct train_args *args = taken;

    switch (option) {
    case 'o':
        args->output = optarg;
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
static int parse_args(int argc, char **argv, struct train_args *args)
{
    int status = command_options(&command_train, argc, argv, ":o:qh", longs, take_option, args);

    return status >= 0 ? status : reach_take_topic(&args->reach, &command_train, argc, argv, &args->topic);
}

/* A model that cannot be measured may still be good enough to try: that is said, and the model is kept. */
static void report(const struct train_args *args, struct quality *quality, const struct log *log)
{
    struct evaluate_result result;
    struct errmsg err = {{0}};
    bool measured = evaluate_model(&quality->examples->set, &quality->topic->model, FOLDS, &result, &err) == SCENT_OK;

    if (measured)
        quality->result = &result;
    else
        log_line(log, LOG_WARN, "its quality cannot be measured: %s", err.text);
    if (args->json)
        quality_print_json(quality, stdout);
    else if (!args->quiet)
        quality_print(quality, stdout);
    if (measured)
        evaluate_release(&result);
}

static int train(const struct train_args *args, const struct training *training, const struct training_set *examples)
{
    struct model_options options = training->topic->model;
    char path[TRAINING_PATH];
    struct model *model = NULL;
    struct quality quality = {.topic = training->topic, .examples = examples, .path = args->output ? args->output : path};
    struct errmsg err = {{0}};
    scent_status status = SCENT_OK;

    if (!training_beside(args->topic, ".model", path))
        status = errmsg_fail(&err, SCENT_E_INVALID, "the path %s is too long", args->topic);
    options.log = training->log;
    log_line(training->log, LOG_INFO, "%zu examples are read; training, and measuring with %d folds", examples->set.nexamples,
             FOLDS);
    if (status == SCENT_OK)
        status = model_train(&examples->set, &options, &model, &err);
    if (status == SCENT_OK)
        status = model_file_save(model, training_fingerprint(training->topic), quality.path, &err);
    quality.model = model;
    if (status == SCENT_OK)
        report(args, &quality, training->log);
    model_free(model);
    return status == SCENT_OK ? training_save_sample(training, examples) : command_fail(status, &err);
}

static int run(int argc, char **argv)
{
    struct train_args args = {0};
    struct training training = {0};
    struct training_set *examples = NULL;
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
        code = training_gather(&training, &examples);
    if (code == EXIT_DONE)
        code = train(&args, &training, examples);
    training_set_free(examples);
    training_close(&training, &args.reach);
    return code;
}

const struct command command_train = {
    .name = "train",
    .usage = "TOPIC.yaml [-o FILE] [options]",
    .summary = "Learns a topic from its examples and tells how well",
    .help = "  -o, --output FILE       where to write the model (default: TOPIC.model beside TOPIC.yaml, where a crawl\n"
            "                          looks for it)\n"
            "      --from COLLECTION   take the pages of URL lists from WARC files, or a generated web\n"
            "      --proxy-all HOST:PORT     fetch them through this HTTP proxy on loopback\n"
            "      --ca-file FILE      trust these certificate authorities\n"
            "      --dns ADDRESS[:PORT]      ask this name server instead of the system's\n"
            "      --allow-private     visit private and other special addresses too\n"
            "      --json              the figures as one JSON object\n"
            "  -q, --quiet             say nothing but errors\n"
            "\nPages of URL lists are fetched once, into TOPIC.fetched; remove that folder to fetch them again.\n"
            "Exit status: 0 the model is written, 2 the topic or its examples are not good enough, 3 storage failed,\n"
            "11 interrupted while fetching (the same command goes on).\n",
    .main = run,
};
