#include "engine/commands.h"

#include "conf/conf.h"
#include "engine/crawl.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stddef.h>

int64_t commands_elapsed(const struct crawl *crawl, int64_t now)
{
    const struct commands *commands = &crawl->commands;

    return now - crawl->ending.started - commands->paused_us - (commands->paused ? now - commands->paused_since : 0);
}

/* ---- settings ---- */

enum kind { NUMBER, NUMBER32, DURATION };

static const struct {
    const char *name;
    enum kind kind;
    size_t offset; /* in struct topic */
    bool may_be_none;
    const char *expected;
} settings[] = {
    {"pages", NUMBER, offsetof(struct topic, limits.pages), true, "a number; 0: no limit"},
    {"time", DURATION, offsetof(struct topic, limits.time_us), true, "a duration such as 90s or 1h30m; 0: no limit"},
    {"depth", NUMBER32, offsetof(struct topic, limits.depth), false, "a number above 0"},
    {"per_host", NUMBER, offsetof(struct topic, limits.per_host), true, "a number; 0: no limit"},
    {"per_domain", NUMBER, offsetof(struct topic, limits.per_domain), true, "a number; 0: no limit"},
    {"delay", DURATION, offsetof(struct topic, politeness.delay_us), false, "a duration such as 500ms or 2s"},
};
enum { PAGES = 0, TIME = 1, DELAY = 5 };
_Static_assert(sizeof settings / sizeof *settings == COMMANDS_SETTINGS, "each setting has its place");

static int64_t setting_get(const struct topic *topic, size_t i)
{
    const char *at = (const char *)topic + settings[i].offset;

    return settings[i].kind == NUMBER32 ? *(const uint32_t *)at : *(const int64_t *)at;
}

static void setting_put(struct crawl *crawl, size_t i, int64_t value)
{
    char *at = (char *)&crawl->own_topic + settings[i].offset;

    if (settings[i].kind == NUMBER32)
        *(uint32_t *)at = (uint32_t)value;
    else
        *(int64_t *)at = value;
    if (i == DELAY && crawl->access.politeness)
        access_set_delay(crawl, value);
}

/* A number, or a text as in a topic file: "2h"; seconds where a number stands for a time. */
static bool read_value(const struct json *value, size_t i, int64_t *out)
{
    struct str text = json_as_str(value);
    uint64_t number;

    *out = 0;
    if (!json_is_str(value) && !json_is_num(value))
        return false;
    if (json_is_str(value) && str_eq(text, STR("none")) && settings[i].may_be_none)
        return true;
    if (settings[i].kind == DURATION && json_is_str(value))
        return conf_parse_duration(text, out) && *out >= 0;
    if (settings[i].kind == DURATION) {
        double seconds = json_as_double(value);

        *out = seconds >= 0 && seconds < 1e9 ? (int64_t)(seconds * 1e6) : -1;
        return *out >= 0;
    }
    if (json_is_str(value) && !str_parse_u64(text, &number))
        return false;
    *out = json_is_str(value) ? (int64_t)number : json_as_int(value);
    return *out >= 0 && (settings[i].kind != NUMBER32 || *out <= UINT16_MAX);
}

/* ---- what is kept ---- */

/* A line each: "set pages 1000 2000" (what the topic said, what holds), "blocked example.org", "paused". */
static void keep(struct crawl *crawl, struct rows *rows)
{
    const struct commands *commands = &crawl->commands;
    struct buf text;
    struct str value;

    buf_init(&text, 0);
    for (size_t i = 0; i < COMMANDS_SETTINGS; i++)
        if (commands->settings[i].given)
            buf_printf(&text, "set %s %" PRId64 " %" PRId64 "\n", settings[i].name, commands->settings[i].before,
                       commands->settings[i].now);
    for (size_t i = 0; steer_blocked(crawl->steer, i); i++)
        buf_printf(&text, "blocked %s\n", steer_blocked(crawl->steer, i));
    if (commands->paused)
        buf_addz(&text, "paused\n");
    value = arena_str(rows->arena, buf_str(&text));
    rows->failed |= text.failed || !value.p;
    buf_release(&text);
    if (value.p)
        ROWS_ADD(rows, values, ((struct rows_value){COMMANDS_VALUE, value}));
}

static void restore_setting(struct crawl *crawl, struct str rest)
{
    struct str name, before, now;
    uint64_t was, is;

    if (!str_split(&rest, ' ', &name) || !str_split(&rest, ' ', &before) || !str_split(&rest, ' ', &now) ||
        !str_parse_u64(before, &was) || !str_parse_u64(now, &is) || is > INT64_MAX)
        return;
    for (size_t i = 0; i < COMMANDS_SETTINGS; i++) {
        bool fits = settings[i].kind != NUMBER32 || is <= UINT16_MAX;

        if (!str_eq(name, str_of(settings[i].name)) || !fits || crawl->commands.settings[i].given ||
            (uint64_t)setting_get(crawl->topic, i) != was || (!is && !settings[i].may_be_none))
            continue;
        crawl->commands.settings[i].given = true;
        crawl->commands.settings[i].before = (int64_t)was;
        crawl->commands.settings[i].now = (int64_t)is;
        setting_put(crawl, i, (int64_t)is);
        log_line(crawl->options->log, LOG_INFO, "%s is what was set while the crawl ran, not what the topic says",
                 settings[i].name);
    }
}

scent_status commands_restore(struct crawl *crawl, struct errmsg *err)
{
    struct str rest, line, word;
    struct buf kept;
    scent_status status;

    buf_init(&kept, 0);
    status = store_get(crawl->store, COMMANDS_VALUE, &kept, err);
    rest = buf_str(&kept);
    while (status == SCENT_OK && str_split(&rest, '\n', &line)) {
        (void)str_split(&line, ' ', &word);
        if (!crawl->steer && str_eq(word, STR("set")))
            restore_setting(crawl, line);
        if (!crawl->steer && str_eq(word, STR("paused")))
            crawl->commands.paused = true;
        if (crawl->steer && str_eq(word, STR("blocked")) && line.len)
            status = steer_block(crawl->steer, line);
    }
    buf_release(&kept);
    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "out of memory for the blocked hosts");
    return status == SCENT_E_NOTFOUND || status == SCENT_E_LIMIT ? SCENT_OK : status;
}

/* ---- answers ---- */

SCENT_PRINTF(2, 3)
static void fail(struct job *job, const char *format, ...)
{
    char text[512];
    struct json_writer w;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    job->control.done = false;
    buf_clear(&job->control.answer);
    json_writer_init(&w, &job->control.answer);
    json_object_begin(&w);
    json_put_str(&w, "error", str_of(text));
    json_object_end(&w);
}

static void succeed(struct job *job)
{
    job->control.done = true;
    buf_addz(&job->control.answer, "{\"ok\":true}");
}

/* Told in the log, and kept as an event. */
SCENT_PRINTF(3, 4)
static void note(struct crawl *crawl, struct job *job, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    journal_tell(crawl->journal, JOURNAL_CONTROL, LOG_INFO, STR_NONE, "%s", text);
    job->event = "control";
    job->event_text = arena_str(&job->arena, str_of(text));
    keep(crawl, &job->rows);
}

/* ---- requests ---- */

static scent_status do_pause(struct crawl *crawl, struct job *job)
{
    succeed(job);
    if (crawl->commands.paused)
        return SCENT_OK;
    crawl->commands.paused = true;
    crawl->commands.paused_since = clock_mono(crawl->options->clock);
    note(crawl, job, "the crawl is paused");
    return SCENT_OK;
}

static scent_status do_resume(struct crawl *crawl, struct job *job)
{
    succeed(job);
    if (!crawl->commands.paused)
        return SCENT_OK;
    crawl->commands.paused = false;
    crawl->commands.paused_us += clock_mono(crawl->options->clock) - crawl->commands.paused_since;
    note(crawl, job, "the crawl continues");
    return SCENT_OK;
}

static scent_status do_stop(struct crawl *crawl, struct job *job)
{
    succeed(job);
    if (crawl->commands.stop)
        return SCENT_OK;
    crawl->commands.stop = true;
    note(crawl, job, "the crawl stops");
    return SCENT_OK;
}

scent_status commands_read_settings(const struct json *request, int64_t values[COMMANDS_SETTINGS],
                                    bool given[COMMANDS_SETTINGS], struct errmsg *why)
{
    size_t count = 0;

    for (size_t i = 0; i < COMMANDS_SETTINGS; i++) {
        const struct json *value = json_get(request, settings[i].name);

        given[i] = value;
        count += given[i];
        if (value && (!read_value(value, i, &values[i]) || (!values[i] && !settings[i].may_be_none)))
            return errmsg_fail(why, SCENT_E_INVALID, "invalid value for %s: expected %s", settings[i].name,
                               settings[i].expected);
    }
    /* A key that is misspelt would be a limit that does not hold. */
    if (!count || count + 1 != json_members(request))
        return errmsg_fail(why, SCENT_E_INVALID, "what can be set: pages, time, depth, per_host, per_domain, delay");
    return SCENT_OK;
}

static scent_status do_set(struct crawl *crawl, struct job *job)
{
    int64_t values[COMMANDS_SETTINGS];
    bool given[COMMANDS_SETTINGS];
    struct errmsg why;
    struct buf text;

    if (commands_read_settings(job->control.request, values, given, &why) != SCENT_OK) {
        fail(job, "%s", why.text);
        return SCENT_OK;
    }
    if (given[DELAY] && !crawl->topic->politeness.delay_us) {
        fail(job, "the topic says delay: 0, for servers of your own; there is none to change");
        return SCENT_OK;
    }
    if (crawl->exchange && (given[PAGES] || given[TIME])) {
        fail(job, "pages and time are limits of all workers of this crawl together: start a worker with other ones");
        return SCENT_OK;
    }
    buf_init(&text, 0);
    for (size_t i = 0; i < COMMANDS_SETTINGS; i++) {
        if (!given[i])
            continue;
        if (!crawl->commands.settings[i].given)
            crawl->commands.settings[i].before = setting_get(crawl->topic, i);
        crawl->commands.settings[i].given = true;
        crawl->commands.settings[i].now = values[i];
        setting_put(crawl, i, values[i]);
        if (settings[i].kind == DURATION)
            buf_printf(&text, " %s %s", settings[i].name, conf_show_duration(values[i]).text);
        else
            buf_printf(&text, " %s %" PRId64, settings[i].name, values[i]);
    }
    succeed(job);
    note(crawl, job, "set%s", buf_z(&text));
    buf_release(&text);
    return SCENT_OK;
}

static scent_status add_seed(struct crawl *crawl, struct job *job, struct str text, struct json_writer *w,
                             size_t *added)
{
    struct url url;
    struct errmsg why = {0};
    const char *refused = NULL;
    scent_status status = topic_read_seed(crawl->topic, text, &job->arena, &url, &why);

    if (status == SCENT_E_NOMEM)
        return status;
    if (status == SCENT_OK)
        SCENT_TRY(steer_seed(crawl->steer, &url, &job->rows, &refused));
    if (status == SCENT_OK && !refused) {
        ++*added;
        return SCENT_OK;
    }
    json_object_begin(w);
    json_put_str(w, "url", text);
    json_put_str(w, "why", status == SCENT_OK ? str_of(refused) : str_of(why.text));
    json_object_end(w);
    return SCENT_OK;
}

static scent_status do_add(struct crawl *crawl, struct job *job)
{
    const struct json *urls = json_get(job->control.request, "urls");
    struct json_writer w;
    size_t added = 0;

    if (!json_count(urls)) {
        fail(job, "\"urls\" is a list of URLs");
        return SCENT_OK;
    }
    json_writer_init(&w, &job->control.answer);
    json_object_begin(&w);
    json_put_bool(&w, "ok", true);
    json_key(&w, "refused");
    json_array_begin(&w);
    for (size_t i = 0; i < json_count(urls); i++)
        SCENT_TRY(add_seed(crawl, job, json_as_str(json_at(urls, i)), &w, &added));
    json_array_end(&w);
    json_put_int(&w, "added", (int64_t)added);
    json_object_end(&w);
    job->control.done = added;
    if (added)
        note(crawl, job, "%zu seeds were added", added);
    return SCENT_OK;
}

/* The name as hosts are known by, whatever its letters. */
static bool read_host(struct job *job, struct str *out)
{
    struct str name = json_as_str(json_get(job->control.request, "host")), text;
    struct url url;

    if (!name.len || name.len > 255 || str_find(name, '/') != name.len || str_find(name, '@') != name.len)
        return false;
    text = arena_printf(&job->arena, "http://%.*s/", STR_ARG(name));
    if (!text.p || url_parse(&job->arena, text, NULL, &url) != SCENT_OK)
        return false;
    *out = url_host(&url);
    return out->len > 0;
}

static scent_status do_block(struct crawl *crawl, struct job *job)
{
    bool undo = str_eq(json_as_str(json_get(job->control.request, "do")), STR("unblock"));
    struct str host;
    scent_status status;

    if (!read_host(job, &host)) {
        fail(job, "\"host\" is the name of a host, such as www.example.org");
        return SCENT_OK;
    }
    if (undo && !steer_unblock(crawl->steer, host)) {
        fail(job, "%.*s is not blocked", STR_ARG(host));
        return SCENT_OK;
    }
    status = undo ? SCENT_OK : steer_block(crawl->steer, host);
    if (status == SCENT_E_LIMIT) {
        fail(job, "%d hosts are blocked already: exclude more in the topic file", STEER_BLOCKED_MAX);
        return SCENT_OK;
    }
    SCENT_TRY(status);
    succeed(job);
    note(crawl, job, "%.*s is %s", STR_ARG(host), undo ? "no longer blocked" : "blocked");
    return SCENT_OK;
}

/* Only pages of the crawl can be examples. The file is the listener's to write. */
static scent_status do_mark(struct crawl *crawl, struct job *job)
{
    bool undo = str_eq(json_as_str(json_get(job->control.request, "do")), STR("unmark"));
    const struct json *relevant = json_get(job->control.request, "relevant");
    struct frontier *frontier = steer_frontier(crawl->steer);
    struct json_writer w;
    struct url url, normal;
    uint32_t id;

    if (!undo && !json_is_bool(relevant)) {
        fail(job, "\"relevant\" is true or false");
        return SCENT_OK;
    }
    if (url_parse(&job->arena, json_as_str(json_get(job->control.request, "url")), NULL, &url) != SCENT_OK ||
        url_normalise(&job->arena, &url, topic_url_flags(crawl->topic), &normal) != SCENT_OK ||
        !frontier_find(frontier, url_fingerprint(normal.href, crawl->key), &id) ||
        frontier_state(frontier, id) != FRONTIER_DONE) {
        fail(job, "\"url\" is not the URL of a page that this crawl has visited");
        return SCENT_OK;
    }
    job->control.url = normal.href;
    job->control.done = true;
    json_writer_init(&w, &job->control.answer);
    json_object_begin(&w);
    json_put_bool(&w, "ok", true);
    json_put_bool(&w, "trains", crawl->retraining != NULL);
    json_object_end(&w);
    journal_tell(crawl->journal, JOURNAL_CONTROL, LOG_INFO, normal.href, "%s",
                 undo                     ? "its mark is undone"
                 : json_as_bool(relevant) ? "marked as relevant"
                                          : "marked as not relevant");
    return SCENT_OK;
}

static const struct {
    const char *name;
    scent_status (*run)(struct crawl *crawl, struct job *job);
} requests[] = {
    {"pause", do_pause}, {"resume", do_resume},   {"stop", do_stop}, {"set", do_set},     {"add", do_add},
    {"block", do_block}, {"unblock", do_block}, {"mark", do_mark}, {"unmark", do_mark},
};

static scent_status run_request(struct crawl *crawl, struct job *job)
{
    struct str what = json_as_str(json_get(job->control.request, "do"));

    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (str_eq(what, str_of(requests[i].name)))
            return requests[i].run(crawl, job);
    fail(job, "unknown request: there are status, watch, pause, resume, stop, set, add, block, unblock, mark, unmark");
    return SCENT_OK;
}

scent_status commands_apply(struct crawl *crawl, struct job *job, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    switch (job->control.what) {
    case CONTROL_SNAPSHOT:
        overview_fill(crawl, &job->arena, &job->control.snapshot);
        break;
    case CONTROL_MARKED:
        if (crawl->retraining)
            retraining_note_marks(crawl->retraining);
        break;
    case CONTROL_REQUEST:
        status = run_request(crawl, job);
        break;
    }
    if (status == SCENT_OK && job->rows.failed)
        status = SCENT_E_NOMEM;
    if (status != SCENT_OK) {
        job_free(job);
        return errmsg_fail(err, status, "out of memory for a request");
    }
    if (rows_are_empty(&job->rows) && !job->event)
        listener_answer(crawl->listener, job);
    else
        outcome_put(crawl, job);
    return SCENT_OK;
}
