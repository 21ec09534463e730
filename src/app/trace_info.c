#include "app/output.h"
#include "app/tracecommands.h"

#include <inttypes.h>

static const int64_t SECOND = 1000000;

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
        fprintf(out, "          %" PRIu64 " files are in no known format and were left out\n", counts->unknown);
    if (counts->damaged)
        fprintf(out, "          %" PRIu64 " compressed files are damaged or cut off\n", counts->damaged);
    if (counts->backwards)
        fprintf(out, "          %" PRIu64 " lines go back in time; they were sorted in\n", counts->backwards);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        if (counts->left[i])
            fprintf(out, "left out  %" PRIu64 "  %s\n", counts->left[i], trace_left_text((enum trace_left)i));
}

void trace_info_print(const struct trace *trace, FILE *out)
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
    struct json_writer w;
    struct buf out;

    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_object_begin(&w);
    json_put_int(&w, "accesses", size.accesses);
    json_put_int(&w, "users", size.users);
    json_put_int(&w, "pages", size.pages);
    json_put_int(&w, "sessions", size.sessions);
    json_put_int(&w, "idle_seconds", size.idle / SECOND);
    json_put_bool(&w, "pseudonyms", !size.keep_users);
    timespan_write(&span, &w);
    write_counts(&w, trace_counts(trace));
    json_object_end(&w);
    puts(buf_z(&out));
    buf_release(&out);
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    int code;
    struct errmsg err = {0};
    struct trace *trace;
    bool json = false;
    scent_status status;

    code = command_options(&trace_info_command, argc, argv, ":h", longs, command_switch, &json);
    if (code >= 0)
        return code;
    if (optind + 1 != argc)
        return command_misuse(&trace_info_command, "give one trace");
    status = trace_load(argv[optind], &trace, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (json)
        print_json(trace);
    else
        trace_info_print(trace, stdout);
    trace_free(trace);
    return EXIT_DONE;
}

const struct command trace_info_command = {
    .name = "trace info",
    .usage = "FILE [--json]",
    .summary = "Tells what a trace holds: users, pages, accesses, sessions, and what was left out and why",
    .help = "      --json              as one JSON object\n",
    .main = run,
};
