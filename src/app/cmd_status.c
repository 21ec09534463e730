/* cmd_status - `scent status`: the state of a crawl, from its database. */
#include "app/command.h"
#include "app/cluster_report.h"
#include "app/output.h"
#include "base/clock.h"
#include "crawldir/snapshot.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

static const enum store_url_state states[] = {
    STORE_QUEUED, STORE_FETCHED, STORE_REDIRECTED, STORE_FAILED, STORE_DROPPED, STORE_SEEN, STORE_PURGED,
};
enum { NSTATES = sizeof states / sizeof *states };

static void print_counts(const struct snapshot *s)
{
    const struct store_counts *c = &s->counts;

    printf("pages      %" PRIu64 ", relevant %" PRIu64 " (harvest rate %.3f)\n", c->pages, c->relevant,
           snapshot_harvest(s));
    if (c->waiting)
        printf("waiting    %" PRIu64 " pages were judged by an earlier judge; the end of the crawl judges them again, "
               "or 'scent rejudge'\n", c->waiting);
    printf("responses  %" PRIu64 "\nlinks      %" PRIu64 "\nhosts      %" PRIu64 "\nurls\n", c->responses, c->links,
           c->hosts);
    for (size_t i = 0; i < NSTATES; i++)
        printf("  %-10s %" PRIu64 "\n", store_url_state_text(states[i]), c->urls[states[i]]);
}

/* They are not among the URLs. */
static void print_requisites(const struct store_counts *c)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < NSTATES; i++)
        sum += c->requisites[states[i]];
    if (!sum)
        return;
    puts("requisites");
    for (size_t i = 0; i < NSTATES; i++)
        if (c->requisites[states[i]])
            printf("  %-10s %" PRIu64 "\n", store_url_state_text(states[i]), c->requisites[states[i]]);
}

static void print_warning(void *ctx, struct str text)
{
    fprintf(ctx, "warning    %.*s\n", STR_ARG(text));
}

static void report_text(const struct snapshot *s)
{
    FILE *out;
    char date[32];

    print_counts(s);
    print_requisites(&s->counts);
    if (s->left_out)
        printf("left out   %" PRIu64 " links: their domain has too many URLs (limits.urls_per_domain)\n", s->left_out);
    clock_format_iso(s->revisits.next, date, sizeof date);
    if (s->revisits.pages)
        printf("revisits   %" PRIu64 " pages, %" PRIu64 " due, the first one at %s\n", s->revisits.pages,
               s->revisits.due, date);
    out = output_plain(stdout);
    snapshot_each_warning(s, print_warning, out);
    if (s->nreasons)
        fputs("not fetched, by reason\n", out);
    for (size_t i = 0; i < s->nreasons; i++)
        fprintf(out, "  %7" PRIu64 "  %.*s\n", s->reasons[i].count, STR_ARG(s->reasons[i].text));
    fclose(out);
}

static void report_json(const struct snapshot *s)
{
    struct json_output output;

    snapshot_write(s, json_output_begin(&output));
    json_output_end(&output, stdout);
}

/* ---- several directories as one ---- */

static scent_status load_one(const char *dir, struct arena *arena, struct snapshot *out, struct errmsg *err)
{
    struct store *store;
    scent_status status;

    SCENT_TRY(store_open(dir, STORE_READ, &store, err));
    status = snapshot_load(store, clock_wall(&clock_system), arena, out, err);
    store_close(store);
    if (status == SCENT_OK)
        snapshot_measure_disk(dir, &out->disk_bytes, &out->disk_free);
    return status;
}

static int report_one(const char *dir, bool json)
{
    struct errmsg err = {0};
    struct snapshot snapshot;
    struct arena arena;
    scent_status status;

    arena_init(&arena, SIZE_MAX);
    status = load_one(dir, &arena, &snapshot, &err);
    if (status == SCENT_OK && json)
        report_json(&snapshot);
    else if (status == SCENT_OK)
        report_text(&snapshot);
    arena_release(&arena);
    return command_exit(status, &err);
}

static void print_row(const char *dir, const struct snapshot *s)
{
    printf("%9" PRIu64 " %9" PRIu64 " %8.3f %10" PRIu64 " %9" PRIu64 " %8" PRIu64 "  %s\n", s->counts.pages,
           s->counts.relevant, snapshot_harvest(s), s->counts.urls[STORE_QUEUED], s->counts.urls[STORE_FAILED],
           s->counts.hosts, dir);
}

/* A line for each, and their sum. */
static int report_several(const struct command_line *line, bool json)
{
    struct snapshot sum = {0};
    struct errmsg err = {0};
    struct arena arena;
    scent_status status = SCENT_OK;

    arena_init(&arena, SIZE_MAX);
    if (!json)
        puts("    pages  relevant  harvest     queued    failed    hosts  directory");
    for (size_t i = 0; i < line->count && status == SCENT_OK; i++) {
        struct snapshot one;

        status = load_one(line->arguments[i], &arena, &one, &err);
        if (status != SCENT_OK)
            break;
        if (!json)
            print_row(line->arguments[i], &one);
        snapshot_sum(&sum, &one);
    }
    if (status == SCENT_OK && json)
        report_json(&sum);
    else if (status == SCENT_OK)
        print_row("together", &sum);
    arena_release(&arena);
    return command_exit(status, &err);
}

struct status_arguments {
    bool json;
    const char *join;
};

static const struct command_option status_options[] = {
    COMMAND_OPTION(OPTION_FLAG, struct status_arguments, json, "json", 0, NULL, "print one JSON object"),
    COMMAND_OPTION(OPTION_STRING, struct status_arguments, join, "join", 0, "URI",
                   "of crawls of many workers, as the PostgreSQL server knows them"),
    {0},
};

static int run_status(const struct command_line *line)
{
    const struct status_arguments *options = line->options;

    if (options->join && line->count > 1)
        return command_misuse(line->command, "unexpected argument '%s'", line->arguments[1]);
    if (options->join)
        return cluster_report(options->join, line->count ? line->arguments[0] : NULL, options->json);
    if (line->count == 0)
        return command_misuse(line->command, "missing argument DIR");
    return line->count > 1 ? report_several(line, options->json) : report_one(line->arguments[0], options->json);
}

const struct command command_status = {
    .name = "status",
    .summary = "Shows the state of a crawl: pages, harvest rate, failures and their reasons",
    .arguments = "[DIR]…",
    .description = "The crawl may be running. Of several directories, such as those of the workers of one crawl, each "
                   "is a line, and their sum is the last. With --join the argument is the name of a crawl on the "
                   "server, or there is none.",
    .example = "scent status hockey.crawl\n"
               "scent status --join postgresql://db.example.org/crawls",
    .options = status_options,
    .size = sizeof(struct status_arguments),
    .run = run_status,
};
