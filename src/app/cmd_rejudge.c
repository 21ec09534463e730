/* cmd_rejudge - `scent rejudge`: all pages of a crawl by one judge, that of the crawl or of another topic file. */
#include "app/command.h"
#include "app/output.h"
#include "app/workspace.h"
#include "crawldir/rejudge.h"
#include "pdf/pdf_reader.h"

#include <inttypes.h>
#include <unistd.h>

struct rejudge_arguments {
    struct network network;
    uint32_t threads;
    bool json, quiet, allow_programs;
};

struct rejudging {
    const struct rejudge_arguments *given;
    struct workspace workspace;
    const char *dir;
    bool is_other; /* topic than the crawl's */
    struct rejudge_report report;
    uint64_t relevant;
    int64_t took_us;
};

static void show_progress(void *ctx, const struct rejudge_progress *progress)
{
    (void)ctx;
    fprintf(stderr, "\r\033[K%s: %" PRIu64 " of %" PRIu64 " pages", progress->what, progress->done, progress->of);
    fflush(stderr);
}

/* The crawl's own model and browsing model, or those of the topic that is given, which become the crawl's. */
static int find_knowledge(struct rejudging *rejudging)
{
    struct workspace *workspace = &rejudging->workspace;
    const char *dir = rejudging->is_other ? NULL : rejudging->dir;
    int code;

    workspace->reads_only = !rejudging->is_other;
    code = workspace_find_model(workspace, dir);
    if (code == EXIT_USAGE && workspace->reads_only)
        fprintf(stderr, "scent: error: %s/learned/model is missing; give the topic file: scent rejudge %s TOPIC.yaml\n",
                rejudging->dir, rejudging->dir);
    if (code == EXIT_DONE)
        code = workspace_find_browsing(workspace, dir);
    return code == EXIT_DONE ? workspace_find_judge(workspace, dir) : code;
}

static scent_status keep_topic(struct rejudging *rejudging, struct errmsg *err)
{
    if (!rejudging->is_other)
        return SCENT_OK;
    SCENT_TRY(workspace_replace_learned(&rejudging->workspace, rejudging->dir, err));
    return crawldir_replace(rejudging->dir, CRAWLDIR_TOPIC, rejudging->workspace.topic->source, err);
}

static scent_status judge_all(struct rejudging *rejudging, struct store *store, struct errmsg *err)
{
    struct workspace *workspace = &rejudging->workspace;
    struct errmsg no_pdf;
    struct pdf_reader *pdf = pdf_reader_new(NULL, NULL, &no_pdf);
    bool on_terminal = !rejudging->given->quiet && isatty(STDERR_FILENO);
    struct rejudge_options options = {
        .dir = rejudging->dir,
        .store = store,
        .topic = workspace->topic,
        .knowledge = &workspace->knowledge,
        .pdf = pdf_reader_option(pdf),
        .clock = &clock_system,
        .log = workspace->log,
        .stop = signals_watch(),
        .threads = rejudging->given->threads,
        .on_progress = on_terminal ? show_progress : NULL,
    };
    struct store_counts counts = {0};
    int64_t began = clock_mono(&clock_system);
    scent_status status = judged_compare(store, workspace->topic, &workspace->knowledge, workspace->log,
                                          &options.anew, err);

    if (status == SCENT_OK)
        status = rejudge_crawl(&options, &rejudging->report, err);
    rejudging->took_us = clock_mono(&clock_system) - began;
    if (status == SCENT_OK)
        status = store_count(store, &counts, err);
    rejudging->relevant = counts.relevant;
    if (on_terminal)
        fputs("\r\033[K", stderr);
    pdf_reader_free(pdf);
    return status;
}

static double per_second(const struct rejudging *rejudging)
{
    return rejudging->took_us > 0 ? (double)rejudging->report.read * 1e6 / (double)rejudging->took_us : 0;
}

static void print_json(const struct rejudging *rejudging)
{
    const struct rejudge_report *report = &rejudging->report;
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_int(w, "judge", report->judge);
    json_put_int(w, "pages", (int64_t)report->pages);
    json_put_int(w, "read", (int64_t)report->read);
    json_put_int(w, "relevant", (int64_t)rejudging->relevant);
    json_put_int(w, "gained", (int64_t)report->gained);
    json_put_int(w, "lost", (int64_t)report->lost);
    json_put_int(w, "damaged", (int64_t)report->damaged);
    json_put_int(w, "unanswered", (int64_t)report->unanswered);
    json_put_int(w, "not_archived", (int64_t)report->unkept);
    json_put_bool(w, "interrupted", report->stopped);
    json_put_double(w, "seconds", (double)rejudging->took_us / 1e6);
    json_object_end(w);
    json_output_end(&output, stdout);
}

static void print_text(const struct rejudging *rejudging)
{
    const struct rejudge_report *report = &rejudging->report;

    if (report->stopped)
        printf("%s: interrupted; the same command resumes\n", rejudging->dir);
    else
        printf("%s: all %" PRIu64 " pages have a verdict of one judge, %" PRIu64 " are relevant\n", rejudging->dir,
               report->pages, rejudging->relevant);
    if (report->read == 0)
        printf("no page had to be judged again\n");
    else
        printf("%" PRIu64 " pages were judged again (%.0f pages/s), and %" PRIu64 " verdicts have changed: %" PRIu64
               " became relevant, %" PRIu64 " are no longer relevant\n",
               report->read, per_second(rejudging), report->gained + report->lost, report->gained, report->lost);
    if (report->unkept)
        printf("%" PRIu64 " pages asked not to be archived, and keep the verdict that they had\n", report->unkept);
    if (report->unanswered)
        printf("the judge has not answered for %" PRIu64 " pages, which keep the verdict that they had\n",
               report->unanswered);
    if (report->damaged)
        printf("%" PRIu64 " pages could not be read, and keep the verdict that they had\n", report->damaged);
}

static int rejudge(struct rejudging *rejudging)
{
    struct errmsg err = {{0}};
    struct store *store;
    scent_status status = crawldir_open(rejudging->dir, STORE_CHANGE, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = keep_topic(rejudging, &err);
    if (status == SCENT_OK)
        status = judge_all(rejudging, store, &err);
    store_close(store);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (rejudging->given->json)
        print_json(rejudging);
    else if (!rejudging->given->quiet)
        print_text(rejudging);
    return rejudging->report.stopped ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int run_rejudge(const struct command_line *line)
{
    struct rejudge_arguments *given = line->options;
    struct crawldir_path own = crawldir_path(line->arguments[0], CRAWLDIR_TOPIC);
    struct rejudging rejudging = {.given = given, .dir = line->arguments[0], .is_other = line->count > 1};
    struct workspace *workspace = &rejudging.workspace;
    struct log log;
    int code;

    if (network_problem(&given->network))
        return command_misuse(line->command, "%s", network_problem(&given->network));
    log_init_stderr(&log, given->quiet ? LOG_ERROR : LOG_INFO);
    workspace->path = rejudging.is_other ? line->arguments[1] : own.text;
    workspace->quiet = given->quiet;
    workspace->allow_programs = given->allow_programs;
    workspace->log = &log;
    code = workspace_expect_crawl(rejudging.dir);
    if (code != EXIT_DONE)
        return code;
    code = workspace_open(workspace, &given->network);
    if (code == EXIT_DONE)
        code = find_knowledge(&rejudging);
    if (code == EXIT_DONE)
        code = rejudge(&rejudging);
    workspace_close(workspace, &given->network);
    return code;
}

static const struct command_option rejudge_options[] = {
    COMMAND_OPTION(OPTION_NUMBER, struct rejudge_arguments, threads, "threads", 0, "N",
                   "analysis threads (default: one a core)", .rare = true, .min = 1, .max = 256),
    COMMAND_OPTION(OPTION_FLAG, struct rejudge_arguments, allow_programs, "allow-programs", 0, NULL,
                   "run the judge that a crawl of others names", .rare = true, .manual = PROGRAMS_MANUAL),
    NETWORK_OPTIONS(struct rejudge_arguments, network),
    COMMAND_OPTION(OPTION_FLAG, struct rejudge_arguments, json, "json", 0, NULL, "print one JSON object"),
    COMMAND_OPTION(OPTION_FLAG, struct rejudge_arguments, quiet, "quiet", 'q', NULL, "no messages but errors"),
    {0},
};

const struct command command_rejudge = {
    .name = "rejudge",
    .summary = "Judges the pages of a crawl again, all by one judge",
    .arguments = "DIR [TOPIC.yaml]",
    .description =
        "A crawl does so when it ends; this is for one that was interrupted, and for another topic file, whose "
        "'relevant', query or examples replace those of the crawl. Pages are read from the WARC files. The crawl must "
        "not be running.",
    .example = "scent rejudge hockey.crawl hockey.yaml",
    .exits = "11 interrupted: the same command resumes.",
    .options = rejudge_options,
    .size = sizeof(struct rejudge_arguments),
    .run = run_rejudge,
};
