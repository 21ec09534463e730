/* workspace_graph - what a strategy learns from pages that are known before the crawl: finds these pages (the option
 * `graph`, an earlier crawl of `reuse`, the collection of the taxonomy) and the topic's examples among them, lets the
 * strategy learn, and keeps what it learned with the crawl. */
#include "app/workspace.h"

#include "app/command.h"
#include "app/output.h"
#include "base/file.h"
#include "base/vec.h"
#include "crawldir/learned.h"
#include "strategy/option.h"
#include "training/archive_graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_MAX ((size_t)1 << 31)

struct study {
    struct workspace *workspace;
    const struct strategy_ops *ops;
    struct workspace_path graph_path; /* empty: no pages are known */
    struct archive_graph *graph;
    uint32_t *examples; /* pages of it */
    size_t nexamples, room;
    struct buf blob; /* what was learned */
};

/* ---- which pages ---- */

/* A path of the topic file lies beside it, one of the command line is seen from here. */
static struct workspace_path locate(const struct workspace *workspace, struct str path)
{
    const char *slash = strrchr(workspace->path, '/');
    struct workspace_path out = {0};

    if (path.len && path.p[0] != '/' && slash)
        snprintf(out.text, sizeof out.text, "%.*s/%.*s", (int)(slash - workspace->path), workspace->path,
                 STR_ARG(path));
    if (!out.text[0] || !file_exists(out.text))
        snprintf(out.text, sizeof out.text, "%.*s", STR_ARG(path));
    return out;
}

static struct workspace_path find_graph(const struct study *study)
{
    const struct topic *topic = study->workspace->topic;
    struct str given = option_text(study->ops->options, topic, "graph");

    if (!str_eq(given, STR("none")))
        return locate(study->workspace, given);
    for (size_t i = 0; i < topic->nreuse; i++)
        if (file_is_dir(topic->reuse[i].from.p))
            return locate(study->workspace, topic->reuse[i].from);
    return locate(study->workspace, topic->taxonomy.collection);
}

/* ---- which of them are examples ---- */

static void add_example(struct study *study, struct str href)
{
    uint32_t page;

    if (!archive_graph_find(study->graph, href, &page))
        return;
    SCENT_BUG_IF(!vec_reserve(&study->examples, &study->room, study->nexamples + 1, sizeof *study->examples));
    study->examples[study->nexamples++] = page;
}

static scent_status add_relevant(void *ctx, const struct store_page *page, const struct store_url *url)
{
    if (page->counted && page->relevant)
        add_example(ctx, url->url);
    return SCENT_OK;
}

static bool is_wanted(const struct topic *topic, const struct training_plan *plan, uint32_t class)
{
    struct str name = plan->classes[class];

    if (plan->learns == TOPIC_TWO_CLASSES)
        return str_eq(name, STR(TOPIC_POSITIVE));
    for (size_t i = 0; i < topic->taxonomy.ntargets; i++) {
        struct str target = topic->taxonomy.targets[i];

        if (str_starts(name, target) && (name.len == target.len || name.p[target.len] == '.'))
            return true;
    }
    return false;
}

/* The seeds, the positive examples that are URLs, and the relevant pages of an earlier crawl. */
static scent_status find_examples(struct study *study, struct errmsg *err)
{
    const struct topic *topic = study->workspace->topic;
    struct workspace_path database;
    struct training_plan *plan;
    struct store *store;
    scent_status status;

    for (size_t i = 0; i < topic->nseeds; i++)
        add_example(study, topic->seeds[i].href);
    if (topic_classes(topic) != TOPIC_NO_MODEL) {
        SCENT_TRY(training_plan_new(topic, study->workspace->log, &plan, err));
        for (size_t i = 0; i < plan->given.count; i++)
            if (plan->given.items[i].is_url && is_wanted(topic, plan, plan->given.items[i].class))
                add_example(study, plan->given.items[i].where);
        training_plan_free(plan);
    }
    snprintf(database.text, sizeof database.text, "%.*s/crawl.db", (int)(sizeof database.text - 16),
             study->graph_path.text);
    if (!file_exists(database.text))
        return SCENT_OK;
    SCENT_TRY(crawldir_open(study->graph_path.text, STORE_READ, &store, err));
    status = store_each_page(store, 0, add_relevant, study, err);
    store_close(store);
    return status;
}

/* ---- learning and keeping ---- */

static void show_reading(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    output_progress("known pages", done, all);
}

static scent_status learn(struct study *study, struct errmsg *err)
{
    struct workspace *workspace = study->workspace;
    struct strategy_context context = {
        .topic = workspace->topic, .knowledge = &workspace->knowledge, .seed = workspace->topic->seed};
    struct strategy_known known = {
        archive_graph_pages(study->graph), study->examples, study->nexamples};
    struct errmsg why = {{0}};
    scent_status status = strategy_study(&context, &known, &study->blob, &why);

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "%s: %s", study->graph_path.text, why.text);
    log_line(workspace->log, LOG_INFO, "%s has learned from %u known pages, %zu of them examples: %s",
             study->ops->name, page_graph_count(known.graph), known.nexamples, study->graph_path.text);
    return SCENT_OK;
}

static scent_status find_studied(void *ctx, struct errmsg *err)
{
    struct study *study = ctx;
    bool show = !study->workspace->quiet && isatty(STDERR_FILENO);

    SCENT_TRY(archive_graph_open(study->graph_path.text, study->workspace->topic->content == TOPIC_CONTENT_ALL,
                                 study->workspace->log, show ? show_reading : NULL, NULL,
                                 &study->graph, err));
    SCENT_TRY(find_examples(study, err));
    return learn(study, err);
}

static scent_status load_studied(void *ctx, const char *path, struct errmsg *err)
{
    struct study *study = ctx;
    struct learned_origin origin;
    struct str blob;
    struct buf file;
    scent_status status;

    buf_init(&file, FILE_MAX);
    status = learned_load(path, &file, err);
    if (status == SCENT_OK)
        status = learned_read(buf_str(&file), path, &origin, &blob, err);
    if (status == SCENT_OK && !buf_add(&study->blob, blob))
        status = errmsg_fail(err, SCENT_E_NOMEM, "no memory for %s", path);
    buf_release(&file);
    return status;
}

static scent_status save_studied(void *ctx, const char *path, struct errmsg *err)
{
    struct study *study = ctx;
    struct learned_origin origin = {
        .strategy = str_of(study->ops->name),
        .topic = study->workspace->topic->name,
        .pages = page_graph_count(archive_graph_pages(study->graph)),
        .relevant = study->nexamples,
    };
    struct buf file;
    scent_status status;

    buf_init(&file, FILE_MAX);
    status = learned_write(&origin, buf_str(&study->blob), &file);
    status = status == SCENT_OK ? file_replace(path, buf_str(&file), err)
                                : errmsg_fail(err, status, "no memory for %s", path);
    buf_release(&file);
    return status;
}

int workspace_find_studied(struct workspace *workspace, const char *dir)
{
    struct study study = {.workspace = workspace, .ops = strategy_find(workspace->topic->strategy)};
    struct learned_ops ops = {.load = load_studied, .find = find_studied, .save = save_studied};
    struct errmsg err = {{0}};
    char name[128];
    scent_status status;

    if (!study.ops || !study.ops->study)
        return EXIT_DONE;
    snprintf(name, sizeof name, "%s." LEARNED_GRAPH, study.ops->name);
    ops.name = name;
    study.graph_path = find_graph(&study);
    if (!study.graph_path.text[0] && !(dir && file_exists(learned_path(dir, name).text)))
        return EXIT_DONE; /* the strategy says what it lacks */
    buf_init(&study.blob, FILE_MAX);
    status = learned_begin(&ops, &study, dir, !workspace->reads_only, &err);
    if (status == SCENT_OK && study.blob.len) {
        workspace->knowledge.studied = (struct str){study.blob.p, study.blob.len};
        buf_init(&study.blob, 0); /* the bytes are the knowledge's now */
    }
    buf_release(&study.blob);
    archive_graph_close(study.graph);
    free(study.examples);
    if (status == SCENT_E_NOTFOUND && workspace->reads_only)
        return EXIT_USAGE;
    return command_exit(status, &err);
}
