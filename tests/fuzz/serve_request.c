/* The first line is a method and a target, the rest a body: as a request to the dashboard of an empty crawl. Whatever comes is
 * answered by a known status, in JSON where it says so. Requests that other programs or processes answer are left out. */
#include "serve/dashboard_parts.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/fuzz-serve-XXXXXX";
static struct dashboard *dashboard;

static void clean_up(void)
{
    static const char *const names[] = {"crawl.db", "crawl.db-wal", "crawl.db-shm", "lock", "marks.tsv"};

    dashboard_stop(dashboard);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];

        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(dir);
}

static void start(void)
{
    static struct log log;
    const char *dirs[] = {dir};
    struct dashboard_options options = {.dirs = dirs, .ndirs = 1, .log = &log};
    struct store *store;
    struct errmsg err;

    SCENT_BUG_IF(!mkdtemp(dir) || store_open(dir, STORE_WRITE, &store, &err) != SCENT_OK);
    store_close(store);
    SCENT_BUG_IF(dashboard_start(&options, &dashboard, &err) != SCENT_OK);
    atexit(clean_up);
}

static void answer(const struct route *route, struct call *call)
{
    static const int known[] = {200, 307, 400, 404, 409, 413, 415, 500, 502, 503};
    struct json *parsed = NULL;
    struct errmsg err;
    bool is_known = false;

    route->answer(call);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known |= call->status == known[i];
    SCENT_BUG_IF(!is_known);
    if (strcmp(call->type, "application/json") == 0 && call->status != 307)
        SCENT_BUG_IF(json_parse(buf_str(&call->out), &parsed, &err) != SCENT_OK);
    json_free(parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct str all = {(const char *)data, len}, line, target;
    struct call call = {.status = 200, .type = "application/json", .host = STR("127.0.0.1:80")};
    const struct route *route;
    size_t mark, method;
    int status;

    if (!dashboard)
        start();
    call.dashboard = dashboard;
    (void)str_split(&all, '\n', &line);
    call.body = all;
    method = line.len && line.p[0] == 'P' ? strlen("POST ") : strlen("GET ");
    if (line.len < method)
        return 0;
    target = str_sub(line, method, line.len);
    mark = str_find(target, '?');
    call.query = str_sub(target, mark < target.len ? mark + 1 : mark, target.len);
    route = dashboard_find_route(dashboard, line.p[0] == 'P' ? "POST" : "GET", str_sub(target, 0, mark), &call,
                                 &status);
    SCENT_BUG_IF(!route && status != 404 && status != 405);
    if (!route || route->flags & (ROUTE_SLOW | ROUTE_STREAM) || strstr(route->path, "replay"))
        return 0;
    buf_init(&call.out, 64 << 20);
    json_writer_init(&call.w, &call.out);
    answer(route, &call);
    buf_release(&call.out);
    return 0;
}
