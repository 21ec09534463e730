/* Two windows: raw bytes of the file, and the bytes unpacked from them. A short gzip member is unpacked in one call. */
#include "warc/warc_parts.h"

#include "base/buf.h"
#include "base/file.h"
#include "http/http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    RAW_ROOM = 1024 * 1024, /* a member that is longer than this is unpacked piece by piece */
    STEP = 256 * 1024,      /* of unpacked bytes */
    GZIP_HEADER = 10
};

enum member_state { MEMBER_NONE, MEMBER_OPEN, MEMBER_OVER, MEMBER_BAD, MEMBER_CUT };

struct source {
    char *path;
    int fd; /* -1: memory */
    /* A window of the file as it is: raw[raw_pos, raw_len) is unread, raw[0] lies at raw_offset. */
    const char *raw;
    char *block; /* what `raw` points to, for a file */
    size_t raw_pos, raw_len;
    uint64_t raw_offset;
    bool raw_end; /* nothing lies behind the window */
    uint64_t file_size;

    bool gzip;
    enum member_state member;
    uint64_t member_offset;
    struct http_inflater *inflater; /* made when it is first needed */

    struct buf data; /* unpacked; data.p[pos, data.len) is unread */
    size_t pos;
    uint64_t inner; /* of data.p[data.len]: unpacked bytes of this member so far */
};

/* ---- the file ---- */

static size_t raw_unread(const struct source *source)
{
    return source->raw_len - source->raw_pos;
}

static scent_status read_more(struct source *source, struct errmsg *err)
{
    uint64_t at = source->raw_offset + source->raw_len;
    ssize_t got;

    do
        got = pread(source->fd, source->block + source->raw_len, RAW_ROOM - source->raw_len, (off_t)at);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errmsg_fail(err, SCENT_E_IO, "cannot read %s: %s", source->path, strerror(errno));
    source->raw_len += (size_t)got;
    source->raw_end = got == 0;
    return SCENT_OK;
}

/* At least `want` unread bytes of the file, unless it ends before. */
static scent_status raw_fill(struct source *source, size_t want, struct errmsg *err)
{
    SCENT_BUG_IF(want > RAW_ROOM);
    while (raw_unread(source) < want && !source->raw_end) {
        memmove(source->block, source->block + source->raw_pos, raw_unread(source));
        source->raw_offset += source->raw_pos;
        source->raw_len -= source->raw_pos;
        source->raw_pos = 0;
        SCENT_TRY(read_more(source, err));
    }
    return SCENT_OK;
}

static struct str raw_bytes(const struct source *source)
{
    return (struct str){source->raw + source->raw_pos, raw_unread(source)};
}

uint64_t source_file_offset(const struct source *source)
{
    return source->raw_offset + source->raw_pos;
}

static void raw_seek(struct source *source, uint64_t offset)
{
    bool memory = source->fd < 0;

    if (offset >= source->raw_offset && offset <= source->raw_offset + source->raw_len) {
        source->raw_pos = (size_t)(offset - source->raw_offset);
        return;
    }
    source->raw_pos = memory ? source->raw_len : 0; /* outside of memory: at its end */
    if (memory)
        return;
    source->raw_offset = offset;
    source->raw_len = 0;
    source->raw_end = false;
}

/* ---- unpacking ---- */

static bool is_gzip_header(struct str s)
{
    return s.len >= 3 && s.p[0] == '\x1f' && s.p[1] == '\x8b' && s.p[2] == 8;
}

/* Drops what was read, so that the window does not grow with the file. */
static void compact(struct source *source)
{
    if (source->pos == 0)
        return;
    memmove(source->data.p, source->data.p + source->pos, source->data.len - source->pos);
    source->data.len -= source->pos;
    source->pos = 0;
}

static bool unpack_whole(struct source *source)
{
    size_t before = source->data.len, used;

    if (!http_gunzip_fast(raw_bytes(source), &source->data, &used))
        return false;
    source->raw_pos += used;
    source->inner = source->data.len - before;
    source->member = MEMBER_OVER;
    return true;
}

/* Most members are short: they are unpacked in one go. */
static scent_status begin_member(struct source *source, struct errmsg *err)
{
    scent_status status;

    SCENT_TRY(raw_fill(source, GZIP_HEADER, err));
    source->member_offset = source_file_offset(source);
    source->inner = 0;
    source->member = MEMBER_OPEN;
    compact(source);
    if (!source->gzip)
        return SCENT_OK;
    if (!is_gzip_header(raw_bytes(source))) {
        source->member = MEMBER_BAD;
        return SCENT_OK;
    }
    if (unpack_whole(source))
        return SCENT_OK;
    status = raw_fill(source, RAW_ROOM, err);
    if (status != SCENT_OK || unpack_whole(source))
        return status;
    if (!source->inflater)
        source->inflater = http_inflater_new();
    http_inflater_reset(source->inflater);
    return SCENT_OK;
}

static scent_status unpack_step(struct source *source, struct errmsg *err)
{
    size_t before = source->data.len, used;
    enum http_step step;
    scent_status status = http_inflater_feed(source->inflater, raw_bytes(source), STEP, &source->data, &used, &step);

    if (status != SCENT_OK)
        return errmsg_fail(err, status, "no memory to unpack %s", source->path);
    source->raw_pos += used;
    source->inner += source->data.len - before;
    if (step == HTTP_STEP_DONE)
        source->member = MEMBER_OVER;
    else if (step == HTTP_STEP_BAD)
        source->member = MEMBER_BAD;
    else if (step == HTTP_STEP_INPUT && source->raw_end && raw_unread(source) == 0)
        source->member = MEMBER_CUT;
    return SCENT_OK;
}

static scent_status copy_step(struct source *source, struct errmsg *err)
{
    struct str bytes = raw_bytes(source);

    if (bytes.len > STEP)
        bytes.len = STEP;
    if (!buf_add(&source->data, bytes))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory to read %s", source->path);
    source->raw_pos += bytes.len;
    source->inner += bytes.len;
    if (bytes.len == 0)
        source->member = MEMBER_OVER;
    return SCENT_OK;
}

static scent_status unpack_more(struct source *source, struct errmsg *err)
{
    SCENT_TRY(raw_fill(source, 1, err));
    return source->gzip ? unpack_step(source, err) : copy_step(source, err);
}

static scent_status why_it_stopped(struct source *source, enum source_stop *stop, struct errmsg *err)
{
    scent_status status;

    if (source->member == MEMBER_BAD || source->member == MEMBER_CUT) {
        *stop = source->member == MEMBER_BAD ? SOURCE_DAMAGED : SOURCE_CUT;
        return SCENT_OK;
    }
    status = raw_fill(source, 1, err);
    *stop = raw_unread(source) ? SOURCE_MEMBER_END : SOURCE_END;
    return status;
}

scent_status source_peek(struct source *source, size_t want, struct str *bytes, enum source_stop *stop,
                         struct errmsg *err)
{
    scent_status status = SCENT_OK;

    *stop = SOURCE_ENOUGH;
    if (source->data.len - source->pos < want)
        compact(source);
    while (status == SCENT_OK && source->data.len - source->pos < want) {
        if (source->member == MEMBER_NONE) {
            status = begin_member(source, err);
        } else if (source->member == MEMBER_OPEN) {
            status = unpack_more(source, err);
        } else {
            status = why_it_stopped(source, stop, err);
            break;
        }
    }
    *bytes = source->data.len > source->pos ? (struct str){source->data.p + source->pos, source->data.len - source->pos}
                                            : STR("");
    return status;
}

void source_skip(struct source *source, size_t count)
{
    SCENT_BUG_IF(count > source->data.len - source->pos);
    source->pos += count;
}

scent_status source_next_member(struct source *source, struct errmsg *err)
{
    SCENT_BUG_IF(source->member != MEMBER_OVER);
    return begin_member(source, err);
}

/* ---- finding the way again ---- */

/* Moves to the next place at or after the current one that looks like a gzip header; false at the end, and where none
 * comes for so long that a huge file of nothing would be read for minutes. */
static scent_status find_header(struct source *source, bool *found, struct errmsg *err)
{
    const uint64_t begin = source->raw_offset + source->raw_pos;

    for (;;) {
        struct str bytes;
        const char *hit;

        *found = false;
        SCENT_TRY(raw_fill(source, GZIP_HEADER, err));
        bytes = raw_bytes(source);
        if (bytes.len < GZIP_HEADER || source->raw_offset + source->raw_pos - begin > SOURCE_SEARCH_MAX)
            return SCENT_OK;
        if (is_gzip_header(bytes)) {
            *found = true;
            return SCENT_OK;
        }
        hit = memchr(bytes.p + 1, '\x1f', bytes.len - 1);
        source->raw_pos += hit ? (size_t)(hit - bytes.p) : bytes.len;
    }
}

/* The search begins inside the damaged member: where unpacking stumbled may lie far behind its real end. */
scent_status source_resync(struct source *source, struct errmsg *err)
{
    source->data.len = source->pos = 0;
    raw_seek(source, source->member_offset + 1);
    for (;;) {
        struct str bytes;
        enum source_stop stop;
        bool found;

        SCENT_TRY(find_header(source, &found, err));
        if (!found) {
            source->raw_pos = source->raw_len;
            source->member = MEMBER_OVER;
            return SCENT_E_END;
        }
        source->member = MEMBER_NONE;
        SCENT_TRY(source_peek(source, 1, &bytes, &stop, err));
        if (bytes.len)
            return SCENT_OK;
        raw_seek(source, source->member_offset + 1);
    }
}

struct source_mark source_at(const struct source *source)
{
    /* Bytes kept from the member before this one count as its beginning. */
    size_t unread = source->data.len - source->pos;
    uint64_t inner = source->inner > unread ? source->inner - unread : 0;

    if (source->gzip)
        return (struct source_mark){source->member_offset, inner};
    return (struct source_mark){source_file_offset(source) - unread, 0};
}

bool source_is_gzip(const struct source *source)
{
    return source->gzip;
}

bool source_may_hold(const struct source *source, uint64_t count)
{
    uint64_t at = source_file_offset(source) - (source->data.len - source->pos);

    return source->gzip || (at <= source->file_size && count <= source->file_size - at);
}

void source_seek(struct source *source, uint64_t offset)
{
    raw_seek(source, offset);
    source->data.len = source->pos = 0;
    source->member = MEMBER_NONE;
}

void source_set_gzip(struct source *source, bool gzip)
{
    source->gzip = gzip;
    source->member_offset = 0;
    source_seek(source, 0);
}

/* ---- the object ---- */

static struct source *new_source(const char *path, int fd)
{
    struct source *source = calloc(1, sizeof *source);

    SCENT_BUG_IF(!source);
    source->path = strdup(path);
    SCENT_BUG_IF(!source->path);
    source->fd = fd;
    buf_init(&source->data, 0);
    return source;
}

struct source *source_open_memory(struct str data)
{
    struct source *source = new_source("memory", -1);

    source->raw = data.p ? data.p : "";
    source->raw_len = source->file_size = data.len;
    source->raw_end = true;
    source->gzip = is_gzip_header(data);
    return source;
}

scent_status source_open(const char *path, struct source **out, struct errmsg *err)
{
    struct source *source;
    scent_status status;
    struct stat st;
    int fd;

    *out = NULL;
    SCENT_TRY(file_open(path, FILE_REGULAR, &fd, err));
    source = new_source(path, fd);
    source->block = malloc(RAW_ROOM);
    SCENT_BUG_IF(!source->block);
    source->raw = source->block;
    source->file_size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
    status = raw_fill(source, GZIP_HEADER, err);
    if (status != SCENT_OK) {
        source_close(source);
        return status;
    }
    source->gzip = is_gzip_header(raw_bytes(source));
    *out = source;
    return SCENT_OK;
}

void source_close(struct source *source)
{
    if (!source)
        return;
    if (source->fd >= 0)
        close(source->fd);
    http_inflater_free(source->inflater);
    buf_release(&source->data);
    free(source->block);
    free(source->path);
    free(source);
}
