/* Chunks of a file, inflated where it is compressed, cut into lines. */
#include "trace/logsource.h"

#include "http/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 128 << 10 };

struct logsource {
    FILE *file;
    const char *path;
    struct http_inflater *inflater; /* NULL: not compressed */
    struct buf raw, text;            /* as read; as lines */
    size_t raw_at, at;               /* what has been used of them */
    bool ended;                      /* nothing more comes into text */
    bool within;                     /* a member of gzip has begun and has not ended */
    bool damaged;
};

void logsource_close(struct logsource *source)
{
    if (!source)
        return;
    fclose(source->file);
    http_inflater_free(source->inflater);
    buf_release(&source->raw);
    buf_release(&source->text);
    free(source);
}

static void forget_used(struct buf *buf, size_t *at)
{
    if (*at) {
        memmove(buf->p, buf->p + *at, buf->len - *at);
        buf->len -= *at;
        *at = 0;
    }
}

/* Appends up to a chunk of the file to `out`; *ended when there is none. */
static scent_status read_chunk(struct logsource *source, struct buf *out, bool *ended, struct errmsg *err)
{
    size_t got;

    if (!buf_reserve(out, CHUNK))
        return errmsg_fail(err, SCENT_E_NOMEM, "%s: there is no memory to read it", source->path);
    got = fread(out->p + out->len, 1, CHUNK, source->file);
    if (got == 0 && ferror(source->file))
        return errmsg_fail(err, SCENT_E_IO, "%s: cannot be read: %s", source->path, strerror(errno));
    out->len += got;
    *ended = got == 0;
    return SCENT_OK;
}

static struct str raw_rest(const struct logsource *source)
{
    return str_sub(buf_str(&source->raw), source->raw_at, source->raw.len);
}

/* After a member: another one follows, or what follows is not ours to read. */
static void next_member(struct logsource *source)
{
    http_inflater_reset(source->inflater);
    source->within = false;
}

static scent_status inflate_chunk(struct logsource *source, struct errmsg *err)
{
    enum http_step step;
    bool ended = false;
    size_t used;

    if (source->raw_at == source->raw.len) {
        forget_used(&source->raw, &source->raw_at);
        scent_status status = read_chunk(source, &source->raw, &ended, err);
        if (status != SCENT_OK)
            return status;
    }
    if (ended) {
        source->ended = true;
        source->damaged = source->within;
        return SCENT_OK;
    }
    source->within = true;
    if (http_inflater_feed(source->inflater, raw_rest(source), CHUNK, &source->text, &used, &step) != SCENT_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "%s: there is no memory to unpack it", source->path);
    source->raw_at += used;
    if (step == HTTP_STEP_DONE)
        next_member(source);
    if (step == HTTP_STEP_BAD)
        source->ended = source->damaged = true;
    return SCENT_OK;
}

static scent_status fill_text(struct logsource *source, struct errmsg *err)
{
    forget_used(&source->text, &source->at);
    if (source->inflater)
        return inflate_chunk(source, err);
    return read_chunk(source, &source->text, &source->ended, err);
}

/* Compressed files are told by their first bytes, not by their names. */
static scent_status begin_source(struct logsource *source, struct errmsg *err)
{
    scent_status status = read_chunk(source, &source->raw, &source->ended, err);

    if (status == SCENT_OK && str_starts(buf_str(&source->raw), STR("\x1f\x8b"))) {
        source->inflater = http_inflater_new();
    } else {
        struct buf empty = source->text;

        source->text = source->raw;
        source->raw = empty;
    }
    return status;
}

scent_status logsource_open(const char *path, struct logsource **out, struct errmsg *err)
{
    FILE *file = fopen(path, "rbe");
    struct logsource *source;
    scent_status status;

    *out = NULL;
    if (!file)
        return errmsg_fail(err, scent_status_of_errno(errno), "%s: cannot be opened: %s", path, strerror(errno));
    source = calloc(1, sizeof *source);
    SCENT_BUG_IF(!source);
    source->file = file;
    source->path = path;
    buf_init(&source->raw, 0);
    buf_init(&source->text, 0);
    status = begin_source(source, err);
    if (status == SCENT_OK)
        *out = source;
    else
        logsource_close(source);
    return status;
}

scent_status logsource_head(struct logsource *source, struct str *out, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct str all;
    size_t end;

    while (status == SCENT_OK && !source->ended && source->text.len - source->at < LOGSOURCE_LINE_MAX)
        status = fill_text(source, err);
    all = str_sub(buf_str(&source->text), source->at, source->text.len);
    end = all.len < LOGSOURCE_LINE_MAX ? all.len : LOGSOURCE_LINE_MAX;
    *out = str_sub(all, 0, end);
    if (source->ended && end == all.len)
        return status;
    while (end > 0 && all.p[end - 1] != '\n')
        end--;
    *out = str_sub(*out, 0, end ? end : out->len);
    return status;
}

/* Past a line that does not fit: its bytes are dropped as they come. */
static scent_status pass_over(struct logsource *source, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    while (status == SCENT_OK) {
        struct str rest = str_sub(buf_str(&source->text), source->at, source->text.len);
        size_t end = str_find(rest, '\n');

        source->at += end < rest.len ? end + 1 : end;
        if (end < rest.len || source->ended)
            return SCENT_E_LIMIT;
        status = fill_text(source, err);
    }
    return status;
}

scent_status logsource_line(struct logsource *source, struct str *out, struct errmsg *err)
{
    for (;;) {
        struct str rest = str_sub(buf_str(&source->text), source->at, source->text.len);
        size_t end = str_find(rest, '\n');
        scent_status status;

        if (end == rest.len && end <= LOGSOURCE_LINE_MAX && !source->ended) {
            status = fill_text(source, err);
            if (status != SCENT_OK)
                return status;
            continue;
        }
        if (rest.len == 0)
            return SCENT_E_END;
        if (end > LOGSOURCE_LINE_MAX)
            return pass_over(source, err);
        source->at += end < rest.len ? end + 1 : end;
        *out = str_sub(rest, 0, end);
        if (end && rest.p[end - 1] == '\r')
            out->len--;
        return SCENT_OK;
    }
}

bool logsource_damaged(const struct logsource *source)
{
    return source->damaged;
}
