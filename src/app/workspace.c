#include "app/workspace.h"

#include "app/command.h"
#include "app/output.h"
#include "base/file.h"
#include "crawldir/crawldir.h"
#include "crawldir/learned.h"
#include "strategy/strategy.h"
#include "trace/trace.h"
#include "training/backlink_examples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct workspace_path workspace_beside(const char *topic_path, const char *suffix)
{
    struct str path = str_of(topic_path);
    struct workspace_path out;

    if (str_ends(path, STR(".yaml")))
        path.len -= 5;
    else if (str_ends(path, STR(".yml")))
        path.len -= 4;
    snprintf(out.text, sizeof out.text, "%.*s%s", STR_ARG(path), suffix);
    return out;
}

struct workspace_path workspace_rules_path(const char *topic_path, const struct topic *topic)
{
    struct workspace_path out;

    if (!topic->rules_file.len)
        return workspace_beside(topic_path, ".rules");
    snprintf(out.text, sizeof out.text, "%.*s", STR_ARG(topic->rules_file));
    return out;
}

void workspace_choose_model(struct workspace *workspace)
{
    struct topic *topic = workspace->topic;
    const struct strategy_ops *ops = strategy_find(topic->strategy);

    if (ops && !topic->model_given)
        strategy_preset_model(ops, topic->options, topic->noptions, &topic->model);
    if (ops && !topic->taxonomy.min_leaf)
        topic->taxonomy.leaf_if_allowed = strategy_preset_leaf(ops, topic->options, topic->noptions);
}

int workspace_expect_crawl(const char *dir)
{
    struct errmsg err = {{0}};
    struct store *store;
    scent_status status = crawldir_open(dir, STORE_READ, &store, &err);

    if (status == SCENT_OK)
        store_close(store);
    return command_exit(status, &err);
}

int workspace_open(struct workspace *workspace, struct network *network)
{
    struct errmsg err = {{0}};
    scent_status status = topic_load(workspace->path, &workspace->topic, &err);

    workspace->network = network;
    if (status == SCENT_OK) {
        workspace_choose_model(workspace);
        status = network_open(network, workspace->log, &err);
    }
    return command_exit(status, &err);
}

void workspace_release(struct workspace *workspace)
{
    knowledge_release(&workspace->knowledge);
    trained_examples_free(workspace->examples);
    topic_free(workspace->topic);
}

void workspace_close(struct workspace *workspace, struct network *network)
{
    network_close(network);
    workspace_release(workspace);
}

/* ---- fetching ---- */

/* Exactly these pages: no links, no scope, nothing stripped from the URLs, so that they are found again. Politeness and
 * ways are the topic's. */
static scent_status make_topic(const struct workspace *workspace, struct str urls, struct topic **out,
                               struct errmsg *err)
{
    static const char text[] = "topic: pages to learn from\nrelevant: 'true'\nstrategy: breadth-first\n"
                               "limits: {depth: 0, per_pattern: 0, urls_per_domain: 0}\nstrip_tracking: false\n"
                               "scope: {types: [text/html, application/xhtml+xml, text/plain]}\n";
    scent_status status = topic_parse(str_of(text), "examples", out, err);

    if (status != SCENT_OK)
        return status;
    (*out)->politeness = workspace->topic->politeness;
    (*out)->network = workspace->topic->network;
    (*out)->limits.page_bytes = workspace->topic->limits.page_bytes;
    (*out)->limits.min_free_disk = workspace->topic->limits.min_free_disk;
    return topic_add_seeds(*out, urls, "the examples", err);
}

/* The list of what was fetched lies with it: the same list again means that nothing is left to do. */
static bool is_fetched(const char *list, struct str urls)
{
    struct errmsg err;
    struct buf before;
    bool same;

    buf_init(&before, urls.len);
    same = file_read(list, &before, &err) == SCENT_OK && str_eq(buf_str(&before), urls);
    buf_release(&before);
    return same;
}

static int run_fetch(const struct workspace *workspace, struct topic *topic, const char *dir)
{
    struct crawl_run run = {.quiet = workspace->quiet, .fetches_list = true,
                            .engine = {.topic = topic, .dir = dir, .log = workspace->log}};
    struct engine_report report;
    struct errmsg err = {{0}};
    scent_status status = network_prepare(workspace->network, workspace->path, topic, &run.engine, &err);
    int code;

    if (status == SCENT_OK)
        status = crawldir_make(dir, &err);
    code = status == SCENT_OK ? crawl_run_engine(&run, &report) : command_fail(status, &err);
    signals_release(); /* reading and training have nothing to resume */
    return code;
}

int workspace_fetch(const struct workspace *workspace, struct str urls, const char *dir)
{
    struct workspace_path list;
    struct topic *topic = NULL;
    struct errmsg err = {{0}};
    scent_status status;
    int code;

    snprintf(list.text, sizeof list.text, "%s/fetched.txt", dir);
    if (is_fetched(list.text, urls))
        return EXIT_DONE;
    status = make_topic(workspace, urls, &topic, &err);
    code = status == SCENT_OK ? run_fetch(workspace, topic, dir) : command_fail(status, &err);
    topic_free(topic);
    if (code == EXIT_NO_SEED)
        return EXIT_DONE; /* the reader of the pages reports the missing ones */
    if (code == EXIT_DONE && (status = file_replace(list.text, urls, &err)) != SCENT_OK)
        return command_fail(status, &err);
    return code;
}

/* ---- examples ---- */

static void show_reading(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    output_progress("examples", done, all);
}

/* Fetches the pages of URL lists; *dir is empty where there are none. */
static int fetch_planned(const struct workspace *workspace, const struct training_plan *plan,
                         struct workspace_path *dir)
{
    struct buf urls;
    int code = EXIT_DONE;

    *dir = (struct workspace_path){0};
    buf_init(&urls, 0);
    if (training_plan_urls(plan, &urls)) {
        *dir = workspace_beside(workspace->path, ".fetched");
        code = workspace_fetch(workspace, buf_str(&urls), dir->text);
    }
    buf_release(&urls);
    return code;
}

/* The words around links to the examples take their place. */
static scent_status learn_from_links(const struct workspace *workspace, struct training_set **set, struct errmsg *err)
{
    const struct topic *topic = workspace->topic;
    struct archive_graph *graph = NULL;
    scent_status status = archive_graph_open(topic->graph.p, topic->content == TOPIC_CONTENT_ALL, workspace->log, NULL,
                                             NULL, &graph, err);

    if (status == SCENT_OK)
        status = backlink_examples_replace(*set, graph, topic->model.seed, workspace->log, err);
    archive_graph_close(graph);
    if (status != SCENT_OK) {
        training_set_free(*set);
        *set = NULL;
    }
    return status;
}

scent_status workspace_add_hubs(const struct workspace *workspace, struct errmsg *err)
{
    struct topic *topic = workspace->topic;
    struct archive_graph *graph = NULL;
    uint32_t *pages = malloc((topic->nseeds + 1) * sizeof *pages);
    uint32_t *hubs = malloc((topic->hubs + (size_t)1) * sizeof *hubs);
    size_t npages = 0, count;
    struct buf list;
    scent_status status;

    SCENT_BUG_IF(!pages || !hubs);
    buf_init(&list, 0);
    status = archive_graph_open(topic->graph.p, topic->content == TOPIC_CONTENT_ALL, workspace->log, NULL, NULL, &graph,
                                err);
    if (status == SCENT_OK) {
        for (size_t i = 0; i < topic->nseeds; i++)
            npages += archive_graph_find(graph, topic->seeds[i].href, &pages[npages]);
        count = backlink_hubs(archive_graph_pages(graph), pages, npages, topic->hubs, hubs);
        for (size_t i = 0; i < count; i++) {
            const struct page *page = page_graph_page(archive_graph_pages(graph), hubs[i], NULL);

            if (page && scope_check(&topic->scope, &page->url) == SCOPE_IN)
                buf_printf(&list, "%.*s\n", STR_ARG(page->url.href));
        }
        log_line(workspace->log, LOG_INFO, "%zu pages of %s that link to several seeds are seeds, too", count,
                 topic->graph.p);
        status = topic_add_seeds(topic, buf_str(&list), topic->graph.p, err);
    }
    buf_release(&list);
    archive_graph_close(graph);
    free(pages);
    free(hubs);
    return status;
}

int workspace_read_examples(const struct workspace *workspace, struct linked_pages *linked, struct training_set **out)
{
    bool show = !workspace->quiet && isatty(STDERR_FILENO);
    struct training_plan *plan = NULL;
    struct errmsg err = {{0}};
    struct workspace_path dir;
    scent_status status = training_plan_new(workspace->topic, workspace->log, &plan, &err);
    int code = status == SCENT_OK ? fetch_planned(workspace, plan, &dir) : command_fail(status, &err);

    if (code == EXIT_DONE) {
        if (linked)
            training_plan_links(plan, linked);
        status = training_set_read(plan, dir.text[0] ? dir.text : NULL, show ? show_reading : NULL, NULL, out, &err);
        if (status == SCENT_OK && workspace->topic->learns_backlinks)
            status = learn_from_links(workspace, out, &err);
        code = command_exit(status, &err);
        if (status != SCENT_OK && dir.text[0])
            fprintf(stderr,
                    "'scent status %s' lists the pages that could not be fetched; remove that folder to retry\n",
                    dir.text);
    }
    training_plan_free(plan);
    return code;
}

int workspace_save_sample(const struct workspace *workspace, const struct training_set *examples)
{
    struct errmsg err = {{0}};
    struct buf text;
    scent_status status;

    if (!examples->sample)
        return EXIT_DONE;
    buf_init(&text, 0);
    status = query_counts_write(examples->sample, &text);
    if (status == SCENT_OK)
        status = file_replace(workspace_beside(workspace->path, ".census").text, buf_str(&text), &err);
    else
        errmsg_fail(&err, status, "out of memory");
    buf_release(&text);
    return command_exit(status, &err);
}

/* ---- traces: accesses that a topic names, read from files and compared with those of the last run ---- */

enum { KEPT_MAX = 16 << 20, FINGERPRINT_LEN = 16 };

/* The traces of single files, or of logs of one site, until they are one. */
struct traces {
    const struct topic *topic;
    const struct log *log;
    struct arena arena;
    const char **files; /* of the topic, where they really are */
    bool *read;         /* which of them are in `parts` */
    struct trace **parts;
    size_t nparts;
};

/* ---- reading ---- */

static scent_status check_files(const struct traces *traces, struct errmsg *err)
{
    const struct topic *topic = traces->topic;

    for (size_t i = 0; i < topic->ntraces; i++) {
        const char *file = traces->files[i];

        if (file_is_dir(file))
            return errmsg_fail(err, SCENT_E_INVALID, "%s: %s is a folder; name the access logs in it one by one",
                               topic->traces[i].place.p, file);
        if (access(file, R_OK) != 0)
            return errmsg_fail(err, SCENT_E_INVALID, "%s: %s: %s; give the path of an access log, or of a file that "
                               "'scent trace import' made, relative to the topic file", topic->traces[i].place.p, file,
                               strerror(errno));
    }
    return SCENT_OK;
}

static scent_status load_saved(struct traces *traces, size_t i, struct errmsg *err)
{
    const struct topic_trace *one = &traces->topic->traces[i];
    struct errmsg why = {{0}};
    scent_status status = trace_load(traces->files[i], &traces->parts[traces->nparts], &why);

    traces->read[i] = true;
    traces->nparts += status == SCENT_OK;
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", one->place.p, why.text);
}

/* This log and all further ones of its site at once, so that a robot is one in all of them. Nobody is shown the names
 * of their users, and nothing keeps them, so that they need no pseudonyms. */
static scent_status import_logs(struct traces *traces, size_t first, struct errmsg *err)
{
    const struct topic *topic = traces->topic;
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
        if (traces->read[i] || !str_eq(topic->traces[i].base, options.base) || trace_is_saved(traces->files[i]))
            continue;
        traces->read[i] = true;
        logs[count++] = traces->files[i];
    }
    status = trace_import(logs, count, &options, traces->log, &traces->parts[traces->nparts], &why);
    free(logs);
    traces->nparts += status == SCENT_OK;
    return status == SCENT_OK ? status : errmsg_fail(err, status, "%s: %s", topic->traces[first].place.p, why.text);
}

static scent_status read_parts(struct traces *traces, struct errmsg *err)
{
    const struct topic *topic = traces->topic;
    scent_status status = check_files(traces, err);

    for (size_t i = 0; i < topic->ntraces && status == SCENT_OK; i++) {
        if (traces->read[i])
            continue;
        status = trace_is_saved(traces->files[i]) ? load_saved(traces, i, err) : import_logs(traces, i, err);
    }
    return status;
}

/* Takes the trace out of `traces` where there is only one: it is the largest thing in memory, and not copied for
 * nothing. */
static scent_status join_parts(struct traces *traces, struct trace **out, struct errmsg *err)
{
    struct trace_cut all = {.from = INT64_MIN, .until = INT64_MAX};

    if (traces->nparts > 1)
        return trace_part((const struct trace *const *)traces->parts, traces->nparts, &all, out, err);
    *out = traces->parts[0];
    traces->nparts = 0;
    return SCENT_OK;
}

/* ---- messages ---- */

static void report_trace(const struct trace *trace, const struct log *log)
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
        return errmsg_fail(err, SCENT_E_INVALID, "%s: the log has paths without a site; write it as {file: %s, "
                           "base: https://www.example.org/}", topic->traces[0].place.p,
                           topic->traces[0].file.p);
    return errmsg_fail(err, SCENT_E_INVALID, "%s: no access is left of %" PRIu64 " lines (%" PRIu64 " files have an "
                       "unknown format); 'scent trace import' shows why, and takes the format as an option",
                       topic->traces[0].place.p, counts->lines, counts->unknown);
}

/* ---- what a crawl keeps: learned/traces, a fingerprint and a path a file ---- */

/* The copy of a topic file in a crawl lies elsewhere than the logs that it names: they are where they were. */
static void locate_files(struct traces *traces, const char *dir)
{
    const struct topic *topic = traces->topic;
    struct errmsg err = {{0}};
    struct str rest, line;
    struct buf kept;

    for (size_t i = 0; i < topic->ntraces; i++)
        traces->files[i] = topic->traces[i].file.p;
    buf_init(&kept, KEPT_MAX);
    if (file_read(learned_path(dir, LEARNED_TRACES).text, &kept, &err) == SCENT_OK) {
        rest = buf_str(&kept);
        (void)str_split(&rest, '\n', &line);
        for (size_t i = 0; i < topic->ntraces && str_split(&rest, '\n', &line); i++) {
            struct str path = arena_printf(&traces->arena, "%.*s", STR_ARG(line));

            if (path.p && path.len && !file_exists(traces->files[i]) && file_exists(path.p))
                traces->files[i] = path.p;
        }
    }
    buf_release(&kept);
}

static void write_kept(const struct traces *traces, const struct trace *trace, struct buf *out)
{
    buf_printf(out, "%016" PRIx64 "\n", trace_fingerprint(trace));
    for (size_t i = 0; i < traces->topic->ntraces; i++) {
        char *path = realpath(traces->files[i], NULL);

        buf_printf(out, "%s\n", path && !strchr(path, '\n') ? path : "");
        free(path);
    }
}

/* A trace may change: what a crawl learns of users and pages is then counted again from its pages. */
static scent_status keep_traces(const struct traces *traces, const struct trace *trace, const char *dir,
                                struct errmsg *err)
{
    struct crawldir_path path = learned_path(dir, LEARNED_TRACES);
    struct buf before, now;
    scent_status status;

    SCENT_TRY(learned_make_folder(dir, err));
    buf_init(&before, KEPT_MAX);
    buf_init(&now, KEPT_MAX);
    write_kept(traces, trace, &now);
    status = file_read(path.text, &before, err);
    if (status == SCENT_OK && !str_starts(buf_str(&before), str_sub(buf_str(&now), 0, FINGERPRINT_LEN)))
        log_line(traces->log, LOG_WARN,
                 "the traces have changed since the last run of this crawl: the crawl continues with the new ones");
    if (status == SCENT_E_NOTFOUND || (status == SCENT_OK && !str_eq(buf_str(&before), buf_str(&now))))
        status = file_replace(path.text, buf_str(&now), err);
    buf_release(&before);
    buf_release(&now);
    return status;
}

/* ---- all of it ---- */

/* They may be large, and most strategies do not learn from them. */
static bool are_wanted(const struct topic *topic, const struct log *log)
{
    const struct strategy_ops *ops = strategy_find(topic->strategy);

    if (topic->ntraces && ops && !ops->trace)
        log_line(log, LOG_INFO, "the traces are not read: %s does not learn from them", ops->name);
    return topic->ntraces && ops && ops->trace;
}

int workspace_find_traces(struct workspace *workspace, const char *dir, bool keep)
{
    const struct topic *topic = workspace->topic;
    struct traces traces = {.topic = topic, .log = workspace->log};
    struct trace *trace = NULL;
    struct errmsg err = {{0}};
    scent_status status;

    if (!are_wanted(topic, workspace->log))
        return EXIT_DONE;
    arena_init(&traces.arena, 2 * (size_t)KEPT_MAX);
    traces.files = calloc(topic->ntraces, sizeof *traces.files);
    traces.parts = calloc(topic->ntraces, sizeof *traces.parts);
    traces.read = calloc(topic->ntraces, sizeof *traces.read);
    SCENT_BUG_IF(!traces.files || !traces.parts || !traces.read);
    locate_files(&traces, dir);
    status = read_parts(&traces, &err);
    if (status == SCENT_OK)
        status = join_parts(&traces, &trace, &err);
    if (status == SCENT_OK) {
        report_trace(trace, workspace->log);
        status = check_use(topic, trace, &err);
    }
    if (status == SCENT_OK && keep)
        status = keep_traces(&traces, trace, dir, &err);
    if (status == SCENT_OK)
        workspace->knowledge.trace = trace;
    else
        trace_free(trace);
    for (size_t i = 0; i < traces.nparts; i++)
        trace_free(traces.parts[i]);
    free(traces.files);
    free(traces.parts);
    free(traces.read);
    arena_release(&traces.arena);
    return command_exit(status, &err);
}
