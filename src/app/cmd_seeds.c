/* cmd_seeds - `scent seeds`: proposes seeds from what a user has, and from the results of a search engine, best first.
 *
 * Nothing but the search engine that the user names is asked over the network. */
#include "app/command.h"
#include "app/output.h"
#include "app/seed_search.h"
#include "app/seed_sources.h"
#include "topic/judge.h"
#include "topic/predicate.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdlib.h>

enum { QUERIES_MAX = SEED_NAMES_MAX };

struct seeds_options {
    struct network network;
    const char *topic, *about;
    struct seed_search search;
    struct option_list queries;
    uint64_t count;
    uint32_t per_host;
    enum seed_form form;
    bool all, quiet;
};

struct seeking {
    const struct seeds_options *options;
    struct workspace workspace; /* of the topic file, where there is one */
    struct topic *about;        /* what candidates are judged by, where the topic has no words for it */
    struct judge *judge;
    struct seed_pool_options pool_options;
    struct seed_pool *pool;
    struct seed_sources *sources;
    const struct log *log;
    struct str queries[QUERIES_MAX]; /* to be asked of the search engine */
    size_t nqueries;
};

static bool is_searching(const struct seeds_options *options)
{
    return options->search.engine || options->search.command;
}

/* ---- the topic ---- */

/* A topic that has no words is judged by those of its predicate, or by its name. */
static scent_status make_about(struct seeking *seeking, struct errmsg *err)
{
    const struct topic *topic = seeking->workspace.topic;
    struct buf words;
    scent_status status;

    buf_init(&words, 0);
    if (seeking->options->about)
        buf_addz(&words, seeking->options->about);
    else
        predicate_write_query(topic->predicate, &words);
    if (!words.len)
        buf_add(&words, topic->name);
    seeking->about = topic_new(STR("seeds"));
    status = topic_complete(seeking->about, buf_str(&words), STR_NONE, err);
    buf_release(&words);
    return status;
}

static int open_topic(struct seeking *seeking)
{
    struct workspace *workspace = &seeking->workspace;
    struct judge_basis basis = {.knowledge = &workspace->knowledge, .version = 1};
    struct errmsg err = {{0}};
    int code = EXIT_DONE;

    if (seeking->options->topic) {
        workspace->path = seeking->options->topic;
        code = workspace_open(workspace, (struct network *)&seeking->options->network);
        if (code == EXIT_DONE)
            code = workspace_find_model(workspace, NULL);
        if (code == EXIT_DONE)
            code = workspace_find_judge(workspace, NULL);
    }
    if (code != EXIT_DONE)
        return code;
    basis.topic = workspace->topic;
    if (seeking->options->about ||
        (workspace->topic && !workspace->knowledge.model && !workspace->knowledge.external &&
         !workspace->topic->query)) {
        if (make_about(seeking, &err) != SCENT_OK)
            return command_fail(SCENT_E_INVALID, &err);
        basis = (struct judge_basis){.topic = seeking->about, .version = 1};
    }
    if (basis.topic)
        seeking->judge = judge_new(&basis);
    return EXIT_DONE;
}

static void add_query(struct seeking *seeking, struct str text)
{
    if (seeking->nqueries < QUERIES_MAX)
        seeking->queries[seeking->nqueries++] = text;
}

/* The names of lists and those of the command line; where there are none, what the seeds are about. */
static void choose_queries(struct seeking *seeking)
{
    const struct seed_names *names = seed_sources_names(seeking->sources);
    const struct seeds_options *options = seeking->options;

    if (!is_searching(options))
        return;
    for (size_t i = 0; i < names->count; i++)
        add_query(seeking, names->items[i]);
    for (size_t i = 0; i < options->queries.count; i++)
        add_query(seeking, str_of(options->queries.items[i]));
    if (!seeking->nqueries && options->about)
        add_query(seeking, str_of(options->about));
    else if (!seeking->nqueries && seeking->workspace.topic)
        add_query(seeking, seeking->workspace.topic->name);
}

/* ---- the command ---- */

static int print_seeds(struct seeking *seeking)
{
    const struct seed_names *names = seed_sources_names(seeking->sources);
    struct errmsg err = {{0}};
    struct buf out;
    size_t written;

    buf_init(&out, 0);
    written = seed_pool_write(seeking->pool, seeking->options->count, seeking->options->form, &out);
    seed_pool_report(seeking->pool, seeking->log);
    if (names->seen && !is_searching(seeking->options))
        log_line(seeking->log, LOG_WARN, "%" PRIu64 " lines are names and not addresses: --search or --search-command "
                                         "looks for them", names->seen);
    else if (names->seen > names->count)
        log_line(seeking->log, LOG_WARN, "%" PRIu64 " names were not searched for: %d is the most for one call",
                 names->seen - names->count, SEED_NAMES_MAX);
    fputs(buf_z(&out), stdout);
    buf_release(&out);
    if (fflush(stdout) != 0)
        return command_fail(errmsg_fail(&err, SCENT_E_IO, "standard output cannot be written"), &err);
    if (!written)
        log_line(seeking->log, LOG_WARN, "no seed is left");
    return written ? EXIT_DONE : 1;
}

static int seek(struct seeking *seeking, char **sources)
{
    struct errmsg err = {{0}};
    scent_status status = SCENT_OK;
    int code = open_topic(seeking);

    if (code != EXIT_DONE)
        return code;
    seeking->pool_options = (struct seed_pool_options){
        .topic = seeking->workspace.topic,
        .judge = seeking->judge,
        .allow_private = seeking->options->network.allow_private,
        .per_host = seeking->options->per_host,
        .all = seeking->options->all,
    };
    seeking->pool = seed_pool_new(&seeking->pool_options);
    seeking->sources = seed_sources_new(seeking->pool);
    for (; *sources && status == SCENT_OK; sources++)
        status = seed_sources_read(seeking->sources, *sources, &err);
    choose_queries(seeking);
    if (status == SCENT_OK)
        status = seed_search(&seeking->options->search, seeking->queries, seeking->nqueries, seeking->pool, &err);
    code = status == SCENT_OK ? print_seeds(seeking) : command_fail(status, &err);
    seed_sources_free(seeking->sources);
    seed_pool_free(seeking->pool);
    return code;
}

static int run_seeds(const struct command_line *line)
{
    struct seeds_options *options = line->options;
    struct seeking *seeking = calloc(1, sizeof *seeking);
    struct log log;
    int code;

    SCENT_BUG_IF(!seeking);
    if (options->search.engine && options->search.command)
        code = command_misuse(line->command, "--search and --search-command exclude each other");
    else if (options->search.engine && !url_is_absolute(str_of(options->search.engine)))
        code = command_invalid(line->command, "search", options->search.engine, "an http or https URL");
    else if (options->queries.count && !is_searching(options))
        code = command_misuse(line->command, "--query needs --search or --search-command");
    else if (!line->count && !is_searching(options))
        code = command_misuse(line->command, "missing argument SOURCE");
    else if (!line->count && !options->queries.count && !options->about && !options->topic)
        code = command_misuse(line->command, "what is to be searched for? give --query, --about or --topic");
    else {
        log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
        seeking->options = options;
        seeking->log = seeking->workspace.log = &log;
        code = seek(seeking, line->arguments);
        judge_unref(seeking->judge);
        topic_free(seeking->about);
        workspace_close(&seeking->workspace, &options->network);
    }
    free(seeking);
    return code;
}

static const char *const forms[] = {"yaml", "list", "json", NULL};

static const struct command_option seeds_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, topic, "topic", 't', "TOPIC.yaml",
                   "order by relevance to this topic; keep to its scope",
                   .manual = "By its model, program or query; a topic with none of them is taken by the words of its "
                             "predicate, or by its name."),
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, about, "about", 'a', "WORDS",
                   "order by relevance to these words", .manual = "Any query of a topic file."),
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, search.engine, "search", 0, "URL",
                   "ask this SearXNG, or what speaks its JSON",
                   .manual = "Such as http://127.0.0.1:8888/. Its settings must have 'json' among search.formats."),
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, search.command, "search-command", 0, "PROGRAM",
                   "ask this program: it gets a query and prints results",
                   .manual = "It is started without a shell, with the query as its one argument, and prints a line a "
                             "result: URL, title and text with tabs between, or a JSON object with url, title and "
                             "content; or one object with results, as SearXNG does."),
    COMMAND_OPTION(OPTION_LIST, struct seeds_options, queries, "query", 0, "WORDS",
                   "search for this; repeatable (default: --about, or the topic's name)", .rare = true),
    COMMAND_OPTION(OPTION_NUMBER, struct seeds_options, search.pages, "result-pages", 0, "N",
                   "pages of results a query", .rare = true,
                   .min = 1, .max = 20, .number = 1),
    COMMAND_OPTION(OPTION_NUMBER, struct seeds_options, count, "count", 'n', "N", "propose at most so many", .min = 1,
                   .max = SEED_POOL_MAX, .number = 50),
    COMMAND_OPTION(OPTION_NUMBER, struct seeds_options, per_host, "per-host", 0, "N",
                   "of a host at most so many (0: any number)", .rare = true, .max = SEED_POOL_MAX, .number = 3),
    COMMAND_OPTION(OPTION_CHOICE, struct seeds_options, form, "format", 'f', "FORMAT",
                   "yaml, list or json",
                   .manual = "yaml is a part of a topic file, list is for crawl --seeds.", .choices = forms),
    COMMAND_OPTION(OPTION_FLAG, struct seeds_options, all, "all", 0, NULL,
                   "also those without a word of the topic"),
    COMMAND_OPTION(OPTION_FLAG, struct seeds_options, network.allow_private, "allow-private", 0, NULL,
                   "also hosts of the local network", .rare = true),
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, search.ca_file, "ca-file", 0, "FILE",
                   "trust these certificate authorities (PEM) instead of the system's", .rare = true),
    COMMAND_OPTION(OPTION_STRING, struct seeds_options, search.dns, "dns", 0, "ADDRESS[:PORT]",
                   "ask this name server instead of the system's", .rare = true),
    COMMAND_OPTION(OPTION_FLAG, struct seeds_options, quiet, "quiet", 'q', NULL, "no messages but errors",
                   .rare = true),
    {0},
};

const struct command command_seeds = {
    .name = "seeds",
    .summary = "Proposes seeds from bookmarks, history, lists, crawls, archives or a search engine",
    .arguments = "[SOURCE]…",
    .description =
        "A SOURCE is the profile of a Firefox or Chromium (or its places.sqlite, History or Bookmarks), exported "
        "bookmarks or another HTML page, a crawl directory, WARC files or a folder of them, a CDX or CDXJ index, or "
        "a list of addresses, hosts and names; - is standard input.",
    .example = "scent seeds ~/.mozilla/firefox/*.default-release --about hockey >> my.yaml\n"
               "scent seeds --search http://localhost:8888 --topic my.yaml -f list > new.txt",
    .exits = "1 no seed is left.",
    .options = seeds_options,
    .size = sizeof(struct seeds_options),
    .run = run_seeds,
};
