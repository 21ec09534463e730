/* Browsing files: JSON lines, and lists of URLs. */
#include "base/file.h"
#include "trace/browsing_event.h"
#include "trace/logsource.h"

#include <inttypes.h>
#include <stdio.h>

enum { ARENA_CAP = 1 << 20 }; /* for the URLs of one line */

struct reader {
    struct browsing *browsing;
    const struct log *log;
    const char *path;
    uint64_t line;
    struct arena arena; /* for one line */
};

typedef scent_status take_line(struct reader *reader, struct str line, struct errmsg *err);

/* Puts file and line before what went wrong. */
static scent_status fail_at(const struct reader *reader, scent_status status, struct errmsg *err)
{
    struct errmsg what = err ? *err : (struct errmsg){""};

    return errmsg_fail(err, status, "%s:%" PRIu64 ": %.800s", reader->path, reader->line, what.text);
}

static scent_status explain(scent_status status, struct errmsg *err)
{
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, status, "more than %d visits, or more text of URLs than memory is meant for",
                           BROWSING_VISITS_MAX);
    return status == SCENT_E_NOMEM ? errmsg_fail(err, status, "there is no memory for more visits") : status;
}

/* ---- JSON lines ---- */

static scent_status take_event(struct reader *reader, struct str line, struct errmsg *err)
{
    struct browsing_event event;
    struct json *value;
    scent_status status = json_parse(line, &value, err);

    if (status != SCENT_OK)
        return status == SCENT_E_NOMEM ? status
                                       : errmsg_fail(err, SCENT_E_FORMAT, "no JSON: a browsing file has one object a "
                                                     "line; lists and logs are read by 'scent browse import'");
    status = browsing_event_read(&reader->arena, value, &event, err);
    if (status == SCENT_OK)
        status = explain(browsing_add_event(reader->browsing, &event), err);
    json_free(value);
    return status;
}

/* ---- lists ---- */

static scent_status list_url(struct reader *reader, struct str text, struct str *out, struct errmsg *err)
{
    scent_status status = browsing_href(&reader->arena, text, out);

    if (status == SCENT_OK || status == SCENT_E_NOMEM)
        return explain(status, err);
    return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is no URL of http or https, or too long; a list has one a line",
                       text.len < 200 ? (int)text.len : 200, text.p ? text.p : "");
}

static scent_status take_listed(struct reader *reader, struct str line, struct errmsg *err)
{
    struct browsing_event event = {.kind = BROWSING_VISIT};
    struct str url, from = line;
    scent_status status;

    str_split(&from, '\t', &url);
    status = list_url(reader, str_trim(url), &event.url, err);
    if (status == SCENT_OK && str_trim(from).len)
        status = list_url(reader, str_trim(from), &event.from, err);
    if (status == SCENT_OK)
        status = explain(browsing_add_event(reader->browsing, &event), err);
    return status;
}

static scent_status take_mark(struct reader *reader, struct str line, struct errmsg *err)
{
    struct browsing_event event = {.kind = BROWSING_USEFUL};
    scent_status status = list_url(reader, str_trim(line), &event.url, err);

    return status == SCENT_OK ? explain(browsing_add_event(reader->browsing, &event), err) : status;
}

/* ---- files ---- */

static bool counts(struct str line)
{
    struct str text = str_trim(line);

    return text.len && text.p[0] != '#';
}

/* A recording that was cut off ends in half a line; everything before it is good. */
static bool is_cut_off(const struct reader *reader, struct logsource *source, struct str line)
{
    struct errmsg err;
    struct str head;

    if (reader->line == 1 || str_ends(line, STR("}")) || logsource_head(source, &head, &err) != SCENT_OK || head.len)
        return false;
    log_line(reader->log, LOG_WARN, "%s:%" PRIu64 ": the last line is cut off and was left out", reader->path,
             reader->line);
    return true;
}

static scent_status read_lines(struct reader *reader, struct logsource *source, take_line *take, struct errmsg *err)
{
    struct str line;

    for (;;) {
        scent_status status = logsource_line(source, &line, err);

        reader->line++;
        if (status == SCENT_E_END)
            return SCENT_OK;
        if (status == SCENT_E_LIMIT)
            return fail_at(reader, SCENT_E_INVALID,
                           (errmsg_fail(err, status, "longer than %d bytes", LOGSOURCE_LINE_MAX), err));
        if (status != SCENT_OK)
            return status;
        if (!counts(line))
            continue;
        arena_reset(&reader->arena);
        status = take(reader, line, err);
        if (status == SCENT_E_FORMAT && is_cut_off(reader, source, line))
            return SCENT_OK;
        if (status != SCENT_OK)
            return fail_at(reader, status == SCENT_E_FORMAT ? SCENT_E_INVALID : status, err);
    }
}

static scent_status read_file(struct browsing *browsing, const char *path, const struct log *log, take_line *take,
                              struct errmsg *err)
{
    struct reader reader = {.browsing = browsing, .log = log, .path = path};
    struct logsource *source;
    scent_status status = logsource_open(path, &source, err);

    if (status != SCENT_OK)
        return status;
    arena_init(&reader.arena, ARENA_CAP);
    status = read_lines(&reader, source, take, err);
    if (status == SCENT_OK && logsource_damaged(source))
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s: the compressed data is damaged or cut off", path);
    arena_release(&reader.arena);
    logsource_close(source);
    return status;
}

scent_status browsing_load(const char *const *paths, size_t count, const struct log *log, struct browsing **out,
                           struct errmsg *err)
{
    struct browsing *browsing = browsing_new();
    scent_status status = SCENT_OK;

    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = read_file(browsing, paths[i], log, take_event, err);
    *out = status == SCENT_OK ? browsing : NULL;
    if (status != SCENT_OK)
        browsing_free(browsing);
    return status;
}

scent_status browsing_read_list(struct browsing *browsing, const char *path, struct errmsg *err)
{
    return read_file(browsing, path, NULL, take_listed, err);
}

scent_status browsing_read_marks(struct browsing *browsing, const char *path, struct errmsg *err)
{
    return read_file(browsing, path, NULL, take_mark, err);
}

scent_status browsing_add_accesses(struct browsing *browsing, const struct trace *trace, struct trace_range range)
{
    uint32_t visit = BROWSING_NONE;

    for (uint32_t i = range.begin; i < range.end; i++) {
        const struct trace_access *access = trace_at(trace, i);
        bool goes_on = i > range.begin && trace_at(trace, i - 1)->session == access->session;
        scent_status status = browsing_add_visit(browsing, trace_url(trace, access->page), access->time,
                                                 goes_on ? visit : BROWSING_NONE, &visit);

        if (status != SCENT_OK)
            return status;
    }
    return SCENT_OK;
}

/* ---- out ---- */

static void write_visit(const struct browsing *browsing, uint32_t i, struct buf *out)
{
    const struct browsing_visit *visit = browsing_at(browsing, i);
    struct browsing_event event = {.kind = BROWSING_VISIT, .url = browsing_url(browsing, visit->page),
                                   .time = visit->time};

    if (visit->from != BROWSING_NONE)
        event.from = browsing_url(browsing, browsing_at(browsing, visit->from)->page);
    browsing_event_write(&event, out);
}

scent_status browsing_write(const struct browsing *browsing, struct buf *out)
{
    struct browsing_size size = browsing_size(browsing);

    browsing_event_write(&(struct browsing_event){.kind = BROWSING_FORMAT}, out);
    for (uint32_t i = 0; i < size.visits; i++)
        write_visit(browsing, i, out);
    for (uint32_t i = 0; i < size.pages; i++)
        if (browsing_is_useful(browsing, i))
            browsing_event_write(&(struct browsing_event){.kind = BROWSING_USEFUL, .url = browsing_url(browsing, i),
                                                          .time = browsing_marked_at(browsing, i)}, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status browsing_save(const struct browsing *browsing, const char *path, struct errmsg *err)
{
    scent_status status;
    struct buf out;

    buf_init(&out, 0);
    status = browsing_write(browsing, &out);
    if (status == SCENT_OK)
        status = file_replace_private(path, buf_str(&out), err);
    else
        errmsg_fail(err, status, "%s: there is no memory to write it", path);
    buf_release(&out);
    return status;
}
