/* cmd_export - `scent export`: the pages of a crawl in formats that other programs read. */
#include "app/cluster_export.h"
#include "app/command.h"
#include "export/export.h"

#include <inttypes.h>

struct export_arguments {
    int form;
    const char *output, *join;
    bool relevant, unique;
    double min_score;
    struct option_list langs, hosts;
};

static void tell(uint64_t count, const char *one, const char *many)
{
    if (count)
        fprintf(stderr, "scent: %" PRIu64 " %s\n", count, count == 1 ? one : many);
}

/* The log has no texts and no bodies, and knows neither languages nor near copies. */
static int export_from_log(const struct command_line *line)
{
    const struct export_arguments *arguments = line->options;
    struct cluster_export options = {
        .uri = arguments->join,
        .crawl = line->arguments[0],
        .output = arguments->output,
        .form = (enum export_form)arguments->form,
        .relevant = arguments->relevant,
        .min_score = arguments->min_score,
    };

    if (line->count > 1)
        return command_misuse(line->command, "--join takes the name of one crawl on the server");
    if (options.form != EXPORT_JSONL && options.form != EXPORT_URLS && options.form != EXPORT_CDXJ)
        return command_misuse(line->command, "--join exports jsonl, urls and cdxj: what the log has; everything else "
                                             "lies in the directories of the workers");
    if (arguments->unique || arguments->langs.count || arguments->hosts.count)
        return command_misuse(line->command, "--join knows --relevant and --min-score alone");
    return cluster_export(&options);
}

static int run_export(const struct command_line *line)
{
    const struct export_arguments *arguments = line->options;
    struct log log;
    struct export_options options = {
        .dirs = (const char *const *)line->arguments,
        .ndirs = line->count,
        .output = arguments->output,
        .form = (enum export_form)arguments->form,
        .selection = {.relevant = arguments->relevant,
                      .min_score = arguments->min_score,
                      .langs = arguments->langs.items,
                      .nlangs = arguments->langs.count,
                      .hosts = arguments->hosts.items,
                      .nhosts = arguments->hosts.count,
                      .unique = arguments->unique},
        .log = &log,
    };
    struct export_report report;
    struct errmsg err = {0};
    scent_status status;

    if (arguments->join)
        return export_from_log(line);
    log_init_stderr(&log, LOG_WARN);
    if (options.form == EXPORT_WACZ && !options.output)
        return command_misuse(line->command, "-f wacz needs -o FILE.wacz: it cannot be written to standard output");
    status = export_run(&options, &report, &err);
    if (status != SCENT_OK)
        return command_fail(status, &err);
    tell(report.equal, "page that another directory has was left out",
         "pages that another directory has were left out");
    tell(report.copies, "near copy was left out", "near copies were left out");
    tell(report.empty, "page without text was left out", "pages without text were left out");
    tell(report.absent, "page is not in the archive", "pages are not in the archive");
    tell(report.damaged, "record cannot be read", "records cannot be read");
    return EXIT_DONE;
}

static const struct command_option export_options[] = {
    COMMAND_OPTION(OPTION_CHOICE, struct export_arguments, form, "format", 'f', "FORMAT",
                   "jsonl, csv, urls, graphml, text, markdown, cdxj, warc or wacz", .choices = export_form_names,
                   .manual = "*text* and *markdown* are JSON lines with the main content of each page; the others are "
                             "described below."),
    COMMAND_OPTION(OPTION_STRING, struct export_arguments, output, "output", 'o', "FILE",
                   "write to this file, or Markdown to a folder",
                   .manual = "It appears under this name when it is whole; until then it is called _FILE_.part. With "
                             "*-f markdown* a name that does not end in _.jsonl_ is a folder with one file a page."),
    COMMAND_OPTION(OPTION_STRING, struct export_arguments, join, "join", 0, "URI",
                   "pages of a crawl of many workers, from the log on their server; DIR is its name",
                   .manual = "As jsonl, urls or cdxj, with the verdict of the time when a page came; WARC files are "
                             "named _WORKER/FILE_ in an index; bodies stay where they were fetched."),
    COMMAND_OPTION(OPTION_FLAG, struct export_arguments, relevant, "relevant", 0, NULL, "only the relevant pages"),
    COMMAND_OPTION(OPTION_SHARE, struct export_arguments, min_score, "min-score", 0, "SCORE",
                   "only pages with at least this score", .fallback = "0"),
    COMMAND_OPTION(OPTION_LIST, struct export_arguments, langs, "lang", 0, "LANG",
                   "only pages in this language, such as en"),
    COMMAND_OPTION(OPTION_LIST, struct export_arguments, hosts, "host", 0, "HOST",
                   "only pages of this host, or of a pattern: *.org"),
    COMMAND_OPTION(OPTION_FLAG, struct export_arguments, unique, "unique", 0, NULL, "without near copies",
                   .manual = "Pages whose main content has a simhash within 3 of 64 bits of one that came before, and "
                             "exact copies. Pages of fewer than 64 words (stop words not counted) are all kept."),
    {0},
};

const struct command command_export = {
    .name = "export",
    .summary = "Writes the pages of a crawl, or some of them, for other programs",
    .arguments = "DIR…",
    .description = "Several directories, such as those of the workers of one crawl, are one collection: a page that "
                   "two of them have, by its URL or byte by byte, comes once.",
    .example = "scent export hockey.crawl --relevant -f csv > hockey.csv\n"
               "scent export hockey.crawl --relevant --unique -f text -o hockey.jsonl\n"
               "scent export worker1.crawl worker2.crawl -f wacz -o hockey.wacz\n"
               "scent export hockey --join postgresql://db.example.org/crawls -f cdxj",
    .options = export_options,
    .size = sizeof(struct export_arguments),
    .run = run_export,
};
