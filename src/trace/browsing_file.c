/* Browsing files: JSON lines, and lists of URLs. */
#include "base/clock.h"
#include "base/date.h"
#include "base/file.h"
#include "base/str.h"
#include "json/json.h"
#include "trace/browsing.h"
#include "trace/logline.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- one line ---- */

enum { SHOWN = 200 }; /* of a URL in a message */

static const char *const kinds[] = {
    [BROWSING_VISIT] = "visit", [BROWSING_USEFUL] = "useful", [BROWSING_NOT_USEFUL] = "not_useful",
    [BROWSING_FORMAT] = "browsing",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static scent_status find_kind(const struct json *value, struct browsing_event *out, struct errmsg *err)
{
    int found = 0;

    for (int i = 0; i < KINDS; i++)
        if (json_get(value, kinds[i])) {
            out->kind = (enum browsing_kind)i;
            found++;
        }
    if (found == 1)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "%s; each line is an object with \"visit\", \"useful\" or \"not_useful\" "
                       "and a URL", found ? "several events at once" : "neither a visit nor a mark");
}

static scent_status check_version(const struct json *value, struct errmsg *err)
{
    int64_t version = json_as_int(json_get(value, kinds[BROWSING_FORMAT]));

    if (version == BROWSING_VERSION)
        return SCENT_OK;
    return errmsg_fail(err, version > BROWSING_VERSION ? SCENT_E_VERSION : SCENT_E_INVALID,
                       "version %lld of the browsing format; this scent reads version %d", (long long)version,
                       BROWSING_VERSION);
}

static struct str shorten_url(struct str url)
{
    return str_sub(url, 0, url.len < SHOWN ? url.len : SHOWN);
}

static scent_status read_url(struct arena *arena, const struct json *value, struct browsing_event *out,
                             struct errmsg *err)
{
    struct str text = json_as_str(json_get(value, kinds[out->kind]));
    scent_status status = browsing_href(arena, text, &out->url);

    if (status == SCENT_E_NOMEM)
        return errmsg_fail(err, status, "there is no memory for a URL");
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, SCENT_E_INVALID, "the URL '%.*s…' is too long", STR_ARG(shorten_url(text)));
    if (status != SCENT_OK)
        return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is not a URL of http or https", STR_ARG(shorten_url(text)));
    return status;
}

static scent_status read_time(const struct json *value, struct browsing_event *out, struct errmsg *err)
{
    const struct json *time = json_get(value, "time");

    if (json_is_none(time) || date_parse_iso(json_as_str(time), &out->time))
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID, "\"time\" is not a date such as \"2026-11-15T08:58:00.250Z\"");
}

/* Whole characters that fit. */
static struct str cut_title(struct str title)
{
    size_t end = 0, n;

    while (end < title.len && (n = utf8_sequence(str_sub(title, end, title.len))) > 0 && end + n <= BROWSING_TITLE_MAX)
        end += n;
    return str_sub(title, 0, end);
}

scent_status browsing_event_read(struct arena *arena, const struct json *value, struct browsing_event *out,
                                 struct errmsg *err)
{
    const struct json *from = json_get(value, "from"), *title = json_get(value, "title");

    *out = (struct browsing_event){0};
    SCENT_TRY(find_kind(value, out, err));
    if (out->kind == BROWSING_FORMAT)
        return check_version(value, err);
    SCENT_TRY(read_url(arena, value, out, err));
    SCENT_TRY(read_time(value, out, err));
    if ((!json_is_none(from) && !json_is_str(from)) || (!json_is_none(title) && !json_is_str(title)))
        return errmsg_fail(err, SCENT_E_INVALID, "\"from\" and \"title\" are strings");
    out->title = cut_title(json_as_str(title));
    if (browsing_href(arena, json_as_str(from), &out->from) == SCENT_E_NOMEM)
        return errmsg_fail(err, SCENT_E_NOMEM, "there is no memory for a URL");
    return SCENT_OK;
}

static void write_time(struct json_writer *w, int64_t time)
{
    char date[32], text[40];

    clock_format_iso(time, date, sizeof date);
    snprintf(text, sizeof text, "%.19s.%03dZ", date, (int)(time / 1000 % 1000));
    json_put_str(w, "time", str_of(text));
}

/* Appends one line; out->failed tells whether it fitted. */
static void write_event(const struct browsing_event *event, struct buf *out)
{
    struct json_writer w;

    json_writer_init(&w, out);
    json_object_begin(&w);
    json_key(&w, kinds[event->kind]);
    if (event->kind == BROWSING_FORMAT)
        json_int(&w, BROWSING_VERSION);
    else
        json_str(&w, event->url);
    if (event->time)
        write_time(&w, event->time);
    if (event->from.len)
        json_put_str(&w, "from", event->from);
    if (event->title.len)
        json_put_str(&w, "title", event->title);
    json_object_end(&w);
    buf_addc(out, '\n');
}

static uint32_t find_from(const struct browsing *browsing, struct str url)
{
    uint32_t page;

    return url.len && browsing_find_page(browsing, url, &page) ? browsing_last_visit(browsing, page) : BROWSING_NONE;
}

/* `from` becomes the latest visit of that URL. On error nothing changes. */
static scent_status add_event(struct browsing *browsing, const struct browsing_event *event)
{
    uint32_t visit;

    switch (event->kind) {
    case BROWSING_VISIT:
        return browsing_add_visit(browsing, event->url, event->time, find_from(browsing, event->from), &visit);
    case BROWSING_USEFUL:
    case BROWSING_NOT_USEFUL:
        return browsing_add_mark(browsing, event->url, event->time, event->kind == BROWSING_USEFUL);
    default:
        return SCENT_OK;
    }
}

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

static scent_status explain_failure(scent_status status, struct errmsg *err)
{
    if (status == SCENT_E_LIMIT)
        return errmsg_fail(err, status, "the visits take more than the %zu MiB of memory that are meant for them; give "
                           "fewer, by dates or hosts", BROWSING_MEMORY_MAX >> 20);
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
                                       : errmsg_fail(err, SCENT_E_FORMAT, "not JSON: a browsing file has one object a "
                                                     "line; lists and logs are read by 'scent browse import'");
    status = browsing_event_read(&reader->arena, value, &event, err);
    if (status == SCENT_OK)
        status = explain_failure(add_event(reader->browsing, &event), err);
    json_free(value);
    return status;
}

/* ---- lists ---- */

static scent_status list_url(struct reader *reader, struct str text, struct str *out, struct errmsg *err)
{
    scent_status status = browsing_href(&reader->arena, text, out);

    if (status == SCENT_OK || status == SCENT_E_NOMEM)
        return explain_failure(status, err);
    return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' is not a URL of http or https, or too long; a list has one a line",
                       text.len < 200 ? (int)text.len : 200, text.p ? text.p : "");
}

static scent_status take_listed(struct reader *reader, struct str line, struct errmsg *err)
{
    struct browsing_event event = {.kind = BROWSING_VISIT};
    struct str url, from = line;

    str_split(&from, '\t', &url);
    SCENT_TRY(list_url(reader, str_trim(url), &event.url, err));
    if (str_trim(from).len)
        SCENT_TRY(list_url(reader, str_trim(from), &event.from, err));
    return explain_failure(add_event(reader->browsing, &event), err);
}

static scent_status take_mark(struct reader *reader, struct str line, struct errmsg *err)
{
    struct browsing_event event = {.kind = BROWSING_USEFUL};

    SCENT_TRY(list_url(reader, str_trim(line), &event.url, err));
    return explain_failure(add_event(reader->browsing, &event), err);
}

/* ---- files ---- */

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
        if (!logline_counts(line))
            continue;
        arena_reset(&reader->arena);
        status = take(reader, line, err);
        logsource_used(source);
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
        status = errmsg_fail(err, SCENT_E_FORMAT, "%s: the data is damaged or cut off", path);
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

        SCENT_TRY(browsing_add_visit(browsing, trace_url(trace, access->page), access->time,
                                     goes_on ? visit : BROWSING_NONE, &visit));
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
    write_event(&event, out);
}

static void write_mark(const struct browsing *browsing, uint32_t page, struct buf *out)
{
    if (browsing_is_useful(browsing, page))
        write_event(&(struct browsing_event){.kind = BROWSING_USEFUL, .url = browsing_url(browsing, page),
                                             .time = browsing_marked_at(browsing, page)}, out);
}

enum { PIECE = 1 << 20 };

/* How far a browsing is written. */
struct progress {
    const struct browsing *browsing;
    struct browsing_size size;
    bool begun;
    uint32_t visits, pages;
};

static scent_status write_piece(void *ctx, struct buf *out)
{
    struct progress *progress = ctx;
    size_t end = out->len + PIECE;

    if (!progress->begun)
        write_event(&(struct browsing_event){.kind = BROWSING_FORMAT}, out);
    progress->begun = true;
    while (progress->visits < progress->size.visits && out->len < end)
        write_visit(progress->browsing, progress->visits++, out);
    while (progress->pages < progress->size.pages && out->len < end)
        write_mark(progress->browsing, progress->pages++, out);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
}

scent_status browsing_write(const struct browsing *browsing, struct buf *out)
{
    struct progress progress = {.browsing = browsing, .size = browsing_size(browsing)};
    size_t before;

    do {
        before = out->len;
        SCENT_TRY(write_piece(&progress, out));
    } while (out->len > before);
    return SCENT_OK;
}

scent_status browsing_save(const struct browsing *browsing, const char *path, struct errmsg *err)
{
    struct progress progress = {.browsing = browsing, .size = browsing_size(browsing)};

    return file_replace_pieces(path, write_piece, &progress, err);
}

/* ---- recording: lines are appended and synced before they are answered for; a failed attempt is cut off again ---- */

#define FILE_MAX ((size_t)1 << 30)

struct recording {
    char *path;
    int fd;
    off_t end; /* of what is good */
    struct buf lines;
    struct recording_counts counts;
};

static scent_status fail(const struct recording *recording, const char *what, struct errmsg *err)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, recording->path, strerror(code));
}

static scent_status write_all(struct recording *recording, struct str bytes, struct errmsg *err)
{
    size_t done = 0;

    while (done < bytes.len) {
        ssize_t n = pwrite(recording->fd, bytes.p + done, bytes.len - done, recording->end + (off_t)done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(recording, "write to", err);
        done += (size_t)n;
    }
    return fdatasync(recording->fd) == 0 ? SCENT_OK : fail(recording, "sync", err);
}

/* What was written of a failed attempt is taken back, so that the next line does not begin inside it. */
static scent_status append_lines(struct recording *recording, struct str bytes, struct errmsg *err)
{
    scent_status status;

    if ((size_t)recording->end + bytes.len > FILE_MAX)
        return errmsg_fail(err, SCENT_E_FULL, "%s has 1 GiB; go on in another file", recording->path);
    status = write_all(recording, bytes, err);
    if (status == SCENT_OK)
        recording->end += (off_t)bytes.len;
    else if (ftruncate(recording->fd, recording->end) != 0)
        return fail(recording, "cut", err);
    return status;
}

scent_status recording_add(struct recording *recording, const struct browsing_event *events, size_t count,
                           struct errmsg *err)
{
    scent_status status;

    buf_clear(&recording->lines);
    for (size_t i = 0; i < count; i++)
        write_event(&events[i], &recording->lines);
    if (recording->lines.failed) {
        recording->lines.failed = false;
        return errmsg_fail(err, SCENT_E_NOMEM, "there is no memory for so many events");
    }
    status = append_lines(recording, buf_str(&recording->lines), err);
    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        recording->counts.visits += events[i].kind == BROWSING_VISIT;
        recording->counts.useful += events[i].kind == BROWSING_USEFUL;
        recording->counts.useful -= events[i].kind == BROWSING_NOT_USEFUL && recording->counts.useful > 0;
    }
    return status;
}

struct recording_counts recording_counts(const struct recording *recording)
{
    return recording->counts;
}

/* ---- opening ---- */

/* The last line is whole when a line break ends it, or when it is a good line that only lacks one. `tail` is the end of
 * the file, and holds all of that line. */
static scent_status mend_end(struct recording *recording, struct str tail, const struct log *log, struct errmsg *err)
{
    size_t good = tail.len;

    while (good && tail.p[good - 1] != '\n')
        good--;
    if (good == tail.len)
        return SCENT_OK;
    if (str_ends(str_trim(tail), STR("}")))
        return append_lines(recording, STR("\n"), err);
    log_line(log, LOG_WARN, "%s: the last line was cut off and is removed", recording->path);
    recording->end -= (off_t)(tail.len - good);
    return ftruncate(recording->fd, recording->end) == 0 ? SCENT_OK : fail(recording, "cut", err);
}

/* The folder is synced too, so that a new file survives a crash. */
static scent_status begin_file(struct recording *recording, struct errmsg *err)
{
    scent_status status;
    char *copy;

    buf_clear(&recording->lines);
    write_event(&(struct browsing_event){.kind = BROWSING_FORMAT}, &recording->lines);
    status = append_lines(recording, buf_str(&recording->lines), err);
    if (status != SCENT_OK)
        return status;
    copy = str_dup(str_of(recording->path));
    SCENT_BUG_IF(!copy);
    status = file_sync_dir(dirname(copy), err);
    free(copy);
    return status;
}

/* It must be a browsing file before we add to it. */
static scent_status go_on(struct recording *recording, off_t size, const struct log *log, struct errmsg *err)
{
    const char *path = recording->path;
    size_t length = size < LOGSOURCE_LINE_MAX + 1 ? (size_t)size : LOGSOURCE_LINE_MAX + 1;
    struct browsing *browsing;
    char magic[2] = {0}, *tail;
    scent_status status = browsing_load(&path, 1, log, &browsing, err);

    browsing_free(browsing);
    if (status != SCENT_OK)
        return status;
    if (pread(recording->fd, magic, sizeof magic, 0) >= 0 && memcmp(magic, "\x1f\x8b", sizeof magic) == 0)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is compressed; unpack it, or record into another file", path);
    tail = malloc(length);
    SCENT_BUG_IF(!tail);
    recording->end = size;
    if (pread(recording->fd, tail, length, size - (off_t)length) == (ssize_t)length)
        status = mend_end(recording, (struct str){tail, length}, log, err);
    else
        status = fail(recording, "read", err);
    free(tail);
    return status;
}

static scent_status take_file(struct recording *recording, const struct log *log, struct errmsg *err)
{
    struct stat about;

    recording->fd = open(recording->path, O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
    if (recording->fd < 0)
        return fail(recording, "open", err);
    if (flock(recording->fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK ? fail(recording, "lock", err)
                                    : errmsg_fail(err, SCENT_E_LOCKED, "another 'scent browse record' writes to %s; "
                                                  "give another file", recording->path);
    if (fstat(recording->fd, &about) != 0)
        return fail(recording, "look at", err);
    if (!S_ISREG(about.st_mode))
        return errmsg_fail(err, SCENT_E_INVALID, "%s is not a regular file", recording->path);
    return about.st_size ? go_on(recording, about.st_size, log, err) : begin_file(recording, err);
}

scent_status recording_open(const char *path, const struct log *log, struct recording **out, struct errmsg *err)
{
    struct recording *recording = calloc(1, sizeof *recording);
    scent_status status;

    SCENT_BUG_IF(!recording);
    recording->path = str_dup(str_of(path));
    SCENT_BUG_IF(!recording->path);
    buf_init(&recording->lines, 0);
    status = take_file(recording, log, err);
    *out = status == SCENT_OK ? recording : NULL;
    if (status != SCENT_OK)
        recording_close(recording);
    return status;
}

void recording_close(struct recording *recording)
{
    if (!recording)
        return;
    if (recording->fd >= 0)
        close(recording->fd);
    buf_release(&recording->lines);
    free(recording->path);
    free(recording);
}
