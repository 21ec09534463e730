#include "app/crawl_run.h"

#include "app/command.h"
#include "json/json.h"
#include "url/url.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PROGRESS_LINE_US (10 * INT64_C(1000000))

/* ---- pages ---- */

static void print_json(const struct engine_page *page, atomic_int *stop)
{
    struct json_writer w;
    struct buf line;

    buf_init(&line, 0);
    json_writer_init(&w, &line);
    json_object_begin(&w);
    json_put_int(&w, "n", (int64_t)page->number);
    json_put_str(&w, "url", page->url);
    json_put_int(&w, "status", page->status);
    json_put_bool(&w, "relevant", page->relevant);
    if (page->noindex)
        json_put_bool(&w, "noindex", true);
    if (page->changed)
        json_put_bool(&w, "changed", true);
    json_put_double(&w, "score", page->score);
    json_put_double(&w, "priority", (double)page->priority);
    json_put_int(&w, "depth", page->depth);
    json_put_int(&w, "links", page->links);
    json_put_int(&w, "bytes", (int64_t)page->bytes);
    json_put_str(&w, "lang", page->lang);
    json_put_str(&w, "title", page->title);
    json_object_end(&w);
    puts(buf_z(&line));
    fflush(stdout); /* a reader of the pipe gets each page at once */
    buf_release(&line);
    if (ferror(stdout))
        atomic_store(stop, 1); /* the reader is gone */
}

static void on_page(void *ctx, const struct engine_page *page)
{
    struct crawl_run *crawl = ctx;

    if (crawl->json)
        print_json(page, crawl->stop);
    if (crawl->on_page)
        crawl->on_page(crawl->ctx, page);
}

/* ---- progress and summary ---- */

static double per_second(const struct engine_progress *p)
{
    return p->elapsed_us > 0 ? (double)p->new_pages * 1e6 / (double)p->elapsed_us : 0;
}

static double harvest(const struct engine_progress *p)
{
    return p->pages ? 100.0 * (double)p->relevant / (double)p->pages : 0;
}

/* Seconds until the nearer of the two limits; negative: there is none. */
static double time_left(const struct engine_progress *p)
{
    double rate = p->pages_per_s, left = -1;

    if (p->page_limit > p->pages && rate > 0)
        left = (double)(p->page_limit - p->pages) / rate;
    if (p->time_limit_us) {
        double time = (double)(p->time_limit_us - p->elapsed_us) / 1e6;

        left = left < 0 || time < left ? time : left;
    }
    return left;
}

static void print_time_left(double seconds)
{
    int64_t s = (int64_t)seconds;

    if (seconds < 0)
        return;
    if (s >= 3600)
        fprintf(stderr, "  %" PRId64 "h%02" PRId64 "m left", s / 3600, s / 60 % 60);
    else if (s >= 60)
        fprintf(stderr, "  %" PRId64 "m%02" PRId64 "s left", s / 60, s % 60);
    else
        fprintf(stderr, "  %" PRId64 "s left", s);
}

static void print_progress(const struct engine_progress *p)
{
    fprintf(stderr,
            "%" PRIu64 " pages  %" PRIu64 " relevant (%.1f%%)  %.*f pages/s  %" PRIu64 " queued  %" PRIu64
            " in flight  %" PRIu64 " errors",
            p->pages, p->relevant, harvest(p), p->pages_per_s > 0 && p->pages_per_s < 10, p->pages_per_s, p->queued,
            p->in_flight, p->failed);
    print_time_left(time_left(p));
    if (p->waits_for[0])
        fprintf(stderr, "  waiting for %s", p->waits_for);
}

/* One line that overwrites itself. */
static void show_progress(void *ctx, const struct engine_progress *p)
{
    (void)ctx;
    fputs("\r\033[K", stderr);
    print_progress(p);
    fflush(stderr);
}

/* A line from time to time, where no terminal would show one that overwrites itself. */
static void tell_progress(void *ctx, const struct engine_progress *p)
{
    struct crawl_run *crawl = ctx;

    if (clock_mono(crawl->engine.clock) < crawl->next_line_us)
        return;
    crawl->next_line_us += PROGRESS_LINE_US;
    print_progress(p);
    fputc('\n', stderr);
}

static void print_summary(const struct engine_report *report, const char *dir)
{
    static const char *const ends[] = {
        [ENGINE_LIMIT] = "the limit is reached",
        [ENGINE_EXHAUSTED] = "no links are left",
        [ENGINE_BELOW] = "no candidates at or above the threshold are left",
        [ENGINE_NO_SEED] = "no seed could be fetched",
        [ENGINE_INTERRUPTED] = "interrupted; the same command resumes the crawl",
    };
    const struct engine_progress *p = &report->totals;

    fprintf(stderr,
            "%s: %s. %" PRIu64 " pages, %" PRIu64 " relevant (harvest rate %.3f), %" PRIu64 " errors, %" PRIu64
            " URLs known on %" PRIu64 " hosts; %" PRIu64 " pages in %.1f s (%.0f pages/s)\n",
            dir, ends[report->end], p->pages, p->relevant, harvest(p) / 100, p->failed, p->known, p->hosts,
            p->new_pages, (double)p->elapsed_us / 1e6, per_second(p));
    if (report->gained + report->lost)
        fprintf(stderr,
                "%" PRIu64 " pages were judged again with all that the crawl has learned: %" PRIu64
                " became relevant, %" PRIu64 " are no longer relevant\n",
                report->judged_again, report->gained, report->lost);
    if (p->revisits)
        fprintf(stderr, "%" PRIu64 " pages were visited again, %" PRIu64 " had changed\n", p->revisits, p->changes);
    if (report->below)
        fprintf(stderr,
                "%" PRIu64 " candidates are below the threshold; with a lower threshold the same command resumes\n",
                report->below);
    if (report->end == ENGINE_NO_SEED)
        fprintf(stderr, "%s%s'scent status %s' lists the reasons\n", report->seed_trouble,
                *report->seed_trouble ? "; " : "", dir);
}

/* ---- the run ---- */

static int exit_status_of(const struct engine_report *report)
{
    switch (report->end) {
    case ENGINE_NO_SEED:
        return EXIT_NO_SEED;
    case ENGINE_INTERRUPTED:
        return EXIT_INTERRUPTED;
    default:
        return EXIT_DONE;
    }
}

int crawl_run_engine(struct crawl_run *crawl, struct engine_report *report)
{
    struct errmsg err = {0};
    scent_status status;

    crawl->engine.stop = crawl->stop = signals_watch();
    crawl->engine.on_page = on_page;
    crawl->engine.ctx = crawl;
    crawl->next_line_us = clock_mono(crawl->engine.clock) + PROGRESS_LINE_US;
    if (!crawl->quiet)
        crawl->engine.on_progress = isatty(STDERR_FILENO) ? show_progress : tell_progress;
    status = engine_run(&crawl->engine, report, &err);
    if (crawl->engine.on_progress == show_progress)
        fputs("\r\033[K", stderr);
    fflush(stdout);
    if (status != SCENT_OK) {
        int code = command_fail(status, &err);

        code = report->started && status != SCENT_E_INVALID ? EXIT_STORAGE : code;
        if (status == SCENT_E_FULL)
            fprintf(stderr,
                    "%s keeps the pages that were stored; free some disk space, then the same command resumes\n",
                    crawl->engine.dir);
        return code;
    }
    if (!crawl->quiet && crawl->fetches_list)
        fprintf(stderr, "%s: %" PRIu64 " pages are fetched, %" PRIu64 " could not be\n", crawl->engine.dir,
                report->totals.pages, report->totals.failed);
    else if (!crawl->quiet)
        print_summary(report, crawl->engine.dir);
    return exit_status_of(report);
}

/* ---- network ---- */

static bool proxy_is_loopback(const char *proxy)
{
    const char *colon = strrchr(proxy, ':');
    uint64_t port;

    return colon && str_parse_u64(str_of(colon + 1), &port) && port >= 1 && port <= 65535 &&
           url_host_is_loopback((struct str){proxy, (size_t)(colon - proxy)});
}

const char *network_problem(const struct network *network)
{
    if (network->proxy && !proxy_is_loopback(network->proxy))
        return "--proxy-all needs HOST:PORT on loopback, such as 127.0.0.1:8080";
    if (network->proxy && network->from)
        return "--from and --proxy-all cannot be combined";
    return NULL;
}

scent_status network_open(struct network *network, const struct log *log, struct errmsg *err)
{
    return network->from ? web_open(network->from, log, &network->web, err) : SCENT_OK;
}

void network_close(struct network *network)
{
    web_free(network->web);
    network->web = NULL;
}

static scent_status choose(const struct network *network, const char *path, const struct topic *topic,
                           enum fetch_reach *out, struct errmsg *err)
{
    size_t loopback = 0;

    *out = FETCH_REACH_LOOPBACK;
    if (network->from || network->proxy)
        return SCENT_OK;
    for (size_t i = 0; i < topic->nseeds; i++)
        loopback += url_host_is_loopback(url_host(&topic->seeds[i]));
    if (loopback && !network->allow_private)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: there are seeds on this machine; --allow-private permits them",
                           path);
    if (loopback == topic->nseeds)
        return SCENT_OK; /* a crawl that begins on this machine stays there */
    if (!topic_has_contact(topic))
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "%s: politeness.user_agent has no contact, and scent does not visit other people's servers without one; "
            "write below 'politeness:', with an address of yours:\n"
            "user_agent: 'scent/" SCENT_VERSION " (+mailto:you@example.org)'",
            path);
    *out = network->allow_private ? FETCH_REACH_ANY : FETCH_REACH_PUBLIC;
    return SCENT_OK;
}

scent_status network_prepare(const struct network *network, const char *path, const struct topic *topic,
                           struct engine_options *engine, struct errmsg *err)
{
    engine->web = network->web;
    engine->proxy = network->proxy;
    engine->proxy_login = getenv("SCENT_PROXY_LOGIN");
    engine->ca_file = network->ca_file;
    engine->dns_server = network->dns;
    engine->clock = &clock_system;
    return choose(network, path, topic, &engine->reach, err);
}
