/* Two windows: raw bytes of the file, and the bytes unpacked from them. A short member is unpacked in one call. */
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
    HEADER = 10,            /* what tells a member: more than the header of gzip, or the magic number of zstd, has */
    SKIPPABLE_HEADER = 8,   /* magic number and length of a frame without data: RFC 8878, 3.1.2 */
    RATIO_MAX = 1032        /* gzip cannot unpack to more; zstd can to 30 times as much, which no page does */
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

    enum warc_packing packing;
    struct http_dictionary *dictionary; /* of a zstd file; NULL: none, or it is damaged */
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

static bool is_header(enum warc_packing packing, struct str s)
{
    if (packing == WARC_ZSTD)
        return http_is_zstd_frame(s);
    return packing == WARC_GZIP && s.len >= 3 && s.p[0] == '\x1f' && s.p[1] == '\x8b' && s.p[2] == 8;
}

static enum warc_packing packing_of(struct str start)
{
    if (is_header(WARC_GZIP, start))
        return WARC_GZIP;
    return is_header(WARC_ZSTD, start) || http_is_zstd_skippable(start) ? WARC_ZSTD : WARC_PLAIN;
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

    if (!http_inflater_whole(source->inflater, raw_bytes(source), &source->data, &used))
        return false;
    source->raw_pos += used;
    source->inner = source->data.len - before;
    source->member = MEMBER_OVER;
    return true;
}

/* A frame without data is an empty member. Its length comes from the file. */
static void pass_skippable(struct source *source)
{
    const unsigned char *p = (const unsigned char *)raw_bytes(source).p;
    uint64_t end = source_file_offset(source) + SKIPPABLE_HEADER;

    if (raw_unread(source) < SKIPPABLE_HEADER) {
        source->raw_pos = source->raw_len;
        source->member = MEMBER_CUT;
        return;
    }
    end += (uint64_t)p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;
    source->member = end > source->file_size ? MEMBER_CUT : MEMBER_OVER;
    raw_seek(source, end < source->file_size ? end : source->file_size);
}

/* Most members are short: they are unpacked in one go. */
static scent_status begin_member(struct source *source, struct errmsg *err)
{
    scent_status status;

    SCENT_TRY(raw_fill(source, HEADER, err));
    source->member_offset = source_file_offset(source);
    source->inner = 0;
    source->member = MEMBER_OPEN;
    compact(source);
    if (source->packing == WARC_PLAIN)
        return SCENT_OK;
    if (source->packing == WARC_ZSTD && http_is_zstd_skippable(raw_bytes(source))) {
        pass_skippable(source);
        return SCENT_OK;
    }
    if (!is_header(source->packing, raw_bytes(source))) {
        source->member = MEMBER_BAD;
        return SCENT_OK;
    }
    if (!source->inflater)
        source->inflater =
            source->packing == WARC_ZSTD ? http_inflater_new_zstd(source->dictionary) : http_inflater_new();
    if (unpack_whole(source))
        return SCENT_OK;
    status = raw_fill(source, RAW_ROOM, err);
    if (status != SCENT_OK || unpack_whole(source))
        return status;
    http_inflater_reset(source->inflater);
    return SCENT_OK;
}

/* A member that only unpacks and unpacks would keep us for hours: the rest of a record that is too long is passed. */
static bool is_bomb(const struct source *source)
{
    uint64_t packed = source_file_offset(source) - source->member_offset;

    return source->inner > WARC_BLOCK_MAX && source->inner / RATIO_MAX > packed;
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
    else if (step == HTTP_STEP_BAD || is_bomb(source))
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
    return source->packing == WARC_PLAIN ? copy_step(source, err) : unpack_step(source, err);
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

/* Moves to the next place at or after the current one that looks like the header of a member; false at the end, and
 * where none comes for so long that a huge file of nothing would be read for minutes. */
static scent_status find_header(struct source *source, bool *found, struct errmsg *err)
{
    const uint64_t begin = source->raw_offset + source->raw_pos;
    const char first = source->packing == WARC_ZSTD ? '\x28' : '\x1f';

    for (;;) {
        struct str bytes;
        const char *hit;

        *found = false;
        SCENT_TRY(raw_fill(source, HEADER, err));
        bytes = raw_bytes(source);
        if (bytes.len < HEADER || source->raw_offset + source->raw_pos - begin > SOURCE_SEARCH_MAX)
            return SCENT_OK;
        if (is_header(source->packing, bytes)) {
            *found = true;
            return SCENT_OK;
        }
        hit = memchr(bytes.p + 1, first, bytes.len - 1);
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

    if (source->packing != WARC_PLAIN)
        return (struct source_mark){source->member_offset, inner};
    return (struct source_mark){source_file_offset(source) - unread, 0};
}

struct warc_form source_form(const struct source *source)
{
    return (struct warc_form){source->packing, source->dictionary};
}

bool source_may_hold(const struct source *source, uint64_t count)
{
    uint64_t at = source_file_offset(source) - (source->data.len - source->pos);

    return source->packing != WARC_PLAIN || (at <= source->file_size && count <= source->file_size - at);
}

void source_seek(struct source *source, uint64_t offset)
{
    raw_seek(source, offset);
    source->data.len = source->pos = 0;
    source->member = MEMBER_NONE;
}

void source_set_packing(struct source *source, enum warc_packing packing)
{
    http_inflater_free(source->inflater);
    source->inflater = NULL;
    source->packing = packing;
    source->member_offset = 0;
    source_seek(source, 0);
}

scent_status source_copy(const struct source *source, uint64_t offset, uint64_t length, struct buf *out,
                         struct errmsg *err)
{
    if (length > source->file_size || !buf_reserve(out, (size_t)length))
        return errmsg_fail(err, SCENT_E_NOMEM, "no memory for a record of %s", source->path);
    if (source->fd < 0)
        return buf_add(out, str_sub((struct str){source->raw, source->raw_len}, (size_t)offset,
                                    (size_t)(offset + length)))
                   ? SCENT_OK
                   : SCENT_E_NOMEM;
    while (length) {
        ssize_t got = pread(source->fd, out->p + out->len, (size_t)length, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return errmsg_fail(err, SCENT_E_IO, "cannot read %s: %s", source->path,
                               got ? strerror(errno) : "it is shorter than it was");
        out->len += (size_t)got;
        offset += (uint64_t)got;
        length -= (uint64_t)got;
    }
    return SCENT_OK;
}

/* ---- the dictionary ---- */

/* "Zstandard Compression for WARC Files" 1.0: as it is, or itself a frame. */
static struct http_dictionary *make_dictionary(struct str content)
{
    struct http_dictionary *dictionary;
    struct buf unpacked;
    enum http_end end;

    if (!http_is_zstd_frame(content))
        return http_dictionary_new(content);
    buf_init(&unpacked, HTTP_DICTIONARY_MAX);
    dictionary = http_decode(STR("zstd"), content, &unpacked, &end) == SCENT_OK && end == HTTP_WHOLE
                     ? http_dictionary_new(buf_str(&unpacked))
                     : NULL;
    buf_release(&unpacked);
    return dictionary;
}

/* Where the file begins with one. What cannot be read of it is missed by the members: they count as damaged. */
static scent_status read_dictionary(struct source *source, struct errmsg *err)
{
    struct str start = raw_bytes(source);
    struct buf content;
    scent_status status = SCENT_OK;
    uint64_t end;

    if (!str_starts(start, STR("\x5d\x2a\x4d\x18")))
        return SCENT_OK;
    pass_skippable(source);
    end = source_file_offset(source);
    if (source->member == MEMBER_OVER && end <= SKIPPABLE_HEADER + HTTP_DICTIONARY_MAX) {
        buf_init(&content, 0);
        source_seek(source, SKIPPABLE_HEADER);
        while (status == SCENT_OK && content.len + SKIPPABLE_HEADER < end) {
            struct str piece;

            status = raw_fill(source, 1, err);
            piece = raw_bytes(source);
            if (piece.len > end - SKIPPABLE_HEADER - content.len)
                piece.len = (size_t)(end - SKIPPABLE_HEADER - content.len);
            if (status == SCENT_OK && (piece.len == 0 || !buf_add(&content, piece)))
                status = errmsg_fail(err, SCENT_E_IO, "cannot read the dictionary of %s", source->path);
            source->raw_pos += piece.len;
        }
        source->dictionary = make_dictionary(buf_str(&content));
        buf_release(&content);
    }
    source_seek(source, 0);
    return status;
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

struct source *source_open_memory(struct str data, struct http_dictionary *dictionary)
{
    struct source *source = new_source("memory", -1);

    source->raw = data.p ? data.p : "";
    source->raw_len = source->file_size = data.len;
    source->raw_end = true;
    source->packing = packing_of(data);
    source->dictionary = http_dictionary_keep(dictionary);
    SCENT_BUG_IF(!dictionary && read_dictionary(source, NULL) != SCENT_OK); /* it lies there */
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
    status = raw_fill(source, HEADER, err);
    source->packing = packing_of(raw_bytes(source));
    if (status == SCENT_OK)
        status = read_dictionary(source, err);
    if (status != SCENT_OK) {
        source_close(source);
        return status;
    }
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
    http_dictionary_free(source->dictionary);
    buf_release(&source->data);
    free(source->block);
    free(source->path);
    free(source);
}
