/* A trace as bytes, the same on every machine: little-endian, fixed layout, checksum at its end (docs/formats.md). */
#include "base/file.h"
#include "base/hash.h"
#include "trace/logline.h"
#include "trace/trace_parts.h"
#include "url/url.h"

#include <stdlib.h>

static const char magic[8] = {'s', 'c', 'e', 'n', 't', 't', 'r', 'c'};
enum { VERSION = 1, CHECKSUM = 8, ACCESS = 16, NAME_MIN = 2 };
enum { CHECKSUM_SEED = 0x747263 };
#define FILE_CAP ((size_t)1 << 35)
#define IMPORT_AGAIN "import the logs again with `scent trace import`"

/* ---- writing ---- */

static void put(struct buf *out, uint64_t value, int bytes)
{
    char room[8];

    for (int i = 0; i < bytes; i++)
        room[i] = (char)(value >> (8 * i));
    buf_add(out, (struct str){room, (size_t)bytes});
}

static void put_counts(struct buf *out, const struct trace_counts *counts)
{
    put(out, counts->files, 8);
    put(out, counts->lines, 8);
    put(out, counts->backwards, 8);
    put(out, counts->unknown, 8);
    put(out, counts->damaged, 8);
    put(out, TRACE_LEFT_REASONS, 8);
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        put(out, counts->left[i], 8);
}

static void put_names(struct buf *out, const struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        struct str name = names_at(names, i);

        put(out, name.len, 2);
        buf_add(out, name);
    }
}

scent_status trace_write(const struct trace *trace, struct buf *out)
{
    size_t begin = out->len;

    buf_add(out, (struct str){magic, sizeof magic});
    put(out, VERSION, 4);
    put(out, trace->keep_users, 4);
    put(out, (uint64_t)trace->idle, 8);
    put_counts(out, &trace->counts);
    put(out, trace->users.count, 4);
    put(out, trace->pages.count, 4);
    put(out, trace->naccesses, 4);
    put_names(out, &trace->users);
    put_names(out, &trace->pages);
    for (uint32_t i = 0; i < trace->naccesses; i++) {
        put(out, (uint64_t)trace->accesses[i].time, 8);
        put(out, trace->accesses[i].user, 4);
        put(out, trace->accesses[i].page, 4);
    }
    if (!out->failed)
        put(out, hash_bytes(out->p + begin, out->len - begin, CHECKSUM_SEED), CHECKSUM);
    return out->failed ? SCENT_E_NOMEM : SCENT_OK;
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
        status = file_replace(path, buf_str(&out), err);
    buf_release(&out);
    return status;
}

/* ---- reading: the checksum finds damage, not malice, so every number is checked for what it is used for ---- */

struct source {
    const unsigned char *p, *end;
    const char *wrong; /* the first thing that was; NULL: all well so far */
};

static bool check(struct source *in, bool holds, const char *wrong)
{
    if (!holds && !in->wrong)
        in->wrong = wrong;
    return holds && !in->wrong;
}

static uint64_t get(struct source *in, int bytes)
{
    uint64_t value = 0;

    if (!check(in, in->end - in->p >= bytes, "it is shorter than it says"))
        return 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)in->p[i] << (8 * i);
    in->p += bytes;
    return value;
}

static void get_counts(struct source *in, struct trace_counts *counts)
{
    counts->files = get(in, 8);
    counts->lines = get(in, 8);
    counts->backwards = get(in, 8);
    counts->unknown = get(in, 8);
    counts->damaged = get(in, 8);
    check(in, get(in, 8) == TRACE_LEFT_REASONS, "its reasons are unknown");
    for (int i = 0; i < TRACE_LEFT_REASONS; i++)
        counts->left[i] = get(in, 8);
}

static void get_names(struct source *in, struct names *names, uint32_t count, size_t max)
{
    check(in, count <= (size_t)(in->end - in->p) / NAME_MIN, "it is shorter than it says");
    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        size_t len = get(in, 2);
        struct str name = {(const char *)in->p, len};

        if (!check(in, len <= max && len <= (size_t)(in->end - in->p), "a name is longer than it may be") ||
            !check(in, i == 0 || str_cmp(names_at(names, i - 1), name) < 0, "its names are not sorted"))
            return;
        check(in, names_append(names, name) == SCENT_OK, "there is no memory for it");
        in->p += len;
    }
}

static void get_accesses(struct source *in, struct trace *trace, uint32_t count)
{
    if (!check(in, count <= (size_t)(in->end - in->p) / ACCESS && count <= TRACE_ACCESSES_MAX,
               "it is shorter than it says"))
        return;
    trace->accesses = calloc((size_t)count + 1, sizeof *trace->accesses);
    if (!check(in, trace->accesses != NULL, "there is no memory for it"))
        return;
    trace->naccesses = count;
    for (uint32_t i = 0; i < count && !in->wrong; i++) {
        struct trace_access *access = &trace->accesses[i];

        access->time = (int64_t)get(in, 8);
        access->user = (uint32_t)get(in, 4);
        access->page = (uint32_t)get(in, 4);
        check(in, access->time >= 0 && access->user < trace->users.count && access->page < trace->pages.count,
              "an access is out of range");
        check(in, i == 0 || trace_parts_order(access - 1, access) <= 0, "its accesses are not sorted");
    }
}

static void get_trace(struct source *in, struct trace *trace)
{
    uint64_t keep_users = get(in, 4);
    uint32_t nusers, npages, naccesses;

    trace->keep_users = keep_users == 1;
    trace->idle = (int64_t)get(in, 8);
    check(in, keep_users <= 1 && trace->idle >= 0, "its options are out of range");
    get_counts(in, &trace->counts);
    nusers = (uint32_t)get(in, 4);
    npages = (uint32_t)get(in, 4);
    naccesses = (uint32_t)get(in, 4);
    get_names(in, &trace->users, nusers, LOGLINE_USER_MAX);
    get_names(in, &trace->pages, npages, SCENT_URL_MAX);
    if (!in->wrong)
        get_accesses(in, trace, naccesses);
    check(in, in->p == in->end, "it is longer than it says");
    check(in, in->wrong || trace_parts_index(trace) == SCENT_OK, "there is no memory for it");
}

/* Is it a trace of ours, of this version, and whole? */
static scent_status check_frame(struct source *in, const char *name, struct errmsg *err)
{
    size_t len = (size_t)(in->end - in->p);
    uint64_t version;

    if (len < sizeof magic || memcmp(in->p, magic, sizeof magic) != 0)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: this is not a trace of scent; make one of a log with "
                           "`scent trace import`", name);
    in->p += sizeof magic;
    version = get(in, 4);
    if (!in->wrong && version != VERSION)
        return errmsg_fail(err, SCENT_E_VERSION, "%s: the trace has version %llu, this program reads version %d; "
                           IMPORT_AGAIN, name, (unsigned long long)version, VERSION);
    if (in->wrong || in->end - in->p < CHECKSUM)
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the trace is cut off after %zu bytes; " IMPORT_AGAIN, name, len);
    struct source tail = {in->end - CHECKSUM, in->end, NULL};
    if (get(&tail, CHECKSUM) != hash_bytes(in->end - len, len - CHECKSUM, CHECKSUM_SEED))
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the trace is damaged or cut off (its checksum is wrong); "
                           IMPORT_AGAIN, name);
    in->end -= CHECKSUM;
    return SCENT_OK;
}

scent_status trace_read(struct str bytes, const char *name, struct trace **out, struct errmsg *err)
{
    struct source in = {(const unsigned char *)bytes.p, (const unsigned char *)bytes.p + bytes.len, NULL};
    scent_status status = check_frame(&in, name, err);
    struct trace *trace;

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    trace = trace_parts_new();
    get_trace(&in, trace);
    if (in.wrong) {
        trace_free(trace);
        return errmsg_fail(err, SCENT_E_FORMAT, "%s: the trace cannot be used: %s; " IMPORT_AGAIN, name, in.wrong);
    }
    *out = trace;
    return SCENT_OK;
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
