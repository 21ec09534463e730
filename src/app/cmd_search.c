/* cmd_search - `scent search`: full-text search in the pages of a crawl. */
#include "app/command.h"
#include "app/output.h"
#include "base/clock.h"
#include "search/search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

enum { HITS_MAX = 1000, STEP = 2000, EXIT_NOTHING = 1 };

struct search_arguments {
    uint64_t count;
    bool json;
};

/* The index follows the crawl; the first time takes 1 to 2 ms a page. */
static scent_status update(struct search *search, const struct log *log, struct errmsg *err)
{
    struct search_progress progress;
    uint64_t added = 0;
    int64_t next = 0;

    do {
        scent_status status = search_update(search, STEP, &progress, err);

        if (status == SCENT_E_LOCKED) {
            log_line(log, LOG_WARN, "another process is indexing: the newest pages may be missing");
            return SCENT_OK;
        }
        SCENT_TRY(status);
        added += progress.added;
        if (log_is_due(&next))
            log_line(log, LOG_INFO, "indexing: %" PRIu64 " pages", progress.pages);
    } while (!progress.up_to_date);
    if (added)
        log_line(log, LOG_INFO, "%" PRIu64 " pages were indexed", added);
    return SCENT_OK;
}

/* ---- for people ---- */

static void print_marked(FILE *out, const struct excerpt *excerpt, bool bold)
{
    FILE *plain;
    size_t at = 0;

    fputs(excerpt->cut_before ? "   … " : "   ", out);
    for (size_t i = 0; i <= excerpt->count; i++) {
        bool mark = i < excerpt->count;
        struct str before = str_sub(excerpt->text, at, mark ? excerpt->marks[i].start : excerpt->text.len);
        struct str marked = mark ? str_sub(excerpt->text, excerpt->marks[i].start, excerpt->marks[i].end) : STR("");

        plain = output_plain(out);
        fprintf(plain, "%.*s", STR_ARG(before));
        fclose(plain);
        if (!mark)
            break;
        fputs(bold ? "\033[1m" : "*", out);
        plain = output_plain(out);
        fprintf(plain, "%.*s", STR_ARG(marked));
        fclose(plain);
        fputs(bold ? "\033[0m" : "*", out);
        at = excerpt->marks[i].end;
    }
    fputs(excerpt->cut_after ? " …\n" : "\n", out);
}

static void print_hit(const struct search *search, const struct search_hit *hit, size_t number, bool bold)
{
    FILE *plain = output_plain(stdout);
    char when[32];

    clock_format_iso(hit->wall, when, sizeof when);
    fprintf(plain, "%zu. %.*s\n", number, STR_ARG(hit->title.len ? hit->title : hit->url));
    fprintf(plain, "   %.*s\n   %.10s, score %.2f%s", STR_ARG(hit->url), when, hit->score,
            hit->relevant ? ", relevant" : "");
    if (search_count(search) > 1)
        fprintf(plain, ", in %s", search_dir(search, hit->collection));
    fputc('\n', plain);
    fclose(plain);
    if (hit->excerpt.text.len)
        print_marked(stdout, &hit->excerpt, bold);
    putchar('\n');
}

static void print_results(const struct search *search, const struct search_results *results)
{
    bool bold = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");

    for (size_t i = 0; i < results->count; i++)
        print_hit(search, &results->hits[i], i + 1, bold);
    fflush(stdout);
    if (results->any && results->count)
        fputs("scent: no page has all of the words; these have some of them\n", stderr);
    if (results->count == 0)
        fputs(results->empty ? "scent: the query has no word to search for\n" : "scent: nothing was found\n", stderr);
    else
        fprintf(stderr, "scent: %" PRIu64 " page%s with these words\n", results->matches,
                results->matches == 1 ? "" : "s");
}

/* ---- for programs ---- */

static void write_hit(const struct search *search, const struct search_hit *hit, size_t number)
{
    struct json_output output;
    struct json_writer *w = json_output_begin(&output);
    char when[32];

    clock_format_iso(hit->wall, when, sizeof when);
    json_object_begin(w);
    json_put_int(w, "rank", (int64_t)number);
    json_put_str(w, "url", hit->url);
    json_put_str(w, "title", hit->title);
    json_put_str(w, "language", hit->lang);
    json_put_str(w, "date", str_of(when));
    json_put_double(w, "score", hit->score);
    json_put_bool(w, "relevant", hit->relevant);
    json_put_double(w, "relevance", hit->relevance);
    json_put_str(w, "crawl", str_of(search_dir(search, hit->collection)));
    json_put_int(w, "page", (int64_t)hit->page);
    json_put_str(w, "snippet", hit->excerpt.text);
    json_key(w, "marks");
    json_array_begin(w);
    for (size_t i = 0; i < hit->excerpt.count; i++) {
        json_array_begin(w);
        json_int(w, hit->excerpt.marks[i].start);
        json_int(w, hit->excerpt.marks[i].end);
        json_array_end(w);
    }
    json_array_end(w);
    json_object_end(w);
    json_output_end(&output, stdout);
}

/* ---- the command ---- */

static struct str join_words(const struct command_line *line, size_t first, struct buf *out)
{
    buf_init(out, 0);
    for (size_t i = first; i < line->count; i++) {
        buf_addz(out, i > first ? " " : "");
        buf_addz(out, line->arguments[i]);
    }
    SCENT_BUG_IF(out->failed);
    return buf_str(out);
}

static int run_search(const struct command_line *line)
{
    const struct search_arguments *arguments = line->options;
    struct search_results results = {0};
    struct search_query query = {.count = arguments->count};
    struct search *search = NULL;
    struct errmsg err = {0};
    struct buf words;
    struct log log;
    scent_status status;
    size_t count, ndirs = command_count_dirs(line);

    if (ndirs == line->count)
        return command_misuse(line->command, "missing argument QUERY");
    log_init_stderr(&log, LOG_INFO);
    query.text = join_words(line, ndirs, &words);
    status = search_open_all((const char *const *)line->arguments, ndirs, &log, &search, &err);
    for (int tries = 0; status == SCENT_OK && tries < 2 && (tries == 0 || results.again); tries++) {
        status = update(search, &log, &err);
        search_results_release(&results);
        if (status == SCENT_OK)
            status = search_query(search, &query, &results, &err);
    }
    if (status == SCENT_OK && !arguments->json)
        print_results(search, &results);
    for (size_t i = 0; status == SCENT_OK && arguments->json && i < results.count; i++)
        write_hit(search, &results.hits[i], i + 1);
    count = results.count;
    search_results_release(&results);
    search_close(search);
    buf_release(&words);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    return count ? EXIT_DONE : EXIT_NOTHING;
}

static const struct command_option search_options[] = {
    COMMAND_OPTION(OPTION_NUMBER, struct search_arguments, count, "hits", 'n', "N", "show at most so many", .min = 1,
                   .max = HITS_MAX, .number = 10),
    COMMAND_OPTION(OPTION_FLAG, struct search_arguments, json, "json", 0, NULL, "one JSON object a line",
                   .manual = "The member _marks_ has the places of the words in _snippet_: the first byte, and the one "
                             "behind the last."),
    {0},
};

const struct command command_search = {
    .name = "search",
    .summary = "Finds pages of a crawl by their words",
    .arguments = "DIR… QUERY…",
    .description =
        "DIR is a crawl directory, or a folder with several. Several directories are one collection: a page that two "
        "of them have is one hit.\n"
        "tide tables: all of the words; \"spring tide\": side by side; tid*: words that begin so; -river: not this "
        "word.\n"
        "host:example.org, lang:de, relevant:yes and relevant:no choose pages.\n"
        "The index, search.db in the crawl directory, is brought up to date first: 1 to 2 ms a page.",
    .example = "scent search sea.crawl spring tide\n"
               "scent search sea.crawl '\"spring tide\" -river lang:en' -n 20 --json",
    .exits = "1 nothing was found",
    .options = search_options,
    .size = sizeof(struct search_arguments),
    .run = run_search,
};
