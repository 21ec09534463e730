/* Lines of Squid, of the Common and Combined log formats, and "time user url". */
#include "trace/logline.h"

#include "base/date.h"
#include "base/file.h"
#include "http/http.h"

#include <stdlib.h>
#include <unistd.h>

enum { SQUID_COLUMNS = 10, PLAIN_COLUMNS = 3, GUESS_LINES = 50 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* The next word, which ends at a blank; false: there is none. */
static bool take_word(struct str *rest, struct str *out)
{
    size_t begin = 0, end;

    while (begin < rest->len && is_blank(rest->p[begin]))
        begin++;
    for (end = begin; end < rest->len && !is_blank(rest->p[end]); end++)
        ;
    *out = str_sub(*rest, begin, end);
    *rest = str_sub(*rest, end, rest->len);
    return end > begin;
}

static struct str unless_dash(struct str s)
{
    return str_eq(s, STR("-")) ? STR_NONE : s;
}

static bool parse_status(struct str s, int *out)
{
    uint64_t n;

    if (s.len != 3 || !str_parse_u64(s, &n))
        return false;
    *out = (int)n;
    return true;
}

/* time elapsed client code/status bytes method URL user peer type */
static bool parse_squid(struct str line, struct logline *out, enum trace_left *why)
{
    struct str words[SQUID_COLUMNS], code;

    for (int i = 0; i < SQUID_COLUMNS; i++)
        if (!take_word(&line, &words[i]))
            return false;
    code = words[3];
    if (!parse_status(str_sub(code, code.len - (code.len < 3 ? code.len : 3), code.len), &out->status) ||
        str_find(code, '/') == code.len)
        return false;
    out->user = unless_dash(words[7]).len ? words[7] : words[2];
    out->method = words[5];
    out->url = words[6];
    out->type = unless_dash(words[9]);
    *why = TRACE_LEFT_TIME;
    return date_parse_epoch(words[0], &out->time);
}

/* "…" with backslash escapes, which are left as they are. */
static bool take_quoted(struct str *rest, struct str *out)
{
    size_t i;

    *rest = str_trim(*rest);
    if (!rest->len || rest->p[0] != '"')
        return false;
    for (i = 1; i < rest->len && rest->p[i] != '"'; i++)
        i += rest->p[i] == '\\';
    if (i >= rest->len)
        return false;
    *out = str_sub(*rest, 1, i);
    *rest = str_sub(*rest, i + 1, rest->len);
    return true;
}

/* "GET /path HTTP/1.0"; HTTP/0.9 had no version. */
static bool parse_request(struct str request, struct logline *out)
{
    return take_word(&request, &out->method) && take_word(&request, &out->url);
}

/* host ident user [time] "request" status bytes; the user may have blanks in it. "- " before the user is the ident of a
 * line that begins with a site (vhost_combined): its first columns are others, and all its clients would be one
 * user. */
static bool parse_ncsa(struct str *line, struct logline *out, enum trace_left *why)
{
    struct str host, ident, user, time, request, word;

    if (!take_word(line, &host) || !take_word(line, &ident) || !str_split(line, '[', &user) ||
        !str_split(line, ']', &time) || !take_quoted(line, &request) || !take_word(line, &word) ||
        !parse_status(word, &out->status) || !take_word(line, &word) || !parse_request(request, out))
        return false;
    user = unless_dash(str_trim(user));
    if (str_starts(user, STR("- ")))
        return false;
    out->user = user.len ? user : host;
    if (date_parse_log(time, &out->time))
        return true;
    *why = TRACE_LEFT_TIME;
    return false;
}

static bool parse_combined(struct str line, struct logline *out, enum trace_left *why)
{
    struct str referrer;

    return parse_ncsa(&line, out, why) && take_quoted(&line, &referrer) && take_quoted(&line, &out->agent);
}

static bool parse_plain(struct str line, struct logline *out, enum trace_left *why)
{
    struct str words[PLAIN_COLUMNS], more;

    for (int i = 0; i < PLAIN_COLUMNS; i++)
        if (!take_word(&line, &words[i]))
            return false;
    if (take_word(&line, &more))
        return false;
    out->user = words[1];
    out->url = words[2];
    *why = TRACE_LEFT_TIME;
    return date_parse_epoch(words[0], &out->time) || date_parse_iso(words[0], &out->time);
}

static bool is_binary(struct str line)
{
    for (size_t i = 0; i < line.len; i++)
        if (((unsigned char)line.p[i] < 0x20 && line.p[i] != '\t') || line.p[i] == 0x7f)
            return true;
    return false;
}

bool logline_parse(enum trace_format format, struct str line, struct logline *out, enum trace_left *why)
{
    bool parsed;

    *out = (struct logline){.status = -1};
    *why = TRACE_LEFT_BINARY;
    if (is_binary(line))
        return false;
    *why = TRACE_LEFT_COLUMNS;
    if (format == TRACE_SQUID)
        parsed = parse_squid(line, out, why);
    else if (format == TRACE_COMMON)
        parsed = parse_ncsa(&line, out, why);
    else if (format == TRACE_COMBINED)
        parsed = parse_combined(line, out, why);
    else
        parsed = parse_plain(line, out, why);
    if (parsed && out->user.len > LOGLINE_USER_MAX)
        *why = TRACE_LEFT_COLUMNS;
    return parsed && out->user.len <= LOGLINE_USER_MAX;
}

bool logline_counts(struct str line)
{
    line = str_trim(line);
    return line.len && line.p[0] != '#';
}

enum trace_format logline_guess(struct str head)
{
    static const enum trace_format formats[] = {TRACE_SQUID, TRACE_COMBINED, TRACE_COMMON, TRACE_PLAIN};
    unsigned fits[TRACE_FORMATS] = {0};
    enum trace_format best = TRACE_GUESS;
    struct logline parsed;
    enum trace_left why;
    struct str line;

    for (int i = 0; i < GUESS_LINES && str_split(&head, '\n', &line);) {
        line = str_trim(line);
        if (!logline_counts(line))
            continue;
        for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
            fits[formats[k]] += logline_parse(formats[k], line, &parsed, &why);
        i++;
    }
    /* Every Combined line is a Common one as well, and so is one that was cut off. */
    if (fits[TRACE_COMBINED] * 2 >= fits[TRACE_COMMON])
        fits[TRACE_COMMON] = 0;
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (fits[formats[k]] > fits[best])
            best = formats[k];
    return best;
}

/* ---- files: chunks of a file, inflated where it is compressed, cut into lines ---- */

enum { CHUNK = 128 << 10, BARREN_MAX = 64 << 20 };

struct logsource {
    int fd;
    const char *path;
    struct http_inflater *inflater; /* NULL: not compressed */
    struct buf raw, text;            /* as read; as lines */
    size_t raw_at, at;               /* what has been used of them */
    bool ended;                      /* nothing more comes into text */
    bool within;                     /* a member of gzip has begun and has not ended */
    bool damaged;
    bool useful;                     /* some line was of use */
    size_t barren;                   /* bytes of lines since the last one that was of use */
};

void logsource_close(struct logsource *source)
{
    if (!source)
        return;
    close(source->fd);
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
    SCENT_TRY(file_take(source->fd, source->path, out->p + out->len, CHUNK, &got, err));
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

/* A stream that has given nothing of use for so long would be read for ever: it ends here, or never began. */
static scent_status fill_text(struct logsource *source, struct errmsg *err)
{
    size_t before;

    if (source->barren > BARREN_MAX && source->useful) {
        source->ended = source->damaged = true;
        return SCENT_OK;
    }
    if (source->barren > BARREN_MAX)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: %d MiB in a row hold no line that can be used", source->path,
                           BARREN_MAX >> 20);
    forget_used(&source->text, &source->at);
    before = source->text.len;
    SCENT_TRY(source->inflater ? inflate_chunk(source, err)
                               : read_chunk(source, &source->text, &source->ended, err));
    source->barren += source->text.len - before;
    return SCENT_OK;
}

void logsource_used(struct logsource *source)
{
    source->useful = true;
    source->barren = 0;
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
    struct logsource *source;
    scent_status status;
    int fd;

    *out = NULL;
    SCENT_TRY(file_open(path, FILE_STREAM, &fd, err));
    source = calloc(1, sizeof *source);
    SCENT_BUG_IF(!source);
    source->fd = fd;
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
