/* cmd_status - `scent status`: the state of a crawl, from its database. */
#include "app/command.h"
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

static int run_status(const struct command_line *line)
{
    const struct json_only *options = line->options;
    struct errmsg err = {0};
    struct snapshot snapshot;
    struct arena arena;
    struct store *store;
    scent_status status = store_open(line->arguments[0], STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    arena_init(&arena, SIZE_MAX);
    status = snapshot_load(store, clock_wall(&clock_system), &arena, &snapshot, &err);
    store_close(store);
    snapshot_measure_disk(line->arguments[0], &snapshot.disk_bytes, &snapshot.disk_free);
    if (status == SCENT_OK && options->json)
        report_json(&snapshot);
    else if (status == SCENT_OK)
        report_text(&snapshot);
    arena_release(&arena);
    return command_exit(status, &err);
}

const struct command command_status = {
    .name = "status",
    .summary = "Shows the state of a crawl: pages, harvest rate, failures and their reasons",
    .arguments = "DIR",
    .description = "The crawl may be running.",
    .example = "scent status hockey.crawl",
    .options = json_only_options,
    .size = sizeof(struct json_only),
    .run = run_status,
};
