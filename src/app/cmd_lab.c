/* cmd_lab - `scent lab`: runs experiments, compares their results, measures the contexts of links. */
#include "app/command.h"
#include "app/output.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/machine.h"
#include "lab/calibrate.h"
#include "lab/compare.h"
#include "lab/context_quality.h"
#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/labels.h"
#include "lab/model_quality.h"
#include "lab/summary.h"

#include <stdlib.h>
#include <unistd.h>

struct run_options {
    const char *dir, *cache;
    uint32_t threads;
    bool quiet;
};

/* ---- lab run: progress ---- */

struct progress {
    int64_t started, shown;
    const char *what;
    size_t first; /* done when it started */
};

enum { SHOW_US = 200 * 1000 };

static void show_progress(void *ctx, const char *what, size_t done, size_t all)
{
    struct progress *progress = ctx;
    int64_t now = clock_mono(&clock_system), left;

    if (progress->what != what)
        *progress = (struct progress){.started = now, .what = what, .first = done};
    if (now - progress->shown < SHOW_US && done < all)
        return;
    progress->shown = now;
    left = done > progress->first
               ? (now - progress->started) / (int64_t)(done - progress->first) * (int64_t)(all - done) / 1000000
               : 0;
    fprintf(stderr, "\r\033[K%s: %zu of %zu, %lld s left", what, done, all, (long long)left);
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* ---- lab run: results ---- */

static scent_status write_file(const char *dir, const char *name, const struct buf *content, struct errmsg *err)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return file_replace(path, buf_str(content), err);
}

typedef scent_status writing_fn(const struct summary *summary, struct buf *out);

static scent_status write_results(const struct summary *summary, const char *dir, struct errmsg *err)
{
    static const struct {
        const char *name;
        writing_fn *write;
    } files[] = {
        {"summary.json", summary_write_json}, {"summary.csv", summary_write_csv}, {"times.csv", summary_write_times},
        {"report.html", report_write}};
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < sizeof files / sizeof *files && status == SCENT_OK; i++) {
        struct buf content;

        buf_init(&content, 0);
        status = files[i].write(summary, &content);
        status = status == SCENT_OK ? write_file(dir, files[i].name, &content, err)
                                    : errmsg_fail(err, status, "out of memory for %s", files[i].name);
        buf_release(&content);
    }
    return status;
}

static void print_table(const struct summary *summary)
{
    size_t *order = malloc(summary->nseries * sizeof *order), last = summary->points.npoints - 1;

    SCENT_BUG_IF(!order);
    summary_rank(summary, order);
    printf("%-28s %18s %18s\n", "strategy", "harvest", "recall");
    for (size_t i = 0; i < summary->nseries; i++) {
        size_t s = order[i];
        double harvest_error, recall_error;
        double harvest = summary_mean(summary, &summary->points, SUMMARY_HARVEST, s, last, &harvest_error);
        double recall = summary_mean(summary, &summary->points, SUMMARY_RECALL, s, last, &recall_error);

        printf("%-28.*s %6.4f +- %.4f%-3s %6.4f +- %.4f%-3s\n", STR_ARG(summary->series[s]), harvest, harvest_error,
               summary_stars(summary_test_of(summary, SUMMARY_HARVEST, s, last)->t_holm), recall, recall_error,
               summary_stars(summary_test_of(summary, SUMMARY_RECALL, s, last)->t_holm));
    }
    printf("after %u pages, means over %zu topics +- standard error; * ** ***: better than %.*s, p < .05 .01 .001 "
           "(paired t-test, Holm)\n", summary->points.points[last], summary->lab->ntopics,
           STR_ARG(summary->series[summary->lab->experiment->baseline]));
    free(order);
}

/* ---- lab run ---- */

static scent_status run_experiment(const struct run_options *options, const char *path, struct errmsg *err)
{
    struct progress progress = {0};
    struct log log;
    struct lab_options lab_options = {
        .dir = options->dir,
        .cache = options->cache,
        .threads = options->threads ? options->threads : cores_count(),
        .log = &log,
        .stop = signals_watch(),
        .progress_ctx = &progress,
    };
    struct experiment *experiment;
    struct summary *summary;
    struct lab *lab;
    scent_status status = experiment_load(path, &experiment, err);

    if (status != SCENT_OK)
        return status;
    log_init_stderr(&log, LOG_WARN);
    if (!options->quiet && isatty(STDERR_FILENO))
        lab_options.progress = show_progress;
    status = lab_run(experiment, &lab_options, &lab, err);
    if (status == SCENT_OK) {
        summary = summary_make(lab);
        status = write_results(summary, options->dir, err);
        if (status == SCENT_OK && !options->quiet) {
            print_table(summary);
            fprintf(stderr, "the report: %s/report.html\n", options->dir);
        }
        summary_free(summary);
        lab_free(lab);
    }
    experiment_free(experiment);
    return status;
}

static int run_lab(const struct command_line *line)
{
    struct errmsg err = {0};
    scent_status status = run_experiment(line->options, line->arguments[0], &err);

    if (status == SCENT_E_END) {
        fprintf(stderr, "scent: %s\n", err.text);
        return EXIT_INTERRUPTED;
    }
    return command_exit(status, &err);
}

static const struct command_option run_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct run_options, dir, "output", 'o', "DIR",
                   "directory for the crawls (runs/), report.html, summary.json and summary.csv", .required = true),
    COMMAND_OPTION(OPTION_NUMBER, struct run_options, threads, "threads", 't', "N",
                   "crawls at the same time (default: one a core)", .min = 1, .max = 255),
    COMMAND_OPTION(OPTION_STRING, struct run_options, cache, "cache", 'c', "DIR",
                   "directory for analysed pages (default: the user's cache folder)"),
    COMMAND_OPTION(OPTION_FLAG, struct run_options, quiet, "quiet", 'q', NULL, "no progress line and no table"),
    {0},
};

static const struct command lab_run_command = {
    .name = "lab run",
    .summary = "Runs an experiment: every strategy on every topic, measured and compared",
    .arguments = "EXPERIMENT.yaml",
    .description =
        "Pages, seeds, examples and budget are the same for all strategies, so that the figures can be compared; "
        "the same experiment gives the same bytes. An interrupted experiment resumes when it is run again. "
        "The file is explained in docs/guide/lab.md.",
    .example = "scent lab run examples/lab/generated.yaml -o results",
    .exits = "0 done, 2 bad usage or experiment, 3 storage failed, 11 interrupted (the same command resumes).",
    .options = run_options,
    .size = sizeof(struct run_options),
    .run = run_lab,
};

/* ---- lab compare ---- */

struct compare_options {
    bool csv, json;
    const char *against;
    int measure;
    uint32_t possible;
};

static const char *const compared_measures[] = {"harvest", "recall", NULL};

/* Results may be somebody else's, and so are the names in them. */
static void print_plain(struct buf *text, FILE *file)
{
    FILE *out = output_plain(file);

    fwrite(buf_z(text), 1, text->len, out);
    fclose(out);
}

static scent_status show_comparison(char *const *dirs, size_t count, const struct compare_options *options,
                                    struct errmsg *err)
{
    struct compare *compare;
    struct buf out, remarks;
    scent_status status = compare_open(dirs, count, &compare, err);

    if (status != SCENT_OK)
        return status;
    buf_init(&out, 0);
    buf_init(&remarks, 0);
    compare_remarks(compare, &remarks);
    if (options->against)
        status = compare_write_against(compare, options->against, compared_measures[options->measure], &out, err);
    else if (options->possible)
        status = compare_write_possible(compare, options->possible, &out, err);
    else if (options->csv)
        compare_write_csv(compare, &out);
    else if (options->json)
        compare_write_json(compare, &out);
    else
        compare_write_table(compare, &out);
    print_plain(&remarks, stderr);
    if (options->csv || options->json)
        fwrite(buf_z(&out), 1, out.len, stdout); /* a buffer without bytes has no pointer; buf_z() has one */
    else
        print_plain(&out, stdout);
    if (out.failed)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the comparison");
    else if (status == SCENT_OK && fflush(stdout) != 0)
        status = errmsg_fail(err, SCENT_E_IO, "the comparison cannot be written");
    buf_release(&out);
    buf_release(&remarks);
    compare_free(compare);
    return status;
}

static int run_compare(const struct command_line *line)
{
    const struct compare_options *options = line->options;
    struct errmsg err = {0};

    if (options->csv + options->json + (options->against != NULL) + (options->possible > 0) > 1)
        return command_misuse(line->command, "only one of --csv, --json, --against and --possible can be given");
    return command_exit(show_comparison(line->arguments, line->count, options, &err), &err);
}

static const struct command_option compare_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct compare_options, csv, "csv", 0, NULL,
                   "all measures at all common points, for a spreadsheet"),
    COMMAND_OPTION(OPTION_FLAG, struct compare_options, json, "json", 0, NULL, "the same as JSON, one object a line"),
    COMMAND_OPTION(OPTION_STRING, struct compare_options, against, "against", 0, "STRATEGY",
                   "this strategy against each other one of its directory, at all common points: means, topics won and "
                   "lost, p of Wilcoxon's signed-rank test (two-sided, exact up to 40 topics, Holm)"),
    COMMAND_OPTION(OPTION_CHOICE, struct compare_options, measure, "measure", 0, "MEASURE",
                   "with --against: harvest or recall", .choices = compared_measures),
    COMMAND_OPTION(OPTION_NUMBER, struct compare_options, possible, "possible", 0, "PAGES",
                   "harvest after so many pages as a share of what is possible: 0 breadth-first, 1 the one-step oracle",
                   .min = 1, .max = UINT32_MAX),
    {0},
};

static const struct command lab_compare_command = {
    .name = "lab compare",
    .summary = "Compares the results of several experiments",
    .arguments = "DIR…",
    .description =
        "Every strategy of every directory is compared with the baseline of the first one, over the topics that "
        "both have. Differences in collection, topics or numbers are reported on standard error.",
    .example = "scent lab compare results results-other-seeds",
    .options = compare_options,
    .size = sizeof(struct compare_options),
    .run = run_compare,
};

/* ---- lab contexts ---- */

struct contexts_options {
    const char *labels, *category, *descriptions, *cache;
    uint32_t backlinks, words, max_pages;
    uint64_t seed, page_bytes;
    bool json;
};

/* The pages that the labels (file NULL: the web's own) name: with a category those of it, else all that have one. NULL:
 * all there are. */
static scent_status mark_labelled(const char *file, const char *category, const struct collection *collection,
                                  const struct log *log, bool **out, struct errmsg *err)
{
    struct labels labels;
    scent_status status = SCENT_OK;
    size_t count = 1;

    *out = NULL;
    if (!file && !category)
        return SCENT_OK;
    status = labels_read(collection, file, log, &labels, err);
    if (status != SCENT_OK)
        return status;
    *out = calloc(collection_count(collection) + (size_t)1, sizeof **out);
    if (!*out)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the labels");
    else if (category)
        count = labels_mark(&labels, str_of(category), *out);
    else
        for (size_t i = 0; i < labels.count; i++)
            (*out)[labels.rows[i].page] = true;
    if (status == SCENT_OK && count == 0)
        status = errmsg_fail(err, SCENT_E_INVALID, "no page has the category '%s'", category);
    labels_release(&labels);
    return status;
}

static scent_status print_text(const struct buf *text, struct errmsg *err)
{
    if (text->failed)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the table");
    fwrite(text->p, 1, text->len, stdout);
    return SCENT_OK;
}

static scent_status print_contexts(const struct context_quality *quality, const struct context_quality_options *options,
                          bool json, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    if (json)
        context_quality_write_json(quality, options, &text);
    else
        context_quality_print(quality, &text);
    status = print_text(&text, err);
    buf_release(&text);
    return status;
}

static scent_status measure_contexts(const struct contexts_options *given, const struct collection *collection,
                            const struct log *log, struct errmsg *err)
{
    struct context_quality_options options = {
        .backlinks = given->backlinks,
        .description = given->words,
        .seed = given->seed,
    };
    struct labels descriptions = {0};
    struct context_quality quality;
    bool *targets;
    scent_status status = mark_labelled(given->labels, given->category, collection, log, &targets, err);

    options.targets = targets;
    if (status == SCENT_OK && given->descriptions) {
        status = labels_read(collection, given->descriptions, log, &descriptions, err);
        options.descriptions = status == SCENT_OK ? &descriptions : NULL;
    }
    if (status == SCENT_OK)
        status = context_quality_measure(collection, &options, &quality, err);
    if (status == SCENT_OK && quality.contexts == 0)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "the collection has no links between its pages: there is nothing to measure");
    if (status == SCENT_OK)
        status = print_contexts(&quality, &options, given->json, err);
    if (options.descriptions)
        labels_release(&descriptions);
    free(targets);
    return status;
}

static scent_status open_and_measure(const struct contexts_options *given, const char *path, struct errmsg *err)
{
    struct log log;
    struct collection_options options = {
        .path = path,
        .cache = given->cache,
        .max_pages = given->max_pages,
        .page_bytes = given->page_bytes,
        .threads = cores_count(),
        .log = &log,
    };
    struct collection *collection;
    scent_status status;

    log_init_stderr(&log, LOG_WARN);
    status = collection_open(&options, &collection, err);
    if (status != SCENT_OK)
        return status;
    status = measure_contexts(given, collection, &log, err);
    collection_close(collection);
    return status;
}

static int run_contexts(const struct command_line *line)
{
    struct errmsg err = {0};

    return command_exit(open_and_measure(line->options, line->arguments[0], &err), &err);
}

static const struct command_option contexts_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct contexts_options, labels, "labels", 0, "FILE",
                   "only links to pages with a label (URL<TAB>dotted.category)"),
    COMMAND_OPTION(OPTION_STRING, struct contexts_options, category, "category", 0, "C",
                   "only links to pages of this category and those below it"),
    COMMAND_OPTION(OPTION_NUMBER, struct contexts_options, backlinks, "backlinks", 0, "N",
                   "links to each page, drawn at random from different pages", .min = 1, .max = 1000000, .number = 1),
    COMMAND_OPTION(OPTION_STRING, struct contexts_options, descriptions, "descriptions", 0, "FILE",
                   "compare with given descriptions (URL<TAB>text), of pages that have one"),
    COMMAND_OPTION(OPTION_NUMBER, struct contexts_options, words, "words", 0, "N",
                   "first words of a page that stand for it", .min = 1, .max = 1000000, .number = 30),
    COMMAND_OPTION(OPTION_NUMBER, struct contexts_options, seed, "seed", 0, "N", "seed of the random numbers",
                   .max = INT64_MAX, .number = 1),
    COMMAND_OPTION(OPTION_NUMBER, struct contexts_options, max_pages, "max-pages", 0, "N",
                   "pages of a generated web (default: 20000)", .min = 1, .max = COLLECTION_PAGES_MAX),
    COMMAND_OPTION(OPTION_NUMBER, struct contexts_options, page_bytes, "page-bytes", 0, "N",
                   "read the first N bytes of a page only", .min = 1 << 10, .max = 64 << 20),
    COMMAND_OPTION(OPTION_STRING, struct contexts_options, cache, "cache", 'c', "DIR",
                   "directory for analysed pages (default: the user's cache folder)"),
    COMMAND_OPTION(OPTION_FLAG, struct contexts_options, json, "json", 0, NULL, "print one JSON object"),
    {0},
};

static const struct command lab_contexts_command = {
    .name = "lab contexts",
    .summary = "Measures how well the words around links describe the pages behind them",
    .arguments = "COLLECTION",
    .example = "scent lab contexts collection/ --category Science.Physics",
    .options = contexts_options,
    .size = sizeof(struct contexts_options),
    .run = run_contexts,
};

/* ---- lab calibrate ---- */

struct calibrate_given {
    const char *query, *labels, *category, *judgements, *cache;
    double around, width;
    uint32_t pages, max_pages;
    uint64_t seed;
    bool json;
};

/* The verdicts of a person: a new sheet is written, a filled one is read. *written: there is nothing to show yet. */
static scent_status ask_person(struct calibration *calibration, const struct collection *collection, const char *path,
                               bool *written, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 64 << 20);
    status = file_read(path, &text, err);
    *written = status == SCENT_E_NOTFOUND;
    if (status == SCENT_OK)
        status = calibrate_read_sheet(calibration, collection, buf_str(&text), path, err);
    if (*written) {
        calibrate_write_sheet(calibration, collection, &text);
        status = text.failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory for %s", path)
                             : file_replace(path, buf_str(&text), err);
    }
    buf_release(&text);
    return status;
}

static scent_status show_calibration(const struct calibration *calibration, bool json, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    buf_init(&text, 0);
    if (json)
        calibrate_write_json(calibration, &text);
    else
        calibrate_print(calibration, &text);
    status = print_text(&text, err);
    buf_release(&text);
    return status;
}

static scent_status calibrate(const struct calibrate_given *given, const struct collection *collection,
                              const struct log *log, struct errmsg *err)
{
    const struct calibrate_options options = {.query = str_of(given->query), .around = given->around,
                                              .width = given->width, .pages = given->pages, .seed = given->seed};
    struct calibration calibration;
    bool *relevant = NULL, written = false;
    scent_status status;

    SCENT_TRY(mark_labelled(given->judgements ? NULL : given->labels, given->category, collection, log, &relevant,
                            err));
    status = calibrate_sample(collection, &options, &calibration, err);
    if (status == SCENT_OK) {
        if (given->judgements)
            status = ask_person(&calibration, collection, given->judgements, &written, err);
        else
            calibrate_judge(&calibration, relevant);
        if (written && status == SCENT_OK)
            fprintf(stderr, "%s is written: replace each ? by y or n, and run the same command again\n",
                    given->judgements);
        else if (status == SCENT_OK)
            status = show_calibration(&calibration, given->json, err);
        calibrate_release(&calibration);
    }
    free(relevant);
    return status;
}

static int run_calibrate(const struct command_line *line)
{
    const struct calibrate_given *given = line->options;
    struct log log;
    struct collection_options options = {.path = line->arguments[0], .cache = given->cache,
                                         .max_pages = given->max_pages, .threads = cores_count(), .log = &log};
    struct collection *collection;
    struct errmsg err = {0};
    scent_status status;

    if (!given->judgements == !given->category)
        return command_misuse(line->command, "who judges? Give either --judgements FILE (a person) or --category C "
                                             "(the labels)");
    log_init_stderr(&log, LOG_WARN);
    status = collection_open(&options, &collection, &err);
    if (status == SCENT_OK) {
        status = calibrate(given, collection, &log, &err);
        collection_close(collection);
    }
    return command_exit(status, &err);
}

static const struct command_option calibrate_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct calibrate_given, query, "query", 0, "Q", "the topic's query",
                   .required = true),
    COMMAND_OPTION(OPTION_STRING, struct calibrate_given, judgements, "judgements", 0, "FILE",
                   "a person judges: written with a ? a page at first, read once these are y or n"),
    COMMAND_OPTION(OPTION_STRING, struct calibrate_given, category, "category", 0, "C",
                   "the labels judge: pages of this category and those below it are relevant"),
    COMMAND_OPTION(OPTION_STRING, struct calibrate_given, labels, "labels", 0, "FILE",
                   "the labels (URL<TAB>dotted.category; default: those of the generated web)"),
    COMMAND_OPTION(OPTION_SHARE, struct calibrate_given, around, "around", 0, "X", "the threshold in question",
                   .fallback = "0.45"),
    COMMAND_OPTION(OPTION_SHARE, struct calibrate_given, width, "width", 0, "X",
                   "how far the sample reaches on each side", .fallback = "0.05"),
    COMMAND_OPTION(OPTION_NUMBER, struct calibrate_given, pages, "pages", 0, "N", "pages to be judged", .min = 11,
                   .max = 1000000, .number = 45),
    COMMAND_OPTION(OPTION_NUMBER, struct calibrate_given, seed, "seed", 0, "N", "seed of the random numbers",
                   .max = INT64_MAX, .number = 1),
    COMMAND_OPTION(OPTION_NUMBER, struct calibrate_given, max_pages, "max-pages", 0, "N",
                   "pages of a generated web (default: 20000)", .min = 1, .max = COLLECTION_PAGES_MAX),
    COMMAND_OPTION(OPTION_STRING, struct calibrate_given, cache, "cache", 'c', "DIR",
                   "directory for analysed pages (default: the user's cache folder)"),
    COMMAND_OPTION(OPTION_FLAG, struct calibrate_given, json, "json", 0, NULL, "print one JSON object"),
    {0},
};

static const struct command lab_calibrate_command = {
    .name = "lab calibrate",
    .summary = "Finds the belief above which pages are relevant to a query",
    .arguments = "COLLECTION",
    .example = "scent lab calibrate pages/ --query '#sum(ice hockey)' --judgements j.tsv",
    .options = calibrate_options,
    .size = sizeof(struct calibrate_given),
    .run = run_calibrate,
};

/* ---- lab models ---- */

struct models_options {
    const char *cache;
    uint32_t folds;
    bool json;
};

static scent_status measure_models(const struct models_options *given, const char *path, struct errmsg *err)
{
    struct log log;
    struct lab_options options = {.cache = given->cache, .threads = cores_count(), .log = &log};
    struct model_quality_table table;
    struct experiment *experiment;
    struct lab *lab = NULL;
    scent_status status;

    log_init_stderr(&log, LOG_WARN);
    SCENT_TRY(experiment_load(path, &experiment, err));
    status = lab_open(experiment, &options, &lab, err);
    if (status == SCENT_OK) {
        status = model_quality_measure(lab, given->folds, &table, err);
        lab_free(lab);
    }
    if (status == SCENT_OK) {
        struct buf text;

        buf_init(&text, 0);
        if (given->json)
            model_quality_write_json(&table, &text);
        else
            model_quality_print(&table, &text);
        status = print_text(&text, err);
        buf_release(&text);
        model_quality_release(&table);
    }
    experiment_free(experiment);
    return status;
}

static int run_models(const struct command_line *line)
{
    struct errmsg err = {0};

    return command_exit(measure_models(line->options, line->arguments[0], &err), &err);
}

static const struct command_option models_options[] = {
    COMMAND_OPTION(OPTION_NUMBER, struct models_options, folds, "folds", 0, "N", "parts of the cross-validation",
                   .min = 2, .max = 100, .number = 10),
    COMMAND_OPTION(OPTION_STRING, struct models_options, cache, "cache", 'c', "DIR",
                   "directory for analysed pages (default: the user's cache folder)"),
    COMMAND_OPTION(OPTION_FLAG, struct models_options, json, "json", 0, NULL, "print one JSON object"),
    {0},
};

static const struct command lab_models_command = {
    .name = "lab models",
    .summary = "Measures the models of an experiment: accuracy, training time",
    .arguments = "EXPERIMENT.yaml",
    .description = "Every kind of model that the strategies have is trained for every topic, with the examples that "
                   "its crawls would get. Nothing is crawled.",
    .example = "scent lab models examples/lab/pant.yaml",
    .options = models_options,
    .size = sizeof(struct models_options),
    .run = run_models,
};

static const struct command *const lab_parts[] = {
    &lab_run_command, &lab_compare_command, &lab_contexts_command, &lab_models_command, &lab_calibrate_command,
    &lab_fit_command, NULL};

const struct command command_lab = {
    .name = "lab",
    .summary = "Compares strategies on the same collection, with statistics",
    .description =
        "Crawls archived or generated webs in process, with the same seeds, judge and budget for every strategy "
        "(docs/guide/lab.md; experiments: examples/lab).",
    .example = "scent lab run examples/lab/generated.yaml -o results",
    .parts = lab_parts,
};
