/* A trace in memory and as bytes; trace_import.c makes it. */
#include "trace/trace.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/hash.h"
#include "trace/logline.h"
#include "trace/trace_parts.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- words for reasons ---- */

static const struct {
    const char *name, *text;
} reasons[TRACE_LEFT_REASONS] = {
    [TRACE_LEFT_BINARY] = {"binary", "binary data"},
    [TRACE_LEFT_LONG] = {"long", "lines longer than 64 KiB"},
    [TRACE_LEFT_COLUMNS] = {"columns", "lines with wrong columns, or cut off"},
    [TRACE_LEFT_TIME] = {"time", "no date, or not between 1970 and 2100"},
    [TRACE_LEFT_URL] = {"url", "no URL of http or https"},
    [TRACE_LEFT_URL_LONG] = {"url_long", "URLs that are too long"},
    [TRACE_LEFT_SITE] = {"site", "paths without their site (give it with --base)"},
    [TRACE_LEFT_METHOD] = {"method", "not GET"},
    [TRACE_LEFT_STATUS] = {"status", "redirects, errors and answers that broke off"},
    [TRACE_LEFT_TYPE] = {"type", "images, styles, scripts and other things that are not pages"},
    [TRACE_LEFT_BOT] = {"bot", "programs: by their user agent, or readers of robots.txt"},
    [TRACE_LEFT_FULL] = {"full", "beyond the memory that was allowed (see --memory): the import ended there"},
};

const char *trace_left_name(enum trace_left reason)
{
    return reasons[reason].name;
}

const char *trace_left_text(enum trace_left reason)
{
    return reasons[reason].text;
}

/* ---- a trace in memory ---- */

struct trace *trace_parts_new(void)
{
    struct trace *trace = calloc(1, sizeof *trace);

    SCENT_BUG_IF(!trace);
    names_init(&trace->users, 0);
    names_init(&trace->pages, 0);
    return trace;
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    names_release(&trace->users);
    names_release(&trace->pages);
    free(trace->accesses);
    free(trace->user_first);
    free(trace->page_first);
    free(trace->by_page);
    free(trace);
}

int trace_parts_order(const struct trace_access *a, const struct trace_access *b)
{
    if (a->user != b->user)
        return a->user < b->user ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->page < b->page ? -1 : a->page > b->page;
}

static void number_sessions(struct trace *trace)
{
    struct trace_access *all = trace->accesses;

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        bool goes_on = i && all[i].user == all[i - 1].user && all[i].time - all[i - 1].time <= trace->idle;

        trace->nsessions += !goes_on;
        all[i].session = trace->nsessions - 1;
    }
}

/* first[k + 1] holds how many there are of k; becomes where those of k begin. */
static void add_up(uint32_t *first, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        first[k + 1] += first[k];
}

scent_status trace_parts_index(struct trace *trace)
{
    uint32_t npages = trace->pages.count;

    trace->user_first = calloc((size_t)trace->users.count + 1, sizeof *trace->user_first);
    trace->page_first = calloc((size_t)npages + 1, sizeof *trace->page_first);
    trace->by_page = calloc((size_t)trace->naccesses + 1, sizeof *trace->by_page);
    if (!trace->user_first || !trace->page_first || !trace->by_page)
        return SCENT_E_NOMEM;
    number_sessions(trace);
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        trace->user_first[trace->accesses[i].user + 1]++;
        trace->page_first[trace->accesses[i].page + 1]++;
    }
    add_up(trace->user_first, trace->users.count);
    add_up(trace->page_first, npages);
    for (uint32_t i = 0; i < trace->naccesses; i++)
        trace->by_page[trace->page_first[trace->accesses[i].page]++] = i;
    /* Each has moved on to where the next one begins. */
    memmove(trace->page_first + 1, trace->page_first, npages * sizeof *trace->page_first);
    trace->page_first[0] = 0;
    return SCENT_OK;
}

struct trace_size trace_size(const struct trace *trace)
{
    struct trace_size size = {
        .users = trace->users.count, .pages = trace->pages.count, .accesses = trace->naccesses,
        .sessions = trace->nsessions, .idle = trace->idle, .keep_users = trace->keep_users,
    };

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        int64_t time = trace->accesses[i].time;

        size.first = i == 0 || time < size.first ? time : size.first;
        size.last = time > size.last ? time : size.last;
    }
    return size;
}

const struct trace_counts *trace_counts(const struct trace *trace)
{
    return &trace->counts;
}

static uint64_t hash_names(const struct names *names, uint64_t seed)
{
    for (uint32_t i = 0; i < names->count; i++)
        seed = hash_str(names_at(names, i), seed);
    return seed;
}

uint64_t trace_fingerprint(const struct trace *trace)
{
    uint64_t print = hash_names(&trace->pages, hash_names(&trace->users, (uint64_t)trace->idle));

    for (uint32_t i = 0; i < trace->naccesses; i++) {
        const struct trace_access *access = &trace->accesses[i];
        const uint64_t fields[] = {(uint64_t)access->time, (uint64_t)access->user << 32 | access->page};

        print = hash_bytes(fields, sizeof fields, print);
    }
    return print;
}

struct str trace_url(const struct trace *trace, uint32_t page)
{
    return names_at(&trace->pages, page);
}

struct str trace_user_name(const struct trace *trace, uint32_t user)
{
    return names_at(&trace->users, user);
}

bool trace_find_page(const struct trace *trace, struct str href, uint32_t *page)
{
    return names_search(&trace->pages, href, page);
}

const struct trace_access *trace_at(const struct trace *trace, uint32_t position)
{
    SCENT_BUG_IF(position >= trace->naccesses);
    return &trace->accesses[position];
}

struct trace_range trace_of_user(const struct trace *trace, uint32_t user)
{
    SCENT_BUG_IF(user >= trace->users.count);
    return (struct trace_range){trace->user_first[user], trace->user_first[user + 1]};
}

const uint32_t *trace_of_page(const struct trace *trace, uint32_t page, uint32_t *count)
{
    SCENT_BUG_IF(page >= trace->pages.count);
    *count = trace->page_first[page + 1] - trace->page_first[page];
    return trace->by_page + trace->page_first[page];
}

struct trace_range trace_around(const struct trace *trace, uint32_t position, uint32_t before, uint32_t after)
{
    uint32_t session = trace_at(trace, position)->session;
    struct trace_range range = {position, position + 1};

    while (before-- && range.begin > 0 && trace->accesses[range.begin - 1].session == session)
        range.begin--;
    while (after-- && range.end < trace->naccesses && trace->accesses[range.end].session == session)
        range.end++;
    return range;
}

/* ---- a trace as bytes, the same on every machine: little-endian, fixed layout, checksum at its end
 * (docs/internals/formats.md) ---- */

enum { ACCESS = 16, NAME_MIN = 2 };
#define FILE_CAP ((size_t)1 << 32)
static const struct frame frame = {
    .magic = "scenttrc",
    .version = 1,
    .seed = 0x747263,
    .thing = "trace",
    .foreign = "make one of a log with `scent trace import`",
    .again = "import the logs again with `scent trace import`",
};

/* ---- writing ---- */

static void put_counts(struct buf *out, const struct trace_counts *counts)
{
    bytes_put(out, counts->files, 8);
    bytes_put(out, counts->lines, 8);
    bytes_put(out, counts->backwards, 8);
    bytes_put(out, counts->unknown, 8);
    bytes_put(out, counts->damaged, 8);
    bytes_put(out, TRACE_LEFT_REASONS, 8);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        bytes_put(out, counts->left[i], 8);
}

static void put_names(struct buf *out, const struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        bytes_put_str(out, names_at(names, i), 2);
}

scent_status trace_write(const struct trace *trace, struct buf *out)
{
    size_t begin = frame_begin(&frame, out);

    bytes_put(out, trace->keep_users, 4);
    bytes_put(out, (uint64_t)trace->idle, 8);
    put_counts(out, &trace->counts);
    bytes_put(out, trace->users.count, 4);
    bytes_put(out, trace->pages.count, 4);
    bytes_put(out, trace->naccesses, 4);
    put_names(out, &trace->users);
    put_names(out, &trace->pages);
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        bytes_put(out, (uint64_t)trace->accesses[i].time, 8);
        bytes_put(out, trace->accesses[i].user, 4);
        bytes_put(out, trace->accesses[i].page, 4);
    }
    return frame_end(&frame, out, begin);
}

scent_status trace_save(const struct trace *trace, const char *path, struct errmsg *err)
{
    scent_status status;
    struct buf out;

    buf_init(&out, FILE_CAP);
    status = trace_write(trace, &out);
    if (status != SCENT_OK)
        errmsg_fail(err, status, "%s: there is no memory to write the trace", path);
    else
        status = file_replace_private(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading: the checksum finds damage, not malice, so every number is checked for what it is used for ---- */

static void get_counts(struct bytes *in, struct trace_counts *counts)
{
    counts->files = bytes_get(in, 8);
    counts->lines = bytes_get(in, 8);
    counts->backwards = bytes_get(in, 8);
    counts->unknown = bytes_get(in, 8);
    counts->damaged = bytes_get(in, 8);
    bytes_check(in, bytes_get(in, 8) == TRACE_LEFT_REASONS, "its reasons are unknown");
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        counts->left[i] = bytes_get(in, 8);
}

static void get_names(struct bytes *in, struct names *names, uint32_t count, size_t max)
{
    bytes_has(in, count, NAME_MIN);
    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct str name = bytes_get_str(in, 2, max);

        if (bytes_check(in, i == 0 || str_cmp(names_at(names, i - 1), name) < 0, "its names are not sorted"))
            bytes_check(in, names_append(names, name) == SCENT_OK, "there is no memory for it");
    }
}

static void get_accesses(struct bytes *in, struct trace *trace, uint32_t count)
{
    if (!bytes_has(in, count, ACCESS) || !bytes_check(in, count <= TRACE_ACCESSES_MAX, "it has too many accesses"))
        return;
    trace->accesses = calloc((size_t)count + 1, sizeof *trace->accesses);
    if (!bytes_check(in, trace->accesses != NULL, "there is no memory for it"))
        return;
    trace->naccesses = count;
    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct trace_access *access = &trace->accesses[i];

        access->time = (int64_t)bytes_get(in, 8);
        access->user = (uint32_t)bytes_get(in, 4);
        access->page = (uint32_t)bytes_get(in, 4);
        bytes_check(in, access->time >= 0 && access->user < trace->users.count && access->page < trace->pages.count,
                    "an access is out of range");
        bytes_check(in, i == 0 || trace_parts_order(access - 1, access) <= 0, "its accesses are not sorted");
    }
}

static void get_trace(struct bytes *in, struct trace *trace)
{
    uint64_t keep_users = bytes_get(in, 4);
    uint32_t nusers, npages, naccesses;

    trace->keep_users = keep_users == 1;
    trace->idle = (int64_t)bytes_get(in, 8);
    bytes_check(in, keep_users <= 1 && trace->idle >= 0, "its options are out of range");
    get_counts(in, &trace->counts);
    nusers = (uint32_t)bytes_get(in, 4);
    npages = (uint32_t)bytes_get(in, 4);
    naccesses = (uint32_t)bytes_get(in, 4);
    get_names(in, &trace->users, nusers, LOGLINE_USER_MAX);
    get_names(in, &trace->pages, npages, SCENT_URL_MAX);
    if (!in->wrong)
        get_accesses(in, trace, naccesses);
    bytes_check(in, in->wrong || trace_parts_index(trace) == SCENT_OK, "there is no memory for it");
}

scent_status trace_read(struct str bytes, const char *name, struct trace **out, struct errmsg *err)
{
    struct bytes in;
    scent_status status = frame_open(&frame, bytes, name, &in, err);
    struct trace *trace;

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    trace = trace_parts_new();
    get_trace(&in, trace);
    status = frame_close(&frame, &in, name, err);
    if (status == SCENT_OK)
        *out = trace;
    else
        trace_free(trace);
    return status;
}

scent_status trace_load(const char *path, struct trace **out, struct errmsg *err)
{
    scent_status status;
    struct buf bytes;

    *out = NULL;
    buf_init(&bytes, FILE_CAP);
    status = frame_load(&frame, path, &bytes, err);
    if (status == SCENT_OK)
        status = trace_read(buf_str(&bytes), path, out, err);
    buf_release(&bytes);
    return status;
}

bool trace_is_saved(const char *path)
{
    char head[FRAME_MAGIC];
    bool is;
    int fd;

    if (file_open(path, FILE_REGULAR, &fd, NULL) != SCENT_OK)
        return false;
    is = read(fd, head, sizeof head) == sizeof head && memcmp(head, frame.magic, sizeof head) == 0;
    close(fd);
    return is;
}
