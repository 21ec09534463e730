/* cmd_trace - `scent trace`: makes a trace of access logs, and shows what one holds. */
#include "app/command.h"
#include "app/output.h"
#include "base/file.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <sys/random.h>

enum { KEY_FILE_MAX = 4096, DRAWN_KEY = 32, IDLE_MINUTES = 30, IDLE_MINUTES_MAX = 60 * 24 * 365 };
enum { MEMORY_MAX = 1 << 20 }; /* MiB */
static const int64_t SECOND = 1000000, MINUTE = 60 * (int64_t)1000000;

/* ---- trace info ---- */

static struct timespan span_of(const struct trace_size *size)
{
    return (struct timespan){size->accesses != 0, size->first, size->last};
}

static void print_size(const struct trace_size *size, FILE *out)
{
    struct timespan span = span_of(size);

    fprintf(out, "accesses  %" PRIu32 "\nusers     %" PRIu32 "%s\npages     %" PRIu32 "\nsessions  %" PRIu32
            ", cut after %" PRId64 " s without an access\n", size->accesses, size->users,
            size->keep_users ? ", by name" : ", under pseudonyms", size->pages, size->sessions, size->idle / SECOND);
    timespan_print(&span, out);
}

static void print_counts(const struct trace_counts *counts, FILE *out)
{
    fprintf(out, "read      %" PRIu64 " lines of %" PRIu64 " files\n", counts->lines, counts->files);
    if (counts->unknown)
        fprintf(out, "          %" PRIu64 " files have an unknown format and were left out\n", counts->unknown);
    if (counts->damaged)
        fprintf(out, "          %" PRIu64 " compressed files are damaged or cut off\n", counts->damaged);
    if (counts->backwards)
        fprintf(out, "          %" PRIu64 " lines go back in time; they were sorted in\n", counts->backwards);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        if (counts->left[i])
            fprintf(out, "left out  %" PRIu64 "  %s\n", counts->left[i], trace_left_text((enum trace_left)i));
}

static void print_trace(const struct trace *trace, FILE *out)
{
    struct trace_size size = trace_size(trace);

    print_size(&size, out);
    print_counts(trace_counts(trace), out);
}

static void write_counts(struct json_writer *w, const struct trace_counts *counts)
{
    json_put_int(w, "files", counts->files);
    json_put_int(w, "lines", counts->lines);
    json_put_int(w, "backwards", counts->backwards);
    json_put_int(w, "unknown_files", counts->unknown);
    json_put_int(w, "damaged_files", counts->damaged);
    json_key(w, "left_out");
    json_object_begin(w);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        json_put_int(w, trace_left_name((enum trace_left)i), counts->left[i]);
    json_object_end(w);
}

static void print_json(const struct trace *trace)
{
    struct trace_size size = trace_size(trace);
    struct timespan span = span_of(&size);
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_int(w, "accesses", size.accesses);
    json_put_int(w, "users", size.users);
    json_put_int(w, "pages", size.pages);
    json_put_int(w, "sessions", size.sessions);
    json_put_int(w, "idle_seconds", size.idle / SECOND);
    json_put_bool(w, "pseudonyms", !size.keep_users);
    timespan_write(&span, w);
    write_counts(w, trace_counts(trace));
    json_object_end(w);
    json_output_end(&output, stdout);
}

static int run_info(const struct command_line *line)
{
    const struct json_only *options = line->options;
    struct errmsg err = {0};
    struct trace *trace;
    scent_status status = trace_load(line->arguments[0], &trace, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (options->json)
        print_json(trace);
    else
        print_trace(trace, stdout);
    trace_free(trace);
    return EXIT_DONE;
}

static const struct command trace_info_command = {
    .name = "trace info",
    .summary = "Shows what a trace holds: users, pages, accesses, sessions, and what was left out and why",
    .arguments = "FILE",
    .example = "scent trace info library.trace",
    .options = json_only_options,
    .size = sizeof(struct json_only),
    .run = run_info,
};

/* ---- trace import ---- */

struct import_options {
    const char *output, *base, *key;
    int format; /* enum trace_format */
    bool keep_users;
    uint32_t idle, memory; /* minutes; MiB */
};

/* The content of the key file; without one, a random key, which is forgotten. */
static scent_status read_key(const char *key_file, struct buf *key, struct errmsg *err)
{
    scent_status status;

    if (!key_file) {
        if (!buf_reserve(key, DRAWN_KEY) || getrandom(key->p, DRAWN_KEY, 0) != DRAWN_KEY)
            return errmsg_fail(err, SCENT_E_IO, "the system has no random numbers for a key; give a key with --key");
        key->len = DRAWN_KEY;
        return SCENT_OK;
    }
    status = file_read(key_file, key, err);
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: a key has at most %d bytes", key_file, KEY_FILE_MAX);
    if (status == SCENT_OK && !str_trim(buf_str(key)).len)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: the key is empty; write a secret into it",
                           key_file);
    return status;
}

static scent_status save_trace(const struct trace *trace, const char *path, struct errmsg *err)
{
    print_trace(trace, stderr);
    if (trace_size(trace).accesses == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "no access is left, so %s is not written; the counts above tell why",
                           path);
    return trace_save(trace, path, err);
}

static scent_status import_logs(const struct import_options *options, char **logs, size_t count, struct errmsg *err)
{
    struct trace_options trace_options = trace_options_default();
    struct trace *trace = NULL;
    scent_status status;
    struct log log;
    struct buf key;

    buf_init(&key, KEY_FILE_MAX);
    log_init_stderr(&log, LOG_INFO);
    trace_options.format = (enum trace_format)options->format;
    trace_options.base = str_of(options->base);
    trace_options.keep_users = options->keep_users;
    trace_options.idle = options->idle * MINUTE;
    trace_options.memory = (size_t)options->memory << 20;
    status = read_key(options->key, &key, err);
    trace_options.key = str_trim(buf_str(&key));
    if (status == SCENT_OK)
        status = trace_import((const char *const *)logs, count, &trace_options, &log, &trace, err);
    buf_release(&key);
    if (status == SCENT_OK)
        status = save_trace(trace, options->output, err);
    trace_free(trace);
    return status;
}

static int run_import(const struct command_line *line)
{
    struct errmsg err = {0};

    return command_exit(import_logs(line->options, line->arguments, line->count, &err), &err);
}

/* In the order of enum trace_format. */
static const char *const format_names[] = {"guess", "squid", "common", "combined", "plain", NULL};

static const struct command_option import_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct import_options, output, "output", 'o', "FILE",
                   "file of the trace; only its owner can read it", .required = true),
    COMMAND_OPTION(OPTION_CHOICE, struct import_options, format, "format", 'f', "FORMAT",
                   "squid, common, combined, plain ('time user url') or guess, file by file", .choices = format_names),
    COMMAND_OPTION(OPTION_STRING, struct import_options, base, "base", 'b', "URL",
                   "site of logs that have paths only, as those of web servers"),
    COMMAND_OPTION(OPTION_FLAG, struct import_options, keep_users, "keep-users", 0, NULL,
                   "keep the names of users instead of pseudonyms",
                   .manual =
                       "Pseudonyms are HMAC-SHA-256 of the names. URLs are kept as they are, without session ids and "
                       "parameters that track people: a trace can still tell what somebody read."),
    COMMAND_OPTION(OPTION_STRING, struct import_options, key, "key", 0, "FILE",
                   "secret of the pseudonyms (default: a new one, which is forgotten)",
                   .manual = "The same secret gives a user the same pseudonym in another import."),
    COMMAND_OPTION(OPTION_NUMBER, struct import_options, idle, "idle", 0, "MINUTES",
                   "minutes without an access that end a session", .min = 1, .max = IDLE_MINUTES_MAX,
                   .number = IDLE_MINUTES),
    COMMAND_OPTION(OPTION_NUMBER, struct import_options, memory, "memory", 'm', "MIB",
                   "memory that the import may take; it ends where that is full", .min = 1, .max = MEMORY_MAX,
                   .number = TRACE_MEMORY >> 20,
                   .manual =
                       "An access takes 52 bytes, and each new page and user twice its name and 24 to 56 bytes."),
    {0},
};

static const struct command trace_import_command = {
    .name = "trace import",
    .summary = "Makes one trace of access logs, plain or gzip: who looked at which page, and when",
    .arguments = "LOG…",
    .description = "Robots, errors, redirects, images and the like are left out and counted by reason.",
    .example = "scent trace import access.log* -o library.trace -b https://example.org/",
    .options = import_options,
    .size = sizeof(struct import_options),
    .run = run_import,
};

static const struct command *const trace_parts[] = {&trace_import_command, &trace_info_command, NULL};

const struct command command_trace = {
    .name = "trace",
    .summary = "Reads access logs of servers and proxies: who looked at which page",
    .example = "scent trace import access.log -o library.trace",
    .parts = trace_parts,
};
