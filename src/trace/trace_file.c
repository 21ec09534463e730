/* A trace as bytes, the same on every machine: little-endian, fixed layout, checksum at its end (docs/formats.md). */
#include "base/file.h"
#include "base/frame.h"
#include "trace/logline.h"
#include "trace/trace_parts.h"
#include "url/url.h"

#include <stdio.h>
#include <stdlib.h>

enum { ACCESS = 16, NAME_MIN = 2 };
#define FILE_CAP ((size_t)1 << 35)
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
    status = file_read(path, &bytes, err);
    if (status == SCENT_OK)
        status = trace_read(buf_str(&bytes), path, out, err);
    buf_release(&bytes);
    return status;
}

bool trace_is_saved(const char *path)
{
    char head[FRAME_MAGIC];
    FILE *file = fopen(path, "rb");
    bool is = file && fread(head, 1, sizeof head, file) == sizeof head &&
              memcmp(head, frame.magic, sizeof head) == 0;

    if (file)
        fclose(file);
    return is;
}
