/* cmd_train - `scent train`: trains the classifier of a topic, measures it by cross-validation and keeps it. */
#include "app/command.h"
#include "app/output.h"
#include "app/workspace.h"
#include "engine/warnings.h"
#include "learn/evaluate.h"
#include "training/training_set.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TELLING_WORDS = 12 };

struct train_options {
    const char *output;
    struct network network;
    bool json, quiet;
};

struct model_quality {
    const struct topic *topic;
    const struct training_set *examples;
    const struct model *model;
    const struct evaluate_result *result; /* NULL: it could not be measured */
    const char *path;                     /* where the model was written */
};

/* ---- the quality of the model, for people ---- */

static int widest_class(const struct model_quality *quality)
{
    size_t widest = 8;

    for (uint32_t i = 0; i < quality->examples->set.nclasses; i++)
        if (quality->examples->set.classes[i].len > widest)
            widest = quality->examples->set.classes[i].len;
    return widest > 48 ? 48 : (int)widest;
}

static void print_row(int width, struct str name, const struct evaluate_class *row, FILE *out)
{
    fprintf(out, "  %-*.*s %6" PRIu32 " %9.3f %7.3f %7.3f %7.3f %7.4f %9.3f\n", width,
            (int)(name.len < (size_t)width ? name.len : (size_t)width), name.p, row->pages, row->precision, row->recall,
            row->f1, row->auc, row->brier, row->ece);
}

static void print_table(const struct model_quality *quality, FILE *out)
{
    const struct evaluate_result *result = quality->result;
    const struct learn_set *set = &quality->examples->set;
    int width = widest_class(quality);

    fprintf(out, "\nQuality on unseen pages (cross-validation, %" PRIu32 " folds): accuracy %.3f\n\n", result->folds,
            result->accuracy);
    fprintf(out, "  %-*s  pages precision  recall      F1     AUC   Brier       ECE\n", width, "class");
    for (uint32_t i = 0; i < result->nclasses; i++)
        print_row(width, set->classes[i], &result->classes[i], out);
    print_row(width, STR("mean"), &result->mean, out);
    fputs("\n  Brier: mean squared error of the probability; ECE: expected calibration error.\n", out);
}

static void print_words(const struct model_quality *quality, FILE *out)
{
    struct model_term terms[TELLING_WORDS];

    fputs("\nThe most telling words:\n\n", out);
    for (uint32_t i = 0; i < model_nclasses(quality->model); i++) {
        size_t count = model_telling(quality->model, i, terms, TELLING_WORDS);

        fprintf(out, "  %.*s:", STR_ARG(model_class(quality->model, i)));
        for (size_t k = 0; k < count; k++)
            fprintf(out, " %.*s", STR_ARG(terms[k].text));
        fputc('\n', out);
    }
}

static void quality_print(const struct model_quality *quality, FILE *out)
{
    const struct learn_set *set = &quality->examples->set;

    fprintf(out, "%.*s: %zu examples of %" PRIu32 " classes, %" PRIu32 " words; classifier %s\n",
            STR_ARG(quality->topic->name), set->nexamples, set->nclasses, model_nfeatures(quality->model),
            model_kind_name(model_kind_of(quality->model)));
    if (quality->result)
        print_table(quality, out);
    print_words(quality, out);
    fprintf(out, "\n%s is written\n", quality->path);
}

/* ---- and for programs ---- */

static void write_row(struct json_writer *w, const struct evaluate_class *row)
{
    json_put_int(w, "pages", row->pages);
    json_put_double(w, "precision", row->precision);
    json_put_double(w, "recall", row->recall);
    json_put_double(w, "f1", row->f1);
    json_put_double(w, "auc", row->auc);
    json_put_double(w, "brier", row->brier);
    json_put_double(w, "ece", row->ece);
}

static void write_words(struct json_writer *w, const struct model *model, uint32_t class)
{
    struct model_term terms[TELLING_WORDS];
    size_t count = model_telling(model, class, terms, TELLING_WORDS);

    json_key(w, "words");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        json_str(w, terms[i].text);
    json_array_end(w);
}

static void write_classes(struct json_writer *w, const struct model_quality *quality)
{
    json_key(w, "classes");
    json_array_begin(w);
    for (uint32_t i = 0; i < model_nclasses(quality->model); i++) {
        json_object_begin(w);
        json_put_str(w, "class", model_class(quality->model, i));
        json_put_int(w, "examples", (int64_t)quality->examples->counts[i]);
        if (quality->result)
            write_row(w, &quality->result->classes[i]);
        write_words(w, quality->model, i);
        json_object_end(w);
    }
    json_array_end(w);
}

static void write_left_out(struct json_writer *w, const struct training_set *examples)
{
    json_put_int(w, "others", (int64_t)examples->others);
    json_put_int(w, "unreadable", (int64_t)examples->unreadable);
    json_put_int(w, "empty", (int64_t)examples->empty);
    json_put_int(w, "copies", (int64_t)examples->copies);
}

static void quality_print_json(const struct model_quality *quality, FILE *out)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_str(w, "topic", quality->topic->name);
    json_put_str(w, "model", str_of(quality->path));
    json_put_str(w, "kind", str_of(model_kind_name(model_kind_of(quality->model))));
    json_put_int(w, "examples", (int64_t)quality->examples->set.nexamples);
    json_put_int(w, "weak", (int64_t)quality->examples->set.nweak);
    json_put_int(w, "words", model_nfeatures(quality->model));
    write_left_out(w, quality->examples);
    if (quality->result) {
        json_put_int(w, "folds", quality->result->folds);
        json_put_double(w, "accuracy", quality->result->accuracy);
        json_key(w, "mean");
        json_object_begin(w);
        write_row(w, &quality->result->mean);
        json_object_end(w);
    }
    write_classes(w, quality);
    json_object_end(w);
    json_output_end(&output, out);
}

/* ---- training ---- */

static void report(const struct train_options *options, const struct model_quality *quality, const struct log *log)
{
    if (quality->result && quality->result->mean.auc < WARNINGS_AUC)
        log_line(log, LOG_WARN, WARNINGS_AUC_TEXT, quality->result->mean.auc);
    if (options->json)
        quality_print_json(quality, stdout);
    else if (!options->quiet)
        quality_print(quality, stdout);
}

static int train(const struct train_options *options, const struct workspace *workspace,
                 const struct training_set *examples)
{
    struct model_options model_options = workspace->topic->model;
    struct workspace_path path = workspace_beside(workspace->path, ".model");
    struct trained trained = {0};
    struct model_quality quality = {
        .topic = workspace->topic, .examples = examples, .path = options->output ? options->output : path.text};
    struct evaluate_result result;
    struct errmsg err = {{0}}, unmeasured = {{0}};
    scent_status status;

    model_options.log = workspace->log;
    log_line(workspace->log, LOG_INFO, "%zu examples are read; training and cross-validating with %d folds",
             examples->set.nexamples, TRAINED_FOLDS);
    status = trained_learn(&examples->set, &model_options, workspace->topic->examples.ratio, &trained, &err);
    if (status == SCENT_OK)
        status = workspace_keep_examples(workspace, examples, &trained, &err);
    if (status == SCENT_OK &&
        trained_measure(&examples->set, &model_options, workspace->topic->examples.ratio, &trained, &result,
                        &unmeasured) == SCENT_OK)
        quality.result = &result;
    else if (status == SCENT_OK) /* it may still be good enough to try */
        log_line(workspace->log, LOG_WARN, "the quality of the model cannot be measured: %s", unmeasured.text);
    if (status == SCENT_OK)
        status = trained_save(&trained, training_plan_fingerprint(workspace->topic), quality.path, &err);
    quality.model = trained.judge;
    if (status == SCENT_OK)
        report(options, &quality, workspace->log);
    if (quality.result)
        evaluate_release(&result);
    trained_release(&trained);
    return status == SCENT_OK ? workspace_save_sample(workspace, examples) : command_fail(status, &err);
}

static int run_train(const struct command_line *line)
{
    struct train_options *options = line->options;
    struct workspace workspace = {.path = line->arguments[0], .quiet = options->quiet};
    struct training_set *examples = NULL;
    struct log log;
    int code;

    if (network_problem(&options->network))
        return command_misuse(line->command, "%s", network_problem(&options->network));
    log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
    workspace.log = &log;
    code = workspace_open(&workspace, &options->network);
    if (code == EXIT_DONE)
        code = workspace_read_examples(&workspace, NULL, &examples);
    if (code == EXIT_DONE)
        code = train(options, &workspace, examples);
    training_set_free(examples);
    workspace_close(&workspace, &options->network);
    return code;
}

static const struct command_option train_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct train_options, output, "output", 'o', "FILE",
                   "model file (default: TOPIC.model beside TOPIC.yaml, where a crawl looks for it)"),
    NETWORK_OPTIONS(struct train_options, network),
    COMMAND_OPTION(OPTION_FLAG, struct train_options, json, "json", 0, NULL, "print one JSON object"),
    COMMAND_OPTION(OPTION_FLAG, struct train_options, quiet, "quiet", 'q', NULL, "print errors only"),
    {0},
};

const struct command command_train = {
    .name = "train",
    .summary = "Trains the classifier of a topic with its examples and measures its quality",
    .arguments = "TOPIC.yaml",
    .description = "Pages of URL lists are fetched once, into TOPIC.fetched; remove that folder to fetch them again.",
    .example = "scent train hockey.yaml",
    .exits = "0 the model is written, 2 the topic or its examples are not good enough, 3 storage failed, 11 "
             "interrupted while fetching (the same command resumes).",
    .options = train_options,
    .size = sizeof(struct train_options),
    .run = run_train,
};
