/* The routes of the dashboard, and what they tell of crawls as a whole. */
#include "base/clock.h"
#include "base/file.h"
#include "crawldir/control.h"
#include "crawldir/crawldir.h"
#include "serve/dashboard_replay.h"
#include "serve/dashboard_search.h"
#include "serve/page_files.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>

enum {
    POINTS = 400,
    BINS = 20,
    REASONS = 30,
    HOSTS = 20,
    HOSTS_MAX = 2000,
    MAP_HOSTS = 500,
    MAP_LINKS = 4000,
    MAP_LINKS_MAX = 20000,
    SUMMARY_MAX = 64 << 20
};

/* ---- calls ---- */

void call_fail(struct call *call, int status, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    buf_clear(&call->out);
    json_writer_init(&call->w, &call->out);
    json_object_begin(&call->w);
    json_put_str(&call->w, "error", str_of(text));
    json_object_end(&call->w);
    call->status = status;
    call->type = "application/json";
}

bool call_lock(struct call *call, struct store **store)
{
    struct shown_crawl *crawl = call->crawl;
    struct errmsg err = {""};
    scent_status status = SCENT_OK;

    pthread_mutex_lock(&crawl->lock);
    if (!crawl->store)
        status = crawldir_open(crawl->dir, STORE_READ, &crawl->store, &err);
    if (status == SCENT_OK) {
        *store = crawl->store;
        return true;
    }
    pthread_mutex_unlock(&crawl->lock);
    call_fail(call, status == SCENT_E_NOTFOUND ? 404 : 500, "%s",
              status == SCENT_E_NOTFOUND ? "the crawl has not begun" : err.text);
    return false;
}

void call_unlock(struct call *call)
{
    pthread_mutex_unlock(&call->crawl->lock);
}

struct str call_text(const struct call *call, const char *name, char *out, size_t room)
{
    return address_parameter(call->query, name, out, room);
}

uint64_t call_number(const struct call *call, const char *name, uint64_t fallback)
{
    char text[24];
    uint64_t number;

    return str_parse_u64(address_parameter(call->query, name, text, sizeof text), &number) ? number : fallback;
}

/* ---- one crawl in short ---- */

static size_t place_of(struct dashboard *dashboard, const struct shown_crawl *crawl)
{
    struct shown_crawl *crawls;

    dashboard_crawls(dashboard, &crawls);
    return (size_t)(crawl - crawls);
}

static const char *state_of(const struct survey_totals *totals, bool running)
{
    return running ? "running" : totals->problem[0] ? "unreadable" : totals->begun ? "stopped" : "waiting";
}

void dashboard_write_crawl(struct json_writer *w, struct dashboard *dashboard, struct shown_crawl *crawl)
{
    struct survey_totals totals = survey_totals(crawl->survey);
    struct buf live;
    bool running;

    buf_init(&live, 1 << 20);
    running = dashboard_live(dashboard, crawl, &live);
    json_object_begin(w);
    json_put_int(w, "id", (int64_t)place_of(dashboard, crawl));
    json_put_str(w, "name", str_of(crawl->name));
    json_put_str(w, "dir", str_of(crawl->dir));
    json_put_str(w, "state", str_of(state_of(&totals, running)));
    json_put_int(w, "pages", (int64_t)totals.pages);
    json_put_int(w, "relevant", (int64_t)totals.relevant);
    json_put_double(w, "harvest", totals.pages ? (double)totals.relevant / (double)totals.pages : 0);
    json_put_int(w, "hosts", (int64_t)totals.hosts);
    json_put_int(w, "first", (int64_t)totals.first_wall);
    json_put_int(w, "last", (int64_t)totals.last_wall);
    json_put_bool(w, "complete", totals.pages_ready);
    json_put_str(w, "problem", str_of(totals.problem));
    json_key(w, "live");
    if (running)
        json_raw(w, buf_str(&live));
    else
        json_none(w);
    json_object_end(w);
    buf_release(&live);
}

/* ---- crawls ---- */

static void answer_index(struct call *call)
{
    struct json_writer *w = &call->w;

    json_object_begin(w);
    json_put_str(w, "program", STR("scent"));
    json_put_str(w, "version", STR(SCENT_VERSION));
    json_key(w, "routes");
    json_array_begin(w);
    for (const struct route *route = dashboard_routes; route->path; route++) {
        json_object_begin(w);
        json_put_str(w, "method", str_of(route->method));
        json_put_str(w, "path", str_of(route->path));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void answer_openapi(struct call *call)
{
    buf_add(&call->out, page_file_openapi());
}

static void answer_crawls(struct call *call)
{
    struct shown_crawl *crawls;
    struct shown_lab *labs;
    size_t ncrawls = dashboard_crawls(call->dashboard, &crawls), nlabs = dashboard_labs(call->dashboard, &labs);
    struct json_writer *w = &call->w;

    json_object_begin(w);
    json_key(w, "crawls");
    json_array_begin(w);
    for (size_t i = 0; i < ncrawls; i++)
        dashboard_write_crawl(w, call->dashboard, &crawls[i]);
    json_array_end(w);
    json_key(w, "labs");
    json_array_begin(w);
    for (size_t i = 0; i < nlabs; i++) {
        json_object_begin(w);
        json_put_int(w, "id", (int64_t)i);
        json_put_str(w, "name", str_of(labs[i].name));
        json_put_str(w, "dir", str_of(labs[i].dir));
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
}

static void write_counts(struct json_writer *w, const char *key, const char *what, struct survey_counts *counts,
                         size_t max)
{
    uint64_t rest = 0;

    json_key(w, key);
    json_array_begin(w);
    for (size_t i = 0; i < counts->count && i < max; i++) {
        json_object_begin(w);
        json_put_str(w, what, counts->items[i].name);
        json_put_int(w, "count", (int64_t)counts->items[i].count);
        json_object_end(w);
    }
    for (size_t i = max; i < counts->count; i++)
        rest += counts->items[i].count;
    if (rest) {
        json_object_begin(w);
        json_put_str(w, what, STR("others"));
        json_put_int(w, "count", (int64_t)rest);
        json_object_end(w);
    }
    json_array_end(w);
    survey_counts_free(counts);
}

static void write_hosts(struct json_writer *w, const struct survey_map *map)
{
    json_key(w, "hosts");
    json_array_begin(w);
    for (size_t i = 0; i < map->nhosts; i++) {
        json_object_begin(w);
        json_put_str(w, "name", map->hosts[i].name);
        json_put_int(w, "pages", (int64_t)map->hosts[i].pages);
        json_put_int(w, "relevant", (int64_t)map->hosts[i].relevant);
        json_object_end(w);
    }
    json_array_end(w);
    json_put_int(w, "all_hosts", (int64_t)map->all_hosts);
}

static void write_disk(struct json_writer *w, const char *dir)
{
    struct statvfs info;

    json_key(w, "disk_free");
    if (statvfs(dir, &info) == 0)
        json_int(w, (int64_t)info.f_bavail * (int64_t)info.f_frsize);
    else
        json_none(w);
}

/* URLs are read only for whoever looks at a crawl that does not run: one that runs tells of its queue by itself. */
static void answer_crawl(struct call *call)
{
    struct survey *survey = call->crawl->survey;
    struct survey_totals totals;
    struct survey_counts counts;
    struct json_writer *w = &call->w;
    uint64_t bins[BINS];
    double low, high;

    if (!dashboard_is_running(call->dashboard, call->crawl))
        survey_want(survey, SURVEY_URLS);
    totals = survey_totals(survey);
    json_object_begin(w);
    json_key(w, "crawl");
    dashboard_write_crawl(w, call->dashboard, call->crawl);
    json_put_int(w, "responses", (int64_t)totals.responses);
    json_put_bool(w, "urls_complete", totals.urls_ready);
    json_key(w, "urls");
    json_object_begin(w);
    for (enum store_url_state state = 0; state < STORE_URL_STATES; state++)
        json_put_int(w, store_url_state_text(state), (int64_t)totals.urls[state]);
    json_object_end(w);
    json_key(w, "queue");
    if (survey_priorities(survey, bins, BINS, &low, &high)) {
        json_object_begin(w);
        json_put_double(w, "low", low);
        json_put_double(w, "high", high);
        json_key(w, "bins");
        json_array_begin(w);
        for (size_t i = 0; i < BINS; i++)
            json_int(w, (int64_t)bins[i]);
        json_array_end(w);
        json_object_end(w);
    } else {
        json_none(w);
    }
    survey_errors(survey, &counts);
    write_counts(w, "errors", "reason", &counts, REASONS);
    survey_languages(survey, &counts);
    write_counts(w, "languages", "lang", &counts, REASONS);
    write_disk(w, call->crawl->dir);
    json_object_end(w);
}

static void answer_curve(struct call *call)
{
    struct survey_point *points = calloc(POINTS, sizeof *points);
    struct json_writer *w = &call->w;
    uint64_t window;
    size_t count;

    SCENT_BUG_IF(!points);
    count = survey_curve(call->crawl->survey, points, POINTS, &window);
    json_object_begin(w);
    json_put_int(w, "window", (int64_t)window);
    json_key(w, "points");
    json_array_begin(w);
    for (size_t i = 0; i < count; i++) {
        json_object_begin(w);
        json_put_int(w, "pages", (int64_t)points[i].pages);
        json_put_int(w, "relevant", (int64_t)points[i].relevant);
        json_put_int(w, "time", points[i].wall);
        json_put_double(w, "moving", points[i].moving);
        json_object_end(w);
    }
    json_array_end(w);
    json_object_end(w);
    free(points);
}

static void answer_hosts(struct call *call)
{
    uint64_t limit = call_number(call, "limit", HOSTS);
    struct survey_map map;

    survey_map(call->crawl->survey, limit < HOSTS_MAX ? (size_t)limit : HOSTS_MAX, 0, &map);
    json_object_begin(&call->w);
    write_hosts(&call->w, &map);
    json_object_end(&call->w);
    survey_map_free(&map);
}

static void answer_map(struct call *call)
{
    uint64_t hosts = call_number(call, "hosts", MAP_HOSTS), links = call_number(call, "links", MAP_LINKS);
    struct survey_totals totals;
    struct json_writer *w = &call->w;
    struct survey_map map;

    survey_want(call->crawl->survey, SURVEY_URLS | SURVEY_LINKS);
    totals = survey_totals(call->crawl->survey);
    survey_map(call->crawl->survey, hosts < HOSTS_MAX ? (size_t)hosts : HOSTS_MAX,
               links < MAP_LINKS_MAX ? (size_t)links : MAP_LINKS_MAX, &map);
    json_object_begin(w);
    write_hosts(w, &map);
    json_key(w, "links");
    json_array_begin(w);
    for (size_t i = 0; i < map.nedges; i++) {
        json_array_begin(w);
        json_int(w, map.edges[i].from);
        json_int(w, map.edges[i].to);
        json_int(w, (int64_t)map.edges[i].links);
        json_array_end(w);
    }
    json_array_end(w);
    json_put_int(w, "all_links", (int64_t)map.all_edges);
    json_put_int(w, "links_read", (int64_t)totals.links);
    json_put_bool(w, "complete", totals.links_ready);
    json_object_end(w);
    survey_map_free(&map);
}

/* ---- steering ---- */

void dashboard_forward(struct call *call, struct str request)
{
    struct errmsg err = {""};
    struct json *parsed = NULL;
    struct buf answer;
    scent_status status;

    buf_init(&answer, CONTROL_ANSWER_MAX);
    status = control_ask(call->crawl->dir, request, &answer, &err);
    if (status == SCENT_E_NOTFOUND)
        call_fail(call, 409, "the crawl does not run");
    else if (status != SCENT_OK || json_parse(buf_str(&answer), &parsed, &err) != SCENT_OK)
        call_fail(call, 502, "%s", err.text);
    else if (json_is_str(json_get(parsed, "error")))
        call_fail(call, 400, "%.*s", STR_ARG(json_as_str(json_get(parsed, "error"))));
    else
        json_raw(&call->w, str_trim(buf_str(&answer)));
    json_free(parsed);
    buf_release(&answer);
}

/* The crawl understands the request; here it becomes one line, and is one of those that steer. */
static void answer_control(struct call *call)
{
    static const char *const known[] = {"pause", "resume", "stop", "set", "add", "block", "unblock"};
    struct json *parsed = NULL;
    struct errmsg err;
    struct buf line;
    bool fits = false;

    if (json_parse(call->body, &parsed, &err) == SCENT_OK)
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            fits |= str_eq(json_as_str(json_get(parsed, "do")), str_of(known[i]));
    json_free(parsed);
    buf_init(&line, CONTROL_LINE_MAX);
    for (size_t i = 0; i < call->body.len; i++) /* outside of its strings: inside of them there are no line breaks */
        buf_addc(&line, call->body.p[i] == '\n' || call->body.p[i] == '\r' ? ' ' : call->body.p[i]);
    if (!fits || line.failed)
        call_fail(call, 400, "expected {\"do\": pause, resume, stop, set, add, block or unblock, …}");
    else
        dashboard_forward(call, buf_str(&line));
    buf_release(&line);
}

/* ---- the lab ---- */

static void answer_lab(struct call *call)
{
    struct errmsg err = {""};
    struct json *parsed = NULL;
    struct buf text;

    buf_init(&text, SUMMARY_MAX);
    if (file_read(crawldir_path(call->lab->dir, "summary.json").text, &text, &err) != SCENT_OK ||
        json_parse(buf_str(&text), &parsed, &err) != SCENT_OK)
        call_fail(call, 500, "%s", err.text);
    else
        json_raw(&call->w, str_trim(buf_str(&text)));
    json_free(parsed);
    buf_release(&text);
}

/* ---- Prometheus ---- */

static void put_label(struct buf *out, struct str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.p[i] == '"' || value.p[i] == '\\' || value.p[i] == '\n')
            buf_addc(out, '\\');
        buf_addc(out, value.p[i] == '\n' ? 'n' : value.p[i]);
    }
}

static void answer_metrics(struct call *call)
{
    static const struct {
        const char *name, *help, *type;
    } metrics[] = {{"pages", "Pages of the crawl.", "counter"},
                   {"relevant_pages", "Relevant pages.", "counter"},
                   {"responses", "Responses, with redirects and errors.", "counter"},
                   {"hosts", "Hosts that gave a page.", "gauge"},
                   {"running", "1 while the crawl runs.", "gauge"},
                   {"last_page_seconds", "When the last page was fetched, since 1970.", "gauge"}};
    struct shown_crawl *crawls;
    size_t count = dashboard_crawls(call->dashboard, &crawls);

    call->type = "text/plain; version=0.0.4; charset=utf-8";
    for (size_t m = 0; m < sizeof metrics / sizeof *metrics; m++) {
        buf_printf(&call->out, "# HELP scent_%s %s\n# TYPE scent_%s %s\n", metrics[m].name, metrics[m].help,
                   metrics[m].name, metrics[m].type);
        for (size_t i = 0; i < count; i++) {
            struct survey_totals totals = survey_totals(crawls[i].survey);
            uint64_t values[] = {totals.pages, totals.relevant, totals.responses, totals.hosts,
                                 dashboard_is_running(call->dashboard, &crawls[i]), totals.last_wall};

            buf_printf(&call->out, "scent_%s{crawl=\"", metrics[m].name);
            put_label(&call->out, str_of(crawls[i].name));
            buf_printf(&call->out, "\",id=\"%zu\"} %" PRIu64 "\n", i, values[m]);
        }
    }
}

/* ---- routes ---- */

#define CRAWL "/api/v1/crawls/{crawl}"

const struct route dashboard_routes[] = {
    {"GET", "/api/v1", 0, answer_index},
    {"GET", "/api/v1/openapi.json", 0, answer_openapi},
    {"GET", "/api/v1/events", ROUTE_STREAM, NULL},
    {"GET", "/api/v1/crawls", 0, answer_crawls},
    {"GET", CRAWL, 0, answer_crawl},
    {"GET", CRAWL "/curve", 0, answer_curve},
    {"GET", CRAWL "/pages", 0, answer_pages},
    {"GET", CRAWL "/pages/{number}", 0, answer_page},
    {"GET", CRAWL "/hosts", 0, answer_hosts},
    {"GET", CRAWL "/map", 0, answer_map},
    {"GET", CRAWL "/why", 0, answer_why},
    {"GET", CRAWL "/parts", ROUTE_SLOW, answer_parts},
    {"GET", CRAWL "/review", 0, answer_review},
    {"GET", CRAWL "/marks", 0, answer_marks},
    {"POST", CRAWL "/marks", ROUTE_CHANGES | ROUTE_SLOW, answer_mark},
    {"POST", CRAWL "/control", ROUTE_CHANGES | ROUTE_SLOW, answer_control},
    {"GET", CRAWL "/search", ROUTE_SLOW, answer_search},
    {"GET", "/api/v1/labs/{lab}", 0, answer_lab},
    {"GET", "/metrics", 0, answer_metrics},
    {"GET", "/replay/{crawl}", 0, answer_replay_link},
    {NULL, NULL, 0, NULL},
};

/* Matches the path with a pattern and takes its numbers. */
static bool match(struct dashboard *dashboard, const char *pattern, struct str path, struct call *call)
{
    struct str left = str_of(pattern), want, have;
    uint64_t number;

    for (;;) {
        bool more = str_split(&left, '/', &want), given = str_split(&path, '/', &have);

        if (!more || !given)
            return more == given;
        if (!want.len || want.p[0] != '{') {
            if (!str_eq(want, have))
                return false;
            continue;
        }
        if (!str_parse_u64(have, &number))
            return false;
        call->number = number;
        if (str_eq(want, STR("{crawl}"))) {
            size_t count = dashboard_crawls(dashboard, &call->crawl);

            if (number >= count)
                return false;
            call->crawl += number;
        } else if (str_eq(want, STR("{lab}"))) {
            size_t count = dashboard_labs(dashboard, &call->lab);

            if (number >= count)
                return false;
            call->lab += number;
        }
    }
}

const struct route *dashboard_find_route(struct dashboard *dashboard, const char *method, struct str path,
                                         struct call *call, int *status)
{
    *status = 404;
    for (const struct route *route = dashboard_routes; route->path; route++) {
        if (!match(dashboard, route->path, path, call))
            continue;
        if (strcmp(route->method, method) == 0)
            return route;
        *status = 405;
    }
    return NULL;
}
