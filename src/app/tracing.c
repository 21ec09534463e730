#include "app/tracing.h"

#include "app/command.h"
#include "base/file.h"
#include "crawldir/learned.h"
#include "strategy/strategy.h"
#include "trace/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { KEPT_MAX = 16 << 20, PRINT_LEN = 16 };

/* ---- reading ---- */

/* The traces of single files, or of logs of one site, until they are one. */
struct tracing {
    struct topic *topic;
    const struct log *log;
    struct trace **parts;
    size_t nparts;
    bool *read; /* of the topic's files */
};

static scent_status check_files(const struct topic *topic, struct errmsg *err)
{
    for (size_t i = 0; i < topic->ntraces; i++) {
        const char *file = topic->traces[i].file.p;

        if (file_is_dir(file))
            return errmsg_fail(err, SCENT_E_INVALID, "%s: %s is a folder; name the access logs in it one by one",
                               topic->traces[i].place.p, file);
        if (access(file, R_OK) != 0)
            return errmsg_fail(err, SCENT_E_INVALID, "%s: %s: %s; give the path of an access log, or of a file that "
                               "'scent trace import' made, as seen from the topic file", topic->traces[i].place.p, file,
                               strerror(errno));
    }
    return SCENT_OK;
}

static scent_status load_saved(struct tracing *tracing, size_t i, struct errmsg *err)
{
    const struct topic_trace *one = &tracing->topic->traces[i];
    struct errmsg why = {{0}};
    scent_status status = trace_load(one->file.p, &tracing->parts[tracing->nparts], &why);

    tracing->read[i] = true;
    tracing->nparts += status == SCENT_OK;
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", one->place.p, why.text);
}

/* This log and all further ones of its site at once, so that a robot is one in all of them. Nobody is shown the names of
 * their users, and nothing keeps them, so that they need no pseudonyms. */
static scent_status import_logs(struct tracing *tracing, size_t first, struct errmsg *err)
{
    const struct topic *topic = tracing->topic;
    struct trace_options options = trace_options_default();
    const char **logs = calloc(topic->ntraces, sizeof *logs);
    struct errmsg why = {{0}};
    size_t count = 0;
    scent_status status;

    SCENT_BUG_IF(!logs);
    options.base = topic->traces[first].base;
    options.keep_users = true;
    options.url_flags = topic_url_flags(topic);
    for (size_t i = first; i < topic->ntraces; i++) {
        if (tracing->read[i] || !str_eq(topic->traces[i].base, options.base) || trace_is_saved(topic->traces[i].file.p))
            continue;
        tracing->read[i] = true;
        logs[count++] = topic->traces[i].file.p;
    }
    status = trace_import(logs, count, &options, tracing->log, &tracing->parts[tracing->nparts], &why);
    free(logs);
    tracing->nparts += status == SCENT_OK;
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", topic->traces[first].place.p, why.text);
}

static scent_status read_parts(struct tracing *tracing, struct errmsg *err)
{
    const struct topic *topic = tracing->topic;
    scent_status status = check_files(topic, err);

    for (size_t i = 0; i < topic->ntraces && status == SCENT_OK; i++) {
        if (tracing->read[i])
            continue;
        status = trace_is_saved(topic->traces[i].file.p) ? load_saved(tracing, i, err) : import_logs(tracing, i, err);
    }
    return status;
}

/* Takes the trace out of `tracing` where there is only one: a copy of the largest thing in memory is not for nothing. */
static scent_status join(struct tracing *tracing, struct trace **out, struct errmsg *err)
{
    struct trace_cut all = {.from = INT64_MIN, .until = INT64_MAX};

    if (tracing->nparts > 1)
        return trace_part((const struct trace *const *)tracing->parts, tracing->nparts, &all, out, err);
    *out = tracing->parts[0];
    tracing->nparts = 0;
    return SCENT_OK;
}

static scent_status read_all(struct topic *topic, const struct log *log, struct trace **out, struct errmsg *err)
{
    struct tracing tracing = {
        .topic = topic,
        .log = log,
        .parts = calloc(topic->ntraces, sizeof *tracing.parts),
        .read = calloc(topic->ntraces, sizeof *tracing.read),
    };
    scent_status status;

    SCENT_BUG_IF(!tracing.parts || !tracing.read);
    status = read_parts(&tracing, err);
    if (status == SCENT_OK)
        status = join(&tracing, out, err);
    for (size_t i = 0; i < tracing.nparts; i++)
        trace_free(tracing.parts[i]);
    free(tracing.parts);
    free(tracing.read);
    return status;
}

/* ---- telling ---- */

static void tell(const struct trace *trace, const struct log *log)
{
    const struct trace_counts *counts = trace_counts(trace);
    struct trace_size size = trace_size(trace);

    log_line(log, LOG_INFO, "traces: %" PRIu32 " accesses of %" PRIu32 " users to %" PRIu32 " pages, from %" PRIu64
             " lines", size.accesses, size.users, size.pages, counts->lines);
    if (counts->backwards)
        log_line(log, LOG_INFO, "traces: %" PRIu64 " lines go back in time; they were sorted in", counts->backwards);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        if (counts->left[i])
            log_line(log, LOG_INFO, "traces: left out %" PRIu64 ": %s", counts->left[i],
                     trace_left_text((enum trace_left)i));
}

static scent_status check_use(const struct topic *topic, const struct trace *trace, struct errmsg *err)
{
    const struct trace_counts *counts = trace_counts(trace);

    if (trace_size(trace).accesses)
        return SCENT_OK;
    if (counts->left[TRACE_LEFT_SITE])
        return errmsg_fail(err, SCENT_E_INVALID, "%s: the lines of the log have paths and no site; write it as "
                           "{file: %s, base: https://www.example.org/}", topic->traces[0].place.p,
                           topic->traces[0].file.p);
    return errmsg_fail(err, SCENT_E_INVALID, "%s: no access is left of %" PRIu64 " lines (%" PRIu64 " files in an "
                       "unknown format); 'scent trace import' shows why, and can be told the format",
                       topic->traces[0].place.p, counts->lines, counts->unknown);
}

/* ---- what a crawl keeps: learned/traces, a fingerprint and a path a file ---- */

/* The copy of a topic file in a crawl lies elsewhere than the logs that it names: they are where they were. */
static void find_moved(struct topic *topic, const char *dir)
{
    struct topic_trace *traces = (struct topic_trace *)topic->traces;
    struct errmsg err = {{0}};
    struct str rest, line;
    struct buf kept;

    buf_init(&kept, KEPT_MAX);
    if (file_read(learned_path(dir, LEARNED_TRACES).text, &kept, &err) == SCENT_OK) {
        rest = buf_str(&kept);
        (void)str_split(&rest, '\n', &line);
        for (size_t i = 0; i < topic->ntraces && str_split(&rest, '\n', &line); i++) {
            struct str path = arena_printf(&topic->arena, "%.*s", STR_ARG(line));

            if (path.p && path.len && !file_exists(traces[i].file.p) && file_exists(path.p))
                traces[i].file = path;
        }
    }
    buf_release(&kept);
}

static void write_kept(const struct topic *topic, const struct trace *trace, struct buf *out)
{
    buf_printf(out, "%016" PRIx64 "\n", trace_fingerprint(trace));
    for (size_t i = 0; i < topic->ntraces; i++) {
        char *path = realpath(topic->traces[i].file.p, NULL);

        buf_printf(out, "%s\n", path && !strchr(path, '\n') ? path : "");
        free(path);
    }
}

/* What a crawl learns of users and pages is counted again from its pages when the trace has changed, so it may. */
static scent_status compare(const struct topic *topic, const struct trace *trace, const char *dir,
                            const struct log *log, struct errmsg *err)
{
    struct crawldir_path path = learned_path(dir, LEARNED_TRACES);
    struct buf before, now;
    scent_status status;

    SCENT_TRY(learned_make_folder(dir, err));
    buf_init(&before, KEPT_MAX);
    buf_init(&now, KEPT_MAX);
    write_kept(topic, trace, &now);
    status = file_read(path.text, &before, err);
    if (status == SCENT_OK && !str_eq(str_sub(buf_str(&before), 0, PRINT_LEN), str_sub(buf_str(&now), 0, PRINT_LEN)))
        log_line(log, LOG_WARN, "the traces have changed since this crawl last ran: it goes on with the new ones");
    if (status == SCENT_E_NOTFOUND || (status == SCENT_OK && !str_eq(buf_str(&before), buf_str(&now))))
        status = file_replace(path.text, buf_str(&now), err);
    buf_release(&before);
    buf_release(&now);
    return status;
}

/* They may be large, and most strategies have no use for them. */
static bool are_wanted(const struct topic *topic, const struct log *log)
{
    const struct strategy_ops *ops = strategy_find(topic->strategy);

    if (topic->ntraces && ops && !ops->uses_trace)
        log_line(log, LOG_INFO, "the traces are not read: %s does not learn from them", ops->name);
    return topic->ntraces && ops && ops->uses_trace;
}

int tracing_attach(struct topic *topic, const char *dir, const struct log *log, const struct trace **out)
{
    struct errmsg err = {{0}};
    struct trace *trace = NULL;
    scent_status status;

    if (!are_wanted(topic, log))
        return EXIT_DONE;
    find_moved(topic, dir);
    status = read_all(topic, log, &trace, &err);
    if (status == SCENT_OK) {
        tell(trace, log);
        status = check_use(topic, trace, &err);
    }
    if (status != SCENT_OK) {
        trace_free(trace);
        return command_fail(status, &err);
    }
    *out = trace;
    return EXIT_DONE;
}

int tracing_keep(const struct topic *topic, const struct trace *trace, const char *dir, const struct log *log)
{
    struct errmsg err = {{0}};
    scent_status status = trace ? compare(topic, trace, dir, log, &err) : SCENT_OK;

    return status == SCENT_OK ? EXIT_DONE : command_fail(status, &err);
}
