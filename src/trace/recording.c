/* Lines are appended and synced before they are answered for; a failed attempt is cut off again. */
#include "trace/recording.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
        browsing_event_write(&events[i], &recording->lines);
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

/* The last line is whole when a line break ends it, or when it is a good line that only lacks one. */
static scent_status mend_end(struct recording *recording, struct str text, const struct log *log, struct errmsg *err)
{
    size_t good = text.len;

    while (good && text.p[good - 1] != '\n')
        good--;
    recording->end = (off_t)text.len;
    if (good == text.len)
        return SCENT_OK;
    if (str_ends(str_trim(text), STR("}")))
        return append_lines(recording, STR("\n"), err);
    log_line(log, LOG_WARN, "%s: the last line was cut off and is removed", recording->path);
    recording->end = (off_t)good;
    return ftruncate(recording->fd, recording->end) == 0 ? SCENT_OK : fail(recording, "cut", err);
}

/* The folder is synced too, so that a new file survives a crash. */
static scent_status begin_file(struct recording *recording, struct errmsg *err)
{
    scent_status status;
    char *copy;

    buf_clear(&recording->lines);
    browsing_event_write(&(struct browsing_event){.kind = BROWSING_FORMAT}, &recording->lines);
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
static scent_status go_on(struct recording *recording, const struct log *log, struct errmsg *err)
{
    const char *path = recording->path;
    struct browsing *browsing;
    scent_status status = browsing_load(&path, 1, log, &browsing, err);
    struct buf text;

    browsing_free(browsing);
    if (status != SCENT_OK)
        return status;
    buf_init(&text, FILE_MAX);
    status = file_read(path, &text, err);
    if (status == SCENT_OK && str_starts(buf_str(&text), STR("\x1f\x8b")))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s is compressed; unpack it, or record into another file", path);
    if (status == SCENT_OK)
        status = mend_end(recording, buf_str(&text), log, err);
    buf_release(&text);
    return status;
}

static scent_status take_file(struct recording *recording, const struct log *log, struct errmsg *err)
{
    struct stat about;

    recording->fd = open(recording->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (recording->fd < 0)
        return fail(recording, "open", err);
    if (flock(recording->fd, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK ? fail(recording, "lock", err)
                                    : errmsg_fail(err, SCENT_E_LOCKED, "another 'scent browse record' writes to %s; "
                                                  "give another file", recording->path);
    if (fstat(recording->fd, &about) != 0)
        return fail(recording, "look at", err);
    return about.st_size ? go_on(recording, log, err) : begin_file(recording, err);
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
