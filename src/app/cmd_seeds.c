/* cmd_seeds - `scent seeds`: proposes seeds from what a user has: a browser's bookmarks and history, lists of addresses
 * and names, earlier crawls, archives and their indexes, the results of a search engine.
 *
 * Everything that is read comes from outside: it is capped, nothing is followed, and nothing but the search engine that
 * the user names is asked over the network. */
#include "app/command.h"
#include "app/output.h"
#include "app/seed_search.h"
#include "base/file.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"
#include "json/json.h"
#include "page/page.h"
#include "store/store.h"
#include "topic/judge.h"
#include "topic/predicate.h"
#include "trace/logline.h"
#include "trace/places.h"
#include "url/url.h"
#include "warc/archive.h"
#include "warc/pagefile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    NAMES_MAX = 1000, /* that are looked for */
    LINES_MAX = 10 * 1000 * 1000,
    PAGE_ARENA = 256 << 20
};

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
    const struct log *log;
    struct arena arena;
    struct page_analyser *analyser;
    struct arena page_arena;
    struct str queries[NAMES_MAX]; /* to be asked of the search engine */
    size_t nqueries;
    uint64_t offers;     /* addresses that were found */
    uint64_t names_left; /* names that nobody was asked about */
};

static bool is_searching(const struct seeds_options *options)
{
    return options->search.engine || options->search.command;
}

static scent_status offer(struct seeking *seeking, const struct seed_offer *what, struct errmsg *err)
{
    seeking->offers++;
    return seed_pool_add(seeking->pool, what, err);
}

/* ---- browsers ---- */

static scent_status take_place(void *ctx, const struct place *place, struct errmsg *err)
{
    struct seed_offer what = {.url = place->url, .title = place->title,
                              .source = place->visits ? SEED_VISITED : SEED_BOOKMARK,
                              .weight = place->visits ? log2(1 + (double)place->visits) : 8};

    return offer(ctx, &what, err);
}

/* ---- crawls: relevant pages, those first that link to many others ---- */

struct crawl_pages {
    struct seeking *seeking;
    uint32_t *links; /* by page row: how many relevant pages it links to */
    size_t nlinks, links_room;
    uint8_t *relevant; /* by URL id */
    size_t nrelevant, relevant_room;
    struct errmsg *err;
};

static scent_status note_relevant(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct crawl_pages *pages = ctx;

    (void)url;
    if (!page->relevant || !store_page_is_shown(page))
        return SCENT_OK;
    if (!vec_reserve(&pages->relevant, &pages->relevant_room, page->url + (size_t)1, 1) ||
        !vec_reserve(&pages->links, &pages->links_room, page->number + (size_t)1, sizeof *pages->links))
        return SCENT_E_NOMEM;
    for (; pages->nrelevant <= page->url; pages->nrelevant++)
        pages->relevant[pages->nrelevant] = 0;
    for (; pages->nlinks <= page->number; pages->nlinks++)
        pages->links[pages->nlinks] = 0;
    pages->relevant[page->url] = 1;
    return SCENT_OK;
}

static scent_status count_link(void *ctx, uint64_t row, const struct store_link *link)
{
    struct crawl_pages *pages = ctx;

    (void)row;
    if (link->page < pages->nlinks && link->target < pages->nrelevant && pages->relevant[link->target])
        pages->links[link->page]++;
    return SCENT_OK;
}

static scent_status take_page(void *ctx, const struct store_page *page, const struct store_url *url)
{
    struct crawl_pages *pages = ctx;

    if (!page->relevant || !store_page_is_shown(page))
        return SCENT_OK;
    return offer(pages->seeking,
                 &(struct seed_offer){.url = url->url, .title = page->title, .source = SEED_CRAWLED,
                                      .weight = page->score + log2(1 + (double)pages->links[page->number])},
                 pages->err);
}

static scent_status read_crawl(struct seeking *seeking, const char *dir, struct errmsg *err)
{
    struct crawl_pages pages = {.seeking = seeking, .err = err};
    struct store *store;
    scent_status status;

    SCENT_TRY(crawldir_open(dir, STORE_READ, &store, err));
    status = store_each_page(store, 0, note_relevant, &pages, err);
    if (status == SCENT_OK)
        status = store_each_link_from(store, 0, count_link, &pages, err);
    if (status == SCENT_OK)
        status = store_each_page(store, 0, take_page, &pages, err);
    store_close(store);
    free(pages.links);
    free(pages.relevant);
    return status;
}

/* ---- pages: of archives, and what saved pages and exported bookmarks link to ---- */

static scent_status take_archived(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct seeking *seeking = ctx;
    struct page page;

    arena_reset(&seeking->page_arena);
    if (page_analyse_stored(seeking->analyser, from->url, from->headers, from->body, &seeking->page_arena, &page) !=
            SCENT_OK ||
        page.not_text)
        return SCENT_OK;
    return offer(seeking, &(struct seed_offer){.url = from->url, .title = page.title, .page = &page,
                                               .source = SEED_ARCHIVED, .weight = 1}, err);
}

static scent_status take_links(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct seeking *seeking = ctx;
    bool is_bookmarks = str_starts_nocase(str_trim(from->body), STR("<!DOCTYPE NETSCAPE-Bookmark-file-1"));
    struct page page;

    arena_reset(&seeking->page_arena);
    if (page_analyse_stored(seeking->analyser, from->url, from->headers, from->body, &seeking->page_arena, &page) !=
        SCENT_OK)
        return SCENT_OK;
    for (uint32_t i = 0; i < page.nlinks; i++)
        SCENT_TRY(offer(seeking, &(struct seed_offer){.url = page.links[i].url.href, .title = page.links[i].anchor,
                                                      .source = is_bookmarks ? SEED_BOOKMARK : SEED_LINKED,
                                                      .weight = is_bookmarks ? 8 : 1}, err));
    return SCENT_OK;
}

static scent_status read_archives(struct seeking *seeking, const char *path, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct file_list files;
    scent_status status = archive_files(path, &files, err);

    if (status != SCENT_OK)
        return status;
    if (!files.count)
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s is neither a crawl directory, nor the profile of a browser, nor a folder of WARC "
                             "files", path);
    for (size_t i = 0; i < files.count && status == SCENT_OK; i++)
        status = pagefile_read(files.names[i], PAGEFILE_WARC, take_archived, seeking, &counts, err);
    file_list_release(&files);
    return status;
}

/* ---- indexes of archives: CDX and CDXJ ---- */

enum { CDX_FIELDS_MAX = 16 };

/* What stands where in a CDX line, by the letters of its first line: a the URL, m the type, s the status. */
struct cdx_order {
    int url, mime, status;
};

static struct cdx_order read_order(struct str header)
{
    struct cdx_order order = {2, 3, 4}; /* of " CDX N b a m s k r M S V g" */
    struct str word;
    int place = 0;

    header = str_sub(header, sizeof " CDX " - 1, header.len);
    header = str_trim(header);
    while (str_split(&header, ' ', &word)) {
        if (word.len == 1 && word.p[0] == 'a')
            order.url = place;
        else if (word.len == 1 && word.p[0] == 'm')
            order.mime = place;
        else if (word.len == 1 && word.p[0] == 's')
            order.status = place;
        place++;
    }
    return order;
}

/* A page that was there; an index without types or states has "-" in their place. */
static bool is_page(struct str mime, struct str status)
{
    return (!mime.len || str_eq(mime, STR("-")) || str_eq(mime, STR("unk")) || str_starts(mime, STR("text/html")) ||
            str_starts(mime, STR("application/xhtml"))) &&
           (!status.len || str_eq(status, STR("-")) || str_starts(status, STR("2")));
}

static bool is_cdxj(struct str line, struct str *json)
{
    size_t key = str_find(line, ' '), date = key + 1;

    for (; date < line.len && ascii_is_digit(line.p[date]); date++)
        ;
    *json = str_trim(str_sub(line, date, line.len));
    return key < line.len && date - key - 1 >= 4 && date - key - 1 <= 17 && json->len && json->p[0] == '{';
}

static scent_status take_index_line(struct seeking *seeking, struct str line, struct cdx_order order,
                                    struct errmsg *err)
{
    struct str fields[CDX_FIELDS_MAX] = {{0}}, rest = line, json;
    struct seed_offer what = {.source = SEED_ARCHIVED, .weight = 1};
    struct json *root = NULL;
    scent_status status = SCENT_OK;
    struct errmsg why;
    int n = 0;

    if (is_cdxj(line, &json)) {
        if (json_parse(json, &root, &why) != SCENT_OK)
            return SCENT_OK;
        what.url = json_as_str(json_get(root, "url"));
        fields[0] = json_as_str(json_get(root, "mime"));
        fields[1] = json_as_str(json_get(root, "status"));
    } else {
        while (n < CDX_FIELDS_MAX && str_split(&rest, ' ', &fields[n]))
            n++;
        what.url = order.url < n ? fields[order.url] : STR_NONE;
        fields[0] = order.mime < n ? fields[order.mime] : STR_NONE;
        fields[1] = order.status < n ? fields[order.status] : STR_NONE;
    }
    if (what.url.len && is_page(fields[0], fields[1]))
        status = offer(seeking, &what, err);
    json_free(root);
    return status;
}

/* ---- lists of addresses and names ---- */

static void add_query(struct seeking *seeking, struct str text)
{
    if (!is_searching(seeking->options))
        seeking->names_left++;
    else if (seeking->nqueries == NAMES_MAX)
        seeking->names_left++;
    else if ((seeking->queries[seeking->nqueries] = arena_str(&seeking->arena, text)).p)
        seeking->nqueries++;
}

/* "example.org", "www.example.org/players" */
static bool is_host(struct str line)
{
    struct str host = str_sub(line, 0, str_find(line, '/'));
    size_t dot = str_find(host, '.');

    for (size_t i = 0; i < host.len; i++)
        if (!ascii_is_alpha(host.p[i]) && !ascii_is_digit(host.p[i]) && host.p[i] != '.' && host.p[i] != '-' &&
            (unsigned char)host.p[i] < 0x80)
            return false;
    return dot > 0 && dot + 2 < host.len && str_find(line, ' ') == line.len && url_registered_domain(host).len;
}

static scent_status take_list_line(struct seeking *seeking, struct str line, struct errmsg *err)
{
    struct seed_offer what = {.source = SEED_LISTED, .weight = 4};
    struct str rest = str_trim(line), url;

    if (!rest.len || rest.p[0] == '#')
        return SCENT_OK;
    if (url_is_absolute(rest)) {
        size_t end = 0;

        while (end < rest.len && !ascii_is_space(rest.p[end]))
            end++;
        what.url = str_sub(rest, 0, end);
        what.title = str_trim(str_sub(rest, end, rest.len));
        return offer(seeking, &what, err);
    }
    if (is_host(rest)) {
        url = arena_printf(&seeking->arena, "https://%.*s", STR_ARG(rest));
        what.url = url;
        return url.p ? offer(seeking, &what, err) : SCENT_E_NOMEM;
    }
    add_query(seeking, rest);
    return SCENT_OK;
}

/* An index of archives, or a list; plain or gzip. A line that is too long is passed over. */
static scent_status take_lines(struct seeking *seeking, struct logsource *source, struct errmsg *err)
{
    struct cdx_order order = {2, 3, 4};
    bool is_index = false, is_first = true;
    uint64_t lines = 0, named = seeking->offers + seeking->nqueries;
    scent_status status;
    struct str line, json;

    while ((status = logsource_line(source, &line, err)) == SCENT_OK || status == SCENT_E_LIMIT) {
        if (status == SCENT_E_LIMIT)
            continue;
        if (is_first && str_starts(line, STR(" CDX "))) {
            is_index = true;
            order = read_order(line);
        } else {
            is_index = is_index || (is_first && is_cdxj(line, &json));
            status = is_index ? take_index_line(seeking, line, order, err) : take_list_line(seeking, line, err);
        }
        is_first = false;
        if (seeking->offers + seeking->nqueries > named) {
            named = seeking->offers + seeking->nqueries;
            logsource_used(source);
        }
        if (status == SCENT_OK && ++lines > LINES_MAX)
            status = errmsg_fail(err, SCENT_E_LIMIT, "more than %d lines: give a part of them", LINES_MAX);
        if (status != SCENT_OK)
            break;
    }
    return status == SCENT_E_END ? SCENT_OK : status;
}

static scent_status read_text(struct seeking *seeking, const char *path, struct errmsg *err)
{
    struct pagefile_counts counts = {0};
    struct logsource *source;
    bool is_markup = false;
    struct str head;
    scent_status status;

    SCENT_TRY(logsource_open(path, &source, err));
    status = logsource_head(source, &head, err);
    if (status == SCENT_OK) {
        is_markup = str_starts(str_trim(head), STR("<"));
        status = is_markup ? SCENT_OK : take_lines(seeking, source, err);
    }
    logsource_close(source);
    return is_markup ? pagefile_read(path, PAGEFILE_HTML, take_links, seeking, &counts, err) : status;
}

/* ---- what a source is ---- */

static bool holds(const char *dir, const char *name)
{
    return file_exists(crawldir_path(dir, name).text);
}

static scent_status read_source(struct seeking *seeking, const char *path, struct errmsg *err)
{
    if (strcmp(path, "-") == 0)
        return read_text(seeking, "/dev/stdin", err);
    if (!file_exists(path))
        return errmsg_fail(err, SCENT_E_NOTFOUND, "%s does not exist", path);
    if (places_is_source(path))
        return places_read(path, take_place, seeking, err);
    if (file_is_dir(path))
        return holds(path, "crawl.db") ? read_crawl(seeking, path, err) : read_archives(seeking, path, err);
    return pagefile_kind_of(path) == PAGEFILE_WARC ? read_archives(seeking, path, err) : read_text(seeking, path, err);
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

static void choose_queries(struct seeking *seeking)
{
    const struct seeds_options *options = seeking->options;

    for (size_t i = 0; i < options->queries.count; i++)
        add_query(seeking, str_of(options->queries.items[i]));
    if (!seeking->nqueries && is_searching(options) && options->about)
        add_query(seeking, str_of(options->about));
    else if (!seeking->nqueries && is_searching(options) && seeking->workspace.topic)
        add_query(seeking, seeking->workspace.topic->name);
}

/* ---- the command ---- */

static int print_seeds(struct seeking *seeking)
{
    struct errmsg err = {{0}};
    struct buf out;
    size_t written;

    buf_init(&out, 0);
    written = seed_pool_write(seeking->pool, seeking->options->count, seeking->options->form, &out);
    seed_pool_report(seeking->pool, seeking->log);
    if (seeking->names_left)
        log_line(seeking->log, LOG_WARN, "%" PRIu64 " lines are names and not addresses: --search or --search-command "
                                         "looks for them", seeking->names_left);
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
    for (; *sources && status == SCENT_OK; sources++)
        status = read_source(seeking, *sources, &err);
    choose_queries(seeking);
    if (status == SCENT_OK)
        status = seed_search(&seeking->options->search, seeking->queries, seeking->nqueries, seeking->pool, &err);
    code = status == SCENT_OK ? print_seeds(seeking) : command_fail(status, &err);
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
        seeking->analyser = page_analyser_new(&(struct page_options){.max_bytes = PAGEFILE_MAX_BYTES});
        arena_init(&seeking->arena, 256 << 20);
        arena_init(&seeking->page_arena, PAGE_ARENA);
        code = seek(seeking, line->arguments);
        judge_unref(seeking->judge);
        topic_free(seeking->about);
        page_analyser_free(seeking->analyser);
        arena_release(&seeking->arena);
        arena_release(&seeking->page_arena);
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
