/* Why a crawl did with a URL what it did: the facts and what its priority was made of, from rows that are found at
 * once, and the reasons of its verdict, which `scent why` computes again in a process of its own, since it reads models
 * and the whole database. */
#include "base/child.h"
#include "base/clock.h"
#include "crawldir/kept_parts.h"
#include "serve/dashboard_parts.h"
#include "url/url.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHAIN_MAX = 64, URL_ARENA = 1 << 20, ANSWER_MAX = 1 << 20, PATIENCE_US = 60 * 1000 * 1000 };

/* ---- the facts ---- */

struct kept_url {
    struct arena *arena;
    struct store_url url;
};

static scent_status keep_url(void *ctx, const struct store_url *url)
{
    struct kept_url *kept = ctx;

    kept->url = *url;
    kept->url.url = arena_str(kept->arena, url->url);
    kept->url.error = arena_str(kept->arena, url->error);
    kept->url.parts = arena_str(kept->arena, url->parts);
    return kept->url.url.p && kept->url.error.p && kept->url.parts.p ? SCENT_OK : SCENT_E_NOMEM;
}

struct wanted_link {
    uint32_t target;
    bool found;
    double priority;
    struct str anchor;
    struct arena *arena;
};

static scent_status find_link(void *ctx, uint64_t row, const struct store_link *link)
{
    struct wanted_link *wanted = ctx;

    (void)row;
    if (link->target != wanted->target)
        return SCENT_OK;
    wanted->found = true;
    wanted->priority = (double)link->priority;
    wanted->anchor = arena_str(wanted->arena, link->anchor);
    return SCENT_E_END;
}

static void write_step(struct call *call, struct store *store, const struct store_url *url, uint64_t number,
                       const struct wanted_link *link, struct arena *arena)
{
    struct json_writer *w = &call->w;
    struct store_page page;
    struct store_url row;
    struct errmsg err;

    json_object_begin(w);
    json_put_str(w, "url", url->url);
    json_put_str(w, "state", str_of(store_url_state_text(url->state)));
    json_put_int(w, "depth", url->depth);
    if (number && dashboard_get_page(store, number, arena, &page, &row, &err) == SCENT_OK) {
        json_put_str(w, "title", page.title);
        json_put_bool(w, "relevant", page.relevant);
        json_put_double(w, "score", page.score);
    }
    if (link->found) {
        json_put_str(w, "anchor", link->anchor);
        json_put_double(w, "priority", link->priority);
    }
    json_object_end(w);
}

/* From the URL back to the seed: each step tells by which link the one before it was found. */
static void write_chain(struct call *call, struct store *store, const struct store_url *url, struct arena *arena)
{
    struct store_url at = *url;
    struct errmsg err;

    json_key(&call->w, "chain");
    json_array_begin(&call->w);
    for (int steps = 0; at.parent != STORE_NO_PARENT && steps < CHAIN_MAX; steps++) {
        struct kept_url parent = {arena, {0}};
        struct wanted_link link = {.target = at.id, .arena = arena, .anchor = STR("")};
        uint64_t number;

        if (at.parent >= at.id || store_get_urls(store, &at.parent, 1, keep_url, &parent, &err) != SCENT_OK)
            break;
        number = survey_page_of(call->crawl->survey, at.parent);
        if (number && store_each_link_of(store, number, find_link, &link, &err) != SCENT_OK)
            link.found = link.found && link.anchor.p;
        write_step(call, store, &parent.url, number, &link, arena);
        at = parent.url;
    }
    json_array_end(&call->w);
}

/* As it was stored; null: it is a seed, or of a crawl that kept no parts. */
static void write_score(struct call *call, struct store *store, const struct store_url *url)
{
    struct strategy_score score = {.priority = url->priority};
    struct parts_names *names = calloc(1, sizeof *names);
    struct json_writer *w = &call->w;
    struct errmsg err;

    SCENT_BUG_IF(!names);
    parts_names_init(names);
    json_key(w, "score");
    if (url->parts.len && kept_parts_names(store, names, &err) == SCENT_OK && parts_read(names, url->parts, &score)) {
        json_object_begin(w);
        json_put_double(w, "priority", (double)score.priority);
        kept_parts_write(w, &score);
        json_object_end(w);
    } else {
        json_none(w);
    }
    parts_names_release(names);
    free(names);
}

static void write_facts(struct call *call, struct store *store, const struct store_url *url, struct arena *arena)
{
    uint64_t number = survey_page_of(call->crawl->survey, url->id);
    struct json_writer *w = &call->w;
    struct store_page page;
    struct store_url row;
    struct errmsg err;
    char when[32];

    json_object_begin(w);
    json_put_str(w, "url", url->url);
    json_put_str(w, "state", str_of(store_url_state_text(url->state)));
    json_put_str(w, "reason", url->error);
    json_put_bool(w, "seed", url->parent == STORE_NO_PARENT);
    json_put_double(w, "priority", (double)url->priority);
    json_put_int(w, "depth", url->depth);
    json_put_int(w, "tries", url->tries);
    json_key(w, "page");
    if (number && dashboard_get_page(store, number, arena, &page, &row, &err) == SCENT_OK) {
        clock_format_iso(page.wall, when, sizeof when);
        json_object_begin(w);
        json_put_int(w, "number", (int64_t)page.number);
        json_put_str(w, "title", page.title);
        json_put_str(w, "time", str_of(when));
        json_put_int(w, "status", page.status);
        json_put_str(w, "mime", page.mime);
        json_put_str(w, "lang", page.lang);
        json_put_int(w, "bytes", (int64_t)page.bytes);
        json_put_int(w, "words", page.words);
        json_put_bool(w, "counted", page.counted);
        json_put_bool(w, "relevant", page.relevant);
        json_put_double(w, "score", page.score);
        json_put_double(w, "priority", (double)page.priority);
        json_put_int(w, "duplicate_of", (int64_t)page.duplicate_of);
        json_put_bool(w, "archived", page.warc_length > 0);
        json_object_end(w);
    } else {
        json_none(w);
    }
    write_score(call, store, url);
    write_chain(call, store, url, arena);
    json_object_end(w);
}

/* The URL of the query in its normal form, in `arena`; false: the call has failed. */
static bool read_url(struct call *call, struct arena *arena, struct str *out)
{
    char text[SCENT_URL_MAX];
    struct url parsed, normal;

    if (url_parse(arena, call_text(call, "url", text, sizeof text), NULL, &parsed) != SCENT_OK ||
        url_normalise(arena, &parsed, 0, &normal) != SCENT_OK) {
        call_fail(call, 400, "write the whole address, such as https://www.example.org/page");
        return false;
    }
    *out = normal.href;
    return true;
}

void answer_why(struct call *call)
{
    struct errmsg err = {""};
    struct store *store;
    struct arena arena;
    struct kept_url kept;
    scent_status status;
    struct str url;
    uint32_t id;
    bool ready;

    arena_init(&arena, 4 * URL_ARENA);
    if (read_url(call, &arena, &url) && call_lock(call, &store)) {
        status = dashboard_find_url(call->crawl, url, &id, &ready, &err);
        kept = (struct kept_url){&arena, {0}};
        if (status == SCENT_OK && id != UINT32_MAX)
            status = store_get_urls(store, &id, 1, keep_url, &kept, &err);
        if (status != SCENT_OK)
            call_fail(call, 500, "%s", err.text);
        else if (id != UINT32_MAX)
            write_facts(call, store, &kept.url, &arena);
        else if (ready)
            call_fail(call, 404, "the crawl does not know this address");
        else
            call_fail(call, 503, "the addresses of the crawl are being read; try again in a moment");
        call_unlock(call);
    }
    arena_release(&arena);
}

/* ---- the reasons ---- */

static pid_t start_why(const char *dir, const char *url, int *out)
{
    const char *const words[] = {"/proc/self/exe", "why", "--json", "--", dir, url, NULL};
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    if (!child_start(&(struct child_options){.words = words, .input = -1, .output = ends[1], .is_mute = true}, &pid))
        pid = -1;
    close(ends[1]);
    *out = ends[0];
    if (pid < 0)
        close(ends[0]);
    return pid;
}

void answer_parts(struct call *call)
{
    struct json *parsed = NULL;
    struct errmsg err;
    struct arena arena;
    struct buf text;
    struct str url;
    char *address = NULL;
    bool whole = false;
    int fd, ended = -1;
    pid_t pid;

    arena_init(&arena, 4 * URL_ARENA);
    buf_init(&text, ANSWER_MAX);
    if (read_url(call, &arena, &url) && (address = str_dup(url))) {
        pid = start_why(call->crawl->dir, address, &fd);
        if (pid >= 0) {
            whole = child_read_all(fd, PATIENCE_US, &text);
            close(fd);
            whole = child_end(pid, whole ? PATIENCE_US : 0, &ended) && whole;
        }
        whole = whole && WIFEXITED(ended);
        if (whole && WEXITSTATUS(ended) == 0 && json_parse(buf_str(&text), &parsed, &err) == SCENT_OK)
            json_raw(&call->w, str_trim(buf_str(&text)));
        else if (whole && WEXITSTATUS(ended) == 1)
            call_fail(call, 404, "the crawl does not know this address");
        else
            call_fail(call, 503, "it took too long, or failed: 'scent why' tells more");
    }
    free(address);
    json_free(parsed);
    buf_release(&text);
    arena_release(&arena);
}
