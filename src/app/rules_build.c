/* rules_build - `scent rules build`: interclass rules counted from a taxonomy and the pages that its examples link to,
 * or along random walks through known pages. */
#include "app/command.h"
#include "app/output.h"
#include "app/workspace.h"
#include "training/archive_graph.h"
#include "training/linked_pages.h"
#include "training/topic_walks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* The paper counted its rules on 40,000 pages. */
enum { PER_CLASS = 200, PAGES = 40000 };

struct build_options {
    const char *output;
    struct network network;
    uint32_t per_class, walks;
    uint64_t pages;
    bool quiet;
};

/* What all steps work on. */
struct build {
    const struct build_options *options;
    const struct workspace *workspace;
    struct training_set *examples;
    struct model *model;
    struct rulebook *rules;
    bool show; /* progress, on a terminal */
};

static void show_reading(void *ctx, size_t done, size_t all)
{
    (void)ctx;
    output_progress("linked pages", done, all);
}

/* ---- the pages that examples link to ---- */

/* Where the linked pages are: the taxonomy's collection, else TOPIC.linked, into which they are fetched now. */
static int fetch_linked(const struct workspace *workspace, struct linked_pages *linked, uint64_t pages,
                        struct workspace_path *dir)
{
    const struct topic_taxonomy *taxonomy = &workspace->topic->taxonomy;
    struct errmsg err = {{0}};
    struct buf urls;
    uint64_t count;
    scent_status status = linked_pages_finish(linked, pages, &count);
    int code = EXIT_DONE;

    if (status == SCENT_OK && count == 0)
        status = errmsg_fail(&err, SCENT_E_INVALID,
                             "the examples have no links to other pages, so there is nothing to count");
    if (status != SCENT_OK)
        return command_fail(status, &err);
    if (taxonomy->collection.len) {
        snprintf(dir->text, sizeof dir->text, "%.*s", STR_ARG(taxonomy->collection));
        return EXIT_DONE;
    }
    *dir = workspace_beside(workspace->path, ".linked");
    log_line(workspace->log, LOG_INFO, "the examples link to %" PRIu64 " pages, which are fetched into %s", count,
             dir->text);
    buf_init(&urls, 0);
    linked_pages_list(linked, &urls);
    code = workspace_fetch(workspace, buf_str(&urls), dir->text);
    buf_release(&urls);
    return code;
}

/* Fetches what is missing, reads it, and counts. */
static int count_linked(struct build *build, struct linked_pages *linked)
{
    struct linked_pages_reading reading = {
        .log = build->workspace->log,
        .model = build->model,
        .whole_page = build->workspace->topic->content == TOPIC_CONTENT_ALL,
        .on_read = build->show ? show_reading : NULL,
    };
    struct workspace_path archive;
    struct errmsg err = {{0}};
    scent_status status;
    int code = fetch_linked(build->workspace, linked, build->options->pages, &archive);

    if (code != EXIT_DONE)
        return code;
    reading.archive = archive.text;
    status = linked_pages_count(linked, &reading, build->rules, &err);
    if (status == SCENT_OK && reading.read == 0)
        status = errmsg_fail(&err, SCENT_E_INVALID,
                             "none of the %" PRIu64 " pages that the examples link to could be read from %s",
                             reading.missing, reading.archive);
    if (status == SCENT_OK && !build->options->quiet)
        printf("%" PRIu64 " linked pages (%" PRIu64 " more could not be read)\n", reading.read, reading.missing);
    return command_exit(status, &err);
}

/* ---- random walks ---- */

static const uint32_t *links_of(const void *ctx, uint32_t page, size_t *count)
{
    return page_graph_links(ctx, page, count);
}

/* From the examples that are pages of the graph. */
static scent_status walk_graph(struct build *build, const struct archive_graph *graph, struct errmsg *err)
{
    const struct training_set *examples = build->examples;
    const struct page_graph *pages = archive_graph_pages(graph);
    uint32_t npages = page_graph_count(pages);
    uint32_t *class = malloc((npages + (size_t)1) * sizeof *class);
    uint32_t *starts = malloc((examples->set.nexamples + 1) * sizeof *starts);
    struct topic_walks walks = {.class = class, .links = links_of, .ctx = pages, .starts = starts,
                                .walks = build->options->walks, .seed = build->workspace->topic->model.seed};
    uint64_t counted;

    SCENT_BUG_IF(!class || !starts);
    for (size_t i = 0; i < examples->set.nexamples; i++)
        walks.nstarts += archive_graph_find(graph, examples->names[i], &starts[walks.nstarts]);
    topic_walks_classify(pages, build->model, build->show ? show_reading : NULL, NULL, class);
    counted = topic_walks_count(&walks, build->rules);
    free(starts);
    free(class);
    if (counted == 0)
        return errmsg_fail(err, SCENT_E_INVALID,
                           "no walk left its first page: %zu examples are among the %" PRIu32
                           " known pages, and none of them links to another", walks.nstarts, npages);
    if (!build->options->quiet)
        printf("%" PRIu64 " links of %" PRIu32 " walks from %zu examples through %" PRIu32 " known pages\n", counted,
               build->options->walks, walks.nstarts, npages);
    return SCENT_OK;
}

/* Which pages walks pass is not known beforehand: nothing is fetched for them. */
static int count_walks(struct build *build)
{
    const struct topic *topic = build->workspace->topic;
    struct str known = topic->graph.len ? topic->graph : topic->taxonomy.collection;
    struct archive_graph *graph = NULL;
    struct errmsg err = {{0}};
    scent_status status;

    if (!known.len)
        return command_fail(errmsg_fail(&err, SCENT_E_INVALID,
                                        "%s: walks go through pages that are known: add 'graph: EARLIER.crawl', or a "
                                        "collection to the taxonomy", build->workspace->path), &err);
    status = archive_graph_open(known.p, topic->content == TOPIC_CONTENT_ALL, build->workspace->log, NULL, NULL,
                                &graph, &err);
    if (status == SCENT_OK)
        status = walk_graph(build, graph, &err);
    archive_graph_close(graph);
    return command_exit(status, &err);
}

/* ---- the command ---- */

static int learn_classes(struct build *build)
{
    struct model_options options = build->workspace->topic->model;
    const struct learn_set *set = &build->examples->set;
    struct errmsg err = {{0}};
    scent_status status = model_train(set, &options, &build->model, &err);

    if (status == SCENT_OK)
        status = rulebook_new(set->classes, set->nclasses, &build->rules, &err);
    return command_exit(status, &err);
}

static int keep_rules(const struct build *build)
{
    const struct workspace *workspace = build->workspace;
    struct workspace_path path = workspace_rules_path(workspace->path, workspace->topic);
    const char *output = build->options->output ? build->options->output : path.text;
    struct rulebook *rules = build->rules;
    struct errmsg err = {{0}};
    scent_status status;
    uint32_t silent = 0;

    rules->fingerprint = training_plan_fingerprint(workspace->topic);
    status = rulebook_save(rules, output, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    for (uint32_t i = 0; i < rules->nclasses; i++)
        silent += rulebook_total(rules, i) == 0;
    if (silent)
        log_line(workspace->log, LOG_WARN,
                 "%" PRIu32 " of %" PRIu32 " classes have no rule: no page that their pages link to could be read",
                 silent, rules->nclasses);
    if (!build->options->quiet)
        printf("%s: %" PRIu64 " rules between %" PRIu32 " classes\n", output, rulebook_number(rules), rules->nclasses);
    return EXIT_DONE;
}

static int build_rules(const struct build_options *options, const struct workspace *workspace)
{
    struct build build = {
        .options = options, .workspace = workspace, .show = !options->quiet && isatty(STDERR_FILENO)};
    struct linked_pages *linked =
        options->walks ? NULL : linked_pages_new(options->per_class, workspace->topic->model.seed);
    int code = workspace_read_examples(workspace, linked, &build.examples);

    if (code == EXIT_DONE)
        code = learn_classes(&build);
    if (code == EXIT_DONE)
        code = linked ? count_linked(&build, linked) : count_walks(&build);
    if (code == EXIT_DONE)
        code = keep_rules(&build);
    rulebook_free(build.rules);
    model_free(build.model);
    training_set_free(build.examples);
    linked_pages_free(linked);
    return code;
}

static int check_topic(const struct topic *topic, const char *path)
{
    struct errmsg err = {{0}};

    if (topic_classes(topic) == TOPIC_CATEGORIES)
        return EXIT_DONE;
    return command_fail(errmsg_fail(&err, SCENT_E_INVALID, "%s: interclass rules need the categories of a taxonomy: "
                                    "add 'taxonomy: {file: …, target: …}'%s", path, topic->taxonomy.file.len
                                    ? " without 'examples', and with 'model: bayes'" : ""), &err);
}

static int run_build(const struct command_line *line)
{
    struct build_options *options = line->options;
    struct workspace workspace = {.path = line->arguments[0], .quiet = options->quiet};
    struct log log;
    int code;

    if (network_problem(&options->network))
        return command_misuse(line->command, "%s", network_problem(&options->network));
    log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
    workspace.log = &log;
    code = workspace_open(&workspace, &options->network);
    if (code == EXIT_DONE)
        code = check_topic(workspace.topic, workspace.path);
    if (code == EXIT_DONE)
        code = build_rules(options, &workspace);
    workspace_close(&workspace, &options->network);
    return code;
}

static const struct command_option build_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct build_options, output, "output", 'o', "FILE",
                   "file of the rules (default: the topic's key 'rules', or TOPIC.rules beside TOPIC.yaml)"),
    COMMAND_OPTION(OPTION_NUMBER, struct build_options, per_class, "per-class", 0, "N",
                   "read at most N linked pages of a class",
                   .rare = true, .min = 1, .max = 1000000, .number = PER_CLASS),
    COMMAND_OPTION(OPTION_NUMBER, struct build_options, pages, "pages", 0, "N", "read at most N linked pages in all",
                   .min = 1, .max = 100000000, .number = PAGES),
    COMMAND_OPTION(OPTION_NUMBER, struct build_options, walks, "walks", 0, "N",
                   "count the links along N random walks instead", .min = 1, .max = 1000000,
                   .manual = "From random examples through pages of the topic's graph or collection, 20 links each: "
                             "the topic citation matrix. --per-class and --pages do not apply."),
    NETWORK_OPTIONS(struct build_options, network),
    COMMAND_OPTION(OPTION_FLAG, struct build_options, quiet, "quiet", 'q', NULL, "print errors only", .rare = true),
    {0},
};

const struct command rules_build_command = {
    .name = "rules build",
    .summary = "Counts which classes of a taxonomy link to which",
    .arguments = "TOPIC.yaml",
    .description =
        "The examples of the topic's taxonomy train its model. The pages that they link to are read from the "
        "taxonomy's collection, or fetched once into TOPIC.linked, and classified: 'A -> B (.3)' says that "
        "three in ten of the pages that examples of A link to are of class B. With --walks the links along random "
        "walks through pages that are known already are counted, and nothing but the examples is fetched.",
    .example = "scent rules build physics.yaml",
    .exits = "0 the rules are written, 2 the topic or its examples are not good enough, 3 storage failed, 11 "
             "interrupted while fetching (the same command resumes).",
    .options = build_options,
    .size = sizeof(struct build_options),
    .run = run_build,
};
