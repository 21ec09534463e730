#include "trace/gather.h"
#include "trace/logsource.h"
#include "trace/sieve.h"

enum { ARENA_CAP = 1 << 20 }; /* for one URL */
static const int64_t IDLE = 30 * 60 * (int64_t)1000000;

struct trace_options trace_options_default(void)
{
    return (struct trace_options){
        .idle = IDLE, .max_accesses = 50000000, .url_flags = URL_STRIP_TRACKING | URL_STRIP_SESSION};
}

struct import {
    struct gather gather;
    const struct log *log;
    struct arena arena;      /* for the URL of one line */
    struct arena base_arena;
    struct url base;         /* href.len 0: none */
};

static scent_status read_base(struct import *import, struct str base, struct errmsg *err)
{
    if (!base.len)
        return SCENT_OK;
    if (url_parse(&import->base_arena, base, NULL, &import->base) == SCENT_OK)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "the base '%.*s' is no URL of http or https; give the site of the log, "
                       "such as http://www.example.org/", STR_ARG(base));
}

/* The URL of a line as a crawl knows it. */
static scent_status read_url(struct import *import, struct str text, struct url *out, enum trace_left *why)
{
    bool has_base = import->base.href.len > 0;
    scent_status status;

    *why = TRACE_LEFT_SITE;
    if (!has_base && str_starts(text, STR("/")))
        return SCENT_E_INVALID;
    status = url_parse(&import->arena, text, has_base ? &import->base : NULL, out);
    if (status == SCENT_OK)
        status = url_normalise(&import->arena, out, import->gather.options->url_flags, out);
    *why = status == SCENT_E_LIMIT ? TRACE_LEFT_URL_LONG : TRACE_LEFT_URL;
    return status;
}

static scent_status leave(struct import *import, enum trace_left why)
{
    import->gather.counts.left[why]++;
    return SCENT_OK;
}

/* No room is a reason to leave a line out, not to fail. */
static scent_status or_full(struct import *import, scent_status status)
{
    return status == SCENT_E_LIMIT ? leave(import, TRACE_LEFT_FULL) : status;
}

static scent_status take_bot(struct import *import, const struct logline *line)
{
    scent_status status = gather_bot(&import->gather, line->user);

    return status == SCENT_OK ? leave(import, TRACE_LEFT_BOT) : or_full(import, status);
}

static scent_status take_line(struct import *import, enum trace_format format, struct str text, int64_t *latest)
{
    struct logline line;
    struct url url;
    enum trace_left why;
    scent_status status;

    if (!logline_parse(format, text, &line, &why))
        return leave(import, why);
    import->gather.counts.backwards += line.time < *latest;
    *latest = line.time > *latest ? line.time : *latest;
    if (!sieve_method(line.method))
        return leave(import, TRACE_LEFT_METHOD);
    arena_reset(&import->arena);
    status = read_url(import, line.url, &url, &why);
    if (status != SCENT_OK)
        return status == SCENT_E_NOMEM ? status : leave(import, why);
    if (str_eq(url_path(&url), STR("/robots.txt")))
        return take_bot(import, &line);
    if (!sieve_line(&line, &url, &why))
        return leave(import, why);
    return or_full(import, gather_add(&import->gather, line.time, line.user, url.href));
}

static scent_status read_lines(struct import *import, struct logsource *source, enum trace_format format,
                               struct errmsg *err)
{
    struct trace_counts *counts = &import->gather.counts;
    int64_t latest = 0;
    struct str line;

    for (;;) {
        scent_status status = logsource_line(source, &line, err);

        if (status == SCENT_E_END)
            return SCENT_OK;
        if (status != SCENT_OK && status != SCENT_E_LIMIT)
            return status;
        if (status == SCENT_OK && !logline_counts(line))
            continue;
        counts->lines++;
        status = status == SCENT_OK ? take_line(import, format, line, &latest) : leave(import, TRACE_LEFT_LONG);
        if (status != SCENT_OK)
            return errmsg_fail(err, status, "there is no memory for more accesses; allow fewer of them");
    }
}

static scent_status read_source(struct import *import, struct logsource *source, const char *path, struct errmsg *err)
{
    enum trace_format format = import->gather.options->format;
    struct trace_counts *counts = &import->gather.counts;
    scent_status status = SCENT_OK;
    struct str head;

    if (format == TRACE_GUESS) {
        status = logsource_head(source, &head, err);
        format = status == SCENT_OK ? logline_guess(head) : format;
    }
    if (status != SCENT_OK)
        return status;
    if (format == TRACE_GUESS) {
        counts->unknown++;
        log_line(import->log, LOG_WARN, "%s: left out: none of its first lines is one of Squid's, of the Common or "
                 "Combined log format, or 'time user url'; name its format if it has one", path);
        return SCENT_OK;
    }
    status = read_lines(import, source, format, err);
    if (status == SCENT_OK && logsource_damaged(source)) {
        counts->damaged++;
        log_line(import->log, LOG_WARN, "%s: the compressed data is damaged or cut off; read as far as it goes", path);
    }
    return status;
}

static scent_status read_log(struct import *import, const char *path, struct errmsg *err)
{
    struct logsource *source;
    scent_status status = logsource_open(path, &source, err);

    if (status != SCENT_OK)
        return status;
    import->gather.counts.files++;
    status = read_source(import, source, path, err);
    logsource_close(source);
    return status;
}

scent_status trace_import(const char *const *logs, size_t count, const struct trace_options *options,
                          const struct log *log, struct trace **out, struct errmsg *err)
{
    struct import import = {.log = log};
    scent_status status;

    *out = NULL;
    gather_init(&import.gather, options);
    arena_init(&import.arena, ARENA_CAP);
    arena_init(&import.base_arena, ARENA_CAP);
    status = read_base(&import, options->base, err);
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = read_log(&import, logs[i], err);
    if (status == SCENT_OK) {
        status = gather_finish(&import.gather, out);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "there is no memory to sort the accesses; allow fewer of them");
    }
    gather_release(&import.gather);
    arena_release(&import.arena);
    arena_release(&import.base_arena);
    return status;
}
