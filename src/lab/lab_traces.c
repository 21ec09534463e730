/* lab_traces - the traces of an experiment, as a closed collection knows them.
 *
 * A log is read once and shared by all crawls; its pages get the names that the collection gives them (a redirect or
 * "…/index.htm" is another name of a page), and accesses of pages that it does not have are left out: they are no
 * candidates. Every part that a strategy asks for is cut once. Read-only after making; any thread. */
#include "lab/lab.h"

#include "base/hash.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>

/* What was read, or a part of it. */
struct part {
    const struct experiment_traces *wanted; /* of a log: its files and base count alone */
    struct trace *trace;
};

struct parts {
    struct part *items;
    size_t count, room;
};

struct lab_traces {
    const struct experiment *experiment;
    const struct collection *collection;
    const struct labels *labels;
    const struct log *log;
    struct parts logs, cuts; /* whole, by the collection's names; and what strategies ask for */
};

static bool is_wanted(const struct experiment_traces *wanted)
{
    return wanted->nfiles || wanted->simulated.readers;
}

/* ---- the same? ---- */

static bool same_logs(const struct experiment_traces *a, const struct experiment_traces *b)
{
    const struct readers_wish *x = &a->simulated, *y = &b->simulated;
    bool same = a->nfiles == b->nfiles && str_eq(a->base, b->base) && x->readers == y->readers &&
                x->accesses == y->accesses && x->interest == y->interest && x->level == y->level;

    for (size_t i = 0; i < a->nfiles && same; i++)
        same = str_eq(a->files[i], b->files[i]);
    return same;
}

static bool same_border(const struct experiment_border *a, const struct experiment_border *b)
{
    return a->kind == b->kind && (a->kind != BORDER_TIME || a->time == b->time) &&
           (a->kind != BORDER_SHARE || a->share == b->share);
}

static bool same_cut(const struct experiment_traces *a, const struct experiment_traces *b)
{
    return same_logs(a, b) && same_border(&a->from, &b->from) && same_border(&a->until, &b->until);
}

static const struct trace *find(const struct parts *parts, const struct experiment_traces *wanted,
                                bool (*same)(const struct experiment_traces *a, const struct experiment_traces *b))
{
    for (size_t i = 0; i < parts->count; i++)
        if (same(parts->items[i].wanted, wanted))
            return parts->items[i].trace;
    return NULL;
}

static void add(struct parts *parts, const struct experiment_traces *wanted, struct trace *trace)
{
    SCENT_BUG_IF(!vec_reserve(&parts->items, &parts->room, parts->count + 1, sizeof *parts->items));
    parts->items[parts->count++] = (struct part){wanted, trace};
}

/* ---- reading ---- */

static struct str name_in_collection(void *ctx, struct str url)
{
    const struct collection *collection = ctx;
    uint32_t page;

    return collection_find(collection, url, &page) ? collection_url(collection, page) : STR_NONE;
}

/* What was imported before, and all logs at once, so that a robot is one in all of them. Nobody is shown the names of
 * users. `out` has room for one trace a file. */
static scent_status read_files(const struct lab_traces *traces, const struct experiment_traces *wanted,
                               struct trace **out, size_t *count, struct errmsg *err)
{
    struct trace_options options = trace_options_default();
    const char **logs = calloc(wanted->nfiles, sizeof *logs);
    size_t nlogs = 0;
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!logs);
    options.base = wanted->base;
    options.keep_users = true;
    for (size_t i = 0; i < wanted->nfiles && status == SCENT_OK; i++) {
        const char *path = wanted->files[i].p;

        if (!trace_is_saved(path))
            logs[nlogs++] = path;
        else if ((status = trace_load(path, &out[*count], err)) == SCENT_OK)
            ++*count;
    }
    if (status == SCENT_OK && nlogs &&
        (status = trace_import(logs, nlogs, &options, traces->log, &out[*count], err)) == SCENT_OK)
        ++*count;
    free(logs);
    return status;
}

static scent_status simulate(struct lab_traces *traces, const struct experiment_traces *wanted, struct errmsg *err)
{
    struct trace *trace;

    SCENT_TRY(readers_simulate(&wanted->simulated, traces->collection, traces->labels, traces->experiment->seed, &trace,
                               err));
    add(&traces->logs, wanted, trace);
    return SCENT_OK;
}

static scent_status read_log(struct lab_traces *traces, const struct experiment_traces *wanted, struct errmsg *err)
{
    struct trace_cut cut = {
        .from = INT64_MIN, .until = INT64_MAX, .name = name_in_collection, .ctx = (void *)traces->collection};
    struct trace **files = calloc(wanted->nfiles, sizeof *files), *joined = NULL;
    uint64_t accesses = 0;
    size_t n = 0;
    scent_status status;

    SCENT_BUG_IF(!files);
    status = read_files(traces, wanted, files, &n, err);
    if (status == SCENT_OK)
        status = trace_part((const struct trace *const *)files, n, &cut, &joined, err);
    for (size_t i = 0; i < n; i++) {
        accesses += trace_size(files[i]).accesses;
        trace_free(files[i]);
    }
    free(files);
    if (status != SCENT_OK)
        return status;
    add(&traces->logs, wanted, joined);
    log_line(traces->log, LOG_INFO, "%.*s: %" PRIu64 " accesses; left out: %" PRIu64 " of pages that are not in the "
             "collection", STR_ARG(wanted->files[0]), accesses, accesses - trace_size(joined).accesses);
    return SCENT_OK;
}

/* ---- cutting ---- */

static int64_t place(const struct trace *trace, const struct experiment_border *border, int64_t otherwise)
{
    return border->kind == BORDER_TIME    ? border->time
           : border->kind == BORDER_SHARE ? trace_time_at(trace, border->share)
                                          : otherwise;
}

static scent_status take_part(struct lab_traces *traces, const struct experiment_traces *wanted, struct errmsg *err)
{
    const struct trace *log = find(&traces->logs, wanted, same_logs);
    struct trace_cut cut = {.from = place(log, &wanted->from, INT64_MIN),
                            .until = place(log, &wanted->until, INT64_MAX)};
    struct trace *part;
    scent_status status = trace_part(&log, 1, &cut, &part, err);

    if (status != SCENT_OK)
        return status;
    add(&traces->cuts, wanted, part);
    if (trace_size(part).accesses)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "%.*s:%d: traces: no access of a page of the collection in %s",
                       STR_ARG(traces->experiment->file), wanted->line,
                       cut.from == INT64_MIN && cut.until == INT64_MAX ? "these files" : "this part of the files");
}

static scent_status need(struct lab_traces *traces, const struct experiment_traces *wanted, struct errmsg *err)
{
    struct errmsg why = {0};
    scent_status status = SCENT_OK;

    if (!is_wanted(wanted) || find(&traces->cuts, wanted, same_cut))
        return SCENT_OK;
    if (!find(&traces->logs, wanted, same_logs))
        status = (wanted->nfiles ? read_log : simulate)(traces, wanted, &why);
    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%.*s:%d: traces: %s", STR_ARG(traces->experiment->file), wanted->line,
                           why.text);
    return take_part(traces, wanted, err);
}

/* ---- the interface ---- */

scent_status lab_traces_new(const struct experiment *experiment, const struct collection *collection,
                            const struct labels *labels, const struct log *log, struct lab_traces **out,
                            struct errmsg *err)
{
    struct lab_traces *traces = calloc(1, sizeof *traces);
    scent_status status = SCENT_OK;

    SCENT_BUG_IF(!traces);
    *traces = (struct lab_traces){
        .experiment = experiment, .collection = collection, .labels = labels, .log = log};
    for (size_t i = 0; i < experiment->nstrategies && status == SCENT_OK; i++) {
        status = need(traces, &experiment->strategies[i].traces, err);
        if (status == SCENT_OK && experiment->strategies[i].reuse.wanted)
            status = need(traces, &experiment->strategies[i].reuse.traces, err);
    }
    if (status == SCENT_OK)
        status = need(traces, &experiment->sessions.traces, err);
    if (status == SCENT_OK)
        *out = traces;
    else
        lab_traces_free(traces);
    return status;
}

static void free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        trace_free(parts->items[i].trace);
    free(parts->items);
}

void lab_traces_free(struct lab_traces *traces)
{
    if (!traces)
        return;
    free_parts(&traces->logs);
    free_parts(&traces->cuts);
    free(traces);
}

const struct trace *lab_traces_find(const struct lab_traces *traces, const struct experiment_traces *wanted)
{
    return is_wanted(wanted) ? find(&traces->cuts, wanted, same_cut) : NULL;
}

uint64_t lab_traces_digest(const struct lab_traces *traces)
{
    uint64_t digest = 0;

    for (size_t i = 0; i < traces->logs.count; i++)
        digest = hash_mix(digest, trace_fingerprint(traces->logs.items[i].trace));
    return digest;
}
