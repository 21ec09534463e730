#include "crawldir/marks.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/vec.h"
#include "crawldir/crawldir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const names[] = {[MARK_NONE] = "none", [MARK_NO] = "no", [MARK_YES] = "yes"};
enum { URL_MAX = 64 << 10 };

const char *marks_name(enum mark mark)
{
    return names[mark];
}

/* ---- reading ---- */

static struct marks_item *find(const struct marks *marks, struct str url)
{
    struct map_walk walk = map_find(&marks->by_url, hash_str(url, 0));

    while (map_next(&walk))
        if (str_eq(marks->items[walk.value].url, url))
            return &marks->items[walk.value];
    return NULL;
}

enum mark marks_of(const struct marks *marks, struct str url)
{
    const struct marks_item *item = find(marks, url);

    return item ? item->mark : MARK_NONE;
}

static bool has_controls(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.p[i] <= ' ' || text.p[i] == 0x7F)
            return true;
    return false;
}

static bool parse_line(struct str line, struct marks_item *out)
{
    struct str mark;

    if (!str_split(&line, '\t', &out->when) || !str_split(&line, '\t', &mark) || !line.len || line.len > URL_MAX ||
        has_controls(line) || has_controls(out->when))
        return false;
    out->url = line;
    for (out->mark = MARK_NONE; out->mark <= MARK_YES; out->mark++)
        if (str_eq(mark, str_of(names[out->mark])))
            return true;
    return false;
}

static scent_status take_line(struct marks *marks, const struct marks_item *line)
{
    struct marks_item *item = find(marks, line->url);

    if (!item) {
        if (!vec_reserve(&marks->items, &marks->room, marks->count + 1, sizeof *marks->items) ||
            map_add(&marks->by_url, hash_str(line->url, 0), (uint32_t)marks->count) != SCENT_OK)
            return SCENT_E_NOMEM;
        item = &marks->items[marks->count++];
        *item = (struct marks_item){.url = arena_str(&marks->arena, line->url)};
    }
    item->mark = line->mark;
    item->when = arena_str(&marks->arena, line->when);
    return item->url.p && item->when.p ? SCENT_OK : SCENT_E_NOMEM;
}

scent_status marks_load(const char *dir, struct marks *out, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(dir, MARKS_FILE);
    struct marks_item parsed;
    struct str rest, line;
    struct buf text;
    scent_status status;

    *out = (struct marks){0};
    arena_init(&out->arena, 4 * (size_t)MARKS_FILE_MAX);
    buf_init(&text, MARKS_FILE_MAX);
    status = file_read(path.text, &text, err);
    if (status == SCENT_E_NOTFOUND)
        status = SCENT_OK;
    rest = buf_str(&text);
    while (status == SCENT_OK && str_split(&rest, '\n', &line))
        if (parse_line(line, &parsed) && (status = take_line(out, &parsed)) != SCENT_OK)
            errmsg_fail(err, status, "%s: out of memory", path.text);
    buf_release(&text);
    for (size_t i = 0; i < out->count; i++) {
        out->yes += out->items[i].mark == MARK_YES;
        out->no += out->items[i].mark == MARK_NO;
        out->sum += out->items[i].mark ? hash_str(out->items[i].url, out->items[i].mark) | 1 : 0;
    }
    if (status != SCENT_OK)
        marks_release(out);
    return status;
}

void marks_release(struct marks *marks)
{
    free(marks->items);
    map_release(&marks->by_url);
    arena_release(&marks->arena);
    *marks = (struct marks){0};
}

/* ---- writing ---- */

static scent_status fail(const char *path, struct errmsg *err)
{
    if (errno == ELOOP)
        return errmsg_fail(err, SCENT_E_INVALID, "%s is a symbolic link: put the file itself there", path);
    return errmsg_fail(err, scent_status_of_errno(errno), "cannot write %s: %s", path, strerror(errno));
}

/* After half a line the next one begins on a line of its own. */
static bool ends_in_half(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);
    char last = '\n';

    return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

scent_status marks_set(const char *dir, struct str url, enum mark mark, int64_t wall, struct errmsg *err)
{
    struct crawldir_path path = crawldir_path(dir, MARKS_FILE);
    scent_status status = SCENT_OK;
    struct buf line;
    char when[32];
    int fd;

    if (!url.len || url.len > URL_MAX || has_controls(url))
        return errmsg_fail(err, SCENT_E_INVALID, "'%.*s' cannot be marked: it is not a URL", STR_ARG(url));
    fd = open(path.text, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail(path.text, err);
    clock_format_iso(wall, when, sizeof when);
    buf_init(&line, 0);
    buf_printf(&line, "%s%s\t%s\t%.*s\n", ends_in_half(fd) ? "\n" : "", when, names[mark], STR_ARG(url));
    errno = EIO; /* of a short write */
    if (line.failed)
        status = errmsg_no_memory(err);
    else if (write(fd, line.p, line.len) != (ssize_t)line.len || fsync(fd) != 0)
        status = fail(path.text, err);
    buf_release(&line);
    close(fd);
    return status == SCENT_OK ? file_sync_dir(dir, err) : status;
}

scent_status marks_forget(const char *dir, bool (*forget)(void *ctx, struct str url), void *ctx, struct errmsg *err)
{
    struct marks marks;
    struct buf text;
    size_t forgotten = 0;
    scent_status status;

    SCENT_TRY(marks_load(dir, &marks, err));
    buf_init(&text, MARKS_FILE_MAX);
    for (size_t i = 0; i < marks.count; i++) {
        const struct marks_item *item = &marks.items[i];

        if (forget(ctx, item->url))
            forgotten++;
        else if (item->mark)
            buf_printf(&text, "%.*s\t%s\t%.*s\n", STR_ARG(item->when), names[item->mark], STR_ARG(item->url));
    }
    status = text.failed ? errmsg_fail(err, SCENT_E_NOMEM, "out of memory for the marks")
             : forgotten ? crawldir_replace(dir, MARKS_FILE, buf_str(&text), err)
                         : SCENT_OK;
    buf_release(&text);
    marks_release(&marks);
    return status;
}
