/* cmd_status - `scent status`: the state of a crawl, from its database. */
#include "app/command.h"
#include "app/output.h"
#include "base/clock.h"
#include "crawldir/crawldir.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>

static const enum store_url_state states[] = {
    STORE_QUEUED, STORE_FETCHED, STORE_REDIRECTED, STORE_FAILED, STORE_DROPPED, STORE_SEEN, STORE_PURGED,
};
enum { NSTATES = sizeof states / sizeof *states };

static double harvest(const struct store_counts *counts)
{
    return counts->pages ? (double)counts->relevant / (double)counts->pages : 0;
}

static void print_counts(const struct store_counts *c)
{
    printf("pages      %" PRIu64 ", relevant %" PRIu64 " (harvest rate %.3f)\n", c->pages, c->relevant, harvest(c));
    if (c->waiting)
        printf("waiting    %" PRIu64 " pages were judged by an earlier judge; the end of the crawl judges them again, "
               "or 'scent rejudge'\n", c->waiting);
    printf("responses  %" PRIu64 "\nlinks      %" PRIu64 "\nhosts      %" PRIu64 "\nurls\n", c->responses, c->links,
           c->hosts);
    for (size_t i = 0; i < NSTATES; i++)
        printf("  %-10s %" PRIu64 "\n", store_url_state_text(states[i]), c->urls[states[i]]);
}

/* The pages that a recrawl will visit. */
static scent_status count_revisits(struct store *store, struct store_revisit_counts *out, char date[32],
                                   struct errmsg *err)
{
    scent_status status = store_count_revisits(store, clock_wall(&clock_system), out, err);

    clock_format_iso(out->next, date, 32);
    return status;
}

static scent_status print_revisits(struct store *store, struct errmsg *err)
{
    struct store_revisit_counts counts;
    char date[32];
    scent_status status = count_revisits(store, &counts, date, err);

    if (status == SCENT_OK && counts.pages)
        printf("revisits   %" PRIu64 " pages, %" PRIu64 " due, the first one at %s\n", counts.pages, counts.due, date);
    return status;
}

static scent_status write_revisits(struct json_writer *w, struct store *store, struct errmsg *err)
{
    struct store_revisit_counts counts;
    char date[32];
    scent_status status = count_revisits(store, &counts, date, err);

    json_key(w, "revisits");
    json_object_begin(w);
    json_put_int(w, "pages", (int64_t)counts.pages);
    json_put_int(w, "due", (int64_t)counts.due);
    if (counts.pages)
        json_put_str(w, "next", str_of(date));
    json_object_end(w);
    return status;
}

static scent_status count_left_out(struct store *store, uint64_t *out, struct errmsg *err)
{
    scent_status status = crawldir_get_number(store, CRAWLDIR_LEFT_OUT, out, err);

    if (status == SCENT_E_NOTFOUND)
        *out = 0;
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

/* Each line is the kind of a warning and its text. */
static scent_status each_warning(struct store *store, void (*fn)(void *ctx, struct str text), void *ctx,
                                 struct errmsg *err)
{
    struct str rest, line, kind;
    struct buf kept;
    scent_status status;

    buf_init(&kept, 0);
    status = store_get(store, CRAWLDIR_WARNINGS, &kept, err);
    rest = buf_str(&kept);
    while (str_split(&rest, '\n', &line))
        if (str_split(&line, ' ', &kind) && line.len)
            fn(ctx, line);
    buf_release(&kept);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

static void print_warning(void *ctx, struct str text)
{
    FILE *out = output_plain(stdout);

    (void)ctx;
    fprintf(out, "warning    %.*s\n", STR_ARG(text));
    fclose(out);
}

static void write_warning(void *ctx, struct str text)
{
    json_str(ctx, text);
}

static void print_error(void *ctx, struct str error, uint64_t count)
{
    FILE *out = output_plain(stdout);

    (void)ctx;
    fprintf(out, "  %7" PRIu64 "  %.*s\n", count, STR_ARG(error));
    fclose(out);
}

static void write_counts(struct json_writer *w, const struct store_counts *c)
{
    json_put_int(w, "pages", (int64_t)c->pages);
    json_put_int(w, "relevant", (int64_t)c->relevant);
    json_put_double(w, "harvest", harvest(c));
    json_put_int(w, "waiting", (int64_t)c->waiting);
    json_put_int(w, "responses", (int64_t)c->responses);
    json_put_int(w, "links", (int64_t)c->links);
    json_put_int(w, "hosts", (int64_t)c->hosts);
    json_key(w, "urls");
    json_object_begin(w);
    for (size_t i = 0; i < NSTATES; i++)
        json_put_int(w, store_url_state_text(states[i]), (int64_t)c->urls[states[i]]);
    json_object_end(w);
}

static void write_error(void *ctx, struct str error, uint64_t count)
{
    struct json_writer *w = ctx;

    json_object_begin(w);
    json_put_str(w, "reason", error);
    json_put_int(w, "count", (int64_t)count);
    json_object_end(w);
}

static scent_status report_text(struct store *store, struct errmsg *err)
{
    struct store_counts counts;
    uint64_t left_out;

    SCENT_TRY(store_count(store, &counts, err));
    SCENT_TRY(count_left_out(store, &left_out, err));
    print_counts(&counts);
    if (left_out)
        printf("left out   %" PRIu64 " links: their domain has too many URLs (limits.urls_per_domain)\n", left_out);
    SCENT_TRY(print_revisits(store, err));
    SCENT_TRY(each_warning(store, print_warning, NULL, err));
    puts("not fetched, by reason");
    return store_each_error(store, print_error, NULL, err);
}

static scent_status report_json(struct store *store, struct errmsg *err)
{
    struct store_counts counts;
    struct json_output output;
    struct json_writer *w;
    uint64_t left_out;
    scent_status status;

    SCENT_TRY(store_count(store, &counts, err));
    SCENT_TRY(count_left_out(store, &left_out, err));
    w = json_output_begin(&output);
    json_object_begin(w);
    write_counts(w, &counts);
    json_put_int(w, "left_out", (int64_t)left_out);
    status = write_revisits(w, store, err);
    json_key(w, "warnings");
    json_array_begin(w);
    if (status == SCENT_OK)
        status = each_warning(store, write_warning, w, err);
    json_array_end(w);
    json_key(w, "errors");
    json_array_begin(w);
    if (status == SCENT_OK)
        status = store_each_error(store, write_error, w, err);
    json_array_end(w);
    json_object_end(w);
    if (status == SCENT_OK)
        json_output_end(&output, stdout);
    else
        buf_release(&output.text);
    return status;
}

static int run_status(const struct command_line *line)
{
    const struct json_only *options = line->options;
    struct errmsg err = {0};
    struct store *store;
    scent_status status = store_open(line->arguments[0], STORE_READ, &store, &err);

    if (status != SCENT_OK)
        return command_fail(status, &err);
    status = options->json ? report_json(store, &err) : report_text(store, &err);
    store_close(store);
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
