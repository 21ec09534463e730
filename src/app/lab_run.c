#include "app/labcommands.h"
#include "app/stopping.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/file.h"
#include "lab/experiment.h"
#include "lab/lab.h"
#include "lab/report.h"
#include "lab/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct arguments {
    const char *experiment, *dir, *cache;
    uint32_t threads;
    bool quiet;
};

/* ---- progress ---- */

struct progress {
    int64_t started, shown;
    const char *what;
    size_t first; /* done when it started */
};

enum { SHOW_US = 200 * 1000 };

static void show(void *ctx, const char *what, size_t done, size_t all)
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

/* ---- results ---- */

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
        {"summary.json", summary_write_json}, {"summary.csv", summary_write_csv}, {"report.html", report_write}};
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < sizeof files / sizeof *files && status == SCENT_OK; i++) {
        struct buf content;

        buf_init(&content, 0);
        status = files[i].write(summary, &content);
        status = status == SCENT_OK ? write_file(dir, files[i].name, &content, err)
                                    : errmsg_fail(err, status, "no memory for %s", files[i].name);
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

/* ---- the command ---- */

static scent_status run_experiment(const struct arguments *arguments, struct errmsg *err)
{
    struct progress progress = {0};
    struct log log;
    struct lab_options options = {
        .dir = arguments->dir,
        .cache = arguments->cache,
        .threads = arguments->threads ? arguments->threads : cores_count(),
        .log = &log,
        .stop = stopping_watch(),
        .progress_ctx = &progress,
    };
    struct experiment *experiment;
    struct summary *summary;
    struct lab *lab;
    scent_status status = experiment_load(arguments->experiment, &experiment, err);

    if (status != SCENT_OK)
        return status;
    log_init_stderr(&log, LOG_WARN);
    if (!arguments->quiet && isatty(STDERR_FILENO))
        options.progress = show;
    status = lab_run(experiment, &options, &lab, err);
    if (status == SCENT_OK) {
        summary = summary_make(lab);
        status = write_results(summary, arguments->dir, err);
        if (status == SCENT_OK && !arguments->quiet) {
            print_table(summary);
            fprintf(stderr, "the report: %s/report.html\n", arguments->dir);
        }
        summary_free(summary);
        lab_free(lab);
    }
    experiment_free(experiment);
    return status;
}

static bool take_option(int option, void *taken)
{
    struct arguments *arguments = taken;
    uint64_t threads;

    switch (option) {
    case 'o':
        arguments->dir = optarg;
        return true;
    case 'c':
        arguments->cache = optarg;
        return true;
    case 'q':
        return arguments->quiet = true;
    default:
        if (!command_number(1, 255, &threads))
            return false;
        arguments->threads = (uint32_t)threads;
        return true;
    }
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {
        {"output", required_argument, NULL, 'o'}, {"cache", required_argument, NULL, 'c'},
        {"threads", required_argument, NULL, 't'}, {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},          {0},
    };
    struct arguments arguments = {0};
    int code = command_options(&lab_run_command, argc, argv, ":o:c:t:qh", longs, take_option, &arguments);
    struct errmsg err = {0};
    scent_status status;

    if (code >= 0)
        return code;
    if (optind + 1 != argc || !arguments.dir)
        return command_misuse(&lab_run_command, "give one experiment file, and where the results go with -o");
    arguments.experiment = argv[optind];
    status = run_experiment(&arguments, &err);
    if (status == SCENT_E_END) {
        fprintf(stderr, "scent: %s\n", err.text);
        return EXIT_INTERRUPTED;
    }
    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}

const struct command lab_run_command = {
    .name = "lab run",
    .usage = "EXPERIMENT.yaml -o DIR [-t N] [-c DIR] [-q]",
    .summary = "Runs the experiment: every strategy on every topic, measured and compared",
    .help = "Pages, seeds, examples and budget are the same for all, so the figures can be compared; the same experiment gives the\n"
            "same bytes. Interrupted, it goes on when it is run again. The file is explained in docs/lab.md; try\n"
            "  scent lab run examples/lab/generated.yaml -o results\n\n"
            "  -o, --output DIR        where the crawls (runs/), report.html, summary.json and summary.csv go\n"
            "  -t, --threads N         1 to 255; default: one a core\n"
            "  -c, --cache DIR         where analysed pages are kept (default: the user's cache folder)\n"
            "  -q, --quiet             no progress, no table\n",
    .main = run,
};
