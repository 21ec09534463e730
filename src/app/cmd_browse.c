/* cmd_browse - `scent browse`: records and imports what a person visited and found useful. Training is in
 * browse_train.c. */
#include "app/command.h"
#include "app/output.h"
#include "base/date.h"
#include "base/file.h"
#include "serve/recorder.h"
#include "trace/browsing.h"
#include "trace/logline.h"
#include "trace/profile.h"

#include <inttypes.h>
#include <unistd.h>

static const int64_t DAY = 24 * 3600 * (int64_t)1000000;

/* ---- browse info ---- */

static struct timespan span_of(const struct browsing_size *size)
{
    return (struct timespan){size->first != 0, size->first, size->last};
}

static void print_browsing(const struct browsing *browsing, FILE *out)
{
    struct browsing_size size = browsing_size(browsing);
    struct timespan span = span_of(&size);

    fprintf(out, "visits    %" PRIu32 ", %" PRIu32 " with the page before\npages     %" PRIu32
            "\nuseful    %" PRIu32, size.visits, size.linked, size.pages, size.useful);
    if (size.only_marked)
        fprintf(out, ", %" PRIu32 " without a visit", size.only_marked);
    fputs("\n", out);
    timespan_print(&span, out);
}

static void print_json(const struct browsing *browsing)
{
    struct browsing_size size = browsing_size(browsing);
    struct timespan span = span_of(&size);
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_int(w, "visits", size.visits);
    json_put_int(w, "linked", size.linked);
    json_put_int(w, "pages", size.pages);
    json_put_int(w, "useful", size.useful);
    json_put_int(w, "useful_without_visit", size.only_marked);
    timespan_write(&span, w);
    json_object_end(w);
    json_output_end(&output, stdout);
}

static int run_info(const struct command_line *line)
{
    const struct json_only *options = line->options;
    struct browsing *browsing;
    struct errmsg err = {0};
    scent_status status;
    struct log log;

    log_init_stderr(&log, LOG_INFO);
    status = browsing_load((const char *const *)line->arguments, line->count, &log, &browsing, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (options->json)
        print_json(browsing);
    else
        print_browsing(browsing, stdout);
    browsing_free(browsing);
    return EXIT_DONE;
}

static const struct command browse_info_command = {
    .name = "browse info",
    .summary = "Shows what browsing files hold together: visits, pages, useful pages, the time span",
    .arguments = "FILE…",
    .example = "scent browse info mine.jsonl",
    .options = json_only_options,
    .size = sizeof(struct json_only),
    .run = run_info,
};

/* ---- browse record ---- */

struct record_options {
    const char *output;
    uint16_t port;
    bool quiet;
};

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The address goes to stdout, so that a script can wait for it. */
static void print_address(const struct recorder *recorder, const struct record_options *options)
{
    if (!options->quiet)
        fputs("Paste this line into the extension, then browse; Ctrl-C ends the recording:\n", stderr);
    printf("http://127.0.0.1:%u/#%s\n", recorder_port(recorder), recorder_token(recorder));
    fflush(stdout);
}

static scent_status record(const struct record_options *options, struct errmsg *err)
{
    struct recorder_options recorder_options = {
        .port = options->port, .name = last_part(options->output), .clock = &clock_system};
    struct recording *recording = NULL;
    struct recorder *recorder = NULL;
    scent_status status;
    struct log log;

    log_init_stderr(&log, options->quiet ? LOG_WARN : LOG_INFO);
    recorder_options.log = &log;
    signals_block();
    status = recording_open(options->output, &log, &recording, err);
    if (status == SCENT_OK)
        status = recorder_start(recording, &recorder_options, &recorder, err);
    if (status == SCENT_OK) {
        print_address(recorder, options);
        signals_wait();
        recorder_stop(recorder);
        fprintf(stderr, "%" PRIu64 " visits and %" PRIu64 " useful pages were added to %s\n",
                recording_counts(recording).visits, recording_counts(recording).useful, options->output);
    }
    recording_close(recording);
    return status;
}

static int run_record(const struct command_line *line)
{
    struct errmsg err = {0};

    return command_exit(record(line->options, &err), &err);
}

static const struct command_option record_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct record_options, output, "output", 'o', "FILE",
                   "browsing file, to which visits are appended", .fallback = "browsing.jsonl",
                   .manual = "Only its owner can read it."),
    COMMAND_OPTION(OPTION_NUMBER, struct record_options, port, "port", 'p', "PORT",
                   "port of 127.0.0.1 (default: a free one)", .max = UINT16_MAX),
    COMMAND_OPTION(OPTION_FLAG, struct record_options, quiet, "quiet", 'q', NULL, "do not show each visit"),
    {0},
};

static const struct command browse_record_command = {
    .name = "browse record",
    .summary = "Records visits and useful pages from the browser extension while you browse, until Ctrl-C",
    .description =
        "The address and the token for the extension are printed on standard output. The token is good for this "
        "recording only.",
    .example = "scent browse record -o mine.jsonl",
    .options = record_options,
    .size = sizeof(struct record_options),
    .run = run_record,
};

/* ---- browse import ---- */

struct import_options {
    const char *output, *folder, *base, *since, *until;
    struct option_list hosts, useful;
};

struct import {
    const struct import_options *options;
    struct browsing_limits limits;
    struct browsing *all;
    struct profile_counts counts;
    const struct log *log;
};

/* ---- what a source is ---- */

static scent_status add_trace(struct import *import, const char *path, struct errmsg *err)
{
    struct trace_options options = trace_options_default();
    struct trace *trace = NULL;
    scent_status status;

    options.memory = BROWSING_MEMORY_MAX; /* since they become visits beside it */
    options.keep_users = true; /* they only group accesses, and are not written */
    options.base = str_of(import->options->base);
    status = trace_import(&path, 1, &options, import->log, &trace, err);
    if (status != SCENT_OK)
        return status;
    status = browsing_add_accesses(import->all, trace, (struct trace_range){0, trace_size(trace).accesses});
    trace_free(trace);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many accesses", path);
}

static scent_status add_browsing(struct import *import, const char *path, struct errmsg *err)
{
    struct browsing_left left = {0};
    struct browsing *browsing;
    scent_status status = browsing_load(&path, 1, import->log, &browsing, err);

    if (status != SCENT_OK)
        return status;
    status = browsing_add_part(import->all, browsing, &(struct browsing_limits){0}, &left);
    browsing_free(browsing);
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: too many visits", path);
}

static scent_status read_head(const char *path, bool *is_browsing, bool *is_log, struct errmsg *err)
{
    struct logsource *source;
    struct str head;
    scent_status status = logsource_open(path, &source, err);

    if (status != SCENT_OK)
        return status;
    status = logsource_head(source, &head, err);
    *is_browsing = status == SCENT_OK && str_starts(str_trim(head), STR("{"));
    *is_log = status == SCENT_OK && logline_guess(head) != TRACE_GUESS;
    logsource_close(source);
    return status;
}

static scent_status add_source(struct import *import, const char *path, struct errmsg *err)
{
    bool is_browsing, is_log;
    scent_status status;
    int fd;

    if (file_is_dir(path))
        return profile_read(path, import->options->folder, import->all, &import->counts, err);
    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err)); /* it is read twice: for its kind, and for what it holds */
    close(fd);
    status = read_head(path, &is_browsing, &is_log, err);
    if (status != SCENT_OK)
        return status;
    if (is_browsing)
        return add_browsing(import, path, err);
    return is_log ? add_trace(import, path, err) : browsing_read_list(import->all, path, err);
}

/* ---- what came of it ---- */

static void print_left_out(const struct import *import, const struct browsing_left *left)
{
    for (int i = PROFILE_PAGE + 1; i < PROFILE_FATES; i++)
        if (import->counts.visits[i])
            fprintf(stderr, "left out  %" PRIu64 "  %s\n", import->counts.visits[i],
                    profile_fate_text((enum profile_fate)i));
    if (import->counts.other_bookmarks)
        fprintf(stderr, "left out  %" PRIu64 "  bookmarks that are neither http nor https\n",
                import->counts.other_bookmarks);
    if (left->dates)
        fprintf(stderr, "left out  %" PRIu64 "  visits outside the dates\n", left->dates);
    if (left->hosts)
        fprintf(stderr, "left out  %" PRIu64 "  visits to other hosts\n", left->hosts);
}

static scent_status save_browsing(const struct browsing *part, const char *path, struct errmsg *err)
{
    struct browsing_size size = browsing_size(part);

    if (!size.pages)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no visit and no useful page is left, so %s is not written; the counts above tell why",
                           path);
    if (!size.useful)
        fputs("scent: warning: no page is marked as useful, and a model needs some; use --useful FILE or bookmarks\n",
              stderr);
    return browsing_save(part, path, err);
}

/* The lists of useful pages come last: limits do not apply to them. */
static scent_status finish_import(const struct import *import, struct errmsg *err)
{
    const struct import_options *options = import->options;
    struct browsing *part = browsing_new();
    struct browsing_left left = {0};
    scent_status status = browsing_add_part(part, import->all, &import->limits, &left);

    if (status != SCENT_OK)
        errmsg_fail(err, status, "out of memory for the visits");
    for (size_t i = 0; i < options->useful.count && status == SCENT_OK; i++)
        status = browsing_read_marks(part, options->useful.items[i], err);
    if (status == SCENT_OK) {
        print_browsing(part, stderr);
        print_left_out(import, &left);
        status = save_browsing(part, options->output, err);
    }
    browsing_free(part);
    return status;
}

static scent_status import_sources(struct import *import, char **sources, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    import->all = browsing_new();
    for (; *sources && status == SCENT_OK; sources++)
        status = add_source(import, *sources, err);
    if (status == SCENT_OK)
        status = finish_import(import, err);
    browsing_free(import->all);
    return status;
}

static bool parse_date(const char *text, bool whole_day, int64_t *out)
{
    if (!text)
        return true;
    if (!date_parse_iso(str_of(text), out))
        return false;
    if (whole_day && !strchr(text, 'T'))
        *out += DAY;
    return true;
}

static int run_import(const struct command_line *line)
{
    static const char date[] = "a date such as 2026-10-01 or 2026-10-01T08:00:00Z";
    const struct import_options *options = line->options;
    struct import import = {.options = options,
                            .limits = {.hosts = options->hosts.items, .nhosts = options->hosts.count}};
    struct browsing_limits *limits = &import.limits;
    struct errmsg err = {0};
    struct log log;

    if (!parse_date(options->since, false, &limits->since))
        return command_invalid(line->command, "since", options->since, date);
    if (!parse_date(options->until, true, &limits->until))
        return command_invalid(line->command, "until", options->until, date);
    if (limits->since && limits->until && limits->since >= limits->until)
        return command_misuse(line->command, "--since is not before --until");
    log_init_stderr(&log, LOG_INFO);
    import.log = &log;
    return command_exit(import_sources(&import, line->arguments, &err), &err);
}

static const struct command_option import_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct import_options, output, "output", 'o', "FILE",
                   "browsing file to write; only its owner can read it", .required = true),
    COMMAND_OPTION(OPTION_LIST, struct import_options, useful, "useful", 'u', "FILE",
                   "list of useful pages, one URL a line; repeatable", .manual = "No limit applies to them."),
    COMMAND_OPTION(OPTION_STRING, struct import_options, folder, "folder", 0, "NAME",
                   "only bookmarks of this folder are useful pages (default: all bookmarks)"),
    COMMAND_OPTION(OPTION_STRING, struct import_options, since, "since", 0, "DATE",
                   "only visits and bookmarks from this date on"),
    COMMAND_OPTION(OPTION_STRING, struct import_options, until, "until", 0, "DATE",
                   "only visits and bookmarks up to this date",
                   .manual = "2026-10-01 (that day is included) or 2026-10-01T08:00:00Z."),
    COMMAND_OPTION(OPTION_LIST, struct import_options, hosts, "host", 0, "HOST",
                   "only this host and its subdomains; repeatable"),
    COMMAND_OPTION(OPTION_STRING, struct import_options, base, "base", 'b', "URL", "site of logs that have paths only"),
    {0},
};

static const struct command browse_import_command = {
    .name = "browse import",
    .summary = "Makes one browsing file of browser profiles, lists of URLs, access logs and browsing files",
    .arguments = "SOURCE…",
    .description =
        "A SOURCE that is a folder is the profile of a Firefox or Chromium, which may be running. A file is a list "
        "of URLs in order (after a tab: the page before it), an access log, or a browsing file.",
    .example = "scent browse import ~/.mozilla/firefox/*.default -o mine.jsonl",
    .options = import_options,
    .size = sizeof(struct import_options),
    .run = run_import,
};

static const struct command *const browse_parts[] = {&browse_record_command, &browse_import_command,
                                                     &browse_info_command, &browse_train_command, NULL};

const struct command command_browse = {
    .name = "browse",
    .summary = "Records what you visited and found useful, and learns what leads to useful pages",
    .example = "scent browse record -o mine.jsonl\nscent browse train mine.jsonl -o mine.model",
    .parts = browse_parts,
};
