#include "app/workspace.h"

#include "app/output.h"
#include "app/signals.h"
#include "base/file.h"

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

int workspace_open(struct workspace *workspace, struct network *network)
{
    struct errmsg err = {{0}};
    scent_status status = topic_load(workspace->path, &workspace->topic, &err);

    workspace->network = network;
    if (status == SCENT_OK)
        status = network_open(network, workspace->log, &err);
    return command_exit(status, &err);
}

void workspace_close(struct workspace *workspace, struct network *network)
{
    network_close(network);
    knowledge_release(&workspace->knowledge);
    topic_free(workspace->topic);
}

/* ---- fetching ---- */

/* Exactly these pages: no links, no scope, nothing stripped from the URLs, so that they are found again. Politeness and
 * ways are the topic's. */
static scent_status make_topic(const struct workspace *workspace, struct str urls, struct topic **out,
                               struct errmsg *err)
{
    static const char text[] = "topic: pages to learn from\nrelevant: 'true'\nstrategy: breadth-first\n"
                               "limits: {depth: 0, per_pattern: 0}\nstrip_tracking: false\n"
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

    buf_init(&before, (size_t)1 << 30);
    same = file_read(list, &before, &err) == SCENT_OK && str_eq(buf_str(&before), urls);
    buf_release(&before);
    return same;
}

static int run_fetch(const struct workspace *workspace, struct topic *topic, const char *dir)
{
    struct crawl_run run = {.quiet = workspace->quiet, .engine = {.topic = topic, .dir = dir, .log = workspace->log}};
    struct engine_report report;
    struct errmsg err = {{0}};
    scent_status status = network_prepare(workspace->network, workspace->path, topic, &run.engine, &err);
    int code;

    if (status == SCENT_OK)
        status = file_make_dir(dir, &err);
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
