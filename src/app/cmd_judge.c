/* cmd_judge - `scent judge`: a judge outside of a crawl. Pages in, verdicts with their reasons out. */
#include "app/command.h"
#include "app/output.h"
#include "app/review.h"
#include "app/workspace.h"
#include "base/file.h"
#include "crawldir/judged.h"
#include "crawldir/reread.h"
#include "pdf/pdf_reader.h"
#include "topic/judge.h"
#include "topic/predicate.h"
#include "topic/centroid.h"
#include "training/example_files.h"
#include "warc/pagefile.h"
#include "url/url.h"

#include <stdlib.h>

enum { EXIT_RELEVANT = 0, EXIT_IRRELEVANT = 1, PAGE_ARENA = 512 << 20 };

struct judge_options {
    const char *base, *crawl, *review, *marks, *unmark;
    struct network network;
    bool json, quiet, allow_programs;
};

struct judging {
    const struct judge_options *options;
    struct workspace workspace;
    struct judge *judge;
    struct page_analyser *analyser;
    struct pdf_reader *pdf;
    struct arena arena; /* of one page */
    struct centroid seeds;
    struct store *store; /* of --crawl; NULL: a judge outside of a crawl */
    const char *base; /* the URL that files are taken to come from; NULL: their own */
    struct buf urls;  /* one a line: what has to be fetched */
    uint64_t relevant, failed;
};

/* ---- as a crawl sees pages ---- */

struct host_search {
    struct str name;
    uint32_t id;
    bool found;
    struct repeats_host *host;
};

static scent_status find_host(void *ctx, const struct store_host *row)
{
    struct host_search *search = ctx;

    if (!str_eq(row->name, search->name))
        return SCENT_OK;
    search->found = true;
    search->id = row->id;
    return SCENT_E_END;
}

static scent_status find_repeated(void *ctx, const struct store_blocks *row)
{
    struct host_search *search = ctx;

    if (row->host != search->id)
        return SCENT_OK;
    search->host = repeats_host_new(row->blocks);
    return SCENT_E_END;
}

static bool is_seed(const struct judging *judging, const struct page *page)
{
    const struct topic *topic = judging->workspace.topic;

    for (size_t i = 0; judging->store && i < topic->nseeds; i++)
        if (str_eq(topic->seeds[i].href, page->url.href))
            return true;
    return false;
}

/* Without the blocks that repeat on its host. */
static scent_status drop_repeated(struct judging *judging, struct page *page, struct errmsg *err)
{
    struct host_search search = {.name = url_server(&page->url)};
    scent_status status;

    if (!judging->store || judging->workspace.topic->content == TOPIC_CONTENT_ALL || is_seed(judging, page))
        return SCENT_OK;
    status = store_each_host(judging->store, find_host, &search, err);
    if (search.found)
        status = store_each_repeated(judging->store, find_repeated, &search, err);
    repeats_apply(search.host, page);
    repeats_host_unref(search.host);
    return status == SCENT_E_END ? SCENT_OK : status;
}

/* Seeds, statistics and models of the crawl. */
static int open_crawl(struct judging *judging)
{
    struct workspace *workspace = &judging->workspace;
    const char *dir = judging->options->crawl;
    struct errmsg err = {{0}};
    struct reread *reread;
    uint64_t key;
    bool found;
    scent_status status = store_open(dir, STORE_READ, &judging->store, &err);

    if (status == SCENT_OK)
        status = crawldir_get_number(judging->store, "key", &key, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    reread = reread_new(dir, workspace->topic, key, pdf_reader_option(judging->pdf));
    status = reread_seeds(reread, judging->store, UINT64_MAX, true, &judging->seeds, &err);
    if (status == SCENT_OK)
        status = judged_add_others(judging->store, NULL, &judging->seeds, &err);
    if (status == SCENT_OK)
        status = judged_load(judging->store, workspace->topic, &workspace->knowledge, &judging->seeds, 0, 0, &found,
                             &judging->judge, &err);
    reread_free(reread);
    return command_exit(status, &err);
}

/* ---- a page ---- */

static scent_status analyse(struct judging *judging, const struct pagefile_page *from, const char *base,
                            struct page *page, struct errmsg *err)
{
    struct str href = base ? str_of(base) : from->url;
    scent_status status;

    arena_reset(&judging->arena);
    status = page_analyse_stored(judging->analyser, href, from->headers, from->body, &judging->arena, page);
    if (status == SCENT_OK)
        return drop_repeated(judging, page, err);
    return errmsg_fail(err, status == SCENT_E_NOMEM ? SCENT_E_LIMIT : SCENT_E_INVALID, "%s",
                       status == SCENT_E_NOMEM ? "the page is too large to analyse"
                                               : "its URL is neither http nor https");
}

static scent_status add_seed(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct judging *judging = ctx;
    struct page page;
    scent_status status = analyse(judging, from, NULL, &page, err);

    return status == SCENT_OK ? centroid_add_page(&judging->seeds, &page) : status;
}

/* Once the seeds are known. */
static void open_judge(struct judging *judging)
{
    if (judging->judge)
        return;
    judging->judge = judge_new(&(struct judge_basis){.topic = judging->workspace.topic,
                                                     .knowledge = &judging->workspace.knowledge,
                                                     .seeds = &judging->seeds,
                                                     .version = 1});
}

static void print_text(const struct pagefile_page *from, const struct page *page,
                       const struct judgement *verdict, struct str reasons)
{
    struct str line;

    fprintf(stdout, "%s %.3f  %.*s", verdict->relevant ? "relevant    " : "not relevant", verdict->score,
            STR_ARG(from->name));
    fprintf(stdout, page->title.len ? "  (%.*s)\n" : "\n", STR_ARG(page->title));
    while (str_split(&reasons, '\n', &line))
        if (line.len)
            fprintf(stdout, "    %.*s\n", STR_ARG(line));
}

static void print_json(const struct pagefile_page *from, const struct page *page,
                       const struct judgement *verdict, struct str reasons)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);

    json_object_begin(w);
    json_put_str(w, "name", from->name);
    json_put_str(w, "url", page->url.href);
    json_put_bool(w, "relevant", verdict->relevant);
    json_put_double(w, "score", verdict->score);
    json_put_str(w, "lang", page->lang);
    json_put_str(w, "title", page->title);
    json_put_str(w, "reasons", str_trim(reasons));
    json_object_end(w);
    json_output_end(&output, stdout);
}

/* A pagefile_fn: judges a page and prints the verdict. */
static scent_status judge_one(void *ctx, const struct pagefile_page *from, struct errmsg *err)
{
    struct judging *judging = ctx;
    struct judgement verdict;
    struct buf reasons;
    struct page page;
    scent_status status = analyse(judging, from, judging->base, &page, err);
    struct judge_input input = {.page = &page, .bytes = page.bytes, .arena = &judging->arena};

    if (status == SCENT_OK && page.not_text)
        status = errmsg_fail(err, SCENT_E_INVALID, "it cannot be judged: %s", page.not_text);
    if (status != SCENT_OK)
        return status;
    input.seed = is_seed(judging, &page);
    judge_page(judging->judge, &input, &verdict);
    if (verdict.is_unanswered)
        return errmsg_fail(err, SCENT_E_INVALID, "the topic's own judge gave no answer");
    buf_init(&reasons, 0);
    status = judge_explain(judging->judge, &input, &reasons);
    if (status == SCENT_OK && judging->options->json)
        print_json(from, &page, &verdict, buf_str(&reasons));
    else if (status == SCENT_OK)
        print_text(from, &page, &verdict, buf_str(&reasons));
    judging->relevant += verdict.relevant;
    buf_release(&reasons);
    return status;
}

static void report_failure(struct judging *judging, struct str what, const struct errmsg *why)
{
    judging->failed++;
    log_line(judging->workspace.log, LOG_ERROR, "%.*s: %s", STR_ARG(what), why->text);
}

/* ---- files and standard input ---- */

static void judge_stdin(struct judging *judging)
{
    struct errmsg err = {{0}};
    struct buf bytes;
    bool plain;
    scent_status status;

    buf_init(&bytes, PAGEFILE_MAX_BYTES);
    status = file_read("/dev/stdin", &bytes, &err);
    plain = bytes.len && !memchr(bytes.p, '<', bytes.len) && !str_starts(buf_str(&bytes), STR("\x1F\x8B"));
    if (status == SCENT_OK)
        status = pagefile_read_bytes(buf_str(&bytes), "-", plain, judge_one, judging, &err);
    if (status != SCENT_OK)
        report_failure(judging, STR("standard input"), &err);
    buf_release(&bytes);
}

static void list_urls(struct judging *judging, const char *path)
{
    struct errmsg err = {{0}};
    struct buf text;

    buf_init(&text, 64 << 20);
    if (file_read(path, &text, &err) == SCENT_OK)
        buf_add(&judging->urls, buf_str(&text));
    else
        report_failure(judging, str_of(path), &err);
    buf_addc(&judging->urls, '\n');
    buf_release(&text);
}

static void judge_path(struct judging *judging, const char *path)
{
    struct example_files found = {0};
    struct errmsg err = {{0}};
    struct arena arena;

    arena_init(&arena, (size_t)1 << 30);
    if (example_files_add(&found, path, &arena, &err) != SCENT_OK)
        report_failure(judging, str_of(path), &err);
    for (size_t i = 0; i < found.count; i++) {
        struct pagefile_counts counts = {0};
        const struct example_file *file = &found.files[i];

        if (file->kind == PAGEFILE_URLS)
            list_urls(judging, file->path.p);
        else if (pagefile_read(file->path.p, file->kind, judge_one, judging, &counts, &err) != SCENT_OK)
            report_failure(judging, file->path, &err);
    }
    arena_release(&arena);
}

/* ---- URLs ---- */

static void each_page(struct judging *judging, const char *dir, struct str urls, pagefile_fn *fn)
{
    struct archive *archive;
    struct errmsg err = {{0}};
    struct buf lookup;
    struct str url;

    buf_init(&lookup, 0);
    if (archive_open(dir, judging->workspace.log, &archive, &err) != SCENT_OK)
        archive = NULL;
    while (pagefile_next_url(&urls, &url)) {
        scent_status status = SCENT_E_NOTFOUND;

        if (archive)
            status = pagefile_find(archive, url, &lookup, fn, judging, &err);
        if (status == SCENT_E_NOTFOUND)
            errmsg_fail(&err, status, "%s",
                        judging->store ? "the crawl has not archived it" : "the page could not be fetched");
        if (status != SCENT_OK)
            report_failure(judging, url, &err);
    }
    archive_free(archive);
    buf_release(&lookup);
}

/* A crawl of just these pages in a folder that is gone afterwards. */
static int judge_urls(struct judging *judging)
{
    const char *tmp = getenv("TMPDIR");
    char dir[4096];
    struct errmsg err = {{0}};
    int code;

    judging->base = NULL;
    if (judging->store) {
        each_page(judging, judging->options->crawl, buf_str(&judging->urls), judge_one);
        return EXIT_DONE;
    }
    snprintf(dir, sizeof dir, "%s/scent-judge-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return command_fail(errmsg_fail(&err, SCENT_E_IO, "cannot create the folder %s", dir), &err);
    judging->workspace.quiet = true;
    code = workspace_fetch(&judging->workspace, buf_str(&judging->urls), dir);
    if (code == EXIT_DONE)
        each_page(judging, dir, buf_str(&judging->urls), judge_one);
    if (file_remove_tree(dir, &err) != SCENT_OK)
        log_line(judging->workspace.log, LOG_WARN, "%s", err.text);
    return code;
}

/* similar() is the likeness to the seeds: their pages are fetched once. */
static int read_seeds(struct judging *judging)
{
    const struct topic *topic = judging->workspace.topic;
    struct workspace_path dir = workspace_beside(judging->workspace.path, ".seeds");
    struct buf urls;
    int code;

    if (!predicate_asks(topic->predicate, VALUE_SIMILAR) || topic->nseeds == 0)
        return EXIT_DONE;
    buf_init(&urls, 0);
    for (size_t i = 0; i < topic->nseeds; i++)
        buf_printf(&urls, "%.*s\n", STR_ARG(topic->seeds[i].href));
    code = workspace_fetch(&judging->workspace, buf_str(&urls), dir.text);
    if (code == EXIT_DONE)
        each_page(judging, dir.text, buf_str(&urls), add_seed);
    buf_release(&urls);
    judging->failed = 0; /* a seed that failed was reported; the exit status is about the pages to be judged */
    return code;
}

static int judge_all(struct judging *judging, char **what)
{
    int code;

    open_judge(judging);
    judging->base = judging->options->base;
    for (; *what; what++) {
        if (strcmp(*what, "-") == 0)
            judge_stdin(judging);
        else if (url_is_absolute(str_of(*what)))
            buf_printf(&judging->urls, "%s\n", *what);
        else
            judge_path(judging, *what);
    }
    code = judging->urls.len ? judge_urls(judging) : EXIT_DONE;
    if (code != EXIT_DONE || judging->failed)
        return code != EXIT_DONE ? code : EXIT_USAGE;
    return judging->relevant ? EXIT_RELEVANT : EXIT_IRRELEVANT;
}

static int prepare(struct judging *judging)
{
    struct workspace *workspace = &judging->workspace;
    struct page_options options = {.max_bytes = PAGEFILE_MAX_BYTES};
    struct errmsg no_pdf;
    const char *dir = judging->options->crawl;
    int code;

    workspace->reads_only = dir;
    code = workspace_find_model(workspace, dir);
    if (code == EXIT_DONE)
        code = workspace_find_browsing(workspace, dir);
    if (code == EXIT_DONE)
        code = workspace_find_judge(workspace, dir);
    options.url_flags = topic_url_flags(workspace->topic);
    options.whole_page = workspace->topic->content == TOPIC_CONTENT_ALL;
    judging->pdf = pdf_reader_new(NULL, NULL, &no_pdf);
    options.pdf = pdf_reader_option(judging->pdf);
    judging->analyser = page_analyser_new(&options);
    if (code != EXIT_DONE)
        return code;
    return dir ? open_crawl(judging) : read_seeds(judging);
}

static int run_judge(const struct command_line *line)
{
    struct judge_options *options = line->options;
    struct crawldir_path own = crawldir_path(options->crawl ? options->crawl : "", CRAWLDIR_TOPIC);
    struct judging judging = {.options = options,
                              .workspace = {.path = options->crawl ? own.text : line->arguments[0],
                                            .quiet = options->quiet,
                                            .allow_programs = options->allow_programs}};
    struct log log;
    int code;

    if (options->unmark && !options->marks)
        return command_misuse(line->command, "--unmark needs --marks DIR");
    if ((options->review || options->marks) && (line->count || (options->review && options->marks)))
        return command_misuse(line->command, "--review DIR and --marks DIR stand alone");
    log_init_stderr(&log, options->quiet ? LOG_ERROR : LOG_INFO);
    if (options->review || options->marks)
        return options->review ? review_pages(options->review, &log)
                               : review_list(options->marks, options->unmark, options->json);
    if (line->count < (options->crawl ? 1 : 2))
        return command_misuse(line->command, "missing argument %s",
                              line->count || options->crawl ? "URL|FILE|FOLDER|-" : "TOPIC.yaml");
    if (network_problem(&options->network))
        return command_misuse(line->command, "%s", network_problem(&options->network));
    if (options->base && !url_is_absolute(str_of(options->base)))
        return command_invalid(line->command, "base", options->base, "an http or https URL");
    code = options->crawl ? workspace_expect_crawl(options->crawl) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    judging.workspace.log = &log;
    buf_init(&judging.urls, 256 << 20);
    arena_init(&judging.arena, PAGE_ARENA);
    centroid_init(&judging.seeds);
    code = workspace_open(&judging.workspace, &options->network);
    if (code == EXIT_DONE)
        code = prepare(&judging);
    if (code == EXIT_DONE)
        code = judge_all(&judging, line->arguments + !options->crawl);
    if (judging.store)
        store_close(judging.store);
    judge_unref(judging.judge);
    page_analyser_free(judging.analyser);
    pdf_reader_free(judging.pdf);
    centroid_release(&judging.seeds);
    arena_release(&judging.arena);
    buf_release(&judging.urls);
    workspace_close(&judging.workspace, &options->network);
    return code;
}

static const struct command_option judge_options[] = {
    COMMAND_OPTION(OPTION_STRING, struct judge_options, base, "base", 'b', "URL",
                   "take files and standard input for pages of this URL", .rare = true,
                   .manual = "Otherwise they are pages of http://file.invalid/."),
    COMMAND_OPTION(OPTION_STRING, struct judge_options, crawl, "crawl", 0, "DIR",
                   "judge as this crawl does, in place of a topic file",
                   .manual = "With its topic, model, seeds and statistics, and without the blocks that repeat on a "
                             "host. URLs are pages of the crawl; nothing is fetched."),
    COMMAND_OPTION(OPTION_STRING, struct judge_options, review, "review", 0, "DIR",
                   "mark pages of a crawl as wanted or not, one by one",
                   .manual = "The pages of which the judge is least sure come first. Marks are kept in the crawl "
                             "directory, and marked pages are examples when the crawl trains its model again."),
    COMMAND_OPTION(OPTION_STRING, struct judge_options, marks, "marks", 0, "DIR", "list the marked pages of a crawl"),
    COMMAND_OPTION(OPTION_STRING, struct judge_options, unmark, "unmark", 0, "URL",
                   "with --marks: undo the mark of this page", .rare = true),
    COMMAND_OPTION(OPTION_FLAG, struct judge_options, allow_programs, "allow-programs", 0, NULL,
                   "with --crawl: run the judge that a crawl of others names", .rare = true, .manual = PROGRAMS_MANUAL),
    NETWORK_OPTIONS(struct judge_options, network),
    COMMAND_OPTION(OPTION_FLAG, struct judge_options, json, "json", 0, NULL, "print one JSON object a page",
                   .manual = "Its keys are name, url, relevant, score, lang, title and reasons."),
    COMMAND_OPTION(OPTION_FLAG, struct judge_options, quiet, "quiet", 'q', NULL, "no messages but errors",
                   .rare = true),
    {0},
};

const struct command command_judge = {
    .name = "judge",
    .summary = "Judges whether pages are relevant to a topic, and prints the reasons",
    .arguments = "[TOPIC.yaml] [URL|FILE|FOLDER|-]…",
    .description =
        "Files are pages (html, txt, also gzipped), WARC files and lists of URLs; - is standard input. Where the "
        "topic uses similar() its seeds are fetched once, into TOPIC.seeds.",
    .example = "scent judge hockey.yaml https://example.org/players saved-pages/\n"
               "scent judge --review hockey.crawl",
    .exits = "0 a page is relevant, 1 no page is, 2 a page could not be judged, 3 storage failed.",
    .options = judge_options,
    .size = sizeof(struct judge_options),
    .run = run_judge,
};
