/* Files are replaced as a whole and synced; every failure names its path. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static scent_status fail_errno(struct errmsg *err, const char *what, const char *path)
{
    int code = errno;

    return errmsg_fail(err, scent_status_of_errno(code), "cannot %s %s: %s", what, path, strerror(code));
}

/* ---- reading ---- */

enum { CHUNK = 64 * 1024, PATIENCE_MS = 8000 };
#define STANDARD_INPUT "/dev/stdin"

/* A terminal and /dev/null come to an end; other devices, such as /dev/zero, do not. */
static bool never_ends(int fd, const struct stat *st)
{
    struct stat null;
    bool is_null = stat("/dev/null", &null) == 0 && st->st_rdev == null.st_rdev;

    return S_ISBLK(st->st_mode) || (S_ISCHR(st->st_mode) && !is_null && !isatty(fd));
}

scent_status file_open(const char *path, enum file_kind kind, int *out, struct errmsg *err)
{
    /* Without O_NONBLOCK a pipe to which nobody writes would be waited for here. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;

    *out = -1;
    if (fd < 0)
        return fail_errno(err, "open", path);
    if (fstat(fd, &st) != 0) {
        scent_status status = fail_errno(err, "look at", path);

        close(fd);
        return status;
    }
    if (S_ISDIR(st.st_mode) || (kind == FILE_REGULAR ? !S_ISREG(st.st_mode) : never_ends(fd, &st))) {
        close(fd);
        return errmsg_fail(err, SCENT_E_INVALID, "cannot read %s: %s", path,
                           S_ISDIR(st.st_mode) ? "it is a directory"
                           : S_ISFIFO(st.st_mode) ? "it is a pipe; give a regular file"
                                                  : "it is a device; give a regular file");
    }
    *out = fd;
    return SCENT_OK;
}

scent_status file_take(int fd, const char *path, char *to, size_t room, size_t *got, struct errmsg *err)
{
    const bool is_input = strcmp(path, STANDARD_INPUT) == 0;
    struct pollfd wait = {.fd = fd, .events = POLLIN};

    *got = 0;
    for (;;) {
        int ready = poll(&wait, 1, is_input ? -1 : PATIENCE_MS);
        ssize_t n = ready > 0 ? read(fd, to, room) : ready;

        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return fail_errno(err, "read", path);
        if (ready == 0)
            return errmsg_fail(err, SCENT_E_INVALID, "nothing has come from %s for %d seconds; give a file, or "
                               "standard input where it is accepted", path, PATIENCE_MS / 1000);
        *got = (size_t)n;
        return SCENT_OK;
    }
}

static scent_status fail_large(const char *path, size_t cap, struct errmsg *err)
{
    const bool whole = cap >= 1 << 20 && cap % (1 << 20) == 0;

    return errmsg_fail(err, SCENT_E_LIMIT, "%s is larger than %zu %s", path, whole ? cap >> 20 : cap,
                       whole ? "MiB" : "bytes");
}

static bool may_begin(struct str text, struct str magic)
{
    return str_starts(magic, str_sub(text, 0, text.len < magic.len ? text.len : magic.len));
}

static scent_status read_fd(int fd, const char *path, struct str magic, struct buf *out, struct errmsg *err)
{
    const size_t begin = out->len;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return fail_errno(err, "look at", path);
    for (;;) {
        char chunk[CHUNK];
        size_t got;

        SCENT_TRY(file_take(fd, path, chunk, sizeof chunk, &got, err));
        if (got == 0)
            return SCENT_OK;
        if (!buf_add(out, (struct str){chunk, got}))
            return fail_large(path, out->cap, err);
        if (!may_begin(str_sub(buf_str(out), begin, out->len), magic))
            return SCENT_OK;
        /* Where it tells its length, a file that is too large is not read on. */
        if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > out->cap - begin)
            return fail_large(path, out->cap, err);
    }
}

scent_status file_read_as(const char *path, struct str magic, struct buf *out, struct errmsg *err)
{
    scent_status status;
    int fd;

    SCENT_TRY(file_open(path, FILE_STREAM, &fd, err));
    status = read_fd(fd, path, magic, out, err);
    close(fd);
    return status;
}

scent_status file_read(const char *path, struct buf *out, struct errmsg *err)
{
    return file_read_as(path, STR_NONE, out, err);
}

/* The lines that are whole in `text`, and at the end of the file what is left; `used` bytes of it. */
static scent_status give_lines(struct str text, bool ended, file_line_fn *fn, void *ctx, size_t *number, size_t *used,
                               struct errmsg *err)
{
    *used = 0;
    while (*used < text.len) {
        struct str rest = str_sub(text, *used, text.len);
        size_t end = str_find(rest, '\n');

        if (end == rest.len && !ended)
            return SCENT_OK;
        *used += end < rest.len ? end + 1 : end;
        SCENT_TRY(fn(ctx, str_sub(rest, 0, end), ++*number, err));
    }
    return SCENT_OK;
}

static scent_status read_lines(int fd, const char *path, size_t cap, file_line_fn *fn, void *ctx, struct buf *text,
                               struct errmsg *err)
{
    size_t number = 0, total = 0, got = 1, used;

    while (got) {
        char chunk[CHUNK];

        SCENT_TRY(file_take(fd, path, chunk, sizeof chunk, &got, err));
        total += got;
        if (total > cap)
            return fail_large(path, cap, err);
        if (!buf_add(text, (struct str){chunk, got}))
            return errmsg_fail(err, SCENT_E_NOMEM, "out of memory: %s", path);
        SCENT_TRY(give_lines(buf_str(text), got == 0, fn, ctx, &number, &used, err));
        memmove(text->p, text->p + used, text->len - used);
        text->len -= used;
        if (text->len > FILE_LINE_MAX)
            return errmsg_fail(err, SCENT_E_INVALID, "%s:%zu: the line is longer than %d KiB", path, number + 1,
                               FILE_LINE_MAX >> 10);
    }
    return SCENT_OK;
}

scent_status file_each_line(const char *path, size_t cap, file_line_fn *fn, void *ctx, struct errmsg *err)
{
    scent_status status;
    struct buf text;
    int fd;

    SCENT_TRY(file_open(path, FILE_STREAM, &fd, err));
    buf_init(&text, 0);
    status = read_lines(fd, path, cap, fn, ctx, &text, err);
    buf_release(&text);
    close(fd);
    return status;
}

scent_status file_sync_dir(const char *path, struct errmsg *err)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return fail_errno(err, "open", path);
    rc = fsync(fd);
    close(fd);
    return rc ? fail_errno(err, "sync", path) : SCENT_OK;
}

static scent_status write_all(int fd, const char *path, struct str data, struct errmsg *err)
{
    while (data.len) {
        ssize_t put = write(fd, data.p, data.len);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_errno(err, "write", path);
        data = str_sub(data, (size_t)put, data.len);
    }
    return SCENT_OK;
}

scent_status file_fail_create(const char *path, struct errmsg *err)
{
    const char *slash = strrchr(path, '/');

    if (errno == ENOENT && slash)
        return errmsg_fail(err, SCENT_E_NOTFOUND, "cannot create %s: the folder %.*s does not exist", path,
                           (int)(slash - path), path);
    return fail_errno(err, "create", path);
}

static bool is_descriptor(const char *path)
{
    struct str name = str_of(path);

    return str_eq(name, STR("/dev/stdout")) || str_eq(name, STR("/dev/stderr")) || str_starts(name, STR("/dev/fd/")) ||
           str_starts(name, STR("/proc/self/fd/"));
}

scent_status file_look_at_target(const char *path, bool *is_stream, struct errmsg *err)
{
    struct stat st;
    bool exists = stat(path, &st) == 0;

    *is_stream = is_descriptor(path) || (exists && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)));
    if (exists && !*is_stream && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return errmsg_fail(err, SCENT_E_INVALID, "cannot write %s: it is a device or a socket; name a file", path);
    return SCENT_OK;
}

/* Always a new file: one that a crash left may have another mode, and a symbolic link may lead anywhere. */
static int create_new(const char *path, bool private)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode = private ? 0600 : 0666;
    int fd = open(path, flags, mode);

    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, mode);
    return fd;
}

/* What a new file shall hold: `whole`, and then the pieces of `next` where there is one. */
struct content {
    struct str whole;
    file_piece_fn *next;
    void *ctx;
};

static scent_status write_pieces(int fd, const char *path, const struct content *content, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct buf piece;

    buf_init(&piece, 0);
    do {
        buf_clear(&piece);
        status = content->next(content->ctx, &piece);
        if (status != SCENT_OK)
            errmsg_fail(err, status, "%s: there is no memory to write it", path);
        else
            status = write_all(fd, path, buf_str(&piece), err);
    } while (status == SCENT_OK && piece.len);
    buf_release(&piece);
    return status;
}

static scent_status write_content(int fd, const char *path, const struct content *content, struct errmsg *err)
{
    SCENT_TRY(write_all(fd, path, content->whole, err));
    return content->next ? write_pieces(fd, path, content, err) : SCENT_OK;
}

/* Messages name `path`, the file that it will be. */
static scent_status write_synced(const char *beside, const char *path, const struct content *content, bool private,
                                 struct errmsg *err)
{
    scent_status status;
    int fd = create_new(beside, private);

    if (fd < 0)
        return file_fail_create(path, err);
    status = write_content(fd, path, content, err);
    if (status == SCENT_OK && fsync(fd))
        status = fail_errno(err, "sync", path);
    close(fd);
    return status;
}

static scent_status write_stream(const char *path, const struct content *content, struct errmsg *err)
{
    scent_status status;
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return fail_errno(err, "open", path);
    status = write_content(fd, path, content, err);
    close(fd);
    return status;
}

static scent_status replace(const char *path, const struct content *content, bool private, struct errmsg *err)
{
    char beside[4096], dir[4096];
    const char *slash = strrchr(path, '/');
    struct stat st;
    scent_status status;

    /* A pipe, or a link to a device, is replaced: in a crawl directory that somebody else made it is a trap. */
    if (is_descriptor(path) || (lstat(path, &st) == 0 && S_ISCHR(st.st_mode)))
        return write_stream(path, content, err);
    if (snprintf(beside, sizeof beside, "%s.new", path) >= (int)sizeof beside)
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", path);
    snprintf(dir, sizeof dir, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    status = write_synced(beside, path, content, private, err);
    if (status == SCENT_OK && rename(beside, path))
        status = fail_errno(err, "replace", path);
    if (status != SCENT_OK) {
        unlink(beside);
        return status;
    }
    return file_sync_dir(dir, err);
}

scent_status file_replace(const char *path, struct str content, struct errmsg *err)
{
    return replace(path, &(struct content){.whole = content}, false, err);
}

scent_status file_replace_private(const char *path, struct str content, struct errmsg *err)
{
    return replace(path, &(struct content){.whole = content}, true, err);
}

scent_status file_replace_pieces(const char *path, file_piece_fn *next, void *ctx, struct errmsg *err)
{
    return replace(path, &(struct content){.next = next, .ctx = ctx}, true, err);
}

/* A new name lasts once the directory that holds it is synced. One that we may write to but not read cannot be. */
static scent_status make_dir(const char *path, struct errmsg *err)
{
    const char *slash = strrchr(path, '/');
    char parent[4096];

    if (mkdir(path, 0777))
        return errno == EEXIST ? SCENT_OK : fail_errno(err, "create the directory", path);
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return access(parent, R_OK) ? SCENT_OK : file_sync_dir(parent, err);
}

scent_status file_make_dir(const char *path, struct errmsg *err)
{
    char part[4096];
    scent_status status = SCENT_OK;

    if (strlen(path) >= sizeof part)
        return errmsg_fail(err, SCENT_E_INVALID, "the path %s is too long", path);
    for (size_t i = 1; status == SCENT_OK && i <= strlen(path); i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        status = make_dir(part, err);
    }
    if (status != SCENT_OK)
        return status;
    if (!file_is_dir(path))
        return errmsg_fail(err, SCENT_E_IO, "%s exists and is not a directory", path);
    return SCENT_OK;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

scent_status file_remove_tree(const char *path, struct errmsg *err)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) ? fail_errno(err, "remove", path) : SCENT_OK;
}

struct str file_beside(struct arena *arena, const char *name, struct str path)
{
    const char *slash = strrchr(name, '/');
    int folder = slash && !str_starts(path, STR("/")) ? (int)(slash - name) + 1 : 0;

    return arena_printf(arena, "%.*s%.*s", folder, name, STR_ARG(path));
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_add(struct file_list *list, const char *name)
{
    /* Doubling at powers of two needs no field for the room. */
    if ((list->count & (list->count - 1)) == 0) {
        size_t room = list->count ? list->count * 2 : 1;

        list->names = realloc(list->names, room * sizeof *list->names);
        SCENT_BUG_IF(!list->names);
    }
    list->names[list->count] = strdup(name);
    SCENT_BUG_IF(!list->names[list->count]);
    list->count++;
}

scent_status file_list(const char *dir, const char *suffix, struct file_list *out, struct errmsg *err)
{
    struct dirent *entry;
    DIR *handle = opendir(dir);

    *out = (struct file_list){0};
    if (!handle)
        return fail_errno(err, "open the directory", dir);
    while ((entry = readdir(handle))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (str_ends(str_of(entry->d_name), str_of(suffix)))
            list_add(out, entry->d_name);
    }
    closedir(handle);
    if (out->count)
        qsort(out->names, out->count, sizeof *out->names, by_name);
    return SCENT_OK;
}

void file_list_release(struct file_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct file_list){0};
}

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++) {
        size_t len = strlen(*names);

        if (strncmp(name, *names, len) == 0 && (!name[len] || name[len] == '.' || name[len] == '-'))
            return true;
    }
    return false;
}

scent_status file_expect_only(const char *dir, const char *const *names, const char *thing, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct file_list list;

    if (!file_is_dir(dir))
        return SCENT_OK;
    SCENT_TRY(file_list(dir, "", &list, err));
    for (size_t i = 0; i < list.count && status == SCENT_OK; i++)
        if (!is_among(list.names[i], names))
            status = errmsg_fail(err, SCENT_E_INVALID, "%s is neither empty nor a %s: it holds '%s'; choose another "
                                 "directory with -o", dir, thing, list.names[i]);
    file_list_release(&list);
    return status;
}
